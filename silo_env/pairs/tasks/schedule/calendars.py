"""Free times of a day that is cut into slots, as intervals and as bits."""

from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_SLOTS = 12

Window = tuple[int, int]
"""First and last free slot."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """When somebody is free.

    Attributes:
        tz: Hours ahead of UTC.
        windows: Free slots from 1 on.
    """

    tz: int
    windows: tuple[Window, ...]


SET_BITS = np.array([number.bit_count() for number in range(1 << MOST_SLOTS)])
"""How many slots each set of bits holds."""


class Calendars(NamedTuple):
    """What people's free times can be, how likely each is, and its slots as bits."""

    windows: tuple[tuple[Window, ...], ...]
    chances: NDArray[np.float64]
    bits: NDArray[np.int_]


@lru_cache(maxsize=8)
def calendars(slots: int, longest: int) -> Calendars:
    """Tabulate one free time or, as likely, two that don't touch."""
    windows = [
        (a, b) for a in range(1, slots + 1) for b in range(a, min(slots, a + longest - 1) + 1)
    ]
    single = [(window,) for window in windows]
    double = [(one, two) for one, two in combinations(windows, 2) if one[1] + 1 < two[0]]
    kinds = [kind for kind in (single, double) if kind]
    chances = [1 / (len(kinds) * len(kind)) for kind in kinds for _ in kind]
    every = (*single, *double)
    return Calendars(every, np.array(chances), np.array([bits_of(each) for each in every]))


@lru_cache(maxsize=2048)
def bits_of(windows: tuple[Window, ...]) -> int:
    """Return the slots of windows as bits, slot 1 as the lowest; windows may overlap."""
    return reduce(or_, ((1 << last) - (1 << (first - 1)) for first, last in windows), 0)
