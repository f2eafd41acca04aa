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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import cast

import numpy as np

from coordgym.errors import InstanceError, require_int
from coordgym.silo_env.pairs.facts.answers import grade_queries, numbered_answers
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.instances import require_dict, require_list, require_word
from coordgym.silo_env.pairs.facts.prose import any_of, only_integer
from coordgym.silo_env.pairs.facts.sentences import NAME, numbered, read_numbered
from coordgym.silo_env.pairs.shapes.wide_dealt_facts import WHOLE, if_split
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, Seat

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

    ask: str
    where: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AttrComboInstance:
    """Objects with their attributes, and queries about them."""

    items: Items
    queries: tuple[Query, ...]


class AttrCombo(WideTask[AttrComboInstance, AttrComboConfig]):
    """The collection."""

    answer_fields = ("answers",)
    config_type = AttrComboConfig
    reader = "coordgym.silo_env.pairs.tasks.attrcombo.reader:ObjectReader"
    rule = (
        "Objects have a size, a colour, a material and an owner. Answer the queries: name all "
        "objects that meet the conditions, or say how many there are."
    )
    split = "You see two attributes of every object, the other agent sees the other two."
    compact_rule = "objects: answer each query by a list of objects or a number"
    compact_split = "the other agent sees two other attributes"

    def draw(self, config: AttrComboConfig, rng: np.random.Generator) -> AttrComboInstance | None:
        """Independent attributes; queries that 1 to n - 2 objects meet, none twice."""
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

    def read_instance(self, given: Mapping[str, object]) -> AttrComboInstance:
        """Check a collection given as JSON: items, queries."""
        items = {
            name: _read_values(f"item {name}", values, 4, 4)
            for name, values in require_dict("items", given.get("items"), 1, LARGEST).items()
        }
        queries = require_list("queries", given.get("queries"), 1, MOST_QUERIES)
        return AttrComboInstance(items, tuple(_read_query(query) for query in queries))

    def solve(self, instance: AttrComboInstance) -> Answer:
        """Filter the objects."""
        return {"answers": _expected(instance)}

    def optimal_answers(self, instance: AttrComboInstance, limit: int) -> list[Answer]:
        """The one answer."""
        return [self.solve(instance)][:limit]

    def grade(
        self, instance: AttrComboInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """The share of right entries."""
        return grade_queries(_expected(instance), answer)

    def facts(self, instance: AttrComboInstance, seat: Seat | None) -> Facts:
        """Two attributes of every object, and the queries."""
        shown = tuple(VALUES) if seat is None else SHOWN[seat]
        items: dict[str, Json] = {
            name: {attribute: values[attribute] for attribute in shown}
            for name, values in instance.items.items()
        }
        queries: list[Json] = [
            {"ask": query.ask, "where": dict(query.where)} for query in instance.queries
        ]
        facts: Facts = {"items": items, "queries": queries}
        return {**facts, WHOLE: True} if seat is None else facts

    def merge(self, views: Sequence[Facts]) -> AttrComboInstance | None:
        """Join the attributes; None if some are missing or contradict each other."""
        items: dict[str, dict[str, str]] = {name: {} for name in _items(views[0])}
        for view in views:
            if view["queries"] != views[0]["queries"] or set(_items(view)) != set(items):
                return None
            for name, values in _items(view).items():
                if any(items[name].get(a, value) != value for a, value in values.items()):
                    return None
                items[name].update(values)
        if any(len(values) < len(VALUES) for values in items.values()):
            return None
        return AttrComboInstance(items, _queries(views[0]))

    def complete(
        self, instance: AttrComboInstance, seat: Seat, rng: np.random.Generator
    ) -> AttrComboInstance:
        """Redraw the attributes that the view hides."""
        return replace(instance, items=_refilled(self.facts(instance, seat), rng))

    def guess(self, facts: Facts, rng: np.random.Generator) -> AttrComboInstance:
        """Draw the attributes that are not shown."""
        return AttrComboInstance(_refilled(facts, rng), _queries(facts))

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The objects and the queries."""
        partner = if_split(facts, " (your partner knows other properties of the same objects)")
        lines = [f"Object facts you know{partner}{_frame(facts, seat, friction)}:"]
        lines += [f"- {line}" for line in _said(facts, seat, friction)]
        return "\n".join([*lines, "Queries:", *numbered(map(_ask, _queries(facts)))])

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The objects and the queries in few tokens."""
        queries = [f"{query.ask}: {' '.join(query.where.values())}" for query in _queries(facts)]
        head = f"objects{_frame(facts, seat, friction)}:"
        return "\n".join([head, *_said(facts, seat, friction), *numbered(queries)])

    def read_view(self, text: str) -> Facts | None:
        """Read objects and queries."""
        queries = [_heard_query(line) for line in read_numbered(text)]
        items: dict[str, Json] = {
            name: {ATTRIBUTE_OF[value]: value for value in values.split(", ")}
            for name, values in _ITEM.findall(text)
        }
        if not items or not queries or None in queries:
            return None
        return {"items": items, "queries": queries}

    def answer_form(self, friction: Friction) -> str:
        """A list or a number per query."""
        return '{"answers": [["T1", ...], 2, ...]}'

    def answer_note(self, friction: Friction) -> str:
        """The order of the entries."""
        return (
            '"answers" has one entry per query, in their order: a list of objects where it asks '
            "which, a number where it asks how many."
        )

    def check_steps(self, instance: AttrComboInstance, answer: Answer) -> list[str]:
        """The objects that meet each query."""
        return [
            f"query {number}: {', '.join(_hits(instance.items, query.where)) or 'no object'} "
            f"fits {' and '.join(query.where.values())}"
            for number, query in enumerate(instance.queries, 1)
        ]

    def free_text_answer(
        self, instance: AttrComboInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Numbered lines: the objects that they name, else a number."""
        item = re.compile(any_of(instance.items))

        def read(line: str) -> Json:
            named = item.findall(line)
            return [*named] if named else only_integer(line)

        return numbered_answers(messages, len(instance.queries), read)

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """An object and a number in turn."""
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
    """Independent values of some attributes for each object."""
    chosen = {a: rng.integers(len(VALUES[a]), size=len(names)) for a in attributes}
    return {
        name: {a: VALUES[a][int(values[index])] for a, values in chosen.items()}
        for index, name in enumerate(names)
    }


def _draw_where(attributes: int, rng: np.random.Generator) -> dict[str, str]:
    """One attribute of each view, and a third one if asked for."""
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
    """Whether some objects but not nearly all meet a query."""
    return 1 <= len(_hits(items, where)) <= len(items) - 2


def _expected(instance: AttrComboInstance) -> list[Json]:
    found = [(query.ask, _hits(instance.items, query.where)) for query in instance.queries]
    return [[*hits] if ask == "list" else len(hits) for ask, hits in found]


def _refilled(facts: Facts, rng: np.random.Generator) -> dict[str, dict[str, str]]:
    """Objects with the shown attributes and others under which the queries are fair."""
    known, queries = _items(facts), _queries(facts)
    hidden = [a for a in VALUES if a not in next(iter(known.values()))]

    def draw() -> dict[str, dict[str, str]]:
        drawn = _draw_items(list(known), hidden, rng)
        return {name: {**values, **drawn[name]} for name, values in known.items()}

    fair = first_accepted(draw, lambda items: all(_is_fair(items, q.where) for q in queries))
    return fair or draw()


def _items(facts: Facts) -> dict[str, dict[str, str]]:
    return cast("dict[str, dict[str, str]]", facts["items"])


def _queries(facts: Facts) -> tuple[Query, ...]:
    entries = cast("list[dict[str, Json]]", facts["queries"])
    return tuple(_read_query(entry) for entry in entries)


def _read_values(field: str, value: object, low: int, high: int) -> dict[str, str]:
    """Check an object of attributes and values; raises InstanceError."""
    given = require_dict(field, value, low, high)
    return {
        require_word(field, a, tuple(VALUES)): require_word(f"{a} of {field}", v, VALUES[a])
        for a, v in given.items()
    }


def _read_query(entry: object) -> Query:
    """Check a query; raises InstanceError."""
    if not isinstance(entry, Mapping) or set(entry) != {"ask", "where"}:
        raise InstanceError("queries must hold objects with the keys ask and where")
    ask = require_word("ask", entry["ask"], ("list", "count"))
    return Query(ask, _read_values("where", entry["where"], 1, 4))


def _ask(query: Query) -> str:
    """A query in words."""
    conditions = [f"owned by {v}" if a == "owner" else f"{a} {v}" for a, v in query.where.items()]
    asked = "Which" if query.ask == "list" else "How many"
    return f"{asked} objects are {' and '.join(conditions)}?"


def _heard_query(line: str) -> Json:
    """A query of a text; None if the line is none."""
    match = _ASKED.fullmatch(line.strip())
    values = [part.split(" ")[-1] for part in match[2].split(" and ")] if match else []
    if match is None or any(value not in ATTRIBUTE_OF for value in values):
        return None
    where: dict[str, Json] = {ATTRIBUTE_OF[value]: value for value in values}
    return {"ask": "list" if match[1] == "Which" else "count", "where": where}


def _said(facts: Facts, seat: Seat, friction: Friction) -> list[str]:
    """A line per object."""
    items = _items(facts).items()
    if seat == 1 or friction == 0:
        return [f"{name}: {', '.join(v[a] for a in VALUES if a in v)}" for name, v in items]
    label = labels(facts) if friction == 2 else {name: name for name, _ in items}
    return [f"{v['owner']}'s {ADJECTIVES[v['material']]} object: {label[n]}" for n, v in items]


def labels(facts: Facts) -> dict[str, str]:
    """The numbers of view 2 at friction 2: the last object is O1."""
    return {name: f"O{number}" for number, name in enumerate(reversed(_items(facts)), 1)}


def _frame(facts: Facts, seat: Seat, friction: Friction) -> str:
    if seat == 1 or friction < 2:
        return ""
    key = ", ".join(f"{label} = {name}" for name, label in labels(facts).items())
    return f" (you write O1, O2, ... for the objects: {key})"
