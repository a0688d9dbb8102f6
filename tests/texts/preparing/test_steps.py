"""Cleaning steps on one text: what goes in, what comes out, by hand; and properties that hold for any text."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph.texts.edits import Edits
from idiograph.texts.preparing import steps
from idiograph.texts.preparing.steps import STEPS
from idiograph.texts.words import count_words

TEXT_STEPS = sorted(name for name, kind in STEPS.items() if not kind.on_corpus)


def changed(content: str, edits: Edits) -> str:
    """The text after the edits, put in from the last to the first; each must fit what stands there."""
    for start, removed, inserted in reversed(edits):
        assert content[start : start + len(removed)] == removed
        content = content[:start] + inserted + content[start + len(removed) :]
    return content


CASES: list[tuple[Callable[..., Edits], dict[str, object], str, str]] = [
    (steps.urls, {}, "see http://a.org/x?y=1, or www.b.com.", "see <url>, or <url>."),
    (steps.urls, {"replace_with": ""}, "see http://a.org now", "see  now"),
    (steps.urls, {}, "wiki (https://a.org/b_(c)) and [ftp://d.e/f]", "wiki (<url>) and [<url>]"),
    (steps.urls, {}, "in <http://a.org/b> brackets", "in <url> brackets"),
    (steps.urls, {}, "glued:http://a.org", "glued: <url>"),
    (steps.urls, {}, "awww. that is sweet, www... ok", "awww. that is sweet, www... ok"),
    (steps.urls, {}, "go to example.com/x today", "go to example.com/x today"),
    (steps.urls, {"bare_domains": True}, "go to example.com/x today.Then", "go to <url> today.Then"),
    (steps.email_addresses, {}, "ask j.doe+x@mail.example.co.uk.", "ask <email>."),
    (steps.email_addresses, {"replace_with": ""}, "ask a@b.com now", "ask  now"),
    (steps.email_addresses, {}, "Jo <mailto:a@b.com>, [mailto:a@b.com]", "Jo <email>, [<email>]"),
    (steps.email_addresses, {}, "meet @ 5 or a@b", "meet @ 5 or a@b"),
    (steps.user_tags, {}, "@bob_1 thanks to @ann's help, x@y", "userid thanks to userid's help, x@y"),
    (steps.user_tags, {"replace_with": ""}, "hi @bob!", "hi !"),
    (steps.user_tags, {}, "ok(@bob)and@@ann", "ok(userid)and@@ann"),
    (steps.lower_case, {}, "I SAID Hello, Dr. ΣΑΣ", "i said hello, dr. σας"),
    (steps.lower_case, {}, "İstanbul", "i̇stanbul"),
    (steps.emojis, {}, "fine 👍🏽 👨\u200d👩\u200d👧 ❤️ 🇬🇧 1️⃣ ©", "fine      ©"),
    (steps.emojis, {"replace_with": "<emoji>"}, "ha😂😂 ok", "ha <emoji> ok"),
    (steps.leading_punctuation, {}, ' - "...well', "well"),
    (steps.leading_punctuation, {}, ": <url> ok", " <url> ok"),
    (steps.leading_punctuation, {"keep": "#"}, "...#tag", "#tag"),
    (steps.leading_punctuation, {}, "...#tag", "tag"),
    (steps.leading_punctuation, {}, "fine.", "fine."),
    (steps.non_printing, {}, "a\u200bb\x07c\u00add\ufeff\te\n\ue000", "abcd\te\n"),
    (steps.non_printing, {"keep": "\u200b"}, "a\u200bb\x07", "a\u200bb"),
    (steps.non_printing, {}, "می\u200cخواهم क्\u200dष a\u200cb\u200d", "می\u200cخواهم क्\u200dष ab"),
    (steps.non_printing, {}, "👨\u200d👩 ❤\ufe0f", "👨\u200d👩 ❤\ufe0f"),
    (steps.characters, {}, "don`t — “ﬁne” well‐known …", "don't -- “fine” well-known ..."),
    (steps.characters, {"fold": ("dashes",)}, "don`t — …", "don`t -- …"),
    (steps.non_ascii, {}, "don’t – café…", "dont  caf"),
    (steps.non_ascii, {"fold": True}, "don’t – café… 漢 Straße", "don't - cafe...  Strasse"),
    (steps.elongated_words, {}, "sooooo COOOol, good", "soo COOl, good"),
    (steps.elongated_words, {"keep": 1}, "sooooo COOOol, good", "so COl, good"),
    (steps.elongated_words, {}, "Henry VIII, www.a.b, 10000, ___", "Henry VIII, www.a.b, 10000, ___"),
    (steps.elongated_words, {"leave": ()}, "Henry VIII", "Henry VII"),
    (steps.elongated_words, {"leave": ("Brrr",)}, "brrr, BRRR, brrrr", "brrr, BRRR, brr"),
    (steps.punctuation_runs, {}, "what?!!!!! no.... ---- ____ ok...", "what?!!! no... --- ___ ok..."),
    (steps.punctuation_runs, {"longest": 1}, "what?!!!!! aaaa", "what?! aaaa"),
    (steps.white_space, {}, "  a \t b\u00a0c \r\n\r\n\r\n d\ne  ", "a b c\n\nd\ne"),
    (steps.white_space, {"blank_lines": False}, "a\n\n\nb\nc", "a\nb\nc"),
    (steps.white_space, {"join_lines": True}, "a\n\n\nb\nc", "a b c"),
    (
        steps.duplicate_sentences,
        {},
        "It was so. Why not? it was so! Mr. X. Mr. X.",
        "It was so. Why not? Mr. X. Mr. X.",
    ),
    (steps.duplicate_sentences, {}, "Read all of it\nNo, e.g. this\nRead all of it", "Read all of it\nNo, e.g. this\n"),
    (steps.duplicate_sentences, {"min_tokens": 2}, "Mr. X. Mr. X. To me. To me.", "Mr. X. Mr. X. To me. "),
    (steps.forwarded_text, {}, "Look.\n-----Forwarded message-----\nOld.", "Look.\n"),
    (steps.quoted_text, {}, "Yes.\nOn 1 May 2020 Bob wrote:\n> Will you?\n> Bob", "Yes.\n"),
    (steps.salutations, {}, "Dear Ann,\nI agree.", "I agree."),
    (steps.signatures, {}, "I agree with all of it.\n\nBest regards,\nBob", "I agree with all of it.\n"),
]


@pytest.mark.parametrize(("step", "settings", "before", "after"), CASES)
def test_a_step_by_hand(step: Callable[..., Edits], settings: dict[str, object], before: str, after: str) -> None:
    assert changed(before, step(before, **settings)) == after


def test_every_step_and_setting_on_texts_has_a_case() -> None:
    shown = {(step.__name__, setting) for step, settings, _, _ in CASES for setting in [None, *settings]}
    assert shown >= {(name, setting) for name in TEXT_STEPS for setting in [None, *STEPS[name].defaults]}


@pytest.mark.parametrize("name", TEXT_STEPS)
def test_a_text_with_nothing_to_do_is_left_as_it_is(name: str) -> None:
    function = STEPS[name].function
    wanted = "I said so, and that was that." if name != "lower_case" else "so it was."
    assert function(wanted) == ()
    assert function("") == ()


messy = st.text(
    alphabet=st.one_of(st.sampled_from("aAoO.!?-_@<>:/'\" \n\r\t\u00a0\u200b😂👍🏽é’…"), st.characters(codec="utf-8")),
    max_size=60,
) | st.lists(
    st.sampled_from(["http://a.b/c ", "a@b.com ", "@bob ", "Soooo ", "!!!!! ", "😂 ", "\n\n\n", "Yes I do. "]),
    max_size=8,
).map("".join)

# Those whose own output they would leave alone. The others can lay bare something new: removing an emoji between a
# digit and a keycap sign makes another emoji, and a mail has as many layers of quotation as it has.
IDEMPOTENT = [
    "duplicate_sentences",
    "elongated_words",
    "leading_punctuation",
    "lower_case",
    "characters",
    "non_ascii",
    "non_printing",
    "punctuation_runs",
    "user_tags",
    "white_space",
]


@pytest.mark.parametrize("name", IDEMPOTENT)
@given(content=messy)
def test_a_second_time_changes_nothing(name: str, content: str) -> None:
    function = STEPS[name].function
    once = changed(content, function(content))
    assert function(once) == ()


@pytest.mark.parametrize("name", TEXT_STEPS)
@given(content=messy)
def test_edits_are_in_order_apart_and_fit_the_text(name: str, content: str) -> None:
    function = STEPS[name].function
    done = 0
    for start, removed, inserted in function(content):
        assert start >= done
        assert content[start : start + len(removed)] == removed
        assert removed != inserted
        done = start + len(removed)


@given(content=st.text(max_size=80))
def test_lower_case_is_pythons(content: str) -> None:
    assert changed(content, steps.lower_case(content)) == content.lower()


@given(content=messy)
def test_ascii_is_all_that_is_left_and_white_space_is_tidy(content: str) -> None:
    assert changed(content, steps.non_ascii(content)).isascii()
    assert changed(content, steps.non_ascii(content, fold=True)).isascii()
    tidy = changed(content, steps.white_space(content))
    assert tidy == tidy.strip()
    assert "  " not in tidy
    assert "\n\n\n" not in tidy
    assert tidy.split() == content.split()


HOSTILE = [
    "<",
    ".",
    "!",
    " ",
    "\n",
    "a@",
    "a.",
    "www.",
    "http://",
    "<http://",
    "aaab",
    "😂\u200d",
    "e\u0301",
    "--",
    "> ",
]
HOSTILE += ["mailto:", "a' ", "'a", ")", "http://a)", ".'", "Dear ", "-----\n", "-\n", "\u200b", "_", "9.9"]


@pytest.mark.parametrize("name", TEXT_STEPS)
def test_long_lines_of_anything_end(name: str) -> None:
    # What took quadratic time would not come back from these for many minutes.
    function = STEPS[name].function
    lines = [piece * (50_000 // len(piece)) for piece in HOSTILE]
    for content in ["a" * 1_000_000, "@" * 1_000_000, *lines, *(f"http://{line}" for line in lines)]:
        assert len(changed(content, function(content)[:3])) <= len(content) + 30
        assert count_words(content) <= len(content)
