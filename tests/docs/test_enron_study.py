"""The page on Enron says what its stored scores give, counted here again with nothing of ours."""

import gzip
import hashlib
import json
import re
import runpy
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import oracle
from printed import table_of

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "validation"
PAGE = (FOLDER / "enron.md").read_text(encoding="utf-8")
FACTS = json.loads((FOLDER / "enron.json").read_text(encoding="utf-8"))
PRINTED = {"Square Root": (0.505, 0.007), "Hapax": (0.479, 0.014), "Logistic": (0.518, 0.026)}  # the paper's Table 3
NATS = {"bits": np.log(2), "nats": 1.0, "bans": np.log(10)}
BASE = "base"


@cache
def _stored(scoring: str) -> dict[tuple[int, int, int], dict[str, Any]]:
    rows = pq.read_table(FOLDER / "enron.parquet", filters=[("scoring", "=", scoring)]).to_pylist()
    return {(row["run"], row["k"], row["q"]): row for row in rows if not row["half"]}


def _percent(cell: str) -> float:
    return float(cell.removesuffix(" %"))


def _cllr(same: list[float], different: list[float]) -> float:
    """Of LLRs in nats."""
    costs = [np.logaddexp(0, x).mean() / np.log(2) for x in (-np.array(same), np.array(different))]
    return float(sum(costs) / 2)


def _glm(same: list[float], different: list[float]) -> tuple[float, float]:
    """α and β by iteratively reweighted least squares that stop as R's glm does, each class weighing 1."""
    x = np.array([*same, *different])
    y = np.repeat([1.0, 0.0], (len(same), len(different)))
    prior = np.where(y == 1, 1 / len(same), 1 / len(different))
    mu = (prior * y + 0.5) / (prior + 1)
    eta = np.log(mu / (1 - mu))
    design = np.stack([np.ones_like(x), x], 1)
    deviance = np.inf
    for _ in range(25):
        slope = mu * (1 - mu)
        weight = prior * slope
        beta = np.linalg.solve(design.T * weight @ design, design.T * weight @ (eta + (y - mu) / slope))
        eta = design @ beta
        mu = 1 / (1 + np.exp(-np.clip(eta, -30, 30)))
        before, deviance = deviance, -2 * float(np.sum(prior * np.log(np.where(y == 1, mu, 1 - mu))))
        if abs(deviance - before) / (abs(deviance) + 0.1) < 1e-8:
            break
    return float(beta[0]), float(beta[1])


