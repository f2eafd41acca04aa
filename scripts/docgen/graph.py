"""Generated parts of the page about graph coordination."""

import coordgym
from coordgym.data.tables import markdown_table
from coordgym.registry import EnvEntry
from coordgym.silo_env.graph import TASKS
from coordgym.silo_env.graph.networks.topologies import TOPOLOGIES
from coordgym.silo_env.graph.task import GraphTask, Measures
from docgen.markdown import code
from docgen.results import Results, Setting, percent

SIZES = (4, 8, 16, 32, 64, 100)
SMALL = 16
POLICIES = ("graph:flood", "graph:small", "graph:greedy", "random")
SUITES = (27, 81)


def tasks() -> str:
    """Return the table of tasks: what is asked, and when an episode is a success."""
    rows = [
        (code(entry.name), entry.tags[-1], task.question, task.solved_if)
        for entry, task in _tasks()
    ]
    return markdown_table(("id", "reach", "question", "success"), rows)


def measures() -> str:
    """Return what the figures of the verdict are in each task."""
    rows = [(code(entry.name), *task.measures) for entry, task in _tasks()]
    return markdown_table(("id", *(code(name) for name in Measures._fields)), rows)


def _tasks() -> list[tuple[EnvEntry, GraphTask]]:
    entries = coordgym.list_envs(family="graph")
    return [(entry, TASKS[entry.kwargs["task"]]) for entry in entries]


def sizes() -> str:
    """Return the table of success by task, topology and size."""
    results = Results("graph-sizes", "env", "topology", "n_agents", "policy")
    entries = coordgym.list_envs(family="graph")
    rows = []
    for policy in POLICIES:
        for entry in entries:
            topologies: dict[tuple[str, ...], list[str]] = {}
            for topology in TOPOLOGIES:
                figures = results.all((entry.id, topology, n, policy) for n in SIZES)
                shown = tuple(percent(each["success"]) for each in figures)
                topologies.setdefault(shown, []).append(topology)
            rows += [
                (code(policy), entry.name, ", ".join(alike), *shown)
                for shown, alike in topologies.items()
            ]
    many = results.common("networks", _is_cheap)
    few = results.common("networks", lambda setting: not _is_cheap(setting))
    headers = ("policy", "task", "topology", *(f"n = {n}" for n in SIZES))
    note = (
        f"Success over {few} networks of each kind (`random` up to n = {SMALL}: {many}), "
        "paper rounds; topologies with the same figures share a row. "
        f"{_closed_forms(results)}"
    )
    return f"{markdown_table(headers, rows, numbers_from=3)}\n\n{note}"


def _is_cheap(setting: Setting) -> bool:
    """Tell whether random answers were measured on more networks than the rest."""
    _, _, n_agents, policy = setting
    return policy == "random" and int(n_agents) <= SMALL


def _closed_forms(results: Results) -> str:
    """Compare random answers with what chance gives."""
    words = []
    for name, ways in (("GraphLeaderElection", "n"), ("GraphConsensus", "2")):
        for n in (4, 8):
            expected = (n if ways == "n" else 2) / 2**n
            measured = [
                results[f"coordgym/{name}-v0", topology, n, "random"]["success"]
                for topology in TOPOLOGIES
            ]
            mean = sum(measured) / len(measured)
            words.append(
                f"{name} at n = {n}: {percent(mean)} measured, {ways}/2ⁿ = {percent(expected)}"
            )
    return f"Random answers succeed as chance has it: {'; '.join(words)}."


def suites() -> str:
    """Return the table of success, messages and characters on the benchmark sets."""
    results = Results("graph-suites", "networks_in_set", "env", "policy")
    rows = []
    for entry in coordgym.list_envs(family="graph"):
        for policy in POLICIES:
            small, large = results.all((size, entry.id, policy) for size in SUITES)
            rows.append(
                (
                    entry.name,
                    code(policy),
                    *(
                        f"{each['success'] * each['networks']:.0f} of {each['networks']:.0f}"
                        for each in (small, large)
                    ),
                    f"{small['score']:.3f}",
                    f"{large['score']:.3f}",
                    f"{large['messages']:,.0f}",
                    f"{large['characters'] / max(1.0, large['messages']):.0f}",
                )
            )
    headers = (
        "task",
        "policy",
        "27 networks",
        "81 networks",
        "score, 27",
        "score, 81",
        "messages, 81",
        "characters each, 81",
    )
    return markdown_table(headers, rows, numbers_from=2)


PARTS = {"tasks": tasks, "measures": measures, "sizes": sizes, "suites": suites}
