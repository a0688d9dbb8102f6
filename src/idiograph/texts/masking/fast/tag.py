"""Lines tagged: cut into tokens, every piece between blanks once, and the network run over some lines at a time."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from idiograph.compiling import run
from idiograph.texts.masking.fast.layers import WIDTH, Floats, maxout, products
from idiograph.texts.masking.fast.transitions import HIDDEN, parsed, sentence_starts, workspace
from idiograph.texts.masking.fast.weights import ATTRIBUTES, Flags, Maxout, Numbers, read_model

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


_NOUN = "NOUN"  # what an e-mail or web address is taken for
_PADDING = 4  # empty rows between two lines: as far as four windows see
_NEEDED = (1, 2, 1, 0)  # of these, on either side of a line, those that a later window sees, after each window
_SEED = 8  # of the first attribute's hash
_AT_A_TIME = 512  # tokens; a longer line goes alone. What a layer leaves for the next stays near the processor


class KernelTagger:
    """The weights in a folder of spaCy's, with the tokenizer that goes with them."""

    def __init__(self, folder: Path, tokenizer: Any) -> None:
        self._model = read_model(folder)
        self._pieces = Pieces(tokenizer, self._first_vectors, self._model.ruler.word_classes)
        # What one window makes of an empty row among empty rows.
        self._empty = _normed(self._model.windows[0], np.zeros(3 * WIDTH, np.float32), np.zeros(1, np.int64))

    def tag(self, lines: Sequence[str]) -> tuple[Any, ...]:
        """The columns of `tagger.TaggedLines`: kinds, kind, line, sentence starts and spans, white space left out."""
        table, bounds, vectors, words = self._pieces.cut(lines)
        part, starts = np.empty(len(table), np.int64), np.empty(len(table), np.bool_)
        for first, end in _batches(bounds):
            here = slice(bounds[first], bounds[end])
            part[here], starts[here] = self._tagged(table[here], bounds[first : end + 1] - bounds[first], vectors)
        starts[bounds[:-1]] = True
        # Sentences are numbered before white space goes: where it opens one, the token after it does.
        sentence = np.cumsum(starts, dtype=np.int64)
        line = np.repeat(np.arange(len(lines)), np.diff(bounds))
        solid = table[:, IS_BLANK] == 0
        table, part, line, sentence = table[solid], part[solid], line[solid], sentence[solid]
        parts = self._model.ruler.parts
        part[table[:, IS_ADDRESS] != 0] = parts.index(_NOUN)
        pairs, kind = np.unique(table[:, WORD] * len(parts) + part, return_inverse=True)
        kinds = [(words[pair // len(parts)], parts[pair % len(parts)]) for pair in pairs.tolist()]
        spans = np.column_stack([table[:, START], table[:, START] + table[:, LENGTH]]).astype(np.int32)
        return kinds, kind, line, np.diff(sentence, prepend=-1) != 0, spans

    def _tagged(self, table: Numbers, bounds: Numbers, vectors: Floats) -> tuple[Numbers, Any]:
        """The number of each token's part of speech, and whether it starts a sentence."""
        model = self._model
        x, at = self._windows(vectors[table[:, TYPE]], bounds)
        tag = products(x, at, WIDTH, *model.tag).argmax(axis=1)
        narrow = products(x, at, WIDTH, *model.narrow)
        features = products(narrow.ravel(), np.arange(len(table)) * HIDDEN, HIDDEN, *model.lower)
        n, weights = len(table), (model.pad, model.lower_b, *model.upper)
        heads, labels, *rest = workspace(n)
        run(parsed, features, bounds, *weights, model.moves, model.labels, model.root, heads, labels, *rest)
        blank, starts = table[:, IS_BLANK] != 0, np.empty(n, np.bool_)
        widths = np.empty((3, n), np.int64)
        run(sentence_starts, heads, labels, bounds, blank, model.plain, model.sought, starts, *widths)
        return model.ruler.part_of(tag, table[:, CLASS], labels, bounds), starts

    def _first_vectors(self, keys: Any) -> Floats:
        """The vectors of types before any window, from the numbers of their attributes.

        Each is hashed to four rows of its table, which are added up; the six sums side by side go through a maxout.
        """
        sums = []
        for column, table in enumerate(self._model.tables):
            rows = _hashed(keys[:, column].astype(np.uint64), _SEED + column) % np.uint64(len(table))
            sums.append(((table[rows[0]] + table[rows[1]]) + table[rows[2]]) + table[rows[3]])
        x = np.hstack(sums)
        return _normed(self._model.mix, x.ravel(), np.arange(len(x)) * x.shape[1])

    def _windows(self, vectors: Floats, bounds: Numbers) -> tuple[Floats, Numbers]:
        """The tokens' vectors after four windows, flat, and where each begins.

        Lines stand between four empty rows, in which windows leave something, too. Only those rows are computed that a
        token's last vector depends on; after one window the inner two of four are the same everywhere.
        """
        lengths = np.diff(bounds)
        tokens = np.arange(len(vectors)) + np.repeat(_PADDING * np.arange(1, len(bounds)), lengths) + 1
        gaps = bounds + _PADDING * np.arange(len(bounds)) + 1  # the first of each four empty rows
        # One empty row more at either end, since a window reaches beyond.
        now = np.zeros((len(vectors) + _PADDING * len(bounds) + 2, WIDTH), np.float32)
        now[tokens] = vectors
        for layer, (window, needed) in enumerate(zip(self._model.windows, _NEEDED, strict=True)):
            beside = [gaps + position for n in range(needed) for position in (n, _PADDING - 1 - n)]
            rows = np.concatenate([tokens, *beside])
            now[rows] += _normed(window, now.ravel(), (rows - 1) * WIDTH)
            if layer == 0:
                now[np.concatenate([gaps + 1, gaps + 2])] = self._empty
        return now.ravel(), tokens * WIDTH


def _normed(layer: Maxout, x: Floats, at: Numbers) -> Floats:
    """norm(maxout(W·x[at] + b)), a row for each of `at`."""
    away, spread = maxout(x, at, layer.w.size // layer.b.size, layer.w, layer.b)
    # NumPy's power, as thinc takes it: on some processors it is not quite one over the square root.
    scale = (spread + np.float32(1e-8)) ** -0.5
    return away * scale * layer.gain + layer.shift


def _batches(bounds: Numbers) -> Iterator[tuple[int, int]]:
    """Runs of lines with some hundred tokens each: the first line, and the one after the last."""
    first = 0
    while first < len(bounds) - 1:
        end = int(np.searchsorted(bounds, bounds[first] + _AT_A_TIME, side="right")) - 1
        end = max(end, first + 1)
        yield first, end
        first = end


def _hashed(keys: Any, seed: int) -> Any:
    """MurmurHash3 of 64-bit numbers as thinc computes it: four rows of 32-bit numbers."""

    def mixed(h: Any) -> Any:
        h = (h ^ (h >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
        h = (h ^ (h >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
        return h ^ (h >> np.uint64(33))

    salt = np.uint64(seed ^ 8)
    h1 = keys * np.uint64(0x87C37B91114253D5)
    h1 = ((h1 << np.uint64(31)) | (h1 >> np.uint64(33))) * np.uint64(0x4CF5AD432745937F)
    h1 = (h1 ^ salt) + salt
    h1, h2 = mixed(h1), mixed(salt + h1)
    h1 = h1 + h2
    h2 = h2 + h1
    low = np.uint64(0xFFFFFFFF)
    return np.stack([h1 & low, h1 >> np.uint64(32), h2 & low, h2 >> np.uint64(32)])
