"""Checks of what callers hand to ``reset``, ``step`` and the spaces: wrong use raises at once."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from coordgym.data.plain import json_copy
from coordgym.errors import (
    ActionError,
    ConfigError,
    InstanceError,
    ResetNeededError,
    SeedError,
    shown,
    suggest,
)

SNAPSHOT_KEY = "environment"
"""Where a snapshot says what kind of environment it was taken of."""


def require_seed(seed: object) -> int:
    """Return the seed as an int.

    Raises:
        SeedError: If it is not an int ≥ 0; bools are refused.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise SeedError(f"seed must be an int ≥ 0 or None, got {shown(seed)}")
    return int(seed)


def given_instance(options: object) -> dict[str, Any] | None:
    """Return a copy of the instance that the options of ``reset`` give, or None.

    Raises:
        InstanceError: If the options are no mapping, the instance is no JSON object, or a key
            looks like ``instance``. Other keys are ignored, as Gymnasium's wrappers expect.
    """
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise InstanceError(f"options must be a dict or None, got {shown(options)}")
    for key in options:
        if key != "instance" and isinstance(key, str) and suggest(key, ["instance"]):
            raise InstanceError(f"unknown option {shown(key)}{suggest(key, ['instance'])}")
    given = options.get("instance")
    return None if given is None else json_copy(given)


def require_snapshot(state: object, made: Mapping[str, Any]) -> dict[str, Any]:
    """Return a snapshot without what it says of where it was taken.

    Args:
        state: What ``set_state`` got.
        made: What the environment that gets it says of itself; an ``id`` of None, of one that
            was made by its class, matches every id.

    Raises:
        ConfigError: If it is no snapshot, or one of an environment made in another way.
    """
    taken = state.get(SNAPSHOT_KEY) if isinstance(state, Mapping) else None
    if not isinstance(state, Mapping) or not isinstance(taken, Mapping):
        raise ConfigError(f"state must be what get_state() returned, got {shown(state)}")
    for name, here in made.items():
        there = taken.get(name)
        if there != here and not (name == "id" and None in (there, here)):
            raise ConfigError(
                f"the state is of an environment with {name} {shown(there)}, "
                f"expected {name} {shown(here)}"
            )
    return {name: value for name, value in state.items() if name != SNAPSHOT_KEY}


def require_actions(
    actions: object, alive: Sequence[str], active: Collection[str], possible: Sequence[str]
) -> dict[str, str]:
    """Return the texts of the active agents, in the order of ``alive``.

    Raises:
        ResetNeededError: If nobody is alive.
        ActionError: If the actions are no mapping, one is for an agent that is unknown or gone,
            an active agent has none, or an active agent's is not a string.
    """
    if not alive:
        raise ResetNeededError("the episode is over: call reset() before step()")
    if not isinstance(actions, Mapping):
        raise ActionError(f"actions must be a dict of texts by agent, got {type(actions).__name__}")
    here = set(alive)
    for agent in actions:
        if agent not in here:
            raise ActionError(not_alive(agent, alive, possible))
    texts: dict[str, str] = {}
    for agent in alive:
        if agent not in active:
            continue
        if agent not in actions:
            raise ActionError(f"there is no action for {agent}; active now: {sorted(active)}")
        texts[agent] = require_text(agent, actions[agent])
    return texts


def require_text(agent: str, text: object) -> str:
    """Return an agent's action as an exact ``str``.

    Raises:
        ActionError: If it is not a string.
    """
    if not isinstance(text, str):
        raise ActionError(f"the action of {agent} must be a str, got {type(text).__name__}")
    return exact_text(text)


def exact_text(text: str) -> str:
    """Return the characters that a text has, whatever its class says of them.

    A subclass may override ``__str__``, ``__len__`` or ``__getitem__``: it would be parsed as
    one text, measured as another and recorded as a third.
    """
    return text if type(text) is str else str.__str__(text)


def require_agent(agent: object, possible: Sequence[str]) -> None:
    """Refuse what is no agent of this environment.

    Raises:
        ActionError: If ``agent`` is not one of the possible ones.
    """
    if agent not in possible:
        known = f"{possible[0]} … {possible[-1]}"
        raise ActionError(f"there is no agent {shown(agent)}; agents are {known}")


def not_alive(agent: object, alive: Sequence[str], possible: Sequence[str]) -> str:
    """Say why an agent can't act."""
    if agent in possible:
        return f"{agent} has left the episode; alive: {list(alive)}"
    return f"there is no agent {shown(agent)}; alive: {list(alive)}"
