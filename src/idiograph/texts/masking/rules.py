"""What masking does to a text: its settings, the five methods, and the way from a content to masked sentences.

The originals of masked sentences: what stood where each of them stands, blanks and line ends included.

Everything a user can say about how texts are masked is at the end.
"""

import json
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from idiograph.errors import MaskingError
from idiograph.provenance import digest_json
from idiograph.records import parsed_json
from idiograph.settings import check_settings, setting
from idiograph.texts.characters import PLAIN, cleaning, removed_by
from idiograph.texts.edits import Edits, apply, spans_before
from idiograph.texts.language import LANGUAGES
from idiograph.texts.masking.models import TaggerModel, WordList
from idiograph.texts.masking.tagger import TaggedLines, Tagger, software
from idiograph.texts.text import IntArray, MaskedText, Sentence, Text
from idiograph.texts.words import PLACEHOLDERS

METHODS = ("posnoise", "frames", "textdistortion", "list", "none")
METHODS_WITH_LIST = ("posnoise", "textdistortion", "list")

_POSNOISE = {"NOUN": "N", "PROPN": "P", "VERB": "V", "ADJ": "J", "ADV": "B", "NUM": "D", "SYM": "S"}
_FRAMES = ("NOUN", "PROPN", "VERB", "NUM")
_STAR = "*"
# What stands for the words that say what a text is about; numbers and symbols say little of that.
_CONTENT: dict[str, tuple[str, ...]] = {
    "posnoise": ("N", "P", "V", "J", "B"),
    "frames": ("NOUN", "PROPN", "VERB"),
    "textdistortion": (_STAR,),
    "list": (_STAR,),
}
# All that a method puts in the place of words.
_MARKS = _CONTENT | {"posnoise": tuple(_POSNOISE.values()), "frames": _FRAMES, "none": ()}

# Half of a character, left by a careless cut somewhere; the tagger takes none.
_SURROGATE = re.compile("[\ud800-\udfff]")

# The parser takes about a gigabyte for 100,000 characters, so a longer run without a line break is cut.
_LONGEST_LINE = 20_000
_GROUP = 20_000  # characters handed to the tagger at a time; more is no faster and takes more memory
_CUT = re.compile(r"[.?!][\"')\]]*\s+(?=\S)|(?<=\s)(?=\S)")

# A placeholder with something glued to it; the tokenizer would take both for one word.
_named = "|".join(re.escape(word) if word[0] == "<" else rf"\b{re.escape(word)}\b" for word in PLACEHOLDERS)
_GLUED = re.compile(rf"(?<=\S)(?:{_named})|(?:{_named})(?=\S)")

# Bytes of a text's tokens and spans; far more than the largest text that is read can have.
_LARGEST_PACKED = 400_000_000

LEFT_OUT = "left_out_by_masking"  # in a masked text's metadata: the characters without a visible form, counted

# Part of every cache key: raise it when the same settings come to give other tokens.
CODE_VERSION = 1


@dataclass(frozen=True)
class Masking:
    """Everything that decides what a text is masked to."""

    method: str
    model: TaggerModel
    word_list: WordList | None
    normalise_quotes: bool
    clean: bool = True  # false where what was masked before characters without a visible form went is masked again

    @property
    def signature(self) -> str:
        """`posnoise-2.1+en_core_web_sm-3.8.0+quotes`: two texts masked alike have the same."""
        method = f"{self.method}-{self.word_list.name}" if self.word_list else self.method
        return "+".join([method, self.model.label, *(["quotes"] if self.normalise_quotes else [])])

    @cached_property
    def key(self) -> str:
        """The digest of all that the outcome depends on besides the text."""
        return digest_json(
            {
                "code": CODE_VERSION,
                "method": self.method,
                "model": [self.model.digest, self.model.config_digest],
                "software": software(self.model),
                "list": self.word_list and [self.word_list.digest, sorted(self.word_list.words)],
                "quotes": self.normalise_quotes,
                "placeholders": PLACEHOLDERS,
                **({} if self.clean else {"clean": False}),
            }
        )

    def cleaning(self, content: str) -> Edits:
        """The edits that are made to a content before it is tagged."""
        return cleaning(content) if self.clean else ()

    def token(self, word: str, tag: str) -> str:
        """What stands for a lower-cased word with this part of speech."""
        if self.method == "none" or word in PLACEHOLDERS:
            return word
        if self.method == "frames":
            return tag if tag in _FRAMES else word
        assert self.word_list is not None
        if word in self.word_list.words:
            return word
        if self.method == "posnoise":
            return _POSNOISE.get(tag, word)
        return word if tag == "PUNCT" else _STAR


def n_kept(text: MaskedText) -> int | None:
    """How many tokens of a text masking left as they were; None where it was masked elsewhere.

    An asterisk that the text has itself is not told from the mark.
    """
    signs = marks(text.masking)
    return None if signs is None else sum(token not in signs for sentence in text.sentences for token in sentence)


def marks(masking: str) -> tuple[str, ...] | None:
    """What masking puts in the place of words; None where that is not known."""
    return _MARKS.get(_method_of(masking))


