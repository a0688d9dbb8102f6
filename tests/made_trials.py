"""Scored trials made from plain numbers, for tests of what is learnt from them."""

from collections.abc import Sequence

import numpy as np

from idiograph.evidence.trials import ScoredTrials


def scored(
    *,
    same: Sequence[float],
    different: Sequence[float],
    same_authors: Sequence[str] | None = None,
    different_authors: Sequence[tuple[str, str]] | None = None,
) -> ScoredTrials:
    """Trials with these λG, same-author ones first; without names every trial has an author of its own."""
    names = [f"{i}" for i in range(len(same) + len(different))]
    names_of_same = names[: len(same)] if same_authors is None else list(same_authors)
    pairs = [(name, name) for name in names[len(same) :]] if different_authors is None else list(different_authors)
    n = len(names)
    return ScoredTrials(
        lambda_g=np.array([*same, *different], np.float64),
        n_tokens=np.full(n, 100),
        n_hapaxes=np.full(n, 25),
        sentence_norms=np.full(n, 4.0),
        k_authors=np.array([*names_of_same, *(k for k, _ in pairs)], object),
        q_authors=np.array([*names_of_same, *(q for _, q in pairs)], object),
        same_author=np.arange(n) < len(same),
    )
