"""Characters that a reader does not see, or cannot tell from others, and what becomes of them.

**Without a visible form:** what Unicode calls default-ignorable, and control characters. Word processors, messengers
and web pages leave them inside and between words, where a tagger takes them for letters. They always go, when a text
is read and, in texts that were not read, before masking (`cleaning`). Joiners stay between letters of scripts that
spell with them; joiners, variation selectors and tags stay inside emojis. Characters that end lines go by Unicode's
bidirectional classes: one that separates paragraphs (class B) becomes a line break, one that ends a line or a page
inside a paragraph (classes S and WS) a blank, and so does a Braille cell without dots.

**Alike to the eye:** letters of other alphabets, ligatures, full-width forms, dashes, quotes and so on (`KINDS`). Some
a program puts in, some a writer chooses; masking takes few of them for one another. They are counted, and the
preparation step `characters` folds them.
"""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from idiograph.texts.edits import Edit, Edits, apply, joined, replacing
from idiograph.texts.words import words

CLEANED = "characters without a visible form removed"  # the step in a text's reading record

# Pictographs, dingbats, flags and skin tones; then signs that become one by variation.
PICTURES = r"\U0001F000-\U0001FAFF\u2600-\u27BF\u2B00-\u2BFF\u231A\u231B\u23CF-\u23FA\u2934\u2935\u3030\u303D"
SIGNS_AS_PICTURES = "©®‼⁉™ℹ↔-↪"
_PICTURE = rf"[{PICTURES}{SIGNS_AS_PICTURES}\u3297\u3299][\uFE0E\uFE0F]?[\U0001F3FB-\U0001F3FF]?"
_FLAG = r"\U0001F3F4[\U000E0020-\U000E007E]+\U000E007F"
_EMOJI = rf"{_FLAG}|[0-9#*]\uFE0F?\u20E3|{_PICTURE}(?:\u200D{_PICTURE})*"

# Bytes of UTF-8 after the first, as cp1252 and Latin-1 show them.
_REST = "\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
# What comes of UTF-8 that was read as cp1252 or Latin-1 (â€™ for ’) or, beside Latin letters, as GBK (鈥檚 for ’s).
MISDECODED = re.compile(
    f"Ã[{_REST}]|Â[\x80-\xbf]|â[€‚„†ˆ‰‹Œ][{_REST}]|â€|[Ä-ß][\x80-\x9f]|[à-ï](?:[\x80-\x9f][{_REST}]|[{_REST}][\x80-\x9f])|"
    f"ð[\x90\x9fŸ][{_REST}]{{2}}|ï»¿|ï¿½|(?<=[A-Za-z ])鈥[\u4e00-\u9fff]?"
)
BROKEN = re.compile(f"\N{REPLACEMENT CHARACTER}|{MISDECODED.pattern}|[\x80-\x84\x86-\x9f]")

# Default_Ignorable_Code_Point of Unicode without joiners and fillers, the marks of interlinear annotations, and the
# controls C0 and C1 that end no line.
_INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINERS, _VARIANTS, _FILLERS = "\u200c\u200d", "\u180b-\u180d\u180f", "\u115f\u1160\u3164\uffa0"
_PARAGRAPHS, _LINES, _PAGE = "\x1c-\x1e\x85\u2029", "\x0b\x1f\u2028\u2800", "\x0c"
_SUSPECT = re.compile(f"[{_INVISIBLE}{_JOINERS}{_VARIANTS}{_FILLERS}{_PARAGRAPHS}{_LINES}{_PAGE}]")
_CLEANED = re.compile(
    f"(?P<whole>{_EMOJI}|{MISDECODED.pattern})|(?P<paragraph>[{_PARAGRAPHS}])|(?P<line>[{_LINES}])|(?P<page>{_PAGE})|"
    f"(?P<joiner>[{_JOINERS}]+|[{_VARIANTS}]+|[{_FILLERS}])|(?P<invisible>[{_INVISIBLE}]+)"
)
_INSTEAD = {"invisible": "", "paragraph": "\n", "line": " "}
# As Unicode's names of their letters begin: scripts whose letters are joined, or would be but for a joiner.
_JOINING = (
    "ARABIC SYRIAC NKO MANDAIC MONGOLIAN PHAGS-PA ADLAM HANIFI MANICHAEAN PSALTER SOGDIAN CHORASMIAN DEVANAGARI "
    "BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA MALAYALAM SINHALA KHMER MYANMAR TIBETAN BALINESE JAVANESE "
    "SUNDANESE BRAHMI GRANTHA TIRHUTA MODI NEWA CHAKMA MEETEI LIMBU SHARADA TAKRI KAITHI LEPCHA"
)
_VIRAMA = 9  # the combining class of signs that take a consonant's vowel away


