"""``dagorder``: the one order of tasks that the dependencies of both agents allow.

Rules: some tasks have to be done before others; together the dependencies allow one order only.
Views: every dependency belongs to one view. View 1 writes "X -> Y", view 2 "Y requires X"; at
friction 2 it writes numbers for tasks.
Answer: ``{"order": ["A", ...]}``.
Grade: the share of pairs of tasks that stand in the right order. Unknown names are dropped, of
repeated ones the first counts, all pairs of a missing task are wrong.
Source: The Collaboration Tax, table 8 (name, answer type, share of ordered pairs).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import combinations, pairwise

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.answers import order_score
from coordgym.silo_env.pairs.facts.fact_checks import (
    answer_list,
)
from coordgym.silo_env.pairs.facts.links import Link, ends, link_fault, links_of
from coordgym.silo_env.pairs.facts.names import LETTERS, choose
from coordgym.silo_env.pairs.facts.owners import deal, if_split, you_know
from coordgym.silo_env.pairs.facts.prose import name_run
from coordgym.silo_env.pairs.facts.sentences import (
    NAMES,
    Relation,
    Sentence,
    bullets,
    read_bullets,
)
from coordgym.silo_env.pairs.shapes.dealt_facts import Drawn
from coordgym.silo_env.pairs.shapes.networks import Network, NetworkTask, NetworkView
from coordgym.silo_env.pairs.task import Answer, Grade, Seat

SENTENCES = (Sentence("{0} -> {1}"), Sentence("{1} requires {0}"))
HEADS = (
    "Dependencies{} (X -> Y: X must be done before Y):",
    "Dependencies{} (X requires Y: Y must be done first):",
)
FOLLOW_RATE = 0.6
"""How often a drawn order goes on with a known successor of its last task, if it may."""


@dataclass(frozen=True, slots=True)
class DagOrderConfig:
    """Difficulty of generated plans.

    Attributes:
        n: Tasks, 3..20.
        extra: Dependencies beyond those between neighbours in the order, 0..20.
    """

    n: int = 8
    extra: int = 4

    def __post_init__(self) -> None:
        require_int("n", self.n, 3, 20)
        require_int("extra", self.extra, 0, min(20, (self.n - 1) * (self.n - 2) // 2))


class DagOrder(NetworkTask[DagOrderConfig]):
    """The one possible order; a link leads from a task to one that must come later."""

    config_type = DagOrderConfig
    relations = {"edges": Relation("before", SENTENCES)}
    answer_fields = ("order",)
    things = "tasks"
    rule = (
        "Some tasks must be done before others. All dependencies together leave exactly one "
        "order of the tasks; find it."
    )
    split = "You know some of the dependencies; the other agent knows the rest."
    compact_rule = "find the only order of tasks that all dependencies allow"
    compact_split = "the other agent knows the other dependencies"
    form = '{"order": ["X", "Y", ...]}'
    note = '"order" lists all tasks from the first to the last.'

    def draw(self, config: DagOrderConfig, rng: np.random.Generator) -> Network:
        """Draw an order, its neighbours and some more of its pairs; both kinds are halved."""
        nodes = LETTERS[: config.n]
        order = choose(nodes, config.n, rng)
        steps = list(pairwise(order))
        later = [pair for pair in combinations(order, 2) if pair not in steps]
        dealt = deal(steps, rng) + deal(choose(later, config.extra, rng), rng)
        return Network(nodes, tuple(choose(dealt, len(dealt), rng)))

    def fault(self, instance: Network) -> str | None:
        """Say whether the dependencies allow no order or several."""
        links = ends(instance.edges)
        fault = link_fault(instance.nodes, links)
        if fault is None and _order(instance.nodes, links) is None:
            return "edges must allow exactly one order of the nodes"
        return fault

    def draw_hidden(
        self, view: NetworkView, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw an order that the known dependencies allow, and what makes it the only one."""
        known = set(view.edges)
        order = _random_order(view.nodes, known, rng)
        steps = [step for step in pairwise(order) if step not in known]
        spare = counts["edges"] - len(steps)
        later = [p for p in combinations(order, 2) if p not in known and p not in steps]
        if not 0 <= spare <= len(later):
            return None
        drawn = steps + choose(later, spare, rng)
        return {"edges": choose(drawn, len(drawn), rng)}

    def likely_counts(self, view: NetworkView, attempt: int) -> dict[str, int]:
        """Allow for as many as are known, then more; one per step of the order always suffices."""
        return {"edges": min(len(view.edges) + attempt, max(len(view.edges), len(view.nodes) - 1))}

    def optimal_answers(self, instance: Network, limit: int) -> list[Answer]:
        """Return the one order."""
        order = _order(instance.nodes, ends(instance.edges)) or []
        return [{"order": list(order)}]

    def score(self, instance: Network, answer: Mapping[str, object]) -> Grade:
        """Return the share of pairs in the right order."""
        order = _order(instance.nodes, ends(instance.edges)) or []
        return Grade(order_score(answer_list(answer, "order"), order))

    def say_view(self, view: NetworkView, words: Seat) -> str:
        """Say the known dependencies and the question."""
        question = "Give the one order of all tasks that respects " + if_split(
            view, "your and your partner's dependencies."
        )
        return "\n".join([
            f"Tasks: {', '.join(view.nodes)}",
            HEADS[words - 1].format(you_know(view)),
            *bullets(SENTENCES[words - 1], view.edges),
            question if question.endswith(".") else f"{question}all dependencies.",
        ])  # fmt: skip

    def say_briefly(self, view: NetworkView) -> str:
        """Write dependencies as before>after."""
        links = " ".join(f"{a}>{b}" for a, b in view.edges)
        return f"tasks {' '.join(view.nodes)}; before>after: {links}"

    def hear(self, text: str) -> NetworkView | None:
        """Read a view in the words of view 1."""
        tasks = re.search(rf"^Tasks: ({NAMES})$", text, re.MULTILINE)
        if tasks is None or HEADS[0].format(" you know") not in text:
            return None
        return NetworkView(tuple(tasks[1].split(", ")), links_of(read_bullets(SENTENCES[0], text)))

    def check_steps(self, instance: Network, answer: Answer) -> list[str]:
        """State the dependency that holds between neighbours."""
        order = _order(instance.nodes, ends(instance.edges)) or []
        return [f"{a} before {b} holds by a dependency" for a, b in pairwise(order)]

    def free_text_answer(self, instance: Network, messages: Sequence[str]) -> Answer | None:
        """Read the longest run of tasks."""
        run = name_run(messages, instance.nodes)
        return None if run is None else {"order": list(run)}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw some of the tasks of a default plan."""
        nodes = LETTERS[: DagOrderConfig().n]
        return {"order": list(choose(nodes, int(rng.integers(1, len(nodes) + 1)), rng))}


def _order(nodes: Sequence[str], links: Sequence[Link]) -> list[str] | None:
    """Return the only topological order; None if there is none or more than one."""
    sorter = TopologicalSorter[str](dict.fromkeys(nodes, ()))
    for before, after in links:
        sorter.add(after, before)
    try:
        sorter.prepare()
    except CycleError:
        return None
    order: list[str] = []
    while sorter.is_active():
        ready = sorter.get_ready()
        if len(ready) != 1:
            return None
        order.append(ready[0])
        sorter.done(ready[0])
    return order


def _random_order(nodes: Sequence[str], known: set[Link], rng: np.random.Generator) -> list[str]:
    """Draw an order that keeps the known dependencies, which form no cycle."""
    waiting = {node: {a for a, b in known if b == node} for node in nodes}
    order: list[str] = []
    while waiting:
        ready = [node for node, before in waiting.items() if not before]
        following = [node for node in ready if order and (order[-1], node) in known]
        if following and rng.random() < FOLLOW_RATE:
            ready = following
        order.append(ready[int(rng.integers(len(ready)))])
        del waiting[order[-1]]
        for before in waiting.values():
            before.discard(order[-1])
    return order
