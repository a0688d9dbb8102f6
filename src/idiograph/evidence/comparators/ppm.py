"""The compression baseline of PAN 2023: how many bits Q takes by a model of K, and K by one of Q. A score, not an LR.

A character is predicted by the longest context, of at most 5 characters, after which the model saw it, and by that
context's counts alone; one it never saw has probability 1/256.
"""

from collections.abc import Sequence

import numpy as np

from idiograph.arithmetic import log2, total
from idiograph.errors import InputError
from idiograph.evidence.comparators.features import characters_of

ORDER = 5
ALPHABET = 256


def ppm(q: str, k: Sequence[str]) -> float:
    """Minus the mean of the cross-entropies of Q given K and of K given Q, in bits per character."""
    known = "\n".join(k)
    return -(cross_entropy(q, known) + cross_entropy(known, q)) / 2


def cross_entropy(text: str, model: str) -> float:
    """Bits per character of a text by a model of another."""
    from idiograph.compiling import run
    from idiograph.evidence.comparators.kernels import backed_off, by_appearance

    if not text or not model:
        raise InputError("A text without a character cannot be compared. Check how it was read.")
    characters, starts = characters_of([model, text], within_lines=False)
    numbered = [run(by_appearance, characters, n + 1) for n in range(ORDER + 1)]
    numbers = np.stack([of_n for of_n, _ in numbered])
    n_ids = np.array([max(1, len(firsts)) for _, firsts in numbered])
    probs = run(backed_off, numbers, 0, int(starts[1]) - 1, int(starts[1]), int(starts[2]) - 1, n_ids)
    probs[probs == 0.0] = 1.0 / ALPHABET
    return -total(log2(probs)) / len(text)
