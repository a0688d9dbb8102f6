"""exp and the logarithms against decimal arithmetic with 60 digits, at their edges, and by their shape."""

import math
import random
from collections.abc import Callable
from decimal import Context, Decimal, localcontext

import pytest

from idiograph import elementary

PRECISE = Context(prec=60, Emin=-999_999, Emax=999_999)


def log1p_of(y: Decimal) -> Decimal:
    # Where 1 + y needs more than 60 digits the series does.
    return y - y * y / 2 + y * y * y / 3 if abs(y) < Decimal("1e-17") else (1 + y).ln()


ORACLES: dict[str, Callable[[Decimal], Decimal]] = {
    "exp": lambda x: x.exp(),
    "exp10": lambda x: (x * Decimal(10).ln()).exp(),
    "log": lambda x: x.ln(),
    "log1p": log1p_of,
    "log2": lambda x: x.ln() / Decimal(2).ln(),
    "log10": lambda x: x.log10(),
    "softplus": lambda x: log1p_of(x.exp()),
    "logistic": lambda x: 1 / (1 + (-x).exp()),
}
LOGARITHMS = ("log", "log2", "log10")


def positive(rng: random.Random, n: int) -> list[float]:
    """Around 1, of any size, without full precision (denormal), and powers of 2 and 10 with their neighbours."""
    powers = [math.ldexp(1.0, k) for k in range(-1074, 1024, 7)] + [float(f"1e{k}") for k in range(-307, 309, 5)]
    return [
        *(rng.uniform(0.5, 2) for _ in range(n)),
        *(abs(1 + rng.gauss(0, 1) * math.ldexp(1.0, -rng.randint(1, 52))) for _ in range(n)),
        *(math.ldexp(rng.uniform(1, 2), rng.randint(-1022, 1023)) for _ in range(n)),
        *(math.ldexp(rng.uniform(1, 2), rng.randint(-1074, -1023)) for _ in range(n // 4)),
        *powers,
        *(math.nextafter(power, math.inf) for power in powers),
        *(math.nextafter(power, 0) for power in powers[1:]),
    ]


def signed(rng: random.Random, n: int, limits: tuple[float, float]) -> list[float]:
    """Of any size within the limits, and as near to 0 as doubles are."""
    numbers = [
        *(rng.uniform(*limits) for _ in range(n)),
        *(rng.uniform(-40, 40) for _ in range(n)),
        *(rng.choice((-1, 1)) * math.ldexp(rng.uniform(1, 2), -rng.randint(0, 60)) for _ in range(n)),
        *(rng.choice((-1, 1)) * math.ldexp(1.0, -rng.randint(60, 1074)) for _ in range(n // 4)),
        *map(float, range(-40, 41)),
    ]
    return [x for x in numbers if limits[0] <= x <= limits[1]]


LIMITS = {
    "exp": (-745.13, 709.78),
    "exp10": (-323.3, 308.25),
    "log1p": (-1 + 2**-53, 1e300),
    "softplus": (-745.13, 1e5),
    "logistic": (-745.13, 800.0),
}


@pytest.mark.parametrize("name", ORACLES)
def test_less_than_two_units_of_the_last_place_from_arithmetic_with_sixty_digits(name):
    rng = random.Random(name)
    points = positive(rng, 1000) if name in LOGARITHMS else signed(rng, 1000, LIMITS[name])
    function = getattr(elementary, name)
    with localcontext(PRECISE):
        for x in points:
            result = function(x)
            assert abs(Decimal(result) - ORACLES[name](Decimal(x))) < 2 * Decimal(math.ulp(result)), (x, result)


@pytest.mark.parametrize("name", ORACLES)
def test_none_ever_falls_where_it_should_rise(name):
    low, high = (1e-300, 1e300) if name in LOGARITHMS else LIMITS[name]
    wide = [low + (high - low) * i / 2000 for i in range(2001)]
    x = 1.0
    neighbours = [x := math.nextafter(x, 2) for _ in range(2000)]
    seam = [0.70710678 + i * 1e-12 for i in range(2000)]  # where the range of m changes
    half = [math.log(2) / 2 + i * 1e-13 for i in range(-1000, 1000)]  # where that of r does
    for points in (wide, neighbours, seam, half):
        results = [getattr(elementary, name)(x) for x in points]
        assert results == sorted(results)


def test_powers_are_exact():
    assert all(elementary.log2(math.ldexp(1.0, k)) == k for k in range(-1074, 1024))
    assert all(elementary.log10(float(f"1e{k}")) == k for k in range(-307, 309))
    assert all(elementary.exp10(float(k)) == 10**k for k in range(23))
    assert elementary.log(1.0) == elementary.log1p(0.0) == 0.0
    assert elementary.exp(0.0) == elementary.exp10(0.0) == 1.0
    assert elementary.logistic(0.0) == 0.5
    assert elementary.softplus(0.0) == elementary.LN2 == elementary.log(2.0)
    assert elementary.log(10.0) == elementary.LN10


def test_what_a_double_cannot_hold():
    inf = math.inf
    for name in LOGARITHMS:
        function = getattr(elementary, name)
        assert (function(0.0), function(-0.0), function(inf)) == (-inf, -inf, inf)
        assert math.isnan(function(-1e-300))
        assert math.isnan(function(-inf))
    assert (elementary.log1p(-1.0), elementary.log1p(inf)) == (-inf, inf)
    assert math.isnan(elementary.log1p(-1.5))
    for function, past in ((elementary.exp, 709.8), (elementary.exp10, 308.26)):
        assert function(past) == function(1e6) == function(inf) == inf
        assert function(-1e6) == function(-inf) == 0.0
    assert elementary.exp(-745.14) == elementary.exp10(-323.7) == 0.0
    assert (elementary.softplus(inf), elementary.softplus(-inf), elementary.softplus(-800.0)) == (inf, 0.0, 0.0)
    assert (elementary.logistic(inf), elementary.logistic(-inf), elementary.logistic(-800.0)) == (1.0, 0.0, 0.0)
    assert all(math.isnan(getattr(elementary, name)(math.nan)) for name in ORACLES)
