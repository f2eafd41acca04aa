"""Networks: three random topologies, graphs given by the user, diameters.

``ws``: connected Watts–Strogatz graphs (k = 4, p = 0.4); ``ba``: Barabási–Albert graphs
(m = 2); ``dt``: Delaunay triangulations of uniform points in the unit square. These are the
families of AgentsNet (arXiv 2507.08616).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coordgym.errors import ConfigError, require_choice

if TYPE_CHECKING:
    import networkx

TOPOLOGIES = ("ws", "ba", "dt")
WS_NEIGHBOURS = 4
"""Ring neighbours k of each agent before rewiring."""
WS_REWIRING = 0.4
"""Probability p of rewiring an edge."""
BA_EDGES = 2
"""Edges m that each new agent brings."""
MIN_AGENTS = 4
"""Smallest generated network."""
MAX_AGENTS = 10_000
MAX_EXACT_DIAMETER = 2_000
"""Largest network whose diameter is computed."""
MAX_NAME_CHARS = 64
RESERVED_NAMES = ("None", "Yes", "No")
"""Names that would read like answers."""


@dataclass(frozen=True, slots=True)
class Network:
    """An undirected simple graph of named agents.

    Attributes:
        names: Name of each agent, by index.
        edges: Pairs of indices (i, j), i < j, sorted.
        neighbours: For each agent the indices of its neighbours, ordered by name, so that
            the order tells nothing about the rest of the network.
    """

    names: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    neighbours: tuple[tuple[int, ...], ...]

    @property
    def max_degree(self) -> int:
        """The largest number of neighbours Δ."""
        return max(map(len, self.neighbours))

    def by_name(self) -> dict[str, tuple[str, ...]]:
        """Return the neighbours' names by name."""
        names = self.names
        return {
            names[i]: tuple(names[j] for j in around) for i, around in enumerate(self.neighbours)
        }


def make_network(names: Sequence[str], edges: Sequence[tuple[int, int]]) -> Network:
    """Build a network from names and index pairs.

    Raises:
        ConfigError: If names repeat or read like answers, or an edge is no pair of two
            different agents.
    """
    _check_names(names)
    around: list[set[int]] = [set() for _ in names]
    for edge in edges:
        first, second = _check_edge(edge, len(names))
        around[first].add(second)
        around[second].add(first)
    pairs = sorted((i, j) for i, others in enumerate(around) for j in others if i < j)
    neighbours = tuple(tuple(sorted(others, key=lambda j: names[j])) for others in around)
    return Network(tuple(names), tuple(pairs), neighbours)


def _check_names(names: Sequence[str]) -> None:
    if not 1 <= len(names) <= MAX_AGENTS:
        raise ConfigError(f"a network must have 1..{MAX_AGENTS} agents, got {len(names)}")
    for name in names:
        if (
            not isinstance(name, str)
            or not 1 <= len(name) <= MAX_NAME_CHARS
            or not name.isprintable()
            or not name[0].isalnum()
            or name != name.strip()
        ):
            raise ConfigError(
                f"an agent's name must be 1..{MAX_NAME_CHARS} printable characters, begin with a "
                f"letter or digit and not end with a space, got {name!r:.100}"
            )
        if name in RESERVED_NAMES:
            raise ConfigError(
                f"an agent can't be named {name!r:.100}: it would read like an answer"
            )
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ConfigError(f"agents must have different names, got {twice!r:.100} twice")


def _check_edge(edge: Sequence[int], n_agents: int) -> tuple[int, int]:
    ends = tuple(edge) if isinstance(edge, Sequence) and not isinstance(edge, str) else ()
    numbers = [end for end in ends if isinstance(end, int) and not isinstance(end, bool)]
    if len(ends) != 2 or len(numbers) != 2 or not all(0 <= end < n_agents for end in numbers):
        raise ConfigError(
            f"an edge must be two agents' indices 0..{n_agents - 1}, got {edge!r:.100}"
        )
    if numbers[0] == numbers[1]:
        raise ConfigError(f"an agent can't be its own neighbour, got the edge {edge!r:.100}")
    return numbers[0], numbers[1]


# --- random topologies -------------------------------------------------------------------


