"""Generated parts of the page about the grid swarm."""

from collections.abc import Mapping
from math import isnan

from measurements.swarm import CROWDS, POLICIES, RULES
from measurements.swarm_sweep import (
    DRAWN,
    PLAIN,
    SQUARE,
    TRIAL,
    SweepCell,
    SweepFigures,
    drawn_cells,
    published_cells,
)

import coordgym
from coordgym.data.tables import markdown_table
from coordgym.swarm_env.table import TASKS
from coordgym.swarm_env.task import load_task
from docgen import reference
from docgen.markdown import code
from docgen.results import Results, percent

PLAYERS = ("rules 1 / 2 / 3", "human players", "language model")
"""Whose scores ``Published`` holds."""


def arguments() -> str:
    """Write the table of arguments; each option of one task says whose it is."""
    told = {}
    for entry in TASKS:
        options = load_task(entry.name).options_type
        for name, text in reference.described(options, "Attributes"):
            told[name] = f"{entry.name.capitalize()} only: {text[:1].lower()}{text[1:]}"
    return reference.arguments("swarm", told)


def tasks() -> str:
    """Write the table of tasks: what to do, what counts, what agents can do."""
    rows = []
    for entry in coordgym.list_envs(family="swarm"):
        task = load_task(entry.kwargs["task"])
        success = "when finished"
        if task.target is not None:
            success = f"score ≥ {task.target:g} at the published size"
        actions = ", ".join(task.actions)
        rows.append((code(entry.name), entry.title, task.score_words, success, actions))
    return markdown_table(("id", "what to do", "score", "success", "actions"), rows)


def baselines() -> str:
    """Write our baselines' figures under both rule sets beside the published ones."""
    results = Results("swarm", "env", "rules", "policy")
    entries = coordgym.list_envs(family="swarm")
    rows = []
    blank = ("",) * 4
    for entry in entries:
        for policy in POLICIES:
            default, published = results.all((entry.id, each, policy) for each in RULES)
            rows.append(
                (
                    entry.name,
                    code(policy),
                    f"{default['score']:.2f} ± {default['deviation']:.2f}",
                    f"{default['lowest']:g} … {default['highest']:g}",
                    percent(default["success"]),
                    f"{default['rounds']:.1f}",
                    f"{published['score']:.2f} ± {published['deviation']:.2f}",
                )
            )
        scores = load_task(entry.kwargs["task"]).published
        for whose, score in zip(PLAYERS, scores or (), strict=scores is not None):
            rows.append((f"{entry.name}, published", whose, *blank, score))
    seeds = results.common("episodes")
    headers = (
        "task",
        "policy",
        "score, default rules",
        "lowest … highest",
        "success",
        "rounds",
        "score, published rules",
    )
    note = (
        f"Mean ± standard deviation over {seeds} seeds at the published size: 10×10 cells, "
        '10 agents, 100 rounds, views of 5×5. *Published rules* is `compat="swarmbench"`, '
        "the column to compare with the published rows: rule-based agents (SwarmBench, table "
        "S.2, 20 runs each), human players (table S.3), and the best language model in the "
        "tables S.5 and S.6 (5 runs each)."
    )
    return f"{markdown_table(headers, rows, numbers_from=2)}\n\n{note}"


def crowd() -> str:
    """Write the figures of flocking with more and more agents on the published map."""
    results = Results("swarm-crowd", "env", "n_agents", "policy")
    env_id = "coordgym/SwarmFlocking-v0"
    rows = []
    for n_agents in CROWDS:
        for policy in POLICIES:
            figures = results[env_id, n_agents, policy]
            rows.append(
                (
                    str(n_agents),
                    code(policy),
                    f"{figures['score']:.2f} ± {figures['deviation']:.2f}",
                    percent(figures["success"]),
                    f"{figures['rounds']:.1f}",
                )
            )
    seeds = results.common("episodes")
    headers = ("agents", "policy", "score", "square formed", "rounds")
    return (
        f"{markdown_table(headers, rows, numbers_from=2)}\n\n"
        f"SwarmFlocking, default rules, 10×10 cells, {seeds} seeds; an episode without the square "
        "has 100 rounds."
    )


def sweep() -> str:
    """Write how the strong policy does in the cells of the published sweeps, and in all cells."""
    results = Results("swarm-sweep", "env", *SweepCell._fields)
    entries = coordgym.list_envs(family="swarm")
    shared = [cell for cell in published_cells("flocking") if cell in published_cells("foraging")]
    rows, counts = [], []
    for cell in shared:
        line = [_cell_name(cell)]
        for entry in entries:
            # The published sweep over agents and views has the square box in transport.
            square = entry.kwargs["task"] == "transport" and cell.height == 10
            boxed = cell._replace(more=SQUARE) if square and cell.more == PLAIN else cell
            line.append(_scores(results[(entry.id, *boxed)]))
        rows.append(tuple(line))
    for entry in entries:
        task = entry.kwargs["task"]
        cells = dict.fromkeys([*published_cells(task), *drawn_cells(task)])
        found = [results[(entry.id, *cell)] for cell in cells]
        bound = sum(each["bound"] == 1 for each in found)
        better = sum(each["ahead_low"] > 0 for each in found)
        worse = sum(each["ahead_high"] < 0 for each in found)
        alike = len(found) - bound - better - worse
        counts.append((entry.name, *map(str, (len(found), bound, better, alike, worse))))
    seeds = results.common("episodes")
    names = [entry.name.removeprefix("Swarm") for entry in entries]
    table = markdown_table(("cell", *names), rows, numbers_from=1)
    tally = markdown_table(
        ("task", "cells", "most possible", "ahead", "no difference", "behind"),
        counts,
        numbers_from=1,
    )
    return (
        f"{table}\n\n"
        f"Mean score of `swarm:strong` / of the best other baseline over {seeds} seeds, default "
        "rules; a dash where `swarm:strong` scores the most possible in each episode. In transport "
        "the cells on 10×10 without more have the square box. Over these cells, small maps and "
        f"{DRAWN} drawn cells a task:\n\n{tally}\n\n"
        "*Ahead* and *behind*: the 95 % interval of the difference to the best other baseline, "
        f"paired by seeds, is above or below 0. A policy that does worse on each of the first "
        f"{TRIAL} seeds plays these only. All figures are in `docs/results/swarm-sweep.csv`."
    )


def _cell_name(cell: SweepCell) -> str:
    name = f"{cell.n_agents} agents, {cell.height}×{cell.width}, view {cell.view_size}"
    return f"{name}, {cell.more}" if cell.more else name


def _scores(figures: Mapping[str, float]) -> str:
    others = [figures[name] for name in SweepFigures._fields[5:9]]
    best = "–" if isnan(others[0]) else f"{max(others):.1f}"
    return f"{figures['strong']:.1f} / {best}"


PARTS = {
    "arguments": arguments,
    "tasks": tasks,
    "baselines": baselines,
    "crowd": crowd,
    "sweep": sweep,
}
