"""An author's Q and K, made of their texts: whole, of sentences at random, or of contiguous sentences.

An author's texts are divided and drawn by generators of the seed and the author's name alone, so neither who else takes
part nor in which order files came changes a sample.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from idiograph.checking import check, check_fields
from idiograph.errors import StudyError
from idiograph.grammar.vocabulary import Numbers
from idiograph.studies.material import Material, author_rng

Drawing = Literal["whole", "random", "contiguous"]
Side = Literal["q", "k"]
Closeness = Literal["near", "random", "far"]
CANDIDATES = 12  # draws of an author among which the one nearest, or farthest, in topic is taken


@dataclass(frozen=True, kw_only=True)
class Condition:
    """How the Qs and Ks of a set of problems are made; its name is part of every problem's id.

    `drawing` is whole (texts), random (sentences) or contiguous; `q_tokens` and `k_tokens` are the lengths of Q and K,
    `across` and `within` the fields (work, topic, register, date) in which they differ or agree, `closeness` how near
    in topic they are drawn. Tokens are passed by the last sentence taken, as in the paper. `q_texts` and `k_texts`
    texts make up a side; None is as many as it takes: one for a Q of whole texts, and for a contiguous Q one that is
    long enough by itself, or, where an author has none, as few whole texts as it takes.
    """

    drawing: Drawing
    q_tokens: int | None = None
    k_tokens: int | None = None
    q_texts: int | None = None
    k_texts: int | None = None
    across: str | None = None  # the field (work, topic, register, date) in which Q and K differ
    within: str | None = None  # the field in which Q and K agree
    closeness: Closeness = "random"  # of 12 draws the one whose Q and K are nearest or farthest in topic; the first

    def __post_init__(self) -> None:
        check_fields(self)
        if self.drawing != "whole" and (self.q_tokens is None or self.k_tokens is None):
            raise StudyError(
                f"Sentences drawn {_ADVERB[self.drawing]} need a length for Q and for K in tokens. "
                "Give both, or draw whole texts."
            )
        if self.drawing == "whole" and (self.q_tokens is not None or self.k_tokens is not None):
            raise StudyError("Whole texts keep their own lengths. Leave out the lengths, or draw sentences.")
        for name in ("q_tokens", "k_tokens", "q_texts", "k_texts"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise StudyError(f"{name} is {value}, but a text has at least one token and a side at least one text.")
        if self.across is not None and self.within is not None:
            raise StudyError(
                f"Q and K cannot both differ in {self.across} and agree in {self.within}. Choose across or within."
            )

    @classmethod
    def like(cls, q_tokens: int, k_tokens: int, **others: Any) -> "Condition":
        """Q and K drawn as a case has them, of `q_tokens` and `k_tokens`; `others` are further settings."""
        check(q_tokens, int, "q_tokens")
        check(k_tokens, int, "k_tokens")
        # A Q or K passes its tokens with the last sentence taken, so one fewer than the case has.
        return cls(drawing="contiguous", q_tokens=max(1, q_tokens - 1), k_tokens=max(1, k_tokens - 1), **others)

    @property
    def name(self) -> str:
        """`random_q500_k2000_across-work`: every setting that makes it, none that does not."""
        parts: list[str] = [self.drawing]
        parts += [f"{side}{n}" for side, n in (("q", self.q_tokens), ("k", self.k_tokens)) if n is not None]
        parts += [f"{side}texts{n}" for side, n in (("q", self.q_texts), ("k", self.k_texts)) if n is not None]
        parts += [f"{how}-{name}" for how, name in (("across", self.across), ("within", self.within)) if name]
        parts += [self.closeness] if self.closeness != "random" else []
        return "_".join(parts)

    def as_json(self) -> dict[str, Any]:
        """What decides its samples; a setting that came later is left out where it says what was done before."""
        record = asdict(self)
        return record if self.closeness != "random" else {key: record[key] for key in record if key != "closeness"}

    @property
    def n_q_texts(self) -> int | None:
        """How many texts make up Q: one by default where texts are whole; None is as many as it takes."""
        return 1 if self.q_texts is None and self.drawing == "whole" else self.q_texts

    @property
    def few_q_texts(self) -> bool:
        """Whether Q is to come from as few texts as it takes."""
        return self.drawing == "contiguous" and self.q_texts is None


_ADVERB = {"random": "at random", "contiguous": "in a row"}


@dataclass(frozen=True, eq=False)
class Sample:
    """One author's Q and K as numbers of sentences, sorted, and the condition under which they were drawn."""

    author: str
    q: Numbers
    k: Numbers
    q_pool: Numbers  # the texts that Q was drawn from
    condition: Condition


