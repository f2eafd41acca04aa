"""``relaquery``: how members of a family are related, each agent knowing half of the parent links.

Rules: a directed family network of parent links, with up to two parents for each person. For each
query (s, ?, o) name the relation: s is the ... of o.
Views: every parent link belongs to one view; every answer differs from what one half of the links
would give. View 1 writes parent_of(X, Y), view 2 "Y was born to X"; at friction 2 it writes
numbers for persons.
Answer: ``{"answers": [["s", "relation", "o"], ...]}`` in any order.
Grade: the share of queries whose first answer names the right relation.
Source: The Collaboration Tax, section 3 and table 8 (relaquery, "Pattern B").
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from coordgym.errors import require_int, require_probability
from coordgym.silo_env.pairs.facts.fact_checks import (
    answer_list,
    answer_name,
    names_fault,
)
from coordgym.silo_env.pairs.facts.links import Link, ends, link_fault, links_of
from coordgym.silo_env.pairs.facts.names import PEOPLE, choose
from coordgym.silo_env.pairs.facts.owners import Owner, deal, if_split, you_know
from coordgym.silo_env.pairs.facts.prose import numbered_values
from coordgym.silo_env.pairs.facts.sentences import (
    NAMES,
    Relation,
    Sentence,
    as_json,
    bullets,
    numbered,
    read_bullets,
    read_numbered,
)
from coordgym.silo_env.pairs.shapes.dealt_facts import DealtFactsTask, Drawn
from coordgym.silo_env.pairs.task import Answer, Grade, Json, Seat
from coordgym.silo_env.pairs.tasks.relaquery.kinship import (
    RELATIONS,
    Parents,
    draw_parents,
    family,
    parent_sets,
    parents_fault,
    relation,
)

SENTENCES = (Sentence("parent_of({0}, {1})"), Sentence("{1} was born to {0}"))
BLANK = Sentence("{0} is the ____ of {1}")
HEAD = "Facts{}{}nobody else is a parent of anybody):"
PARTNER = "your partner knows the other parent links; "
QUESTION = f"Queries (fill the blank with one of {', '.join(RELATIONS)}):"
LEAST_PEOPLE, MOST_QUERIES = 2, 20
"""Fewest persons and most queries of an instance that is read."""


@dataclass(frozen=True, slots=True)
class RelaQueryConfig:
    """Difficulty of generated families.

    Attributes:
        n: Persons, 6..20.
        q: Queries, 1..8.
        p_two: Chance of a second parent, 0..1.
    """

    n: int = 12
    q: int = 5
    p_two: float = 0.3

    def __post_init__(self) -> None:
        require_int("n", self.n, 6, 20)
        require_int("q", self.q, 1, 8)
        require_probability("p_two", self.p_two)


@dataclass(frozen=True, slots=True)
class RelaQueryInstance:
    """A family and its split.

    Attributes:
        people: The persons.
        edges: Parent, child and the view that knows it.
        queries: Pairs (s, o): what is s to o?
    """

    people: tuple[str, ...]
    edges: tuple[tuple[str, str, Owner], ...]
    queries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RelaQueryView:
    """The persons, the queries and the parent links that one view knows, or both together."""

    people: tuple[str, ...]
    queries: tuple[tuple[str, str], ...]
    edges: tuple[Link, ...]
    whole: bool = False


class RelaQuery(DealtFactsTask[RelaQueryInstance, RelaQueryConfig, RelaQueryView]):
    """Relations in a family."""

    config_type = RelaQueryConfig
    instance_type = RelaQueryInstance
    view_type = RelaQueryView
    relations = {"edges": Relation("parent", SENTENCES)}
    answer_fields = ("answers",)
    shared_fields = ("people", "queries")
    things = "persons"
    rule = (
        "The parent links of a family are given; a person may have one or two listed parents. "
        "For each query name how the first person is related to the second. Siblings share at "
        "least one parent, cousins a grandparent; an aunt_uncle is a sibling of a parent, a "
        "niece_nephew a child of a sibling. If several relations hold, the first in the list of "
        "the queries counts."
    )
    split = "You know some of the parent links; the other agent knows the rest."
    compact_rule = (
        "family: name each relation (siblings share a parent, cousins a grandparent; the first "
        "that holds in the list)"
    )
    compact_split = "the other agent knows the other parent links"
    form = '{"answers": [["person", "relation", "person"], ...]}'
    note = '"answers" holds one triple per query, the persons in the order of the query.'

    def draw(self, config: RelaQueryConfig, rng: np.random.Generator) -> RelaQueryInstance | None:
        """Draw a family in generations, and queries that no half of the links answers."""
        people = choose(PEOPLE, config.n, rng)
        links = family(people, config.p_two, rng)
        edges = deal(choose(links, len(links), rng), rng)
        whole = parent_sets(people, links)
        halves = [parent_sets(people, ends(e for e in edges if e[-1] == k)) for k in (1, 2)]
        queries: list[tuple[str, str]] = []
        for s, o in choose(list(permutations(people, 2)), config.n**2, rng):
            truth = relation(s, o, whole)
            telling = truth != "none" and all(relation(s, o, half) != truth for half in halves)
            if telling and (o, s) not in queries:
                queries.append((s, o))
                if len(queries) == config.q:
                    listing = tuple(choose(people, config.n, rng))
                    return RelaQueryInstance(listing, edges, tuple(queries))
        return None

    def bounds_fault(self, instance: RelaQueryInstance) -> str | None:
        """Say what is no name, or too long or short."""
        fault = names_fault("people", instance.people, LEAST_PEOPLE)
        if fault is None and not 1 <= len(instance.queries) <= MOST_QUERIES:
            fault = f"queries must be a list of 1..{MOST_QUERIES} pairs of persons"
        return fault or super().bounds_fault(instance)

    def fault(self, instance: RelaQueryInstance) -> str | None:
        """Say who is an own ancestor or has three parents, or which query comes twice."""
        links = ends(instance.edges)
        fault = link_fault(instance.people, links)
        if fault is None:
            fault = parents_fault(instance.people, links)
        if fault is None and any(not set(query) <= set(instance.people) or query[0] == query[1]
                                 for query in instance.queries):  # fmt: skip
            fault = "queries must name two different persons"
        if fault is None and len({frozenset(q) for q in instance.queries}) < len(instance.queries):
            fault = "queries must not ask for two persons twice"
        return fault

    def draw_hidden(
        self, view: RelaQueryView, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw other parent links between neighbouring generations."""
        drawn = draw_parents(view.people, view.edges, counts["edges"], rng)
        return None if drawn is None else {"edges": drawn}

    def solve(self, instance: RelaQueryInstance) -> Answer:
        """Return the one list of relations, in the order of the queries."""
        return {"answers": as_json(_triples(instance))}

    def score(self, instance: RelaQueryInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of queries whose first answer is right."""
        first: dict[tuple[str | None, str | None], str] = {}
        for entry in answer_list(answer, "answers") or ():
            if isinstance(entry, list | tuple) and len(entry) == 3:
                s, word, o = (answer_name(part) for part in entry)
                first.setdefault((s, o), _normal(word or ""))
        right = sum(first.get((s, o)) == word for s, word, o in _triples(instance))
        return Grade(right / len(instance.queries))

    def named(self, view: RelaQueryView) -> Sequence[str]:
        """Return the persons."""
        return view.people

    def say_view(self, view: RelaQueryView, words: Seat) -> str:
        """Say the known links and the queries."""
        return "\n".join([
            f"People: {', '.join(view.people)}",
            HEAD.format(you_know(view), f" ({if_split(view, PARTNER)}"),
            *bullets(SENTENCES[words - 1], view.edges),
            QUESTION,
            *numbered(BLANK.say(query) for query in view.queries),
        ])  # fmt: skip

    def say_briefly(self, view: RelaQueryView) -> str:
        """Write links as parent>child, queries as s ? o."""
        links = " ".join(f"{a}>{b}" for a, b in view.edges)
        asked = "; ".join(f"{s} ? {o}" for s, o in view.queries)
        words = " ".join(RELATIONS)
        people = " ".join(view.people)
        return f"people {people}; parent>child {links}; ? one of {words}: {asked}"

    def hear(self, text: str) -> RelaQueryView | None:
        """Read a view in the words of view 1."""
        head = re.search(rf"^People: ({NAMES})$", text, re.MULTILINE)
        if head is None or "Facts you know" not in text:
            return None
        read = [BLANK.read(line) for line in read_numbered(text)]
        queries = links_of(query for query in read if query is not None)
        links = links_of(read_bullets(SENTENCES[0], text))
        return RelaQueryView(tuple(head[1].split(", ")), queries, links)

    def check_steps(self, instance: RelaQueryInstance, answer: Answer) -> list[str]:
        """State the parents that make each relation."""
        parents = parent_sets(instance.people, ends(instance.edges))
        return [
            f"{s} ({_origin(s, parents)}) is the {word} of {o} ({_origin(o, parents)}): holds"
            for s, word, o in _triples(instance)
        ]

    def free_text_answer(
        self, instance: RelaQueryInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read the relation on each numbered line of the last message that has some."""
        for message in reversed(messages):
            lines = numbered_values(message, len(instance.queries))
            found: list[Json] = []
            for number, line in sorted(lines.items()):
                word = _mentioned(line)
                if word is not None:
                    s, o = instance.queries[number - 1]
                    found.append([s, word, o])
            if found:
                return {"answers": found}
        return None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw relations between persons."""
        answers: list[Json] = []
        for _ in range(5):
            s, o = choose(PEOPLE, 2, rng)
            answers.append([s, RELATIONS[int(rng.integers(len(RELATIONS)))], o])
        return {"answers": answers}


def _triples(instance: RelaQueryInstance) -> list[tuple[str, str, str]]:
    parents = parent_sets(instance.people, ends(instance.edges))
    return [(s, relation(s, o, parents), o) for s, o in instance.queries]


def _normal(word: str) -> str:
    """Return a relation in small letters with underscores."""
    return re.sub(r"[\s-]+", "_", word.strip().lower())


def _mentioned(line: str) -> str | None:
    """Return the relation that a line names; of several in one word the longest."""
    text = _normal(re.sub(r"[^\w\s-]", " ", line))
    for word in sorted(RELATIONS, key=lambda each: -len(each)):
        if re.search(rf"(?:^|_){word}(?:_|$)", text):
            return word
    return None


def _origin(person: str, parents: Parents) -> str:
    return f"child of {' and '.join(sorted(parents[person]))}" if parents[person] else "a founder"
