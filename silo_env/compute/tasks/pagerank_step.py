"""III-28 PageRank step: one step of the power iteration from equal ranks.

Shard: a list of directed edges ``[a, b]``, from a to b. Extra: ``num_nodes`` n (the nodes are
0..n-1), ``damping`` d and ``decimals`` of the answer. All ranks begin at 1/n. Answer: a dictionary
from every node to (1 - d)/n + d · Σ (1/n) / outdegree(a) over the edges a → node, right within
1e-6; what nodes without outgoing edges had is lost. Partial credit is the share of right entries.
Not defined where an edge occurs twice.
Source: Silo-Bench, level III (shuffle).
"""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import fsum
from typing import Any

import numpy as np

from coordgym.errors import InstanceError
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import NUMBER, DictOf
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, deal
from coordgym.silo_env.compute.tasks.decimals import require_decimals
from coordgym.silo_env.compute.tasks.graphs import (
    Edge,
    SimpleGraph,
    check_graph,
    told_node_count,
)

DAMPING = 0.85
ANSWER_DECIMALS = 6


class PagerankStep(Task[list[Edge], dict[str, float]]):
    """The rank of every node after one step, to six decimals."""

    id = "III-28"
    slug = "pagerank-step"
    title = "PageRank step"
    answer_type = DictOf(NUMBER)
    tolerance = 1e-6
    partial = Partial.KEYS
    config = SimpleGraph
    hint = (
        "This is a global reorganization: the edges that leave one node may be held by several "
        "agents, and how much each of them carries depends on how many there are in all."
    )
    holds = "{edges} links between {nodes} N nodes"
    form = (
        "a dictionary from every node to its rank with {decimals} decimals, "
        'for example {{"0": 0.012345, "1": 0.006, …}}'
    )

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[Edge], dict[str, float]]:
        """Draw different edges and deal them."""
        config = configure(SimpleGraph, params)
        edges = config.draw(rng, n_agents, directed=True)
        return self.instance(deal(rng, edges, n_agents), _extra(config.nodes * n_agents))

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check edges between nodes that exist, each once; a damping factor and decimals."""
        check_graph(shards, extra)
        edge, times = max(
            Counter(map(tuple, chain.from_iterable(shards))).items(),
            key=lambda item: item[1],
            default=((), 0),
        )
        if times > 1:
            raise InstanceError(f"the edge {list(edge)} occurs {times} times; it may occur once")
        damping = extra.get("damping")
        if isinstance(damping, bool) or not isinstance(damping, int | float):
            raise InstanceError(f"extra['damping'] must be a number, got {damping!r:.80}")
        if not 0 <= damping <= 1:
            raise InstanceError(f"extra['damping'] must be 0..1, got {damping!r:.80}")
        require_decimals(extra)

    def solve(self, shards: Sequence[list[Edge]], extra: Extra) -> dict[str, float]:
        """Return what every node receives; keys are texts, as in JSON."""
        n_nodes, damping = extra["num_nodes"], extra["damping"]
        edges = list(chain.from_iterable(shards))
        passed_on = {a: 1 / degree for a, degree in Counter(a for a, _ in edges).items()}
        received: list[list[float]] = [[] for _ in range(n_nodes)]
        for a, b in edges:
            received[b].append(passed_on[a])
        return {
            str(node): round((1 - damping + damping * fsum(parts)) / n_nodes, extra["decimals"])
            for node, parts in enumerate(received)
        }

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Read the number of nodes from the description."""
        return _extra(told_node_count(description))

    def statement(self, extra: Extra) -> str:
        """State the task in full sentences."""
        n_nodes, damping = extra["num_nodes"], extra["damping"]
        return (
            f"A directed graph has n = {n_nodes} nodes, numbered 0 to {n_nodes - 1}. Every agent "
            "holds some of its edges, each as [a, b] for an edge from a to b; no edge is held "
            "twice. Compute one step of PageRank on the graph with the edges of all agents. All "
            "nodes have the rank 1/n before the step. The new rank of a node is "
            f"(1 - d)/n + d · s with d = {damping}, where s is the sum, over all edges that lead "
            "to the node, of (1/n) divided by the number of edges that leave the edge's origin. A "
            "node that no edge leaves passes nothing on; its rank is lost and not spread over the "
            f"others. Every agent must submit the new ranks of all nodes, rounded to "
            f"{extra['decimals']} decimals."
        )

    def brief(self, extra: Extra) -> str:
        """State the task in few words."""
        return (
            f"directed graph on nodes 0-{extra['num_nodes'] - 1}, edges [from, to] of all agents; "
            f"one PageRank step from 1/n each, d={extra['damping']}: (1-d)/n + d*sum over in-edges "
            "of (1/n)/outdegree; dangling mass is lost; answer: dict node -> rank over all nodes, "
            f"{extra['decimals']} decimals"
        )


def _extra(n_nodes: int) -> dict[str, Any]:
    return {"damping": DAMPING, "decimals": ANSWER_DECIMALS, "num_nodes": n_nodes}
