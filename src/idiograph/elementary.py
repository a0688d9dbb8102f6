"""exp and the logarithms from + − × ÷ alone, so that their bits do not depend on the processor or the C library.

One number at a time, in plain Python; `compiling` lets Numba compile them into kernels, and `arithmetic` applies them
to arrays. IEEE 754 fixes the result of each of the four operations, and frexp, ldexp and floor are exact.

    ln(2^e · m) = e·ln 2 + ln m,  √½ ≤ m < √2,  ln m = 2·artanh s = 2·(s + s³/3 + s⁵/5 + …),  s = (m − 1)/(m + 1)
    exp(x) = 2^k · exp(r),  |r| ≤ ln 2 / 2,     exp(r) = 1 + r + r²/2! + r³/3! + …

A constant written as _HI and _LO is the sum of both. _HI has few enough bits that its products here are exact.
A test keeps every error below 2 units of the last place; docs/benchmarks.md has the largest ones found.
"""

from math import floor, frexp, inf, isinf, isnan, ldexp, nan

_LN2_HI, _LN2_LO = float.fromhex("0x1.62e42fefa4p-1"), float.fromhex("-0x1.8432a1b0e2634p-43")
_LN10_HI, _LN10_LO = float.fromhex("0x1.26bb1b8p+1"), float.fromhex("0x1.daaa8ac16ea57p-26")
_LOG10_2_HI, _LOG10_2_LO = float.fromhex("0x1.34413509f8p-2"), float.fromhex("-0x1.80433b83b532ap-44")
_BITS_PER_NAT_HI, _BITS_PER_NAT_LO = float.fromhex("0x1.7154768p+0"), float.fromhex("-0x1.6a3e80f444178p-27")
_BANS_PER_NAT_HI, _BANS_PER_NAT_LO = float.fromhex("0x1.bcb7b18p-2"), float.fromhex("-0x1.6c8d78e6acaa4p-29")

LN2 = _LN2_HI + _LN2_LO
LN10 = _LN10_HI + _LN10_LO
_BITS_PER_NAT = _BITS_PER_NAT_HI + _BITS_PER_NAT_LO
_BITS_PER_BAN = 1.0 / (_LOG10_2_HI + _LOG10_2_LO)

_ROOT_HALF = float.fromhex("0x1.6a09e667f3bcdp-1")
_HALVING = 134217729.0  # 2^27 + 1, by Veltkamp: what splits a double into two halves of 26 bits
_FAR = 1000  # exponents beyond this are reached in two steps
_TINY, _HUGE = ldexp(1.0, -_FAR), ldexp(1.0, _FAR)

_A1, _A2, _A3, _A4, _A5, _A6, _A7, _A8, _A9, _A10 = (2.0 / (2 * k + 1) for k in range(1, 11))
_E2, _E3, _E4, _E5, _E6, _E7, _E8 = 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040, 1 / 40320
_E9, _E10, _E11, _E12, _E13 = 1 / 362880, 1 / 3628800, 1 / 39916800, 1 / 479001600, 1 / 6227020800


def log(x: float) -> float:
    """The natural logarithm; −inf at 0, not a number below."""
    if not 0.0 < x < inf:
        return _log_of_no_number(x)
    e, f, h, tail = _log_parts(x)
    whole = e * _LN2_HI
    near = f - h
    near_rest = (f - near) - h
    high = whole + near
    return high + (((whole - high) + near) + (near_rest + tail + e * _LN2_LO))


def log2(x: float) -> float:
    """The logarithm of base 2, exact for powers of 2."""
    if not 0.0 < x < inf:
        return _log_of_no_number(x)
    e, f, h, tail = _log_parts(x)
    near = _upper_half(f - h)
    rest = (f - near) - h + tail
    high = near * _BITS_PER_NAT_HI
    low = (near + rest) * _BITS_PER_NAT_LO + rest * _BITS_PER_NAT_HI
    total = e + high
    return total + (((e - total) + high) + low)


def log10(x: float) -> float:
    """The logarithm of base 10, exact for powers of 10."""
    if not 0.0 < x < inf:
        return _log_of_no_number(x)
    e, f, h, tail = _log_parts(x)
    near = _upper_half(f - h)
    rest = (f - near) - h + tail
    high = near * _BANS_PER_NAT_HI
    low = (near + rest) * _BANS_PER_NAT_LO + rest * _BANS_PER_NAT_HI + e * _LOG10_2_LO
    whole = e * _LOG10_2_HI
    total = whole + high
    return total + (((whole - total) + high) + low)


