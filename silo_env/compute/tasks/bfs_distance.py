"""III-24 BFS distance: hops from the source to every node of an undirected graph.

Shard: a list of edges ``[a, b]``. Extra: ``num_nodes`` (the nodes are 0..num_nodes-1) and
``source``. Answer: a dictionary from every node to its distance, -1 where it can't be reached;
partial credit is the share of right entries. Repeated edges and loops change nothing.
Source: Silo-Bench, level III (shuffle).
"""

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER, DictOf
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, deal, require_parameter
from coordgym.silo_env.compute.tasks.graphs import (
    Edge,
    SimpleGraph,
    check_graph,
    told_node_count,
)

SOURCE = 0
UNREACHABLE = -1


class BfsDistance(Task[list[Edge], dict[str, int]]):
    """The distance of every node from the source."""

    id = "III-24"
    slug = "bfs-distance"
    title = "BFS distance"
    answer_type = DictOf(INTEGER)
    partial = Partial.KEYS
    copyable = True
    config = SimpleGraph
    hint = (
        "This is a global reorganization: a shortest path may use edges of many agents in any "
        "order, and an edge that is found late may shorten distances that seemed final."
    )
    holds = "{edges} edges between {nodes} N nodes"

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[Edge], dict[str, int]]:
        """Draw different edges and deal them."""
        config = configure(SimpleGraph, params)
        edges = config.draw(rng, n_agents, directed=False)
        extra = {"source": SOURCE, "num_nodes": config.nodes * n_agents}
        return self.instance(deal(rng, edges, n_agents), extra)

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check edges between nodes that exist, and a source among these."""
        check_graph(shards, extra)
        require_parameter(extra, "source", 0, extra["num_nodes"] - 1)

    def solve(self, shards: Sequence[list[Edge]], extra: Extra) -> dict[str, int]:
        """Search breadth first; keys are texts, as in JSON."""
        neighbours: list[list[int]] = [[] for _ in range(extra["num_nodes"])]
        for shard in shards:
            for a, b in shard:
                neighbours[a].append(b)
                neighbours[b].append(a)
        distances = [UNREACHABLE] * len(neighbours)
        distances[extra["source"]] = 0
        queue = deque([extra["source"]])
        while queue:
            node = queue.popleft()
            for neighbour in neighbours[node]:
                if distances[neighbour] == UNREACHABLE:
                    distances[neighbour] = distances[node] + 1
                    queue.append(neighbour)
        return {str(node): distance for node, distance in enumerate(distances)}

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Read the number of nodes from the description; the source is always node 0."""
        return {"source": SOURCE, "num_nodes": told_node_count(description)}

    def statement(self, extra: Extra) -> str:
        """State the task in full sentences."""
        n_nodes, source = extra["num_nodes"], extra["source"]
        return (
            f"An undirected graph has {n_nodes} nodes, numbered 0 to {n_nodes - 1}. Every agent "
            "holds some of its edges, each as [a, b]. In the graph with the edges of all agents, "
            "find for every node the least number of edges on a path from the source, node "
            f"{source}, to it: 0 for the source itself, {UNREACHABLE} for a node that can't be "
            "reached. Every agent must submit the distances of all nodes."
        )

    def answer_form(self, extra: Extra) -> str:
        """Name the form: a dictionary."""
        return (
            "a dictionary from every node to its distance, "
            f'for example {{"0": 0, "1": 2, "2": {UNREACHABLE}, …}}'
        )

    def brief(self, extra: Extra) -> str:
        """State the task in few words."""
        return (
            f"undirected graph on nodes 0-{extra['num_nodes'] - 1}, edges of all agents; hops from "
            f"node {extra['source']} to every node, {UNREACHABLE} if unreachable; "
            "answer: dict node -> distance over all nodes"
        )
