"""Generated parts of the page about silo computation."""

from dataclasses import fields
from typing import Any

import coordgym
from coordgym.data.tables import markdown_table
from coordgym.registry import EnvEntry
from coordgym.silo_env.compute import TASKS
from coordgym.silo_env.compute import table as task_table
from coordgym.silo_env.compute.task import Task
from docgen.markdown import code
from docgen.results import Results, percent

SIZES = (2, 5, 10)
PROTOCOLS = ("p2p", "broadcast", "shared_files")
POLICIES = ("silo:all-gather", "silo:optimal")
EXAMPLE_AGENTS = 4
MARGIN = 0.05
"""So much above the prior, the success of answers from own data wants a reason."""


def tasks() -> str:
    """Tell of each task what is asked, of which data, and what no talking is worth."""
    local = Results("silo-local", "env", "n_agents")
    entries = coordgym.list_envs(family="silo")
    levels = {entry.paper_id: entry.level for entry in task_table.TASKS}
    rows = []
    for entry in entries:
        task = _task(entry)
        level = levels[task.id]
        figures = local.all((entry.id, n) for n in SIZES)
        piece = " (each its own piece)" if task.segmented else ""
        rows.append(
            (
                code(entry.name),
                task.id,
                f"{entry.title[0].lower()}{entry.title[1:]}{piece}",
                f"{level.number}, {level.topology}",
                _data(task),
                _minimum(task),
                " / ".join(percent(each["agents_right"]) for each in figures),
                " / ".join(percent(each["prior"]) for each in figures),
            )
        )
    seeds = local.common("episodes")
    sizes = ", ".join(map(str, SIZES))
    headers = (
        "id",
        "paper",
        "question",
        "level, natural topology",
        "data per agent",
        "fewest messages",
        f"local-only, N = {sizes}",
        "prior",
    )
    note = (
        f"*Local-only*: share of agents that are right when all answer from their own data alone "
        f"(`silo:local`), at N = {sizes} over {seeds} seeds each. *Prior*: how often the most "
        "frequent right answer occurs there, which is what a constant answer would reach "
        f"({percent(1 / seeds)} where no answer repeats). "
        "*Fewest messages*: one-way messages between two agents that must flow before all can "
        "be right."
    )
    return f"{markdown_table(headers, rows)}\n\n{note}\n\n{_reasons(entries, local)}"


def _reasons(entries: list[EnvEntry], local: Results) -> str:
    """Say of each task where no talking beats the prior why it does.

    Raises:
        SystemExit: If a task does not say it and should, or says it and should not.
    """
    above = {
        _task(entry).id
        for entry in entries
        for figures in local.all((entry.id, n) for n in SIZES)
        if figures["agents_right"] > figures["prior"] + MARGIN
    }
    reasons = {entry.kwargs["task"]: _task(entry).above_prior for entry in entries}
    reasons = {task: reason for task, reason in reasons.items() if reason}
    for task in sorted(above.symmetric_difference(reasons)):
        found = "above" if task in above else "not above"
        raise SystemExit(
            f"answers from own data are {found} the prior in {task}: "
            f"{'set' if task in above else 'drop'} above_prior of {type(TASKS[task]).__name__}"
        )
    everybody = [
        (local[entry.id, n]["all_right"], _task(entry).id, n, local[entry.id, n]["prior"])
        for entry in entries
        for n in SIZES
    ]
    most = max(everybody)
    others = max(each for each in everybody if each[1] != most[1])
    lines = [f"- {task}: {reason}" for task, reason in reasons.items()]
    return "\n".join(
        [
            "Local-only answers are above the prior (by more than "
            f"{percent(MARGIN)}) in these tasks:",
            "",
            *lines,
            "",
            "That *every* agent is right without a word, which is what `success` asks, is rare: "
            f"apart from {most[1]} ({percent(most[0])} at N = {most[2]}), where one constant "
            f"answer is right in {percent(most[3])}, it happens at most in {percent(others[0])} of "
            f"the episodes ({others[1]}, N = {others[2]}).",
        ]
    )


def baselines() -> str:
    """Tell what sharing everything and sharing the least reach, by protocol and size."""
    full = Results("silo-full", "env", "protocol", "n_agents", "policy")
    ids = [entry.id for entry in coordgym.list_envs(family="silo")]
    rows = []
    for policy in POLICIES:
        for protocol in PROTOCOLS:
            for n in SIZES:
                figures = full.all((env_id, protocol, n, policy) for env_id in ids)
                messages = sorted(each["messages"] for each in figures)
                rows.append(
                    (
                        code(policy),
                        protocol,
                        str(n),
                        percent(min(each["all_right"] for each in figures)),
                        f"{messages[0]:g} … {messages[-1]:g}",
                        f"{max(each['rounds'] for each in figures):g}",
                    )
                )
    seeds = full.common("episodes")
    at_minimum = sum(full[i, "p2p", SIZES[-1], "silo:optimal"]["redundancy"] == 1 for i in ids)
    headers = ("policy", "protocol", "N", "lowest success", "messages", "most rounds")
    note = (
        f"Over all {len(ids)} tasks, {seeds} seeds each. *Lowest success* is that of the "
        "hardest task. Messages count once per delivery, per recipient of a broadcast, per read "
        "of another agent's file. Between two agents at a time (p2p, N = "
        f"{SIZES[-1]}), `silo:optimal` sends exactly the fewest messages in {at_minimum} of "
        f"{len(ids)} tasks."
    )
    return f"{markdown_table(headers, rows, numbers_from=2)}\n\n{note}"


def _task(entry: EnvEntry) -> Task[Any, Any]:
    return TASKS[entry.kwargs["task"]]


def _data(task: Task[Any, Any]) -> str:
    parameters = {field.name: field.default for field in fields(task.config)}
    return task.holds.format(**parameters).replace("-", "−")


def _minimum(task: Task[Any, Any]) -> str:
    """Return the formula of the fewest messages if it is linear in N - 1, else some of them."""
    n = EXAMPLE_AGENTS
    factor = task.minimum_messages(n) / (n - 1)
    if task.minimum_messages(2 * n) != factor * (2 * n - 1):
        return " / ".join(f"{task.minimum_messages(size)}" for size in SIZES)
    return "N − 1" if factor == 1 else f"{factor:g}(N − 1)"


PARTS = {"tasks": tasks, "baselines": baselines}
