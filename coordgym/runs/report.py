"""Results as figures: means, spreads and intervals for each environment and policy.

Failed episodes have no score. They are counted beside the means, which are over finished
episodes; ``success_all`` counts them as not solved. An interval is a 95 % percentile
bootstrap over seeds: repeats of a seed are drawn together, since they share an instance.
"""

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coordgym.runs.coordination_cost import alone_in, relative_cost
from coordgym.runs.evaluate import Results, Row

CONFIDENCE = 0.95
RESAMPLES = 10_000
_BOOTSTRAP_SEED = 0
_CHUNK = 1_000_000
"""Most drawn numbers in memory at a time."""
_Floats = np.ndarray[Any, np.dtype[np.float64]]
_DUST = 1e-12
"""No figure of an episode is that small; what differences of equal numbers leave is."""
MARKDOWN_FILE = "report.md"
CSV_FILE = "report.csv"


class Estimate(NamedTuple):
    """A mean over episodes.

    Attributes:
        n: Number of episodes that have the figure.
        mean: Their mean; NaN if ``n`` is 0.
        std: Sample standard deviation; NaN below two episodes.
        low: Lower end of the 95 % interval; NaN below two seeds.
        high: Upper end.
    """

    n: int
    mean: float
    std: float
    low: float
    high: float


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
    figures: Mapping[str, Estimate]

    def figure(self, name: str) -> Estimate:
        """Return a figure; one that no episode has is NaN with ``n`` = 0."""
        return self.figures.get(name, Estimate(0, math.nan, math.nan, math.nan, math.nan))


def estimate(values: Sequence[float], seeds: Sequence[int]) -> Estimate:
    """Return mean, spread and bootstrap interval of ``values``.

    Args:
        values: One per episode; NaN = the episode has no such figure.
        seeds: The seed of each episode.
    """
    return _estimates({"": values}, seeds)[""]


def _estimates(columns: Mapping[str, Sequence[float]], seeds: Sequence[int]) -> dict[str, Estimate]:
    """Estimate several figures of the same episodes, with the same resamples."""
    data = np.array(list(columns.values()), dtype=float).reshape(len(columns), len(seeds)).T
    has = ~np.isnan(data)
    lows, highs = _intervals(np.where(has, data, 0.0), has.astype(float), seeds)
    estimates = {}
    for i, name in enumerate(columns):
        known = data[has[:, i], i]
        estimates[name] = Estimate(
            n=len(known),
            mean=float(known.mean()) if len(known) else math.nan,
            std=float(known.std(ddof=1)) if len(known) > 1 else math.nan,
            low=float(lows[i]),
            high=float(highs[i]),
        )
    return estimates


def _intervals(data: _Floats, has: _Floats, seeds: Sequence[int]) -> tuple[_Floats, _Floats]:
    """Resample whole seeds; the mean of a resample is its sum over its count.

    Args:
        data: Episodes × figures, 0 where an episode lacks the figure.
        has: Likewise, 1 where it has it and 0 where not.
        seeds: The seed of each episode.

    Returns:
        Lower and upper ends by figure; NaN where fewer than two seeds have it.
    """
    _, group = np.unique(np.asarray(seeds), return_inverse=True)
    n_seeds = int(group.max()) + 1 if len(group) else 0
    sums, counts = np.zeros((2, n_seeds, data.shape[1]))
    np.add.at(sums, group, data)
    np.add.at(counts, group, has)
    rng = np.random.default_rng(_BOOTSTRAP_SEED)
    rows = max(1, _CHUNK // max(1, n_seeds))
    means = []
    for start in range(0, RESAMPLES if n_seeds > 1 else 0, rows):
        size = min(rows, RESAMPLES - start)
        drawn = _drawn(rng, size, n_seeds)
        with np.errstate(invalid="ignore"):  # a resample may miss all that have a rare figure
            means.append((drawn @ sums) / (drawn @ counts))
    enough = (counts > 0).sum(axis=0) > 1
    ends = np.full((2, data.shape[1]), math.nan)
    if enough.any():
        tail = (1 - CONFIDENCE) / 2
        ends[:, enough] = np.nanquantile(np.concatenate(means)[:, enough], [tail, 1 - tail], axis=0)
    return ends[0], ends[1]


def _drawn(rng: np.random.Generator, rows: int, n: int) -> _Floats:
    """How often each of ``n`` seeds is drawn when ``n`` are, in each of ``rows`` resamples."""
    picks = rng.integers(n, size=(rows, n), dtype=np.int32)
    cells = picks + np.arange(rows)[:, None] * n
    return np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n).astype(float)


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
    figure = Estimate(score.n, cost, math.nan, math.nan, math.nan)
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
        figures=_estimates(
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


def cells(summary: Summary) -> list[str]:
    """Return the line of a table, one text for each of ``HEADERS``."""

    def mean(name: str, digits: int = 1) -> str:
        return _number(summary.figure(name).mean, digits)

    success = summary.figure("success").mean
    return [
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
    ]


def _number(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:,.{digits}f}"


def _spread(figure: Estimate) -> tuple[str, str]:
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


def to_markdown(results: Results) -> str:
    """Return the table as Markdown, with title and footnote."""
    summaries = summarize(results)
    rows = [cells(summary) for summary in summaries]
    rule = ["---:" if i >= NUMERIC_FROM else "---" for i in range(len(HEADERS))]
    notes = "\n\n".join(footnotes(results, summaries))
    lines = ["| " + " | ".join(map(_escaped, row)) + " |" for row in [HEADERS, rule, *rows]]
    return f"# {results.plan.name}\n\n" + "\n".join(lines) + f"\n\n{notes}\n"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")


def to_csv(results: Results) -> str:
    """Return one line per environment and policy with every figure.

    Columns: ``env``, ``policy``, ``episodes``, ``errors``, ``success_all``, and for each
    figure ``NAME_n``, ``NAME_mean``, ``NAME_std``, ``NAME_low`` and ``NAME_high``; empty where
    a family has no such figure.
    """
    summaries = summarize(results)
    names = dict.fromkeys(name for summary in summaries for name in summary.figures)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    head = ["env", "policy", "episodes", "errors", "success_all"]
    writer.writerow([*head, *(f"{name}_{part}" for name in names for part in Estimate._fields)])
    for summary in summaries:
        errors = sum(summary.failures.values())
        row: list[object] = [summary.env, summary.policy, summary.episodes, errors]
        row.append(f"{summary.success_all:.6g}")
        for name in names:
            row.extend(_plain_figures(summary.figure(name)))
        writer.writerow(row)
    return buffer.getvalue()


def _plain_figures(figure: Estimate) -> Iterable[str]:
    if figure.n == 0:
        return [""] * len(Estimate._fields)
    return ["" if math.isnan(value) else f"{_without_dust(value):.6g}" for value in figure]


def _without_dust(value: float) -> float:
    """Take what rounding errors leave of a zero for a zero."""
    return 0.0 if abs(value) < _DUST else value


def write_report(results: Results) -> tuple[Path, Path]:
    """Write ``report.md`` and ``report.csv`` beside the episodes and return their paths."""
    markdown, table = results.out_dir / MARKDOWN_FILE, results.out_dir / CSV_FILE
    markdown.write_text(to_markdown(results), encoding="utf-8")
    table.write_text(to_csv(results), encoding="utf-8")
    return markdown, table
