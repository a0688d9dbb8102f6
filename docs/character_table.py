"""What masking makes of characters that nobody sees or that look like others: one page, typed in each of these ways."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from idiograph import mask
from idiograph.texts.characters import KINDS, folding
from idiograph.texts.edits import apply
from idiograph.texts.reading.wrapping import unwrapping

PAGE = """\
When the first of the letters came, I didn't think much about it. My sister-in-law had found it in the office, \
behind a well-known dictionary that nobody opens, and she said, "You should read this before anyone else does." It \
was short; it wasn't signed. "Dear friend," it began, "the files are not where you left them -- look in the attic." \
I hadn't left any files in the attic... or had I? My brother-in-law, who's a careful man, went up with a half-empty \
torch and came back with five boxes of old-fashioned photographs, a broken flute and a café menu from 1990. Nothing \
else -- nothing at all. We laughed about it for a week, and then the second one arrived: "You've been looking in \
the wrong place..." My husband, an ex-officer with a first-class memory, found that less funny. He's fairly sure \
the fiancée of a former neighbour wrote it, since she used to write naïve little notes to everyone -- the postman, \
the baker, even the police. I don't know; I can't prove it... What would she gain, apart from the fun? Still, we \
changed the locks, told the children not to worry, and put the résumé she had once sent us on the table. If anyone \
confesses, it'll be her -- that's what he thinks. "Wait and see," I told him, "it isn't over yet..."
"""


@dataclass(frozen=True)
class Typed:
    """The page typed in another way; `same` says whether masking gives the same tokens all the same."""

    name: str
    kind: str | None  # of `KINDS`; None for what has no visible form and for line ends
    typed: Callable[[str], str]
    same: bool = False

    @property
    def page(self) -> str:
        return self.typed(PAGE)


def _inside_words(character: str) -> Callable[[str], str]:
    """After the second letter of every fourth word of five letters or more."""

    def typed(page: str) -> str:
        numbers = count()
        words = re.compile(r"\b([a-z]{2})([a-z]{3,})")
        return words.sub(lambda word: f"{word[1]}{character}{word[2]}" if next(numbers) % 4 == 0 else word[0], page)

    return typed


def _for(plain: str, other: str) -> Callable[[str], str]:
    return lambda page: page.replace(plain, other)


def _some_blanks(other: str) -> Callable[[str], str]:
    """In place of every fifth blank."""

    def typed(page: str) -> str:
        words = page.split(" ")
        between = [other if number % 5 == 0 else " " for number in range(1, len(words))]
        return "".join(word + after for word, after in zip(words, [*between, ""], strict=True))

    return typed


def _letters(twins: dict[str, str]) -> Callable[[str], str]:
    """In every sixth word that has one of these letters."""
    table = str.maketrans(twins)

    def typed(page: str) -> str:
        numbers = count()
        words = re.compile(rf"\b[a-z]*[{''.join(twins)}][a-z]*\b")
        return words.sub(lambda word: word[0].translate(table) if next(numbers) % 6 == 0 else word[0], page)

    return typed


def _curly(page: str) -> str:
    page = re.sub(r'"(?=\w)', "“", page).replace('"', "”")
    return page.replace("'", "’")


def _quoted(opening: str, closing: str) -> Callable[[str], str]:
    return lambda page: re.sub(r'"(?=\w)', opening, page).replace('"', closing)


def _hyphenated(hyphen: str) -> Callable[[str], str]:
    return lambda page: re.sub(r"(?<=\w)-(?=\w)", hyphen, page)


def _divided(page: str) -> str:
    """Lines of about 60 characters, longer words divided at their ends as printers do."""
    lines, line = [], ""
    for word in page.split():
        if len(line) + len(word) < 60:
            line += f"{word} "
        elif word.isalpha() and word.islower() and len(word) > 4:
            lines.append(f"{line}{word[:3]}-")
            line = f"{word[3:]} "
        else:
            lines.append(line.rstrip())
            line = f"{word} "
    return "\n".join([*lines, line])


def _as_read(page: str) -> str:
    return apply(page, unwrapping(page, "auto"))


_BOLD = {letter: chr(0x1D41A + number) for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}
_WIDE = {letter: chr(ord(letter) + 0xFEE0) for letter in "abcdefghijklmnopqrstuvwxyz"}
UNSEEN = [
    *(0x200B, 0x200C, 0x200D, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x2065), *range(0x2066, 0x206A)),
    *(0xFEFF, 0xAD, 0x180E, 0x34F, 0x61C, 0x206A, 0x180B, 0x3164, 0xFE00, 0xFE0E, 0xFE0F, 0xE0001, 0xE0067, 0xE007F),
    *(0x00, 0x07, 0x08, 0x1B, 0x7F, 0x90, 0x9F, 0x1D173, 0xE0100),
]
TYPED = (
    *(Typed(f"U+{code:04X} inside words", None, _inside_words(chr(code)), same=True) for code in UNSEEN),
    Typed("U+202D, U+202C after commas", None, _for(",", ",\u202d\u202c"), same=True),
    *(Typed(f"U+{code:04X} for blanks", None, _some_blanks(chr(code)), same=True) for code in (0xB, 0xC, 0x1F, 0x2028)),
    *(Typed(f"U+{code:04X} for blanks", None, _some_blanks(chr(code))) for code in (0x1C, 0x1D, 0x1E, 0x85, 0x2029)),
    *(Typed(f"U+{code:04X} for blanks", None, _some_blanks(chr(code)), same=True) for code in (0xA0, 0x2007, 0x202F)),
    *(
        Typed(f"U+{code:04X} for blanks", "blanks", _some_blanks(chr(code)))
        for code in (0x1680, 0x2003, 0x2009, 0x205F, 0x3000)
    ),
    Typed("“ ” ’", None, _curly, same=True),
    *(Typed(f"{mark} for apostrophes", "apostrophes", _for("'", mark)) for mark in "`´′＇ʹ"),
    Typed("&#39; for apostrophes", "entities", _for("'", "&#39;")),
    Typed("&quot; for quotes", "entities", _for('"', "&quot;")),
    *(Typed(f"{a} {b} for quotes", "quotes", _quoted(a, b)) for a, b in ("«»", ("``", "''"), "「」")),
    *(Typed(f"{mark} for --", "dashes", _for("--", mark)) for mark in ("—", "–", "―", "−", "---")),
    Typed("… for ...", "ellipses", _for("...", "…")),
    Typed(". . . for ...", "ellipses", _for("...", ". . .")),
    *(Typed(f"U+{code:04X} for hyphens", "hyphens", _hyphenated(chr(code))) for code in (0x2010, 0x2011)),
    Typed("full-width commas", "full-width", _for(",", "，")),
    Typed("full-width full stops", "full-width", lambda page: re.sub(r"(?<=\w)\.(?= )", "．", page)),
    Typed("full-width letters", "full-width", _letters(_WIDE)),
    Typed("mathematical bold letters", "mathematical", _letters(_BOLD)),
    Typed("Cyrillic а, е, о", "homoglyphs", _letters(dict(zip("aeo", "аео", strict=True)))),
    Typed("Greek ο", "homoglyphs", _letters({"o": "ο"})),
    Typed("ligatures ﬁ, ﬂ, ﬀ", "ligatures", lambda page: page.replace("ff", "ﬀ").replace("fi", "ﬁ").replace("fl", "ﬂ")),
    Typed("accents apart", "decomposed", lambda page: unicodedata.normalize("NFD", page)),
    Typed("words divided at line ends of a text file", None, lambda page: _as_read(_divided(page)), same=True),
    Typed("UTF-8 read as cp1252", "mis-decoded", lambda page: _misread(page, "cp1252")),
    Typed("UTF-8 read as Latin-1", "mis-decoded", lambda page: _misread(page, "latin-1")),
)  # fmt: skip


def _misread(page: str, codec: str) -> str:
    """With typographic apostrophes; those have bytes that both codecs can show."""
    return page.replace("'", "’").encode().decode(codec)


def folded(page: str) -> str:
    """The page after the step `characters`."""
    return apply(page, folding(page, KINDS))


def difference(page: str, other: str) -> tuple[int, int, int]:
    """Tokens of a masked page that another has not, tokens that only the other has, and its sentences."""
    masked, changed = mask([page, other]).masked_texts
    before, after = (Counter(token for sentence in text.sentences for token in sentence) for text in (masked, changed))
    return (before - after).total(), (after - before).total(), changed.n_sentences


def characters_table() -> str:
    """The table for docs/masking.md; ways of typing with the same outcome share a row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for group in TYPED:
        lost, new, sentences = difference(PAGE, group.page)
        left = "" if group.kind is None else "{} + {}, {}".format(*difference(PAGE, folded(group.page)))
        name = group.name.replace("``", "two grave accents,").replace("`", "grave accents")
        rows.setdefault((group.kind or "", f"{lost} + {new}", str(sentences), left), []).append(name)
    usual = mask(PAGE)
    lines = [f"Typed plainly the page has {usual.n_tokens} tokens in {usual.n_sentences} sentences.", ""]
    lines += ["| typed | folded as | tokens lost + new | sentences | after folding |", "|---|---|---|---|---|"]
    for (kind, *figures), names in rows.items():
        inside = [name.removesuffix(" inside words") for name in names if name.endswith(" inside words")]
        others = [name for name in names if not name.endswith(" inside words")]
        first = [f"{len(inside)} characters inside words: {', '.join(inside)}"] if inside else []
        lines.append(f"| {'; '.join([*first, *others])} | {kind} | {' | '.join(figures)} |")
    return "\n".join(lines) + "\n"
