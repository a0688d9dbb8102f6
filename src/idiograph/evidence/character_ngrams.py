"""What the comparators count, characters of sentences and words, and the tables they compare."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
import numpy.typing as npt

from idiograph.arithmetic import FloatArray, dot
from idiograph.grammar.vocabulary import Numbers

Characters = npt.NDArray[np.int32]

BREAK = -1  # between texts, and between sentences: no n-gram runs across
_TEXTS_KEPT = 4096  # a reference serves many problems


def as_text(sentences: Sequence[Sequence[str]]) -> str:
    """Masked sentences as a text: tokens joined by blanks, one sentence per line."""
    return "\n".join(" ".join(sentence) for sentence in sentences)


@lru_cache(_TEXTS_KEPT)
def sentences_of(text: str) -> str:
    """The sentences, one per line, without digits and symbols (Unicode's S categories).

    A sentence ends after a run of `.`, `?`, `!` and at the end of a line.
    """
    pieces = (piece.strip() for piece in _ENDS.sub(r"\1\n", text).split("\n"))
    return "\n".join(piece for piece in pieces if piece).translate(_DROPPED)


@lru_cache(_TEXTS_KEPT)
def word_counts(text: str) -> Counter[str]:
    """How often each word and punctuation mark occurs, in lower case, in order of appearance.

    Symbols and pure numbers do not count; `'` and `.` inside a word do not divide it.
    """
    counts = Counter(_WORDS.findall(text.lower()))
    for word in [word for word in counts if word.isdecimal() or unicodedata.category(word[0])[0] == "S"]:
        del counts[word]
    return counts


@dataclass(frozen=True)
class CharacterNGrams:
    """The n-grams of several texts, numbered in order of appearance.

    Text i has the n-grams `ids[starts[i]:starts[i + 1]]`, each as often as `times` says, `totals[i]` in all.
    """

    starts: Numbers
    ids: Numbers
    times: Numbers
    totals: Numbers
    firsts: Numbers  # where each n-gram first starts among the characters of all texts, a break after each

    @property
    def n_texts(self) -> int:
        return len(self.totals)

    @property
    def n_ids(self) -> int:
        return len(self.firsts)

    def of_text(self, text: int) -> Numbers:
        """The n-grams of a text."""
        return self.ids[self.starts[text] : self.starts[text + 1]]

    def document_frequencies(self) -> Numbers:
        """How many texts have each n-gram."""
        return np.bincount(self.ids, minlength=self.n_ids)

    def frequencies(self) -> Numbers:
        """How often each n-gram occurs in all texts."""
        return np.bincount(self.ids, self.times, self.n_ids).astype(np.int64)

    def relative_frequencies(self, chosen: Numbers) -> FloatArray:
        """One row per text, one column per chosen n-gram: its share of all n-grams of the text."""
        return self.table(self.times / np.repeat(self.totals, np.diff(self.starts)), chosen)

    def table(self, values: FloatArray, chosen: Numbers) -> FloatArray:
        """One row per text, one column per chosen n-gram, of values in the order of `ids`."""
        columns = np.full(self.n_ids, -1, np.int64)
        columns[chosen] = np.arange(len(chosen))
        rows = np.repeat(np.arange(self.n_texts), np.diff(self.starts))
        is_chosen = columns[self.ids] >= 0
        table = np.zeros((self.n_texts, len(chosen)))
        table[rows[is_chosen], columns[self.ids[is_chosen]]] = values[is_chosen]
        return table


def n_grams(texts: Sequence[str], n: int, *, within_lines: bool) -> CharacterNGrams:
    """The character n-grams of the texts; within lines if so wanted, else across their ends too."""
    from idiograph.compiling import run
    from idiograph.evidence.kernels import by_appearance, count_texts

    characters, text_starts = characters_of(texts, within_lines=within_lines)
    numbers, firsts = run(by_appearance, characters, n)
    starts, ids, times, totals = run(count_texts, numbers, text_starts, len(firsts))
    return CharacterNGrams(starts, ids, times, totals, firsts)


def characters_of(texts: Sequence[str], *, within_lines: bool) -> tuple[Characters, Numbers]:
    """The code points of all texts in a row with a break after each, and where each starts (and the end)."""
    joined = "\0".join([*texts, ""])
    characters = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.int32).copy()
    ends = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64)
    characters[ends - 1] = BREAK
    if within_lines:
        characters[characters == ord("\n")] = BREAK
    return characters, np.concatenate([np.zeros(1, np.int64), ends])


def most_frequent(worth: FloatArray | Numbers, n: int) -> Numbers:
    """The numbers of the n-grams worth most, ascending; of equals the earlier ones."""
    return np.sort(np.argsort(-worth, kind="stable")[:n])


def cosine(left: FloatArray, right: FloatArray) -> float:
    """Σ x·y / sqrt(Σ x² · Σ y²); 0 where one of them is all zeros."""
    norms = dot(left, left) * dot(right, right)
    return dot(left, right) / sqrt(norms) if norms > 0.0 else 0.0


class _Dropped(dict[int, str | None]):
    """Code point → itself, or None for digits and symbols; found when first met."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        category = unicodedata.category(character)
        kept = None if category == "Nd" or category[0] == "S" else character
        self[code] = kept
        return kept


_DROPPED = _Dropped()
_ENDS = re.compile(r"([.?!]+)\s*")
_WORDS = re.compile(r"[^\W_]+(?:['.][^\W\d_]+)*|[^\w\s]|_")
