"""The same comparison with one thing changed, others in the place of Q and K, and the range of the value over it."""

import json
import math
from pathlib import Path

import pytest

import idiograph
from idiograph import Verification
from idiograph.casework import variants as module
from idiograph.evidence.intervals import Unseen
from made_texts import Comparison, case_of, compare, compare_fully, sentences, write_case, write_text


def test_sensitivity_changes_one_thing_at_a_time(verified: Verification, texts: Path) -> None:
    comparison = verified.comparisons[0]
    assert comparison.sensitivity is not None
    assert {row.label: row.nats for row in comparison.sensitivity.of("correction")} == {
        method: llr.nats for method, llr in comparison.llrs.items()
    }
    assert comparison.sensitivity.sentence.startswith("The methods give LRs from ")  # second opinions are among them
    assert [row.label for row in comparison.sensitivity.of("known_text")] == ["known/lee/1.txt", "known/lee/2.txt"]
    assert len({row.lambda_g for row in comparison.sensitivity.of("seed")}) == 10
    changed = compare(case_of(texts, order=3))
    by_order = {row.label: row.lambda_g for row in comparison.sensitivity.of("order")}
    assert by_order["3"] == changed.lambda_g
    more = compare(case_of(texts, repetitions=10))
    by_r = {row.label: row.lambda_g for row in comparison.sensitivity.of("repetitions")}
    assert by_r["10"] == more.lambda_g
    assert comparison.sensitivity.standard_error == pytest.approx(comparison.sensitivity.spread / math.sqrt(5))


def without(comparison) -> dict[str, float]:
    assert comparison.sensitivity is not None
    return {row.label: row.nats for row in comparison.sensitivity.of("known_text")}


