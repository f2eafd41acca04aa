"""The report of a run: a table as Markdown, and every figure as CSV."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from coordgym.data.statistics import RESAMPLES, SampleMean
from coordgym.data.tables import Table, Value, markdown_table, to_csv
from coordgym.runs.results import CSV_FILE, MARKDOWN_FILE, Results
from coordgym.runs.summary import Summary

_DUST = 1e-12
"""No figure of an episode is that small; what differences of equal numbers leave is."""
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
    summaries = results.summaries()
    table = markdown_table(HEADERS, map(cells, summaries), numbers_from=NUMERIC_FROM)
    notes = "\n\n".join(footnotes(results, summaries))
    return f"# {results.plan.name}\n\n{table}\n\n{notes}\n"


def csv_report(results: Results) -> str:
    """Return one line per environment and policy with every figure.

    Columns: ``env``, ``policy``, ``episodes``, ``errors``, ``success_all``, and for each
    figure ``NAME_n``, ``NAME_mean``, ``NAME_std``, ``NAME_low`` and ``NAME_high``; empty where
    a family has no such figure.
    """
    summaries = results.summaries()
    names = dict.fromkeys(name for summary in summaries for name in summary.figures)
    head = ("env", "policy", "episodes", "errors", "success_all")
    columns = (*head, *(f"{name}_{part}" for name in names for part in SampleMean._fields))
    rows = (
        (
            *(summary.env, summary.policy, summary.episodes, sum(summary.failures.values())),
            None if math.isnan(summary.success_all) else summary.success_all,
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
