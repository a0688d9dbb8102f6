"""The published figures on topic, bounds, strength and kinds, computed again from the Parquet files alone.

Nothing of Idiograph and nothing that makes the documentation is imported here. What is resampled is not compared.
"""

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq
import pytest

from printed import rows_of_file

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "validation"
ONES = ("300/1,000", "500/2,000")
TABLES = {
    "topic": ONES,
    "topic_200_500": ("200/500",),
    "topic_300_1000": ("300/1,000",),
    "topic_500_2000": ("500/2,000",),
    "topic_1000_3000": ("1,000/3,000",),
}
SHORT = {
    "controlled": "Topic-controlled",
    "normalised": "Reference-normalised",
    "hapax": "Hapax",
    "square_root": "Square Root",
    "logistic": "Logistic regression",
    "moved": "moved",
}
TIMES = "normalised times a factor"
REFERENCES = ("near", "random")
DRAWS = ("near", "random", "far")
Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Row = dict[str, Any]


class Group(NamedTuple):
    """Trials of one corpus, length and reference: same-author ones that are matched, and their matches."""

    corpus: str
    length: str
    reference: str
    same: Numbers
    different: Numbers
    matched: Numbers
    matches: list[Numbers]


def rows(table: str) -> list[dict[str, str]]:
    return rows_of_file(FOLDER / "tables" / f"{table}.csv")


def by_figure(table: str) -> dict[str, dict[str, str]]:
    return {row["figure"]: row for row in rows(table)}


def close_to(value: str, *, within: float = 1e-9) -> Any:
    return pytest.approx(float(value), abs=within, rel=within)


@cache
def column(study: str, name: str) -> npt.NDArray[Any]:
    values = pq.read_table(FOLDER / f"{study}.parquet", columns=[name]).column(name)
    if "string" in str(values.type):
        return np.array(values.to_pylist(), object)
    return np.array([np.nan if value is None else value for value in values.to_pylist()])


@cache
def places(study: str) -> dict[str, npt.NDArray[Any]]:
    """By trial: corpus, length, how its reference is drawn and how it is."""
    conditions = column(study, "condition")
    lengths = {condition: [int(part[1:]) for part in condition.split("_")[1:3]] for condition in set(conditions)}
    reference = np.array(["near" if condition.endswith("_near") else "random" for condition in conditions], object)
    half = column(study, "half")
    drawn = np.where(half == "case", reference, column(study, "draw"))
    return {
        "corpus": column(study, "corpus"),
        "length": np.array(["/".join(f"{n:,}" for n in lengths[condition]) for condition in conditions], object),
        "reference": reference,
        "draw": np.where(half == "impostor", "impostor", drawn),
        "same": column(study, "same_author").astype(bool),
    }


def bits(nats: Floats) -> Floats:
    """log2(1 + 1/LR)."""
    return np.logaddexp(0.0, -nats) / np.log(2)


@cache
def groups(study: str = "topic") -> tuple[Group, ...]:
    """Matched within 0.3 in ln(c + 0.02): the ten nearest, the earlier first; fewer than five are none."""
    at, close = places(study), np.log(column(study, "closeness").astype(np.float64) + 0.02)
    keys = list(zip(at["corpus"], column(study, "condition"), column(study, "run"), strict=True))
    members: dict[Any, list[int]] = {}
    for position, key in enumerate(keys):
        members.setdefault(key, []).append(position)
    collected = []
    for (corpus, _, _), inside in members.items():
        trials = np.array(inside)
        same, different = trials[at["same"][trials]], trials[~at["same"][trials]]
        matched, matches = [], []
        for trial in same:
            away = np.abs(close[different] - close[trial])
            near = sorted(range(len(different)), key=lambda n: (away[n], n))[:10]
            near = [n for n in near if away[n] <= 0.3]
            if len(near) >= 5:
                matched.append(trial)
                matches.append(different[near])
        first = trials[0]
        collected.append(
            Group(corpus, at["length"][first], at["reference"][first], same, different, np.array(matched, int), matches)
        )
    return tuple(collected)


def over_corpora(by_corpus: Iterator[tuple[str, float]]) -> float:
    values: dict[str, list[float]] = {}
    for corpus, value in by_corpus:
        values.setdefault(corpus, []).append(value)
    return float(np.mean([np.mean(of_corpus) for of_corpus in values.values()]))


def controlled_cllr(nats: Floats, chosen: Sequence[Group]) -> float:
    def costs() -> Iterator[tuple[str, float]]:
        for group in chosen:
            if len(group.matched):
                wrong = np.mean([np.mean(bits(-nats[match])) for match in group.matches])
                yield group.corpus, 0.5 * float(np.mean(bits(nats[group.matched])) + wrong)

    return over_corpora(costs())


