"""Texts that repeat another: exactly, nearly (MinHash with locality-sensitive hashing), or by a long run of words.

Of texts that repeat each other either all go, or the first by (author, id) stays.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np

from idiograph.errors import InputError
from idiograph.texts.preparing.minhash import Hashes, buckets, near_pairs, shingles, signatures
from idiograph.texts.preparing.registry import Outcome, limits, step
from idiograph.texts.text import Text
from idiograph.texts.words import words

Texts = Sequence[Text]
Goes = Literal["one", "both"]
Scope = Literal["corpus", "author"]


@step
def exact_duplicates(
    texts: Texts,
    *,
    compare: Literal["characters", "words"] = "characters",
    remove: Goes = "one",
    scope: Scope = "corpus",
) -> Outcome:
    """Leaves out texts whose characters (or lower-cased words) are those of another text."""
    removed: dict[str, str] = {}
    for group in _scopes(texts, scope):
        first: dict[object, Text] = {}
        for text in group:
            content = text.content if compare == "characters" else tuple(words(text.content))
            other = first.setdefault(content, text)
            if other is not text:
                removed[text.id] = f"a duplicate of {other.id}"
                if remove == "both":
                    removed[other.id] = f"a duplicate of {text.id}"
    return Outcome(removed=removed)


@step
def shared_runs(
    texts: Texts, *, tokens: Annotated[int, limits(1)] = 10, remove: Goes = "both", scope: Scope = "corpus"
) -> Outcome:
    """Leaves out texts that share a run of `tokens` or more words with another text."""
    removed: dict[str, str] = {}
    for group in _scopes(texts, scope):
        partners = _sharing(_repeated(_shingles(group, tokens)), keep_first=remove == "one")
        for number, partner in partners.items():
            removed[group[number].id] = f"shares {tokens} or more tokens in a row with {group[partner].id}"
    return Outcome(removed=removed)


@step
def near_duplicates(
    texts: Texts,
    *,
    tokens: Annotated[int, limits(1)] = 10,
    hashes: Annotated[int, limits(2)] = 240,
    bands: Annotated[int, limits(1)] = 80,
    threshold: Annotated[float, limits(0, 1)] = 0.0,
    remove: Goes = "both",
    scope: Scope = "corpus",
) -> Outcome:
    """Leaves out near-duplicates: `tokens`-word shingles, `hashes` min-hashes in `bands`, Jaccard above `threshold`.

    Texts that agree in all hashes of a band are candidates; their true Jaccard similarity decides. Texts with fewer
    words than a shingle have none and are not compared: exact_duplicates finds those.
    """
    if hashes % bands:
        raise InputError(
            f"near_duplicates has {hashes} hashes and {bands} bands. Bands are of equal size, "
            "so the number of hashes must be a multiple of the number of bands."
        )
    removed: dict[str, str] = {}
    n_compared = 0
    for group in _scopes(texts, scope):
        own = _shingles(group, tokens)
        groups = buckets(signatures(own, hashes), bands)
        partners, compared = near_pairs(own, groups, threshold, keep_first=remove == "one")
        n_compared += compared
        for number, (partner, jaccard) in partners.items():
            removed[group[number].id] = f"a near-duplicate of {group[partner].id} (Jaccard {jaccard:.3g})"
    return Outcome(removed=removed, figures={"pairs_compared": n_compared})


def _sharing(shared: Sequence[list[int]], *, keep_first: bool) -> dict[int, int]:
    """For each text that goes, a text with which it shares one of its hashes in `shared`."""
    partners: dict[int, int] = {}
    holder: dict[int, int] = {}
    for number, own in enumerate(shared):
        for hash_ in own:
            if hash_ in holder:
                partners.setdefault(number, holder[hash_])
                if not keep_first:
                    partners.setdefault(holder[hash_], number)
        if not (keep_first and number in partners):
            for hash_ in own:
                holder.setdefault(hash_, number)
    return partners


def _repeated(shingles: Sequence[Hashes]) -> list[list[int]]:
    """The hashes of each text that another text has too."""
    if not shingles:
        return []
    _, inverse, counts = np.unique(np.concatenate(shingles), return_inverse=True, return_counts=True)
    ends = np.cumsum([len(own) for own in shingles], dtype=np.int64)
    masks = np.split(counts[inverse] > 1, ends[:-1])
    return [own[mask].tolist() for own, mask in zip(shingles, masks, strict=True)]


def _shingles(texts: Texts, tokens: int) -> list[Hashes]:
    return shingles([words(text.content) for text in texts], tokens)


def _scopes(texts: Texts, scope: Scope) -> list[list[Text]]:
    """The texts to compare with each other: all, or each author's own."""
    if scope == "corpus":
        return [list(texts)]
    groups: dict[str | None, list[Text]] = {}
    for text in texts:
        groups.setdefault(text.author, []).append(text)
    return list(groups.values())
