"""``graphpath``: the shortest route over named one-way links, each agent knowing half of them.

Rules: go from start to goal over as few one-way links as possible; there is one such route.
Views: every link belongs to one view. View 1 writes "e7: A -> B", view 2 "B is reached from A by
e7"; at friction 2 it writes numbers for nodes.
Answer: ``{"edges": ["e7", ...]}``; [from, to] may stand for a link.
Grade: the longest common subsequence of answer and route, over the length of the longer one.
Source: The Collaboration Tax, table 8 (name, answer type, fraction of correct edges).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.fact_checks import answer_list, answer_name, names_fault
from coordgym.silo_env.pairs.facts.links import Link, draw_links, ends, link_fault, missing_arrows
from coordgym.silo_env.pairs.facts.names import LETTERS, choose
from coordgym.silo_env.pairs.facts.owners import Owner, deal, if_split, you_know
from coordgym.silo_env.pairs.facts.prose import longest_run
from coordgym.silo_env.pairs.facts.sentences import (
    NAME,
    NAMES,
    Relation,
    Sentence,
    as_json,
    bullets,
    read_bullets,
)
from coordgym.silo_env.pairs.shapes.dealt_facts import DealtFactsTask, Drawn
from coordgym.silo_env.pairs.task import Answer, Grade, Seat

Arrow = tuple[str, str, str]
"""The name of a link, where it begins and where it ends."""

SENTENCES = (Sentence("{0}: {1} -> {2}"), Sentence("{2} is reached from {1} by {0}"))
LABEL = re.compile(r"[a-z]\d{1,3}", re.ASCII)
LABELS = tuple(f"e{number}" for number in range(1, 100))
"""The names of generated links."""


@dataclass(frozen=True, slots=True)
class GraphPathConfig:
    """Difficulty of generated networks.

    Attributes:
        n: Nodes, 3..16.
        m: One-way links, 3..40.
        min_length: Fewest links of the route, 1..10.
    """

    n: int = 8
    m: int = 13
    min_length: int = 3

    def __post_init__(self) -> None:
        require_int("n", self.n, 3, 16)
        require_int("m", self.m, 3, min(40, self.n * (self.n - 1)))
        require_int("min_length", self.min_length, 1, min(10, self.n - 1))


@dataclass(frozen=True, slots=True)
class GraphPathInstance:
    """A network and its split.

    Attributes:
        nodes: The nodes.
        edges: The name of a link, where it begins, where it ends, and the view that knows it.
        start: Where the route begins.
        goal: Where it ends.
    """

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str, str, Owner], ...]
    start: str
    goal: str


@dataclass(frozen=True, slots=True)
class GraphPathView:
    """The nodes, the ends of the route and the known links."""

    nodes: tuple[str, ...]
    start: str
    goal: str
    edges: tuple[Arrow, ...]
    whole: bool = False


class GraphPath(DealtFactsTask[GraphPathInstance, GraphPathConfig, GraphPathView]):
    """Routes over named links."""

    config_type = GraphPathConfig
    instance_type = GraphPathInstance
    view_type = GraphPathView
    relations = {"edges": Relation("link", SENTENCES, value_at=0)}
    answer_fields = ("edges",)
    shared_fields = ("nodes", "start", "goal")
    rule = (
        "One-way links, each with a name, lead from node to node. Find the route from the start "
        "to the goal that uses the fewest links; there is exactly one."
    )
    split = "You know some of the links; the other agent knows the rest."
    compact_rule = "route with the fewest one-way links from start to goal"
    compact_split = "the other agent knows the other links"
    form = '{"edges": ["e1", "e2", ...]}'
    note = '"edges" lists the names of the links in the order of the route.'

    def draw(self, config: GraphPathConfig, rng: np.random.Generator) -> GraphPathInstance | None:
        """Draw links; keep them if one route is shortest and long enough."""
        nodes = LETTERS[: config.n]
        links = choose(missing_arrows(nodes, ()), config.m, rng)
        edges = deal(_labelled(links, LABELS, rng), rng)
        instance = GraphPathInstance(nodes, edges, nodes[0], nodes[-1])
        routes = _shortest(instance, 2)
        return instance if len(routes) == 1 and len(routes[0]) >= config.min_length else None

    def bounds_fault(self, instance: GraphPathInstance) -> str | None:
        """Say what is no name, or too long or short."""
        fault = names_fault("nodes", instance.nodes, 2) or super().bounds_fault(instance)
        wrong = [label for label, *_ in instance.edges if LABEL.fullmatch(label) is None]
        if fault is None and wrong:
            return f"edges must have names such as 'e12', got {wrong[0]!r:.100}"
        return fault

    def fault(self, instance: GraphPathInstance) -> str | None:
        """Say whether names of links are doubled, or what keeps one route from being shortest."""
        labels = [edge[0] for edge in instance.edges]
        if len(set(labels)) != len(labels):
            return "edges must have different names"
        if instance.start == instance.goal:
            return "start and goal must differ"
        if not {instance.start, instance.goal} <= set(instance.nodes):
            return "start and goal must be nodes"
        fault = link_fault(instance.nodes, ends(instance.edges, 1), directed=True)
        if fault is None and len(_shortest(instance, 2)) != 1:
            return "edges must have exactly one shortest route from start to goal"
        return fault

    def draw_hidden(
        self, view: GraphPathView, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw other links with other names."""
        missing = missing_arrows(view.nodes, ends(view.edges, 1))
        links = draw_links(missing, counts["edges"], rng)
        known = {edge[0] for edge in view.edges}
        free = [label for label in LABELS if label not in known]
        if links is None or len(links) > len(free):
            return None
        return {"edges": _labelled(links, free, rng)}

    def solve(self, instance: GraphPathInstance) -> Answer:
        """Return the one shortest route."""
        return {"edges": [*_route(instance)]}

    def score(self, instance: GraphPathInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of the longest common subsequence."""
        from rapidfuzz.distance import LCSseq

        label_of = {(a, b): label for label, a, b, _ in instance.edges}
        given = [_label(entry, label_of) for entry in answer_list(answer, "edges") or ()]
        truth = _route(instance)
        common = LCSseq.similarity(given, truth)
        return Grade(common / max(len(given), len(truth)))

    def say_view(self, view: GraphPathView, words: Seat) -> str:
        """Say the known links and the question."""
        rest = if_split(view, " (your partner knows the others)")
        return "\n".join([
            f"One-way links{you_know(view)} among {', '.join(view.nodes)}{rest}:",
            *bullets(SENTENCES[words - 1], view.edges),
            f"Find the route with the fewest links from {view.start} to {view.goal}; "
            "answer with the link names in order.",
        ])  # fmt: skip

    def say_briefly(self, view: GraphPathView) -> str:
        """Write links as name:from>to."""
        links = " ".join(f"{label}:{a}>{b}" for label, a, b in view.edges)
        return f"nodes {' '.join(view.nodes)}; {view.start} to {view.goal}; links {links}"

    def hear(self, text: str) -> GraphPathView | None:
        """Read a view in the words of view 1."""
        head = re.search(rf"One-way links you know among ({NAMES}) ", text)
        route = re.search(rf"fewest links from ({NAME}) to ({NAME});", text)
        if head is None or route is None:
            return None
        links = tuple(
            (str(label), str(a), str(b)) for label, a, b in read_bullets(SENTENCES[0], text)
        )
        return GraphPathView(tuple(head[1].split(", ")), route[1], route[2], links)

    def check_steps(self, instance: GraphPathInstance, answer: Answer) -> list[str]:
        """State where each link of the route leads."""
        ends_of = {label: (a, b) for label, a, b, _ in instance.edges}
        return [f"{e} leads from {ends_of[e][0]} to {ends_of[e][1]}, valid"
                for e in _route(instance)]  # fmt: skip

    def free_text_answer(
        self, instance: GraphPathInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read the longest run of names of links."""
        pattern = re.compile(rf"\b{LABEL.pattern}\b", re.ASCII)
        for message in reversed(messages):
            run = longest_run(message, pattern)
            if len(run) >= 2:
                return {"edges": list(run)}
        return None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw a few links of a default network, by their ends."""
        arrows = missing_arrows(LETTERS[: GraphPathConfig().n], ())
        return {"edges": as_json(choose(arrows, int(rng.integers(1, 6)), rng))}


def _labelled(
    links: Sequence[Link], labels: Sequence[str], rng: np.random.Generator
) -> list[Arrow]:
    """Give links random names."""
    chosen = choose(labels, len(links), rng)
    return [(label, a, b) for label, (a, b) in zip(chosen, links, strict=True)]


def _shortest(instance: GraphPathInstance, limit: int) -> list[list[str]]:
    """Return shortest routes as names of links, at most ``limit`` of them."""
    import networkx as nx

    network: nx.DiGraph[str] = nx.DiGraph()
    network.add_nodes_from(instance.nodes)
    for label, a, b, _ in instance.edges:
        network.add_edge(a, b, label=label)
    routes = nx.all_shortest_paths(network, instance.start, instance.goal)
    try:
        return [
            [str(network[a][b]["label"]) for a, b in pairwise(route)]
            for route in islice(routes, limit)
        ]
    except nx.NetworkXNoPath:
        return []


def _route(instance: GraphPathInstance) -> list[str]:
    return _shortest(instance, 1)[0]


def _label(entry: object, label_of: Mapping[Link, str]) -> str:
    """Return the link that an entry of an answer names; what is none gives an empty name."""
    if isinstance(entry, list | tuple):
        found = [answer_name(part) or "" for part in entry]
        return label_of.get((found[0], found[1]), "") if len(found) == 2 else ""
    return answer_name(entry) or ""
