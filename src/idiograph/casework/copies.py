"""Texts that repeat an earlier text of the same side: copies inside Q, inside K and inside one reference author.

A run of 20 words in common is a copy, a quotation or a template. Texts that were changed all over share no such run;
they are found by their phrases of five words, by MinHash where an author has many texts.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from idiograph.casework.comparison_texts import CaseTexts, Texts
from idiograph.casework.findings import COPIED_SHARE, NEAR_SHARE, NEAR_WORDS, RUN_TOKENS, SAME_TEXT, finding
from idiograph.casework.shared_runs import Runs, is_telling
from idiograph.casework.verification import Finding
from idiograph.casework.wording import percent
from idiograph.errors import some
from idiograph.progress import progress
from idiograph.texts.preparing.minhash import buckets, near_pairs, shingles, signatures
from idiograph.texts.text import MaskedText

# Up to here all pairs of an author's texts are compared; beyond, only those that MinHash proposes.
_ALL_PAIRS = 40
_HASHES, _BANDS = 240, 80
_SHOWN = 3


@dataclass(frozen=True)
class Copy:
    """A text that repeats an earlier one; `share` of its words, or of its phrases if `near`, stand there too."""

    text: MaskedText
    earlier: MaskedText
    share: float
    n_others: int = 0  # further texts that it shares words with
    near: bool = False

    @property
    def is_kept_out(self) -> bool:
        """Whether it is so much of a copy that no validation problem may be made of it."""
        return self.near or self.share >= COPIED_SHARE

    @property
    def words(self) -> str:
        """How much of which text it repeats."""
        what = f"phrases of {NEAR_WORDS} words" if self.near else "words"
        others = f" and {self.n_others} more" if self.n_others else ""
        return f"{self.text.id} repeats {self.earlier.id}{others} ({percent(self.share)} of its {what})"


@dataclass(frozen=True)
class Copies:
    """The copies inside Q, inside K and inside each reference author."""

    label: str
    q: tuple[Copy, ...]
    k: tuple[Copy, ...]
    reference: tuple[Copy, ...]

    def findings(self) -> list[Finding]:
        """What the audit says of them."""
        found = []
        for code, name, copies in (("repeated-q", self.label, self.q), ("repeated-k", "K", self.k)):
            if copies:
                grave = any(copy.near or copy.share >= SAME_TEXT for copy in copies)
                message = f"Texts of {name} repeat each other: {_said(copies)}."
                found.append(finding(code, "red" if grave else "amber", message, _ids(copies)))
        if self.reference:
            authors = {copy.text.author for copy in self.reference}
            whose = "one reference author repeat" if len(authors) == 1 else f"{len(authors)} reference authors repeat"
            message = (
                f"Texts of {whose} earlier texts of the same author: {_said(self.reference)}. "
                f"{_kept_out(self.reference)} kept out of the validation problems."
            )
            found.append(finding("repeated-reference", "amber", message, _ids(self.reference)))
        return found


def _kept_out(copies: Sequence[Copy]) -> str:
    n_out = sum(copy.is_kept_out for copy in copies)
    if not n_out:
        return "None repeats so much that it is"
    who = "It" if len(copies) == 1 else f"{n_out} of the {len(copies)}"
    return f"{who} repeats so much that it is" if n_out == 1 else f"{who} repeat so much that they are"


def find_copies(texts: CaseTexts, runs: Runs | None = None, *, reference: tuple[Copy, ...] | None = None) -> Copies:
    """The copies of a comparison; those of the reference are found anew unless they are given."""
    runs = runs or Runs.of([texts])
    return Copies(
        label=texts.label,
        q=copies_within(texts.q, runs),
        k=copies_within(texts.k, runs),
        reference=copies_of_authors(texts.reference, runs) if reference is None else reference,
    )


def copies_of_authors(texts: Texts, runs: Runs) -> tuple[Copy, ...]:
    """The copies inside each author's texts."""
    by_author: dict[str, list[MaskedText]] = {}
    for text in texts:
        by_author.setdefault(text.author or "", []).append(text)
    return _copies([by_author[author] for author in sorted(by_author)], runs)


