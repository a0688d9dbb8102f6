"""Arithmetic with the same bits on every processor: elementary functions, sums, small systems of equations.

NumPy's and the C library's exp and logarithms, NumPy's sums and BLAS differ in their last digits from one processor to
the next. What reaches a printed number is computed with these functions instead. Element by element, NumPy's + − × ÷
and sqrt are fixed by IEEE 754 and may be used; sums of whole numbers are exact in any order.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from math import floor, frexp, fsum, ldexp, sqrt
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from idiograph import elementary
from idiograph.elementary import LN2, LN10

__all__ = [
    "LN2", "LN10", "cumulative", "dot", "exp", "exp10", "log", "log1p", "log2", "log10", "logistic", "mean", "norm",
    "quantile", "row_totals", "sd", "softplus", "solve", "total",
]  # fmt: skip

FloatArray = npt.NDArray[np.float64]
Values = Iterable[float] | FloatArray

_FEW = 32  # so many are done sooner than Numba is imported


class _Elementary:
    """A function of `elementary` for a number, or for each of an array of any shape."""

    def __init__(self, function: Callable[[float], float]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    @overload
    def __call__(self, x: float, /) -> float: ...
    @overload
    def __call__(self, x: FloatArray | Sequence[float], /) -> FloatArray: ...
    def __call__(self, x: Any, /) -> Any:
        if isinstance(x, float | int):
            return self._function(float(x))
        array = np.asarray(x, np.float64)
        if array.size <= _FEW and "idiograph.compiling" not in sys.modules:
            return np.array([self._function(value) for value in array.ravel().tolist()]).reshape(array.shape)
        # Imported late: Numba takes half a second, and most commands need none.
        from idiograph.compiling import elementwise

        with np.errstate(all="ignore"):
            return elementwise(self._function)(array)


exp = _Elementary(elementary.exp)
exp10 = _Elementary(elementary.exp10)
log = _Elementary(elementary.log)
log1p = _Elementary(elementary.log1p)
log2 = _Elementary(elementary.log2)
log10 = _Elementary(elementary.log10)
softplus = _Elementary(elementary.softplus)
logistic = _Elementary(elementary.logistic)


def total(values: Values) -> float:
    """The sum, rounded once: whatever the order of the values."""
    return fsum(values.ravel().tolist() if isinstance(values, np.ndarray) else values)


def mean(values: Values) -> float:
    """Their sum, rounded once, by their number."""
    listed = _listed(values)
    return fsum(listed) / len(listed)


def sd(values: Values) -> float:
    """The standard deviation of a sample (divided by n − 1)."""
    listed = _listed(values)
    away = np.array(listed) - fsum(listed) / len(listed)
    return sqrt(fsum((away * away).tolist()) / (len(listed) - 1))


def dot(left: Values, right: Values) -> float:
    """Σ a·b, the products rounded, then their sum once."""
    return fsum(a * b for a, b in zip(_listed(left), _listed(right), strict=True))


def norm(values: Values) -> float:
    """sqrt(Σ x²) without overflow: the values are scaled by a power of 2, which is exact."""
    listed = _listed(values)
    _, exponent = frexp(max(map(abs, listed), default=0.0))
    scaled = [ldexp(value, -exponent) for value in listed]
    return ldexp(sqrt(fsum(value * value for value in scaled)), exponent)


def row_totals(matrix: FloatArray) -> FloatArray:
    """The sum of each row, its entries added one by one."""
    if matrix.shape[1] == 0:
        return np.zeros(len(matrix))
    sums: FloatArray = np.add.accumulate(matrix, axis=1)[:, -1]
    return sums


def cumulative(values: Values) -> FloatArray:
    """The sums up to each value, added one by one."""
    return np.fromiter(accumulate(_listed(values)), np.float64)


def quantile(values: Values, share: float) -> float:
    """The value below which this share of them lies, between two of them in proportion (as NumPy's by default)."""
    ordered = sorted(_listed(values))
    position = share * (len(ordered) - 1)
    before = min(floor(position), len(ordered) - 1)
    after = min(before + 1, len(ordered) - 1)
    return ordered[before] + (ordered[after] - ordered[before]) * (position - before)


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """x of matrix · x = right for a small symmetric, positive definite matrix, by Cholesky's method in a fixed order.

    A matrix that is not positive definite raises ArithmeticError.
    """
    n = len(right)
    lower = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = float(matrix[i][j])
            for k in range(j):
                rest -= lower[i][k] * lower[j][k]
            if i > j:
                lower[i][j] = rest / lower[j][j]
            elif rest > 0.0:
                lower[i][i] = sqrt(rest)
            else:
                raise ArithmeticError("the matrix is not positive definite")
    solution = [float(value) for value in right]
    for i in range(n):
        for k in range(i):
            solution[i] -= lower[i][k] * solution[k]
        solution[i] /= lower[i][i]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            solution[i] -= lower[k][i] * solution[k]
        solution[i] /= lower[i][i]
    return solution


def _listed(values: Values) -> list[float]:
    return values.ravel().tolist() if isinstance(values, np.ndarray) else list(values)