def draw_q_and_k(
    material: Material,
    author: str,
    texts: Numbers,
    condition: Condition,
    *,
    seed: int,
    orders: int = 1,
    candidate: int = 0,
) -> Sample | None:
    """An author's Q and K, drawn from these texts of theirs; None where the texts do not suffice.

    Up to so many `orders` of the texts are tried, since a division into Q's and K's may hide in any; where Q is one
    text, the first order meets every division. Another `candidate` is another draw of the same kind.
    """
    # The names of random streams decide digits: those of the first candidate and order must stay without a number.
    who = (author, f"candidate {candidate}") if candidate else (author,)
    for order in range(1 if condition.n_q_texts == 1 else orders):
        divided = divide(material, texts, condition, author_rng(seed, f"divide {order}" if order else "divide", *who))
        if divided is not None:
            q_pool, k_pool = divided
            q = draw_side(material, q_pool, condition, "q", author_rng(seed, "q", *who))
            k = draw_side(material, k_pool, condition, "k", author_rng(seed, "k", *who))
            return None if q is None or k is None else Sample(author, q, k, q_pool, condition)
    return None


def divide(
    material: Material, texts: Numbers, condition: Condition, rng: np.random.Generator
) -> tuple[Numbers, Numbers] | None:
    """An author's texts that Q and those that K is drawn from, never one in both; None where they do not suffice.

    Roles that the corpus names are kept. Otherwise texts in random order go to Q: as many as the condition says, or,
    for a pool, until Q has its part of all tokens. The rest is K's, as far as `across` lets it.
    """
    if material.has_roles:
        roles = material.text_roles[texts]
        q, k = texts[roles == "unknown"], texts[roles == "known"]
        return (q, k) if len(q) and len(k) else None
    if condition.within is None:
        return _divided(material, texts, condition, rng)
    for group in _groups(material, texts, condition.within, rng):
        divided = _divided(material, group, condition, rng)
        if divided is not None:
            return divided
    return None


def draw_side(
    material: Material, texts: Numbers, condition: Condition, side: Side, rng: np.random.Generator
) -> Numbers | None:
    """Sentence numbers, sorted, of a Q or K made of these texts; None where they are too short or too few."""
    tokens, n_texts = _wanted(condition, side)
    if material.has_roles and condition.drawing == "whole":
        n_texts = condition.q_texts if side == "q" else condition.k_texts
    few = side == "q" and condition.few_q_texts
    chosen = _chosen(material, texts, tokens=tokens, n_texts=n_texts, few=few, rng=rng)
    if chosen is None:
        return None
    if tokens is None:
        return material.sentences(chosen)
    if condition.drawing == "random":
        return np.sort(material.up_to(tokens, rng.permutation(material.sentences(chosen))))
    return _contiguous(material, chosen, tokens=tokens, spread=n_texts is not None, rng=rng)


def _wanted(condition: Condition, side: Side) -> tuple[int | None, int | None]:
    """The tokens and the number of texts of a side."""
    if side == "q":
        return condition.q_tokens, condition.n_q_texts
    return condition.k_tokens, condition.k_texts


def _groups(material: Material, texts: Numbers, name: str, rng: np.random.Generator) -> list[Numbers]:
    """The texts of each value of a field, values and texts in random order; texts without a value are left out."""
    values: dict[str, list[int]] = {}
    for text, value in zip(texts, material.values(name, texts), strict=True):
        if value is not None:
            values.setdefault(value, []).append(int(text))
    names = sorted(values)
    return [rng.permutation(np.array(values[names[number]], np.int64)) for number in rng.permutation(len(names))]


def _divided(
    material: Material, texts: Numbers, condition: Condition, rng: np.random.Generator
) -> tuple[Numbers, Numbers] | None:
    """The first division, in random order, that is long enough on both sides."""
    if condition.across is None:
        order = rng.permutation(texts)
        group = np.arange(len(order))
    else:
        groups = _groups(material, texts, condition.across, rng)
        if not groups:
            return None
        order = np.concatenate(groups)
        group = np.repeat(np.arange(len(groups)), [len(texts_of_group) for texts_of_group in groups])
    lengths = material.text_tokens[order]
    for first, last in _places(lengths, condition):
        taken = np.zeros(len(order), bool)
        taken[first:last] = True
        touched = (group >= group[first]) & (group <= group[last - 1])  # groups are numbered in the order of texts
        if condition.n_q_texts is None and not condition.few_q_texts:
            taken = touched
        q, k = order[taken], order[~touched]
        if _suffices(material.text_tokens[q], condition, "q") and _suffices(material.text_tokens[k], condition, "k"):
            return q, k
    return None


