"""The cohort of a trial: the reference authors whose Qs and Ks say what a score of this Q, or of this K, usually is.

Authors are numbered; author i has the row Q_i and the column K_i of a matrix of scores. In a case the disputed Q and
the K of the candidate are the row and the column of one more number, which is not in the reference.

The cohort of the trial of Q_b with K_a is all reference authors but a and b. That of a same-author trial would be one
larger than that of a different-author trial, and a larger cohort gives another spread, so the author who follows a is
left out of it too.
"""

from collections.abc import Sequence


def following(reference: Sequence[int], author: int) -> int:
    """The reference author who follows this one; the first follows the last."""
    return reference[(reference.index(author) + 1) % len(reference)]
