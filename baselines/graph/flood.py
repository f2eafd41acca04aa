"""Full-information flooding: tell everybody everything, then solve the whole network alike.

In each round an agent sends what it learned in the round before: records ``name=input:names``
of who knows whom. (Who has more neighbours than fit into a message has further records,
``name+1``, ``name+2`` …) After R rounds it knows all records within R hops. All agents then
compute the same solution: the task's own, greedily in the order of names where it needs word
from everywhere, in a hashed order where near agents are enough, and for a matching over edges
in a hashed order. If not everything was reached, the same rules run on the part that was;
hashed orders have short chains of dependence, so that near agents still agree mostly.
"""

from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote, unquote

import numpy as np

from coordgym.baselines.graph.brain import GraphBrain, mixed, mixed_edge
from coordgym.contract.base import Info
from coordgym.loading import load
from coordgym.silo_env.graph.table import task_entry
from coordgym.silo_env.graph.task import GraphTask
from coordgym.silo_env.graph.tasks import TASKS

Record = tuple[str, str]
"""Name and ``input:neighbour,neighbour…``, all percent-encoded."""
Graph = dict[str, set[str]]
NO_INPUT = "-"
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
        self.code = _encode(self.name)
        self.known: dict[str, str] = self._own_records()
        self.unsent: deque[str] = deque(self.known)

    def _own_records(self) -> dict[str, str]:
        """Return what this agent has to tell of itself, each record short enough to be sent."""
        limit = min(self.max_chars, MAX_RECORD_CHARS)
        own_input = NO_INPUT if self.own_input is None else _encode(self.own_input)
        records: dict[str, str] = {}
        key, around = self.code, ""
        for name in map(_encode, self.neighbours):
            longer = f"{around},{name}" if around else name
            if around and len(f"{key}={own_input}:{longer}") > limit:
                records[key] = f"{own_input}:{around}"
                key, longer = f"{self.code}{PART}{len(records)}", name
            around = longer
        records[key] = f"{own_input}:{around}"
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
        beginning, colon, _ = record.partition(":")
        fitting = record[: self.max_chars + 1].rpartition(",")[0] or beginning + colon
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
    inputs: dict[str, str] = {}
    for key, body in records:
        name = key.partition(PART)[0]
        own_input, _, around = body.partition(":")
        inputs.setdefault(name, unquote(own_input))
        own = graph.setdefault(name, set())
        for other in around.split(",") if around else ():
            own.add(other)
            graph.setdefault(other, set()).add(name)
    solver = task_entry(task).solver
    if solver is not None:
        solution: dict[str, str] = load(solver)(graph)
        return solution
    return _solve_in_order(TASKS[task], graph, inputs)


def _solve_in_order(task: GraphTask, graph: Graph, inputs: Mapping[str, str]) -> dict[str, str]:
    """Let the task solve the graph, in alphabetical order if it needs word from everywhere."""
    order = sorted(graph, key=mixed if task.local else None)
    neighbours = {name: tuple(sorted(graph[name])) for name in order}
    valid = {name: inputs[name] for name in order if inputs.get(name) in task.input_values}
    return task.solve(neighbours, valid or None)


def match_edges(graph: Graph) -> dict[str, str]:
    """Match greedily over the edges in a hashed order."""
    partner: dict[str, str] = {}
    edges = {mixed_edge(a, b): (a, b) for a, around in graph.items() for b in around if a < b}
    for _, (first, second) in sorted(edges.items()):
        if first not in partner and second not in partner:
            partner[first], partner[second] = second, first
    return {name: partner.get(name, "None") for name in graph}
