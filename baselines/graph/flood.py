"""Full-information flooding: tell everybody everything, then solve the whole network alike.

In each round an agent sends what it learned in the round before: records ``name=bit:names``
of who knows whom. (Who has more neighbours than fit into a message has further records,
``name+1``, ``name+2`` …) After R rounds it knows all records within R hops. All agents then
compute the same solution: the smallest name leads, first-fit colours in a hashed order, greedy
matching over edges in a hashed order, and as cover the complement of the greedy maximal
independent set. If not everything was reached, the same rules run on the part that was;
hashed orders have short chains of dependence, so that near agents still agree mostly.
"""

from collections import deque
from collections.abc import Callable, Mapping
from functools import lru_cache
from urllib.parse import quote, unquote

import numpy as np

from coordgym.baselines.graph.brain import GraphBrain, mixed, mixed_edge
from coordgym.contract.base import Info

Record = tuple[str, str]
"""Name and ``bit:neighbour,neighbour…``, names percent-encoded."""
Graph = dict[str, set[str]]
NO_BIT = "-"
PART = "+"
"""Before the number of a further record of one agent; encoded names have none."""
MAX_RECORD_CHARS = 1_000
"""Longer records are split even if they fit: others may have less room per message."""
INVENTED = "0"
"""A name that comes before all others, for lies."""


class Flood(GraphBrain):
    """Floods neighbour lists and solves what it knows of the network."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.task: str = info["view"]["task"]
        self.code = _encode(self.name)
        self.known: dict[str, str] = self._own_records()
        self.unsent: deque[str] = deque(self.known)

    def _own_records(self) -> dict[str, str]:
        """Return what this agent has to tell of itself, each record short enough to be sent."""
        limit = min(self.max_chars, MAX_RECORD_CHARS)
        bit = self.bit or NO_BIT
        records: dict[str, str] = {}
        key, around = self.code, ""
        for name in map(_encode, self.neighbours):
            longer = f"{around},{name}" if around else name
            if around and len(f"{key}={bit}:{longer}") > limit:
                records[key] = f"{bit}:{around}"
                key, longer = f"{self.code}{PART}{len(records)}", name
            around = longer
        records[key] = f"{bit}:{around}"
        return records

    def hear(self, messages: Mapping[str, str]) -> None:
        """Keep the records that are new; the first record of a name counts."""
        known = self.known
        for text in messages.values():
            for record in text.split(";"):
                name, equals, body = record.partition("=")
                if equals and name not in known:
                    known[name] = body
                    self.unsent.append(name)

    def write(self) -> dict[str, str]:
        """Pass on what is new, as much as fits into one message."""
        records = []
        size = 0
        while self.unsent:
            name = self.unsent[0]
            record = self._cut(f"{name}={self.known[name]}")
            size += len(record) + 1
            if size > self.max_chars + 1:
                break
            records.append(record)
            self.unsent.popleft()
        text = ";".join(filter(None, records))
        return self.to_all(text) if text else {}

    def _cut(self, record: str) -> str:
        """Leave out the neighbours that don't fit; their own records tell of the links as well."""
        if len(record) <= self.max_chars:
            return record
        name_and_bit, colon, _ = record.partition(":")
        fitting = record[: self.max_chars + 1].rpartition(",")[0] or name_and_bit + colon
        return fitting if len(fitting) <= self.max_chars else ""

    def decide(self) -> str:
        """Solve what is known and give this agent's part of it."""
        solution = _solve(self.task, tuple(sorted(self.known.items())))
        answer = unquote(solution[self.code])
        return answer if answer in self.options else self.options[-1]


class Liar(Flood):
    """A byzantine flooder: contradicting records of itself, an invented neighbour, any answer."""

    def write(self) -> dict[str, str]:
        """Pass on others' records, but tell each neighbour something else about itself."""
        texts = {}
        for i, (neighbour, honest) in enumerate(super().write().items()):
            about_me = f"{self.code}={i % 2}:{_encode(neighbour)},{INVENTED}"
            lie = f"{about_me};{INVENTED}={i % 2}:{self.code};{honest}"
            texts[neighbour] = lie[: self.max_chars]
        return texts

    def decide(self) -> str:
        """Draw an answer."""
        return self.options[int(self.rng.integers(len(self.options)))]


def _encode(name: str) -> str:
    return name if name.isascii() and name.isalnum() else quote(name, safe="")


@lru_cache(maxsize=16)
def _solve(task: str, records: tuple[Record, ...]) -> dict[str, str]:
    """Solve the known part of a network; a pure function, so agents that know alike share it."""
    graph: Graph = {}
    bits: dict[str, str] = {}
    for key, body in records:
        name = key.partition(PART)[0]
        bit, _, around = body.partition(":")
        bits.setdefault(name, bit)
        own = graph.setdefault(name, set())
        for other in around.split(",") if around else ():
            own.add(other)
            graph.setdefault(other, set()).add(name)
    return _SOLVERS[task](graph, bits)


def _lead(graph: Graph, bits: Mapping[str, str]) -> dict[str, str]:
    leader = min(graph)
    return {name: "Yes" if name == leader else "No" for name in graph}


def _agree(graph: Graph, bits: Mapping[str, str]) -> dict[str, str]:
    bit = bits[min(bits)]
    return dict.fromkeys(graph, bit if bit in ("0", "1") else "0")


def _color(graph: Graph, bits: Mapping[str, str]) -> dict[str, str]:
    group: dict[str, int] = {}
    for name in sorted(graph, key=mixed):
        taken = {group.get(other) for other in graph[name]}
        group[name] = next(i for i in range(1, len(graph) + 2) if i not in taken)
    return {name: f"Group {number}" for name, number in group.items()}


def _match(graph: Graph, bits: Mapping[str, str]) -> dict[str, str]:
    partner: dict[str, str] = {}
    edges = {mixed_edge(a, b): (a, b) for a, around in graph.items() for b in around if a < b}
    for _, (first, second) in sorted(edges.items()):
        if first not in partner and second not in partner:
            partner[first], partner[second] = second, first
    return {name: partner.get(name, "None") for name in graph}


def _cover(graph: Graph, bits: Mapping[str, str]) -> dict[str, str]:
    outside: set[str] = set()
    for name in sorted(graph, key=mixed):
        if not graph[name] & outside:
            outside.add(name)
    return {name: "No" if name in outside else "Yes" for name in graph}


_SOLVERS: dict[str, Callable[[Graph, Mapping[str, str]], dict[str, str]]] = {
    "leader_election": _lead,
    "consensus": _agree,
    "coloring": _color,
    "matching": _match,
    "vertex_cover": _cover,
}
