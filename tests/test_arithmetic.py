"""Functions of arrays, sums, quantiles and small systems: against exact fractions, and the same compiled or not."""

import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph import arithmetic, elementary

NAMES = ("exp", "exp10", "log", "log1p", "log2", "log10", "softplus", "logistic")
NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


@pytest.mark.parametrize("name", NAMES)
def test_a_number_a_few_and_many_give_the_same_digits(name):
    rng = np.random.default_rng(5)
    many = np.concatenate(
        [rng.uniform(-50, 50, 300), rng.uniform(0, 1e-5, 50), [0.0, -1.0, np.inf, -np.inf, np.nan, 720]]
    )
    function, plain = getattr(arithmetic, name), getattr(elementary, name)
    expected = np.array([plain(x) for x in many.tolist()])
    assert np.array_equal(function(many), expected, equal_nan=True)
    assert np.array_equal(function(many[-8:]), expected[-8:], equal_nan=True)
    assert np.array_equal(function(many.reshape(2, -1).T), expected.reshape(2, -1).T, equal_nan=True)
    assert np.array_equal(function(many.reshape(2, -1)[:, ::2]), expected.reshape(2, -1)[:, ::2], equal_nan=True)
    assert function(list(range(50))).tolist() == [plain(float(x)) for x in range(50)]
    assert function([]).tolist() == []
    for scalar in (0.5, np.float64(0.5), np.array(0.5)):
        assert function(scalar) == plain(0.5)
    assert type(function(np.float64(0.5))) is type(function(1)) is float


DIGITS = """
import numpy as np
from idiograph import arithmetic
x = np.random.default_rng(3).uniform(1e-3, 40, 400)
for name in sys.argv[1:]:
    print(name, [value.hex() for value in getattr(arithmetic, name)(x).tolist()])
"""


def test_interpreted_and_compiled_for_any_processor_the_digits_are_the_same(tmp_path):
    def digits(**environment: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", "import sys" + DIGITS, *NAMES],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    expected = digits()
    assert len(expected) > 40_000
    assert digits(NUMBA_DISABLE_JIT="1") == expected
    assert digits(NUMBA_CPU_NAME="generic", NUMBA_ENABLE_AVX="0", IDIOGRAPH_CACHE=str(tmp_path)) == expected


def test_numba_is_not_imported_for_a_few_numbers():
    script = (
        "import sys, idiograph.arithmetic as a; a.log([2.0] * 32); a.total([1.0]); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@given(NUMBERS, st.randoms())
def test_sums_are_rounded_once_whatever_their_order(values, random):
    shuffled = random.sample(values, len(values))
    exact = sum(map(Fraction, values))
    assert arithmetic.total(values) == arithmetic.total(np.array(shuffled)) == float(exact)
    assert arithmetic.mean(iter(values)) == arithmetic.mean(np.array(shuffled)) == float(exact) / len(values)
    assert arithmetic.sd(values) == arithmetic.sd(np.array(shuffled))
    around = [(Fraction(value) - exact / len(values)) ** 2 for value in values]
    assert arithmetic.sd(values) == pytest.approx(math.sqrt(sum(around) / (len(values) - 1)), rel=1e-12, abs=1e-9)


@given(NUMBERS)
def test_a_norm_is_the_root_of_the_squares(values):
    assert arithmetic.norm(np.array(values)) == pytest.approx(math.hypot(*values), rel=1e-15)
    assert arithmetic.norm([3e200, 4e200]) == pytest.approx(5e200, rel=1e-15)
    assert arithmetic.norm([3e-200, 4e-200]) == pytest.approx(5e-200, rel=1e-15)
    assert arithmetic.norm([]) == arithmetic.norm([0.0]) == 0.0


def test_rows_are_added_one_by_one():
    matrix = np.random.default_rng(1).uniform(-1, 1, (5, 1000))
    for row, row_total in zip(matrix.tolist(), arithmetic.row_totals(matrix).tolist(), strict=True):
        expected = 0.0
        for value in row:
            expected += value
        assert row_total == expected
    assert arithmetic.row_totals(np.empty((2, 0))).tolist() == [0, 0]


@given(NUMBERS)
def test_products_and_running_sums(values):
    array = np.array(values)
    assert arithmetic.dot(array, values[::-1]) == arithmetic.total(array * array[::-1])
    running = 0.0
    for value, so_far in zip(values, arithmetic.cumulative(array).tolist(), strict=True):
        running += value
        assert so_far == running


@given(NUMBERS, st.floats(0, 1))
def test_quantiles_are_those_of_numpy(values, share):
    assert arithmetic.quantile(values, share) == pytest.approx(float(np.quantile(values, share)), rel=1e-12, abs=1e-9)
    assert arithmetic.quantile(values, 0) == min(values)
    assert arithmetic.quantile(values, 1) == max(values)


@given(st.integers(1, 6), st.integers(0, 2**32))
def test_a_system_of_equations_is_solved(n, seed):
    rng = np.random.default_rng(seed)
    roots = rng.integers(-9, 10, (n, n + 2))
    matrix = (roots @ roots.T + np.eye(n, dtype=int)).tolist()
    wanted = rng.integers(-9, 10, n).tolist()
    right = [sum(a * x for a, x in zip(row, wanted, strict=True)) for row in matrix]
    assert arithmetic.solve(matrix, right) == pytest.approx(wanted, rel=1e-6, abs=1e-6)


def test_a_system_without_one_solution_is_refused():
    for matrix in ([[1.0, 1.0], [1.0, 1.0]], [[-1.0]], [[math.nan]]):
        with pytest.raises(ArithmeticError, match="not positive definite"):
            arithmetic.solve(matrix, [1.0] * len(matrix))