def _method_of(masking: str) -> str:
    """The method that a signature names."""
    return re.split("[-+]", masking)[0]


def hides_content(masking: str) -> bool:
    """Whether a masking, by its method or its signature, tells content words from others by what it hides."""
    return _method_of(masking) in _CONTENT


def content_words(text: MaskedText, content: str) -> tuple[tuple[str, ...], ...]:
    """The content words of each sentence: the originals, lower-cased, of the tokens that masking hid as such.

    Quotes and blanks are made plain, as masking reads them, so that no editor's apostrophe makes another word. A star
    stands for numbers and symbols, too: there a content word is one with a letter.
    """
    if not hides_content(text.masking) or (text.n_tokens and not len(text.spans)):
        raise MaskingError(
            f"What {text.id} is about cannot be told: its masking ({text.masking or 'unknown'}) does not say which "
            "words it hid, or where they stood. Give the original text and mask it, for example with posnoise."
        )
    hidden = _CONTENT[_method_of(text.masking)]
    plain, spans = content.translate(PLAIN), iter(text.spans.tolist())
    sentences = []
    for sentence in text.sentences:
        located = zip(sentence, islice(spans, len(sentence)), strict=True)
        words = [plain[start:end].lower() for token, (start, end) in located if token in hidden]
        if _STAR in hidden:
            words = [word for word in words if any(map(str.isalpha, word))]
        sentences.append(tuple(words))
    return tuple(sentences)


@dataclass(frozen=True)
class MaskedContent:
    """The sentences of one content, and for every token its characters in it."""

    sentences: tuple[Sentence, ...]
    spans: IntArray

    def pack(self) -> bytes:
        """A few bytes per token, with a checksum; `unpack` is its inverse."""
        tokens = json.dumps(self.sentences, ensure_ascii=False, separators=(",", ":")).encode()
        # Distances are small and repeat themselves, places do not.
        gaps = np.diff(self.spans.ravel(), prepend=0).astype("<i4")
        return zlib.compress(struct.pack("<I", len(tokens)) + tokens + gaps.tobytes(), 1)

    @classmethod
    def unpack(cls, packed: bytes) -> "MaskedContent":
        """The inverse of `pack`; a ValueError if these bytes are not what it made."""
        try:
            content = zlib.decompressobj().decompress(packed, _LARGEST_PACKED)
            (length,) = struct.unpack_from("<I", content)
            sentences = tuple(map(tuple, parsed_json(content[4 : 4 + length])))
            spans = np.cumsum(np.frombuffer(content, "<i4", offset=4 + length), dtype=np.int32).reshape(-1, 2)
        except (zlib.error, struct.error, TypeError) as error:
            raise ValueError(f"not a packed text ({error})") from error
        tokens = [token for sentence in sentences for token in sentence]
        if len(tokens) != len(spans) or not set(map(type, tokens)) <= {str}:
            raise ValueError("not a packed text: its tokens and spans do not fit")
        return cls(sentences, spans)


def mask_contents(contents: Sequence[str], masking: Masking, tagger: Tagger) -> list[MaskedContent]:
    """The contents masked, in order: cleaned, cut at line breaks, tagged, cut at the tagger's sentence boundaries."""
    edits = [masking.cleaning(content) for content in contents]
    contents = [apply(content, changes) for content, changes in zip(contents, edits, strict=True)]
    sentences: list[list[Sentence]] = [[] for _ in contents]
    spans: list[list[IntArray]] = [[np.empty((0, 2), np.int32)] for _ in contents]
    ahead = sum(map(len, contents))
    for group in _groups(contents, masking):
        ahead -= sum(len(line.text) for line in group)
        tagged = tagger.tag([line.text for line in group], ahead=ahead)
        forms = [masking.token(word, tag) for word, tag in tagged.kinds]
        tokens = [forms[kind] for kind in tagged.kind.tolist()]
        number = np.array([line.number for line in group])[tagged.line]
        for a, b in _runs(np.flatnonzero(tagged.starts_sentence), len(tokens)):
            sentences[number[a]].append(tuple(tokens[a:b]))
        places = _places(tagged, group)
        for a, b in _runs(np.flatnonzero(np.diff(number, prepend=-1)), len(tokens)):
            spans[number[a]].append(places[a:b])
    return [
        MaskedContent(tuple(text_sentences), spans_before(edited, np.concatenate(places)).astype(np.int32, copy=False))
        for text_sentences, places, edited in zip(sentences, spans, edits, strict=True)
    ]


def masked_metadata(text: Text, masking: Masking) -> Mapping[str, Any]:
    """A text's metadata, with the characters that masking itself left out: none where reading did so."""
    edits = masking.cleaning(text.content)
    return {**text.metadata, LEFT_OUT: dict(removed_by(edits))} if edits else text.metadata


def _runs(firsts: npt.NDArray[np.intp], end: int) -> Iterator[tuple[int, int]]:
    """From each first to the next; the last run goes to the end."""
    return zip(firsts.tolist(), [*firsts[1:].tolist(), *([end] if len(firsts) else [])], strict=True)


