"""Plans as YAML.

A plan file looks like this::

    name: two-sizes
    seeds: 20                # 0..19; or "5..9", or [0, 3, 7]
    repeats: 1               # episodes per seed, each with its own seed for the policy
    compress: false          # whether episodes are kept compressed
    envs:
      - id: coordgym/SiloGlobalMax-v0
        kwargs: [{n_agents: 2}, {n_agents: 10}]     # one mapping, or one per case
      - coordgym/PairMaze-v0
    policies:
      - random
      - {name: smollm2, policy: "llm:embedded", kwargs: {max_new_tokens: 64}}
      - name: with-a-guesser
        agents: {agent_0: random, "*": oracle}

Every key is checked; ``coordgym.runs.planned`` says what the parts mean.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from coordgym.data.plain_yaml import read_yaml
from coordgym.data.strict import build
from coordgym.errors import PlanError, suggest
from coordgym.runs.plan import Plan
from coordgym.runs.planned import PlannedEnv, PlannedPolicy, PlannedSeat

MAX_SEEDS = 1_000_000
_SEED_RANGE = re.compile(r"\s*(\d+)\s*\.\.\s*(\d+)\s*")


def load_plan(source: str | Path) -> Plan:
    """Read a YAML file, or a plan that comes with the package by its name (``demo``).

    Raises:
        PlanError: If there is no such plan, or it is malformed.
    """
    path = Path(source)
    try:
        found = path.exists()
    except OSError as error:
        raise PlanError(f"plan file {str(source)!r}: {error.strerror}") from None
    if not found:
        return plan_of(_read(_packaged(str(source))), str(source))
    return plan_of(_read(path), path.name)


def plan_of(data: object, where: str = "plan") -> Plan:
    """Make a plan of what YAML or JSON gave.

    Raises:
        PlanError: For an unknown key, a wrong type or a value that is not allowed.
    """
    file = build(_PlanFile, data, where, PlanError)
    return Plan(
        envs=tuple(env for entry in file.envs for env in _envs(entry)),
        policies=tuple(_policy(entry) for entry in file.policies),
        seeds=parse_seeds(file.seeds),
        repeats=file.repeats,
        name=file.name,
        compress=file.compress,
    )


def parse_seeds(value: object) -> tuple[int, ...]:
    """Return the seeds that ``value`` stands for.

    Args:
        value: A list of seeds; a count ``n`` for ``0..n-1``; or a text: a count, a range
            ``"5..9"`` with both ends, or seeds and ranges with commas between, ``"3,"``.

    Raises:
        PlanError: If it is none of these.
    """
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(value)
    if isinstance(value, str) and not value.strip().isdecimal():
        parts = [part for part in value.split(",") if part.strip()]
        return tuple(seed for part in parts for seed in _seed_range(part, value))
    if isinstance(value, bool) or not isinstance(value, int | str) or not int(value) > 0:
        raise PlanError(f"seeds must be a count, a list or a range like '5..9', got {value!r}")
    if int(value) > MAX_SEEDS:
        raise PlanError(f"seeds must be at most {MAX_SEEDS}, got {value}")
    return tuple(range(int(value)))


@dataclass(frozen=True, slots=True)
class _EnvEntry:
    id: str
    kwargs: tuple[dict[str, Any], ...] | dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _PolicyEntry:
    policy: str | None = None
    name: str | None = None
    kwargs: dict[str, Any] = field(default_factory=dict)
    agents: dict[str, str | PlannedSeat] | None = None


@dataclass(frozen=True, slots=True)
class _PlanFile:
    """A plan as it is written, before its short forms are spelt out."""

    envs: tuple[str | _EnvEntry, ...]
    policies: tuple[str | _PolicyEntry, ...]
    seeds: int | str | tuple[int, ...] = 1
    repeats: int = 1
    name: str = "plan"
    compress: bool = False


def _envs(entry: str | _EnvEntry) -> list[PlannedEnv]:
    if isinstance(entry, str):
        return [PlannedEnv(entry)]
    cases = (entry.kwargs,) if isinstance(entry.kwargs, dict) else entry.kwargs
    return [PlannedEnv(entry.id, dict(case)) for case in cases]


def _policy(entry: str | _PolicyEntry) -> PlannedPolicy:
    if isinstance(entry, str):
        return PlannedPolicy(entry, entry)
    name = entry.policy if entry.name is None else entry.name
    if name is None:
        raise PlanError("a policy with 'agents' needs a 'name'")
    agents = None
    if entry.agents is not None:
        agents = {
            agent: PlannedSeat(seat) if isinstance(seat, str) else seat
            for agent, seat in entry.agents.items()
        }
    return PlannedPolicy(name, entry.policy, entry.kwargs, agents)


def _seed_range(part: str, whole: str) -> range:
    match = _SEED_RANGE.fullmatch(part)
    if match is None:
        if not part.strip().isdecimal():
            raise PlanError(f"seeds must be like '20', '5..9' or '1,4,7..9', got {whole!r}")
        return range(int(part), int(part) + 1)
    first, last = int(match[1]), int(match[2])
    if not first <= last < first + MAX_SEEDS:
        raise PlanError(f"seed range {part.strip()!r} is empty or has over {MAX_SEEDS} seeds")
    return range(first, last + 1)


def _read(path: Any) -> object:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"{path.name} can't be read: {error}") from None
    return read_yaml(text, path.name)


def packaged_plans() -> list[str]:
    """Return the names of the plans that come with the package."""
    entries = files("coordgym").joinpath("plans").iterdir()
    return sorted(entry.name[: -len(".yaml")] for entry in entries if entry.name.endswith(".yaml"))


def _packaged(name: str) -> Any:
    names = packaged_plans()
    if name not in names:
        raise PlanError(
            f"there is no plan file {name!r}{suggest(name, names)} "
            f"(plans of the package: {', '.join(names)})"
        )
    return files("coordgym").joinpath("plans", f"{name}.yaml")
