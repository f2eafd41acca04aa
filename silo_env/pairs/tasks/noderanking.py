"""``noderanking``: the three nodes with the strongest links, each agent knowing half of the links.

Rules: rank the nodes of a network by the sum of the weights of their links; give the top three.
Views: every link belongs to one view. View 1 writes "A-B: weight 3", view 2 "B and A share a link
of strength 3"; at friction 2 it writes numbers for nodes.
Answer: ``{"top": ["D", "A", "E"]}``.
Grade: the mean over k = 1, 2, 3 of the overlap (intersection over union) of the first k nodes of
the answer with the true first k. Of repeated nodes the first counts, and three nodes at most.
Source: The Collaboration Tax, table 8 (name, answer type, overlap of ordered sets).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.fact_checks import (
    answer_list,
    answer_name,
    require_facts,
    require_names,
)
from coordgym.silo_env.pairs.facts.links import draw_links, ends, link_fault, missing_pairs
from coordgym.silo_env.pairs.facts.names import LETTERS, choose
from coordgym.silo_env.pairs.facts.owners import deal
from coordgym.silo_env.pairs.facts.prose import name_run
from coordgym.silo_env.pairs.facts.sentences import (
    NAMES,
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

SENTENCES = (
    Sentence("{0}-{1}: weight {2:d}"),
    Sentence("{1} and {0} share a link of strength {2:d}"),
)
TOP = 3
USUAL_HEAVIEST = 9
QUESTION = "Rank nodes by the total weight of all their links; give the top three, largest first."


@dataclass(frozen=True, slots=True)
class NodeRankingConfig:
    """Difficulty of generated networks.

    Attributes:
        n: Nodes, 4..16.
        m: Links, 4..30.
        max_weight: Largest weight of a link, 2..99; the smallest is 1.
    """

    n: int = 7
    m: int = 12
    max_weight: int = USUAL_HEAVIEST

    def __post_init__(self) -> None:
        require_int("n", self.n, 4, 16)
        require_int("m", self.m, 4, min(30, self.n * (self.n - 1) // 2))
        require_int("max_weight", self.max_weight, 2, 99)


@dataclass(frozen=True, slots=True)
class NodeRankingInstance:
    """A network and its split.

    Attributes:
        nodes: The nodes.
        edges: The ends of a link, its weight, and the view that knows it.
    """

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str, int, int], ...]


class NodeRanking(WideDealtFactsTask[NodeRankingInstance, NodeRankingConfig]):
    """The top three nodes."""

    config_type = NodeRankingConfig
    relations = {"edges": Relation("weighted", SENTENCES)}
    instance_type = NodeRankingInstance
    answer_fields = ("top",)
    rule = (
        "Weighted links join the nodes of a network. The total of a node is the sum of the "
        "weights of all links that it has. Find the three nodes with the largest totals."
    )
    split = "You know some of the links; the other agent knows the rest."
    compact_rule = "three nodes with the largest sums of link weights, largest first"
    compact_split = "the other agent knows the other links"
    form = '{"top": [name, name, name]}'
    note = '"top" lists the three nodes with the largest totals, the largest first.'

    def draw(
        self, config: NodeRankingConfig, rng: np.random.Generator
    ) -> NodeRankingInstance | None:
        """Random links and weights; kept if no ranks are tied."""
        nodes = LETTERS[: config.n]
        links = choose(missing_pairs(nodes, ()), config.m, rng)
        weights = rng.integers(1, config.max_weight + 1, size=config.m)
        edges = deal([(a, b, int(w)) for (a, b), w in zip(links, weights, strict=True)], rng)
        instance = NodeRankingInstance(nodes, edges)
        return instance if self.fault(instance) is None else None

    def read_instance(self, given: Mapping[str, object]) -> NodeRankingInstance:
        """Check a network given as JSON: nodes, edges."""
        nodes = require_names("nodes", given.get("nodes"), TOP + 1)
        edges = require_facts("edges", given.get("edges"), "nni", 1)
        return self.checked(NodeRankingInstance(nodes, edges))

    def fault(self, instance: NodeRankingInstance) -> str | None:
        """No ties among the four largest totals."""
        fault = link_fault(instance.nodes, ends(instance.edges))
        if fault is not None:
            return fault
        largest = sorted(_totals(instance).values(), reverse=True)[: TOP + 1]
        return None if len(set(largest)) == TOP + 1 else "the four largest totals must differ"

    def draw_hidden(
        self, view: NodeRankingInstance, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw other links, with weights from 1 up to the largest default or known weight."""
        links = draw_links(missing_pairs(view.nodes, ends(view.edges)), counts["edges"], rng)
        if links is None:
            return None
        heaviest = max([USUAL_HEAVIEST, *(edge[2] for edge in view.edges)])
        weights = rng.integers(1, heaviest + 1, size=len(links))
        return {"edges": [(a, b, int(w)) for (a, b), w in zip(links, weights, strict=True)]}

    def optimal_answers(self, instance: NodeRankingInstance, limit: int) -> list[Answer]:
        """The one ranking."""
        return [{"top": [*_top(instance)]}]

    def grade(
        self, instance: NodeRankingInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """The mean overlap of the first one, two and three nodes."""
        given = [answer_name(entry) for entry in answer_list(answer, "top") or ()]
        first = list(dict.fromkeys(given))[:TOP]
        truth = _top(instance)
        overlaps = [
            len(set(first[:k]) & set(truth[:k])) / len(set(first[:k]) | set(truth[:k]))
            for k in range(1, TOP + 1)
        ]
        return Grade(sum(overlaps) / TOP)

    def say_view(self, facts: Facts, words: Seat) -> str:
        """The known links and the question."""
        rest = if_split(facts, " (your partner knows the others)")
        among = ", ".join(names(facts, "nodes"))
        head = f"Undirected weighted links{know(facts)} among {among}{rest}:"
        return "\n".join([head, *bullets(SENTENCES[words - 1], rows(facts, "edges")), QUESTION])

    def say_briefly(self, facts: Facts) -> str:
        """Links as A-B:weight."""
        links = " ".join(f"{a}-{b}:{w}" for a, b, w in rows(facts, "edges"))
        return f"nodes {' '.join(names(facts, 'nodes'))}; weights {links}"

    def read_view(self, text: str) -> Facts | None:
        """Read a view in the words of view 1."""
        head = re.search(rf"Undirected weighted links you know among ({NAMES}) ", text)
        if head is None:
            return None
        nodes: list[Json] = [*head[1].split(", ")]
        return {"nodes": nodes, "edges": as_json(read_bullets(SENTENCES[0], text))}

    def check_steps(self, instance: NodeRankingInstance, answer: Answer) -> list[str]:
        """The sums of the top nodes."""
        steps = []
        for node in _top(instance):
            weights = [edge[2] for edge in instance.edges if node in edge[:2]]
            steps.append(f"{node}: {' + '.join(map(str, weights))} = {sum(weights)}, holds")
        return steps

    def free_text_answer(
        self, instance: NodeRankingInstance, messages: Sequence[str]
    ) -> Answer | None:
        """The longest run of nodes."""
        run = name_run(messages, instance.nodes)
        return None if run is None else {"top": list(run)}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Three nodes of a default network."""
        return {"top": list(choose(LETTERS[: NodeRankingConfig().n], TOP, rng))}


def _totals(instance: NodeRankingInstance) -> dict[str, int]:
    totals = dict.fromkeys(instance.nodes, 0)
    for a, b, weight, _ in instance.edges:
        totals[a] += weight
        totals[b] += weight
    return totals


def _top(instance: NodeRankingInstance) -> list[str]:
    totals = _totals(instance)
    return sorted(totals, key=lambda node: -totals[node])[:TOP]
