"""Results as figures: means, spreads and intervals for each environment and policy.

Failed episodes have no score. They are counted beside the means, which are over finished
episodes; ``success_all`` counts them as not solved. An interval is a 95 % percentile
bootstrap over seeds: repeats of a seed are drawn together, since they share an instance.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from coordgym.data.statistics import RESAMPLES, SampleMean, sample_means
from coordgym.data.tables import Table, Value, markdown_table, to_csv
from coordgym.runs.coordination_cost import alone_in, relative_cost
from coordgym.runs.evaluate import Results, Row

_DUST = 1e-12
"""No figure of an episode is that small; what differences of equal numbers leave is."""
MARKDOWN_FILE = "report.md"
CSV_FILE = "report.csv"


@dataclass(frozen=True, slots=True)
class Summary:
    """One environment with one policy.

    Attributes:
        env: Label of the environment and its kwargs.
        policy: Name of the policy.
        episodes: Episodes played.
        failures: How many of them failed, by class name of the error.
        success_all: Share of all episodes that succeeded, failed ones counted as not.
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


def summarize(results: Results) -> list[Summary]:
    """Summarize results for each environment and policy, in the order of the plan."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for env in results.plan.envs:
        for policy in results.plan.policies:
            groups[env.label, policy.name] = []
    for row in results.rows:
        groups[row.cell.env.label, row.cell.policy.name].append(row)
    summaries = {names: _summary(*names, rows) for names, rows in groups.items() if rows}
    alone = _alone_by_label(results)
    return [
        _with_relative_cost(summary, summaries.get((alone.get(env, ""), policy)))
        for (env, policy), summary in summaries.items()
    ]


def _alone_by_label(results: Results) -> dict[str, str]:
    """Labels of the environments with one agent, by the label of the team's."""
    envs = results.plan.envs
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
        success_all=sum(row.metrics.get("success") is True for row in finished) / len(rows),
        figures=sample_means(
            {name: [each.get(name, math.nan) for each in figures] for name in names}, seeds
        ),
    )


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


HEADERS = (
    "environment",
    "policy",
    "n",
    "errors",
    "success",
    "score ± std",
    "95 % interval",
    "rounds",
    "messages",
    "invalid",
    "tokens",
    "seconds",
)
NUMERIC_FROM = 2
"""Columns from here on are right-aligned."""


def cells(summary: Summary) -> tuple[str, ...]:
    """Return the line of a table, one text for each of ``HEADERS``."""

    def mean(name: str, digits: int = 1) -> str:
        return _number(summary.figure(name).mean, digits)

    success = summary.figure("success").mean
    return (
        summary.env,
        summary.policy,
        str(summary.episodes),
        str(sum(summary.failures.values())),
        "–" if math.isnan(success) else f"{success:.0%}",
        *_spread(summary.figure("score")),
        mean("rounds"),
        mean("messages"),
        mean("invalid_actions"),
        mean("completion_tokens", 0),
        mean("seconds", 2),
    )


def _number(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:,.{digits}f}"


def _spread(figure: SampleMean) -> tuple[str, str]:
    if figure.n == 0:
        return "–", "–"
    std = "" if math.isnan(figure.std) else f" ± {figure.std:.3f}"
    interval = "–" if math.isnan(figure.low) else f"{figure.low:.3f} … {figure.high:.3f}"
    return f"{figure.mean:.3f}{std}", interval


def footnotes(results: Results, summaries: Sequence[Summary]) -> list[str]:
    """Say how the figures were made, what is missing and what failed."""
    lines = [
        "Means over finished episodes; tokens: those that models wrote in an episode. "
        f"Intervals: 95 % bootstrap over seeds, {RESAMPLES:,} resamples."
    ]
    if results.missing:
        lines.append(f"{results.missing} of {len(results.plan)} episodes have not been played.")
    versions = Counter(row.version or "an unknown version" for row in results.rows)
    if len(versions) > 1:
        counted = ", ".join(f"{version} ({count})" for version, count in sorted(versions.items()))
        lines.append(f"Recorded by different versions of coordgym: {counted} episodes.")
    for summary in summaries:
        cost = summary.figure("RCC").mean
        if not math.isnan(cost):
            lines.append(
                f"Relative coordination cost of {summary.policy} in {summary.env}: {cost:.2f} "
                "(1 − score / score of one agent with all the data)."
            )
    for summary in summaries:
        if summary.failures:
            kinds = ", ".join(f"{count} {name}" for name, count in summary.failures.items())
            lines.append(f"Errors of {summary.policy} in {summary.env}: {kinds}.")
    return lines


def markdown_report(results: Results) -> str:
    """Return the table as Markdown, with title and footnote."""
    summaries = summarize(results)
    table = markdown_table(HEADERS, map(cells, summaries), numbers_from=NUMERIC_FROM)
    notes = "\n\n".join(footnotes(results, summaries))
    return f"# {results.plan.name}\n\n{table}\n\n{notes}\n"


def csv_report(results: Results) -> str:
    """Return one line per environment and policy with every figure.

    Columns: ``env``, ``policy``, ``episodes``, ``errors``, ``success_all``, and for each
    figure ``NAME_n``, ``NAME_mean``, ``NAME_std``, ``NAME_low`` and ``NAME_high``; empty where
    a family has no such figure.
    """
    summaries = summarize(results)
    names = dict.fromkeys(name for summary in summaries for name in summary.figures)
    head = ("env", "policy", "episodes", "errors", "success_all")
    columns = (*head, *(f"{name}_{part}" for name in names for part in SampleMean._fields))
    rows = (
        (
            *(summary.env, summary.policy, summary.episodes, sum(summary.failures.values())),
            summary.success_all,
            *(value for name in names for value in _plain_figures(summary.figure(name))),
        )
        for summary in summaries
    )
    return to_csv(Table("report", results.plan.name, columns, tuple(rows)))


def _plain_figures(figure: SampleMean) -> Iterable[Value]:
    """List the parts of a figure, none where no episode has it and zero for rounding errors."""
    if figure.n == 0:
        return [None] * len(figure)
    return [0.0 if abs(value) < _DUST else value for value in figure]


def write_report(results: Results) -> tuple[Path, Path]:
    """Write ``report.md`` and ``report.csv`` beside the episodes and return their paths."""
    markdown, table = results.out_dir / MARKDOWN_FILE, results.out_dir / CSV_FILE
    markdown.write_text(markdown_report(results), encoding="utf-8")
    table.write_text(csv_report(results), encoding="utf-8")
    return markdown, table