def _outcomes(order: list[int], n_calibrating: int, run: int, scoring: str = BASE, unit: str = "bits") -> list[float]:
    """Cllr of Square Root, Hapax and, if authors calibrate, logistic regression, for one order of the authors."""
    trials = _stored(scoring)

    def sides(half: list[int]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        return [trials[run, q, q] for q in half], [trials[run, half[n - 1], q] for n, q in enumerate(half)]

    judged, other = sides(order[n_calibrating:])
    outcomes = []
    for factor in (lambda row: row["tokens"] ** -0.5, lambda row: row["hapaxes"] / row["tokens"]):
        outcomes.append(
            _cllr(*([row["lambda_g"] * factor(row) * NATS[unit] for row in side] for side in (judged, other)))
        )
    if n_calibrating:
        a, b = _glm(*([row["lambda_g"] for row in side] for side in sides(order[:n_calibrating])))
        outcomes.append(_cllr(*([a + b * row["lambda_g"] for row in side] for side in (judged, other))))
    return outcomes


def _orders(n: int = 300) -> list[list[int]]:
    rng = np.random.default_rng(0)
    return [rng.permutation(48).tolist() for _ in range(n)]


@cache
def _base() -> np.ndarray:
    """Axes: split, run, method."""
    return np.array([[_outcomes(order, 19, run) for run in range(1, 6)] for order in _orders()])


def test_the_stored_scores_are_small_have_units_and_name_nobody() -> None:
    file = pq.ParquetFile(FOLDER / "enron.parquet")
    assert (FOLDER / "enron.parquet").stat().st_size < 500_000
    units = json.loads(file.schema_arrow.metadata[b"units"])
    assert units["lambda_g"].startswith("log10")
    assert set(file.schema_arrow.names) == {"scoring", "run", "half", "k", "q", *units}
    assert {row["half"] for row in file.read(["half"]).to_pylist()} == {"", "case", "calibration"}


def test_the_splits_of_the_page_are_those_of_the_stored_scores() -> None:
    means, sds = _base().mean(1), _base().std(1, ddof=1)
    rows = table_of(PAGE, "enron splits")
    assert [row["method"] for row in rows] == list(PRINTED)
    for n, row in enumerate(rows):
        printed, plus_minus = PRINTED[row["method"]]
        assert (float(row["printed"]), float(row["± printed"])) == (printed, plus_minus)
        assert float(row["median of splits"]) == pytest.approx(np.median(means[:, n]), abs=0.000501)
        shown = [float(number) for number in row["95 % of splits"].split(" to ")]
        assert shown == pytest.approx(np.percentile(means[:, n], [2.5, 97.5]), abs=0.000501)
        assert _percent(row["printed at"]) == pytest.approx(100 * np.mean(means[:, n] <= printed), abs=0.51)
        lower, upper = np.percentile(means[:, n], [16, 84])
        assert float(row["spread between splits"]) == pytest.approx((upper - lower) / 2, abs=0.000501)
        assert float(row["± here, median"]) == pytest.approx(np.median(sds[:, n]), abs=0.000501)
        assert _percent(row["± printed at"]) == pytest.approx(100 * np.mean(sds[:, n] <= plus_minus), abs=0.51)


def test_one_choice_at_a_time_is_what_the_stored_scores_give() -> None:
    rows = {row["choice"]: row for row in table_of(PAGE, "enron choices")}
    assert len(rows) == 24
    chosen = {
        "by spaCy's parser on the masked text": ("sentences spacy", "bits"),
        "sentence ends not scored": ("ends False", "bits"),
        "sentences out that share 10 tokens in a row with another text": ("copies 10", "bits"),
        "ΛG in nats": (BASE, "nats"),
        "ΛG in bans (log10)": (BASE, "bans"),
    }
    for choice, (scoring, unit) in chosen.items():
        runs = range(1, 6) if scoring == BASE else [1]
        means = np.array(
            [np.mean([_outcomes(order, 19, run, scoring, unit)[:2] for run in runs], axis=0) for order in _orders()]
        )
        for n, method in enumerate(("Square Root", "Hapax")):
            assert float(rows[choice][method]) == pytest.approx(np.median(means[:, n]), abs=0.000501), choice
        gap = 100 * np.mean(means[:, 1] - means[:, 0] <= PRINTED["Hapax"][0] - PRINTED["Square Root"][0])
        assert _percent(rows[choice]["difference at"]) == pytest.approx(gap, abs=0.51), choice


def test_units_are_told_apart_by_the_stored_scores() -> None:
    rows = table_of(PAGE, "enron units")
    assert [(row["case authors"], row["ΛG in"]) for row in rows] == [(n, unit) for n in ("29", "48") for unit in NATS]
    for row in rows:
        apart = 48 - int(row["case authors"])
        runs = np.array(
            [[_outcomes(order, apart, run, unit=row["ΛG in"])[:2] for run in range(1, 6)] for order in _orders()]
        )
        means, sds = runs.mean(1), runs.std(1, ddof=1)
        assert _percent(row["Hapax lower"]) == pytest.approx(100 * np.mean(means[:, 1] < means[:, 0]), abs=0.51)
        for n, method in enumerate(("Square Root", "Hapax")):
            middle, low, high = (float(number) for number in re.findall(r"[\d.]+", row[method]))
            assert [low, middle, high] == pytest.approx(np.percentile(means[:, n], [2.5, 50, 97.5]), abs=0.000501)
            printed, plus_minus = PRINTED[method]
            assert _percent(row[f"{method} at"]) == pytest.approx(100 * np.mean(means[:, n] <= printed), abs=0.51)
            assert _percent(row[f"± of {method} at"]) == pytest.approx(100 * np.mean(sds[:, n] <= plus_minus), abs=0.51)


def test_what_the_page_says_in_words_is_in_its_tables() -> None:
    splits = {row["method"]: row for row in table_of(PAGE, "enron splits")}
    for method, (_, plus_minus) in PRINTED.items():
        assert 5 <= _percent(splits[method]["printed at"]) <= 95
        assert float(splits[method]["spread between splits"]) > 3 * plus_minus
    units = {
        row["ΛG in"]: _percent(row["Hapax lower"])
        for row in table_of(PAGE, "enron units")
        if row["case authors"] == "48"
    }
    assert units["bits"] > 90
    assert units["nats"] < 10
    assert units["bans"] == 0
    for row in table_of(PAGE, "enron combinations"):
        if row["copies"] == "kept" and row["ΛG in"] == "bits":
            assert row["combinations"] == row["all printed inside"]
        if row["ΛG in"] == "bans":
            assert row["all printed inside"] == "0"


def test_the_first_run_of_the_study_is_the_published_one() -> None:
    published = pq.read_table(
        FOLDER / "trials.parquet", filters=[("corpus", "=", "enron_as_published"), ("run", "=", 0)]
    ).to_pylist()
    ours = [
        row for row in pq.read_table(FOLDER / "enron.parquet", filters=[("scoring", "=", "case")]).to_pylist()
        if row["run"] == 0
    ]  # fmt: skip
    assert len(ours) == len(published) == 96
    assert sorted(row["lambda_g"] for row in ours) == sorted(row["lambda_g"] for row in published)


@pytest.mark.shared
def test_the_stored_scores_and_facts_are_those_of_the_texts(shared: Path) -> None:
    path = shared / "corpora" / "enron_masked.jsonl.gz"
    assert FACTS["texts_sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    with gzip.open(path, "rt", encoding="utf-8") as file:
        texts = sorted(map(json.loads, file), key=lambda text: (text["author"], text["id"]))
    authors = sorted({text["author"] for text in texts})
    tokens = [text["text"].split() for text in texts]
    runs = [{tuple(text_tokens[n : n + 20]) for n in range(len(text_tokens) - 19)} for text_tokens in tokens]
    times = Counter(run for text_runs in runs for run in text_runs)
    sharing = sum(any(times[run] > 1 for run in text_runs) for text_runs in runs)
    assert sharing == sum(n > 0 for n in FACTS["copied_tokens"]["20"])
    own_texts = [
        any(
            run in other
            for n, other in enumerate(runs)
            if n != number and texts[n]["author"] == text["author"]
            for run in text_runs
        )
        for number, (text, text_runs) in enumerate(zip(texts, runs, strict=True))
    ]
    assert f"{sharing} of {len(texts)} texts share even 20 ({sum(own_texts)} with one of the same author)" in PAGE

    def cut(text: dict[str, str]) -> list[tuple[str, ...]]:
        sentences: list[tuple[str, ...]] = []
        begin, words = 0, text["text"].split()
        for end in range(1, len(words) + 1):
            if end == len(words) or (words[end - 1] in set(".?!") and words[end] not in set(".?!")):
                sentences.append(tuple(words[begin:end]))
                begin = end
        return sentences

    k, q, run = 7, 30, 1
    sides: dict[str, list[tuple[str, ...]]] = {"q": [], "k": [], "reference": []}
    for text in texts:
        author = authors.index(text["author"])
        known = text["texttype"] == "known"
        if author == q and not known:
            sides["q"] += cut(text)
        elif author == k and known:
            sides["k"] += cut(text)
        elif author not in (k, q) and known:
            sides["reference"] += cut(text)
    score, _, _ = oracle.score(**sides, seed=[run, k, q])
    row = _stored(BASE)[run, k, q]
    assert row["lambda_g"] == pytest.approx(score, rel=1e-6)
    words = Counter(token for sentence in sides["q"] for token in sentence)
    assert (row["tokens"], row["hapaxes"]) == (words.total(), sum(n == 1 for n in words.values()))


def test_sentences_and_tokens_are_told_apart_as_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    script = runpy.run_path(str(FOLDER / "enron.py"))
    text = SimpleNamespace(sentences=tuple(tuple(s.split()) for s in ("i 'm N . he V . . N V ?", "! P , yes")))
    cut = {
        name: [" ".join(sentence) for sentence in cut(text)] for name, cut in script["CUT"].items() if name != "spacy"
    }
    assert cut["unicode"] == ["i 'm N . he V . .", "N V ? !", "P , yes"]
    assert cut["words"] == ["i 'm N he V N V", "P yes"]
    assert [part for token in ("i", "'m", "n't", "'") for part in script["_parted"](token)] == [
        "i",
        "'",
        "m",
        "n't",
        "'",
    ]
    keys = [scoring.key for scoring in script["MATRICES"]]
    assert len(set(keys)) == len(keys)
    stored = set(pq.read_table(FOLDER / "enron.parquet", columns=["scoring"])["scoring"].to_pylist())
    assert stored == {*keys, "case", "own half", "calibration half"}
