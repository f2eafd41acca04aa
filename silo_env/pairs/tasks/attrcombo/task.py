"""``attrcombo``: objects with four attributes, two of which each agent sees.

Rules: answer queries that combine attributes of both views: which objects (a list) or how many.
Views: view 1 shows colour and size of every object, view 2 material and owner; the queries are
in both. View 1 writes "T1: small, red", view 2 "Ben's glassy object: T1"; at friction 2 it has
numbers of its own for the objects.
Answer: ``{"answers": [["T1", "T4"], 3, ...]}`` in the order of the queries.
Grade: the share of queries answered rightly; lists are compared as sets.
Source: The Collaboration Tax, appendix F (attrcombo).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Literal

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.answers import grade_queries, numbered_answers
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.fact_checks import first_fault, length_fault, name_fault
from coordgym.silo_env.pairs.facts.owners import if_split
from coordgym.silo_env.pairs.facts.prose import any_of, only_integer
from coordgym.silo_env.pairs.facts.sentences import NAME, numbered, read_numbered
from coordgym.silo_env.pairs.task import Answer, Friction, Grade, Json, PairTask, Seat

VALUES = {
    "size": ("small", "large"),
    "colour": ("red", "green", "blue"),
    "material": ("wood", "metal", "glass"),
    "owner": ("Ana", "Ben"),
}
SHOWN: dict[Seat, tuple[str, str]] = {1: ("colour", "size"), 2: ("material", "owner")}
"""The attributes that each view shows."""
ATTRIBUTE_OF = {value: attribute for attribute, values in VALUES.items() for value in values}
ADJECTIVES = {"wood": "wooden", "metal": "metallic", "glass": "glassy"}

SMALLEST, LARGEST = 4, 20
"""Objects."""
MOST_QUERIES = 10

Items = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class AttrComboConfig:
    """Difficulty of generated collections.

    Attributes:
        n: Objects, 4..20.
        q: Queries, 1..10.
        attributes: Attributes in each query, 2..3.
    """

    n: int = 8
    q: int = 4
    attributes: int = 2

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_int("q", self.q, 1, MOST_QUERIES)
        require_int("attributes", self.attributes, 2, 3)


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked ("list" or "count") about objects with these values."""

    ask: Literal["list", "count"]
    where: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AttrComboInstance:
    """Objects with their attributes, and queries about them."""

    items: Items
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class AttrComboView:
    """Objects with two attributes or all four, and the queries."""

    items: Items
    queries: tuple[Query, ...]
    whole: bool = False