def cleaning(content: str) -> Edits:
    """The edits that leave out what has no visible form and make a blank or a line break of what only ends a line."""
    if _SUSPECT.search(content) is None:
        return ()
    edits: list[Edit] = []
    for match in _CLEANED.finditer(content):
        start, removed = match.start(), match.group()
        if match.lastgroup in _INSTEAD:
            edits.append((start, removed, _INSTEAD[match.lastgroup]))
        elif match.lastgroup == "page":
            # Beside a line break a blank would look like an indented line.
            beside = "\n" in (content[start - 1 : start], content[match.end() : match.end() + 1])
            edits.append((start, removed, "" if beside else " "))
        elif match.lastgroup == "joiner":
            kept = int(_joins(content, *match.span()))
            if removed[kept:]:
                edits.append((start + kept, removed[kept:], ""))
    return tuple(edits)


def _joins(content: str, start: int, end: int) -> bool:
    """Whether joiners, or their like, stand where the letters' script spells with them."""
    before, after = _script(content[max(start - 1, 0) : start]), _script(content[end : end + 1])
    if content[start] in _JOINERS:
        joining, after_virama = _JOINING.split(), unicodedata.combining(content[max(start - 1, 0)]) == _VIRAMA
        return before in joining and (after in joining or after_virama)
    return "HANGUL" in (before, after) if re.match(f"[{_FILLERS}]", content[start]) else before == "MONGOLIAN"


@cache
def _script(character: str) -> str:
    return unicodedata.name(character, "").split(" ")[0] if character else ""


def belonging(content: str) -> frozenset[int]:
    """The places of characters without a form of their own that belong to a word or an emoji: cleaning leaves them."""
    gone = {position for start, removed, _ in cleaning(content) for position in range(start, start + len(removed))}
    return frozenset(match.start() for match in _SUSPECT.finditer(content)) - gone


def removed_by(edits: Iterable[Iterable[object]]) -> Counter[str]:
    """How often each character was taken out or made a blank or a line break by `cleaning`, as `U+200B`."""
    return Counter(f"U+{ord(character):04X}" for _, removed, _ in edits for character in str(removed))


@dataclass(frozen=True)
class CharacterKind:
    """Characters that look like others, and the edits that put the usual ones in their place."""

    called: str  # in a sentence
    chosen: bool  # by writers as well as by programs
    folding: Callable[[str], Edits]