@cache
def factors() -> dict[str, float]:
    """Of 0.2, 0.22 … 1.2 the one with the lowest topic-controlled Cllr of `normalised` on the other corpora."""
    nats = column("topic", "llr_normalised")
    tried = [step / 50 for step in range(10, 61)]
    costs: dict[str, list[list[float]]] = {}
    for group in groups():
        if len(group.matched):
            of_group = [controlled_cllr(factor * nats, [group]) for factor in tried]
            costs.setdefault(group.corpus, []).append(of_group)
    means = {corpus: np.mean(values, axis=0) for corpus, values in costs.items()}
    return {
        corpus: tried[
            int(np.argmin(np.mean([costs_there for name, costs_there in means.items() if name != corpus], axis=0)))
        ]
        for corpus in means
    }


@cache
def llr(method: str) -> Floats:
    if method != TIMES:
        return column("topic", f"llr_{method}").astype(np.float64)
    scale = np.array([factors()[corpus] for corpus in column("topic", "corpus")])
    return scale * column("topic", "llr_normalised")


METHODS = (*SHORT, TIMES)


def share(holds: npt.NDArray[np.bool_], of: npt.NDArray[np.bool_]) -> float:
    corpora = places("topic")["corpus"]
    return float(np.mean([np.mean(holds[of & (corpora == corpus)]) for corpus in sorted(set(corpora[of]))]))


def chosen(lengths: Sequence[str], **wanted: object) -> npt.NDArray[np.bool_]:
    at = places("topic")
    inside = np.isin(at["length"], lengths)
    for name, value in wanted.items():
        inside &= at[name] == value
    return inside


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("method", METHODS)
def test_shares_of_misleading_and_of_strong_values(table: str, method: str) -> None:
    lengths, nats, published = TABLES[table], llr(method), by_figure(table)
    name = SHORT.get(method, method)

    def agrees(figure: str, holds: npt.NDArray[np.bool_], of: npt.NDArray[np.bool_]) -> None:
        assert share(holds, of) == close_to(published[figure][name]), figure

    for reference in REFERENCES:
        far = chosen(lengths, reference=reference, draw="far", same=True)
        impostors = chosen(lengths, reference=reference, draw="impostor", same=False)
        for limit in (3, 10):
            agrees(f"{reference} reference, far case: true LR < 1/{limit}", nats < -np.log(limit), far)
            agrees(f"impostors LR > {limit}, reference {reference}", nats > np.log(limit), impostors)
    ordinary = chosen(lengths, same=False) & (places("topic")["draw"] != "impostor")
    for limit in (3, 10):
        agrees(f"other different authors LR > {limit}", nats > np.log(limit), ordinary)
    for draw in DRAWS:
        true = chosen(lengths, reference="near", draw=draw, same=True)
        agrees(f"true authors with LR > 10, near reference, {draw} case", nats > np.log(10), true)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("method", METHODS)
def test_topic_controlled_and_plain_cllr(table: str, method: str) -> None:
    lengths, nats, published = TABLES[table], llr(method), by_figure(table)
    name, at = SHORT.get(method, method), places("topic")
    for reference in REFERENCES:
        judged = [group for group in groups() if group.reference == reference and group.length in lengths]
        figure = f"topic-controlled Cllr, reference {reference}"
        assert controlled_cllr(nats, judged) == close_to(published[figure][name])
        for draw in DRAWS:
            inside, by_corpus = chosen(lengths, reference=reference, draw=draw), []
            for corpus in sorted(set(at["corpus"][inside])):
                here = inside & (at["corpus"] == corpus)
                halves = np.mean(bits(nats[here & at["same"]])), np.mean(bits(-nats[here & ~at["same"]]))
                by_corpus.append(0.5 * float(sum(halves)))
            figures = [f"{draw} case gets, reference {reference}"]
            figures += [f"validation claims, reference {reference}"] if draw == reference else []
            for figure in figures:
                assert np.mean(by_corpus) == close_to(published[figure][name]), figure


def passing(nats: Floats, lengths: Sequence[str], reference: str, part: float) -> float:
    """True authors above the impostor whom no more than this part of impostors pass, the mean of the draws."""
    draws = places("topic")["draw"]

    def shares() -> Iterator[tuple[str, float]]:
        for group in groups():
            if group.reference == reference and group.length in lengths and len(group.matched):
                impostors = np.sort(nats[group.different[draws[group.different] == "impostor"]])[::-1]
                limit = impostors[min(int(part * len(impostors) + 1e-12), len(impostors) - 1)]
                true_shares = [np.mean(nats[group.same[draws[group.same] == draw]] > limit) for draw in DRAWS]
                yield group.corpus, float(np.mean(true_shares))

    return over_corpora(shares())


