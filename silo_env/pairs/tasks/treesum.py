"""``treesum``: the sum of values along a path of a tree, links and values both split.

Rules: every node of a rooted tree has a value; add up the values on the path between two nodes,
both ends included.
Views: every link and every value belongs to one view; the path needs links and values of both.
View 1 writes "A is the parent of B" and "A=14", view 2 "B hangs below A" and "14 at A"; at
friction 2 it writes numbers for nodes.
Answer: ``{"sum": 27}``.
Grade: 1 for the exact sum, also written as text, else 0.
Source: The Collaboration Tax, table 8 (name, answer type, exact value).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.fact_checks import answer_integer
from coordgym.silo_env.pairs.facts.links import (
    Link,
    count_trees,
    ends,
    join_trees,
    links_of,
    members,
    random_tree,
    tree_fault,
    tree_path,
)
from coordgym.silo_env.pairs.facts.names import LETTERS, choose
from coordgym.silo_env.pairs.facts.owners import Owner, deal, if_split, you_know
from coordgym.silo_env.pairs.facts.prose import last_number
from coordgym.silo_env.pairs.facts.sentences import (
    NAME,
    Relation,
    Sentence,
    bullets,
    listed,
    read_bullets,
    read_listed,
)
from coordgym.silo_env.pairs.shapes.dealt_facts import DealtFactsTask, Drawn
from coordgym.silo_env.pairs.task import Answer, Facts, Grade, Json, Seat

LINKS = (Sentence("{0} is the parent of {1}"), Sentence("{1} hangs below {0}"))
VALUES = (Sentence("{0}={1:d}"), Sentence("{1:d} at {0}"))
LARGEST_VALUE = 19
QUESTION = "What is the sum of the values on the tree path from {} to {}, both ends included?"


@dataclass(frozen=True, slots=True)
class TreeSumConfig:
    """Difficulty of generated trees.

    Attributes:
        n: Nodes, 4..20.
        min_length: Fewest nodes of the path, 2..n.
        reach: The parent of a node is one of the ``reach`` nodes drawn before it, 1..20.
    """

    n: int = 11
    min_length: int = 5
    reach: int = 3

    def __post_init__(self) -> None:
        require_int("n", self.n, 4, 20)
        require_int("min_length", self.min_length, 2, self.n)
        require_int("reach", self.reach, 1, 20)


@dataclass(frozen=True, slots=True)
class TreeSumInstance:
    """A tree and its split.

    Attributes:
        edges: Parent, child and the view that knows the link.
        values: Node, value and the view that knows it.
        u: One end of the path.
        v: The other end.
    """

    edges: tuple[tuple[str, str, Owner], ...]
    values: tuple[tuple[str, int, Owner], ...]
    u: str
    v: str


@dataclass(frozen=True, slots=True)
class TreeSumView:
    """The ends of the path, and the known links and values."""

    u: str
    v: str
    edges: tuple[Link, ...]
    values: tuple[tuple[str, int], ...]
    whole: bool = False


class TreeSum(DealtFactsTask[TreeSumInstance, TreeSumConfig, TreeSumView]):
    """A sum along a path."""

    config_type = TreeSumConfig
    instance_type = TreeSumInstance
    view_type = TreeSumView
    relations = {"edges": Relation("parent", LINKS), "values": Relation("value", VALUES)}
    answer_fields = ("sum",)
    counts = True
    shared_fields = ("u", "v")
    dealt_fields = ("edges", "values")
    rule = (
        "Every node of a tree has a value. Add up the values of all nodes on the path between "
        "two given nodes, both of them included."
    )
    split = "You know some of the links and some of the values; the other agent knows the rest."
    compact_rule = "sum of node values on a tree path, ends included"
    compact_split = "the other agent knows the other links and values"
    form = '{"sum": S}'
    note = '"sum" is the total as a number.'

    def draw(self, config: TreeSumConfig, rng: np.random.Generator) -> TreeSumInstance | None:
        """Draw a tree; keep it if a long path needs links and values of both views."""
        nodes = LETTERS[: config.n]
        links = random_tree(choose(nodes, config.n, rng), config.reach, rng)
        edges = deal(choose(links, len(links), rng), rng)
        numbers = rng.integers(1, LARGEST_VALUE + 1, size=config.n)
        values = deal([(n, int(v)) for n, v in zip(nodes, numbers, strict=True)], rng)
        owner = {node: who for node, _, who in values}
        link_owner = {frozenset(edge[:2]): edge[2] for edge in edges}
        for u, v in choose(list(combinations(nodes, 2)), config.n * config.n, rng):
            path = tree_path(u, v, links)
            steps = {link_owner[frozenset(path[k : k + 2])] for k in range(len(path) - 1)}
            if len(path) >= config.min_length and len(steps) == len({owner[n] for n in path}) == 2:
                return TreeSumInstance(edges, values, u, v)
        return None

    def fault(self, instance: TreeSumInstance) -> str | None:
        """Say why links are no tree, or what is wrong with the values or the ends of the path."""
        links = ends(instance.edges)
        nodes = members(links)
        if sorted(value[0] for value in instance.values) != nodes:
            return "values must give each node of the edges one value"
        if instance.u == instance.v or not {instance.u, instance.v} <= set(nodes):
            return "u and v must be two nodes of the edges"
        return tree_fault(links)

    def to_facts(self, view: TreeSumView) -> Facts:
        """Return the view in JSON, its values by node."""
        return {**super().to_facts(view), "values": dict(view.values)}

    def from_facts(self, facts: Facts) -> TreeSumView:
        """Read the view from JSON."""
        values = facts.get("values")
        pairs: list[Json] | None = None
        if isinstance(values, dict):
            pairs = [[node, value] for node, value in values.items()]
        return super().from_facts({**facts, "values": pairs})

    def draw_hidden(
        self, view: TreeSumView, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Join the known branches to one tree; give values to the nodes that have none."""
        known = dict(view.values)
        drawn = join_trees(view.edges, _ends_and_valued(view), counts["edges"], LETTERS, rng)
        if drawn is None:
            return None
        unvalued = [node for node in members([*view.edges, *drawn]) if node not in known]
        largest = max([LARGEST_VALUE, *known.values()])
        numbers = rng.integers(1, largest + 1, size=len(unvalued))
        values = [(node, int(v)) for node, v in zip(unvalued, numbers, strict=True)]
        return {"edges": drawn, "values": choose(values, len(values), rng)}

    def likely_counts(self, view: TreeSumView, attempt: int) -> dict[str, int]:
        """Allow for as many links as it takes to join the known branches."""
        needed = count_trees(view.edges, _ends_and_valued(view)) - 1
        return {"edges": max(len(view.edges) - attempt, needed)}

    def solve(self, instance: TreeSumInstance) -> Answer:
        """Return the one sum."""
        return {"sum": sum(value for _, value in _path(instance))}

    def score(self, instance: TreeSumInstance, answer: Mapping[str, object]) -> Grade:
        """Return all or nothing."""
        total = sum(value for _, value in _path(instance))
        return Grade(float(answer_integer(answer.get("sum")) == total))

    def named(self, view: TreeSumView) -> list[str]:
        """Return the nodes of the known links and values."""
        return sorted({*members(view.edges), *dict(view.values)})

    def say_view(self, view: TreeSumView, words: Seat) -> str:
        """Say the known links and values, and the question."""
        return "\n".join([
            f"Tree links{you_know(view)}:",
            *bullets(LINKS[words - 1], view.edges),
            f"Node values{you_know(view)}: {listed(VALUES[words - 1], view.values)}",
            *if_split(view, "(Your partner knows the other links and values.)").splitlines(),
            QUESTION.format(view.u, view.v),
        ])  # fmt: skip

    def say_briefly(self, view: TreeSumView) -> str:
        """Write links as parent>child, values as node=value."""
        links = " ".join(f"{a}>{b}" for a, b in view.edges)
        values = " ".join(f"{node}={value}" for node, value in view.values)
        return f"parent>child {links}; values {values}; path {view.u} to {view.v}"

    def hear(self, text: str) -> TreeSumView | None:
        """Read a view in the words of view 1."""
        known = re.search(r"^Node values you know: (.*)$", text, re.MULTILINE)
        path = re.search(rf"on the tree path from ({NAME}) to ({NAME}),", text)
        values = None if known is None else read_listed(VALUES[0], known[1])
        if path is None or values is None:
            return None
        known_values = tuple((str(node), int(value)) for node, value in values)
        links = links_of(read_bullets(LINKS[0], text))
        return TreeSumView(path[1], path[2], links, known_values)

    def check_steps(self, instance: TreeSumInstance, answer: Answer) -> list[str]:
        """State the values along the path and their sum."""
        path = _path(instance)
        nodes = "-".join(node for node, _ in path)
        total = sum(value for _, value in path)
        return [f"the path is {nodes}", f"{' + '.join(str(v) for _, v in path)} = {total}"]

    def free_text_answer(self, instance: TreeSumInstance, messages: Sequence[str]) -> Answer | None:
        """Read the last number after "sum", "total", "answer" or "="."""
        number = last_number(messages)
        return None if number is None else {"sum": number}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw a number of the usual size."""
        return {"sum": int(rng.integers(10, 150))}


def _ends_and_valued(view: TreeSumView) -> set[str]:
    """Return nodes that the tree has whether or not a known link leads there."""
    return {view.u, view.v, *dict(view.values)}


def _path(instance: TreeSumInstance) -> list[tuple[str, int]]:
    """Return the nodes on the path with their values."""
    value = {node: number for node, number, _ in instance.values}
    return [(node, value[node]) for node in tree_path(instance.u, instance.v, ends(instance.edges))]
