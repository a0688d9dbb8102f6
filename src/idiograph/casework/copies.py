"""Copies: texts of a case that repeat each other, within a side and across sides.

A run of 20 words in common is a copy, a quotation, a reply or a template. Texts that were changed all over share no
such run; they are found by their phrases of five words, by MinHash where an author has many texts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idiograph.casework.findings import COPIED_SHARE, NEAR_SHARE, NEAR_WORDS, finding
from idiograph.casework.inputs import CaseTexts, Texts, by_author
from idiograph.casework.sentences import percent
from idiograph.casework.verification import Finding, Severity
from idiograph.errors import ProblemError, some
from idiograph.progress import progress
from idiograph.texts.repeats import (
    RUN_TOKENS,
    SAME_TEXT,
    Hashes,
    RunTable,
    buckets,
    coded,
    covered,
    first_holders,
    is_telling,
    most_covered,
    near_pairs,
    run_hashes,
    shingles,
    signatures,
)
from idiograph.texts.text import MaskedText

_SHOWN = 3  # pairs or copies in a sentence


@dataclass(frozen=True)
class Shared:
    """Two texts with common runs; `share` of the first's words lie in them."""

    text: MaskedText
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
        findings = [
            finding(code, "red", _shared_ids(pairs), who=name, pairs=_shared_pairs(pairs), run=pairs[0].run)
            for code, name, pairs in self.by_sides
            if pairs
        ]
        if self.among_reference:
            pairs = self.among_reference
            values = {"who": "Reference authors", "pairs": _shared_pairs(pairs), "run": pairs[0].run}
            findings.append(finding("shared-reference", "amber", _shared_ids(pairs), **values))
        return findings

    def refuse_copies(self) -> None:
        """An error where a text of one side is, for the most part, a text of another."""
        for _, name, pairs in self.by_sides:
            for pair in pairs:
                if pair.share >= SAME_TEXT:
                    raise ProblemError(
                        f"{name} share text: {percent(pair.share)} of the words of {pair.text.id} also occur in "
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
    """The words of all texts of a case, and a hash of every long run of them, by text id."""

    words: Mapping[str, list[str]]
    codes: Mapping[str, Hashes]
    hashes: Mapping[str, Hashes]
    reference: Texts

    @classmethod
    def of(cls, comparisons: Sequence[CaseTexts]) -> "Runs":
        """The runs of the comparisons of one case, which have their reference in common."""
        case_texts = {text.id: text for texts in comparisons for text in (*texts.q, *texts.k)}
        case_texts |= {text.id: text for text in comparisons[0].reference}
        words: dict[str, list[str]] = {}
        codes: dict[str, Hashes] = {}
        hashes: dict[str, Hashes] = {}
        digests: dict[str, int] = {}
        with progress("Runs of words", total=len(case_texts), unit="texts") as advance:
            for id_, text in case_texts.items():
                words[id_] = comparisons[0].words(text)
                codes[id_] = coded(words[id_], digests)
                # A text shorter than a run is one run.
                hashes[id_] = run_hashes(codes[id_], max(1, min(RUN_TOKENS, len(codes[id_]))))
                advance()
        return cls(words, codes, hashes, comparisons[0].reference)

    @cached_property
    def among_reference(self) -> tuple[Shared, ...]:
        """The reference texts that share runs with another author's."""
        # The first text of each of two authors that have a run is enough to name one for any third.
        numbers: dict[str | None, int] = {}
        by_author = [numbers.setdefault(text.author, len(numbers)) for text in self.reference]
        two = self._of_reference.first_two(np.array(by_author, np.int64))
        return self._pairs(self.reference, self.reference, two, "Text that reference authors share")

    def shared(self, mine: Texts, others: Texts) -> tuple[Shared, ...]:
        """Each of these texts that shares runs with one of the others, with the one that shares most."""
        of_reference = others is self.reference
        table = self._of_reference if of_reference else RunTable.of([self.hashes[text.id] for text in others])
        return self._pairs(mine, others, table, "Text that both sides share")

    @cached_property
    def _of_reference(self) -> RunTable:
        """Sorted once, however many Qs and Ks are looked for in it."""
        return RunTable.of([self.hashes[text.id] for text in self.reference])

    def _pairs(self, mine: Texts, others: Texts, table: RunTable, stage: str) -> tuple[Shared, ...]:
        pairs = []
        authors = np.array([text.author for text in others], object)
        with progress(stage, total=len(mine), unit="texts") as advance:
            for text in mine:
                words = self.words[text.id]
                starts, numbers = table.holders(self.hashes[text.id])
                foreign = np.flatnonzero(authors[numbers] != text.author)
                starts, numbers = starts[foreign], numbers[foreign]
                telling = [
                    start for start in np.unique(starts).tolist() if is_telling(words[start : start + RUN_TOKENS])
                ]
                kept = np.isin(starts, telling)
                most = most_covered(starts[kept], numbers[kept], RUN_TOKENS, len(words))
                if most is not None:
                    run_words = " ".join(words[most.start : most.start + RUN_TOKENS])
                    pairs.append(Shared(text, others[most.number], most.n_words / len(words), run_words))
                advance()
        return tuple(pairs)


def _shared_pairs(pairs: Sequence[Shared]) -> str:
    once = {frozenset((pair.text.id, pair.other.id)): pair for pair in reversed(pairs)}  # the first of each two texts
    named = [
        f"{pair.text.id} with {pair.other.id} ({percent(pair.share)} of its words)" for pair in reversed(once.values())
    ]
    return some(named, _SHOWN, between="; ")


def _shared_ids(pairs: Sequence[Shared]) -> list[str]:
    return sorted({text.id for pair in pairs for text in (pair.text, pair.other)})


# Up to here all pairs of an author's texts are compared; beyond, only those that MinHash proposes.
_ALL_PAIRS = 40
_HASHES, _BANDS = 240, 80


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
        findings = []
        for code, name, copies in (("repeated-q", self.label, self.q), ("repeated-k", "K", self.k)):
            if copies:
                grave = any(copy.near or copy.share >= SAME_TEXT for copy in copies)
                severity: Severity = "red" if grave else "amber"
                findings.append(finding(code, severity, _ids(copies), side=name, copies=_copies_in_words(copies)))
        if self.reference:
            authors = {copy.text.author for copy in self.reference}
            whose = "one reference author" if len(authors) == 1 else f"{len(authors)} reference authors"
            values = {"whose": whose, "copies": _copies_in_words(self.reference), "kept_out": _kept_out(self.reference)}
            findings.append(finding("repeated-reference", "amber", _ids(self.reference), **values))
        return findings


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
    return _copies(by_author(texts), runs)


def copies_within(texts: Sequence[MaskedText], runs: Runs) -> tuple[Copy, ...]:
    """Every text that repeats an earlier one, with the one it repeats most of."""
    return _copies([texts], runs)


def _copies(groups: Sequence[Sequence[MaskedText]], runs: Runs) -> tuple[Copy, ...]:
    """The copies inside each group, in order."""
    with progress("Looking for copies", total=None, unit="texts") as advance:
        copies: dict[str, Copy] = {}
        for group in groups:
            copies |= {copy.text.id: copy for copy in _by_run(group, runs)}
            advance(len(group))
        rest = [[text for text in group if text.id not in copies] for group in groups]
        copies |= {copy.text.id: copy for copy in _by_phrase(rest, runs)}
    return tuple(copies[text.id] for group in groups for text in group if text.id in copies)


def _by_run(texts: Sequence[MaskedText], runs: Runs) -> Iterator[Copy]:
    """The texts that share runs with earlier ones; their share is of the words that lie in these runs."""
    for number, holder in enumerate(first_holders([runs.hashes[text.id] for text in texts])):
        words = runs.words[texts[number].id]
        # A text shorter than a run is compared whole, and says little.
        starts = np.flatnonzero(holder != number).tolist() if len(words) >= RUN_TOKENS else []
        telling = [start for start in starts if is_telling(words[start : start + RUN_TOKENS])]
        places = covered(((start, int(holder[start])) for start in telling), RUN_TOKENS, len(words))
        if places:
            earlier = max(places, key=lambda other: (len(places[other]), -other))
            share = len(set().union(*places.values())) / len(words)
            yield Copy(texts[number], texts[earlier], share, n_others=len(places) - 1)


def _by_phrase(groups: Sequence[Sequence[MaskedText]], runs: Runs) -> Iterator[Copy]:
    """The texts that nearly repeat an earlier one of their group; their share is of their phrases that stand there."""
    long = [[text for text in group if len(runs.words[text.id]) >= RUN_TOKENS] for group in groups]
    texts = [text for group in long for text in group]
    phrases = shingles([runs.codes[text.id] for text in texts], NEAR_WORDS)
    candidates: list[tuple[int, ...]] = []
    first = 0
    for group in long:
        numbers = range(first, first + len(group))
        first += len(group)
        if len(group) <= _ALL_PAIRS:
            candidates.append(tuple(numbers))
        else:
            proposed = buckets(signatures([phrases[number] for number in numbers], _HASHES), _BANDS)
            candidates += [tuple(numbers[at] for at in bucket) for bucket in proposed]
    pairs, _ = near_pairs(phrases, candidates, NEAR_SHARE, keep_first=True)
    for number, (earlier, _) in pairs.items():
        share = len(np.intersect1d(phrases[number], phrases[earlier])) / len(phrases[number])
        yield Copy(texts[number], texts[earlier], share, near=True)


def _copies_in_words(copies: Sequence[Copy]) -> str:
    most_first = sorted(copies, key=lambda copy: (-copy.share, copy.text.id))
    return some([copy.words for copy in most_first], _SHOWN, between="; ")


def _ids(copies: Iterable[Copy]) -> list[str]:
    return sorted({text.id for copy in copies for text in (copy.text, copy.earlier)})