def test_the_value_without_a_text_is_that_of_a_case_without_it(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    left_out = without(compare(case_of(tmp_path)))
    (tmp_path / "known" / "1.txt").unlink()
    alone = compare(case_of(tmp_path))
    assert left_out["known/lee/1.txt"] == alone.llrs["hapax"].nats
    assert without(alone) == {}  # of a single text nothing is left


@pytest.mark.parametrize(("n_texts", "n_left_out"), [(20, 20), (21, 11), (45, 15)])
def test_many_texts_are_left_out_several_at_a_time(tmp_path: Path, n_texts: int, n_left_out: int) -> None:
    write_case(tmp_path, n_authors=5)
    for number in range(n_texts):
        write_text(tmp_path / "known" / f"{number + 1}.txt", sentences("lee", tokens=30, seed=50 + number))
    assert len(without(compare(case_of(tmp_path)))) == n_left_out


def test_anchors_stand_for_every_reference_author(verified: Verification) -> None:
    comparison = verified.comparisons[0]
    assert comparison.anchors is not None
    expected = [f"author{n:02}" for n in range(6)]
    assert [anchor.name for anchor in comparison.anchors.trace] == expected
    assert [anchor.name for anchor in comparison.anchors.source] == expected
    nats = comparison.llrs["hapax"].nats
    assert comparison.anchors.trace_as_high == sum(anchor.nats >= nats for anchor in comparison.anchors.trace)
    assert comparison.anchors.source_as_high == sum(anchor.nats >= nats for anchor in comparison.anchors.source)
    assert [anchor.name for anchor in comparison.anchors.known] == ["known/lee/1.txt", "known/lee/2.txt"]
    # Someone else's text scores lower than the writer's own.
    assert max(anchor.lambda_g for anchor in comparison.anchors.trace) < comparison.lambda_g


def test_a_known_text_by_somebody_else_speaks_against_the_rest(texts: Path, tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6)
    write_text(tmp_path / "known" / "3.txt", sentences("somebody else", tokens=300, seed=3))
    comparison = compare(case_of(tmp_path))
    assert comparison.anchors is not None
    assert comparison.anchors.known_low == ("known/lee/3.txt",)


@pytest.fixture(scope="module")
def nine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A case with nine reference authors."""
    return write_case(tmp_path_factory.mktemp("case"), n_authors=9, tokens=150)


@pytest.fixture(scope="module")
def by_primary(nine: Path) -> dict[str, Comparison]:
    return {primary: compare_fully(nine, primary=primary) for primary in ("hapax", "logistic", "normalised")}


def test_the_primary_method_decides_what_stands_around_the_number(by_primary: dict[str, Comparison]) -> None:
    by_hapax, by_matrix = by_primary["hapax"], by_primary["normalised"]
    assert by_hapax.llrs == by_matrix.llrs  # every method is there, whichever is the primary one
    assert by_hapax.reported != by_matrix.reported
    assert by_hapax.validation is not None
    assert by_matrix.validation is not None
    assert set(by_hapax.validation.performance) == set(by_matrix.validation.performance)
    for comparison in (by_hapax, by_matrix):
        assert comparison.anchors is not None
        assert comparison.sensitivity is not None
        assert len(comparison.anchors.trace) == len(comparison.anchors.source) == 9
    assert by_hapax.anchors is not None
    assert by_matrix.anchors is not None
    scores = [[anchor.lambda_g for anchor in comparison.anchors.trace] for comparison in (by_hapax, by_matrix)]
    assert scores[0] == scores[1]
    llrs = [[anchor.nats for anchor in comparison.anchors.trace] for comparison in (by_hapax, by_matrix)]
    assert llrs[0] != llrs[1]
    # Known texts have other lengths than the case: a correction stands in there, and that is said.
    assert by_matrix.anchors.known == by_hapax.anchors.known
    assert "compared by Hapax" in by_matrix.anchors.how[-1]
    assert by_matrix.sensitivity is not None
    assert by_matrix.sensitivity.of("order") == ()
    without = {row.label: row.nats for row in by_matrix.sensitivity.of("known_text")}
    assert len(without) == 2
    assert by_matrix.llrs["normalised"].nats not in without.values()


def test_a_quick_run_has_the_value_and_neither_others_nor_a_range_beside_it(nine: Path) -> None:
    """Without the reference authors' own scores nobody else can be measured by the matrix."""
    by_matrix, by_hapax = (compare(case_of(nine, primary=primary)) for primary in ("normalised", "hapax"))
    assert by_matrix.reported is not None
    assert by_matrix.anchors is not None
    assert (by_matrix.anchors.trace, by_matrix.anchors.source) == ((), ())
    assert by_matrix.anchors.known
    assert by_hapax.anchors is not None
    assert len(by_hapax.anchors.trace) == 9
    assert by_matrix.range is by_hapax.range is None


@pytest.mark.parametrize("primary", ["hapax", "logistic", "normalised"])
def test_the_range_holds_the_value_and_counts_what_it_is_over(
    nine: Path, by_primary: dict[str, Comparison], primary: str
) -> None:
    comparison = by_primary[primary]
    assert comparison.range is not None
    assert comparison.computed is not None
    assert comparison.range.low <= comparison.computed.nats <= comparison.range.high
    assert comparison.range.low < comparison.range.high
    # Five seeds with K whole and without each of its two texts: 15 ways, as often as makes 200 or more.
    assert (comparison.range.n_resamples, comparison.range.n_seeds, comparison.range.n_left_out) == (210, 5, 2)
    assert compare_fully(nine, primary=primary).range == comparison.range
    assert compare_fully(nine, primary=primary, seed=2).range != comparison.range
    # How it was made stands in the annexes.
    assert comparison.wording.range == f"{comparison.range.sentence.split(' (')[0]}."
    assert "percentile of 210 resamples of the reference authors, 5 seeds, with each" in comparison.range.sentence


@pytest.mark.parametrize(
    ("primary", "n_authors", "bans"), [("hapax", 6, None), ("normalised", 9, None), ("hapax", 6, 0.24)]
)
def test_the_range_covers_another_reference_and_never_less_than_the_resamples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, primary: str, n_authors: int, bans: float | None
) -> None:
    write_case(tmp_path, n_authors=n_authors, tokens=150)
    # What is shipped for the nearest number of authors, in ratios; or, as if more had been learnt, that.
    rows = json.loads((Path(idiograph.__file__).parent / "evidence" / "ranges.json").read_text("utf-8"))["rows"]
    nearest = min(rows, key=lambda row: max(row["n_authors"], n_authors) / min(row["n_authors"], n_authors))
    if bans is not None:
        nearest = {**nearest, "bans": bans}
        monkeypatch.setattr(module, "unseen", lambda _: Unseen(**nearest))
    comparison, before = (compare_fully(tmp_path, primary=primary, rules=rules) for rules in (2, 1))
    assert comparison.range is not None
    assert before.range is not None
    assert comparison.computed is not None
    assert comparison.computed == before.computed
    # By the rules of 0.3.0 the range is what the resamples give, and the value itself.
    assert (before.range.resampled, before.range.unseen) == (None, None)
    assert comparison.range.resampled == (before.range.low, before.range.high)
    assert "5th to 95th percentile of 210 resamples" in before.range.sentence
    e, value = nearest["bans"], comparison.computed.nats
    below, above = (math.hypot(value - end, 1.645 * e * math.log(10)) for end in comparison.range.resampled)
    assert comparison.range.low == pytest.approx(value - below, rel=1e-12)
    assert comparison.range.high == pytest.approx(value + above, rel=1e-12)
    added = f"{e:.2f} in log10 LR for what resampling {n_authors} authors cannot show"
    assert (added in comparison.range.sentence) is (e > 0)
    assert (comparison.range.low, comparison.range.high) != comparison.range.resampled or e == 0
    assert f"covered {nearest['n_covered']} of {nearest['n_values']} values by others" in comparison.range.sentence


