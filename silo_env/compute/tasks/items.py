"""What the generators of most tasks have in common: so many items per agent."""

from dataclasses import dataclass
from typing import ClassVar

from coordgym.errors import require_int

MAX_ITEMS = 10_000
"""Largest number of items per agent."""


@dataclass(frozen=True, slots=True)
class Items:
    """``items`` per agent, ``least`` or more."""

    least: ClassVar[int] = 1
    items: int

    def __post_init__(self) -> None:
        require_int("items", self.items, self.least, MAX_ITEMS)
