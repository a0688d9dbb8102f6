"""The range of a value: over reference authors, seeds and known texts together, with the figures that it supports."""

import json
import math
from pathlib import Path

import pytest

import idiograph
from idiograph.casework import variants as module
from idiograph.casework.verification import Comparison
from idiograph.evidence.ranges import Unseen
from made_texts import case_of, sentences, write_case, write_text


def compare(folder: Path, *, rules: int = 2, **changed: object) -> Comparison:
    return idiograph.verify(case_of(folder, **changed), rules=rules).comparisons[0]


@pytest.mark.parametrize("primary", ["hapax", "logistic", "normalised"])
def test_the_range_holds_the_value_and_counts_what_it_is_over(tmp_path: Path, primary: str) -> None:
    write_case(tmp_path, n_authors=9, tokens=150)
    comparison = compare(tmp_path, primary=primary)
    assert comparison.range is not None
    assert comparison.computed is not None
    assert comparison.range.low <= comparison.computed.nats <= comparison.range.high
    assert comparison.range.low < comparison.range.high
    # Five seeds with K whole and without each of its two texts: 15 ways, as often as makes 200 or more.
    assert (comparison.range.n_resamples, comparison.range.n_seeds, comparison.range.n_left_out) == (210, 5, 2)
    assert compare(tmp_path, primary=primary).range == comparison.range
    assert compare(tmp_path, primary=primary, seed=2).range != comparison.range
    assert (
        comparison.wording.range == f"{comparison.range.sentence.split(' (')[0]}."
    )  # how it was made stands in the annexes
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
    case = case_of(tmp_path, primary=primary)
    comparison, before = (idiograph.verify(case, rules=rules).comparisons[0] for rules in (2, 1))
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
    comparison = compare(tmp_path)
    assert comparison.range is not None
    assert (comparison.range.n_resamples, comparison.range.n_left_out) == (200, 0)
    assert "known text" not in comparison.range.sentence


@pytest.mark.parametrize("primary", ["hapax", "normalised"])
def test_the_range_reaches_the_values_without_a_known_text(tmp_path: Path, primary: str) -> None:
    """A third of the resamples has K without the text that matters most, so half of these lie beyond its value."""
    write_case(tmp_path, n_authors=9, tokens=150)
    comparison = compare(tmp_path, primary=primary)
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
    comparison = compare(tmp_path)
    assert comparison.range is not None
    assert comparison.range.n_resamples == len(seen) == 5
    assert len(set(seen)) == 5
    assert comparison.computed is not None
    nats = comparison.computed.nats
    assert comparison.range.resampled == (min(quantile(seen, 0.05), nats), max(quantile(seen, 0.95), nats))


def test_a_quick_run_has_no_range(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    assert idiograph.verify(case_of(tmp_path), quick=True).comparisons[0].range is None


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
    again = compare(tmp_path, rules=1).range
    assert again is not None
    assert again.n_resamples == 210  # authors are drawn again
    monkeypatch.setattr(module, "_TRIES", 1)
    assert compare(tmp_path, rules=1).range is None


@pytest.mark.parametrize(("factor", "figures"), [(1.9, 2), (2.1, 1)])
def test_a_range_within_a_factor_of_two_supports_two_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: float, figures: int
) -> None:
    write_case(tmp_path, n_authors=5, tokens=150)
    wide = {0.05: 0.0, 0.95: math.log(factor)}
    comparison = compare(tmp_path)
    assert comparison.computed is not None
    nats = comparison.computed.nats
    monkeypatch.setattr(module, "unseen", lambda _: Unseen(5, 0.0, 1, 1))
    monkeypatch.setattr(module, "quantile", lambda _, share: nats + wide[share])
    moves = compare(tmp_path).range
    assert moves is not None
    assert moves.figures == figures
