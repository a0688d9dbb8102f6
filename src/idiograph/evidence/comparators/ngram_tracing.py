"""N-gram tracing (Grieve et al. 2019): which character 9-grams of Q does K have? A score, not a likelihood ratio."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from idiograph.errors import InputError
from idiograph.evidence.comparators.features import n_grams, sentences_of

N = 9
Coefficient = Literal["simpson", "jaccard", "kulczynski", "phi", "cole"]


@dataclass(frozen=True)
class Overlap:
    """How many n-grams Q and K share (a), only Q (b) and only K (c) has, and neither, of all texts at hand (d)."""

    a: int
    b: int
    c: int
    d: int

    def coefficient(self, name: Coefficient) -> float:
        """How large the overlap is; phi and Cole's also look at d."""
        a, b, c, d = self.a, self.b, self.c, self.d
        match name:
            case "simpson":
                return a / (a + b)
            case "jaccard":
                return a / (a + b + c)
            case "kulczynski":
                return (a / (a + b) + a / (a + c)) / 2
            case "phi":
                return (a * d - b * c) / sqrt((a + b) * (a + c) * (b + d) * (c + d))
            case "cole":
                return (a * d - b * c) / ((a + b) * (b + d))
        raise InputError(f"There is no coefficient {name!r}. Choose simpson, jaccard, kulczynski, phi or cole.")


def ngram_tracing(
    q: str, k: Sequence[str], reference: Sequence[str] = (), *, coefficient: Coefficient = "simpson"
) -> float:
    """The overlap of the 9-grams of Q and of all of K's texts; phi and Cole's need the texts of the reference."""
    return overlap(q, k, reference).coefficient(coefficient)


def overlap(q: str, k: Sequence[str], reference: Sequence[str] = ()) -> Overlap:
    """How many different 9-grams, in lower case, Q and K share and do not share."""
    found = n_grams([sentences_of(text).lower() for text in (q, *k, *reference)], N, within_lines=True)
    of_q, of_k = np.zeros(found.n_ids, bool), np.zeros(found.n_ids, bool)
    of_q[found.of_text(0)] = True
    of_k[found.ids[found.starts[1] : found.starts[1 + len(k)]]] = True
    if not of_q.any() or not of_k.any():
        raise InputError(f"{'K' if of_q.any() else 'Q'} has no sentence of {N} characters, so no n-gram to trace.")
    a = int(np.count_nonzero(of_q & of_k))
    b, c = int(np.count_nonzero(of_q)) - a, int(np.count_nonzero(of_k)) - a
    return Overlap(a, b, c, found.n_ids - a - b - c)