@pytest.mark.parametrize("table", TABLES)
def test_true_authors_above_what_impostors_pass(table: str) -> None:
    published = by_figure(table)
    for method, part, reference in itertools.product(METHODS, (0.03, 0.05, 0.1), REFERENCES):
        figure = f"true authors above what {part:.0%} of impostors pass, reference {reference}"
        share_above = passing(llr(method), TABLES[table], reference, part)
        assert share_above == close_to(published[figure][SHORT.get(method, method)]), (figure, method)


def test_bands_of_g() -> None:
    at, g = places("topic"), column("topic", "normed_closeness")
    inside = np.isin(at["length"], ONES)
    published = rows("topic_by_g")
    edges = [-np.inf, -1.5, -0.5, 0.5, 1.5, 3.0, np.inf]
    worst = by_figure("topic")
    for method in ("normalised", TIMES, "controlled", "moved"):
        nats, of_method = llr(method), [row for row in published if row["method"] == method]
        halves = []
        assert len(of_method) == 6
        for row, (low, high) in zip(of_method, itertools.pairwise(edges), strict=True):
            band = inside & (g >= low) & (g < high)
            true, wrong = nats[band & at["same"]], nats[band & ~at["same"]]
            assert (len(true), len(wrong)) == (int(row["same-author"]), int(row["different-author"]))
            assert min(len(true), len(wrong)) >= 30
            halves.append((float(np.mean(bits(true))), float(np.mean(bits(-wrong)))))
            assert halves[-1][0] == close_to(row["half same"])
            assert halves[-1][1] == close_to(row["half different"])
            assert np.mean(true < -np.log(3)) == close_to(row["same LR < 1/3"])
            assert np.mean(wrong > np.log(3)) == close_to(row["different LR > 3"])
        for half_number, of_class in enumerate(("true", "wrong")):
            figure = f"half of Cllr in the worst band of g: {of_class}"
            assert max(half[half_number] for half in halves) == close_to(worst[figure][SHORT.get(method, method)])


def test_how_much_scores_lean_on_topic() -> None:
    """b = d + 0.75·(s − d), of all corpora and without each, and as it ships."""
    shipped = json.loads((ROOT / "src/idiograph/evidence/controlled.json").read_text(encoding="utf-8"))["constants"]
    for row in rows("topic_constants"):
        study = {"24": "topic", "10": "topic_ten", "15": "topic_fifteen", "40": "topic_forty"}[row["authors"]]
        scores = ("distinct", "cosine")
        if row["b typing"]:
            study, scores = "topic_typing", (*scores, "typing")
        corpora = sorted(set(column(study, "corpus")) - {row["left out"]})
        g, same = column(study, "normed_closeness"), places(study)["same"]
        where = list(zip(*(column(study, name) for name in ("corpus", "condition", "run")), strict=True))
        authors = column(study, "k_author")
        for score in scores:
            normed, slopes = column(study, f"normed_{score}"), []
            for is_same in (False, True):
                by_corpus = []
                for corpus in corpora:
                    members: dict[Any, list[int]] = {}
                    for position in np.flatnonzero((same == is_same) & (column(study, "corpus") == corpus)):
                        key = (where[position], authors[position]) if is_same else where[position]
                        members.setdefault(key, []).append(position)
                    x, y = (
                        [v[positions] - np.mean(v[positions]) for positions in members.values()] for v in (g, normed)
                    )
                    topic, other = np.concatenate(x), np.concatenate(y)
                    by_corpus.append(float(topic @ other / (topic @ topic)))
                slopes.append(float(np.mean(by_corpus)))
            d, s = slopes
            if study == "topic_forty":  # whose constants also have the others' trials
                continue
            assert (d, s) == (close_to(row[f"d {score}"]), close_to(row[f"s {score}"]))
            assert d + 0.75 * (s - d) == close_to(row[f"b {score}"])
            if row["left out"] == "none":
                (entry,) = [
                    constants
                    for constants in shipped
                    if constants["n_authors"] == int(row["authors"]) and tuple(constants["scores"]) == scores
                ]
                assert entry["topic"][score] == pytest.approx(d + 0.75 * (s - d), abs=5.01e-4)


# What may be reported.

BOUNDED = ("controlled", "normalised", "hapax", "square_root", "logistic")


def author_weights(authors: Sequence[Sequence[str]]) -> Floats:
    """Every author spreads 1 over the trials of a class; a trial weighs at most 1."""
    counts = Counter(author for pair in authors for author in set(pair))
    return np.array([min(1.0, sum(1 / counts[author] for author in set(pair))) for pair in authors])


def highest(right: Floats, right_w: Floats, wrong: Floats, wrong_w: Floats, added: float) -> float:
    """The smallest t ≥ 0 beyond which acting on LLRs above t costs more than never acting, all steps at once."""
    start = np.concatenate([[0.0], np.unique(np.concatenate([right[right > 0], wrong[wrong > 0]]))])
    end = np.append(start[1:], np.inf)

    def above(values: Floats, weights: Floats) -> Floats:
        order = np.argsort(values)
        sums = np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)
        return sums[np.searchsorted(values[order], start, "right")]

    kept, misled = above(right, right_w), above(wrong, wrong_w) + added
    with np.errstate(divide="ignore", invalid="ignore"):
        even = np.log(kept / (right_w.sum() + added)) - np.log(misled / (wrong_w.sum() + added))
    even[misled < 1e-12] = np.inf
    over = np.flatnonzero((even < end) | (misled < 1e-12))
    return float(max(even[over[0]], start[over[0]]))


