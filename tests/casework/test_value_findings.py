"""What must be known before a value is relied on and shows only once it is computed: each in a finding of its own."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from audited import findings_of
from idiograph.casework.explanation import concentrated, shares_of
from idiograph.casework.verification import Explanation
from idiograph.casework.verify import _and
from made_texts import compare_fully, sentences, write_case, write_text
from made_up_case import explanation


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A case among whose known texts one is somebody else's, and whose authors have texts enough for its lengths."""
    folder = write_case(tmp_path_factory.mktemp("mixed"), n_authors=9, n_texts=6, by="author02", tokens=200)
    write_text(folder / "known" / "3.txt", sentences("other", tokens=150, seed=7))
    return folder


def test_known_texts_and_averages_that_do_not_fit_are_said(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idiograph.casework.verification.KNOWN_APART", 1.5)  # made-up texts have LRs near 1
    comparison = compare_fully(mixed, repetitions=3, primary="normalised")
    assert comparison.anchors is not None
    apart = findings_of(comparison)["known-texts-apart"]
    assert "3.txt" in apart.message
    assert apart.message.startswith(f"{len(comparison.anchors.known_apart)} of 3 known texts do")
    below = [text.name for text in comparison.anchors.known if text.nats < -0.405465]
    assert apart.where == comparison.anchors.known_apart == tuple(below)
    assert comparison.normalised is not None
    unusual = findings_of(comparison)["unusual-average"]
    assert len(comparison.normalised[0].unusual) == len(re.findall("[QK] by (?:λG|phrases)", unusual.message))
    # By the rules of 0.3.0 they are no findings.
    before = compare_fully(mixed, rules=1, repetitions=3, primary="normalised")
    assert not findings_of(before).keys() & {"known-texts-apart", "unusual-average", "methods-disagree", "concentrated"}


def test_methods_that_do_not_agree_are_said(mixed: Path) -> None:
    comparison = compare_fully(mixed, repetitions=3)
    assert comparison.sensitivity is not None
    nats = [llr.nats for llr in comparison.llrs.values()]
    apart = min(nats) < -0.4055 and max(nats) > 0.4055
    assert comparison.sensitivity.disagrees == apart == ("methods-disagree" in findings_of(comparison))
    # On page one the methods are named without their LRs, which stand in the annexes.
    messages = [entry.message for entry in comparison.audit if entry.code == "methods-disagree"]
    assert all("the LR is below 1 by the" in message and not re.search(r"[2-9]", message) for message in messages)
    assert [_and(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
    rows = tuple(
        replace(row, nats=value)
        for row, value in zip(comparison.sensitivity.of("correction"), (1.0, -1.0), strict=False)
    )
    assert replace(comparison.sensitivity, alternatives=rows).disagrees
    near = tuple(replace(row, nats=row.nats / 3) for row in rows)
    assert not replace(comparison.sensitivity, alternatives=near).disagrees


def scaled(told: Explanation, at: int, lambda_g: float) -> Explanation:
    """One token's part of λG made larger, in its sentence too."""
    tokens = list(told.tokens)
    more = lambda_g - tokens[at].lambda_g
    tokens[at] = replace(tokens[at], lambda_g=lambda_g)
    rows = [
        replace(row, lambda_g=row.lambda_g + (more if row.sentence == tokens[at].sentence else 0.0))
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
    number = next(number for number, row in enumerate(even.tokens) if row.masked == "swear" or row.original == "list")
    assert not any("swear" in entry.message for entry in concentrated(even))
    (entry,) = concentrated(scaled(even, number, 30.0))
    assert entry.code == "concentrated"
    assert f"sentence {even.tokens[number].sentence} makes" in entry.message
    assert "one place: of all that raises λG, " in entry.message
    assert "the word “" in entry.message
    # Of a sum that is nearly nothing, shares mean nothing.
    tiny = replace(even, sentences=tuple(replace(row, lambda_g=row.lambda_g / 100) for row in even.sentences))
    assert concentrated(tiny) == []


def test_shares_are_of_what_points_the_same_way_and_never_come_to_more_than_the_whole() -> None:
    parts = {"the": 6.0, "of": 2.0, "in": -7.0}
    assert shares_of(parts, 1.0) == {"the": 0.75, "of": 0.25}
    assert shares_of(parts, -1.0) == {"in": 1.0}
