"""Episodes as figures: means, spreads and intervals for each environment and policy.

Failed episodes have no score. They are counted beside the means, which are over finished
episodes; ``success_all`` counts them as not solved. An interval is a 95 % percentile
bootstrap over seeds: repeats of a seed are drawn together, since they share an instance.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from coordgym.data.statistics import SampleMean, sample_means
from coordgym.episodes.episode import Episode
from coordgym.runs.coordination_cost import alone_in, relative_cost
from coordgym.runs.plan import Plan
from coordgym.runs.planned import Cell, PlannedEnv


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one episode; its texts stay on the disk.

    Attributes:
        cell: Which episode of the plan.
        failure: Class name of what ended it; None if it was finished.
        metrics: The environment's metrics.
        mean_return: Mean over the agents of their summed rewards.
        seconds: Wall time.
        prompt_tokens: Tokens that language models read; None without any.
        completion_tokens: Tokens that they wrote; None without any.
        version: Version of coordgym that recorded it; empty if it does not say.
    """

    cell: Cell
    failure: str | None
    metrics: dict[str, Any]
    mean_return: float | None
    seconds: float
    prompt_tokens: int | None
    completion_tokens: int | None
    version: str = ""


def row_of(cell: Cell, episode: Episode) -> Row:
    """Return the figures of an episode."""
    totals = episode.totals()
    returns = list(episode.returns.values())
    return Row(
        cell=cell,
        failure=episode.failure.type if episode.failure is not None else None,
        metrics=episode.metrics,
        mean_return=sum(returns) / len(returns) if returns else None,
        seconds=episode.timing.seconds,
        prompt_tokens=totals.prompt_tokens,
        completion_tokens=totals.completion_tokens,
        version=episode.versions.get("coordgym", ""),
    )


@dataclass(frozen=True, slots=True)
class Summary:
    """One environment with one policy.

    Attributes:
        env: Label of the environment and its kwargs.
        policy: Name of the policy.
        episodes: Episodes played.
        failures: How many of them failed, by class name of the error.
        success_all: Share of all episodes that succeeded, failed ones counted as not and those
            that are not judged left out; NaN where none is judged.
        figures: Every numeric metric, and ``return``, ``seconds``, ``prompt_tokens`` and
            ``completion_tokens`` of an episode; ``RCC``, the relative coordination cost, where
            the plan also has one agent with all the data.
    """

    env: str
    policy: str
    episodes: int
    failures: Mapping[str, int]
    success_all: float
    figures: Mapping[str, SampleMean]

    def figure(self, name: str) -> SampleMean:
        """Return a figure; one that no episode has is NaN with ``n`` = 0."""
        return self.figures.get(name, SampleMean())


def summarize(plan: Plan, rows: Iterable[Row]) -> list[Summary]:
    """Summarize the episodes of a plan for each environment and policy, in the plan's order."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for env in plan.envs:
        for policy in plan.policies:
            groups[env.label, policy.name] = []
    for row in rows:
        groups[row.cell.env.label, row.cell.policy.name].append(row)
    summaries = {names: _summary(*names, group) for names, group in groups.items() if group}
    alone = _alone_by_label(plan.envs)
    return [
        _with_relative_cost(summary, summaries.get((alone.get(env, ""), policy)))
        for (env, policy), summary in summaries.items()
    ]


def _alone_by_label(envs: Sequence[PlannedEnv]) -> dict[str, str]:
    """Find the labels of the environments with one agent, by the label of the team's."""
    found = ((env, alone_in(env, envs)) for env in envs)
    return {env.label: alone.label for env, alone in found if alone is not None}


def _with_relative_cost(team: Summary, alone: Summary | None) -> Summary:
    if alone is None:
        return team
    score, reference = team.figure("score"), alone.figure("score")
    cost = relative_cost(score.mean, reference.mean)
    figure = SampleMean(score.n, cost)
    return team if math.isnan(cost) else replace(team, figures={**team.figures, "RCC": figure})


def _summary(env: str, policy: str, rows: list[Row]) -> Summary:
    failures: dict[str, int] = {}
    for row in rows:
        if row.failure is not None:
            failures[row.failure] = failures.get(row.failure, 0) + 1
    finished = [row for row in rows if row.failure is None]
    figures = [_figures(row) for row in finished]
    seeds = [row.cell.seed for row in finished]
    names = dict.fromkeys(name for each in figures for name in each)
    return Summary(
        env=env,
        policy=policy,
        episodes=len(rows),
        failures=failures,
        success_all=_success_all(rows),
        figures=sample_means(
            {name: [each.get(name, math.nan) for each in figures] for name in names}, seeds
        ),
    )


def _success_all(rows: Sequence[Row]) -> float:
    """Return the share of successes among what is judged; NaN where nothing is."""
    failed = sum(row.failure is not None for row in rows)
    verdicts = [row.metrics.get("success") for row in rows if row.failure is None]
    judged = [verdict for verdict in verdicts if verdict is not None]
    if verdicts and not judged:
        return math.nan
    return sum(verdict is True for verdict in judged) / (failed + len(judged))


def _figures(row: Row) -> dict[str, float]:
    figures = {
        name: float(value)
        for name, value in row.metrics.items()
        if isinstance(value, bool | int | float)
    }
    extra = {
        "return": row.mean_return,
        "seconds": row.seconds,
        "prompt_tokens": row.prompt_tokens,
        "completion_tokens": row.completion_tokens,
    }
    return figures | {name: float(value) for name, value in extra.items() if value is not None}
