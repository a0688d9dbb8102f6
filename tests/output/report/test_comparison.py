"""One comparison in a report: its texts, their checks, the extract of the heat map, and no number after a refusal."""

from dataclasses import replace

from idiograph.casework.verification import Finding
from idiograph.output.annexes import all_checks, annexes
from idiograph.output.document import Block, Bullets, HeatMap, Paragraph, Table
from idiograph.output.report import checks, evidence, report, texts_compared
from made_up_case import PROSE, comparison, explanation, refused, verification
from seen_report import squeezed, three


def words_of(*blocks: Block) -> str:
    lines = [run.text for block in blocks if isinstance(block, Paragraph) for run in block.runs]
    lines += [run.text for block in blocks if isinstance(block, Bullets) for item in block.items for run in item]
    return " ".join(lines)


def test_a_refused_case_shows_no_likelihood_ratio() -> None:
    case = verification(refused())
    for document in (report(case), annexes(case)):
        for form, text in three(document).items():
            for hidden in (
                "LR as calculated", "LR as reported", "430", "2.63", "moderate support for Hp", "Sensitivity",
                "raw score", "all: λG", "misled in", "K is shorter than", "scored as high as the case",
                "The questioned text as it was", "do not fit the rest of K",
            ):  # fmt: skip
                assert squeezed(hidden) not in squeezed(text), f"{hidden} in {form}"
    for text in three(report(case)).values():
        assert squeezed("No likelihood ratio is reported because validation gives a Cllr of 1.2.") in squeezed(text)


def test_the_texts_are_counted() -> None:
    table = next(block for block in texts_compared(comparison()) if isinstance(block, Table))
    assert table.rows == (
        ("Q1 (questioned)", "in question", "1", "7", "66"),
        ("K (known)", "Lee", "3", "70", "900"),
        ("reference", "40 other authors", "80", "6,000", "90,000"),
    )


def test_what_the_first_page_says_is_not_said_again_and_notes_are_named() -> None:
    text = words_of(*checks(comparison()))
    assert "One known text is 61 % of K." not in text
    assert "Typographic quotes were made plain" not in text
    assert "together with notes on different encodings" in text
    # After a refusal the first page has the red ones alone.
    assert "One known text is 61 % of K." in words_of(*checks(refused()))
    calm = replace(comparison(), audit=(), anchors=None)
    assert words_of(*checks(calm)) == "The checks of the texts found nothing to report."


def test_of_many_findings_some_are_said_whole_and_the_annexes_have_them_all() -> None:
    long = Finding("repeated-q", "amber", "word " * 200, "Remove it.", ("q.txt",))
    many = replace(refused(), audit=(long,) * 11)
    blocks = list(checks(many))
    listed = next(block for block in blocks if isinstance(block, Bullets))
    assert [item[1].text for item in listed.items] == ["word " * 200] * 6
    assert "together with 5 more points" in words_of(*blocks)
    table = next(block for block in all_checks(many.audit) if isinstance(block, Table))
    assert table.rows == (("Caution", "word " * 200 + " (q.txt)", "Remove it."),) * 11


def test_the_extract_shrinks_as_there_is_more_else_to_say() -> None:
    told = explanation(PROSE * 20)
    explained = replace(comparison(), explanation=told)
    wordy = replace(explained, audit=(replace(explained.audit[0], message="word " * 80),) * 16)

    def tokens(drawn: list[Block]) -> int:
        maps = [block for block in drawn if isinstance(block, HeatMap) and block.caption]
        return sum(piece.level is not None for line in maps[0].lines for piece in line)

    usual, least = tokens(list(evidence(explained))), tokens(list(evidence(wordy)))
    assert 200 < usual <= 260 * 1.2  # with the ends of sentences
    assert least <= 60 * 1.2
