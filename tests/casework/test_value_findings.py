"""What must be known before a value is relied on and shows only once it is computed: each in a finding of its own."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import idiograph
from idiograph.casework.explanation import concentrated
from idiograph.casework.verification import Comparison, Explanation
from made_texts import case_of, sentences, write_case, write_text
from made_up_case import explanation


def codes(one: Comparison) -> set[str]:
    return {found.code for found in one.audit}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A case among whose known texts one is somebody else's."""
    folder = write_case(tmp_path_factory.mktemp("mixed"), n_authors=9, by="author01", tokens=200)
    write_text(folder / "known" / "3.txt", sentences("other", tokens=200, seed=5))
    return folder


def test_known_texts_and_averages_that_do_not_fit_are_said(mixed: Path) -> None:
    one = idiograph.verify(case_of(mixed, repetitions=3, primary="normalised")).comparisons[0]
    assert one.anchors is not None
    apart = next(found for found in one.audit if found.code == "known-texts-apart")
    assert "3.txt" in apart.message
    assert apart.message.startswith(f"{len(one.anchors.known_low)} of 3 known texts do")
    assert one.normalised is not None
    unusual = next(found for found in one.audit if found.code == "unusual-average")
    assert len(one.normalised[0].unusual) == len(re.findall("[QK] by (?:λG|phrases)", unusual.message))
    # By the rules of 0.3.0 they are no findings.
    before = idiograph.verify(case_of(mixed, repetitions=3, primary="normalised"), rules=1).comparisons[0]
    assert not codes(before) & {"known-texts-apart", "unusual-average", "methods-disagree", "concentrated"}


def test_methods_that_do_not_agree_are_said(mixed: Path) -> None:
    one = idiograph.verify(case_of(mixed, repetitions=3)).comparisons[0]
    assert one.sensitivity is not None
    nats = [llr.nats for llr in one.llrs.values()]
    apart = min(nats) < -0.4055 and max(nats) > 0.4055
    assert one.sensitivity.disagrees == apart == ("methods-disagree" in codes(one))
    # On page one the methods are named without their LRs, which stand in the annexes.
    said = [found.message for found in one.audit if found.code == "methods-disagree"]
    assert all("the LR is below 1 by the" in message and not re.search(r"[2-9]", message) for message in said)
    rows = tuple(
        replace(row, nats=value) for row, value in zip(one.sensitivity.of("correction"), (1.0, -1.0), strict=False)
    )
    assert replace(one.sensitivity, alternatives=rows).disagrees
    near = tuple(replace(row, nats=row.nats / 3) for row in rows)
    assert not replace(one.sensitivity, alternatives=near).disagrees


def scaled(told: Explanation, place: int, lambda_g: float) -> Explanation:
    """One token's part of λG made larger, in its sentence too."""
    tokens = list(told.tokens)
    more = lambda_g - tokens[place].lambda_g
    tokens[place] = replace(tokens[place], lambda_g=lambda_g)
    rows = [
        replace(row, lambda_g=row.lambda_g + (more if row.sentence == tokens[place].sentence else 0.0))
        for row in told.sentences
    ]
    return replace(told, tokens=tuple(tokens), sentences=tuple(rows))


def test_a_third_of_the_evidence_in_one_place_is_said() -> None:
    told = explanation()
    even = replace(
        told,
        tokens=tuple(replace(row, lambda_g=0.1) for row in told.tokens),
        sentences=tuple(replace(row, lambda_g=0.1 * (row.n_tokens + 1)) for row in told.sentences),
    )
    place = next(place for place, row in enumerate(even.tokens) if row.masked == "swear" or row.original == "list")
    assert not any("swear" in found.message for found in concentrated(even))
    (found,) = concentrated(scaled(even, place, 30.0))
    assert found.code == "concentrated"
    assert f"sentence {even.tokens[place].sentence} makes" in found.message
    assert "the word “" in found.message
    # Of a sum that is nearly nothing, shares mean nothing.
    tiny = replace(even, sentences=tuple(replace(row, lambda_g=row.lambda_g / 100) for row in even.sentences))
    assert concentrated(tiny) == []