@cache
def near_groups() -> tuple[Group, ...]:
    return tuple(group for group in groups() if group.reference == "near" and len(group.matched))


@cache
def spread(number: int, kind: str) -> tuple[Numbers, Floats]:
    """The published trials of a group, of one kind, and what they weigh: only those with an LLR by every method."""
    group = near_groups()[number]
    trials = group.different if kind == "different" else group.same
    if kind == "far":
        trials = trials[places("topic")["draw"][trials] == "far"]
    trials = trials[np.all([np.isfinite(llr(method)[trials]) for method in BOUNDED], axis=0)]
    sides = ("q_author", "k_author") if kind == "different" else ("k_author",)
    return trials, author_weights(list(zip(*(column("topic", side)[trials] for side in sides), strict=True)))


def k_tokens(length: str) -> int:
    return int(length.split("/")[1].replace(",", ""))


@cache
def reported(method: str, by: str) -> tuple[Floats, Floats, Floats]:
    """LLRs as they are reported, and the bounds: five parts of a corpus's authors, each limited by the others."""
    nats, same = llr(method), places("topic")["same"]
    lower, upper = np.full(len(nats), np.nan), np.full(len(nats), np.nan)
    q_authors, k_authors = column("topic", "q_author"), column("topic", "k_author")
    for group in near_groups():
        trials = np.concatenate([group.same, group.different])
        trials = trials[np.isfinite(nats[trials])]
        names = sorted({*q_authors[trials], *k_authors[trials]})
        part = {name: n % 5 for n, name in enumerate(names)}
        q, k = (np.array([part[name] for name in side[trials]]) for side in (q_authors, k_authors))
        other_weights: dict[str, tuple[Floats, Floats]] = {}
        if by == "published":
            near = [
                n
                for n, near_group in enumerate(near_groups())
                if near_group.corpus != group.corpus
                and abs(np.log(k_tokens(near_group.length) / k_tokens(group.length))) < 0.75
            ]
            for kind in ("same", "far", "different"):
                spreads = [spread(n, kind) for n in near]
                weights = np.concatenate([weights for _, weights in spreads])
                values = nats[np.concatenate([trials for trials, _ in spreads])]
                other_weights[kind] = values, weights * 150 / weights.sum()
        for first, other in itertools.combinations_with_replacement(range(5), 2):
            mine = ((q == first) & (k == other)) | ((q == other) & (k == first))
            rest = trials[~np.isin(q, (first, other)) & ~np.isin(k, (first, other))]
            true, wrong = rest[same[rest]], rest[~same[rest]]
            if not mine.any() or not true.size or not wrong.size:
                continue
            right = nats[true], author_weights([(name,) for name in k_authors[true]])
            against = nats[wrong], author_weights(list(zip(q_authors[wrong], k_authors[wrong], strict=True)))
            limits = []
            for sign, (a, b), kinds in (
                (1, (right, against), ("same", "different")),
                (-1, (against, right), ("different", "far")),
            ):
                if by == "elub":
                    limits.append(highest(sign * a[0], a[1], sign * b[0], b[1], 1.0))
                    continue
                (x, v), (y, w) = (
                    tuple(np.concatenate(pair) for pair in zip(mine_, other_weights[kind], strict=True))
                    for mine_, kind in zip((a, b), kinds, strict=True)
                )
                pooled = highest(sign * x, v, sign * y, w, 1.0)
                limits.append(min(pooled, highest(sign * a[0], a[1], sign * b[0], b[1], 0.0)))
            upper[trials[mine]], lower[trials[mine]] = limits[0], -limits[1]
    return np.clip(nats, lower, upper), lower, upper


def over_matches(values: Floats, of: Sequence[Group] | None = None) -> float:
    """The mean over matched same-author trials of the mean over their matches that have a value."""

    def means() -> Iterator[tuple[str, float]]:
        for group in near_groups() if of is None else of:
            of_matches = [values[match][np.isfinite(values[match])] for match in group.matches]
            yield group.corpus, float(np.mean([np.mean(of_match) for of_match in of_matches if len(of_match)]))

    return over_corpora(means())


def over_true(values: Floats, of: Sequence[Group] | None = None) -> float:
    chosen_groups = near_groups() if of is None else of
    return over_corpora((group.corpus, float(np.nanmean(values[group.matched]))) for group in chosen_groups)


