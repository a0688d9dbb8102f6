"""Lines cut into tokens, piece by piece: what stands between blanks is cut once by spaCy's tokenizer and remembered."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from idiograph.texts.masking.fast.layers import WIDTH, Floats
from idiograph.texts.masking.fast.weights import ATTRIBUTES, Flags, Numbers

# A piece with the blank behind it, or the blanks beyond that one: the very units of spaCy's tokenizer.
_PIECE = re.compile("[^ ]+ ?| +")
_OTHER_BLANK = re.compile(r"[^\S ]")
_COLUMNS = (*ATTRIBUTES, "ORTH", "LOWER", "LIKE_URL", "LIKE_EMAIL", "IDX", "LENGTH")
_N_KEYS = len(ATTRIBUTES)
_MOST_TYPES = 16_000  # 400 bytes each
_MOST_PIECES = 40_000

TYPE, WORD, CLASS, IS_ADDRESS, IS_BLANK, START, LENGTH = range(7)
"""What a token has: the number of its type, of its lower-cased word and of the word's class; whether it is an e-mail or
web address, whether white space; where it starts in its line, and how long it is."""

_SIZE, _FIRST, _LAST, _ODD = range(4)  # of a piece: characters, its outer tokens among special cases, other white space


class Tokens(NamedTuple):
    """The tokens of some lines, white space among them."""

    table: Numbers  # a row per token
    bounds: Numbers  # the first token of each line, and the end
    vectors: Floats  # the first vector of each type
    words: Sequence[str]  # lower-cased, by number


class Pieces:
    """All pieces met so far with their tokens, and the first vectors of all types of tokens.

    `first_vectors` makes them from the numbers of ATTRIBUTES, `word_classes` numbers the words that rules name.
    """

    def __init__(self, tokenizer: Any, first_vectors: Callable[[Any], Floats], word_classes: Mapping[str, int]) -> None:
        self._tokenizer, self._first_vectors, self._word_classes = tokenizer, first_vectors, word_classes
        self._joints, self._joined = _joints(tokenizer)
        self._zone: Any = None
        self._forget()

    def _forget(self) -> None:
        """Starts afresh, spaCy's own memory of words included: else memory would grow with the corpus."""
        if self._zone is not None:
            self._zone.__exit__(None, None, None)
        self._zone = self._tokenizer.vocab.memory_zone()
        self._zone.__enter__()
        self._numbers: dict[str, int] = {}
        self._types: dict[bytes, int] = {}
        self._word_numbers: dict[int, int] = {}
        self._words: list[str] = []
        self._vectors = _Growing(np.float32, WIDTH)
        self._table = _Growing(np.int64, 7)
        self._pieces = _Growing(np.int64, 4)
        self._ends = _Growing(np.int64)  # of each piece's tokens in the table

    def cut(self, lines: Sequence[str]) -> Tokens:
        """The tokens of the lines, the same as if spaCy had cut each line whole."""
        if len(self._types) > _MOST_TYPES or len(self._numbers) > _MOST_PIECES:
            self._forget()
        pieces = [_PIECE.findall(line) for line in lines]
        numbers = self._numbered(pieces)
        line = np.repeat(np.arange(len(lines)), [len(cut) for cut in pieces])
        # Lines that spaCy must cut whole: two pieces may meet in a special case, or one has other white space inside.
        outer = self._pieces.rows[numbers]
        meet = (line[1:] == line[:-1]) & self._joined[outer[:-1, _LAST], outer[1:, _FIRST]]
        whole = np.unique(np.concatenate([line[1:][meet], line[outer[:, _ODD] != 0]])).tolist()
        if whole:
            for number in whole:
                pieces[number] = [lines[number]]
            numbers = self._numbered(pieces)
            line = np.repeat(np.arange(len(lines)), [len(cut) for cut in pieces])
        ends, sizes = self._ends.rows[numbers], self._pieces.rows[numbers, _SIZE]
        counts = ends - np.where(numbers > 0, self._ends.rows[numbers - 1], 0)
        before = np.cumsum(counts, dtype=np.int64) - counts  # tokens before each piece
        rows = np.repeat(ends - counts - before, counts) + np.arange(int(counts.sum()))
        table = self._table.rows[rows]
        starts = np.cumsum(sizes, dtype=np.int64) - sizes
        first = np.searchsorted(line, np.arange(len(lines)))
        table[:, START] += np.repeat(starts - starts[first][line], counts)
        return Tokens(table, np.append(before[first], len(table)), self._vectors.rows, self._words)

    def _numbered(self, pieces: Sequence[Sequence[str]]) -> Numbers:
        """The numbers of all pieces, one line after the other; new pieces are cut."""
        flat = [piece for line in pieces for piece in line]
        numbers = list(map(self._numbers.get, flat))
        if None in numbers:
            self._learn([piece for piece, number in zip(flat, numbers, strict=True) if number is None])
            numbers = list(map(self._numbers.get, flat))
        return np.array(numbers, np.int64)

    def _learn(self, pieces: Sequence[str]) -> None:
        """Cuts new pieces and notes their tokens, and the first vectors of types not met before."""
        pieces = list(dict.fromkeys(pieces))
        cut = [self._tokenizer(piece).to_array(_COLUMNS) for piece in pieces]
        counts, rows = np.array([len(tokens) for tokens in cut]), np.concatenate(cut)
        keys = np.ascontiguousarray(rows[:, :_N_KEYS])
        table = np.empty((len(rows), 7), np.int64)
        known = len(self._types)
        table[:, TYPE] = [self._types.setdefault(key.tobytes(), len(self._types)) for key in keys]
        new, places = np.unique(table[:, TYPE], return_index=True)
        if len(self._types) > known:
            self._vectors.add(self._first_vectors(keys[places[new >= known]]))
        orth, lower, like_url, like_email, start, length = rows[:, _N_KEYS:].T
        words = [self._word(number) for number in lower.tolist()]
        table[:, WORD] = words
        table[:, CLASS] = [self._word_classes.get(self._words[word], 0) for word in words]
        table[:, IS_ADDRESS], table[:, IS_BLANK] = like_url | like_email, keys[:, ATTRIBUTES.index("IS_SPACE")]
        table[:, START], table[:, LENGTH] = start, length
        joints = np.array([self._joints.get(number, 0) for number in orth.tolist()])
        ends = np.cumsum(counts, dtype=np.int64)
        odd = [_OTHER_BLANK.search(piece) is not None for piece in pieces]
        sizes = [len(piece) for piece in pieces]
        self._pieces.add(np.column_stack([sizes, joints[ends - counts], joints[ends - 1], odd]))
        self._ends.add(self._table.size + ends)
        self._table.add(table)
        self._numbers.update(zip(pieces, range(len(self._numbers), len(self._numbers) + len(pieces)), strict=True))

    def _word(self, lower: int) -> int:
        number = self._word_numbers.setdefault(lower, len(self._words))
        if number == len(self._words):
            self._words.append(self._tokenizer.vocab.strings[lower])
        return number


