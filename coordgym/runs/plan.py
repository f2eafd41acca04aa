"""Plans: which environments, with which policies, on which seeds.

Everything in a plan is combined with everything else; ``coordgym.runs.plan_file`` reads plans from
YAML. Environments and policies of one's own that are not registered are named by where they
are: ``import:package.module:name``.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from coordgym.data import jsonl
from coordgym.errors import PlanError, UnknownEnvError
from coordgym.making import build_policy, full_id, make_env
from coordgym.policies.protocol import Policy, PolicyMap

UNPLAYED_KEYS = ("name", "compress")
"""What of a plan changes no episode."""
FILE_KWARGS = ("db_path",)
"""Arguments that name a file to which one environment at a time can write what happens."""
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
        try:
            return full_id(self.id)
        except UnknownEnvError:  # making it says so
            return self.id

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
    return _canonical([env_id, dict(kwargs), policy, seed, repeat])


@dataclass(frozen=True, slots=True)
class Plan:
    """Environments × policies × seeds × repeats.

    Attributes:
        envs: Environments.
        policies: Policies.
        seeds: Seeds of the environments.
        repeats: Episodes per seed.
        name: What the plan is called; it changes nothing.
        compress: Whether its file of episodes is compressed; it changes no episode.

    Raises:
        PlanError: If a list is empty or holds something twice, or a value is out of range.
    """

    envs: tuple[PlannedEnv, ...]
    policies: tuple[PlannedPolicy, ...]
    seeds: tuple[int, ...] = (0,)
    repeats: int = 1
    name: str = "plan"
    compress: bool = False

    def __post_init__(self) -> None:
        seeds_and_repeats = (*self.seeds, self.repeats)
        if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in seeds_and_repeats):
            raise PlanError("seeds and repeats must be whole numbers ≥ 0")
        if self.repeats < 1:
            raise PlanError(f"repeats must be ≥ 1, got {self.repeats}")
        _require_unique("envs", [_canonical([env.full_id, env.kwargs]) for env in self.envs])
        _require_unique("policies", [policy.name for policy in self.policies])
        _require_unique("seeds", list(self.seeds))

    def cells(self) -> Iterator[Cell]:
        """Yield the episodes; those of one policy follow each other, so it is built once."""
        for policy in self.policies:
            for env in self.envs:
                for seed in self.seeds:
                    for repeat in range(self.repeats):
                        yield Cell(env, policy, seed, repeat)

    def __len__(self) -> int:
        return len(self.envs) * len(self.policies) * len(self.seeds) * self.repeats

    def to_data(self) -> dict[str, Any]:
        """Return the plan as JSON-able data that ``plan_file.plan_of`` reads."""
        policies: list[dict[str, Any]] = []
        for policy in self.policies:
            if policy.agents is None:
                what: dict[str, Any] = {"policy": policy.policy, "kwargs": policy.kwargs}
            else:
                seats = policy.agents.items()
                what = {"agents": {a: {"policy": s.policy, "kwargs": s.kwargs} for a, s in seats}}
            policies.append({"name": policy.name, **what})
        return {
            "name": self.name,
            "compress": self.compress,
            "seeds": list(self.seeds),
            "repeats": self.repeats,
            "envs": [{"id": env.id, "kwargs": env.kwargs} for env in self.envs],
            "policies": policies,
        }

    def fingerprint(self) -> str:
        """Return 16 hex digits that change with anything that changes the episodes."""
        data = {key: value for key, value in self.to_data().items() if key not in UNPLAYED_KEYS}
        return hashlib.sha256(_canonical(data).encode("utf-8")).hexdigest()[:16]

    def check(self, workers: int = 1) -> None:
        """Make every environment and every light policy once, so that errors show early.

        Language models are not loaded and imported policies not built; their names and
        arguments are checked.

        Args:
            workers: How many processes are to play the plan at a time.

        Raises:
            CoordgymError: The first error found.
        """
        from coordgym.runs.plan_check import check_plan

        check_plan(self, workers)


def _require_unique(what: str, values: Sequence[object]) -> None:
    if not values:
        raise PlanError(f"{what} must not be empty")
    if len(set(values)) < len(values):
        twice = next(value for i, value in enumerate(values) if value in values[:i])
        raise PlanError(f"{what}: {twice!r} is given twice; give policies different names")


def _canonical(value: object) -> str:
    return json.dumps(json.loads(jsonl.dumps(value)), sort_keys=True, ensure_ascii=False)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 20 else f"{text[:17]}..."
