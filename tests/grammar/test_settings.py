"""The settings of λG: numbers of any kind are taken, and nothing else."""

from typing import Any

import numpy as np
import pytest

from idiograph.errors import InputError
from idiograph.grammar.settings import LambdaGSettings


def test_defaults_are_the_papers() -> None:
    made = LambdaGSettings()
    assert (made.order, made.repetitions, made.discount, made.seed) == (10, 30, 0.75, 0)


def test_numbers_of_numpy_become_plain_ones() -> None:
    made = LambdaGSettings(order=np.int64(3), discount=np.float64(0.5), seed=[np.uint32(1), 2])  # type: ignore[arg-type]
    assert made == LambdaGSettings(order=3, discount=0.5, seed=(1, 2))
    assert type(made.order) is int
    assert type(made.discount) is float
    assert hash(made) == hash(LambdaGSettings(order=3, discount=0.5, seed=(1, 2)))


def test_a_seed_may_be_as_long_as_numpy_makes_them() -> None:
    assert LambdaGSettings(seed=2**128 - 1).seed == 2**128 - 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"order": 0}, "order must be a whole number from 1 to 30, not 0."),
        ({"order": 2.0}, "order must be a whole number from 1 to 30, not 2.0."),
        ({"repetitions": 10**9}, "repetitions must be a whole number from 1 to 100,000, not 1000000000."),
        ({"discount": 0}, "discount must be a number from 0.001 to 1, not 0."),
        ({"seed": ()}, "seed must be a whole number, 0 or more, or a list of them, not an empty list."),
        ({"seed": b"ab"}, "seed must be a whole number, 0 or more, or a list of them, not a value of type bytes."),
        ({"seed": {1, 2}}, "seed must be a whole number, 0 or more, or a list of them, not a value of type set."),
    ],
)
def test_anything_else_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        LambdaGSettings(**wrong)
    assert str(caught.value) == said
