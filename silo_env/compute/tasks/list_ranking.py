"""II-18 List ranking: places in a linked list whose nodes are scattered.

Shard: a list of nodes ``{"id": …, "next": …}``. Extra: nothing. All nodes make up one linked list;
``next`` is -1 at its end. Answer: a dictionary from each id to its rank, 0 for the node that no
other points to; partial credit is the share of right entries. Defined exactly where the nodes make
up one list; a node may be held by several agents.
Source: Silo-Bench, level II (mesh).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from coordgym.errors import InstanceError
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER, DictOf
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, cut, require_items
from coordgym.silo_env.compute.tasks.items import Items

END = -1
Node = dict[str, int]


@dataclass(frozen=True, slots=True)
class ListRankingConfig(Items):
    """``items`` nodes per agent, at least 1."""

    items: int = 8


class ListRanking(Task[list[Node], dict[str, int]]):
    """The rank of every node of a linked list."""

    id = "II-18"
    slug = "list-ranking"
    title = "List ranking"
    answer_type = DictOf(INTEGER)
    partial = Partial.KEYS
    copyable = True
    config = ListRankingConfig
    hint = (
        "This depends on what others hold: the node after one of yours may be anywhere. Nodes of "
        "one agent that follow each other are a run that can be handled as one, and runs can be "
        "joined."
    )
    holds = "{items} nodes with their successors"
    form = 'a dictionary from every id to its rank, for example {{"3": 0, "12": 1, …}}'

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[Node], dict[str, int]]:
        """Draw the order of the nodes, and then who holds which."""
        total = configure(ListRankingConfig, params).items * n_agents
        order = rng.permutation(total).tolist()
        nodes = [{"id": a, "next": b} for a, b in zip(order, [*order[1:], END], strict=True)]
        dealt = [nodes[i] for i in rng.permutation(total).tolist()]
        return self.instance(cut(dealt, n_agents), {})

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of nodes that make up one linked list together."""
        for agent, shard in enumerate(shards):
            if not isinstance(shard, list) or not all(map(_is_node, shard)):
                raise InstanceError(
                    f"shards[{agent}] must be a list of nodes {{'id': 0 or more, 'next': an id or "
                    f"{END}}}, got {shard!r:.80}"
                )
        require_items(shards)
        following: dict[int, int] = {}
        for node in chain.from_iterable(shards):
            if following.setdefault(node["id"], node["next"]) != node["next"]:
                raise InstanceError(f"node {node['id']} is given with two different next nodes")
        if len(_walk(following)) != len(following):
            raise InstanceError(
                "the nodes must make up one list: each node but the first is the next of exactly "
                f"one other, and the last has next = {END}"
            )

    def solve(self, shards: Sequence[list[Node]], extra: Extra) -> dict[str, int]:
        """Return ranks along the walk from the first node; keys are texts, as in JSON."""
        following = {node["id"]: node["next"] for shard in shards for node in shard}
        return {str(node): rank for rank, node in enumerate(_walk(following))}

    def statement(self, extra: Extra) -> str:
        """State the task in full sentences."""
        return (
            "A linked list is scattered over all agents: every agent holds some of its nodes, "
            'each with its own "id" and the id of the node after it as "next"; the last node of '
            f'the list has "next" {END}. All nodes together make up one list. The rank of a node '
            "is the number of nodes before it, so the first node, which is the next of no other, "
            "has rank 0. Every agent must submit the ranks of all nodes of all agents."
        )

    def brief(self, extra: Extra) -> str:
        """State the task in few words."""
        return (
            f"all agents' nodes make up one linked list (last next = {END}); rank of every node, "
            "the first has 0; answer: dict id -> rank over all nodes"
        )


def _is_node(node: Any) -> bool:
    if not isinstance(node, dict) or node.keys() != {"id", "next"}:
        return False
    return all(type(x) is int for x in node.values()) and node["id"] >= 0 and node["next"] >= END


def _walk(following: dict[int, int]) -> list[int]:
    """Return nodes in the order of the list; fewer than all if they are not one list."""
    first = following.keys() - following.values()
    if len(first) != 1:
        return []
    (node,) = first
    walk: list[int] = []
    while node in following and len(walk) <= len(following):
        walk.append(node)
        node = following[node]
    return walk if node == END else []
