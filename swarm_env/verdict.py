"""Judging an episode of the swarm from its instance and its actions alone."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from coordgym.errors import InstanceError
from coordgym.swarm_env.table import load_task
from coordgym.swarm_env.task import SwarmConfig, Turn
from coordgym.swarm_env.world import World

_OWN_FIELDS = ("task", "options", "compat", "max_cycles", "target", "dynamics_seed")


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
        InstanceError: The instance lacks a field, or the log names unknown agents or actions.
    """
    missing = [name for name in _OWN_FIELDS if name not in instance]
    if missing:
        raise InstanceError(f"the instance lacks {missing[0]!r}; use env.unwrapped.instance")
    world = World.from_dict({k: v for k, v in instance.items() if k not in _OWN_FIELDS})
    task = load_task(instance["task"], instance["options"])
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
    for at, actions in enumerate(outcome[:limit]):
        for agent, name in actions.items():
            if agent not in numbers or name not in task.actions:
                raise InstanceError(f"round {at} of the log holds {agent!r:.40}: {name!r:.40}")
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
