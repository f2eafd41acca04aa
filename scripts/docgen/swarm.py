"""Generated parts of the page about the grid swarm."""

from measurements.swarm import CROWDS, POLICIES, RULES

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


PARTS = {"arguments": arguments, "tasks": tasks, "baselines": baselines, "crowd": crowd}
