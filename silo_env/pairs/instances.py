"""Checks of instances that are given as JSON, and the people that generated ones speak of."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from coordgym.errors import InstanceError
from coordgym.silo_env.pairs.task import Facts

T = TypeVar("T")

PEOPLE = (
    "Ada", "Bo", "Cy", "Dee", "Eli", "Fay", "Gus", "Hal",
    "Ivy", "Jo", "Kit", "Lou", "Max", "Nia", "Oz", "Pam",
)  # fmt: skip
"""Short names in alphabetical order."""

COMPLETE = "complete"
"""The key that marks facts as those of both views together."""

_NAME = re.compile(r"[A-Za-z][\w-]{0,23}", re.ASCII)


def is_complete(facts: Facts) -> bool:
    """Whether facts are those of both views together."""
    return facts.get(COMPLETE) is True


def draw_people(count: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Some of the people in alphabetical order."""
    chosen = rng.choice(len(PEOPLE), size=count, replace=False)
    return tuple(PEOPLE[int(index)] for index in sorted(chosen))


def first_accepted(
    draw: Callable[[], T], accept: Callable[[T], bool], tries: int = 2000
) -> T | None:
    """Draw until something is accepted; None after `tries` refusals."""
    return next((drawn for drawn in (draw() for _ in range(tries)) if accept(drawn)), None)


def require_number(name: str, value: object, low: int, high: int) -> int:
    """Check an integer.

    Raises:
        InstanceError: The value is none, or not within `low..high`.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InstanceError(f"{name} must be {low}..{high}, got {value!r}"[:200])
    return value


def require_list(name: str, value: object, low: int, high: int) -> Sequence[object]:
    """Check a list.

    Raises:
        InstanceError: The value is none, or has not `low..high` entries.
    """
    if not isinstance(value, list | tuple):
        raise InstanceError(f"{name} must be a list, got {type(value).__name__}")
    if not low <= len(value) <= high:
        raise InstanceError(f"{name} must have {low}..{high} entries, got {len(value)}")
    return value


def require_dict(name: str, value: object, low: int, high: int) -> Mapping[str, object]:
    """Check an object whose keys are names.

    Raises:
        InstanceError: The value is none, has not `low..high` entries or another kind of key.
    """
    if not isinstance(value, Mapping):
        raise InstanceError(f"{name} must be an object, got {type(value).__name__}")
    if not low <= len(value) <= high:
        raise InstanceError(f"{name} must have {low}..{high} entries, got {len(value)}")
    for key in value:
        require_name(f"a key of {name}", key)
    return value


def require_name(name: str, value: object) -> str:
    """Check a name: a letter and up to 23 letters, digits, underscores or hyphens.

    Raises:
        InstanceError: The value is none.
    """
    if not isinstance(value, str) or _NAME.fullmatch(value) is None:
        raise InstanceError(f"{name} must be a word of at most 24 characters, got {value!r}"[:200])
    return value


def require_names(name: str, value: object, low: int, high: int) -> tuple[str, ...]:
    """Check a list of different names.

    Raises:
        InstanceError: The value is none, or has not `low..high` entries.
    """
    names = tuple(require_name(name, entry) for entry in require_list(name, value, low, high))
    if len(set(names)) < len(names):
        raise InstanceError(f"{name} must hold different names")
    return names


def require_choice_of(name: str, value: object, choices: Sequence[str]) -> str:
    """Check a word.

    Raises:
        InstanceError: The value is none of the choices.
    """
    if not isinstance(value, str) or value not in choices:
        raise InstanceError(f"{name} must be one of {', '.join(choices)}, got {value!r}"[:200])
    return value


def require_owners(name: str, value: object, count: int) -> tuple[int, ...]:
    """Check a list that says which view, 1 or 2, shows each of `count` facts.

    Raises:
        InstanceError: The value is none.
    """
    return tuple(
        require_number(f"an entry of {name}", entry, 1, 2)
        for entry in require_list(name, value, count, count)
    )


def require_owner_of(name: str, value: object, keys: Sequence[str]) -> dict[str, int]:
    """Check an object that says which view, 1 or 2, shows each of the keys.

    Raises:
        InstanceError: The value is none.
    """
    owners = require_dict(name, value, len(keys), len(keys))
    if set(owners) != set(keys):
        raise InstanceError(f"{name} must have the keys {', '.join(keys)}"[:200])
    return {key: require_number(f"{name} of {key}", owners[key], 1, 2) for key in owners}
