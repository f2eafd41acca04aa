"""What the tasks over graphs have in common: nodes 0..n-1 and edges dealt to the agents."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.errors import ConfigError, InstanceError, require_int
from coordgym.silo_env.compute.task import Extra, require_parameter

Edge = list[int]

MAX_NODES_PER_AGENT = 1_000
MAX_NODES = 100_000
_COUNT = re.compile(
    r"(?:\bnum(?:ber)?[_ ](?:of )?(?:nodes|vertices)\W{1,3}(?:is |are )?)(\d+)"
    r"|\b(\d+)[ -](?:total )?(?:nodes?|vertices)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\b0\s*(?:to|through|-|–|\.{2,3}|…)\s*(\d+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RandomGraph:
    """Nodes and edges per agent."""

    nodes: int
    edges: int

    def __post_init__(self) -> None:
        require_int("nodes", self.nodes, 1, MAX_NODES_PER_AGENT)
        require_int("edges", self.edges, 0, MAX_NODES_PER_AGENT)


@dataclass(frozen=True, slots=True)
class SimpleGraph(RandomGraph):
    """8 nodes and 16 edges per agent, without loops and repeats."""

    nodes: int = 8
    edges: int = 16

    def draw(self, rng: np.random.Generator, n_agents: int, *, directed: bool) -> list[Edge]:
        """Draw all edges; undirected ones don't repeat in the other direction, either.

        Raises:
            ConfigError: If more than half of all possible edges would be drawn.
        """
        n_nodes, wanted = self.nodes * n_agents, self.edges * n_agents
        possible = n_nodes * (n_nodes - 1) // (1 if directed else 2)
        if 2 * wanted > possible:
            raise ConfigError(
                f"edges must be at most half of the {possible} possible ones of {n_nodes} nodes, "
                f"got {self.edges} for each of {n_agents} agents"
            )
        found: dict[tuple[int, int], Edge] = {}
        while len(found) < wanted:
            for a, b in rng.integers(n_nodes, size=(wanted, 2)).tolist():
                if a != b and len(found) < wanted:
                    found.setdefault((a, b) if directed or a < b else (b, a), [a, b])
        return list(found.values())


def check_graph(shards: Sequence[Any], extra: Extra) -> None:
    """Check that ``num_nodes`` is given and that all shards are lists of edges between nodes.

    Raises:
        InstanceError: Naming what is wrong.
    """
    n_nodes = require_parameter(extra, "num_nodes", 1, MAX_NODES)
    for agent, shard in enumerate(shards):
        if not isinstance(shard, list):
            raise InstanceError(f"shards[{agent}] must be a list of edges, got {shard!r:.80}")
        for edge in shard:
            if not _is_edge(edge, n_nodes):
                raise InstanceError(
                    f"shards[{agent}]: an edge must be [a, b] with nodes 0..{n_nodes - 1}, "
                    f"got {edge!r:.80}"
                )


def _is_edge(edge: Any, n_nodes: int) -> bool:
    if not isinstance(edge, list | tuple) or len(edge) != 2:
        return False
    return all(type(node) is int and 0 <= node < n_nodes for node in edge)


def told_node_count(description: str) -> int:
    """Return the number of nodes that a published description tells.

    Raises:
        InstanceError: If it tells none, or several that differ.
    """
    counts = {int(a or b) for a, b in _COUNT.findall(description)}
    counts = counts or {int(last) + 1 for last in _RANGE.findall(description)}
    if len(counts) != 1:
        raise InstanceError(
            f"the description must tell the number of nodes once; found {sorted(counts)} in "
            f"{description!r:.200}"
        )
    return counts.pop()