def log1p(x: float) -> float:
    """ln(1 + x), exact to the last digits for small x too."""
    if not -1.0 < x < inf:
        return _log_of_no_number(1.0 + x)
    u = 1.0 + x
    lost = (x - (u - 1.0)) if x < 1.0 else (1.0 - (u - x))
    e, f, h, tail = _log_parts(u)
    tail += lost / u
    whole = e * _LN2_HI
    near = f - h
    near_rest = (f - near) - h
    high = whole + near
    return high + (((whole - high) + near) + (near_rest + tail + e * _LN2_LO))


def _log_parts(x: float) -> tuple[float, float, float, float]:
    """e, f, h and t of ln x = e·ln 2 + (f − h + t), where f is exact and t small."""
    m, exponent = frexp(x)
    if m < _ROOT_HALF:
        m += m
        exponent -= 1
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    series = z * (
        _A1 + z * (_A2 + z * (_A3 + z * (_A4 + z * (_A5 + z * (_A6 + z * (_A7 + z * (_A8 + z * (_A9 + z * _A10))))))))
    )
    h = 0.5 * f * f
    # 2s = f − s·f = f − (h − s·h), so that the largest term has no rounding error.
    return float(exponent), f, h, s * (h + series)


def _log_of_no_number(x: float) -> float:
    if x == 0.0:
        return -inf
    return inf if x > 0.0 else nan


def _upper_half(x: float) -> float:
    scaled = _HALVING * x
    return scaled - (scaled - x)


def exp(x: float) -> float:
    """e^x; 0 and inf beyond what a double holds."""
    if isnan(x):
        return x
    if x > 710.0:
        return inf
    if x < -746.0:
        return 0.0
    k = floor(x * _BITS_PER_NAT + 0.5)
    high, low = x - k * _LN2_HI, k * _LN2_LO
    r = high - low
    return _scaled_exp(r, (high - r) - low, k)


def exp10(x: float) -> float:
    """10^x, exact where a double holds it; 0 and inf beyond."""
    if isnan(x):
        return x
    if x > 309.0:
        return inf
    if x < -324.0:
        return 0.0
    k = floor(x * _BITS_PER_BAN + 0.5)
    high, low = x - k * _LOG10_2_HI, k * _LOG10_2_LO
    bans = high - low
    half = _upper_half(bans)
    rest = (bans - half) + ((high - bans) - low)
    high = half * _LN10_HI
    low = half * _LN10_LO + rest * LN10
    r = high + low
    return _scaled_exp(r, (high - r) + low, k)


def _scaled_exp(r: float, rest: float, k: int) -> float:
    """2^k · exp(r + rest)."""
    series = _E2 + r * (
        _E3
        + r
        * (
            _E4
            + r
            * (_E5 + r * (_E6 + r * (_E7 + r * (_E8 + r * (_E9 + r * (_E10 + r * (_E11 + r * (_E12 + r * _E13))))))))
        )
    )
    near = 1.0 + r
    y = near + ((r - (near - 1.0)) + (r * r * series + rest))
    if k > _FAR:
        return y * _HUGE * ldexp(1.0, k - _FAR)
    if k < -_FAR:
        return y * ldexp(1.0, k + _FAR) * _TINY
    return y * ldexp(1.0, k)


def softplus(x: float) -> float:
    """ln(1 + e^x) without overflow: the logarithm of a sum of two likelihoods, one of them 1."""
    if isinf(x):
        return x if x > 0.0 else 0.0
    return max(x, 0.0) + log1p(exp(-abs(x)))


def logistic(x: float) -> float:
    """1/(1 + e^−x) without overflow."""
    small = exp(-abs(x))
    whole = 1.0 + small
    return _quotient(1.0 if x >= 0.0 else small, whole, (1.0 - whole) + small)


def _quotient(a: float, b: float, rest: float) -> float:
    """a / (b + rest), rounded as if once: the remainder of a / b is exact (Dekker's product)."""
    q = a / b
    q_high, b_high = _upper_half(q), _upper_half(b)
    q_low, b_low = q - q_high, b - b_high
    product = q * b
    below = ((q_high * b_high - product) + q_high * b_low + q_low * b_high) + q_low * b_low
    return q + ((a - product) - below - q * rest) / b
