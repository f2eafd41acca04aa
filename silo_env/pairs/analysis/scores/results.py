"""Scores of pair episodes, from episode records or from folders of results.

A model plays alone ("solo_full"), with itself, or with another model. What differs between
episodes besides task, mode, clauses, models and seed is their ``setting``; figures are never
taken across settings.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from coordgym.data import jsonl
from coordgym.data.statistics import Scores
from coordgym.errors import EpisodeError
from coordgym.silo_env.pairs.options import PairOptions
from coordgym.silo_env.pairs.table import ENVS, TASKS

if TYPE_CHECKING:
    from coordgym.episodes.episode import Episode
    from coordgym.runs.planned import PlannedPolicy, PlannedSeat
    from coordgym.runs.results import Results

Category = Literal["spatial", "relational", "csp"]
CATEGORIES: tuple[Category, ...] = ("spatial", "relational", "csp")
CATEGORY_OF: dict[str, str] = {entry.name: entry.category for entry in TASKS}
_TASK_OF_ID: dict[str, str] = {entry.id: str(entry.kwargs["task"]) for entry in ENVS}

_NO_SETTING = frozenset({"task", "mode", "clauses", "critic", "solo_render", "render_mode"})
"""Arguments of the environment that tell modes apart, or that change nothing."""
AGENTS = ("agent_0", "agent_1")
"""The agents of a pair, in the order of their seats."""

Figure = Literal["score", "exact"]


@dataclass(frozen=True, slots=True)
class PairResult:
    """What one finished episode was worth.

    Attributes:
        task: Name of the task.
        category: "spatial", "relational" or "csp".
        mode: "pair", "solo_full", "solo_view1" or "solo_view2".
        clauses: The intervention clauses of the instructions, "none" for none.
        models: Who played: one model alone, or those of ``agent_0`` and ``agent_1``.
        seed: The environment's seed.
        repeat: Index among episodes that differ in nothing else.
        score: 0..1.
        exact: Whether the answer was optimal.
        setting: The other arguments of the environment, as JSON.
    """

    task: str
    category: str
    mode: str
    clauses: str
    models: tuple[str, ...]
    seed: int
    repeat: int
    score: float
    exact: bool
    setting: str = "{}"

    def value(self, figure: Figure) -> float:
        """Return the score, or 1.0 and 0.0 for an optimal answer and any other."""
        return self.score if figure == "score" else float(self.exact)


def from_episodes(episodes: Iterable["Episode"]) -> list[PairResult]:
    """Return the results of the finished pair episodes; other families and failures are left out.

    Models are called as their policies call themselves.
    """
    found = []
    for episode in episodes:
        options = options_of(episode.env_id, episode.kwargs)
        if options is None or episode.failure is not None:
            continue
        models = tuple(episode.policies[agent] for agent in AGENTS if agent in episode.policies)
        found.append(_result(options, episode, models, episode.metrics, episode.kwargs))
    return _distinct(found)


def from_results(folders: Sequence["Results"]) -> list[PairResult]:
    """Return the results of the finished pair episodes in folders of results.

    Models are called as the plans call the policies; the seat of a mixed pair has the name of
    the plan's policy that plays the same model alone.
    """
    names = names_of_models(folders)
    found = []
    for results in folders:
        for row in results.rows:
            cell = row.cell
            options = options_of(cell.env.id, cell.env.kwargs)
            if options is None or row.failure is not None:
                continue
            models = players(cell.policy, names)[: 1 if options.alone else 2]
            found.append(_result(options, cell, models, row.metrics, cell.env.kwargs))
    return _distinct(found)


def names_of_models(folders: Sequence["Results"]) -> dict[str, str]:
    """Return what the plans of folders call the models that play alone or with themselves."""
    names: dict[str, str] = {}
    for results in folders:
        for policy in results.plan.policies:
            seats = {_identity(policy, agent) for agent in AGENTS}
            if len(seats) == 1:
                names.setdefault(seats.pop(), policy.name)
    return names


def players(policy: "PlannedPolicy", names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the models of both agents; one without a name is called by its policy string."""
    found = []
    for agent in AGENTS:
        seat = _seat_of(policy, agent)
        if seat is not None:
            found.append(names.get(_identity(policy, agent), seat.policy))
    return tuple(found)


