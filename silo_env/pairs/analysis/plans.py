"""Plans whose results tell the tax: models alone, with themselves, and in mixed pairs.

A plan combines all of its environments with all of its policies; mixed pairs play no solo
modes, so they have a plan of their own. Run each plan into a subfolder of one folder.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

from coordgym.errors import PlanError, require_choice
from coordgym.runs.plan import Plan
from coordgym.runs.plan_file import load_plan
from coordgym.runs.planned import PlannedEnv, PlannedPolicy, PlannedSeat
from coordgym.silo_env.pairs.analysis.scores.results import AGENTS
from coordgym.silo_env.pairs.options import ONE_VIEW_MODES, PAIR, SOLO
from coordgym.silo_env.pairs.table import ENVS, TASK_CLASSES
from coordgym.silo_env.pairs.texts import CLAUSE_CHOICES

SEEDS = tuple(range(50))
"""The paper's 50 rollouts per cell."""
_OWN_ARGUMENTS = ("task", "mode", "clauses")


class TaxPlans(NamedTuple):
    """What to run.

    Attributes:
        alike: Every model alone and with itself, with and without clauses.
        mixed: Pairs of different models in both orders; None without any.
    """

    alike: Plan
    mixed: Plan | None


def tax_plans(
    models: Mapping[str, PlannedSeat | str],
    *,
    tasks: Sequence[str] | None = None,
    seeds: Sequence[int] = SEEDS,
    repeats: int = 1,
    pairs: Iterable[tuple[str, str]] = (),
    clauses: Sequence[str] = (),
    one_view: bool = False,
    kwargs: Mapping[str, Any] | None = None,
    name: str = "tax",
) -> TaxPlans:
    """Plan the episodes that tell the tax of models.

    Args:
        models: Policy of each model, by the name that tables give it.
        tasks: Names of tasks; None for the whole suite.
        seeds: Seeds of every cell, the same in all modes.
        repeats: Episodes per seed.
        pairs: Pairs of models to mix; each is played in both orders.
        clauses: Conditions to play besides none, such as "all" or "no_l1"; homogeneous only.
        one_view: Whether models also play with one view alone, which tells the floors.
        kwargs: Arguments of all environments, such as ``{"friction": 1}``.
        name: Beginning of the plans' names.

    Raises:
        PlanError: A model is unknown or no model is given, or kwargs set what the plan varies.
        ConfigError: A task or condition is unknown.
    """
    common = dict(kwargs or {})
    for key in _OWN_ARGUMENTS:
        if key in common:
            raise PlanError(f"kwargs must not set {key!r}: the plan goes through its values")
    seats = {n: PlannedSeat(m) if isinstance(m, str) else m for n, m in models.items()}
    chosen = [require_choice("task", task, tuple(TASK_CLASSES)) for task in tasks or TASK_CLASSES]
    for condition in clauses:
        require_choice("clauses", condition, CLAUSE_CHOICES)
    modes: list[dict[str, Any]] = [{"mode": SOLO}, {"mode": PAIR}]
    modes += [{"mode": PAIR, "clauses": each} for each in clauses if each != "none"]
    modes += [{"mode": mode} for mode in ONE_VIEW_MODES if one_view]
    alike = Plan(
        envs=_envs(chosen, modes, common),
        policies=tuple(
            PlannedPolicy(model, seat.policy, seat.kwargs) for model, seat in seats.items()
        ),
        seeds=tuple(seeds),
        repeats=repeats,
        name=f"{name}-alike",
    )
    mixed = _mixed(seats, pairs)
    if not mixed:
        return TaxPlans(alike, None)
    envs = _envs(chosen, [{"mode": PAIR}], common)
    return TaxPlans(alike, Plan(envs, mixed, tuple(seeds), repeats, f"{name}-mixed"))


def all_pairs(models: Iterable[str]) -> list[tuple[str, str]]:
    """Return every pair of different models, once."""
    listed = list(models)
    return [(a, b) for i, a in enumerate(listed) for b in listed[i + 1 :]]


def write_plans(plans: TaxPlans, folder: str | Path) -> list[Path]:
    """Write ``alike.yaml`` and ``mixed.yaml`` for ``coordgym bench`` and return their paths.

    Raises:
        PlanError: One of them is there already with another plan; nothing is written then.
    """
    target = Path(folder)
    paths = {
        target / f"{field}.yaml": plan
        for field, plan in zip(TaxPlans._fields, plans, strict=True)
        if plan is not None
    }
    missing = [path for path, plan in paths.items() if not _holds(path, plan)]
    target.mkdir(parents=True, exist_ok=True)
    for path in missing:
        path.write_text(to_yaml(paths[path]), encoding="utf-8")
    return list(paths)


def _holds(path: Path, plan: Plan) -> bool:
    """Tell whether a file is there and holds a plan; raises PlanError if it holds anything else."""
    if not path.exists():
        return False
    try:
        if load_plan(path) == plan:
            return True
    except PlanError:
        pass
    raise PlanError(
        f"{path} holds another plan: choose another folder, or remove it and the results in "
        f"{path.with_suffix('')}"
    )


def to_yaml(plan: Plan) -> str:
    """Return a plan as YAML that ``coordgym.runs.plan_file`` reads."""
    import yaml

    text: str = yaml.safe_dump(plan.to_data(), sort_keys=False, allow_unicode=True)
    return text


def _envs(
    tasks: Sequence[str], modes: Sequence[Mapping[str, Any]], common: Mapping[str, Any]
) -> tuple[PlannedEnv, ...]:
    ids = {str(entry.kwargs["task"]): entry.id for entry in ENVS}
    return tuple(PlannedEnv(ids[task], {**mode, **common}) for task in tasks for mode in modes)


def _mixed(
    seats: Mapping[str, PlannedSeat], pairs: Iterable[tuple[str, str]]
) -> tuple[PlannedPolicy, ...]:
    """Return the policies of both orders of every pair."""
    orders: dict[tuple[str, str], None] = {}
    for pair in pairs:
        for model in pair:
            if model not in seats:
                raise PlanError(f"no model {model!r} to mix; there are {', '.join(seats)}")
        if pair[0] == pair[1]:
            raise PlanError(f"a mixed pair needs two models, got {pair[0]!r} twice")
        orders.update(dict.fromkeys(permutations(pair, 2)))
    return tuple(
        PlannedPolicy(
            f"{first} × {second}",
            agents=dict(zip(AGENTS, (seats[first], seats[second]), strict=True)),
        )
        for first, second in orders
    )
