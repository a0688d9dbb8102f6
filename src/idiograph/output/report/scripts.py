"""Scripts of all kinds on paper: which way a text runs, and whether there is a font for its letters."""

import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from idiograph.errors import some

_HEBREW = frozenset(map(chr, range(0x590, 0x600)))  # which the report's main font has


def runs_right_to_left(text: str) -> bool:
    """Whether most letters of a text are written from right to left."""
    ways = [unicodedata.bidirectional(char) for char in text]
    return sum(way in ("R", "AL") for way in ways) > ways.count("L")


def foreign_letters(text: str) -> frozenset[str]:
    """The letters that the fonts inside typst do not have, or do not join well."""
    if text.isascii():
        return frozenset()
    letters = (char for char in set(text) if not char.isascii() and unicodedata.category(char)[0] in "LM")
    return frozenset(char for char in letters if char not in _own_letters())


def without_font(letters: Iterable[str]) -> frozenset[str]:
    """Those of the letters that no font of this machine has."""
    left = set(letters)
    for path in system_fonts():
        if not left:
            break
        left -= _letters_of(path)
    return frozenset(left)


def missing_sentence(letters: Iterable[str]) -> str:
    """What a page says that cannot show some letters."""
    found = sorted(letters)
    codes = some([f"U+{ord(char):04X}" for char in found], 5)
    return (
        f"This file cannot show {len(found):,} letters ({codes}), because the machine that wrote it has no font for "
        "them. The report as a web page (report.html) shows them where a font is installed."
    )


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
