"""Judging an episode of the swarm from its instance and its actions alone."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from coordgym.data.plain import json_copy
from coordgym.errors import ConfigError, InstanceError
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.table import load_task
from coordgym.swarm_env.task import COMPAT, SwarmConfig, Turn

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
    """What an episode is worth: the strict verdict and the team's score."""

    success: bool
    score: float


def verify(instance: Mapping[str, Any], outcome: Sequence[Mapping[str, str]]) -> Verdict:
    """Replays an episode; pure, and equal to what the environment's metrics say.

    Args:
        instance: What ``env.unwrapped.instance`` holds after a reset.
        outcome: The action log: per round each acting agent's action name, by agent id, as in
            ``env.unwrapped.action_log``.

    Raises:
        InstanceError: The instance lacks a field or has a wrong one.
        ConfigError: The outcome is no such log, or the instance's task has no such options.
    """
    instance = json_copy(instance, "instance")
    _check(instance)
    world = World.from_dict({k: v for k, v in instance.items() if k not in EXTRA_FIELDS})
    task = load_task(instance["task"], instance["options"])
    task.check_world(world)
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
        before = tuple(world.positions)
        turn = Turn(done, before, world.push(done), limit)
        finished = task.update(world, turn, config, rng).done
        world.round += 1
        if finished:
            break
    return Verdict(task.success(world, instance["target"]), world.score)


def _check(instance: Mapping[str, Any]) -> None:
    """Checks the fields that the world does not read."""
    for name in EXTRA_FIELDS:
        if name not in instance:
            raise InstanceError(f"the instance lacks {name!r:.100}; use env.unwrapped.instance")
    check_fields(instance)


def check_fields(fields: Mapping[str, Any]) -> None:
    """Checks those fields of an instance that it holds besides the world, as far as it has them.

    Raises:
        InstanceError: One has a wrong type or is out of range.
    """
    for name, (wanted, is_right) in _WANTED.items():
        if name in fields and not is_right(fields[name]):
            raise InstanceError(
                f"the instance's {name} must be {wanted}, got {fields[name]!r:.100}; "
                "use env.unwrapped.instance"
            )


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
    """The log, every round of which must hold known actions by known agents."""
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
