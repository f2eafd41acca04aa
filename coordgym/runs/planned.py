"""The parts of a plan: an environment, a policy, and one episode of both."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from coordgym.data import jsonl
from coordgym.errors import PlanError
from coordgym.making import build_policy, entry_of, make_env
from coordgym.policies.policy_map import PolicyMap
from coordgym.policies.protocol import Policy

_REPEAT_STREAM = 100
"""Spawn key of the policy's seeds in repeats; the streams of environments are smaller."""


@dataclass(frozen=True, slots=True)
class PlannedEnv:
    """An environment's id and keyword arguments; both must have a JSON form."""

    id: str
    kwargs: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Short name for tables: ``SiloGlobalMax-v0 n_agents=3``."""
        shown = [f"{key}={_short(value)}" for key, value in self.kwargs.items()]
        return " ".join([self.id.removeprefix("coordgym/"), *shown])

    @property
    def full_id(self) -> str:
        """The id under which it is registered, whichever of its names was given."""
        entry = entry_of(self.id)
        return self.id if entry is None else entry.id  # making an unknown one says so

    def make(self) -> Any:
        """Make the environment.

        Raises:
            CoordgymError: If the id is unknown or the arguments are wrong.
        """
        return make_env(self.id, self.kwargs)


@dataclass(frozen=True, slots=True)
class PlannedSeat:
    """The policy of some agents."""

    policy: str
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlannedPolicy:
    """A policy for all agents, or one per agent.

    Attributes:
        name: What reports call it; unique in a plan.
        policy: Policy string for all agents.
        kwargs: Keyword arguments of that policy.
        agents: Instead, a policy for each agent, with ``"*"`` for all others.
    """

    name: str
    policy: str | None = None
    kwargs: dict[str, Any] = field(default_factory=dict)
    agents: dict[str, PlannedSeat] | None = None

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise PlanError(f"a policy's 'name' must not be empty, got {self.name!r}")
        if (self.policy is None) == (self.agents is None):
            raise PlanError(f"policy {self.name!r} needs either 'policy' or 'agents'")
        if self.agents is not None and self.kwargs:
            raise PlanError(f"policy {self.name!r}: 'kwargs' go beside the policy of each agent")

    @property
    def seats(self) -> dict[str, PlannedSeat]:
        """Policy by agent; ``"*"`` stands for all that are not named."""
        if self.agents is not None:
            return self.agents
        return {"*": PlannedSeat(cast(str, self.policy), self.kwargs)}

    def build(self) -> Policy:
        """Build the policy; a model is loaded here.

        Raises:
            CoordgymError: If a policy is unknown, gets wrong arguments or can't be loaded.
        """
        if self.agents is None:
            return build_policy(cast(str, self.policy), self.kwargs)
        seats = self.agents.items()
        return PolicyMap({agent: build_policy(seat.policy, seat.kwargs) for agent, seat in seats})


@dataclass(frozen=True, slots=True)
class Cell:
    """One episode of a plan."""

    env: PlannedEnv
    policy: PlannedPolicy
    seed: int
    repeat: int

    @property
    def key(self) -> str:
        """What identifies the episode in a file of results."""
        return cell_key(self.env.id, self.env.kwargs, self.policy.name, self.seed, self.repeat)

    @property
    def label(self) -> str:
        """Short name for people: ``PairMaze-v0, random, seed 3``."""
        again = f", repeat {self.repeat}" if self.repeat else ""
        return f"{self.env.label}, {self.policy.name}, seed {self.seed}{again}"

    @property
    def policy_seed(self) -> int:
        """Seed of the policy: the environment's in the first repeat, then a derived one."""
        if self.repeat == 0:
            return self.seed
        sequence = np.random.SeedSequence(self.seed, spawn_key=(_REPEAT_STREAM, self.repeat))
        return int(sequence.generate_state(1)[0])


def cell_key(env_id: str, kwargs: Mapping[str, Any], policy: str, seed: int, repeat: int) -> str:
    """Return the key of an episode, the same for a cell and for its record."""
    return canonical([env_id, dict(kwargs), policy, seed, repeat])


def canonical(value: object) -> str:
    """Return the one JSON text of a value, whatever the order of its keys."""
    return json.dumps(json.loads(jsonl.dumps(value)), sort_keys=True, ensure_ascii=False)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 20 else f"{text[:17]}..."