def test_a_single_known_text_is_not_left_out(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=6, tokens=150)
    (tmp_path / "known" / "1.txt").unlink()
    comparison = compare_fully(tmp_path)
    assert comparison.range is not None
    assert (comparison.range.n_resamples, comparison.range.n_left_out) == (200, 0)
    assert "known text" not in comparison.range.sentence


@pytest.mark.parametrize("primary", ["hapax", "normalised"])
def test_the_range_reaches_the_values_without_a_known_text(by_primary: dict[str, Comparison], primary: str) -> None:
    """A third of the resamples has K without the text that matters most, so half of these lie beyond its value."""
    comparison = by_primary[primary]
    assert comparison.range is not None
    assert comparison.sensitivity is not None
    without = [row.nats for row in comparison.sensitivity.of("known_text")]
    assert comparison.range.low < min(without)
    assert comparison.range.high > max(without)


def test_the_range_of_a_correction_is_that_of_scores_with_other_references(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one resample for each way, the ends are the least and the largest of scores that are made here again."""
    write_case(tmp_path, n_authors=5, tokens=150)
    (tmp_path / "known" / "1.txt").unlink()
    seen: list[float] = []
    quantile = module.quantile

    def listening_quantile(values: list[float], share: float) -> float:
        seen[:] = values
        return quantile(values, share)

    monkeypatch.setattr(module, "quantile", listening_quantile)
    monkeypatch.setattr(module, "RESAMPLES", 5)
    comparison = compare_fully(tmp_path)
    assert comparison.range is not None
    assert comparison.range.n_resamples == len(seen) == 5
    assert len(set(seen)) == 5
    assert comparison.computed is not None
    nats = comparison.computed.nats
    assert comparison.range.resampled == (min(quantile(seen, 0.05), nats), max(quantile(seen, 0.95), nats))


def test_where_too_few_resamples_give_a_value_there_is_no_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One author holds nearly all of the reference: without them, as in a third of all draws, it is shorter than K.

    Such a reference validates nothing, so only the rules of 0.3.0 come that far.
    """
    write_case(tmp_path, n_authors=5, tokens=150)
    for author in ("author00", "author01", "author02", "author03"):
        write_text(tmp_path / "reference" / author / "0.txt", sentences(author, tokens=330, seed=7)[:2])
        (tmp_path / "reference" / author / "1.txt").unlink()
        (tmp_path / "reference" / author / "2.txt").unlink()
    again = compare_fully(tmp_path, rules=1).range
    assert again is not None
    assert again.n_resamples == 210  # authors are drawn again
    monkeypatch.setattr(module, "_TRIES", 1)
    assert compare_fully(tmp_path, rules=1).range is None


@pytest.mark.parametrize(("factor", "figures"), [(1.9, 2), (2.1, 1)])
def test_a_range_within_a_factor_of_two_supports_two_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: float, figures: int
) -> None:
    write_case(tmp_path, n_authors=5, tokens=150)
    wide = {0.05: 0.0, 0.95: math.log(factor)}
    comparison = compare_fully(tmp_path)
    assert comparison.computed is not None
    nats = comparison.computed.nats
    monkeypatch.setattr(module, "unseen", lambda _: Unseen(5, 0.0, 1, 1))
    monkeypatch.setattr(module, "quantile", lambda _, share: nats + wide[share])
    moves = compare_fully(tmp_path).range
    assert moves is not None
    assert moves.figures == figures
