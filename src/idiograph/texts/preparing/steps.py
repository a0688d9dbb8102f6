"""Cleaning steps on one text: each takes its content and gives the edits to make.

Every pattern runs in time linear in the text, whatever is in it: no repetition inside a repetition can match the same
characters in two ways, and what must be bounded is.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Annotated

from idiograph.texts import quoting
from idiograph.texts.edits import Edit, Edits, removals, tight
from idiograph.texts.preparing.registry import ONE_TOKEN, limits, step
from idiograph.texts.words import PLACEHOLDERS, words

_URL = r"(?:https?://|ftp://|(?<![\w@])www\.)\w[^\s<>\"]*"
_DOMAIN = r"(?<![\w@.-])(?:[a-z0-9-]{1,63}\.){1,8}(?:com|org|net|edu|gov|info|io|co|uk|de|us)\b(?:/[^\s<>\"]*)?"
_URLS = re.compile(f"<{_URL}>|{_URL}", re.IGNORECASE)
_URLS_AND_DOMAINS = re.compile(f"<{_URL}>|{_URL}|{_DOMAIN}", re.IGNORECASE)
_ADDRESS = r"(?<![\w.%+-])[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
_ADDRESSES = re.compile(f"<(?:mailto:)?{_ADDRESS}>|(?:mailto:)?{_ADDRESS}", re.IGNORECASE)
_TAG = re.compile(r"(?<![\w@])@\w+")
_LETTERS = re.compile(r"[^\W\d_]+")
_ELONGATED = re.compile(r"([^\W\d_])\1{2,}", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*\s+|\n+")
# Pictographs, dingbats, flags and skin tones; then what joins or varies them; then signs that become one by variation.
_PICTURE = r"\U0001F000-\U0001FAFF\u2600-\u27BF\u2B00-\u2BFF\u231A\u231B\u23CF-\u23FA\u2934\u2935\u3030\u303D"
_EMOJI = re.compile(
    rf"[{_PICTURE}][{_PICTURE}\uFE0E\uFE0F\u200D\u20E3\U000E0020-\U000E007F]*"
    r"|[0-9#*©®‼⁉™ℹ↔-↪]\uFE0F\u20E3?|[0-9#*]\u20E3|\uFE0F"
)
_MARKS = ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk")
_OPENING = "([{\"'“‘"
_CLOSING = ".,;:!?)]}\"'”’…"
_PLAIN = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "−": "-"}
    | {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O"}
)


@step
def forwarded_text(content: str) -> Edits:
    """Removes messages forwarded under an English, German or French heading: they are another person's words."""
    return removals(content, quoting.forwarded_spans(content))


@step
def quoted_text(content: str) -> Edits:
    """Removes quoted lines and replies carried along below: they are another person's words.

    The lines that introduce them are known in English and nine other European languages.
    """
    return removals(content, quoting.quoted_spans(content))


@step
def salutations(content: str) -> Edits:
    """Removes the opening greeting, English or a common German, French or Spanish one: often with a name in it."""
    return removals(content, quoting.salutation_spans(content))


@step
def signatures(content: str) -> Edits:
    """Removes the closing formula (English, few others), name and contact lines: they identify by name."""
    return removals(content, quoting.signature_spans(content))


@step
def urls(content: str, *, replace_with: Annotated[str, ONE_TOKEN] = "<url>", bare_domains: bool = False) -> Edits:
    """Replaces web addresses (`bare_domains`: also `example.com`), or removes them if `replace_with` is empty."""
    pattern = _URLS_AND_DOMAINS if bare_domains else _URLS
    return _replaced(content, (_url_span(found) for found in pattern.finditer(content)), replace_with)


@step
def email_addresses(content: str, *, replace_with: Annotated[str, ONE_TOKEN] = "<email>") -> Edits:
    """Replaces e-mail addresses, or removes them if `replace_with` is empty."""
    return _replaced(content, (found.span() for found in _ADDRESSES.finditer(content)), replace_with)


@step
def user_tags(content: str, *, replace_with: Annotated[str, ONE_TOKEN] = "userid") -> Edits:
    """Replaces tags such as `@name`, or removes them if `replace_with` is empty."""
    return _replaced(content, (found.span() for found in _TAG.finditer(content)), replace_with)


@step
def lower_case(content: str) -> Edits:
    """Lower-cases before tagging, which changes the tags; without this step masking lower-cases after it."""
    found = re.finditer(r"\S+", content)
    return tight((word.start(), word.group(), word.group().lower()) for word in found)


@step
def emojis(content: str, *, replace_with: Annotated[str, ONE_TOKEN] = "") -> Edits:
    """Removes emojis with their skin tones, joiners and flags, or replaces each run of them."""
    return _replaced(content, (found.span() for found in _EMOJI.finditer(content)), replace_with)


@step
def leading_punctuation(content: str, *, keep: str = "") -> Edits:
    """Removes punctuation before the first word (`¿` too), placeholders and the characters in `keep` excepted."""
    end = 0
    for position, character in enumerate(content):
        if character in keep or content.startswith(PLACEHOLDERS, position):
            break
        if not character.isspace() and not unicodedata.category(character).startswith("P"):
            break
        if not character.isspace():
            end = position + 1
    return removals(content, [(0, end)])


