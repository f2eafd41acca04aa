"""Networks, names, diameters, rounds and graphs given by the user."""

import itertools

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordgym.errors import ConfigError
from coordgym.silo_env.graph import parallel_env
from coordgym.silo_env.graph.networks.given import GivenGraph
from coordgym.silo_env.graph.networks.names import FIRST_NAMES, draw_names
from coordgym.silo_env.graph.networks.network import find_diameter, make_network
from coordgym.silo_env.graph.networks.rounds import count_rounds
from coordgym.silo_env.graph.networks.suites import LARGE_SUITE, SMALL_SUITE
from coordgym.silo_env.graph.networks.topologies import TOPOLOGIES, draw_edges


def names_of(count: int) -> list[str]:
    return [f"a{i}" for i in range(count)]


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("n_agents", [4, 5, 8, 16, 60])
def test_topologies(topology: str, n_agents: int) -> None:
    for seed in range(3):
        edges = draw_edges(topology, n_agents, np.random.default_rng(seed))
        assert edges == draw_edges(topology, n_agents, np.random.default_rng(seed))
        assert all(type(end) is int for edge in edges for end in edge)
        graph = networkx.Graph(edges)
        assert sorted(graph.nodes) == list(range(n_agents))
        assert networkx.is_connected(graph)
        if topology == "ws":
            assert graph.number_of_edges() == (2 * n_agents if n_agents > 4 else 6)
        elif topology == "ba":
            assert graph.number_of_edges() == 2 * (n_agents - 2)
        else:
            assert networkx.is_planar(graph)
            assert graph.number_of_edges() >= 2 * n_agents - 3


def test_two_fifths_of_small_world_links_are_rewired() -> None:
    edges = draw_edges("ws", 1_000, np.random.default_rng(1))
    far = sum(min(j - i, 1_000 - j + i) > 2 for i, j in edges)
    assert 0.35 < far / len(edges) < 0.45


def test_documented_defaults() -> None:
    env = parallel_env()
    _, infos = env.reset(seed=0)
    view = infos["agent_0"]["view"]
    assert (view["n_agents"], view["rounds"], view["max_message_chars"]) == (8, 5, 4_000)
    assert env.limit == 5 + 1
    assert env.instance["topology"] == "ws"
    assert env.instance["byzantine"] == []


def prefixes(names: tuple[str, ...]) -> list[tuple[str, str]]:
    ordered = sorted(name.lower() for name in names)
    return [(a, b) for a, b in itertools.pairwise(ordered) if b.startswith(a)]


def test_names() -> None:
    assert len(FIRST_NAMES) == len(set(FIRST_NAMES)) == 200
    assert not prefixes(FIRST_NAMES)
    for count in (1, 8, 200):
        assert set(draw_names(count, np.random.default_rng(1))) <= set(FIRST_NAMES)
    many = draw_names(3_000, np.random.default_rng(1))
    assert len(set(many)) == 3_000
    assert set(many) > set(FIRST_NAMES)
    assert not prefixes(many)


@given(st.integers(1, 9), st.data())
def test_diameter_is_exact(count: int, data: st.DataObject) -> None:
    pairs = [(i, j) for j in range(count) for i in range(j)]
    edges = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    graph = networkx.empty_graph(count)
    graph.add_edges_from(edges)
    expected = networkx.diameter(graph) if networkx.is_connected(graph) else None
    assert find_diameter(make_network(names_of(count), edges)) == expected


def test_diameter_of_larger_networks() -> None:
    path = [(i, i + 1) for i in range(299)]
    assert find_diameter(make_network(names_of(300), path)) == 299
    assert find_diameter(make_network(names_of(300), [*path, (0, 299)])) == 150
    assert find_diameter(make_network(names_of(300), path[:-1])) is None
    dense = list(itertools.combinations(range(500), 2))
    assert find_diameter(make_network(names_of(500), dense)) == 1
    assert find_diameter(make_network(names_of(500), dense[1:])) == 2
    for topology in TOPOLOGIES:
        edges = draw_edges(topology, 150, np.random.default_rng(0))
        network = make_network(names_of(150), edges)
        assert find_diameter(network) == networkx.diameter(networkx.Graph(edges))


@pytest.mark.parametrize(
    ("rule", "n_agents", "diameter", "local", "expected"),
    [
        ("paper", 4, 1, True, 4),
        ("paper", 8, 3, True, 5),
        ("paper", 16, 4, True, 6),
        ("paper", 5, 2, True, 5),
        ("paper", 9, 2, True, 6),
        ("paper", 17, 4, True, 9),
        ("paper", 100, 6, True, 13),
        ("paper", 8, 3, False, 7),
        ("log", 100, None, False, 9),
        (3, 100, None, True, 3),
    ],
)
def test_rounds(
    rule: int | str, n_agents: int, diameter: int | None, local: bool, expected: int
) -> None:
    assert count_rounds(rule, n_agents, diameter, local) == expected