_LETTER = r"[^\W\d_]"
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_APOSTROPHE = re.compile(f"(?<={_LETTER})[`´′＇ʹʻ‵ʽˈ՚](?={_LETTER})")
_QUOTES = re.compile("[«»〝〞「」『』]|(?<![0-9])[″‶]|(?<!`)``(?!`)|(?<!')''(?!')|(?<!,),,(?!,)|[‹›]")
_DASH = re.compile("[—―⸺⸻﹘–‒−]|(?<!-)---(?!-)")
_HYPHEN = re.compile("[‐‑⁃﹣]")
_ELLIPSIS = re.compile(r"…|\.(?:[ \xa0]\.){2,}")
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_WIDE = re.compile(
    "[Ａ-Ｚａ-ｚ０-９]|(?<=[A-Za-z0-9Ａ-Ｚａ-ｚ０-９])[！-／：-＠［-｀｛-～]|[！-／：-＠［-｀｛-～](?=[A-Za-z0-9Ａ-Ｚａ-ｚ０-９])"
)
_MATHEMATICAL = re.compile("[\U0001d400-\U0001d7ffⒶ-ⓩℂℊ-ℓℕℙ-ℝℤℨℬℭℯ-ℱℳℴ]")
_DECOMPOSED = re.compile(f"{_LETTER}[\u0300-\u036f]+")
_BLANK = re.compile("[\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]")  # masking knows the no-break ones
_WORD = re.compile(f"{_LETTER}+")
_LATIN = re.compile("[A-Za-z]+")
_GAP = re.compile(r"[-‐][ \t]*\n|- ")
_DIVIDED = re.compile(
    f"(?P<before>{_LETTER}+)(?P<gap>[-‐][ \\t]*\\n[ \\t]*)(?P<after>{_LETTER}+)"
    f"|(?P<first>{_LETTER}{{2,}})(?P<blank>- )(?P<second>{_LETTER}{{2,}})"
)
# Letters of Cyrillic, Greek and phonetic script that look like Latin ones (Unicode's confusables, those of one form).
_TWINS = dict(
    zip(
        "аеорсухіјѕһԁԛԝАВЕЅКМНОРСТХІЈУΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιραυɑɡ",
        "aeopcyxijshdqwABESKMHOPCTXIJYABEZHIKMNOPTYXovipauag",
        strict=True,
    )
)
_BYTES = {bytes([byte]).decode("cp1252", "ignore") or chr(byte): byte for byte in range(0x80, 0x100)}
_BYTES |= {chr(byte): byte for byte in range(0x80, 0xA0)}
# Typographic quotes and blanks as plain ones: one character for one, so that spans need no correction.
PLAIN = str.maketrans(dict.fromkeys("‘’‚‛ʼ", "'") | dict.fromkeys("“”„‟", '"') | dict.fromkeys("\xa0\u2007\u202f", " "))
_PLAIN = PLAIN | str.maketrans({"…": "...", "—": "--", "–": "--"})


def _compatible(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match.group())


def _dash(match: re.Match[str]) -> str:
    """A hyphen before or between digits (a minus, `1990–95`), else two."""
    around = (match.string[position : position + 1] for position in (match.start() - 1, match.end()) if position >= 0)
    return "-" if match.group() in "–‒−" and any(map(str.isdigit, around)) else "--"


def _repaired(match: re.Match[str]) -> str:
    """The character whose bytes were misread; the sequence as it is if there is none."""
    garbled = match.group()
    if garbled == "â€":  # a closing quotation mark: cp1252 has nothing for its last byte
        return "”"
    try:
        data = garbled.encode("gbk") if garbled[0] == "鈥" else bytes(_BYTES[character] for character in garbled)
        return data.decode("utf-8")
    except (UnicodeError, KeyError):
        return garbled


def _twins(content: str) -> Edits:
    """Letters of other scripts in words that have Latin letters too, or stand between such words in a Latin text."""
    if not any(letter in content for letter in _TWINS) or 2 * len(_LATIN.findall(content)) < len(
        _WORD.findall(content)
    ):
        return ()
    edits: list[Edit] = []
    words = list(_WORD.finditer(content))
    for number, word in enumerate(words):
        foreign = [(position, letter) for position, letter in enumerate(word.group(), word.start()) if letter in _TWINS]
        others = {_script(letter) for letter in set(word.group()) - _TWINS.keys()}
        beside = [*words[max(number - 1, 0) : number], *words[number + 1 : number + 2]]
        alone = not others and all(_LATIN.search(neighbour.group()) for neighbour in beside)
        if foreign and (others == {"LATIN"} or alone):
            edits += ((position, letter, _TWINS[letter]) for position, letter in foreign)
    return tuple(edits)


