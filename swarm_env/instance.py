"""What a swarm's instance holds, and judging an episode from it and the actions alone."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from coordgym.data.plain import json_copy
from coordgym.errors import ConfigError, InstanceError
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.options import COMPAT, SwarmConfig
from coordgym.swarm_env.task import Task, load_task

EXTRA_FIELDS: Final[tuple[str, ...]] = (
    "task",
    "options",
    "compat",
    "max_cycles",
    "target",
    "dynamics_seed",
)
"""What an instance holds besides the world."""
SEED_BOUND: Final = 2**53
"""Seeds are below it: readers of JSON in other languages can hold no larger ints."""


class Verdict(NamedTuple):
    """What an episode is worth: the strict verdict, None if not judged, and the team's score."""

    success: bool | None
    score: float


def verify(instance: Mapping[str, Any], outcome: Sequence[Mapping[str, str]]) -> Verdict:
    """Replay an episode; pure, and equal to what the environment's metrics say.

    Args:
        instance: What ``env.unwrapped.instance`` holds after a reset.
        outcome: The action log: per round each acting agent's action name, by agent id, as in
            ``env.unwrapped.outcome()``.

    Raises:
        InstanceError: If the instance lacks a field or has a wrong one.
        ConfigError: If the outcome is no such log, or the instance's task has no such options.
    """
    instance = json_copy(instance, "instance")
    _check(instance)
    task = load_task(instance["task"], instance["options"])
    world = task.read_world(split_instance(instance)[0])
    config = SwarmConfig(
        n_agents=world.n_agents,
        height=world.height,
        width=world.width,
        view_size=1,  # the rules of no task depend on what agents see
        compat=instance["compat"] is not None,
    )
    rng = np.random.default_rng(instance["dynamics_seed"])
    numbers = {f"agent_{number}": number for number in range(world.n_agents)}
    limit = instance["max_cycles"]
    for actions in _checked(outcome, numbers, task.actions)[: max(limit - world.round, 0)]:
        done = {
            numbers[agent]: name
            for agent, name in actions.items()
            if not world.escaped[numbers[agent]]
        }
        if task.play(world, done, limit, config, rng)[1].done:
            break
    return Verdict(task.success(world, instance["target"]), world.score)


def _check(instance: Mapping[str, Any]) -> None:
    """Check the fields that the world does not read."""
    for name in EXTRA_FIELDS:
        if name not in instance:
            raise InstanceError(f"the instance lacks {name!r:.100}; use env.unwrapped.instance")
    _check_fields(instance)


def split_instance(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the state of an instance's world, and what the instance holds besides.

    Raises:
        InstanceError: If the latter has a wrong type or is out of range.
    """
    extras = {name: given[name] for name in EXTRA_FIELDS if name in given}
    _check_fields(extras)
    return {name: value for name, value in given.items() if name not in extras}, extras


def _check_fields(fields: Mapping[str, Any]) -> None:
    for name, (wanted, is_right) in _WANTED.items():
        if name in fields and not is_right(fields[name]):
            raise InstanceError(
                f"the instance's {name} must be {wanted}, got {fields[name]!r:.100}; "
                "use env.unwrapped.instance"
            )


def require_settings(extras: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Check that an instance was drawn with the environment's settings, as far as it tells them.

    Raises:
        InstanceError: If it was drawn with others.
    """
    for name, own in settings.items():
        if extras.get(name, own) != own:
            raise InstanceError(f"the instance's {name} is {extras[name]!r:.100}, not {own!r}")


def read_limits(
    extras: Mapping[str, Any], task: Task, max_cycles: int | None, target: float | None
) -> int | None:
    """Return the limit on rounds of an instance, if it has one, and check its target.

    Args:
        extras: What the instance holds besides the world.
        task: The task.
        max_cycles: The limit with which the environment was made.
        target: The target with which the environment was made.

    Raises:
        InstanceError: If the environment was made with others, or the task takes no such target.
    """
    for name, own in (("max_cycles", max_cycles), ("target", target)):
        if name in extras and own is not None and extras[name] != own:
            raise InstanceError(
                f"the instance's {name} is {extras[name]!r}, but the environment was made "
                f"with {name}={own!r}; leave {name} out to take the instance's"
            )
    if extras.get("target") is not None and task.target is None:
        raise InstanceError(f"the instance's target must be None, got {extras['target']!r}")
    return extras.get("max_cycles")


def episode_target(
    extras: Mapping[str, Any], target: float | None, task: Task, world: World, limit: int
) -> float | None:
    """Return the score of a success: the instance's or the environment's, else the task's own."""
    if target is None and "target" not in extras:
        return task.own_target(world, limit)
    wanted: float | None = extras.get("target", target)
    return wanted


def read_world(state: Mapping[str, Any], task: Task, n_agents: int, limit: int) -> World:
    """Return the world of an instance, checked to suit an environment.

    Raises:
        InstanceError: If it does not suit it, or the state is wrong.
    """
    if not state:
        raise InstanceError(
            "the instance holds no world; give env.unwrapped.instance, or none to draw one"
        )
    world = task.read_world(state)
    if world.n_agents != n_agents:
        raise InstanceError(
            f"the instance has {world.n_agents} agents, the environment {n_agents}; "
            f"make it with n_agents={world.n_agents}"
        )
    if world.round >= limit:
        raise InstanceError(
            f"the instance is after round {world.round}, but max_cycles ends it at {limit}"
        )
    return world


_WANTED: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "options": ("a dict", lambda value: isinstance(value, dict)),
    "compat": (f"None or {COMPAT!r}", lambda value: value in (None, COMPAT)),
    "max_cycles": ("an int ≥ 1", lambda value: type(value) is int and value >= 1),
    "target": (
        "None or a number in [0, 1e9)",
        lambda value: value is None or (type(value) in (int, float) and 0 <= value < 1e9),
    ),
    "dynamics_seed": (
        "an int in 0..2**53-1",
        lambda value: type(value) is int and 0 <= value < SEED_BOUND,
    ),
}


def _checked(
    outcome: Sequence[Mapping[str, str]], agents: Collection[str], names: Collection[str]
) -> Sequence[Mapping[str, str]]:
    """Return the log, every round of which must hold known actions by known agents."""
    if not isinstance(outcome, list | tuple) or not all(isinstance(r, Mapping) for r in outcome):
        raise ConfigError(
            "outcome must be a list of dicts of actions by agent, as env.unwrapped.action_log, "
            f"got {outcome!r:.100}"
        )
    for at, actions in enumerate(outcome):
        for agent, name in actions.items():
            if agent not in agents or not isinstance(name, str) or name not in names:
                raise ConfigError(f"round {at} of the log holds {agent!r:.40}: {name!r:.40}")
    return outcome
