"""``graphattr``: counting in a coloured network, links and colours both split.

Rules: answer questions about an undirected network: how many neighbours a node has, how many of
one colour, how many links join two colours, how many neighbours two nodes share.
Views: links are halved, colours alternate; every answer differs from what one half of the links
would give. View 1 writes "A-B" and "A is red", view 2 "B touches A" and "crimson A" with a
glossary; at friction 2 it writes numbers for nodes.
Answer: ``{"answers": [2, ...]}`` in the order of the questions.
Grade: the share of right answers.
Source: The Collaboration Tax, table 8 (name, answer type, grading by query).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.answers import grade_queries, numbered_answers
from coordgym.silo_env.pairs.facts.fact_checks import names_fault
from coordgym.silo_env.pairs.facts.links import (
    Link,
    adjacency,
    draw_links,
    ends,
    link_fault,
    links_of,
    missing_pairs,
)
from coordgym.silo_env.pairs.facts.names import LETTERS, choose
from coordgym.silo_env.pairs.facts.owners import Owner, deal, if_split
from coordgym.silo_env.pairs.facts.prose import last_integer
from coordgym.silo_env.pairs.facts.sentences import (
    NAMES,
    Relation,
    Sentence,
    listed,
    numbered,
    read_listed,
    read_numbered,
)
from coordgym.silo_env.pairs.shapes.dealt_facts import DealtFactsTask, Drawn
from coordgym.silo_env.pairs.task import SEATS, Answer, Grade, Seat

Query = tuple[str, ...]
"""A kind of question, then the nodes and colours that it is about."""

PAINTS = {"red": "crimson", "blue": "azure", "green": "emerald"}
"""Colours, and what the second view calls them."""
COLORS = tuple(PAINTS)
GLOSSARY = ", ".join(f"{paint} = {color}" for color, paint in PAINTS.items())

LINKS = (Sentence("{0}-{1}"), Sentence("{1} touches {0}"))
COLORED = (Sentence("{0} is {1}"), Sentence("{1} {0}"))
PAINTED = Relation(
    "colour",
    (),  # "crimson A" is a fact only where no sign makes it a part of another
    value_at=1,
    synonyms={paint: color for color, paint in PAINTS.items()},
    wordings=(rf"(?<![=:])(?=(?:{'|'.join(PAINTS.values())})){{v1}} {{n0}}",),
)
QUESTIONS: dict[str, tuple[str, Sentence]] = {
    "degree": ("n", Sentence("How many neighbours does {0} have?")),
    "nbr_color": ("nc", Sentence("How many neighbours of {0} are {1}?")),
    "count_edges": ("cc", Sentence("How many edges join a {0} node and a {1} node?")),
    "common": ("nn", Sentence("How many nodes are neighbours of both {0} and {1}?")),
}
"""What a question is about ("n": a node, "c": a colour), and how it is put."""
MOST_OF_A_KIND = 2
MOST_QUESTIONS = 20
"""Questions of an instance that is read."""
HEAD = "Undirected graph on {}{}."


@dataclass(frozen=True, slots=True)
class GraphAttrConfig:
    """Difficulty of generated networks.

    Attributes:
        n: Nodes, 4..16.
        m: Links, 4..30.
        q: Questions, 1..8; at most two of a kind.
    """

    n: int = 7
    m: int = 10
    q: int = 4

    def __post_init__(self) -> None:
        require_int("n", self.n, 4, 16)
        require_int("m", self.m, 4, min(30, self.n * (self.n - 1) // 2))
        require_int("q", self.q, 1, MOST_OF_A_KIND * len(QUESTIONS))


@dataclass(frozen=True, slots=True)
class GraphAttrInstance:
    """A network and its split.

    Attributes:
        nodes: The nodes.
        edges: The ends of a link and the view that knows it.
        colors: A node, its colour and the view that knows it.
        queries: The questions.
    """

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str, Owner], ...]
    colors: tuple[tuple[str, str, Owner], ...]
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class GraphAttrView:
    """The nodes and questions, and the known links and colours."""

    nodes: tuple[str, ...]
    queries: tuple[Query, ...]
    edges: tuple[Link, ...]
    colors: tuple[tuple[str, str], ...]
    whole: bool = False


class GraphAttr(DealtFactsTask[GraphAttrInstance, GraphAttrConfig, GraphAttrView]):
    """Counts in a coloured network."""

    config_type = GraphAttrConfig
    instance_type = GraphAttrInstance
    view_type = GraphAttrView
    relations = {"edges": Relation("edge", LINKS), "colors": PAINTED}
    answer_fields = ("answers",)
    counts = True
    shared_fields = ("nodes", "queries")
    dealt_fields = ("edges", "colors")
    rule = (
        "Undirected links join coloured nodes. Answer the questions about the complete network, "
        "each with a number."
    )
    split = "You know some of the links and colours; the other agent knows the rest."
    compact_rule = (
        "count in a coloured undirected network: degree of a node; nbr_color: its neighbours of a "
        "colour; count_edges between two colours; common neighbours of two nodes"
    )
    compact_split = "the other agent knows the other links and colours"
    form = '{"answers": [N1, N2, ...]}'
    note = '"answers" holds one number per question, in the order of the questions.'

    def draw(self, config: GraphAttrConfig, rng: np.random.Generator) -> GraphAttrInstance | None:
        """Draw links and colours, and questions that no half of the links answers."""
        nodes = LETTERS[: config.n]
        edges = deal(choose(missing_pairs(nodes, ()), config.m, rng), rng)
        kinds = [COLORS[int(kind)] for kind in rng.integers(len(COLORS), size=config.n)]
        colors = dict(zip(nodes, kinds, strict=True))
        near = adjacency(nodes, ends(edges))
        halves = [adjacency(nodes, ends(e for e in edges if e[-1] == seat)) for seat in SEATS]
        queries: list[Query] = []
        for query in choose(_all_queries(nodes), 10_000, rng):
            value = _count(query, near, colors)
            telling = value > 0 and all(_count(query, half, colors) != value for half in halves)
            if telling and sum(query[0] == each[0] for each in queries) < MOST_OF_A_KIND:
                queries.append(query)
        if len(queries) < config.q:
            return None
        dealt = tuple((n, colors[n], SEATS[index % 2]) for index, n in enumerate(nodes))
        return GraphAttrInstance(nodes, edges, dealt, tuple(queries[: config.q]))

    def bounds_fault(self, instance: GraphAttrInstance) -> str | None:
        """Say what is no name, or too long or short."""
        fault = names_fault("nodes", instance.nodes, 2) or super().bounds_fault(instance)
        if fault is None and not 1 <= len(instance.queries) <= MOST_QUESTIONS:
            return f"queries must be a list of 1..{MOST_QUESTIONS} questions"
        return fault

    def fault(self, instance: GraphAttrInstance) -> str | None:
        """Say which node has no one colour, or what a question is about that is none of these."""
        fault = link_fault(instance.nodes, ends(instance.edges))
        if fault is not None:
            return fault
        if sorted(color[0] for color in instance.colors) != sorted(instance.nodes):
            return "colors must give each node one colour"
        if any(color[1] not in COLORS for color in instance.colors):
            return f"colors must be {', '.join(COLORS)}"
        allowed = {"n": instance.nodes, "c": COLORS}
        for query in instance.queries:
            kinds, _ = QUESTIONS.get("".join(query[:1]), ("", None))
            fits = len(kinds) == len(query) - 1 > 0
            if not fits or any(x not in allowed[k] for k, x in zip(kinds, query[1:], strict=True)):
                return f"queries must be of {', '.join(QUESTIONS)} with nodes and colours"
        return None

    def draw_hidden(
        self, view: GraphAttrView, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw other links, and colours for the nodes whose colour is hidden."""
        links = draw_links(missing_pairs(view.nodes, view.edges), counts["edges"], rng)
        known = dict(view.colors)
        unknown = [node for node in view.nodes if node not in known]
        kinds = rng.integers(len(COLORS), size=len(unknown))
        colors = [(node, COLORS[int(kind)]) for node, kind in zip(unknown, kinds, strict=True)]
        return None if links is None else {"edges": links, "colors": colors}

    def solve(self, instance: GraphAttrInstance) -> Answer:
        """Return the one list of counts."""
        return {"answers": [*_counts(instance)]}

    def score(self, instance: GraphAttrInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of right counts."""
        return grade_queries(_counts(instance), answer)

    def say_view(self, view: GraphAttrView, words: Seat) -> str:
        """Say the known links and colours, and the questions."""
        rest = if_split(view, "; your partner knows the other edges and colours")
        links = listed(LINKS[words - 1], view.edges)
        if words == 1:
            known = [f"Edges: {links}", f"Colours: {listed(COLORED[0], view.colors)}"]
        else:
            painted = [(node, PAINTS[color]) for node, color in view.colors]
            known = [f"Links: {links}", f"Paint: {listed(COLORED[1], painted)} ({GLOSSARY})"]
        asked = [QUESTIONS[kind][1].say(about) for kind, *about in view.queries]
        head = HEAD.format(", ".join(view.nodes), rest)
        return "\n".join([head, *known, "Queries:", *numbered(asked)])

    def say_briefly(self, view: GraphAttrView) -> str:
        """Write links as A-B, colours as A=red, questions as kind and arguments."""
        links = " ".join(f"{a}-{b}" for a, b in view.edges)
        colors = " ".join(f"{node}={color}" for node, color in view.colors)
        asked = "; ".join(" ".join(query) for query in view.queries)
        return f"nodes {' '.join(view.nodes)}; {links}; {colors}; count: {asked}"

    def hear(self, text: str) -> GraphAttrView | None:
        """Read a view in the words of view 1."""
        head = re.search(rf"Undirected graph on ({NAMES}); your partner", text)
        edges = re.search(r"^Edges: (.*)$", text, re.MULTILINE)
        colors = re.search(r"^Colours: (.*)$", text, re.MULTILINE)
        if head is None or edges is None or colors is None:
            return None
        links, colored = read_listed(LINKS[0], edges[1]), read_listed(COLORED[0], colors[1])
        if links is None or colored is None:
            return None
        queries = tuple(
            (kind, *map(str, about))
            for line in read_numbered(text)
            for kind, (_, sentence) in QUESTIONS.items()
            if (about := sentence.read(line)) is not None
        )
        nodes = tuple(head[1].split(", "))
        return GraphAttrView(nodes, queries, links_of(links), links_of(colored))

    def check_steps(self, instance: GraphAttrInstance, answer: Answer) -> list[str]:
        """State the count of every question."""
        return [
            f"{' '.join(query)}: {count} holds"
            for query, count in zip(instance.queries, _counts(instance), strict=True)
        ]

    def free_text_answer(
        self, instance: GraphAttrInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read the last number of each numbered line of the last message that has some."""
        return numbered_answers(messages, len(instance.queries), last_integer)

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw four small numbers."""
        return {"answers": [int(number) for number in rng.integers(1, 7, size=4)]}


def _all_queries(nodes: Sequence[str]) -> list[Query]:
    return [
        *(("degree", node) for node in nodes),
        *(("nbr_color", node, color) for node in nodes for color in COLORS),
        *(("count_edges", *pair) for pair in combinations_with_replacement(COLORS, 2)),
        *(("common", *pair) for pair in combinations(nodes, 2)),
    ]


def _count(query: Query, near: Mapping[str, set[str]], colors: Mapping[str, str]) -> int:
    """Return the answer to a question."""
    kind, *about = query
    if kind == "degree":
        return len(near[about[0]])
    if kind == "nbr_color":
        return sum(colors[node] == about[1] for node in near[about[0]])
    if kind == "common":
        return len(near[about[0]] & near[about[1]])
    wanted = sorted(about)
    links: set[Link] = {(a, b) for a, others in near.items() for b in others if a < b}
    return sum(sorted((colors[a], colors[b])) == wanted for a, b in links)


def _counts(instance: GraphAttrInstance) -> list[int]:
    near = adjacency(instance.nodes, ends(instance.edges))
    colors = {node: color for node, color, _ in instance.colors}
    return [_count(query, near, colors) for query in instance.queries]
