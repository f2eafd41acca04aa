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

from coordgym.errors import InstanceError, require_int
from coordgym.silo_env.pairs.facts.fact_checks import (
    answer_list,
    answer_name,
    require_facts,
    require_name,
    require_names,
)
from coordgym.silo_env.pairs.facts.links import draw_links, ends, link_fault, missing_arrows
from coordgym.silo_env.pairs.facts.names import LETTERS, choose
from coordgym.silo_env.pairs.facts.owners import deal
from coordgym.silo_env.pairs.facts.prose import longest_run
from coordgym.silo_env.pairs.facts.sentences import (
    NAME,
    NAMES,
    Fact,
    Relation,
    Sentence,
    as_json,
    bullets,
    names,
    read_bullets,
    rows,
)
from coordgym.silo_env.pairs.shapes.wide_dealt_facts import (
    Drawn,
    WideDealtFactsTask,
    if_split,
    know,
)
from coordgym.silo_env.pairs.task import Answer, Facts, Grade, Json, Seat

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
    edges: tuple[tuple[str, str, str, int], ...]
    start: str
    goal: str


class GraphPath(WideDealtFactsTask[GraphPathInstance, GraphPathConfig]):
    """Routes over named links."""

    config_type = GraphPathConfig
    relations = {"edges": Relation("link", SENTENCES, value_at=0)}
    instance_type = GraphPathInstance
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
        """Random links; kept if one route is shortest and long enough."""
        nodes = LETTERS[: config.n]
        links = choose(missing_arrows(nodes, ()), config.m, rng)
        edges = deal(_labelled(links, LABELS, rng), rng)
        instance = GraphPathInstance(nodes, edges, nodes[0], nodes[-1])
        routes = _shortest(instance, 2)
        return instance if len(routes) == 1 and len(routes[0]) >= config.min_length else None

    def read_instance(self, given: Mapping[str, object]) -> GraphPathInstance:
        """Check a network given as JSON: nodes, edges, start, goal."""
        nodes = require_names("nodes", given.get("nodes"), 2)
        edges = require_facts("edges", given.get("edges"), "nnn")
        for label, *_ in edges:
            if LABEL.fullmatch(label) is None:
                raise InstanceError(f"edges must have names such as 'e12', got {label!r:.100}")
        start, goal = (require_name(end, given.get(end)) for end in ("start", "goal"))
        return self.checked(GraphPathInstance(nodes, edges, start, goal))

    def fault(self, instance: GraphPathInstance) -> str | None:
        """Names of links differ, and one route is shortest."""
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
        self, view: GraphPathInstance, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw other links with other names."""
        missing = missing_arrows(view.nodes, ends(view.edges, 1))
        links = draw_links(missing, counts["edges"], rng)
        known = {edge[0] for edge in view.edges}
        free = [label for label in LABELS if label not in known]
        if links is None or len(links) > len(free):
            return None
        return {"edges": _labelled(links, free, rng)}

    def optimal_answers(self, instance: GraphPathInstance, limit: int) -> list[Answer]:
        """The one shortest route."""
        return [{"edges": [*_route(instance)]}]

    def grade(
        self, instance: GraphPathInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """Share of the longest common subsequence."""
        from rapidfuzz.distance import LCSseq

        label_of = {(a, b): label for label, a, b, _ in instance.edges}
        given = [_label(entry, label_of) for entry in answer_list(answer, "edges") or ()]
        truth = _route(instance)
        common = LCSseq.similarity(given, truth)
        return Grade(common / max(len(given), len(truth)))

    def say_view(self, facts: Facts, words: Seat) -> str:
        """The known links and the question."""
        rest = if_split(facts, " (your partner knows the others)")
        return "\n".join([
            f"One-way links{know(facts)} among {', '.join(names(facts, 'nodes'))}{rest}:",
            *bullets(SENTENCES[words - 1], rows(facts, "edges")),
            f"Find the route with the fewest links from {facts['start']} to {facts['goal']}; "
            "answer with the link names in order.",
        ])  # fmt: skip

    def say_briefly(self, facts: Facts) -> str:
        """Links as name:from>to."""
        links = " ".join(f"{label}:{a}>{b}" for label, a, b in rows(facts, "edges"))
        nodes = " ".join(names(facts, "nodes"))
        return f"nodes {nodes}; {facts['start']} to {facts['goal']}; links {links}"

    def read_view(self, text: str) -> Facts | None:
        """Read a view in the words of view 1."""
        head = re.search(rf"One-way links you know among ({NAMES}) ", text)
        route = re.search(rf"fewest links from ({NAME}) to ({NAME});", text)
        if head is None or route is None:
            return None
        nodes: list[Json] = [*head[1].split(", ")]
        edges = as_json(read_bullets(SENTENCES[0], text))
        return {"nodes": nodes, "start": route[1], "goal": route[2], "edges": edges}

    def check_steps(self, instance: GraphPathInstance, answer: Answer) -> list[str]:
        """The links of the route."""
        ends_of = {label: (a, b) for label, a, b, _ in instance.edges}
        return [f"{e} leads from {ends_of[e][0]} to {ends_of[e][1]}, valid"
                for e in _route(instance)]  # fmt: skip

    def free_text_answer(
        self, instance: GraphPathInstance, messages: Sequence[str]
    ) -> Answer | None:
        """The longest run of names of links."""
        pattern = re.compile(rf"\b{LABEL.pattern}\b", re.ASCII)
        for message in reversed(messages):
            run = longest_run(message, pattern)
            if len(run) >= 2:
                return {"edges": list(run)}
        return None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """A few random links of a default network, by their ends."""
        arrows = missing_arrows(LETTERS[: GraphPathConfig().n], ())
        return {"edges": as_json(choose(arrows, int(rng.integers(1, 6)), rng))}


def _labelled(
    links: Sequence[tuple[str, str]], labels: Sequence[str], rng: np.random.Generator
) -> list[Fact]:
    chosen = choose(labels, len(links), rng)
    return [(label, a, b) for label, (a, b) in zip(chosen, links, strict=True)]


def _shortest(instance: GraphPathInstance, limit: int) -> list[list[str]]:
    """Shortest routes as names of links, at most ``limit`` of them; none without a route."""
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


def _label(entry: object, label_of: Mapping[tuple[str, str], str]) -> str:
    """The link that an entry of an answer names; what is none gives an empty name."""
    if isinstance(entry, list | tuple):
        found = [answer_name(part) or "" for part in entry]
        return label_of.get((found[0], found[1]), "") if len(found) == 2 else ""
    return answer_name(entry) or ""