class _Growing:
    """Rows of an array that grows by some at a time."""

    def __init__(self, kind: Any, *shape: int) -> None:
        self._room = np.zeros((1024, *shape), kind)
        self.size = 0

    def add(self, rows: Any) -> None:
        while self.size + len(rows) > len(self._room):
            self._room = np.concatenate([self._room, np.zeros_like(self._room)])
        self._room[self.size : self.size + len(rows)] = rows
        self.size += len(rows)

    @property
    def rows(self) -> Any:
        return self._room[: self.size]


def _joints(tokenizer: Any) -> tuple[dict[int, int], Flags]:
    """Tokens of special cases such as :-) by number, and which may follow which in one.

    spaCy looks for special cases among the tokens whatever blanks stand between them, so two pieces that meet like this
    must be cut together.
    """
    plain = type(tokenizer)(
        tokenizer.vocab,
        prefix_search=tokenizer.prefix_search,
        suffix_search=tokenizer.suffix_search,
        infix_finditer=tokenizer.infix_finditer,
        token_match=tokenizer.token_match,
        url_match=tokenizer.url_match,
    )
    pairs = {pair for case in tokenizer.rules for pair in pairwise(token.orth for token in plain(case))}
    numbers = {orth: number for number, orth in enumerate(sorted({orth for pair in pairs for orth in pair}), start=1)}
    joined = np.zeros((len(numbers) + 1, len(numbers) + 1), np.bool_)
    for first, second in pairs:
        joined[numbers[first], numbers[second]] = True
    return numbers, joined