@pytest.mark.parametrize("by", ["elub", "published"])
@pytest.mark.parametrize("method", BOUNDED)
def test_what_may_be_reported(method: str, by: str) -> None:
    (row,) = [entry for entry in rows("bounds") if (entry["method"], entry["bounds"]) == (SHORT[method], by)]
    nats, (told, lower, upper) = llr(method), reported(method, by)
    there, at = np.isfinite(told), places("topic")
    assert np.exp(np.median(upper[there])) == close_to(row["median upper"])
    assert np.exp(np.median(lower[there])) == close_to(row["median lower"])
    for values, name in ((nats, "Cllr unbounded"), (told, "reported")):
        by_corpus = []
        for corpus in sorted(set(at["corpus"])):
            here = there & (at["corpus"] == corpus)
            halves = np.mean(bits(values[here & at["same"]])), np.mean(bits(-values[here & ~at["same"]]))
            by_corpus.append(0.5 * float(sum(halves)))
        assert np.mean(by_corpus) == close_to(row[name])
    strong = there & at["same"] & (nats >= np.log(10))
    assert share(strong, there & at["same"]) == close_to(row["true LR ≥ 10"])
    assert share(told >= np.log(10) - 1e-9, strong) == close_to(row["of these reported ≥ 10"])
    beyond = np.where(nats > upper, np.exp(upper), 0.0)
    assert over_matches(beyond) == close_to(row["U × matched different authors above U"])


@pytest.mark.parametrize("method", BOUNDED)
def test_what_a_stated_value_was_worth(method: str) -> None:
    met = np.unique(np.concatenate([match for group in near_groups() for match in group.matches]))
    own_places = np.concatenate([group.matched for group in near_groups()])
    for row in (entry for entry in rows("strength") if entry["method"] == SHORT[method]):
        nats = llr(method) if row["value"] == "calculated" else reported(method, "published")[0]
        values = inside(nats, *stated(row["stated"]))
        assert int(np.nansum(values[own_places])) == int(row["true trials"])
        assert int(np.nansum(values[met])) == int(row["wrong trials"])
        wrong = over_matches(values)
        if wrong:
            assert over_true(values) / wrong == close_to(row["worth"]), row
        else:
            assert row["worth"] == ""


def stated(words: str) -> tuple[float, float]:
    """The edges of a band."""
    limits = {"0": 0.0, "∞": np.inf}
    low, high = (
        limits[end] if end in limits else 1 / float(end[2:]) if end.startswith("1/") else float(end)
        for end in words.split(" to ")
    )
    return low, high


def inside(nats: Floats, low: float, high: float) -> Floats:
    """1 in the band, 0 outside; an edge belongs to the weaker band."""
    with np.errstate(divide="ignore"):
        a, b = np.log(low), np.log(high)
    within = (nats > a) & (nats <= b) if low >= 1 else (nats >= a) & (nats < b)
    return np.where(np.isfinite(nats), within, np.nan).astype(np.float64)


def test_what_reported_values_are_worth_on_each_corpus() -> None:
    told = reported("controlled", "published")[0]
    corpora = sorted(set(places("topic")["corpus"]))
    published = rows("strength_by_corpus")
    assert {row["corpus"] for row in published} == {*corpora, "all together"}
    for row in published:
        chosen_groups = [group for group in near_groups() if row["corpus"] in (group.corpus, "all together")]
        low, high = stated(row["reported"])
        values = inside(told, low, high)
        assert int(sum(np.nansum(values[group.matched]) for group in chosen_groups)) == int(row["true trials"])
        true, wrong = over_true(values, chosen_groups), over_matches(values, chosen_groups)
        if not wrong:
            assert row["worth"] == ""
            continue
        assert true / wrong == close_to(row["worth"])
        weaker = true / wrong < low if low >= 1 else true / wrong > high
        enough = int(row["true trials" if low >= 1 else "wrong trials"]) >= 10
        assert row[""].startswith("worth less" if weaker else "holds") if enough else row[""] == "too few trials"