def draw_edges(topology: str, n_agents: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Draw the edges of a random connected network.

    Args:
        topology: One of ``TOPOLOGIES``.
        n_agents: Number of agents, 4..10,000.
        rng: Source of all randomness.

    Raises:
        ConfigError: If the topology is unknown.
    """
    require_choice("topology", topology, TOPOLOGIES)
    if topology == "dt":
        return _delaunay_edges(rng.random((n_agents, 2)))
    import networkx

    seed = int(rng.integers(2**32))
    if topology == "ws":
        graph = networkx.connected_watts_strogatz_graph(
            n_agents, WS_NEIGHBOURS, WS_REWIRING, seed=seed
        )
    else:
        graph = networkx.barabasi_albert_graph(n_agents, BA_EDGES, seed=seed)
    return sorted((min(edge), max(edge)) for edge in graph.edges)


def _delaunay_edges(points: "np.ndarray[Any, np.dtype[np.float64]]") -> list[tuple[int, int]]:
    from scipy.spatial import Delaunay

    corners = np.sort(np.asarray(Delaunay(points).simplices), axis=1)
    pairs = np.concatenate([corners[:, [0, 1]], corners[:, [0, 2]], corners[:, [1, 2]]])
    return [(int(i), int(j)) for i, j in np.unique(pairs, axis=0)]


# --- graphs given by the user ------------------------------------------------------------


class GivenGraph:
    """A user's graph as plain data: edges, and names unless its nodes are only numbered.

    Args:
        graph: A ``networkx.Graph``, or node-link JSON with ``nodes`` and ``links`` (or
            ``edges``). Names are the nodes' ``name`` attributes, else string nodes themselves.

    Raises:
        ConfigError: If it is neither, directed, a multigraph, or only partly named.
    """

    def __init__(self, graph: object) -> None:
        nx_graph = _to_networkx(graph)
        nodes = list(nx_graph.nodes)
        index = {node: i for i, node in enumerate(nodes)}
        self.edges: list[tuple[int, int]] = [(index[a], index[b]) for a, b in nx_graph.edges]
        self.n_agents = len(nodes)
        named = [nx_graph.nodes[node].get("name") for node in nodes]
        if all(name is None for name in named):
            named = nodes if any(isinstance(node, str) for node in nodes) else []
        names = tuple(name for name in named if isinstance(name, str))
        if len(names) < len(named):
            raise ConfigError("graph must name all of its nodes with texts, or none")
        self.names: tuple[str, ...] | None = names or None
        # Refuses bad names and edges now rather than at the first reset.
        make_network(names or [f"agent {i}" for i in range(self.n_agents)], self.edges)


def _to_networkx(graph: object) -> "networkx.Graph[Any]":
    import networkx

    if isinstance(graph, Mapping):
        edges_key = "links" if "links" in graph else "edges"
        try:
            graph = networkx.node_link_graph(dict(graph), multigraph=False, edges=edges_key)
        except (KeyError, TypeError, ValueError, networkx.NetworkXError) as error:
            raise ConfigError(
                "graph is not node-link JSON ('nodes' with 'id', 'links' with 'source' and "
                f"'target'): {type(error).__name__}: {error}"
            ) from error
    if not isinstance(graph, networkx.Graph):
        raise ConfigError(
            f"graph must be a networkx.Graph or node-link JSON, got {type(graph).__name__}"
        )
    if graph.is_directed() or graph.is_multigraph():
        raise ConfigError("graph must be undirected and without parallel edges")
    return graph


# --- distances ---------------------------------------------------------------------------


def find_diameter(network: Network) -> int | None:
    """Return the exact diameter in hops, or None if not connected or above 2,000 agents.

    All breadth-first searches run at once on bit sets held in integers: after t steps, bit j
    of ball i tells whether agent j is within t hops of agent i. A step is one union per edge
    of the agents that don't reach everybody yet, a few milliseconds in all for 1,000 agents.
    """
    count = len(network.names)
    if count > MAX_EXACT_DIAMETER:
        return None
    everyone = (1 << count) - 1
    balls = [1 << i for i in range(count)]
    growing: Sequence[int] = range(count) if count > 1 else ()
    for hops in range(count):
        growing = [i for i in growing if balls[i] != everyone]
        if not growing:
            return hops
        wider = balls.copy()
        for i in growing:
            for j in network.neighbours[i]:
                wider[i] |= balls[j]
        balls = wider
    return None
