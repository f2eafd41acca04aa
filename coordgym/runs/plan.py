"""Plans: which environments, with which policies, on which seeds.

Everything in a plan is combined with everything else; ``coordgym.runs.plan_file`` reads plans from
YAML. Environments and policies of one's own that are not registered are named by where they
are: ``import:package.module:name``.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from coordgym.errors import PlanError
from coordgym.runs.plan_check import check_plan
from coordgym.runs.planned import Cell, PlannedEnv, PlannedPolicy, canonical

UNPLAYED_KEYS = ("name", "compress")
"""What of a plan changes no episode."""


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
        _require_unique("envs", [canonical([env.full_id, env.kwargs]) for env in self.envs])
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
        return hashlib.sha256(canonical(data).encode("utf-8")).hexdigest()[:16]

    def check(self, workers: int = 1) -> None:
        """Make every environment and every light policy once, so that errors show early.

        Language models are not loaded and imported policies not built; their names and
        arguments are checked.

        Args:
            workers: How many processes are to play the plan at a time.

        Raises:
            CoordgymError: The first error found.
        """
        check_plan(self.envs, self.policies, workers)


def _require_unique(what: str, values: Sequence[object]) -> None:
    if not values:
        raise PlanError(f"{what} must not be empty")
    if len(set(values)) < len(values):
        twice = next(value for i, value in enumerate(values) if value in values[:i])
        raise PlanError(f"{what}: {twice!r} is given twice; give policies different names")
