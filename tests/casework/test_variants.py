"""The same comparison with one thing changed: a setting, a known text left out, others in the place of Q and K."""

import math
from pathlib import Path

import pytest

import idiograph
from idiograph import Verification
from made_texts import case_of, sentences, write_case, write_text


def test_sensitivity_changes_one_thing_at_a_time(verified: Verification, texts: Path) -> None:
    comparison = verified.comparisons[0]
    assert comparison.sensitivity is not None
    assert {row.label: row.nats for row in comparison.sensitivity.of("correction")} == {
        method: llr.nats for method, llr in comparison.llrs.items()
    }
    assert comparison.sensitivity.sentence.startswith("The methods give LRs from ")  # second opinions are among them
    assert [row.label for row in comparison.sensitivity.of("known_text")] == ["known/lee/1.txt", "known/lee/2.txt"]
    assert len({row.lambda_g for row in comparison.sensitivity.of("seed")}) == 10
    changed = idiograph.verify(case_of(texts, order=3), quick=True).comparisons[0]
    by_order = {row.label: row.lambda_g for row in comparison.sensitivity.of("order")}
    assert by_order["3"] == changed.lambda_g
    more = idiograph.verify(case_of(texts, repetitions=10), quick=True).comparisons[0]
    by_r = {row.label: row.lambda_g for row in comparison.sensitivity.of("repetitions")}
    assert by_r["10"] == more.lambda_g
    assert comparison.sensitivity.standard_error == pytest.approx(comparison.sensitivity.spread / math.sqrt(5))


def compare(folder: Path, **changed: object):
    return idiograph.verify(case_of(folder, **changed), quick=True).comparisons[0]


def without(comparison) -> dict[str, float]:
    assert comparison.sensitivity is not None
    return {row.label: row.nats for row in comparison.sensitivity.of("known_text")}


def test_the_value_without_a_text_is_that_of_a_case_without_it(tmp_path: Path) -> None:
    write_case(tmp_path, n_authors=5)
    left_out = without(compare(tmp_path))
    (tmp_path / "known" / "1.txt").unlink()
    alone = compare(tmp_path)
    assert left_out["known/lee/1.txt"] == alone.llrs["hapax"].nats
    assert without(alone) == {}  # of a single text nothing is left


@pytest.mark.parametrize(("n_texts", "n_left_out"), [(20, 20), (21, 11), (45, 15)])
def test_many_texts_are_left_out_several_at_a_time(tmp_path: Path, n_texts: int, n_left_out: int) -> None:
    write_case(tmp_path, n_authors=5)
    for number in range(n_texts):
        write_text(tmp_path / "known" / f"{number + 1}.txt", sentences("lee", tokens=30, seed=50 + number))
    assert len(without(compare(tmp_path))) == n_left_out


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
    comparison = idiograph.verify(case_of(tmp_path), quick=True).comparisons[0]
    assert comparison.anchors is not None
    assert comparison.anchors.known_low == ("known/lee/3.txt",)


def test_a_quick_run_of_the_normalised_method_has_nobody_to_put_in_the_cases_place(tmp_path: Path) -> None:
    """The reference authors' own scores are the validation's, and a quick run makes none."""
    write_case(tmp_path, n_authors=6)
    comparison = idiograph.verify(case_of(tmp_path, primary="normalised", repetitions=3), quick=True).comparisons[0]
    assert comparison.reported is not None
    assert comparison.anchors is not None
    assert (comparison.anchors.trace, comparison.anchors.source) == ((), ())
    assert comparison.anchors.known
