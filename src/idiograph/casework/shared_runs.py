"""Long runs of words that two texts share: copies, quotations, replies and templates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from idiograph.casework.comparison_texts import CaseTexts, Texts
from idiograph.casework.findings import RUN_TOKENS, SAME_TEXT, finding
from idiograph.casework.verification import Finding
from idiograph.casework.wording import percent
from idiograph.errors import ProblemError, some
from idiograph.texts.text import MaskedText

# A run of few different words (a table, a list of masked names) recurs by itself.
_FEWEST_TYPES = 8
_SHOWN = 3
_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no word's part is lost modulo 2^64

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Shared:
    """Two texts with common runs; `share` of the first's words lie in them."""

    one: MaskedText
    other: MaskedText
    share: float
    run: str


@dataclass(frozen=True)
class SharedRuns:
    """The pairs of texts with a run in common: each text with the one of the other side that shares most of it."""

    label: str
    q_with_k: tuple[Shared, ...]
    q_with_reference: tuple[Shared, ...]
    k_with_reference: tuple[Shared, ...]
    among_reference: tuple[Shared, ...]  # by different authors

    @property
    def by_sides(self) -> tuple[tuple[str, str, tuple[Shared, ...]], ...]:
        """The pairs of each two sides, with the code of their finding and what the two are called."""
        return (
            ("shared-q", f"{self.label} and K", self.q_with_k),
            ("shared-q", f"{self.label} and the reference", self.q_with_reference),
            ("shared-k", "K and the reference", self.k_with_reference),
        )

    def findings(self) -> list[Finding]:
        """What the audit says of them."""
        found = [finding(code, "red", _said(name, pairs), _ids(pairs)) for code, name, pairs in self.by_sides if pairs]
        if self.among_reference:
            said = _said("Reference authors", self.among_reference)
            found.append(finding("shared-reference", "amber", said, _ids(self.among_reference)))
        return found

    def refuse_copies(self) -> None:
        """An error where a text of one side is, for the most part, a text of another."""
        for _, name, pairs in self.by_sides:
            for pair in pairs:
                if pair.share >= SAME_TEXT:
                    raise ProblemError(
                        f"{name} share text: {percent(pair.share)} of the words of {pair.one.id} also stand in "
                        f"{pair.other.id}. A comparison of a text with itself proves nothing; remove it from one side."
                    )


def find_shared(texts: CaseTexts, runs: "Runs | None" = None) -> SharedRuns:
    """Every long run that two sides, or two reference authors, have in common."""
    runs = runs or Runs.of([texts])
    return SharedRuns(
        label=texts.label,
        q_with_k=runs.shared(texts.q, texts.k),
        q_with_reference=runs.shared(texts.q, texts.reference),
        k_with_reference=runs.shared(texts.k, texts.reference),
        among_reference=runs.among_reference,
    )


@dataclass(frozen=True)
class Runs:
    """The words of all texts of a case with a hash of every long run of them, by text id."""

    words: Mapping[str, list[str]]
    hashes: Mapping[str, Hashes]
    reference: Texts

    @classmethod
    def of(cls, comparisons: Sequence[CaseTexts]) -> "Runs":
        """The runs of the comparisons of one case, which have their reference in common."""
        words = {text.id: texts.words(text) for texts in comparisons for text in (*texts.q, *texts.k)}
        words |= {text.id: comparisons[0].words(text) for text in comparisons[0].reference}
        numbers: dict[str, int] = {}
        hashes = {
            id_: _runs([numbers.setdefault(word, len(numbers) + 1) for word in own]) for id_, own in words.items()
        }
        return cls(words, hashes, comparisons[0].reference)

    @cached_property
    def among_reference(self) -> tuple[Shared, ...]:
        """The reference texts that share runs with another author's."""
        texts = self.reference
        authors = sorted({text.author or "" for text in texts})
        place = {author: number for number, author in enumerate(authors)}
        hashes = np.concatenate([self.hashes[text.id] for text in texts])
        by = np.repeat([place[t.author or ""] for t in texts], [len(self.hashes[t.id]) for t in texts])
        order = np.lexsort((by, hashes))
        hashes, by = hashes[order], by[order]
        # Sorted by run and then author: a run of two authors has neighbours that agree in the one, not in the other.
        several = np.unique(hashes[1:][(hashes[1:] == hashes[:-1]) & (by[1:] != by[:-1])])
        holders: dict[int, list[int]] = {}
        if len(several):
            for number, text in enumerate(texts):
                for run in np.intersect1d(several, self.hashes[text.id]):
                    known = holders.setdefault(int(run), [])
                    # The first text of each of two authors is enough to name one for any third.
                    if len(known) < 2 and all(texts[one].author != text.author for one in known):
                        known.append(number)
        return self._pairs(texts, texts, holders)

    def shared(self, mine: Texts, others: Texts) -> tuple[Shared, ...]:
        """Each of these texts that shares runs with one of the others, with the one that shares most."""
        own = np.unique(np.concatenate([self.hashes[text.id] for text in mine]))
        holders: dict[int, list[int]] = {}
        for number, text in enumerate(others):
            for run in np.intersect1d(own, self.hashes[text.id]):
                holders.setdefault(int(run), []).append(number)
        return self._pairs(mine, others, holders)

    def _pairs(self, mine: Texts, others: Texts, holders: Mapping[int, Sequence[int]]) -> tuple[Shared, ...]:
        pairs = []
        for text in mine if holders else ():
            words = self.words[text.id]
            covered: dict[int, set[int]] = {}
            first: dict[int, int] = {}
            for start, run in enumerate(self.hashes[text.id].tolist()):
                for number in holders.get(run, ()):
                    stop = start + RUN_TOKENS
                    if others[number].author == text.author or not is_telling(words[start:stop]):
                        continue
                    covered.setdefault(number, set()).update(range(start, min(stop, len(words))))
                    first.setdefault(number, start)
            if covered:
                number = max(covered, key=lambda number: (len(covered[number]), -number))
                run_words = " ".join(words[first[number] : first[number] + RUN_TOKENS])
                pairs.append(Shared(text, others[number], len(covered[number]) / len(words), run_words))
        return tuple(pairs)


def is_telling(words: Sequence[str]) -> bool:
    """Whether a run has so many different words that it does not recur by itself."""
    return len(set(words)) >= _FEWEST_TYPES


def _runs(numbers: list[int]) -> Hashes:
    """A hash for every run of RUN_TOKENS words, by its start; a text shorter than that is one run."""
    coded = np.array(numbers, np.uint64) * _BASE
    length = min(RUN_TOKENS, len(coded))
    hashes = np.zeros(len(coded) - length + 1 if length else 0, np.uint64)
    for place in range(length):
        hashes = hashes * _BASE + coded[place : place + len(hashes)]
        hashes ^= hashes >> np.uint64(29)
    return hashes


def _said(name: str, pairs: Sequence[Shared]) -> str:
    once = {frozenset((pair.one.id, pair.other.id)): pair for pair in reversed(pairs)}  # the first of each two texts
    named = [f"{one.one.id} with {one.other.id} ({percent(one.share)} of its words)" for one in reversed(once.values())]
    shown = some(named, _SHOWN, between="; ")
    return f"{name} share runs of {RUN_TOKENS} or more words: {shown}. The first begins “{pairs[0].run}”."


def _ids(pairs: Sequence[Shared]) -> list[str]:
    return sorted({text.id for pair in pairs for text in (pair.one, pair.other)})
