"""Which sentences of the reference make its models: NumPy's own draws, and the same ones without its overhead."""

from functools import cache
from typing import Any

import numpy as np

from idiograph.compiling import compiled, jit_disabled, run
from idiograph.grammar.settings import Seed
from idiograph.grammar.vocabulary import Numbers

_WORD = (1 << 64) - 1
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ONE = np.uint64(1)
_HIGH_MULTIPLIER = np.uint64(0x2360ED051FC65DA4)
_LOW_MULTIPLIER = np.uint64(0x4385DF649FCCF645)


def draw(seed: Seed, population: int, *, size: int, repetitions: int) -> Numbers:
    """One row per model: `size` of the numbers below `population`, without replacement.

    They are what `numpy.random.default_rng(seed).choice(population, size=size, replace=False)` yields time after
    time. That call costs more than a small model, so its algorithm runs compiled here; should the installed NumPy
    draw differently, it is asked itself.
    """
    if not jit_disabled() and _numpy_draws_alike():
        return _drawn(seed, population, size, repetitions)
    return _drawn_by_numpy(seed, population, size, repetitions)


def _drawn_by_numpy(seed: Seed, population: int, size: int, repetitions: int) -> Numbers:
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(population, size=size, replace=False) for _ in range(repetitions)])


def _drawn(seed: Seed, population: int, size: int, repetitions: int) -> Numbers:
    state = np.random.default_rng(seed).bit_generator.state
    value, increment = state["state"]["state"], state["state"]["inc"]
    words = [value >> 64, value & _WORD, increment >> 64, increment & _WORD, 0, 0]
    drawn: Numbers = run(choices, np.array(words, np.uint64), population, size, repetitions)
    return drawn


@cache
def _numpy_draws_alike() -> bool:
    # Each of NumPy's two algorithms, and the smallest sizes.
    cases = [(1, 1), (7, 7), (300, 40), (12_000, 100), (12_000, 900)]
    return all(
        np.array_equal(_drawn(seed, population, size, 2), _drawn_by_numpy(seed, population, size, 2))
        for seed, (population, size) in enumerate(cases)
    )


@compiled
def next_64(state: Any) -> Any:
    """The next word of PCG64; the state is (high, low, increment high, increment low, half kept, the half)."""
    low = state[1]
    a, b = low & _LOW, low >> _HALF
    c, d = _LOW_MULTIPLIER & _LOW, _LOW_MULTIPLIER >> _HALF
    middle = (a * c >> _HALF) + (a * d & _LOW) + (b * c & _LOW)
    high = b * d + (a * d >> _HALF) + (b * c >> _HALF) + (middle >> _HALF)
    high += state[0] * _LOW_MULTIPLIER + low * _HIGH_MULTIPLIER + state[2]
    low = low * _LOW_MULTIPLIER
    state[1] = low + state[3]
    state[0] = high + (_ONE if state[1] < low else np.uint64(0))
    mixed = state[0] ^ state[1]
    turn = state[0] >> np.uint64(58)
    return (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))


@compiled
def next_32(state: Any) -> Any:
    """The next half word, low half first."""
    if state[4] != 0:
        state[4] = np.uint64(0)
        return state[5]
    word = next_64(state)
    state[4] = _ONE
    state[5] = word >> _HALF
    return word & _LOW


@compiled
def at_most(limit: int, state: Any) -> Any:
    """A number from 0 to `limit`, by Lemire's method."""
    if limit == 0:
        return 0
    n = np.uint64(limit + 1)
    product = next_32(state) * n
    if product & _LOW < n:
        least = (_LOW - np.uint64(limit)) % n
        while product & _LOW < least:
            product = next_32(state) * n
    return np.int64(product >> _HALF)


@compiled
def choices(state: Any, population: int, size: int, repetitions: int) -> Any:
    """`repetitions` rows of `size` different numbers below `population`, as NumPy 1.17 to 2.x draws them."""
    drawn = np.empty((repetitions, size), np.int64)
    mask = int(1.2 * size)
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> shift
    many = population > 10_000 and size > population // 50
    everyone = np.empty(population if many else 0, np.int64)
    taken = np.empty(0 if many else mask + 1, np.int64)
    for row in drawn:
        if many:
            for i in range(population):
                everyone[i] = i
            shuffle(everyone, max(population - size, 1), state)
            row[:] = everyone[population - size :]
            continue
        taken[:] = -1
        for last in range(population - size, population):
            number = at_most(last, state)
            slot = number & mask
            while taken[slot] != -1 and taken[slot] != number:
                slot = (slot + 1) & mask
            if taken[slot] == number:
                number = last
                slot = number & mask
                while taken[slot] != -1:
                    slot = (slot + 1) & mask
            taken[slot] = number
            row[last - population + size] = number
        shuffle(row, 1, state)
    return drawn


@compiled
def shuffle(numbers: Any, first: int, state: Any) -> None:
    """Puts the entries from `first` on in random order, drawing from all."""
    for i in range(len(numbers) - 1, first - 1, -1):
        j = at_most(i, state)
        numbers[i], numbers[j] = numbers[j], numbers[i]