def _divided(content: str) -> Edits:
    """Hyphens that a printer or a scanner left in words, at the end of a line or, the line joined, before a blank.

    The text's own words decide; if they are silent, a hyphen goes at a line's end before a small letter and stays
    before a blank, where it may stand for the rest of a word (`two- or threefold`).
    """
    if not _GAP.search(content):
        return ()
    known: set[str] | None = None
    edits: list[Edit] = []
    for match in _DIVIDED.finditer(content):
        known = known or set(words(content)) | {word.lower() for word in re.findall(r"\w+-\w+", content)}
        before, gap, after = (match[1], match[2], match[3]) if match[2] else (match[4], match[5], match[6])
        whole, compound = f"{before}{after}".lower(), f"{before}-{after}".lower()
        at_line_end = match[2] is not None
        if whole in known or (at_line_end and after[0].islower() and compound not in known):
            edits.append((match.start(2 if at_line_end else 5), gap, ""))
        elif at_line_end and compound in known:
            edits.append((match.start(2), gap, "-"))
    return tuple(edits)


KINDS: dict[str, CharacterKind] = {
    "mis-decoded": CharacterKind("mis-decoded characters (â€™)", False, replacing(MISDECODED, _repaired)),
    "entities": CharacterKind(
        "HTML entities (&#39;)",
        False,
        replacing(_ENTITY, lambda match: html.unescape(match.group()).translate(_PLAIN), in_ascii=True),
    ),
    "homoglyphs": CharacterKind("letters of other alphabets inside Latin words", False, _twins),
    "full-width": CharacterKind("full-width letters and marks", False, replacing(_WIDE, _compatible)),
    "mathematical": CharacterKind("mathematical and circled letters", False, replacing(_MATHEMATICAL, _compatible)),
    "ligatures": CharacterKind("ligatures (ﬁ)", False, replacing(_LIGATURE, _compatible)),
    "decomposed": CharacterKind(
        "accents apart from their letters",
        False,
        replacing(_DECOMPOSED, lambda match: unicodedata.normalize("NFC", match.group())),
    ),
    "divided words": CharacterKind("words divided by a hyphen at a line's end", False, _divided),
    "hyphens": CharacterKind("typographic hyphens (U+2010, U+2011)", False, replacing(_HYPHEN, "-")),
    "apostrophes": CharacterKind(
        "accents and primes for apostrophes (don`t)", True, replacing(_APOSTROPHE, "'", in_ascii=True)
    ),
    "quotes": CharacterKind(
        'quotation marks other than “…” and "…"',
        True,
        replacing(_QUOTES, lambda match: "'" if match.group() in "‹›" else '"', in_ascii=True),
    ),
    "dashes": CharacterKind("dashes other than --", True, replacing(_DASH, _dash, in_ascii=True)),
    "ellipses": CharacterKind(
        "ellipses other than ...",
        True,
        replacing(_ELLIPSIS, lambda match: "." * max(3, match.group().count(".")), in_ascii=True),
    ),
    "blanks": CharacterKind("typographic blanks (thin, em, ideographic)", False, replacing(_BLANK, " ")),
}


_MOST_FOLDS = 5  # one is enough for nearly every text


def folding(content: str, kinds: Iterable[str]) -> Edits:
    """The edits that fold characters of these kinds; where two kinds meet, the one that the table has first wins.

    What a fold leaves may be a look-alike itself (a letter whose bytes were misread), so folds go on while any applies.
    """
    wanted = [name for name in KINDS if name in set(kinds)]
    folded = content
    all_of_them: Edits = ()
    for _ in range(_MOST_FOLDS):
        edits = [(edit, order) for order, name in enumerate(wanted) for edit in KINDS[name].folding(folded)]
        taken: list[Edit] = []
        for edit, _ in sorted(edits, key=lambda pair: (pair[0][0], pair[1])):
            if not taken or edit[0] >= taken[-1][0] + len(taken[-1][1]):
                taken.append(edit)
        if not taken:
            break
        all_of_them = joined(content, all_of_them, taken)
        folded = apply(content, all_of_them)
    return all_of_them


def count_kinds(content: str) -> Counter[str]:
    """How many characters, or pairs and sequences of them, a text has of each kind."""
    return Counter({name: n for name, kind in KINDS.items() if (n := len(kind.folding(content)))})
