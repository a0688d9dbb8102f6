"""The settings of λG, refused in words where they are out of range."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from idiograph.errors import InputError

Seed = int | Sequence[int]

# An index needs four bytes a token and order while it is built.
MAX_ORDER = 30
MAX_REPETITIONS = 100_000
MIN_DISCOUNT = 0.001


@dataclass(frozen=True, kw_only=True)
class LambdaGSettings:
    """Model order N, reference models r, discount D, and the seed of the draws: an int, or several as a tuple."""

    order: int = 10
    repetitions: int = 30
    discount: float = 0.75
    seed: Seed = 0

    def __post_init__(self) -> None:
        order = _whole(self.order, "order", "the length of the n-grams", 1, MAX_ORDER)
        repetitions = _whole(self.repetitions, "repetitions", "the number of reference models", 1, MAX_REPETITIONS)
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "repetitions", repetitions)
        object.__setattr__(self, "discount", _discount(self.discount))
        object.__setattr__(self, "seed", _seed(self.seed))


def _whole(value: object, name: str, meaning: str, least: int, most: int) -> int:
    if not _is_natural(value) or not least <= value <= most:
        raise InputError(f"{name} is {value!r}, and {meaning} is a whole number from {least} to {most:,}. Set it so.")
    return int(value)


def _discount(value: object) -> float:
    # Near 0 an unseen token would have no probability that a double can hold; above 1 counts would turn negative.
    if isinstance(value, bool) or not isinstance(value, float | int | np.number) or not MIN_DISCOUNT <= value <= 1:
        raise InputError(
            f"discount is {value!r}, and it is from {MIN_DISCOUNT} to 1 (the usual value is 0.75). Set it so."
        )
    return float(value)


def _seed(value: object) -> int | tuple[int, ...]:
    if _is_natural(value):
        return int(value)
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) and all(map(_is_natural, value)):
        return tuple(map(int, value))
    raise InputError(f"seed is {value!r}, and it is a whole number from 0, or several in a list. Set it so.")


def _is_natural(value: object) -> TypeGuard[int]:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= 0)
