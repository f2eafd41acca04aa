"""Links between named nodes: drawing them, checking them, and rooted trees made of them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations

import numpy as np

from coordgym.silo_env.pairs.facts.names import choose
from coordgym.silo_env.pairs.facts.sentences import Fact

Link = tuple[str, str]


def ends(facts: Iterable[Fact], at: int = 0) -> list[Link]:
    """Return the two nodes of each fact, which stand at the index ``at`` and the next."""
    return [(str(fact[at]), str(fact[at + 1])) for fact in facts]


def links_of(facts: Iterable[Fact]) -> tuple[Link, ...]:
    """Return facts that are links, the two nodes of each."""
    return tuple(ends(facts))


def weighted_links_of(facts: Iterable[Fact]) -> tuple[tuple[str, str, int], ...]:
    """Return facts that are links with a weight."""
    return tuple((str(a), str(b), int(weight)) for a, b, weight in facts)


def weighted(
    links: Sequence[Link], heaviest: int, rng: np.random.Generator
) -> list[tuple[str, str, int]]:
    """Give links random weights from 1 to ``heaviest``."""
    weights = rng.integers(1, heaviest + 1, size=len(links))
    return [(a, b, int(weight)) for (a, b), weight in zip(links, weights, strict=True)]


def missing_pairs(nodes: Sequence[str], known: Iterable[Link]) -> list[Link]:
    """Return the pairs of nodes that no known link joins, in either direction."""
    joined = {frozenset(link) for link in known}
    return [pair for pair in combinations(sorted(nodes), 2) if frozenset(pair) not in joined]


def missing_arrows(nodes: Sequence[str], known: Iterable[Link]) -> list[Link]:
    """Return the ordered pairs of nodes that no known link joins in this direction."""
    joined = set(known)
    return [pair for pair in permutations(sorted(nodes), 2) if pair not in joined]


def draw_links(missing: Sequence[Link], count: int, rng: np.random.Generator) -> list[Link] | None:
    """Draw some of the missing links; None if there are too few."""
    return choose(missing, count, rng) if count <= len(missing) else None


def link_fault(
    nodes: Iterable[str], links: Sequence[Link], *, directed: bool = False
) -> str | None:
    """Say what is wrong with links: unknown nodes, loops, doubles; None if nothing is."""
    known = set(nodes)
    seen: set[Link] = set()
    for a, b in links:
        if a not in known or b not in known:
            return f"edges must join listed nodes, got {a}-{b}"
        if a == b:
            return f"edges must not join a node with itself, got {a}-{b}"
        if (a, b) in seen or (not directed and (b, a) in seen):
            return f"edges must not hold a link twice, got {a}-{b}"
        seen.add((a, b))
    return None


def adjacency(nodes: Iterable[str], links: Iterable[Link]) -> dict[str, set[str]]:
    """Return the neighbours of every node."""
    near: dict[str, set[str]] = {node: set() for node in nodes}
    for a, b in links:
        near[a].add(b)
        near[b].add(a)
    return near


def is_connected(near: Mapping[str, Iterable[str]]) -> bool:
    """Return whether every node can be reached from every other along undirected links."""
    if not near:
        return True
    seen = {next(iter(near))}
    stack = list(seen)
    while stack:
        for node in near[stack.pop()]:
            if node not in seen:
                seen.add(node)
                stack.append(node)
    return len(seen) == len(near)


# --- rooted trees: links from parent to child ------------------------------------------------


def random_tree(nodes: Sequence[str], reach: int, rng: np.random.Generator) -> list[Link]:
    """Draw a tree: the parent of a node is one of the ``reach`` nodes before it."""
    return [
        (nodes[int(rng.integers(max(0, index - reach), index))], nodes[index])
        for index in range(1, len(nodes))
    ]


def members(links: Iterable[Link]) -> list[str]:
    """Return the nodes of the links, sorted."""
    return sorted({node for link in links for node in link})


def tree_fault(links: Sequence[Link]) -> str | None:
    """Say why links make no rooted tree; None if they do."""
    nodes = members(links)
    fault = link_fault(nodes, links, directed=True)
    if fault is not None:
        return fault
    if len({child for _, child in links}) != len(links):
        return "edges must give each node at most one parent"
    if len(nodes) != len(links) + 1 or not is_connected(adjacency(nodes, links)):
        return "edges must form one tree"
    return None


def ancestors(node: str, parents: Mapping[str, str]) -> list[str]:
    """Return the node, its parent, and so on up to the root."""
    chain = [node]
    while chain[-1] in parents:
        chain.append(parents[chain[-1]])
    return chain


def parent_map(links: Iterable[Link]) -> dict[str, str]:
    """Return the parent of every node but the root."""
    return {child: parent for parent, child in links}


def tree_path(u: str, v: str, links: Sequence[Link]) -> list[str]:
    """Return the nodes between two nodes of a tree, both included."""
    parents = parent_map(links)
    up, down = ancestors(u, parents), ancestors(v, parents)
    meeting = next(node for node in up if node in down)
    return [*up[: up.index(meeting)], *reversed(down[: down.index(meeting) + 1])]


def count_trees(links: Sequence[Link], others: Iterable[str]) -> int:
    """Return the number of trees in a forest with some more nodes, which may stand alone."""
    return len({*members(links), *others}) - len(links)


def join_trees(
    links: Sequence[Link],
    others: Iterable[str],
    count: int,
    pool: Sequence[str],
    rng: np.random.Generator,
) -> list[Link] | None:
    """Draw links that make one tree of a forest, with new nodes if there are links to spare.

    Args:
        links: The links of the forest.
        others: Nodes that have to be in the tree whether or not they have a link.
        count: Links to draw.
        pool: Names for new nodes.
        rng: Source of the draws.

    Returns:
        None if the count is too small, or the pool too small for it.
    """
    nodes = sorted({*members(links), *others})
    spare = count - (len(nodes) - len(links) - 1)
    free = [name for name in pool if name not in nodes]
    if not 0 <= spare <= len(free):
        return None
    nodes += choose(free, spare, rng)
    parents = parent_map(links)
    trees: dict[str, list[str]] = {}
    for node in nodes:
        trees.setdefault(ancestors(node, parents)[-1], []).append(node)
    first, *rest = choose(sorted(trees), len(trees), rng)
    joined, drawn = list(trees[first]), []
    for root in rest:
        drawn.append((joined[int(rng.integers(len(joined)))], root))
        joined += trees[root]
    return choose(drawn, len(drawn), rng)
