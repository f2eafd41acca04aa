"""Exact arithmetic on decimal numbers that are given as floats.

A float stands for the shortest decimal that reads as it, so 0.1 is one tenth. Decimals are scaled
to integers, and sums and products of these are exact.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

IntArray = np.ndarray[Any, np.dtype[Any]]
"""Of int64 where numbers are small, else of Python's integers (dtype object)."""

_SMALL = 2**24  # sums of a few thousand products of such numbers fit in 64 bits
_FAST_DECIMALS = 6


class Scaled(NamedTuple):
    """Decimals as ``integers`` / 10**``digits``."""

    integers: IntArray
    digits: int


def integer_array(rows: Sequence[Sequence[int]], width: int) -> IntArray:
    """Return a two-dimensional array in which products of rows do not overflow."""
    small = all(-_SMALL < item < _SMALL for row in rows for item in row)
    return np.array(rows, dtype=np.int64 if small else object).reshape(-1, width)


def scaled(rows: Sequence[Sequence[float]], width: int) -> Scaled:
    """Scale rows of finite decimals by the least power of ten that makes all of them integers."""
    numbers = np.array(rows, dtype=np.float64).reshape(-1, width)
    if np.abs(numbers).max(initial=0) < _SMALL:
        for digits in range(_FAST_DECIMALS + 1):
            integers = np.rint(numbers * 10**digits)
            if np.abs(integers).max(initial=0) >= _SMALL:
                break
            if np.array_equal(integers / 10**digits, numbers):
                return Scaled(integers.astype(np.int64), digits)
    decimals = [Decimal(repr(float(number))) for row in rows for number in row]
    digits = max(max(0, -int(decimal.as_tuple().exponent)) for decimal in decimals)
    exact = [int(Fraction(decimal) * 10**digits) for decimal in decimals]
    return Scaled(np.array(exact, dtype=object).reshape(-1, width), digits)


def rounded(numerator: int, denominator: int, decimals: int) -> float:
    """Round a ratio to some decimals; exact halves go to the even neighbour."""
    return float(round(Fraction(int(numerator), int(denominator)), decimals))
