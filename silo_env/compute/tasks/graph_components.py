"""III-23 Graph components: into how many parts an undirected graph falls.

Shard: a list of edges ``[a, b]``. Extra: ``num_nodes``; the nodes are 0..num_nodes-1. Answer: the
number of connected components, in which a node without edges counts as one. Repeated edges and
loops change nothing.
Source: Silo-Bench, level III (shuffle).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.silo_env.compute.answers.types import INTEGER
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, deal
from coordgym.silo_env.compute.tasks.graphs import (
    Edge,
    RandomGraph,
    check_graph,
    told_node_count,
)


@dataclass(frozen=True, slots=True)
class GraphComponentsConfig(RandomGraph):
    """10 nodes and 20 drawn edges per agent, of which loops are dropped."""

    nodes: int = 10
    edges: int = 20


class GraphComponents(Task[list[Edge], int]):
    """The number of connected components."""

    id = "III-23"
    slug = "graph-components"
    title = "Graph components"
    answer_type = INTEGER
    copyable = True
    config = GraphComponentsConfig
    hint = (
        "This is a global reorganization: any edge of any agent may join two parts that seem "
        "separate elsewhere. An edge inside a part that is connected already adds nothing."
    )
    holds = "up to {edges} edges between {nodes} N nodes"
    form = "one integer, for example 3"

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[Edge], int]:
        """Draw both ends of all edges uniformly, drop loops, and deal the rest."""
        config = configure(GraphComponentsConfig, params)
        n_nodes = config.nodes * n_agents
        ends = rng.integers(n_nodes, size=(config.edges * n_agents, 2)).tolist()
        edges = [[a, b] for a, b in ends if a != b]
        return self.instance(deal(rng, edges, n_agents), {"num_nodes": n_nodes})

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check edges between nodes that exist."""
        check_graph(shards, extra)

    def solve(self, shards: Sequence[list[Edge]], extra: Extra) -> int:
        """Take one component away for every edge that joins two sets of nodes."""
        parent = list(range(extra["num_nodes"]))
        components = len(parent)
        for shard in shards:
            for a, b in shard:
                root_a, root_b = _root(parent, a), _root(parent, b)
                if root_a != root_b:
                    parent[root_a] = root_b
                    components -= 1
        return components

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Read the number of nodes from the description."""
        return {"num_nodes": told_node_count(description)}

    def statement(self, extra: Extra) -> str:
        """State the task in full sentences."""
        n_nodes = extra["num_nodes"]
        return (
            f"An undirected graph has {n_nodes} nodes, numbered 0 to {n_nodes - 1}. Every agent "
            "holds some of its edges, each as [a, b]. Find the number of connected components of "
            "the graph with the edges of all agents; a node without any edge is a component by "
            "itself. Every agent must submit the number."
        )

    def brief(self, extra: Extra) -> str:
        """State the task in few words."""
        return (
            f"undirected graph on nodes 0-{extra['num_nodes'] - 1}, edges of all agents; number of "
            "connected components, isolated nodes count; answer: int"
        )


def _root(parent: list[int], node: int) -> int:
    """Return the representative of a node's set; paths are halved on the way."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node
