"""The tables of other languages are what the stored trials give, counted here again with nothing of ours."""

import hashlib
import json
import math
import random
import re
import runpy
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from printed import table_of

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "validation"
PAGE = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
FACTS = json.loads((FOLDER / "languages.json").read_text(encoding="utf-8"))
LANGUAGES = {"French": "fr", "German": "de", "Chinese": "zh"}
DRAWN = {"as in a case": "contiguous", "at random": "random"}
COLUMNS = {  # of the table of results, after AUC and Cllr of normalised
    "without English": "normalised_alone",
    "Square Root": "square_root",
    "Hapax": "hapax",
    "Sentence": "sentence",
    "Logistic": "logistic",
}


@cache
def _trials() -> list[dict[str, Any]]:
    trials: list[dict[str, Any]] = pq.read_table(FOLDER / "languages.parquet").to_pylist()
    return trials


def _cell(row: dict[str, str], masking: str) -> list[dict[str, Any]]:
    q, k = row["Q/K"].replace(",", "").split("/")
    corpus = f"{LANGUAGES[row['language']]}_{masking.strip('`')}"
    condition = f"{DRAWN[row['drawn']]}_q{q}_k{k}"
    return [trial for trial in _trials() if (trial["corpus"], trial["condition"]) == (corpus, condition)]


def _classes(trials: list[dict[str, Any]], method: str) -> tuple[list[float], list[float]]:
    """LLRs in nats, same-author trials first."""
    values = [(trial["same_author"], trial[f"llr_{method}"]) for trial in trials]
    return [value for same, value in values if same], [value for same, value in values if not same]


def _auc(trials: list[dict[str, Any]], method: str) -> float:
    same, different = _classes(trials, method)
    won = sum((a > b) + 0.5 * (a == b) for a in same for b in different)
    return won / (len(same) * len(different))


def _cllr(trials: list[dict[str, Any]], method: str) -> float:
    same, different = _classes(trials, method)
    costs = [
        sum(math.log2(1 + math.exp(sign * x)) for x in nats) / len(nats) for sign, nats in ((-1, same), (1, different))
    ]
    return sum(costs) / 2


def _first(cell: str) -> float:
    return float(cell.split(" ")[0])


def test_the_stored_files_belong_together() -> None:
    for name, file in (("study", "languages.toml"), ("trials", "languages.parquet")):
        assert FACTS[name] == hashlib.sha256((FOLDER / file).read_bytes()).hexdigest(), file
    assert set(FACTS["corpora"]) == {trial["corpus"] for trial in _trials()}
    assert (FOLDER / "languages.parquet").stat().st_size < 300_000


def test_no_speaker_is_named_and_no_text_is_kept() -> None:
    table = pq.read_table(FOLDER / "languages.parquet")
    words = {name for name in table.column_names if "string" in str(table.schema.field(name).type)}
    assert words <= {"corpus", "condition", "half", "k_author", "q_author"}
    german = [trial for trial in _trials() if trial["corpus"].startswith("de_")]
    assert german
    assert all(re.fullmatch(r"speaker \d{3}", trial[side]) for trial in german for side in ("k_author", "q_author"))


def test_the_page_shows_every_cell_with_its_counts() -> None:
    rows = table_of(PAGE, "study")
    cells = {(trial["corpus"], trial["condition"]) for trial in _trials()}
    assert len(rows) == len(cells)
    for row in rows:
        trials = _cell(row, row["masking"])
        n_same = sum(trial["same_author"] for trial in trials)
        assert row["trials"] == f"{n_same} + {len(trials) - n_same}"
        assert int(row["authors"]) == len({trial[side] for trial in trials for side in ("k_author", "q_author")})
        facts = FACTS["corpora"][trials[0]["corpus"]]
        assert row["tokens kept"] == f"{100 * facts['kept'] / facts['tokens']:.0f} %"


def test_the_page_shows_the_auc_and_cllr_of_the_stored_trials() -> None:
    for row in table_of(PAGE, "study"):
        trials = _cell(row, row["masking"])
        assert _first(row["AUC of λG"]) == pytest.approx(_auc(trials, "raw"), abs=0.00501)
        assert _first(row["AUC"]) == pytest.approx(_auc(trials, "normalised"), abs=0.00501)
        assert _first(row["Cllr"]) == pytest.approx(_cllr(trials, "normalised"), abs=0.00501)
        for column, method in COLUMNS.items():
            assert _first(row[column]) == pytest.approx(_cllr(trials, method), abs=0.00501)


