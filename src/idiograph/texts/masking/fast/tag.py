"""Lines tagged: the network run over their tokens, some lines at a time."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from idiograph.compiling import run
from idiograph.texts.masking.fast.layers import WIDTH, Floats, maxout, products
from idiograph.texts.masking.fast.pieces import CLASS, IS_ADDRESS, IS_BLANK, LENGTH, START, TYPE, WORD, Pieces
from idiograph.texts.masking.fast.transitions import HIDDEN, parsed, sentence_starts, workspace
from idiograph.texts.masking.fast.weights import Maxout, Numbers, read_model

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
