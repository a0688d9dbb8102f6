"""Scripts of all kinds on paper: which letters have no font, and which way a text runs.

What cannot be shown is said; words from right to left get marks that keep the rest in its order.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from idiograph.errors import some
from idiograph.texts.words import script_of, scripts_of

_RTL = r"\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
# Words with what stands between them; the parts of a path follow each other from left to right.
_STRETCH = re.compile(rf"[{_RTL}](?:(?:[{_RTL}\d_]|[^\w/\\])*[{_RTL}])?")
_FILE = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_ISOLATE, _END = "\u2067", "\u2069"  # right to left, whatever stands around
_LEFT_TO_RIGHT = "\u200e"  # a letter without width


def runs_right_to_left(text: str) -> bool:
    """Whether most letters of a text are written from right to left."""
    ways = [unicodedata.bidirectional(char) for char in text]
    return sum(way in ("R", "AL") for way in ways) > ways.count("L")


def isolated(text: str) -> str:
    """The text with marks that keep words from right to left from turning the numbers and signs after them round.

    A sentence that begins with such words is kept together with its full stop; in any other, and in the name of a
    file, each stretch of them.
    """
    if text.isascii() or not (match := _STRETCH.search(text)):
        return text
    opens = not any(map(str.isalpha, text[: match.start()]))
    if opens and runs_right_to_left(text) and not _FILE.search(text):
        return f"{_ISOLATE}{text}{_END}"
    return _STRETCH.sub(rf"{_ISOLATE}\g<0>{_END}", text)


def marked(text: str) -> str:
    """The same for one line of a figure, whose font has no such marks: the line runs from left to right."""
    if text.isascii() or not _STRETCH.search(text):
        return text
    return _LEFT_TO_RIGHT + _STRETCH.sub(rf"\g<0>{_LEFT_TO_RIGHT}", text)


UNSHOWN = "\ufffd"
_ELSEWHERE = "The web page and the DOCX file of the same name show them where such a font is installed."
_HEBREW = frozenset(map(chr, range(0x590, 0x600)))  # which the report's main font has
_SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE10)))  # of one look of a sign among several
_UNJOINED = frozenset(map(chr, range(0x900, 0x980)))  # Devanagari, which a font inside typst has for formulas


def foreign_letters(text: str) -> frozenset[str]:
    """The letters and signs that the fonts inside typst do not have, or do not join well."""
    if text.isascii():
        return frozenset()
    shown = (char for char in set(text) if not char.isascii() and unicodedata.category(char)[0] in "LMNPS")
    return frozenset(char for char in shown if char not in _own_letters() and char not in _SELECTORS)


def without_font(letters: Iterable[str]) -> frozenset[str]:
    """Those of the letters that no font of this machine has."""
    left = set(letters)
    for path in system_fonts():
        if not left:
            break
        left -= _letters_of(path)
    return frozenset(left)


def unshown(letters: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """What a page says of letters without a font, by where they stand: which scripts, where, and what to do."""
    by_place = {where: frozenset(chars) for where, chars in letters.items() if chars}
    unjoined = {where: chars for where, each in by_place.items() if (chars := each & _UNJOINED)}
    missing = {where: chars for where, each in by_place.items() if (chars := each - _UNJOINED)}
    sentences = []
    if missing:
        sentences.append(
            f"The machine that wrote this file has no font for these letters: {_letters_in_words(missing)}. Each is "
            f"printed as {UNSHOWN}."
        )
    if unjoined:
        sentences.append(
            "The machine that wrote this file has no font that joins these letters, so they are printed unjoined: "
            f"{_letters_in_words(unjoined)}."
        )
    return (*sentences, _ELSEWHERE) if sentences else ()


def _letters_in_words(by_place: Mapping[str, frozenset[str]]) -> str:
    """Scripts with how many of their letters, and the places."""
    letters = frozenset[str]().union(*by_place.values())
    scripts = [
        (script, [letter for letter in letters if script_of(letter) == script]) for script in scripts_of(letters)
    ]
    named = [f"{script} ({len(chars)} of its letters)" for script, chars in scripts]
    if signs := sorted(char for char in letters if unicodedata.category(char)[0] in "NPS"):
        named.append(f"other signs ({some([f'U+{ord(char):04X}' for char in signs], 5)})")
    return f"{', '.join(named)}; in {' and '.join(by_place)}"


def printable(text: str, missing: Iterable[str]) -> str:
    """The text with a sign for every letter that cannot be shown; marks that combine with it go."""
    signs = {
        ord(char): "" if unicodedata.category(char)[0] == "M" else f"{UNSHOWN}\u200b"
        for char in missing
        if char not in _UNJOINED
    }
    return text.translate(signs)


@cache
def system_fonts() -> tuple[Path, ...]:
    """The font files of this machine."""
    from matplotlib.font_manager import findSystemFonts

    return tuple(sorted(map(Path, findSystemFonts())))


@cache
def _own_letters() -> frozenset[str]:
    import matplotlib

    # Of the same family as typst's own last resort, which takes what the main font has not.
    return _letters_of(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSansMono.ttf") | _HEBREW


def _letters_of(path: Path) -> frozenset[str]:
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(map(chr, FT2Font(str(path)).get_charmap()))
    except (RuntimeError, OSError, ValueError):  # not a font that can be read, whatever its name says
        return frozenset()
