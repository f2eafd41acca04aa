"""The errors that coordgym raises, and the small checks that raise them.

Every message says what was given, what is allowed and, where it helps, what to do.
Text actions never raise: only wrong use of the API does.
"""

import math
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from numbers import Integral, Real


class CoordgymError(Exception):
    """Base class of all errors of this package."""


class UnknownEnvError(CoordgymError, LookupError):
    """No environment is registered under this id."""


class UnknownKwargError(CoordgymError, TypeError):
    """An environment, policy or plan got a keyword argument that it does not have."""


class UnknownPolicyError(CoordgymError, LookupError):
    """No policy is known under this name."""


class ConfigError(CoordgymError, ValueError):
    """A keyword argument has a value that is not allowed."""


class InstanceError(CoordgymError, ValueError):
    """The instance in ``options`` is malformed or outside what the task defines."""


class SeedError(CoordgymError, ValueError):
    """A seed is not an int ≥ 0."""


class ActionError(CoordgymError, ValueError):
    """``step`` got actions for the wrong agents or actions that are not strings."""


class ResetNeededError(CoordgymError, RuntimeError):
    """The environment was used before ``reset`` or after its end."""


class MissingExtraError(CoordgymError, ImportError):
    """An optional dependency is not installed."""


class EpisodeError(CoordgymError, ValueError):
    """An episode record can't be read or replayed."""


class PlanError(CoordgymError, ValueError):
    """A plan is malformed, or differs from the one that the results belong to."""


class ModelError(CoordgymError, RuntimeError):
    """A language model or its server failed for good."""


MAX_WORD_CHARS = 100
"""Longer words are compared by their beginnings: the comparison takes quadratic time."""


def suggest(word: object, candidates: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest candidate, or an empty string."""
    if not isinstance(word, str):
        return ""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    near = get_close_matches(word[:MAX_WORD_CHARS].lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""


def shown(value: object) -> str:
    """Return a value as an error message shows it: at most 100 characters."""
    try:
        return f"{value!r:.100}"
    except ValueError:  # Python prints no integers of more than 4,300 digits
        return "a number of thousands of digits"


def require_int(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return ``value`` as an int within ``low..high`` (``high`` None = unbounded).

    Raises:
        ConfigError: If it is not an integer (bool included) or out of range.
    """
    allowed = f"{low}..{high}" if high is not None else f"an int ≥ {low}"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ConfigError(f"{name} must be {allowed}, got {shown(value)}")
    number = int(value)
    if number < low or (high is not None and number > high):
        raise ConfigError(f"{name} must be {allowed}, got {shown(number)}")
    return number


def require_probability(name: str, value: object) -> float:
    """Return ``value`` as a float within 0..1.

    Raises:
        ConfigError: If it is not a number in that range.
    """
    try:
        number = float(value) if isinstance(value, Real) else math.nan
    except OverflowError:
        number = math.inf
    if isinstance(value, bool) or not 0 <= number <= 1:
        raise ConfigError(f"{name} must be a probability in [0, 1], got {shown(value)}")
    return number


def require_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return ``value`` if it is one of ``choices``.

    Raises:
        ConfigError: If it is not, with the nearest choice.
    """
    if not isinstance(value, str) or value not in choices:
        near = suggest(value, choices) if isinstance(value, str) else ""
        listed = ", ".join(repr(choice) for choice in choices)
        raise ConfigError(f"{name} must be one of {listed}, got {shown(value)}{near}")
    return value


def require_bool(name: str, value: object) -> bool:
    """Return ``value`` if it is a bool.

    Raises:
        ConfigError: If it is not.
    """
    if not isinstance(value, bool):
        raise ConfigError(f"{name} must be True or False, got {shown(value)}")
    return value
