"""Scripts of all kinds on paper: whether there is a font for their letters, and what is said where there is none."""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from idiograph.errors import some
from idiograph.texts.scripts import script_of, scripts_of

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
    found = {place: frozenset(own) for place, own in letters.items() if own}
    unjoined = {place: own for place, each in found.items() if (own := each & _UNJOINED)}
    missing = {place: own for place, each in found.items() if (own := each - _UNJOINED)}
    said = []
    if missing:
        said.append(
            f"The machine that wrote this file has no font for these letters: {_listed(missing)}. Each is printed as "
            f"{UNSHOWN}."
        )
    if unjoined:
        said.append(
            "The machine that wrote this file has no font that joins these letters, so they stand unjoined: "
            f"{_listed(unjoined)}."
        )
    return (*said, _ELSEWHERE) if said else ()


def _listed(found: Mapping[str, frozenset[str]]) -> str:
    """Scripts with how many of their letters, and the places."""
    letters = frozenset[str]().union(*found.values())
    scripts = [(script, [one for one in letters if script_of(one) == script]) for script in scripts_of(letters)]
    named = [f"{script} ({len(own)} of its letters)" for script, own in scripts]
    if signs := sorted(char for char in letters if unicodedata.category(char)[0] in "NPS"):
        named.append(f"other signs ({some([f'U+{ord(char):04X}' for char in signs], 5)})")
    return f"{', '.join(named)}; in {' and '.join(found)}"


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