def options_of(env_id: str, kwargs: Mapping[str, Any]) -> PairOptions | None:
    """Return the options of an environment; None if it is no pair environment.

    Args:
        env_id: Its id.
        kwargs: The keyword arguments that it was made with.
    """
    name = env_id if "/" in env_id else f"coordgym/{env_id}"
    task = kwargs.get("task", _TASK_OF_ID.get(name))
    if not isinstance(task, str) or task not in CATEGORY_OF:
        return None
    return PairOptions.from_kwargs({**kwargs, "task": task})


def clauses_of(options: PairOptions) -> str:
    """Return the intervention clauses that agents are told; there are none for an agent alone."""
    return "none" if options.alone else options.clauses


def setting_of(kwargs: Mapping[str, Any]) -> str:
    """Return as JSON what tells figures apart that are never taken together."""
    return jsonl.dumps({k: v for k, v in sorted(kwargs.items()) if k not in _NO_SETTING})


def select(
    results: Iterable[PairResult],
    *,
    mode: str,
    clauses: str | None = "none",
    models: tuple[str, ...] | None = None,
    task: str | None = None,
) -> list[PairResult]:
    """Return the results of a mode, and of clauses, models and a task where given."""
    return [
        result
        for result in results
        if result.mode == mode
        and clauses in (None, result.clauses)
        and models in (None, result.models)
        and task in (None, result.task)
    ]


def scores(results: Iterable[PairResult], figure: Figure = "score") -> Scores:
    """Return the mean over repeats of each seed, in the order of the seeds."""
    by_seed: dict[int, list[float]] = {}
    for result in results:
        by_seed.setdefault(result.seed, []).append(result.value(figure))
    return {seed: sum(each) / len(each) for seed, each in sorted(by_seed.items())}


def in_one_setting(results: Iterable[PairResult]) -> list[PairResult]:
    """Return the results, all of one setting.

    Raises:
        EpisodeError: They are of several settings, which must be looked at one by one.
    """
    listed = list(results)
    settings = sorted({result.setting for result in listed})
    if len(settings) > 1:
        raise EpisodeError(
            f"the episodes differ in their environments' arguments ({' and '.join(settings[:3])}): "
            "choose one with `setting`"
        )
    return listed


class _Played(Protocol):
    """What says which of several episodes alike one was: an episode, or a cell of a plan."""

    @property
    def seed(self) -> int: ...

    @property
    def repeat(self) -> int: ...


def _result(
    options: PairOptions,
    played: _Played,
    models: tuple[str, ...],
    metrics: Mapping[str, Any],
    kwargs: Mapping[str, Any],
) -> PairResult:
    """Make a result.

    Raises:
        EpisodeError: The score is missing.
    """
    score = metrics.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise EpisodeError(f"an episode of {options.task}, seed {played.seed}, has no score")
    return PairResult(
        task=options.task,
        category=CATEGORY_OF[options.task],
        mode=options.mode,
        clauses=clauses_of(options),
        models=models,
        seed=played.seed,
        repeat=played.repeat,
        score=float(score),
        exact=bool(metrics.get("success")),
        setting=setting_of(kwargs),
    )


def _seat_of(policy: "PlannedPolicy", agent: str) -> "PlannedSeat | None":
    return policy.seats.get(agent) or policy.seats.get("*")


def _identity(policy: "PlannedPolicy", agent: str) -> str:
    """Return what makes two planned seats the same model: policy string and arguments."""
    seat = _seat_of(policy, agent)
    return "" if seat is None else jsonl.dumps([seat.policy, dict(sorted(seat.kwargs.items()))])


def _distinct(results: list[PairResult]) -> list[PairResult]:
    """Refuse to count an episode twice; raises EpisodeError."""
    seen: set[tuple[object, ...]] = set()
    for result in results:
        key = (
            result.task, result.mode, result.clauses, result.models,
            result.seed, result.repeat, result.setting,
        )  # fmt: skip
        if key in seen:
            raise EpisodeError(
                f"two episodes are alike: {result.task}, {result.mode}, clauses {result.clauses}, "
                f"{' and '.join(result.models)}, seed {result.seed}, repeat {result.repeat}"
            )
        seen.add(key)
    return results
