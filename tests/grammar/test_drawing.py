"""Draws: those of NumPy, whatever its algorithm."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idiograph.compiling import jit_disabled
from idiograph.grammar.reference_draws import _numpy_draws_alike, draw


@given(st.integers(0, 2**64), st.integers(1, 30_000), st.data())
def test_draws_are_those_of_numpy(seed, population, data):
    size = data.draw(st.integers(1, min(population, 2000)))
    rng = np.random.default_rng(seed)
    expected = [rng.choice(population, size=size, replace=False) for _ in range(3)]
    assert np.array_equal(draw(seed, population, size=size, repetitions=3), expected)


def test_draws_of_a_seed_of_several_numbers_are_those_of_numpy():
    rng = np.random.default_rng([4, 2**31])
    assert np.array_equal(draw((4, 2**31), 50, size=9, repetitions=1)[0], rng.choice(50, size=9, replace=False))


@pytest.mark.skipif(jit_disabled(), reason="the kernel is compiled")
def test_the_kernel_is_used_with_the_numpy_that_is_installed():
    assert _numpy_draws_alike()


def test_should_numpy_draw_otherwise_it_is_asked_itself(monkeypatch):
    expected = draw(5, 40, size=7, repetitions=3)
    monkeypatch.setattr("idiograph.grammar.reference_draws._numpy_draws_alike", lambda: False)
    monkeypatch.setattr("idiograph.grammar.reference_draws._drawn", None)
    assert np.array_equal(draw(5, 40, size=7, repetitions=3), expected)


def test_a_draw_has_no_number_twice_and_all_in_the_end():
    for row in draw(1, 12, size=12, repetitions=5):
        assert sorted(row.tolist()) == list(range(12))