@step
def non_printing(content: str, *, keep: str = "") -> Edits:
    """Removes control, formatting, private and unassigned characters; line breaks, tabs and those in `keep` stay.

    Joiners stay after letters of scripts that spell with them, such as Persian and Hindi.
    """
    found = re.finditer(r"[^\x20-\x7e\n\r\t]", content)
    unwanted = (
        one
        for one in found
        if unicodedata.category(one.group())[0] == "C" and one.group() not in keep and not _joins(content, one.start())
    )
    return removals(content, (one.span() for one in unwanted))


@step
def non_ascii(content: str, *, fold: bool = False) -> Edits:
    """Removes characters outside ASCII: for English only; with `fold`, what has a plain form (`’`, `é`) becomes it."""
    found = re.finditer(r"[^\x00-\x7f]+", content)
    return tight((run.start(), run.group(), _folded(run.group()) if fold else "") for run in found)


@step
def elongated_words(
    content: str,
    *,
    keep: Annotated[int, limits(1, 2)] = 2,
    leave: tuple[str, ...] = ("aaa", "www", "iii", "viii", "xiii", "xviii", "xxiii", "xxx"),
) -> Edits:
    """Cuts three or more equal letters in a row (`soooo`) to `keep`; words in `leave` (German `Schifffahrt` …) stay."""
    edits: list[Edit] = []
    left = {word.lower() for word in leave}
    for word in _LETTERS.finditer(content):
        if word.group().lower() in left:
            continue
        for run in _ELONGATED.finditer(content, *word.span()):
            edits.append((run.start() + keep, run.group()[keep:], ""))
    return tuple(edits)


@step
def punctuation_runs(content: str, *, longest: Annotated[int, limits(1)] = 3) -> Edits:
    """Cuts a run of more than `longest` equal punctuation marks to that many."""
    runs = re.finditer(rf"([^\w\s]|_)\1{{{longest},}}", content)
    marks = (run for run in runs if unicodedata.category(run.group(1)) in _MARKS)
    return removals(content, ((run.start() + longest, run.end()) for run in marks))


@step
def white_space(content: str, *, join_lines: bool = False, blank_lines: bool = True) -> Edits:
    """Trims the ends, cuts runs of blanks to one and blank lines to one (`blank_lines`: false, to none).

    A line break ends a sentence later on, so lines are only joined if `join_lines` says so.
    """
    edits: list[Edit] = []
    for run in re.finditer(r"\s+", content):
        n_breaks = len(f"{run.group()}.".splitlines()) - 1
        if run.start() == 0 or run.end() == len(content):
            wanted = ""
        elif join_lines or not n_breaks:
            wanted = " "
        else:
            wanted = "\n\n" if n_breaks > 1 and blank_lines else "\n"
        edits.append((run.start(), run.group(), wanted))
    return tight(edits)


@step
def duplicate_sentences(content: str, *, min_tokens: Annotated[int, limits(1)] = 3) -> Edits:
    """Removes a sentence that the same text has had before, if it has at least `min_tokens` words.

    Sentences end at line breaks and at `.`, `?` or `!` before white space; so does `Mr.`, hence the least length.
    """
    seen: set[tuple[str, ...]] = set()
    repeated = []
    start = 0
    for end in [*(found.end() for found in _SENTENCE_END.finditer(content)), len(content)]:
        own = tuple(words(content[start:end]))
        if len(own) >= min_tokens and own in seen:
            repeated.append((start, end))
        seen.add(own)
        start = end
    return removals(content, repeated)


def _joins(content: str, place: int) -> bool:
    """Whether a zero-width joiner or non-joiner stands after a letter of Arabic, an Indic or a like script."""
    return content[place] in "\u200c\u200d" and place > 0 and "\u0600" <= content[place - 1] < "\u2000"


def _url_span(found: re.Match[str]) -> tuple[int, int]:
    """A match without the punctuation that ends the sentence or closes the bracket around it."""
    address = found.group()
    if address.endswith(">"):
        return found.span()
    unmatched = {pair[1]: address.count(pair[1]) - address.count(pair[0]) for pair in ("()", "[]", "{}")}
    end = len(address)
    while address[end - 1] in ".,;:!?'”’*_" or unmatched.get(address[end - 1], 0) > 0:
        end -= 1
        if address[end] in unmatched:
            unmatched[address[end]] -= 1
    return found.start(), found.start() + end


def _replaced(content: str, spans: Iterable[tuple[int, int]], replace_with: str) -> Edits:
    """Edits that put `replace_with` for each span, set off by blanks where it would stick to a neighbour."""
    edits = []
    for start, end in spans:
        inserted = replace_with
        if inserted and start > 0 and not content[start - 1].isspace() and content[start - 1] not in _OPENING:
            inserted = f" {inserted}"
        if inserted and end < len(content) and not content[end].isspace() and content[end] not in _CLOSING:
            inserted = f"{inserted} "
        edits.append((start, content[start:end], inserted))
    return tuple(edits)


def _folded(characters: str) -> str:
    plain = unicodedata.normalize("NFKD", characters.translate(_PLAIN))
    return "".join(character for character in plain if character.isascii())