def test_everything_that_was_to_be_reached_stands_in_one_table() -> None:
    """Of all three methods; and that a bar is reached is said by the figures."""
    published = {row["figure"]: row for row in rows("reached") if not row["figure"].startswith("…")}
    columns = {"normalised": "normalised (0.3.0)", TIMES: "times a factor", "controlled": "controlled"}
    topic, bounded = (
        by_figure("topic"),
        {entry["method"]: entry for entry in rows("bounds") if entry["bounds"] == "published"},
    )
    for method, name in columns.items():
        figures = {figure: float(row[name]) for figure, row in published.items() if row[name]}
        of_topic = {figure: float(row[SHORT.get(method, method)] or "nan") for figure, row in topic.items()}
        for figure, value in figures.items():
            if figure in of_topic:
                assert value == pytest.approx(of_topic[figure], abs=1e-12), figure
        for limit in (3, 10):
            worse = max(of_topic[f"impostors LR > {limit}, reference {reference}"] for reference in REFERENCES)
            assert figures[f"impostors LR > {limit}, the worse of both references"] == pytest.approx(worse, abs=1e-12)
        for part in (3, 5, 10):
            figure = f"true authors above what {part}% of impostors pass"
            both = np.mean([of_topic[f"{figure}, reference {reference}"] for reference in REFERENCES])
            assert figures[f"{figure}, mean of draws and references"] == pytest.approx(both, abs=1e-12)
        claims = of_topic["validation claims, reference near"]
        assert figures["a validation claims (near reference, Cllr)"] == pytest.approx(claims, abs=1e-12)
        assert figures["a far case then gets"] == pytest.approx(of_topic["far case gets, reference near"], abs=1e-12)
        random = of_topic["random case gets, reference random"]
        assert figures["plain Cllr, random reference and case"] == pytest.approx(random, abs=1e-12)
        true = chosen(ONES, reference="random", draw="random", same=True)
        strong = figures["true authors with LR > 10, random reference and case"]
        assert strong == pytest.approx(share(llr(method) > np.log(10), true), abs=1e-12)
        if method != TIMES:
            row = bounded[SHORT[method]]
            beyond = figures["U × different authors matched in c above the upper bound U"]
            assert beyond == pytest.approx(float(row["U × matched different authors above U"]), abs=1e-12)
            dearer = float(row["reported"]) - float(row["Cllr unbounded"])
            assert figures["Cllr of what is reported less that of what is calculated"] == pytest.approx(
                dearer, abs=1e-12
            )
    for row in rows("reached"):
        sign, _, limit = row["bar"].partition(" ")
        if sign in ("≤", "<", "≥") and row["controlled"]:
            value = float(row["controlled"])
            met = value >= float(limit) if sign == "≥" else value <= float(limit)
            assert row["reached"] == ("yes" if met else "no"), row
        if row["2.5 %"] and row["figure"] != "impostors LR > 10, the worse of both references":
            assert float(row["2.5 %"]) <= float(row["controlled"]) <= float(row["97.5 %"]), row