def copies_within(texts: Sequence[MaskedText], runs: Runs) -> tuple[Copy, ...]:
    """Every text that repeats an earlier one, with the one it repeats most of."""
    return _copies([texts], runs)


def _copies(groups: Sequence[Sequence[MaskedText]], runs: Runs) -> tuple[Copy, ...]:
    """The copies inside each group, in order."""
    with progress("Looking for copies", total=None, unit="texts"):
        found = {copy.text.id: copy for group in groups for copy in _by_run(group, runs)}
        rest = [[text for text in group if text.id not in found] for group in groups]
        found |= {copy.text.id: copy for copy in _by_phrase(rest, runs)}
    return tuple(found[text.id] for group in groups for text in group if text.id in found)


def _by_run(texts: Sequence[MaskedText], runs: Runs) -> Iterator[Copy]:
    """The texts that share runs with earlier ones; their share is of the words that lie in these runs."""
    if len(texts) < 2:
        return
    hashes = [runs.hashes[text.id] for text in texts]
    every, owner = np.concatenate(hashes), np.repeat(np.arange(len(texts)), [len(own) for own in hashes])
    order = np.lexsort((owner, every))
    starts = np.concatenate([[True], every[order][1:] != every[order][:-1]])
    holder = np.empty(len(every), np.int64)  # the first text that has the run
    holder[order] = owner[order][np.flatnonzero(starts)][np.cumsum(starts, dtype=np.int64) - 1]
    first = np.concatenate([[0], np.cumsum([len(own) for own in hashes], dtype=np.int64)])
    for number in np.unique(owner[holder != owner]).tolist():
        words = runs.words[texts[number].id]
        covered: dict[int, set[int]] = {}
        own = holder[first[number] : first[number + 1]]
        for start in np.flatnonzero(own != number).tolist():
            stop = min(start + RUN_TOKENS, len(words))
            # A text shorter than a run is compared whole, and says little.
            if stop - start == RUN_TOKENS and is_telling(words[start:stop]):
                covered.setdefault(int(own[start]), set()).update(range(start, stop))
        if covered:
            earlier = max(covered, key=lambda one: (len(covered[one]), -one))
            share = len(set().union(*covered.values())) / len(words)
            yield Copy(texts[number], texts[earlier], share, n_others=len(covered) - 1)


def _by_phrase(groups: Sequence[Sequence[MaskedText]], runs: Runs) -> Iterator[Copy]:
    """The texts that nearly repeat an earlier one of their group; their share is of their phrases that stand there."""
    long = [[text for text in group if len(runs.words[text.id]) >= RUN_TOKENS] for group in groups]
    texts = [text for group in long for text in group]
    phrases = shingles([runs.words[text.id] for text in texts], NEAR_WORDS)
    candidates: list[tuple[int, ...]] = []
    first = 0
    for group in long:
        numbers = range(first, first + len(group))
        first += len(group)
        if len(group) <= _ALL_PAIRS:
            candidates.append(tuple(numbers))
        else:
            proposed = buckets(signatures([phrases[number] for number in numbers], _HASHES), _BANDS)
            candidates += [tuple(numbers[place] for place in bucket) for bucket in proposed]
    pairs, _ = near_pairs(phrases, candidates, NEAR_SHARE, keep_first=True)
    for number, (earlier, _) in pairs.items():
        share = len(np.intersect1d(phrases[number], phrases[earlier])) / len(phrases[number])
        yield Copy(texts[number], texts[earlier], share, near=True)


def _said(copies: Sequence[Copy]) -> str:
    most_first = sorted(copies, key=lambda copy: (-copy.share, copy.text.id))
    return some([copy.words for copy in most_first], _SHOWN, between="; ")


def _ids(copies: Iterable[Copy]) -> list[str]:
    return sorted({text.id for copy in copies for text in (copy.text, copy.earlier)})