@dataclass(frozen=True)
class _LineToTag:
    """A line, or a piece of a long one, as it goes to the tagger."""

    number: int  # of the content it belongs to
    start: int  # its place there
    text: str
    places: IntArray | None  # the place of each character before placeholders were set apart, if any was


def _places(tagged: TaggedLines, group: list[_LineToTag]) -> IntArray:
    """The tokens' spans in their contents."""
    spans = tagged.spans.copy()
    for number, line in enumerate(group):
        if line.places is not None:
            a, b = np.searchsorted(tagged.line, (number, number + 1))
            spans[a:b] = line.places[spans[a:b]]
    return spans + np.array([line.start for line in group], np.int32)[tagged.line][:, np.newaxis]


def _groups(contents: Sequence[str], masking: Masking) -> Iterator[list[_LineToTag]]:
    """Runs of lines with a bounded number of characters: what the tagger needs at once stays bounded."""
    group: list[_LineToTag] = []
    size = 0
    for number, content in enumerate(contents):
        for start, text in _lines(content, masking):
            if group and size + len(text) > _GROUP:
                yield group
                group, size = [], 0
            group.append(_LineToTag(number, start, *_set_apart(text)))
            size += len(text)
    if group:
        yield group


def _lines(content: str, masking: Masking) -> Iterator[tuple[int, str]]:
    """The lines that hold more than white space, each with its place; one without end is cut."""
    content = _SURROGATE.sub("\ufffd", content)
    if masking.normalise_quotes:
        content = content.translate(PLAIN)
    start = 0
    for line, with_break in zip(content.splitlines(), content.splitlines(keepends=True), strict=True):
        for a, b in _pieces(line):
            piece = line[a:b]
            if piece and not piece.isspace():
                yield start + a, piece
        start += len(with_break)


def _pieces(line: str) -> Iterator[tuple[int, int]]:
    """A line in pieces short enough to tag, cut after a sentence's end, else at a blank, else anywhere."""
    start = 0
    while len(line) - start > _LONGEST_LINE:
        cuts = list(_CUT.finditer(line, start + _LONGEST_LINE // 2, start + _LONGEST_LINE))
        ends = [cut.end() for cut in cuts if cut.group()] or [cut.end() for cut in cuts] or [start + _LONGEST_LINE]
        yield start, ends[-1]
        start = ends[-1]
    yield start, len(line)


def _set_apart(line: str) -> tuple[str, IntArray | None]:
    """The line with a blank between each placeholder and what is glued to it, and where its characters were."""
    if not _GLUED.search(line):
        return line, None
    parts, places, last = [], [], 0
    for match in _GLUED.finditer(line):
        parts += [line[last : match.start()], " ", match.group(), " "]
        places += [*range(last, match.start()), match.start(), *range(*match.span()), match.end()]
        last = match.end()
    parts.append(line[last:])
    places += range(last, len(line) + 1)
    return "".join(parts), np.array(places, np.int32)


def original_sentences(text: MaskedText, content: str) -> tuple[str, ...]:
    """Each sentence as written, up to where the next one begins; what stands before the first token is left out."""
    before, starts = 0, []
    for sentence in text.sentences:
        # A sentence without a token begins where the next one does.
        starts.append(int(text.spans[before, 0]) if before < len(text.spans) else len(content))
        before += len(sentence)
    ends = [*starts[1:], len(content)]
    return tuple(content[start:end] for start, end in zip(starts, ends, strict=True))


def pieces(sentences: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    """Numbered sentences as stretches of the original: those that follow each other are one piece."""
    stretches: list[str] = []
    last = None
    for number, sentence in sentences:
        if stretches and last == number - 1:
            stretches[-1] += sentence
        else:
            stretches.append(sentence)
        last = number
    return tuple(stretches)


LANGUAGE: dict[str, Any] = {
    "must": "the code of a language, such as de for German, fr for French or pl for Polish (docs/languages.md has all)",
    "allows": lambda code: code is None or code in LANGUAGES,
}
MODEL = "Another installed spaCy model, as name or name@digest."
WORD_LIST = "A file of words to keep, one per line, in place of the usual list."


@dataclass(frozen=True, kw_only=True)
class MaskingOptions:
    """How texts are masked; the names are those of `idiograph.mask`."""

    method: str = setting(
        "posnoise", choices=METHODS, option="--masking", also="--method", help="Which words are masked."
    )
    language: str | None = setting(
        None, **LANGUAGE, help="The language of the texts by its code, such as de (default: the model's, else en)."
    )
    model: str | None = setting(None, help=MODEL)
    word_list: Path | None = setting(None, also="--list", help=WORD_LIST)
    normalise_quotes: bool = setting(
        True,
        option="--normalise-quotes/--keep-quotes",
        help="Treat typographic quotes and apostrophes as plain ones, and no-break spaces as blanks "
        "(default: normalise).",
    )

    def __post_init__(self) -> None:
        check_settings(self)