def _places(lengths: Numbers, condition: Condition) -> Iterator[tuple[int, int]]:
    """Stretches of the shuffled texts to try as Q, the best first."""
    if condition.n_q_texts is not None:
        for first in range(len(lengths) - condition.n_q_texts + 1):
            yield first, first + condition.n_q_texts
        return
    q_tokens, k_tokens = condition.q_tokens or 1, condition.k_tokens or 1
    passed = np.cumsum(lengths, dtype=np.int64)
    if condition.few_q_texts:
        for first in np.flatnonzero(lengths > q_tokens).tolist():
            yield first, first + 1
        yield from _stretches(passed, q_tokens, first=0)
        return
    part = int(passed[-1]) * q_tokens // (q_tokens + k_tokens) if len(passed) else 0
    fair = int(np.searchsorted(passed, max(part, q_tokens), side="right")) + 1
    # A fair part that leaves K too little is cut back, text by text, while it is long enough for Q.
    least = int(np.searchsorted(passed, q_tokens, side="right")) + 1
    for last in range(min(fair, len(lengths)), least - 1, -1):
        yield 0, last
    # Still too much: the one long text is among the first. Later texts may leave it to K.
    yield from _stretches(passed, q_tokens, first=1)


def _stretches(passed: Numbers, tokens: int, *, first: int) -> Iterator[tuple[int, int]]:
    """From each text on, `first` being the first, as few in a row as pass the tokens."""
    for start in range(first, len(passed)):
        before = int(passed[start - 1]) if start else 0
        last = int(np.searchsorted(passed, before + tokens, side="right")) + 1
        if last <= len(passed):
            yield start, last


def _suffices(lengths: Numbers, condition: Condition, side: Side) -> bool:
    tokens, n_texts = _wanted(condition, side)
    if n_texts is not None and len(lengths) < n_texts:
        return False
    most = lengths if n_texts is None else np.sort(lengths)[len(lengths) - n_texts :]
    return bool(most.sum(dtype=np.int64) > (tokens or 0))


def _chosen(
    material: Material,
    texts: Numbers,
    *,
    tokens: int | None,
    n_texts: int | None,
    few: bool,
    rng: np.random.Generator,
) -> Numbers | None:
    """The texts in random order (`few`: one alone if it is long enough), or `n_texts` that are together long enough."""
    shuffled = rng.permutation(texts)
    lengths = material.text_tokens[shuffled]
    least = tokens or 0
    if few and (alone := np.flatnonzero(lengths > least)).size:
        return shuffled[alone[:1]]
    if n_texts is None:
        return shuffled if lengths.sum(dtype=np.int64) > least else None
    if n_texts > len(shuffled):
        return None
    sums = np.convolve(lengths, np.ones(n_texts, np.int64), mode="valid")
    long_enough = np.flatnonzero(sums > least)
    if len(long_enough):
        return shuffled[long_enough[0] : long_enough[0] + n_texts]
    longest = np.argsort(-lengths, kind="stable")[:n_texts]
    return shuffled[longest] if lengths[longest].sum(dtype=np.int64) > least else None


def _contiguous(material: Material, texts: Numbers, *, tokens: int, spread: bool, rng: np.random.Generator) -> Numbers:
    """A run of every text if `spread`; else whole texts one after the other and a run of the last."""
    lengths = material.text_tokens[texts]
    wanted = (
        _shares(lengths, tokens) if spread else tokens - np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)[:-1]])
    )
    runs = [_run(material, int(text), int(want), rng) for text, want in zip(texts, wanted, strict=True) if want >= 0]
    return np.sort(np.concatenate(runs))


def _shares(lengths: Numbers, tokens: int) -> Numbers:
    """Tokens asked of each text: equal shares, and what the short ones lack from the longer ones."""
    wanted = np.zeros(len(lengths), np.int64)
    remaining = tokens
    for rank, text in enumerate(np.argsort(lengths, kind="stable")):
        wanted[text] = min(remaining // (len(lengths) - rank), int(lengths[text]))
        remaining -= int(wanted[text])
    return wanted


def _run(material: Material, text: int, tokens: int, rng: np.random.Generator) -> Numbers:
    """A run of the text's sentences that passes `tokens`, from a random place; the whole text if it is no longer."""
    first, last = int(material.starts[text]), int(material.starts[text + 1])
    before = material.tokens_before[first : last + 1]
    n_starts = int(np.searchsorted(before, before[-1] - tokens, side="left"))
    if n_starts == 0:
        return np.arange(first, last)
    start = int(rng.integers(n_starts))
    stop = int(np.searchsorted(before, before[start] + tokens, side="right"))
    return np.arange(first + start, first + stop)
