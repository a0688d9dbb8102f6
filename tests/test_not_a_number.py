"""What is not a number is never put into words: it is refused at every door that leads from numbers to words."""

import math
from collections.abc import Callable

import pytest

import idiograph
from idiograph import InputError
from idiograph.casework.sentences import number, percent, ratio, signed
from idiograph.evidence.bounds import Bounds
from idiograph.evidence.llr import SCALES
from idiograph.output.heatmap import level

DOORS: dict[str, Callable[[float], object]] = {
    **{f"the scale {key}": scale.band for key, scale in SCALES.items()},
    "an LR in words": ratio,
    "a share": percent,
    "a number": number,
    "a number with its sign": signed,
    "the heat map": level,
    "an LLR": lambda value: idiograph.LLR(nats=value, how="hapax", value=1.0, unit="bits"),
    "the value of an LLR": lambda value: idiograph.LLR(nats=1.0, how="hapax", value=value, unit="bits"),
    "an LLR of a value": lambda value: idiograph.LLR.of(value, "bits", how="hapax"),
}


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("door", DOORS)
def test_what_is_not_a_number_is_refused(door: str, value: float) -> None:
    with pytest.raises(InputError, match="finite number"):
        DOORS[door](value)


@pytest.mark.parametrize(("lower", "upper"), [(math.nan, math.nan), (math.nan, 1.0), (-1.0, math.nan), (1.0, 2.0)])
def test_bounds_that_limit_nothing_are_refused(lower: float, upper: float) -> None:
    with pytest.raises(InputError, match="limit nothing"):
        Bounds(lower, upper, 20)