class AttrCombo(PairTask[AttrComboInstance, AttrComboConfig, AttrComboView]):
    """The collection."""

    answer_fields = ("answers",)
    counts = True
    config_type = AttrComboConfig
    instance_type = AttrComboInstance
    view_type = AttrComboView
    reader = "coordgym.silo_env.pairs.tasks.attrcombo.reader:ObjectReader"
    rule = (
        "Objects have a size, a colour, a material and an owner. Answer the queries: name all "
        "objects that meet the conditions, or say how many there are."
    )
    split = "You see two attributes of every object, the other agent sees the other two."
    form = '{"answers": [["T1", ...], 2, ...]}'
    note = (
        '"answers" has one entry per query, in their order: a list of objects where it asks '
        "which, a number where it asks how many."
    )
    compact_rule = "objects: answer each query by a list of objects or a number"
    compact_split = "the other agent sees two other attributes"

    def draw(self, config: AttrComboConfig, rng: np.random.Generator) -> AttrComboInstance | None:
        """Draw independent attributes, and queries that 1 to n - 2 objects meet, none twice."""
        items = _draw_items([f"T{k}" for k in range(1, config.n + 1)], VALUES, rng)
        queries: list[Query] = []
        for number in range(config.q):
            where = first_accepted(
                lambda: _draw_where(config.attributes, rng),
                lambda w: _is_fair(items, w) and all(w != query.where for query in queries),
                tries=200,
            )
            if where is None:
                return None
            queries.append(Query("count" if number % 2 else "list", where))
        return AttrComboInstance(items, tuple(queries))

    def fault(self, instance: AttrComboInstance) -> str | None:
        """Say what is wrong with the objects or the queries."""
        items, queries = instance.items, instance.queries
        return first_fault(
            chain(
                [length_fault("items", items, 1, LARGEST)],
                (name_fault("items", name) for name in items),
                (_values_fault(f"item {name}", values, 4) for name, values in items.items()),
                [length_fault("queries", queries, 1, MOST_QUERIES)],
                (_values_fault("where", query.where, 1) for query in queries),
            )
        )

    def solve(self, instance: AttrComboInstance) -> Answer:
        """Filter the objects."""
        return {"answers": _expected(instance)}

    def score(self, instance: AttrComboInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of right entries."""
        return grade_queries(_expected(instance), answer)

    def view(self, instance: AttrComboInstance, seat: Seat | None) -> AttrComboView:
        """Return two attributes of every object, and the queries."""
        shown = tuple(VALUES) if seat is None else SHOWN[seat]
        items = {name: {a: values[a] for a in shown} for name, values in instance.items.items()}
        return AttrComboView(items, instance.queries, seat is None)

    def join(self, views: Sequence[AttrComboView]) -> AttrComboInstance | None:
        """Join the attributes; None if some are missing or contradict each other."""
        items: dict[str, dict[str, str]] = {name: {} for name in views[0].items}
        for view in views:
            if view.queries != views[0].queries or set(view.items) != set(items):
                return None
            for name, values in view.items.items():
                if any(items[name].get(a, value) != value for a, value in values.items()):
                    return None
                items[name].update(values)
        return AttrComboInstance(items, views[0].queries)

    def redraw(
        self, view: AttrComboView, rng: np.random.Generator, like: AttrComboInstance | None = None
    ) -> AttrComboInstance:
        """Draw the hidden attributes, if possible so that the queries are fair."""
        known = view.items
        hidden = [a for a in VALUES if a not in next(iter(known.values()))]

        def draw() -> Items:
            drawn = _draw_items(list(known), hidden, rng)
            return {name: {**values, **drawn[name]} for name, values in known.items()}

        def is_fair(items: Items) -> bool:
            return all(_is_fair(items, query.where) for query in view.queries)

        return AttrComboInstance(first_accepted(draw, is_fair) or draw(), view.queries)

    def say(self, view: AttrComboView, seat: Seat, friction: Friction) -> str:
        """Write the objects and the queries."""
        partner = if_split(view, " (your partner knows other properties of the same objects)")
        lines = [f"Object facts you know{partner}{_frame(view, seat, friction)}:"]
        lines += [f"- {line}" for line in _said(view, seat, friction)]
        return "\n".join([*lines, "Queries:", *numbered(map(_ask, view.queries))])

    def say_compact(self, view: AttrComboView, seat: Seat, friction: Friction) -> str:
        """Write the objects and the queries in few tokens."""
        queries = [f"{query.ask}: {' '.join(query.where.values())}" for query in view.queries]
        head = f"objects{_frame(view, seat, friction)}:"
        return "\n".join([head, *_said(view, seat, friction), *numbered(queries)])

    def hear(self, text: str) -> AttrComboView | None:
        """Read objects and queries."""
        heard = [_heard_query(line) for line in read_numbered(text)]
        queries = tuple(query for query in heard if query is not None)
        items = {
            name: {ATTRIBUTE_OF[value]: value for value in values.split(", ")}
            for name, values in _ITEM.findall(text)
        }
        if not items or not queries or len(queries) < len(heard):
            return None
        return AttrComboView(items, queries)

    def check_steps(self, instance: AttrComboInstance, answer: Answer) -> list[str]:
        """List the objects that meet each query."""
        return [
            f"query {number}: {', '.join(_hits(instance.items, query.where)) or 'no object'} "
            f"fits {' and '.join(query.where.values())}"
            for number, query in enumerate(instance.queries, 1)
        ]

    def free_text_answer(
        self, instance: AttrComboInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read numbered lines: the objects that they name, else a number."""
        item = re.compile(any_of(instance.items))

        def read(line: str) -> Json:
            named = item.findall(line)
            return [*named] if named else only_integer(line)

        return numbered_answers(messages, len(instance.queries), read)

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw an object and a number in turn."""
        numbers = [int(number) for number in rng.integers(1, 9, size=4)]
        return {"answers": [n if k % 2 else [f"T{n}"] for k, n in enumerate(numbers)]}


_ITEM = re.compile(
    rf"^- ({NAME}): ((?:{'|'.join(ATTRIBUTE_OF)})(?:, (?:{'|'.join(ATTRIBUTE_OF)}))*)$",
    re.MULTILINE | re.ASCII,
)
_ASKED = re.compile(r"(Which|How many) objects are (.{1,200})\?", re.ASCII)


def _draw_items(
    names: Sequence[str], attributes: Sequence[str] | Mapping[str, object], rng: np.random.Generator
) -> dict[str, dict[str, str]]:
    """Draw independent values of some attributes for each object."""
    chosen = {a: rng.integers(len(VALUES[a]), size=len(names)) for a in attributes}
    return {
        name: {a: VALUES[a][int(values[index])] for a, values in chosen.items()}
        for index, name in enumerate(names)
    }


def _draw_where(attributes: int, rng: np.random.Generator) -> dict[str, str]:
    """Draw one attribute of each view, and a third one if asked for."""
    pairs = list(product(SHOWN[1], SHOWN[2]))
    chosen = list(pairs[int(rng.integers(len(pairs)))])
    if attributes == 3:
        rest = [a for a in (*SHOWN[1], *SHOWN[2]) if a not in chosen]
        chosen.append(rest[int(rng.integers(len(rest)))])
    ordered = [a for a in (*SHOWN[1], *SHOWN[2]) if a in chosen]
    return {a: VALUES[a][int(rng.integers(len(VALUES[a])))] for a in ordered}


def _hits(items: Items, where: Mapping[str, str]) -> list[str]:
    return [n for n, values in items.items() if all(values[a] == v for a, v in where.items())]


def _is_fair(items: Items, where: Mapping[str, str]) -> bool:
    """Tell whether some objects but not nearly all meet a query."""
    return 1 <= len(_hits(items, where)) <= len(items) - 2


def _expected(instance: AttrComboInstance) -> list[Json]:
    found = [(query.ask, _hits(instance.items, query.where)) for query in instance.queries]
    return [[*hits] if ask == "list" else len(hits) for ask, hits in found]


def _values_fault(field: str, given: Mapping[str, str], least: int) -> str | None:
    """Say what is wrong with attributes and their values."""
    fault = length_fault(field, given, least, len(VALUES))
    if fault is not None:
        return fault
    for attribute, value in given.items():
        if attribute not in VALUES:
            return f"{field} must be one of {', '.join(VALUES)}"
        if value not in VALUES[attribute]:
            return f"{attribute} of {field} must be one of {', '.join(VALUES[attribute])}"
    return None


def _ask(query: Query) -> str:
    """Put a query into words."""
    conditions = [f"owned by {v}" if a == "owner" else f"{a} {v}" for a, v in query.where.items()]
    asked = "Which" if query.ask == "list" else "How many"
    return f"{asked} objects are {' and '.join(conditions)}?"


def _heard_query(line: str) -> Query | None:
    """Read a query of a text; None if the line is none."""
    match = _ASKED.fullmatch(line.strip())
    values = [part.split(" ")[-1] for part in match[2].split(" and ")] if match else []
    if match is None or any(value not in ATTRIBUTE_OF for value in values):
        return None
    where = {ATTRIBUTE_OF[value]: value for value in values}
    return Query("list" if match[1] == "Which" else "count", where)


def _said(view: AttrComboView, seat: Seat, friction: Friction) -> list[str]:
    """Write a line per object."""
    items = view.items.items()
    if seat == 1 or friction == 0:
        return [f"{name}: {', '.join(v[a] for a in VALUES if a in v)}" for name, v in items]
    label = labels(view.items) if friction == 2 else {name: name for name in view.items}
    return [f"{v['owner']}'s {ADJECTIVES[v['material']]} object: {label[n]}" for n, v in items]


def labels(names: Iterable[str]) -> dict[str, str]:
    """Return the numbers of view 2 at friction 2: the last object is O1."""
    return {name: f"O{number}" for number, name in enumerate(reversed([*names]), 1)}


def _frame(view: AttrComboView, seat: Seat, friction: Friction) -> str:
    if seat == 1 or friction < 2:
        return ""
    key = ", ".join(f"{label} = {name}" for name, label in labels(view.items).items())
    return f" (you write O1, O2, ... for the objects: {key})"
