"""``trianglecount``: all triangles of a network of which each agent knows half of the links.

Rules: list every three nodes that are pairwise joined.
Views: every link belongs to one view; some triangle needs links of both. View 1 writes "A-B",
view 2 "B knows A"; at friction 2 it writes numbers for nodes.
Answer: ``{"triangles": [["A", "B", "C"], ...]}``; "ABC" and "A-B-C" are read too.
Grade: overlap (intersection over union) of the answer with the set of triangles, whatever the
order of nodes; an entry that is no set of three names counts as one wrong member.
Source: The Collaboration Tax, table 8 (name, answer type, overlap of sets).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from coordgym.errors import ConfigError, require_int
from coordgym.silo_env.pairs.facts.fact_checks import (
    answer_list,
    answer_name,
)
from coordgym.silo_env.pairs.facts.links import (
    Link,
    adjacency,
    ends,
    link_fault,
    links_of,
    missing_pairs,
)
from coordgym.silo_env.pairs.facts.names import LETTERS, choose
from coordgym.silo_env.pairs.facts.owners import deal, if_split, you_know
from coordgym.silo_env.pairs.facts.prose import group_run
from coordgym.silo_env.pairs.facts.sentences import (
    NAMES,
    Relation,
    Sentence,
    as_json,
    listed,
    read_listed,
)
from coordgym.silo_env.pairs.shapes.networks import Network, NetworkTask, NetworkView
from coordgym.silo_env.pairs.task import Answer, Grade, Seat

SENTENCES = (Sentence("{0}-{1}"), Sentence("{1} knows {0}"))
HEADS = ("Undirected edges{} among {}: {}.", "Undirected acquaintances (mutual){} among {}: {}.")
QUESTIONS = (
    "List every triangle (three nodes that are pairwise joined).",
    "List every triangle (three people who all know each other).",
)


@dataclass(frozen=True, slots=True)
class TriangleCountConfig:
    """Difficulty of generated networks.

    Attributes:
        n: Nodes, 4..12.
        m: Links, 4..30.
        min_triangles: Fewest triangles, at least 1.
        max_triangles: Most triangles, up to 50.
    """

    n: int = 7
    m: int = 12
    min_triangles: int = 2
    max_triangles: int = 6

    def __post_init__(self) -> None:
        require_int("n", self.n, 4, 12)
        require_int("m", self.m, 4, min(30, self.n * (self.n - 1) // 2))
        require_int("min_triangles", self.min_triangles, 1, 50)
        require_int("max_triangles", self.max_triangles, 1, 50)
        if self.min_triangles > self.max_triangles:
            raise ConfigError(
                f"min_triangles must be at most max_triangles, got {self.min_triangles} and "
                f"{self.max_triangles}"
            )


class TriangleCount(NetworkTask[TriangleCountConfig]):
    """All triangles."""

    config_type = TriangleCountConfig
    relations = {"edges": Relation("edge", SENTENCES)}
    least_nodes = 3
    answer_fields = ("triangles",)
    rule = (
        "Links join the nodes of a network in pairs. Find all triangles: sets of three nodes of "
        "which each is joined with both others."
    )
    split = "You know some of the links; the other agent knows the rest."
    compact_rule = "list all triangles of an undirected network"
    compact_split = "the other agent knows the other links"
    form = '{"triangles": [["X", "Y", "Z"], ...]}'
    note = '"triangles" lists every triangle once, its nodes in any order.'

    def draw(self, config: TriangleCountConfig, rng: np.random.Generator) -> Network | None:
        """Draw links; keep them if the number of triangles fits and one needs both views."""
        nodes = LETTERS[: config.n]
        edges = deal(choose(missing_pairs(nodes, ()), config.m, rng), rng)
        found = _triangles(nodes, ends(edges))
        if not config.min_triangles <= len(found) <= config.max_triangles:
            return None
        owner = {frozenset(edge[:2]): edge[2] for edge in edges}
        mixed = any(len({owner[frozenset(pair)] for pair in combinations(three, 2)}) == 2
                    for three in found)  # fmt: skip
        return Network(nodes, edges) if mixed else None

    def fault(self, instance: Network) -> str | None:
        """Say that there is no triangle, or that links are none."""
        links = ends(instance.edges)
        fault = link_fault(instance.nodes, links)
        if fault is None and not _triangles(instance.nodes, links):
            return "edges must form a triangle"
        return fault

    def optimal_answers(self, instance: Network, limit: int) -> list[Answer]:
        """Return the one set of triangles, sorted."""
        found = _triangles(instance.nodes, ends(instance.edges))
        return [{"triangles": as_json(found)}]

    def score(self, instance: Network, answer: Mapping[str, object]) -> Grade:
        """Return the intersection over union of the sets of triangles."""
        truth = {frozenset(three) for three in _triangles(instance.nodes, ends(instance.edges))}
        given = answer_list(answer, "triangles") or ()
        read = [_three(entry) for entry in given]
        found = {three for three in read if three is not None}
        union = len(found | truth) + sum(three is None for three in read)
        return Grade(len(found & truth) / union)

    def say_view(self, view: NetworkView, words: Seat) -> str:
        """Say the known links and the question."""
        head = HEADS[words - 1].format(
            you_know(view),
            ", ".join(view.nodes),
            listed(SENTENCES[words - 1], view.edges),
        )
        rest = if_split(view, "Your partner knows the rest. ")
        return f"{head}\n{rest}{QUESTIONS[words - 1]}"

    def say_briefly(self, view: NetworkView) -> str:
        """Write links as A-B."""
        links = " ".join(f"{a}-{b}" for a, b in view.edges)
        return f"nodes {' '.join(view.nodes)}; links {links}"

    def hear(self, text: str) -> NetworkView | None:
        """Read a view in the words of view 1."""
        head = re.search(rf"Undirected edges you know among ({NAMES}): (.*)\.$", text, re.MULTILINE)
        edges = None if head is None else read_listed(SENTENCES[0], head[2])
        if head is None or edges is None:
            return None
        return NetworkView(tuple(head[1].split(", ")), links_of(edges))

    def check_steps(self, instance: Network, answer: Answer) -> list[str]:
        """State the links of every triangle."""
        return [
            f"{a}-{b} and {b}-{c} and {a}-{c} are links: {a}{b}{c} holds"
            for a, b, c in _triangles(instance.nodes, ends(instance.edges))
        ]

    def free_text_answer(self, instance: Network, messages: Sequence[str]) -> Answer | None:
        """Read the longest run of triples such as (A, B, C) or A-B-C."""
        triples = group_run(messages, instance.nodes, 3)
        return None if triples is None else {"triangles": [list(three) for three in triples]}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw a few triples of a default network."""
        nodes = LETTERS[: TriangleCountConfig().n]
        count = int(rng.integers(1, 5))
        return {"triangles": [list(choose(nodes, 3, rng)) for _ in range(count)]}


def _triangles(nodes: Sequence[str], links: Sequence[Link]) -> list[tuple[str, ...]]:
    near = adjacency(nodes, links)
    return [
        (a, b, c)
        for a, b, c in combinations(sorted(nodes), 3)
        if b in near[a] and c in near[a] and c in near[b]
    ]


def _three(entry: object) -> frozenset[str] | None:
    """Read a set of three names in an answer; None if the entry is anything else."""
    if isinstance(entry, str):
        text = " ".join(entry.split())
        entry = list(text) if len(text) == 3 else re.split(" ?[-–,] ?| ", text)
    if not isinstance(entry, list | tuple) or len(entry) != 3:
        return None
    found = {answer_name(part) for part in entry}
    three = frozenset(name for name in found if name)
    return three if len(three) == 3 else None
