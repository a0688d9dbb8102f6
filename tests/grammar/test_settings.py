"""The settings of λG: defaults, limits, and one kind of sentence for whatever is wrong."""

import numpy as np
import pytest

from idiograph import InputError
from idiograph.grammar.settings import LambdaGSettings


def test_defaults_are_those_of_the_paper():
    settings = LambdaGSettings()
    assert (settings.order, settings.repetitions, settings.discount, settings.seed) == (10, 30, 0.75, 0)


def test_numbers_of_any_kind_become_plain_ones():
    settings = LambdaGSettings(order=np.int32(4), discount=np.float32(0.5), seed=[1, np.int64(2)])
    assert (settings.order, settings.discount, settings.seed) == (4, 0.5, (1, 2))
    assert type(settings.order) is int
    assert type(settings.discount) is float


def test_a_seed_is_any_number_of_128_bits():
    assert LambdaGSettings(seed=2**128 - 1).seed == 2**128 - 1
    with pytest.raises(InputError, match="seed"):
        LambdaGSettings(seed=2**128)


WHOLE = [0, -1, 10**9, 2.0, True, "3", None, [3], {3}, np.array([3])]


@pytest.mark.parametrize("value", WHOLE)
@pytest.mark.parametrize(("name", "most"), [("order", "30"), ("repetitions", "100,000")])
def test_whole_numbers_are_checked(name, most, value):
    with pytest.raises(InputError, match=rf"{name} must be a whole number from 1 to {most}, not "):
        LambdaGSettings(**{name: value})


@pytest.mark.parametrize("value", [0, 1.01, 0.0009, -0.5, float("nan"), float("inf"), "x", True, None, [0.5]])
def test_the_discount_is_checked(value):
    with pytest.raises(InputError, match=r"discount must be a number from 0\.001 to 1, not "):
        LambdaGSettings(discount=value)


@pytest.mark.parametrize("value", [-1, None, [], [1, -1], "7", 1.0, {1, 2}, True, [True], [[1]]])
def test_the_seed_is_checked(value):
    with pytest.raises(InputError, match=r"seed must be a whole number, 0 or more, or a list of them, not "):
        LambdaGSettings(seed=value)
