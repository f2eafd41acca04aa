"""Plain data: what JSON can hold, as it enters and leaves an environment."""

import json
import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from coordgym.errors import ConfigError, InstanceError, suggest


def encodable(text: str) -> str:
    """Replace what UTF-8 can't hold (lone surrogates) by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def json_copy(instance: object, name: str = "options['instance']") -> dict[str, Any]:
    """Copy an instance that was given; what JSON can't hold is refused.

    Tuples become lists and the keys of dicts texts, as in JSON. ``name`` says what it is, for
    the error.

    Raises:
        InstanceError: If it is no dict, or holds NaN, infinity or objects that are not plain.
    """
    if not isinstance(instance, Mapping):
        raise InstanceError(
            f"{name} must be a dict, got {type(instance).__name__}; "
            "env.unwrapped.instance shows its form"
        )
    try:
        copied: dict[str, Any] = json.loads(json.dumps(dict(instance), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InstanceError(f"an instance must be JSON-able: {error!s:.150}") from error
    return copied


def require_outcome(outcome: object, agents: Collection[str]) -> None:
    """Check the outcome of an episode that a verdict is asked for.

    Raises:
        ConfigError: If it is no dict, or has a key that is none of the agents.
    """
    if not isinstance(outcome, Mapping):
        raise ConfigError(
            f"outcome must be a dict of answers by agent, got {type(outcome).__name__}"
        )
    for agent in outcome:
        if agent not in agents:
            near = suggest(str(agent)[:100], agents)
            raise ConfigError(f"outcome names {agent!r:.100}, who is none of the agents{near}")


def plain_number(value: object) -> Any:
    """Return Python's own number for one of numpy's; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def without_nan(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Return figures as infos hold them: None for NaN, which equals nothing and is no JSON."""
    return {
        name: None if isinstance(figure, float) and math.isnan(figure) else figure
        for name, figure in metrics.items()
    }
