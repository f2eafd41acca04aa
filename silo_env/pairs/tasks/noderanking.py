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
from math import fsum

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.fact_checks import (
    LARGEST,
    answer_list,
    answer_name,
    integers_fault,
    names_fault,
)
from coordgym.silo_env.pairs.facts.links import (
    draw_links,
    ends,
    link_fault,
    missing_pairs,
    weighted,
    weighted_links_of,
)
from coordgym.silo_env.pairs.facts.names import LETTERS, choose
from coordgym.silo_env.pairs.facts.owners import Owner, deal, if_split, you_know
from coordgym.silo_env.pairs.facts.prose import name_run
from coordgym.silo_env.pairs.facts.sentences import NAMES, Relation, Sentence, bullets, read_bullets
from coordgym.silo_env.pairs.shapes.dealt_facts import DealtFactsTask, Drawn
from coordgym.silo_env.pairs.task import Answer, Grade, Seat

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
    edges: tuple[tuple[str, str, int, Owner], ...]


@dataclass(frozen=True, slots=True)
class NodeRankingView:
    """The nodes and the known links."""

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str, int], ...]
    whole: bool = False


class NodeRanking(DealtFactsTask[NodeRankingInstance, NodeRankingConfig, NodeRankingView]):
    """The top three nodes."""

    config_type = NodeRankingConfig
    instance_type = NodeRankingInstance
    view_type = NodeRankingView
    relations = {"edges": Relation("weighted", SENTENCES)}
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
        """Draw links and weights; keep them if no ranks are tied."""
        nodes = LETTERS[: config.n]
        links = choose(missing_pairs(nodes, ()), config.m, rng)
        instance = NodeRankingInstance(nodes, deal(weighted(links, config.max_weight, rng), rng))
        return instance if self.fault(instance) is None else None

    def bounds_fault(self, instance: NodeRankingInstance) -> str | None:
        """Say what is no name or weight, or too long or short."""
        return (
            names_fault("nodes", instance.nodes, TOP + 1)
            or super().bounds_fault(instance)
            or integers_fault("edges", (weight for _, _, weight, _ in instance.edges), 1, LARGEST)
        )

    def fault(self, instance: NodeRankingInstance) -> str | None:
        """Say why links are none, or which totals are tied."""
        fault = link_fault(instance.nodes, ends(instance.edges))
        if fault is not None:
            return fault
        largest = sorted(_totals(instance).values(), reverse=True)[: TOP + 1]
        return None if len(set(largest)) == TOP + 1 else "the four largest totals must differ"

    def draw_hidden(
        self, view: NodeRankingView, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw other links, with weights from 1 up to the largest default or known weight."""
        links = draw_links(missing_pairs(view.nodes, ends(view.edges)), counts["edges"], rng)
        if links is None:
            return None
        heaviest = max([USUAL_HEAVIEST, *(edge[2] for edge in view.edges)])
        return {"edges": weighted(links, heaviest, rng)}

    def solve(self, instance: NodeRankingInstance) -> Answer:
        """Return the one ranking."""
        return {"top": [*_top(instance)]}

    def score(self, instance: NodeRankingInstance, answer: Mapping[str, object]) -> Grade:
        """Return the mean overlap of the first one, two and three nodes."""
        given = [answer_name(entry) for entry in answer_list(answer, "top") or ()]
        first = list(dict.fromkeys(given))[:TOP]
        truth = _top(instance)
        overlaps = [
            len(set(first[:k]) & set(truth[:k])) / len(set(first[:k]) | set(truth[:k]))
            for k in range(1, TOP + 1)
        ]
        return Grade(fsum(overlaps) / TOP)

    def say_view(self, view: NodeRankingView, words: Seat) -> str:
        """Say the known links and the question."""
        rest = if_split(view, " (your partner knows the others)")
        among = ", ".join(view.nodes)
        head = f"Undirected weighted links{you_know(view)} among {among}{rest}:"
        return "\n".join([head, *bullets(SENTENCES[words - 1], view.edges), QUESTION])

    def say_briefly(self, view: NodeRankingView) -> str:
        """Write links as A-B:weight."""
        links = " ".join(f"{a}-{b}:{w}" for a, b, w in view.edges)
        return f"nodes {' '.join(view.nodes)}; weights {links}"

    def hear(self, text: str) -> NodeRankingView | None:
        """Read a view in the words of view 1."""
        head = re.search(rf"Undirected weighted links you know among ({NAMES}) ", text)
        if head is None:
            return None
        links = weighted_links_of(read_bullets(SENTENCES[0], text))
        return NodeRankingView(tuple(head[1].split(", ")), links)

    def check_steps(self, instance: NodeRankingInstance, answer: Answer) -> list[str]:
        """State the sums of the top nodes."""
        steps = []
        for node in _top(instance):
            weights = [edge[2] for edge in instance.edges if node in edge[:2]]
            steps.append(f"{node}: {' + '.join(map(str, weights))} = {sum(weights)}, holds")
        return steps

    def free_text_answer(
        self, instance: NodeRankingInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read the longest run of nodes."""
        run = name_run(messages, instance.nodes)
        return None if run is None else {"top": list(run)}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw three nodes of a default network."""
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
