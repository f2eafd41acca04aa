"""Checks of instances given as JSON that are lists, objects and owners."""

from collections.abc import Mapping, Sequence

from coordgym.errors import InstanceError
from coordgym.silo_env.pairs.facts.fact_checks import require_integer, require_name


def require_list(field: str, value: object, low: int, high: int) -> Sequence[object]:
    """Check a list.

    Raises:
        InstanceError: The value is none, or has not ``low..high`` entries.
    """
    if not isinstance(value, list | tuple):
        raise InstanceError(f"{field} must be a list, got {type(value).__name__}")
    if not low <= len(value) <= high:
        raise InstanceError(f"{field} must have {low}..{high} entries, got {len(value)}")
    return value


def require_dict(field: str, value: object, low: int, high: int) -> Mapping[str, object]:
    """Check an object whose keys are names.

    Raises:
        InstanceError: The value is none, has not ``low..high`` entries or another kind of key.
    """
    if not isinstance(value, Mapping):
        raise InstanceError(f"{field} must be an object, got {type(value).__name__}")
    if not low <= len(value) <= high:
        raise InstanceError(f"{field} must have {low}..{high} entries, got {len(value)}")
    for key in value:
        require_name(field, key)
    return value


def require_word(field: str, value: object, choices: Sequence[str]) -> str:
    """Check a word.

    Raises:
        InstanceError: The value is none of the choices.
    """
    if not isinstance(value, str) or value not in choices:
        raise InstanceError(f"{field} must be one of {', '.join(choices)}")
    return value


def require_owners(field: str, value: object, count: int) -> tuple[int, ...]:
    """Check a list that says which view, 1 or 2, shows each of ``count`` facts.

    Raises:
        InstanceError: The value is none.
    """
    entries = require_list(field, value, count, count)
    return tuple(require_integer(field, entry, 1, 2) for entry in entries)


def require_owner_of(field: str, value: object, keys: Sequence[str]) -> dict[str, int]:
    """Check an object that says which view, 1 or 2, shows each of the keys.

    Raises:
        InstanceError: The value is none.
    """
    owners = require_dict(field, value, len(keys), len(keys))
    if set(owners) != set(keys):
        raise InstanceError(f"{field} must have the keys {', '.join(keys)}")
    return {key: require_integer(field, owners[key], 1, 2) for key in owners}


def require_views(field: str, value: object, count: int, each: str) -> tuple[int, ...]:
    """Check a list that says which view, 1 or 2, knows each of some parts of an instance.

    Args:
        field: Its name, for the error.
        value: The list.
        count: The number of parts.
        each: What one of them is, for the error.

    Raises:
        InstanceError: The value is none.
    """
    if not isinstance(value, list | tuple) or len(value) != count:
        raise InstanceError(f"{field} must name a view for each {each}")
    if any(isinstance(view, bool) or view not in (1, 2) for view in value):
        raise InstanceError(f"{field} must hold 1 or 2")
    return tuple(value)