def test_what_the_interval_does_not_reach_is_named() -> None:
    """Every bar that is a number, that of the claim among them, which may be missed on both sides."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    (named,) = re.findall(r"not by the whole interval: (.*)\.$", page, re.M)
    expected = []
    for row in rows("reached"):
        sign, _, limit = row["bar"].partition(" ")
        if row["reached"] == "yes" and row["2.5 %"] and sign in ("≤", "<", "≥", "within"):
            low, high, bar = float(row["2.5 %"]), float(row["97.5 %"]), float(limit)
            beyond = {"≥": low < bar, "within": low < -bar or high > bar}.get(sign, high > bar)
            expected += [f"{low:.3g} to {high:.3g}; {row['bar']}"] if beyond else []
    assert re.findall(r"[-\d.]+ to [-\d.]+; (?:[≤<≥]|within) [\d.]+", named) == expected
    assert any("within" in bar for bar in expected)


def test_topic_controlled_cllr_by_corpus_and_length() -> None:
    for row in rows("topic_by_corpus"):
        for length in ("200/500", *ONES, "1,000/3,000"):
            judged = [group for group in groups() if (group.corpus, group.length) == (row["corpus"], length)]
            assert controlled_cllr(llr(row["method"]), judged) == close_to(row[f"Q/K {length}"])
    for row in rows("reached_lengths"):
        table = by_figure(f"topic_{row['Q/K'].replace(',', '').replace('/', '_')}")
        name = SHORT.get(row["method"], row["method"])
        for figure, column_name in (
            ("topic-controlled Cllr, reference near", "topic-controlled Cllr, reference near"),
            ("topic-controlled Cllr, reference random", "random"),
            ("near reference, far case: true LR < 1/3", "far case: true LR < 1/3"),
            ("validation claims, reference near", "validation claims"),
            ("far case gets, reference near", "far case gets"),
        ):
            assert float(row[column_name]) == pytest.approx(float(table[figure][name]), abs=1e-12)


# A reference of another kind.

AWAY = tuple(f"away_{side}_{score}" for score in ("distinct", "cosine", "closeness") for side in ("q", "k"))
STUDIES = {10: "topic_ten", 15: "topic_fifteen", 24: "topic", 40: "topic_forty"}


class Rule(NamedTuple):
    covariance: Floats
    limited: float
    refused: float

    def distances(self, z: Floats) -> Floats:
        return np.einsum("ij,jk,ik->i", z, np.linalg.inv(self.covariance), z)


@cache
def honest(study: str) -> tuple[Floats, npt.NDArray[Any]]:
    """Of trials whose reference has so many authors that it would go by the rule for this number."""
    at, wanted = places(study), next(n for n, name in STUDIES.items() if name == study)
    chosen_trials = at["same"] & (at["draw"] == "random") & (at["reference"] == "random")
    folds: dict[Any, dict[str, int]] = {}
    columns = [column(study, name) for name in ("corpus", "condition", "fold", "k_author", "half")]
    for corpus, condition, fold, author, half in zip(*columns, strict=True):
        if half == "case":  # impostors come from other folds
            folds.setdefault((corpus, condition), {})[author] = fold
    for position in np.flatnonzero(chosen_trials):
        corpus, condition, fold, _, _ = (values[position] for values in columns)
        others = sum(number != fold for number in folds[corpus, condition].values())
        apart = {n: abs(np.log(n / min(others, wanted))) for n in STUDIES}
        chosen_trials[position] = min(apart, key=lambda n: apart[n]) == wanted
    return np.stack([column(study, name)[chosen_trials] for name in AWAY], axis=1), at["corpus"][chosen_trials]


def rule(study: str, *, without: str | None = None, numbers: int = 6) -> Rule:
    z, corpora = honest(study)
    names = [corpus for corpus in sorted(set(corpora)) if corpus != without]
    cut = np.clip(z, -4, 4)
    covariance = np.round(np.mean([np.cov(cut[corpora == corpus].T) for corpus in names], axis=0), 3)[
        :numbers, :numbers
    ]
    unlimited = Rule(covariance, 0.0, 0.0)
    distances = [unlimited.distances(z[corpora == corpus][:, :numbers]) for corpus in names]
    # The largest distance that at least so many lie at or beyond, each corpus weighing the same.
    limits = []
    for part in (0.12, 0.06):
        values = np.sort(np.concatenate(distances))[::-1]
        beyond = [np.mean([np.mean(of_corpus >= value) for of_corpus in distances]) for value in values]
        limits.append(round(float(values[np.searchsorted(beyond, part - 1e-12)]), 1))
    return Rule(covariance, *limits)


def test_the_rule_that_ships_is_that_of_the_stored_trials() -> None:
    shipped = json.loads((ROOT / "src/idiograph/evidence/kinds.json").read_text(encoding="utf-8"))["rules"]
    assert len(shipped) == 2 * len(STUDIES)
    for entry in shipped:
        learnt = rule(STUDIES[entry["n_authors"]], numbers=len(entry["covariance"]))
        assert np.array(entry["covariance"]) == pytest.approx(learnt.covariance, abs=1e-9)
        assert (entry["limited"], entry["refused"]) == pytest.approx((learnt.limited, learnt.refused), abs=1e-9)


def test_who_is_hit_by_the_rule() -> None:
    foreign = {name: column("foreign", name) for name in ("corpus", "reference", "same_author", "llr_controlled")}
    same, nats = foreign["same_author"].astype(bool), foreign["llr_controlled"]
    z = np.stack([column("foreign", name) for name in AWAY], axis=1)
    published = rows("foreign")
    for row in (entry for entry in published if " by " in entry["cases"]):
        of_case, _, of_reference = row["cases"].partition(" by ")
        here = (foreign["corpus"] == of_case) & (foreign["reference"] == of_reference)
        learnt = rule("topic", without=of_case)
        distances = learnt.distances(z)
        assert int(row["true trials"]) == (here & same).sum()
        for holds, of, name in (
            (distances > learnt.limited, here & same, "beyond the lower limit"),
            (distances > learnt.refused, here & same, "the higher"),
            (distances > learnt.refused, here & ~same, "wrong trials beyond it"),
            (nats > np.log(3), here & ~same, "wrong LR > 3"),
            (nats > np.log(10), here & ~same, "wrong LR > 10"),
            (nats < -np.log(3), here & same, "true LR < 1/3"),
        ):
            assert np.mean(holds[of]) == close_to(row[name])
    n_honest = [n for n, entry in enumerate(published) if entry["cases"].startswith("honest, about")]
    assert len(n_honest) == len(STUDIES)
    for row, worst in ((published[n], published[n + 1]) for n in n_honest):
        study = STUDIES[int(row["cases"].split()[2])]
        of_study, corpora = honest(study)
        hits = {}
        for corpus in sorted(set(corpora)):
            learnt = rule(study, without=corpus)
            distances = learnt.distances(of_study[corpora == corpus])
            hits[corpus] = [np.mean(distances > limit) for limit in (learnt.limited, learnt.refused)]
        named = worst["cases"].removeprefix("of these ").removesuffix(", hit most")
        assert hits[named][1] == max(refused for _, refused in hits.values())
        for entry, values in ((row, np.mean(list(hits.values()), axis=0)), (worst, hits[named])):
            assert list(values) == [close_to(entry["beyond the lower limit"]), close_to(entry["the higher"])]


# Cases that were verified whole.


def lines(name: str) -> list[Row]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_the_yield_table_counts_the_stored_cases() -> None:
    outcomes = lines("yields")
    kinds = {"one author": "true", "two authors": "different", "two authors, K on Q's topic": "impostor"}
    both = [json.dumps(outcome["case"]) for outcome in outcomes]
    assert Counter(both) == dict.fromkeys(both, 2)
    assert {(outcome["way"], outcome["primary"], outcome["bounds"]) for outcome in outcomes} == {
        ("0.4.0", "controlled", "published"),
        ("0.3.0", "normalised", "elub"),
    }
    for table in ("yields", "yields_together", "yields_by_corpus"):
        assert sum(int(row["cases"]) for row in rows(table)) == len(outcomes)
        for row in rows(table):
            kind = kinds.get(row.get("Q and K are by", ""))
            named = {"kind": kind, "draw": row.get("drawn"), "corpus": row.get("corpus")}
            counted = [
                outcome
                for outcome in outcomes
                if outcome["way"] == row["as"]
                if all(outcome["case"][name] == value for name, value in named.items() if value is not None)
            ]
            assert len(counted) == int(row["cases"]) > 0
            ratios = [None if outcome["reported"] is None else np.exp(outcome["reported"]) for outcome in counted]
            right = [
                value if outcome["case"]["kind"] == "true" else 1 / value
                for outcome, value in zip(counted, ratios, strict=True)
                if value is not None
            ]
            for name, count in (
                ("refused", ratios.count(None)),
                ("LR between 1/3 and 3", sum(1 / 3.001 <= value <= 3.001 for value in right)),
                ("right, 2 or more", sum(value >= 1.9998 for value in right)),
                ("right, 10 or more", sum(value >= 9.999 for value in right)),
                ("misleading, 2 or more", sum(value <= 1 / 1.9998 for value in right)),
                ("misleading, 10 or more", sum(value <= 1 / 9.999 for value in right)),
            ):
                value, low, high = map(float, re.findall(r"[\d.]+", row[name]))
                assert abs(value - 100 * count / len(counted)) < 0.501, (row, name)  # a half goes either way
                assert low <= value <= high


def test_ranges_are_as_wide_as_nine_in_ten_need_on_other_corpora() -> None:
    halves: dict[str, list[Row]] = {}
    for row in lines("ranges"):
        halves.setdefault(json.dumps(row["case"]), []).append(row)
    pairs = [two for two in halves.values() if len(two) == 2 and all("computed" in row for row in two)]

    def hits(chosen: list[list[Row]], e: float) -> list[bool]:
        covered = []
        for two in chosen:
            for half, other in (two, two[::-1]):
                reach = [np.hypot(half["computed"] - end, 1.645 * e * np.log(10)) for end in half["resampled"]]
                covered.append(half["computed"] - reach[0] <= other["computed"] <= half["computed"] + reach[1])
        return covered

    def least(chosen: list[list[Row]]) -> float:
        return next((e for e in np.arange(101) / 100 if not chosen or np.mean(hits(chosen, e)) >= 0.9), 1.0)

    shipped = json.loads((ROOT / "src" / "idiograph" / "evidence" / "ranges.json").read_text(encoding="utf-8"))
    measured = rows("ranges")
    by_size = {row["n_authors"]: row for row in shipped["rows"]}
    # One case or two say nothing of a size: a case with as many authors goes by the nearest that has enough.
    assert list(by_size) == [int(row["authors of a half"]) for row in measured if int(row["cases"]) >= 8]
    for row in measured:
        chosen = [two for two in pairs if two[0]["case"]["authors"] == int(row["authors of a half"])]
        corpora = {two[0]["case"]["corpus"] for two in chosen}
        left_out = []
        for corpus in corpora:
            inside = [two for two in chosen if two[0]["case"]["corpus"] == corpus]
            left_out += hits(inside, least([two for two in chosen if two not in inside]))
        assert len(chosen) == int(row["cases"])
        assert np.mean(hits(chosen, 0.0)) == close_to(row["resamples alone cover"])
        assert float(row["e, log10 LR"]) == pytest.approx(least(chosen))
        if ships := by_size.get(int(row["authors of a half"])):
            assert ships["bans"] == close_to(row["e, log10 LR"])
            assert (ships["n_covered"], ships["n_values"]) == (sum(left_out), len(left_out))
        assert np.mean(left_out) == close_to(row["range covers, e learnt without the corpus"])


def test_cpu_is_the_highest_and_the_median_ratio_of_the_stored_cases() -> None:
    ratios = [row["cpu"]["0.4.0"] / row["cpu"]["0.3.0"] for row in lines("cpu")]
    (row,) = [row for row in rows("reached") if row["figure"].startswith("CPU of a case")]
    (most,) = [row for row in rows("reached") if row["figure"].startswith("… the dearest of")]
    assert np.median(ratios) == close_to(row["controlled"])
    assert max(ratios) == close_to(most["controlled"])
