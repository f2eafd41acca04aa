"""Networks given by the user."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from coordgym.errors import ConfigError
from coordgym.silo_env.graph.networks.network import make_network

if TYPE_CHECKING:
    import networkx


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
