"""How many others score as high as the case, and whether K is by one writer."""

from pathlib import Path

import idiograph
from idiograph.casework.verification import Verification
from made_texts import case_of, sentences, write_case, write_text


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
