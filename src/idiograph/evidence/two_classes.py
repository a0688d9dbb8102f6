"""The two classes of trials that every metric reads: LLRs with a known answer, checked once, with their weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from idiograph.errors import InputError

FloatArray = npt.NDArray[np.float64]
Values = Sequence[float] | FloatArray


@dataclass(frozen=True)
class TwoClasses:
    """LLRs (or scores) of same-author and different-author trials; a weight says how often a trial counts."""

    same: FloatArray
    different: FloatArray
    same_weights: FloatArray
    different_weights: FloatArray

    def counting(self) -> "TwoClasses":
        """Only the trials that have a weight."""
        s, d = self.same_weights > 0, self.different_weights > 0
        return TwoClasses(self.same[s], self.different[d], self.same_weights[s], self.different_weights[d])

    @cached_property
    def same_shares(self) -> FloatArray:
        """The weights of the same-author trials, summing to 1."""
        shares: FloatArray = self.same_weights / self.same_weights.sum()
        return shares

    @cached_property
    def different_shares(self) -> FloatArray:
        """The weights of the different-author trials, summing to 1."""
        shares: FloatArray = self.different_weights / self.different_weights.sum()
        return shares


def total(weights: FloatArray, values: FloatArray | npt.NDArray[np.bool_]) -> float:
    """Σ w·v, added in an order that does not depend on the number of threads."""
    return float((weights * values).sum())


def two_classes(
    same: Values,
    different: Values,
    same_weights: Values | None = None,
    different_weights: Values | None = None,
    *,
    purpose: str = "A metric",
) -> TwoClasses:
    """Both classes as arrays; an empty class, NaN, infinity or an unusable weight is an error in words."""
    arrays = {"same-author": _array(same, "same-author"), "different-author": _array(different, "different-author")}
    if not all(array.size for array in arrays.values()):
        found = ", ".join(f"{array.size} {name}" for name, array in arrays.items())
        raise InputError(f"{purpose} needs both kinds of trial and found {found}. Check the authors of the trials.")
    for name, array in arrays.items():
        bad = int(np.count_nonzero(~np.isfinite(array)))
        if bad:
            raise InputError(
                f"{bad} of {array.size} {name} values are infinite or not a number. {purpose} of them has no "
                "meaning; find out how they were made, and leave none out silently."
            )
    weights = {
        name: _weights(given, array.size, name)
        for (name, array), given in zip(arrays.items(), (same_weights, different_weights), strict=True)
    }
    return TwoClasses(*arrays.values(), *weights.values())


def _array(values: Values, name: str) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"The {name} values have {array.ndim} dimensions. Give one number a trial, in a plain list.")
    return array


def _weights(given: Values | None, n: int, name: str) -> FloatArray:
    if given is None:
        return np.ones(n)
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (n,):
        raise InputError(f"There are {n} {name} trials and {weights.size} weights. Give one weight a trial.")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.sum() > 0:
        raise InputError(
            f"The weights of the {name} trials must be finite, not negative and not all zero. "
            "A weight says how often a trial counts."
        )
    return weights