def test_paper_rounds_need_a_diameter() -> None:
    with pytest.raises(ConfigError, match="rounds='paper' needs a connected network"):
        count_rounds("paper", 8, None, True)
    apart = networkx.Graph([("Ada", "Bao"), ("Cleo", "Dov")])
    with pytest.raises(ConfigError, match="connected"):
        parallel_env(graph=apart).reset(seed=0)
    parallel_env(graph=apart, rounds=2).reset(seed=0)


def test_all_tasks_see_the_same_network() -> None:
    kept = ("names", "edges", "diameter")
    seen = set()
    for task in ("coloring", "leader_election", "consensus", "matching", "vertex_cover"):
        env = parallel_env(task, n_agents=12, topology="dt", byzantine=int(task == "matching"))
        env.reset(seed=3)
        seen.add(str([env.instance[key] for key in kept]))
    assert len(seen) == 1


def test_topologies_and_seeds_are_independent() -> None:
    seen = set()
    for topology in TOPOLOGIES:
        for seed in range(5):
            env = parallel_env(topology=topology, n_agents=12)
            env.reset(seed=seed)
            seen.add(str(env.instance["names"]))
    assert len(seen) == 15


def test_suites() -> None:
    assert len(SMALL_SUITE) == len(set(SMALL_SUITE)) == 27
    assert len(LARGE_SUITE) == len(set(LARGE_SUITE)) == 81


# --- graphs of the user ------------------------------------------------------------------

PUBLISHED = {
    "directed": False,
    "multigraph": False,
    "graph": {},
    "nodes": [{"id": 0, "name": "Ada"}, {"id": 1, "name": "Bao"}, {"id": 2, "name": "Joseph"}],
    "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}],
}


def test_node_link_json_and_networkx_graphs_agree() -> None:
    graph = networkx.Graph([("Ada", "Bao"), ("Bao", "Joseph")])
    one, two = GivenGraph(PUBLISHED), GivenGraph(graph)
    three = GivenGraph(networkx.node_link_data(graph, edges="edges"))
    assert one.names == two.names == three.names == ("Ada", "Bao", "Joseph")
    assert one.edges == two.edges == three.edges
    env = parallel_env(graph=PUBLISHED)
    _, infos = env.reset(seed=0)
    assert env.n_agents == 3
    assert infos["agent_1"]["view"]["neighbours"] == ["Ada", "Joseph"]


def test_agents_are_numbered_as_the_nodes_are_ordered() -> None:
    graph = networkx.Graph([("Zoe", "Bao"), ("Bao", "Ada")])
    assert GivenGraph(graph).names == ("Zoe", "Bao", "Ada")
    listed = {**PUBLISHED, "nodes": PUBLISHED["nodes"][::-1]}  # type: ignore[index]
    assert GivenGraph(listed).names == ("Joseph", "Bao", "Ada")
    assert sorted(map(sorted, GivenGraph(listed).edges)) == [[0, 1], [1, 2]]


def test_numbered_nodes_get_drawn_names() -> None:
    env = parallel_env(graph=networkx.cycle_graph(5))
    env.reset(seed=0)
    assert set(env.instance["names"]) <= set(FIRST_NAMES)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (networkx.DiGraph([("Ada", "Bao")]), "undirected"),
        (networkx.MultiGraph([("Ada", "Bao")]), "parallel edges"),
        (networkx.Graph([("Ada", "Ada")]), "own neighbour"),
        (networkx.Graph([("Ada", 1)]), "name all"),
        (networkx.Graph([("Ada", "None")]), "read like an answer"),
        (networkx.Graph([("Ada", "two\nlines")]), "printable"),
        (networkx.Graph([("Ada", '"quoted"')]), "letter or digit"),
        (networkx.Graph(), "1..10000 agents, got 0"),
        ({"links": []}, "node-link JSON"),
        ({**PUBLISHED, "nodes": [{"id": 0, "name": "A"}] * 2}, "name"),
        ([1, 2], "got list"),
    ],
)
def test_bad_graphs_are_refused(graph: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parallel_env(graph=graph)


def test_doubled_names_are_refused() -> None:
    with pytest.raises(ConfigError, match="'Ada' twice"):
        make_network(["Ada", "Bao", "Ada"], [])
