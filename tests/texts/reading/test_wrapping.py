"""Hard-wrapped paragraphs are joined; verse, lists, chat and one sentence a line are not."""

import random
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph.texts.edits import apply
from idiograph.texts.reading.wrapping import HYPHEN, unwrapping

VOCABULARY = (
    "the of and to in a is that for it was on with as be by this have from at or an are not they which one you had her "
    "all were there been their has would what will about if up out some could them than other into its time then only "
    "people water little long good very after words called just where most know through before right mean same tell boy"
)
WORDS = VOCABULARY.split()


def prose(seed: int, *, n_sentences: int = 12, longest: int = 30) -> str:
    """A paragraph of sentences that mean nothing."""
    draw = random.Random(seed)
    sentences = []
    for _ in range(n_sentences):
        words = draw.choices(WORDS, k=draw.randint(4, longest))
        sentences.append(" ".join(words).capitalize() + ".")
    return " ".join(sentences)


def joined(content: str, how: str = "auto", *, laid_out: bool = False) -> str:
    return apply(content, unwrapping(content, how, laid_out=laid_out))


@given(st.integers(0, 10**6), st.integers(45, 120), st.integers(1, 4))
def test_what_a_program_wrapped_comes_back(seed: int, width: int, n_paragraphs: int) -> None:
    paragraphs = [prose(seed + number) for number in range(n_paragraphs)]
    wrapped = "\n\n".join(textwrap.fill(paragraph, width) for paragraph in paragraphs) + "\n"
    assert joined(wrapped) == "\n\n".join(paragraphs) + "\n"


@given(st.integers(0, 10**6))
def test_one_sentence_a_line_stays(seed: int) -> None:
    text = prose(seed, n_sentences=25).replace(". ", ".\n")
    assert unwrapping(text, "auto") == ()


def test_chat_stays() -> None:
    draw = random.Random(1)
    changed = 0
    for _ in range(300):
        lines = [
            " ".join(draw.choices(WORDS, k=draw.choice([1, 2, 3, 5, 8, 12, 20]))) for _ in range(draw.randint(2, 40))
        ]
        changed += bool(unwrapping("\n".join(lines), "auto"))
    # Lines that happen to fill up cannot be told from wrapped ones; it must stay the exception.
    assert changed <= 3


def test_verse_stays() -> None:
    draw = random.Random(2)
    for _ in range(100):
        stanzas = [
            "\n".join(" ".join(draw.choices(WORDS, k=draw.randint(7, 10))).capitalize() for _ in range(4))
            for _ in range(8)
        ]
        assert unwrapping("\n\n".join(stanzas), "auto") == ()


def test_verse_of_nearly_equal_lines_stays() -> None:
    draw = random.Random(3)
    for _ in range(50):
        lines = []
        for _ in range(24):
            line = draw.choice(WORDS).capitalize()
            length = draw.randint(44, 50)
            while len(line) < length - 3:
                line += " " + draw.choice([word for word in WORDS if len(word) < 5])
            lines.append(line)
        assert unwrapping("\n".join(lines), "auto") == ()


def test_prose_all_in_capitals_is_no_verse() -> None:
    assert joined(textwrap.fill(prose(11).upper(), 72)) == prose(11).upper()


def test_an_indented_line_stays_even_where_all_are_joined() -> None:
    assert joined("One line\nand another\n   A new paragraph\ngoes on", "always") == (
        "One line and another\n   A new paragraph goes on"
    )


def edited(paragraph: str, seed: int, *, shortest: int, longest: int) -> str:
    """A paragraph in lines of any length in a range, as after somebody struck out words."""
    draw = random.Random(seed)
    lines = [""]
    room = draw.randint(shortest, longest)
    for word in paragraph.split():
        if len(lines[-1]) + len(word) >= room and not lines[-1].endswith("."):
            lines.append("")
            room = draw.randint(shortest, longest)
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def test_ragged_lines_are_joined_where_sentences_run_on() -> None:
    # No sentence begins a line here, so that every break is amid one.
    paragraph = prose(12, n_sentences=20, longest=40)
    ragged = edited(paragraph, 12, shortest=45, longest=95)
    assert joined(ragged).count("\n") <= ragged.count("\n") / 10
    assert joined(ragged).replace("\n", " ") == paragraph
    assert unwrapping(ragged.lower(), "auto") == ()  # as chat would be
    assert unwrapping(edited(paragraph, 12, shortest=15, longest=40), "auto") == ()  # as free verse would be


def test_lists_and_addresses_stay() -> None:
    assert unwrapping("red wine\nbig eggs\nrye bread\noat milk\nold cheese\ncold tea\n", "auto") == ()
    assert unwrapping("milk\neggs\nbread\nbutter\n", "auto") == ()
    assert unwrapping("12 High Street\nOxford\nOX1 4AA\n", "auto") == ()


def test_only_wrapped_lines_of_a_wrapped_text_are_joined() -> None:
    paragraph = prose(3)
    signature = "Ann Lee\nHead of things\n12 High Street"
    items = "- " + textwrap.fill(prose(4, n_sentences=2), 72) + "\n- short one"
    text = f"A HEADING\n{textwrap.fill(paragraph, 72)}\n\n{items}\n\n{signature}\n"
    out = joined(text)
    assert f"A HEADING\n{paragraph}\n\n- " in out
    assert "\n- short one\n" in out
    assert out.endswith(signature + "\n")


