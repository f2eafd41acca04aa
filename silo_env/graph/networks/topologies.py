"""Random networks of three topologies.

``ws``: connected Watts–Strogatz graphs (k = 4, p = 0.4); ``ba``: Barabási–Albert graphs
(m = 2); ``dt``: Delaunay triangulations of uniform points in the unit square. These are the
families of AgentsNet (arXiv 2507.08616).
"""

from typing import Any

import numpy as np

from coordgym.errors import require_choice

TOPOLOGIES = ("ws", "ba", "dt")
WS_NEIGHBOURS = 4
"""Ring neighbours k of each agent before rewiring."""
WS_REWIRING = 0.4
"""Probability p of rewiring an edge."""
BA_EDGES = 2
"""Edges m that each new agent brings."""
MIN_AGENTS = 4
"""Smallest generated network."""


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
