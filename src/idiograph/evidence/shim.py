"""Stands in for idiograph.arithmetic until that is merged."""

from typing import Any

import numpy as np


def exp(x: Any) -> Any:
    return np.exp(x)


def log(x: Any) -> Any:
    return np.log(x)


def log2(x: Any) -> Any:
    return np.log2(x)


def log10(x: Any) -> Any:
    return np.log10(x)


def log1p(x: Any) -> Any:
    return np.log1p(x)