def test_the_differences_are_those_of_the_trials_that_both_have() -> None:
    rows = table_of(PAGE, "differences")
    assert len(rows) == sum("list" not in row["masking"] for row in table_of(PAGE, "study"))
    for row in rows:
        both = [_cell(row, "list"), _cell(row, row["list less"])]
        keys = [{(trial["run"], trial["k_author"], trial["q_author"]) for trial in trials} for trials in both]
        shared = keys[0] & keys[1]
        ours, theirs = (
            [trial for trial in trials if (trial["run"], trial["k_author"], trial["q_author"]) in shared]
            for trials in both
        )
        assert int(row["trials"].replace(",", "")) == len(shared) == len(ours) == len(theirs)
        for column, metric, method in (("AUC of λG", _auc, "raw"), ("Cllr", _cllr, "normalised")):
            assert _first(row[column]) == pytest.approx(metric(ours, method) - metric(theirs, method), abs=0.000501)


def test_what_the_page_says_in_words_is_in_its_tables() -> None:
    """Three differences, nothing above 1 but Sentence once, and constants that do no harm."""
    told = [re.findall(r"[+-][\d.]+", row["Cllr"]) for row in table_of(PAGE, "differences")]
    assert len(told) == 12
    assert [gap for gap, low, high in told if low[0] == high[0]] == ["-0.062", "+0.075", "+0.100"]
    assert max(abs(_first(row["AUC of λG"])) for row in table_of(PAGE, "differences")) < 0.045
    rows = table_of(PAGE, "study")
    assert max(_first(row["Cllr"]) for row in rows) == 0.96
    above = [(row["language"], name, row[name]) for row in rows for name in COLUMNS if float(row[name]) > 1]
    assert above == [("Chinese", "Sentence", "1.11")]
    assert all(float(row["Square Root"]) > _first(row["Cllr"]) for row in rows)
    for row in rows:
        trials = _cell(row, row["masking"])
        cost = _cllr(trials, "normalised_alone") - _cllr(trials, "normalised")
        assert 0.005 < cost < 0.085 if row["language"] == "French" else abs(cost) < 0.0105


def test_intervals_come_from_drawing_authors() -> None:
    """A resampling of one row's Cllr by another generator gives nearly the same interval."""
    wanted = ("German", "`list`", "as in a case", "1,000/3,000")  # where drawing trials would give 0.54 to 0.75
    names = ("language", "masking", "drawn", "Q/K")
    row = next(row for row in table_of(PAGE, "study") if tuple(row[name] for name in names) == wanted)
    trials = _cell(row, row["masking"])
    authors = sorted({trial["k_author"] for trial in trials})
    costs = [
        (
            trial["same_author"],
            trial["k_author"],
            trial["q_author"],
            math.log2(1 + math.exp((-1 if trial["same_author"] else 1) * trial["llr_normalised"])),
        )
        for trial in trials
    ]
    rng = random.Random(5)
    drawn = []
    for _ in range(2_000):
        times = Counter(rng.choices(authors, k=len(authors)))
        sums = {True: [0.0, 0.0], False: [0.0, 0.0]}
        for same, k, q, cost in costs:
            weight = times[k] if same else times[k] * times[q]
            sums[same][0] += weight * cost
            sums[same][1] += weight
        drawn.append(sum(total / weight for total, weight in sums.values()) / 2)
    drawn.sort()
    shown = [float(number) for number in re.findall(r"[\d.]+", row["Cllr"])[1:]]
    assert shown == pytest.approx([drawn[50], drawn[-51]], abs=0.03)


def test_a_trial_counts_as_often_as_both_its_authors_were_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    script = runpy.run_path(str(FOLDER / "languages.py"))
    cell = next(iter(script["cells"]()))
    counted = cell.counted("normalised")
    trials = [trial for trial in _trials() if (trial["corpus"], trial["condition"]) == (cell.corpus, cell.condition)]
    same = [trial["k_author"] for trial in trials if trial["same_author"]]
    different = [(trial["k_author"], trial["q_author"]) for trial in trials if not trial["same_author"]]
    for row in (0, 1, 2):  # the first is every trial once
        times: dict[str, set[float]] = {}
        for author, often in zip(same, counted.same[row].tolist(), strict=True):
            times.setdefault(author, set()).add(often)
        once = {author: often.pop() for author, often in times.items() if len(often) == 1}
        assert set(once) == set(same)  # all trials of one author count alike
        assert counted.different[row].tolist() == [once[k] * once[q] for k, q in different]
        assert sum(once.values()) == len(once)
    assert set(counted.same[0].tolist()) == {1.0}
    assert len(set(counted.same[1].tolist())) > 1


def test_the_command_says_how_it_is_used() -> None:
    done = subprocess.run([sys.executable, FOLDER / "languages.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "python docs/validation/languages.py RESULTS" in done.stderr
