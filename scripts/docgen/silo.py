"""Generated parts of the page about silo computation."""

from dataclasses import fields
from typing import Any

import coordgym
from coordgym.data.tables import markdown_table
from coordgym.registry import EnvEntry
from coordgym.silo_env.compute import TASKS
from coordgym.silo_env.compute.task import Task
from docgen.markdown import code
from docgen.results import Results, percent

SIZES = (2, 5, 10)
PROTOCOLS = ("p2p", "broadcast", "shared_files")
POLICIES = ("silo:all-gather", "silo:optimal")
TOPOLOGIES = {"I": "star", "II": "chain", "III": "all-to-all"}
"""Along which links the data of a level's tasks flow most naturally (Silo-Bench, figure 2)."""
EXAMPLE_AGENTS = 4
MARGIN = 0.05
"""So much above the prior, the success of answers from own data wants a reason."""
_IN_RANGE = "{items} integers in {low}…{high}"
DATA = {
    "I-01": _IN_RANGE,
    "I-02": "{items} words",
    "I-03": "{items} votes",
    "I-04": "{items} log lines",
    "I-05": _IN_RANGE,
    "I-06": _IN_RANGE,
    "I-07": "{items} decimals in 0…100",
    "I-08": "{items} integers below {values_per_agent} N",
    "I-09": _IN_RANGE,
    "I-10": "{items} decimals in 0…100",
    "II-11": _IN_RANGE,
    "II-12": _IN_RANGE,
    "II-13": "{items} letters",
    "II-14": "{items} cells",
    "II-15": "{items} letters",
    "II-16": "{items} heights",
    "II-17": _IN_RANGE,
    "II-18": "{items} nodes with their successors",
    "II-19": "{items} integers, sorted overall",
    "II-20": "{items} blocks of text",
    "III-21": _IN_RANGE,
    "III-22": _IN_RANGE,
    "III-23": "up to {edges} edges between {nodes} N nodes",
    "III-24": "{edges} edges between {nodes} N nodes",
    "III-25": "{items} points in the plane",
    "III-26": "{items} integers below {values_per_agent} N",
    "III-27": "6 of {users} N users and {items} N items, {factors} factors each",
    "III-28": "{edges} links between {nodes} N nodes",
    "III-29": "{items} tasks on average; agent 0 has all heavy ones",
    "III-30": "a row of A and all of B, both N × N",
}
"""What one agent holds by default, with the parameters of the task's generator."""
ABOVE_PRIOR = {
    "I-01": "The agent that holds the maximum is right without knowing it: 1 of N.",
    "I-03": "A close race leaves the winner ahead in many agents' own votes, too; the generator "
    "makes sure that at least one agent's own winner is another one.",
    "I-04": "The answer's prior is one half. Where there is no error line all are right to see "
    "none, and where there is one, the agent that holds it is.",
    "II-11": "The first agent needs nothing from the others: 1 of N.",
    "II-13": "The longest palindrome often lies within one agent's letters.",
    "II-14": "Cells at the seams sometimes come out right without the neighbours' cells; the "
    "first and the last agent have only one seam.",
    "II-20": "The first agent needs nothing from the others: 1 of N.",
    "III-22": "The median of one's own values is near the global one, and values repeat.",
}
"""Why answers from own data do better than a constant answer."""


def tasks() -> str:
    """The 30 tasks: what is asked, of which data, and what no talking is worth."""
    local = Results("silo-local", "env", "n_agents")
    entries = coordgym.list_envs(family="silo")
    rows = []
    for entry in entries:
        task = _task(entry)
        figures = local.all((entry.id, n) for n in SIZES)
        piece = " (each its own piece)" if task.segmented else ""
        rows.append(
            (
                code(entry.name),
                task.id,
                f"{entry.title[0].lower()}{entry.title[1:]}{piece}",
                f"{task.level}, {TOPOLOGIES[task.level]}",
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
    """A sentence for each task where no talking beats the prior.

    Raises:
        SystemExit: If a task has no sentence and needs one, or has one and needs none.
    """
    above = {
        _task(entry).id
        for entry in entries
        for figures in local.all((entry.id, n) for n in SIZES)
        if figures["agents_right"] > figures["prior"] + MARGIN
    }
    if above != set(ABOVE_PRIOR):
        raise SystemExit(f"ABOVE_PRIOR must explain {sorted(above)}, has {sorted(ABOVE_PRIOR)}")
    everybody = [
        (local[entry.id, n]["all_right"], _task(entry).id, n) for entry in entries for n in SIZES
    ]
    most = max(everybody)
    others = max(each for each in everybody if each[1] != most[1])
    lines = [f"- {task}: {reason}" for task, reason in ABOVE_PRIOR.items()]
    return "\n".join(
        [
            "Local-only answers are above the prior (by more than "
            f"{percent(MARGIN)}) in these tasks:",
            "",
            *lines,
            "",
            "That *every* agent is right without a word, which is what `success` asks, is rare: "
            f"apart from {most[1]} ({percent(most[0])} at N = {most[2]}), where one constant "
            f"answer is right half of the time, it happens at most in {percent(others[0])} of "
            f"the episodes ({others[1]}, N = {others[2]}).",
        ]
    )


def baselines() -> str:
    """What sharing everything and sharing the least reach, by protocol and size."""
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
    return DATA[task.id].format(**parameters).replace("-", "−")


def _minimum(task: Task[Any, Any]) -> str:
    """The formula of the fewest messages, told from two sizes; all are linear in N - 1."""
    n = EXAMPLE_AGENTS
    factor = task.minimum_messages(n) / (n - 1)
    if task.minimum_messages(2 * n) != factor * (2 * n - 1):
        raise SystemExit(f"the fewest messages of {task.id} are not linear in N - 1")
    return "N − 1" if factor == 1 else f"{factor:g}(N − 1)"


PARTS = {"tasks": tasks, "baselines": baselines}
