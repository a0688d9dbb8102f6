"""Lines that known texts have in common are a finding; what one writes anew each time is not."""

from dataclasses import replace

import pytest

from audited import findings, written
from made_texts import case_texts

BODIES = (
    "We met on Monday to talk about the roof.\nIt will take two weeks.",
    "The train was late again and I missed half of it.\nPlease start without me next time.",
    "Nobody has told me where the keys are.\nI will be at the office until six.",
    "There is a parcel for you downstairs.\nIt came while you were out.",
)


def with_known(*contents: str):
    plain = case_texts()
    pairs = [written(f"k{number}", "lee", content) for number, content in enumerate(contents)]
    originals = {id_: text for _, originals_of_text in pairs for id_, text in originals_of_text.items()}
    return replace(plain, k=tuple(text for text, _ in pairs), originals=originals)


def test_nothing_is_said_of_texts_without_common_lines() -> None:
    assert "repeated-lines" not in findings(with_known(*BODIES))


@pytest.mark.parametrize(
    ("line", "n_texts", "expected"),
    [
        ("Lee Miller, Roofs and Gutters since 1954", 2, True),
        ("Lee Miller, Roofs Ltd", 2, False),  # four words in two texts
        ("Best regards,", 3, True),
        ("Best regards,", 2, False),
        ("Thanks", 4, False),  # a word is no line
    ],
)
def test_a_closing_or_a_template(line: str, n_texts: int, expected: bool) -> None:
    contents = [f"{body}\n{line}" if number < n_texts else body for number, body in enumerate(BODIES)]
    by_code = findings(with_known(*contents))
    assert ("repeated-lines" in by_code) == expected
    if expected:
        sentence = by_code["repeated-lines"]
        assert sentence.message == f"Known texts have lines in common: “{line}” in {n_texts} of 4."
        assert sentence.where == tuple(f"k{number}" for number in range(n_texts))
        assert "steps salutations, signatures and quoted_text" in sentence.remedy


@pytest.mark.parametrize(("mark", "expected"), [("-- ", True), ("--", True), ("---", False), ("a -- b", False)])
def test_a_signature_after_its_mark(mark: str, expected: bool) -> None:
    by_code = findings(with_known(f"{BODIES[0]}\n{mark}\nLee", *BODIES[1:]))
    assert ("repeated-lines" in by_code) == expected
    if expected:
        assert by_code["repeated-lines"].message == "1 of 4 known texts end in a signature after a line “-- ”."


def test_case_and_punctuation_do_not_matter_and_long_lines_are_cut() -> None:
    line = "This message and whatever is attached to it is meant for nobody but the person it was sent to"
    by_code = findings(with_known(f"{BODIES[0]}\n{line}.", f"{BODIES[1]}\n  {line.upper()}!", *BODIES[2:]))
    assert (
        "“This message and whatever is attached to it is meant for no…” in 2 of 4" in by_code["repeated-lines"].message
    )


def test_texts_that_came_masked_have_no_lines() -> None:
    plain = with_known(*(f"{body}\nBest regards,\nLee Miller of the roofs" for body in BODIES))
    assert "repeated-lines" in findings(plain)
    assert "repeated-lines" not in findings(replace(plain, originals={}))
