"""Who can reach whom: named topologies and graphs given by the user, as neighbour lists."""

from collections.abc import Iterable, Mapping
from typing import Any

from coordgym.errors import ConfigError, require_choice

TOPOLOGIES = ("complete", "ring", "star", "chain", "tree")


def neighbour_lists(topology: object, n_agents: int) -> tuple[tuple[int, ...], ...] | None:
    """Return each agent's neighbours in ascending order; None if everybody reaches everybody.

    Args:
        topology: "complete", "ring", "star" (agent 0 in the middle), "chain", "tree" (binary,
            agent 0 on top), a networkx graph on the nodes 0 … n_agents-1, its node-link JSON,
            or a list of its edges. Links go both ways; parallel ones count once.
        n_agents: Number of agents.

    Raises:
        ConfigError: If it is none of these, has other nodes, or is not connected.
    """
    if isinstance(topology, str):
        require_choice("topology", topology, TOPOLOGIES)
        if topology == "complete":
            return None
        edges: Iterable[Any] = _named_edges(topology, n_agents)
    elif hasattr(topology, "edges") and hasattr(topology, "nodes"):
        _require_agents(topology.nodes, n_agents)
        edges = topology.edges()  # pairs, of multigraphs too
    elif isinstance(topology, Mapping):
        edges = _links(topology, n_agents)
    elif isinstance(topology, list | tuple):
        edges = topology
    else:
        raise ConfigError(
            f"topology must be one of {', '.join(TOPOLOGIES)}, a networkx graph, its "
            f"node-link JSON or a list of edges, got {type(topology).__name__}"
        )
    neighbours: list[set[int]] = [set() for _ in range(n_agents)]
    for edge in edges:
        a, b = _edge(edge, n_agents)
        neighbours[a].add(b)
        neighbours[b].add(a)
    _require_connected(neighbours)
    return tuple(tuple(sorted(group)) for group in neighbours)


def _named_edges(topology: str, n_agents: int) -> list[tuple[int, int]]:
    chain = [(i, i + 1) for i in range(n_agents - 1)]
    if topology == "ring" and n_agents > 2:
        return [*chain, (n_agents - 1, 0)]
    if topology == "star":
        return [(0, i) for i in range(1, n_agents)]
    if topology == "tree":
        return [((i - 1) // 2, i) for i in range(1, n_agents)]
    return chain


def _links(graph: Mapping[str, Any], n_agents: int) -> list[Any]:
    """Return the edges of node-link JSON, which calls them "edges" or, as it used to, "links"."""
    try:
        _require_agents([node["id"] for node in graph.get("nodes", ())], n_agents)
        links = graph["links"] if "links" in graph else graph["edges"]
        return [(link["source"], link["target"]) for link in links]
    except (TypeError, KeyError) as error:
        raise ConfigError(
            'a topology as JSON must have "links" or "edges": a list of {"source": i, "target": j}'
        ) from error


def _require_agents(nodes: Iterable[object], n_agents: int) -> None:
    for node in nodes:
        if type(node) is not int or not 0 <= node < n_agents:
            raise ConfigError(
                f"the nodes of the topology must be the agents 0..{n_agents - 1}, got {node!r:.100}"
            )


def _edge(edge: Any, n_agents: int) -> tuple[int, int]:
    try:
        a, b = edge[0], edge[1]
        fits = len(edge) == 2 and a != b and all(type(x) is int and 0 <= x < n_agents for x in edge)
    except (TypeError, IndexError, KeyError):
        fits = False
    if not fits:
        raise ConfigError(
            f"an edge of the topology must join two of the agents 0..{n_agents - 1}, "
            f"got {edge!r:.100}"
        )
    return a, b


def _require_connected(neighbours: list[set[int]]) -> None:
    reached, frontier = {0}, [0]
    while frontier:
        new = neighbours[frontier.pop()] - reached
        reached |= new
        frontier += new
    if len(reached) < len(neighbours):
        alone = min(set(range(len(neighbours))) - reached)
        raise ConfigError(f"the topology is not connected: agent {alone} can't be reached from 0")
