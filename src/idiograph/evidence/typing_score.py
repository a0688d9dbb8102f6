"""The typing score: how alike two originals are in capitals, spacing, punctuation, quotes, line ends and digits.

It says nothing about topics, but a device, an editor, a mail program, a transcriber or the way a corpus was prepared
leaves the same traces: two texts from one phone look alike whoever typed them. So it is for originals whose line
wraps and quotes were made alike, beside other scores, never alone. A score, not a likelihood ratio.
"""

import re
from collections.abc import Sequence

import numpy as np

from idiograph.arguments import checks_arguments
from idiograph.arithmetic import FloatArray
from idiograph.evidence.n_grams import Counts, count_n_grams

WARNING = (
    "The typing score compares capitals, spacing, punctuation and line ends. A device, an editor, a mail program or a "
    "transcriber leaves such traces too, so two texts from one device can look alike whoever typed them."
)

Original = Sequence[str]
"""The pieces of an original that a Q or a K is made of; no n-gram runs from one piece into the next."""


@checks_arguments
def typing_score(q: Original, k: Original, *, cohort: Sequence[Original]) -> float:
    """The cosine of how Q and K are typed, each n-gram weighted by how many of the cohort's Ks and K have it."""
    return float(typing_scores([q], [k, *cohort], q_authors=[0], reference=range(1, len(cohort) + 1))[0, 0])


def typing_scores(
    qs: Sequence[Original], ks: Sequence[Original], *, q_authors: Sequence[int], reference: Sequence[int]
) -> FloatArray:
    """The typing score of every Q with every K, weighted by the cohort of each trial: one row per Q, one column per K.

    K number a is author a's; `q_authors` says whose each Q is, `reference` which authors cohorts are taken from.
    """
    # Imported late: Numba takes half a second.
    from idiograph.evidence.weighted_cosine import weighted_cosines

    return weighted_cosines(typed_n_grams([*qs, *ks]), q_authors=q_authors, reference=reference)


def typed_n_grams(texts: Sequence[Original]) -> Counts:
    """The character n-grams of how each text is typed."""
    return character_n_grams([[typed(piece) for piece in text] for text in texts])


def typed(original: str) -> str:
    """The original with each run of lower-case letters as `a`, of capitals as `A`, of digits as `0`; the rest stays.

    >>> typed("Dear Mr O'Neil,  see you at 10:30!!")
    "Aa Aa A'Aa,  a a a 0:0!!"
    """
    return _RUNS.sub(r"\1", original.translate(_SHAPES))


def character_n_grams(texts: Sequence[Sequence[str]]) -> Counts:
    """The character n-grams of length 2 to 5 of each text's pieces."""
    joined = "".join(piece for text in texts for piece in text)
    characters = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    symbols = np.unique(characters, return_inverse=True)[1].reshape(-1)
    return count_n_grams(symbols, sizes=[[len(piece) for piece in text] for text in texts], lengths=range(2, 6))


class _Shapes(dict[int, str]):
    """Code point → what stands for it; found when first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        shape = character
        if character.islower():
            shape = "a"
        elif character.isupper():
            shape = "A"
        elif character.isdecimal():
            shape = "0"
        self[code] = shape
        return shape


_SHAPES = _Shapes()
_RUNS = re.compile("([aA0])\\1+")