def test_an_indented_line_begins_a_paragraph() -> None:
    first, second = prose(5), prose(6)
    text = "\n".join(textwrap.fill(paragraph, 70, initial_indent="   ") for paragraph in (first, second))
    assert joined(text) == f"   {first}\n   {second}"


def test_quoted_lines_are_left_to_whoever_handles_quotation() -> None:
    text = "\n".join("> " + line for line in textwrap.wrap(prose(7), 70))
    assert unwrapping(text, "auto") == ()


def test_a_long_address_does_not_hide_the_width() -> None:
    paragraph = prose(8, n_sentences=20)
    text = textwrap.fill(paragraph, 72) + "\n" + "https://example.org/" + "x" * 150 + " see there"
    assert joined(text).startswith(paragraph)


def test_few_breaks_need_a_usual_width_and_a_sentence_that_runs_on() -> None:
    line = "I was wondering whether you could send me the newest figures for the"  # 68, and `market` would be 75
    assert (
        joined(f"Hi Bob,\n\n{line}\nmarket, since I need them.\n") == f"Hi Bob,\n\n{line} market, since I need them.\n"
    )
    assert unwrapping(f"hi\n{line.lower()}\nmarket, since i need them\n", "auto") == ()
    assert unwrapping(f"{line}.\nMarket figures are due.\n", "auto") == ()
    assert unwrapping(f"{line[:52]}\nlatest figures\n", "auto") == ()


@pytest.mark.parametrize("how", ["auto", "always", "never"])
def test_the_option_changes_the_outcome(how: str) -> None:
    text = "One line\nand another.\n\nA new paragraph\n- with an item\n"
    expected = "One line and another.\n\nA new paragraph\n- with an item\n" if how == "always" else text
    assert joined(text, how) == expected
    wrapped = textwrap.fill(prose(9), 72)
    assert joined(wrapped, how) == (wrapped if how == "never" else prose(9))


def test_a_hyphen_at_a_line_end_stays_where_nothing_speaks_against_it() -> None:
    assert joined("a well-\nknown thing", "always") == "a well-known thing"
    assert joined("an inter-\nnational thing", "always") == "an inter-national thing"
    assert joined("international: an inter-\nnational thing", "always") == "international: an international thing"
    assert joined("a dash -\nlike this", "always") == "a dash - like this"


def test_a_hyphen_that_a_page_added_goes_unless_the_text_has_the_compound() -> None:
    assert joined(f"an inter{HYPHEN}\nnational thing", laid_out=True) == "an international thing"
    assert joined(f"well-known: a well{HYPHEN}\nknown thing", laid_out=True) == "well-known: a well-known thing"
    assert joined(f"the Anglo{HYPHEN}\nSaxon and 12{HYPHEN}\nfold", laid_out=True) == "the Anglo-Saxon and 12-fold"


def test_words_that_were_divided_all_over_a_text_file_are_joined() -> None:
    # No word stands twice, so that only the number of hyphens can tell.
    words = [
        f"{chr(97 + n % 26)}{chr(97 + n // 26)}{word.lower()}"
        for n, word in enumerate(prose(11, n_sentences=40).split()[:600])
    ]
    lines, line = [], ""
    for word in words:
        room = 60 - len(line)
        if len(word) <= room:
            line += f"{word} "
        elif len(word) > 4 and room > 3 and word.isalpha():
            lines.append(f"{line}{word[:3]}-")
            line = f"{word[3:]} "
        else:
            lines.append(line.rstrip())
            line = f"{word} "
    divided = "\n".join([*lines, line.rstrip()])
    assert sum(line.endswith("-") for line in lines) > 10
    assert joined(divided) == " ".join(words)
    assert "-" in apply(divided, unwrapping(divided, "auto", keep_hyphens=True))  # as before 0.4


def test_an_editors_line_ends_after_hyphens_of_compounds_stay() -> None:
    compounds = " ".join(f"{word}-{word}er" if n % 3 == 0 else word for n, word in enumerate(prose(12).split()))
    wrapped = textwrap.fill(compounds, 60)
    assert wrapped.count("-\n") > 3
    assert joined(wrapped) == compounds


def test_lines_off_a_page_may_differ_in_width() -> None:
    draw = random.Random(10)
    words = prose(10, n_sentences=20).split()
    lines = [""]
    room = 34.0
    for word in words:  # letters of varied width, in a column
        width = sum(draw.uniform(0.7, 1.3) for _ in word) + 1
        if width > room:
            lines.append("")
            room = 34.0
        lines[-1] = f"{lines[-1]} {word}".strip()
        room -= width
    text = "\n".join(lines)
    # A line end after a full stop may stay: it is where a sentence ends anyway.
    assert joined(text, laid_out=True).replace(".\n", ". ") == " ".join(words)
    assert joined(text).replace(".\n", ". ") != " ".join(words)
