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
from coordgym.silo_env.pairs.facts.fact_checks import answer_integer, require_facts, require_name
from coordgym.silo_env.pairs.facts.links import (
    count_trees,
    ends,
    join_trees,
    members,
    random_tree,
    tree_fault,
    tree_path,
)
from coordgym.silo_env.pairs.facts.names import LETTERS, choose
from coordgym.silo_env.pairs.facts.owners import deal
from coordgym.silo_env.pairs.facts.prose import last_number
from coordgym.silo_env.pairs.facts.sentences import (
    NAME,
    Relation,
    Sentence,
    as_json,
    bullets,
    listed,
    read_bullets,
    read_listed,
    rows,
)
from coordgym.silo_env.pairs.shapes.wide_dealt_facts import (
    Drawn,
    WideDealtFactsTask,
    if_split,
    know,
)
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

    edges: tuple[tuple[str, str, int], ...]
    values: tuple[tuple[str, int, int], ...]
    u: str
    v: str


class TreeSum(WideDealtFactsTask[TreeSumInstance, TreeSumConfig]):
    """A sum along a path."""

    config_type = TreeSumConfig
    relations = {"edges": Relation("parent", LINKS), "values": Relation("value", VALUES)}
    instance_type = TreeSumInstance
    answer_fields = ("sum",)
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
        """A random tree; kept if a long path needs links and values of both views."""
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

    def read_instance(self, given: Mapping[str, object]) -> TreeSumInstance:
        """Check a tree given as JSON: edges, values, u, v."""
        edges = require_facts("edges", given.get("edges"), "nn")
        values = require_facts("values", given.get("values"), "ni")
        u, v = (require_name(end, given.get(end)) for end in ("u", "v"))
        return self.checked(TreeSumInstance(edges, values, u, v))

    def fault(self, instance: TreeSumInstance) -> str | None:
        """One tree, one value for each node, two different ends."""
        links = ends(instance.edges)
        nodes = members(links)
        if sorted(value[0] for value in instance.values) != nodes:
            return "values must give each node of the edges one value"
        if instance.u == instance.v or not {instance.u, instance.v} <= set(nodes):
            return "u and v must be two nodes of the edges"
        return tree_fault(links)

    def facts(self, instance: TreeSumInstance, seat: Seat | None) -> Facts:
        """The known links, and the known values by node."""
        shown = super().facts(instance, seat)
        return {**shown, "values": {str(node): value for node, value in rows(shown, "values")}}

    def known_to(self, facts: Facts, owner: int) -> TreeSumInstance:
        """A tree that holds what one view knows."""
        return super().known_to({**facts, "values": as_json(_values(facts))}, owner)

    def draw_hidden(
        self, view: TreeSumInstance, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Join the known branches to one tree; give values to the nodes that have none."""
        known = [node for node, *_ in view.values]
        others = {*known, view.u, view.v}
        drawn = join_trees(ends(view.edges), others, counts["edges"], LETTERS, rng)
        if drawn is None:
            return None
        nodes = members([*ends(view.edges), *drawn])
        unvalued = [node for node in nodes if node not in known]
        largest = max([LARGEST_VALUE, *(value for _, value, _ in view.values)])
        numbers = rng.integers(1, largest + 1, size=len(unvalued))
        values = [(node, int(v)) for node, v in zip(unvalued, numbers, strict=True)]
        return {"edges": drawn, "values": choose(values, len(values), rng)}

    def likely_counts(self, view: TreeSumInstance, attempt: int) -> dict[str, int]:
        """At least as many links as it takes to join the known branches."""
        others = {view.u, view.v, *(node for node, *_ in view.values)}
        needed = count_trees(ends(view.edges), others) - 1
        return {"edges": max(len(view.edges) - attempt, needed)}

    def optimal_answers(self, instance: TreeSumInstance, limit: int) -> list[Answer]:
        """The one sum."""
        return [{"sum": sum(value for _, value in _path(instance))}]

    def grade(
        self, instance: TreeSumInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """All or nothing."""
        given = answer_integer(answer.get("sum")) if isinstance(answer, Mapping) else None
        return Grade(float(given == sum(value for _, value in _path(instance))))

    def named(self, facts: Facts) -> Sequence[str]:
        """The nodes of the known links and values."""
        valued = [str(node) for node, _ in _values(facts)]
        return sorted({*members(ends(rows(facts, "edges"))), *valued})

    def say_view(self, facts: Facts, words: Seat) -> str:
        """The known links and values, and the question."""
        return "\n".join([
            f"Tree links{know(facts)}:",
            *bullets(LINKS[words - 1], rows(facts, "edges")),
            f"Node values{know(facts)}: {listed(VALUES[words - 1], _values(facts))}",
            *if_split(facts, "(Your partner knows the other links and values.)").splitlines(),
            QUESTION.format(facts["u"], facts["v"]),
        ])  # fmt: skip

    def say_briefly(self, facts: Facts) -> str:
        """Links as parent>child, values as node=value."""
        links = " ".join(f"{a}>{b}" for a, b in rows(facts, "edges"))
        values = " ".join(f"{node}={value}" for node, value in _values(facts))
        return f"parent>child {links}; values {values}; path {facts['u']} to {facts['v']}"

    def read_view(self, text: str) -> Facts | None:
        """Read a view in the words of view 1."""
        known = re.search(r"^Node values you know: (.*)$", text, re.MULTILINE)
        path = re.search(rf"on the tree path from ({NAME}) to ({NAME}),", text)
        values = None if known is None else read_listed(VALUES[0], known[1])
        if path is None or values is None:
            return None
        found: dict[str, Json] = {str(node): value for node, value in values}
        edges = as_json(read_bullets(LINKS[0], text))
        return {"u": path[1], "v": path[2], "edges": edges, "values": found}

    def check_steps(self, instance: TreeSumInstance, answer: Answer) -> list[str]:
        """The values along the path and their sum."""
        path = _path(instance)
        nodes = "-".join(node for node, _ in path)
        total = sum(value for _, value in path)
        return [f"the path is {nodes}", f"{' + '.join(str(v) for _, v in path)} = {total}"]

    def free_text_answer(self, instance: TreeSumInstance, messages: Sequence[str]) -> Answer | None:
        """The last number after "sum", "total", "answer" or "="."""
        number = last_number(messages)
        return None if number is None else {"sum": number}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """A number of the usual size."""
        return {"sum": int(rng.integers(10, 150))}


def _values(facts: Facts) -> list[tuple[str, int]]:
    """The values that a view knows."""
    values = facts["values"]
    return [(node, int(str(v))) for node, v in values.items()] if isinstance(values, dict) else []


def _path(instance: TreeSumInstance) -> list[tuple[str, int]]:
    """The nodes on the path with their values."""
    value = {node: number for node, number, _ in instance.values}
    return [(node, value[node]) for node in tree_path(instance.u, instance.v, ends(instance.edges))]
