"""Who knows a fact: dealing facts to the two views, and words that only a split view needs."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

Owner: TypeAlias = Literal[1, 2]
"""The view that shows a fact."""


class SplitView(Protocol):
    """A view that says whether it holds the facts of both agents."""

    @property
    def whole(self) -> bool:
        """Whether nothing is hidden from it."""


def balanced_owners(count: int, rng: np.random.Generator) -> list[str]:
    """Deal ``count`` facts to views "1" and "2" at random, half each; a coin deals the odd one."""
    first = count // 2 + (int(rng.integers(2)) if count % 2 else 0)
    owners = np.full(count, "2")
    owners[rng.permutation(count)[:first]] = "1"
    return [str(owner) for owner in owners]


def deal(facts: Sequence[tuple[object, ...]], rng: np.random.Generator) -> tuple[Any, ...]:
    """Deal facts to the views at random, half each: the owner becomes their last entry."""
    owners = balanced_owners(len(facts), rng)
    return tuple((*fact, int(owner)) for fact, owner in zip(facts, owners, strict=True))


def unsplit(count: int) -> tuple[Owner, ...]:
    """Give so many facts to view 1."""
    owner: Owner = 1
    return (owner,) * count


def you_know(view: SplitView) -> str:
    """Return the words that mark the facts of a view as those of one agent."""
    return "" if view.whole else " you know"


def if_split(view: SplitView, text: str) -> str:
    """Return a text about what the partner knows, or nothing where there is no partner."""
    return "" if view.whole else text
