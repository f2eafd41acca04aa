"""``ancestorpath``: the lines of descent in a family of which each agent knows half of the links.

Rules: every person has at most one listed parent, and all descend from one founder. For each of
the queried persons, give the chain person, parent, grandparent, ..., founder.
Views: every parent link belongs to one view; every queried chain needs links of both. View 1
writes parent_of(X, Y), view 2 "Y is a child of X"; at friction 2 it writes numbers for persons.
Answer: ``{"answers": [["p", "parent", ..., "founder"], ...]}`` in the order of the queries.
Grade: the share of chains that are right; capital letters don't matter.
Source: The Collaboration Tax, table 8 (name, answer type, grading by query).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.fact_checks import answer_list, answer_name, names_fault
from coordgym.silo_env.pairs.facts.links import (
    Link,
    ancestors,
    count_trees,
    ends,
    join_trees,
    links_of,
    members,
    parent_map,
    random_tree,
    tree_fault,
)
from coordgym.silo_env.pairs.facts.names import PEOPLE, choose
from coordgym.silo_env.pairs.facts.owners import Owner, deal, you_know
from coordgym.silo_env.pairs.facts.prose import name_run, numbered_values
from coordgym.silo_env.pairs.facts.sentences import (
    NAMES,
    Relation,
    Sentence,
    as_json,
    bullets,
    read_bullets,
)
from coordgym.silo_env.pairs.shapes.dealt_facts import DealtFactsTask, Drawn
from coordgym.silo_env.pairs.task import Answer, Grade, Seat

SENTENCES = (Sentence("parent_of({0}, {1})"), Sentence("{1} is a child of {0}"))
SHORTEST_CHAIN = 3
"""Persons in the shortest chain that is asked for."""
HEAD = "Family facts{} (each person has at most one listed parent):"
QUESTION = "For each of {}: give the chain person, parent, grandparent, ... up to the founder."


@dataclass(frozen=True, slots=True)
class AncestorPathConfig:
    """Difficulty of generated families.

    Attributes:
        n: Persons, 5..20.
        q: Chains that are asked for, 1..8.
        reach: A person's parent is one of the ``reach`` persons drawn before, 1..20; fewer make
            longer chains.
    """

    n: int = 12
    q: int = 4
    reach: int = 3

    def __post_init__(self) -> None:
        require_int("n", self.n, 5, 20)
        require_int("q", self.q, 1, 8)
        require_int("reach", self.reach, 1, 20)


@dataclass(frozen=True, slots=True)
class AncestorPathInstance:
    """A family and its split.

    Attributes:
        edges: Parent, child and the view that knows it.
        queries: The persons whose chains are asked for.
    """

    edges: tuple[tuple[str, str, Owner], ...]
    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AncestorPathView:
    """The queried persons and the known links."""

    queries: tuple[str, ...]
    edges: tuple[Link, ...]
    whole: bool = False


class AncestorPath(DealtFactsTask[AncestorPathInstance, AncestorPathConfig, AncestorPathView]):
    """Chains of ancestors."""

    config_type = AncestorPathConfig
    instance_type = AncestorPathInstance
    view_type = AncestorPathView
    relations = {"edges": Relation("parent", SENTENCES)}
    answer_fields = ("answers",)
    shared_fields = ("queries",)
    things = "persons"
    rule = (
        "A family descends from one founder; every other person has exactly one listed parent. "
        "For each person asked about, find the chain that leads from this person over the "
        "parent, the grandparent and so on to the founder."
    )
    split = "You know some of the parent links; the other agent knows the rest."
    compact_rule = "family tree: for each query the chain person, parent, ..., founder"
    compact_split = "the other agent knows the other parent links"
    form = '{"answers": [["person", "parent", ..., "founder"], ...]}'
    note = (
        '"answers" holds one chain of names per person asked about, in the order of the question.'
    )

    def draw(
        self, config: AncestorPathConfig, rng: np.random.Generator
    ) -> AncestorPathInstance | None:
        """Draw a tree; keep it if enough chains are long and need links of both views."""
        links = random_tree(choose(PEOPLE, config.n, rng), config.reach, rng)
        edges = deal(choose(links, len(links), rng), rng)
        owner = {child: who for _, child, who in edges}
        parents = parent_map(links)
        candidates = []
        for person in parents:
            chain = ancestors(person, parents)
            owners = {owner[each] for each in chain[:-1]}
            if len(chain) >= SHORTEST_CHAIN and len(owners) == 2:
                candidates.append(person)
        if len(candidates) < config.q:
            return None
        return AncestorPathInstance(edges, tuple(choose(candidates, config.q, rng)))

    def bounds_fault(self, instance: AncestorPathInstance) -> str | None:
        """Say what is no name, or too long or short."""
        return super().bounds_fault(instance) or names_fault("queries", instance.queries)

    def fault(self, instance: AncestorPathInstance) -> str | None:
        """Say why links are no tree that holds the queried persons."""
        links = ends(instance.edges)
        people = members(links)
        if len({person.casefold() for person in people}) != len(people):
            return "edges must not tell persons apart by capital letters"
        if not set(instance.queries) <= set(people):
            return "queries must name persons of the edges"
        return tree_fault(links)

    def draw_hidden(
        self, view: AncestorPathView, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Join the known branches to one tree, with new persons in between."""
        drawn = join_trees(view.edges, view.queries, counts["edges"], PEOPLE, rng)
        return None if drawn is None else {"edges": drawn}

    def likely_counts(self, view: AncestorPathView, attempt: int) -> dict[str, int]:
        """Allow for as many links as it takes to join the known branches."""
        needed = count_trees(view.edges, view.queries) - 1
        return {"edges": max(len(view.edges) - attempt, needed)}

    def solve(self, instance: AncestorPathInstance) -> Answer:
        """Return the one list of chains."""
        return {"answers": as_json(_chains(instance))}

    def score(self, instance: AncestorPathInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of right chains."""
        given = answer_list(answer, "answers") or ()
        right = sum(
            _lowered(found) == [name.lower() for name in chain]
            for found, chain in zip(given, _chains(instance), strict=False)
        )
        return Grade(right / len(instance.queries))

    def named(self, view: AncestorPathView) -> list[str]:
        """Return the persons of the known links."""
        return members(view.edges)

    def say_view(self, view: AncestorPathView, words: Seat) -> str:
        """Say the known links and the question."""
        lines = bullets(SENTENCES[words - 1], view.edges)
        asked = QUESTION.format(", ".join(view.queries))
        return "\n".join([HEAD.format(you_know(view)), *lines, asked])

    def say_briefly(self, view: AncestorPathView) -> str:
        """Write links as parent>child."""
        links = " ".join(f"{a}>{b}" for a, b in view.edges)
        return f"parent>child: {links}; chains of {' '.join(view.queries)}"

    def hear(self, text: str) -> AncestorPathView | None:
        """Read a view in the words of view 1."""
        asked = re.search(rf"For each of ({NAMES}): give the chain", text)
        if asked is None or HEAD.format(" you know") not in text:
            return None
        links = links_of(read_bullets(SENTENCES[0], text))
        return AncestorPathView(tuple(asked[1].split(", ")), links)

    def check_steps(self, instance: AncestorPathInstance, answer: Answer) -> list[str]:
        """State the links of every chain."""
        return [
            f"{' -> '.join(chain)} is right: every link holds, and {chain[-1]} has no parent"
            for chain in _chains(instance)
        ]

    def free_text_answer(
        self, instance: AncestorPathInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read the runs of names on the numbered lines of the last message that has some."""
        people, count = members(ends(instance.edges)), len(instance.queries)
        for message in reversed(messages):
            lines = numbered_values(message, count)
            chains = {k: run for k, line in lines.items() if (run := name_run([line], people, 1))}
            if chains:
                return {"answers": [list(chains.get(k, [])) for k in range(1, count + 1)]}
        return None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw four chains of persons."""
        return {"answers": [list(choose(PEOPLE, int(rng.integers(1, 6)), rng)) for _ in range(4)]}


def _chains(instance: AncestorPathInstance) -> list[list[str]]:
    parents = parent_map(ends(instance.edges))
    return [ancestors(person, parents) for person in instance.queries]


def _lowered(chain: object) -> list[str | None] | None:
    """Return a chain of an answer in small letters; None if it is no list."""
    if not isinstance(chain, list | tuple):
        return None
    found = [answer_name(name) for name in chain]
    return [None if name is None else name.lower() for name in found]
