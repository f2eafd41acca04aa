"""The options of the computation environment, and instances that are given to it."""

import copy
import itertools
import json

import networkx as nx
import numpy as np
import pytest

import coordgym
from coordgym.errors import ConfigError, InstanceError, UnknownKwargError
from coordgym.silo_env.compute import parallel_env, verify

PROTOCOLS = ("p2p", "broadcast", "shared_files")
SHARDS = [[3, 1], [17, -4], [5]]


@pytest.mark.parametrize(
    ("kwargs", "reason"),
    [
        ({"n_agents": 1}, "oracle=True"),
        ({"n_agents": 1001}, "2..1000, got 1001"),
        ({"n_agents": True}, "n_agents"),
        ({"protocol": "p3p"}, "p2p"),
        ({"task": "I-99"}, "task"),
        ({"topology": "rong"}, "ring"),
        ({"topology": [[0, 1]]}, "not connected"),
        ({"topology": [[0, 9]]}, "edge"),
        ({"topology": "ring", "protocol": "shared_files"}, "topology"),
        ({"message_loss": 1.5}, "message_loss"),
        ({"overlap": -1}, "overlap"),
        ({"max_inbox_chars": 10}, "max_inbox_chars"),
        ({"params": {"items": 0}}, "items"),
        ({"params": {"low": 5, "high": 4}}, "low"),
    ],
)
def test_bad_options_raise_and_name_the_value(kwargs, reason):
    with pytest.raises(ConfigError, match=reason):
        parallel_env(**{"n_agents": 3, **kwargs})


def test_an_unknown_parameter_names_the_nearest():
    with pytest.raises(UnknownKwargError, match="items"):
        parallel_env(n_agents=3, params={"item": 4})


@pytest.mark.parametrize(
    ("instance", "reason"),
    [
        ({"shards": [[1], [2]]}, "2 shards"),
        ({"shards": [[1], [2], ["x"]]}, r"shards\[2\]"),
        ({"shards": [[], [], []]}, "empty"),
        ({"shard": [[1], [2], [3]]}, "shards"),
        ({"shards": SHARDS, "answer": 4}, "not the solution"),
        ({"shards": SHARDS, "task": "I-02"}, "I-02"),
        ({"shards": [[1], [2], [True]]}, r"shards\[2\]"),
        ({"shards": 5}, "shards"),
    ],
)
def test_bad_instances_raise(instance, reason):
    with pytest.raises(InstanceError, match=reason):
        parallel_env(n_agents=3).reset(seed=1, options={"instance": instance})


def test_an_environments_own_instance_can_be_given_back():
    env = parallel_env(n_agents=4, overlap=3)
    env.reset(seed=5)
    own = copy.deepcopy(env.instance)
    other = parallel_env(n_agents=4)
    other.reset(seed=6, options={"instance": own})
    assert other.instance == own


def test_overlap_shares_items_with_the_next_agent():
    plain, shared = parallel_env(n_agents=4), parallel_env(n_agents=4, overlap=3)
    plain.reset(seed=5)
    shared.reset(seed=5)
    one, two = plain.instance["shards"], shared.instance["shards"]
    assert two[0] == one[0]
    assert two[1:] == [a[-3:] + b for a, b in itertools.pairwise(one)]
    assert plain.instance["answer"] == shared.instance["answer"]


def test_an_agent_with_fewer_items_shares_all_of_them():
    plain, shared = parallel_env(n_agents=3), parallel_env(n_agents=3, overlap=50)
    plain.reset(seed=5)
    shared.reset(seed=5)
    one, two = plain.instance["shards"], shared.instance["shards"]
    assert two == [one[0], one[0] + one[1], one[1] + one[2]]


def test_the_oracle_holds_everything_and_can_only_wait_and_submit():
    env = parallel_env(n_agents=5, oracle=True)
    observations, infos = env.reset(seed=4)
    assert env.agents == ["agent_0"]
    assert len(infos["agent_0"]["view"]["shard"]) == 5
    assert "alone to solve" not in observations["agent_0"]
    assert "No single agent" not in observations["agent_0"]
    assert infos["agent_0"]["view"]["functions"] == ["wait", "submit_result"]
    _, rewards, _, _, infos = env.step({"agent_0": f"submit_result({env.instance['answer']})"})
    assert rewards == {"agent_0": 1.0}
    assert infos["agent_0"]["metrics"]["D"] == 0.0
    assert verify(env.instance, env.outcome()).success


def test_the_oracles_instance_is_that_of_the_team():
    team, oracle = parallel_env(n_agents=5), parallel_env(n_agents=5, oracle=True)
    team.reset(seed=4)
    oracle.reset(seed=4)
    assert team.instance["shards"] == oracle.instance["shards"]


def test_prompt_styles():
    guided = parallel_env(n_agents=3).reset(seed=1)[1]["agent_0"]["instructions"]
    minimal = parallel_env(n_agents=3, prompt_style="minimal").reset(seed=1)[1]["agent_0"]
    assert "HINT" in guided
    assert "HINT" not in minimal["instructions"]
    for text in (guided, minimal["instructions"]):
        assert "No single agent" in text
        for word in ("star", "chain", "ring", "tree", "leader", "coordinator"):
            assert word not in text.lower().replace("start", "")


CYCLE = nx.cycle_graph(4)


@pytest.mark.parametrize(
    "topology",
    [
        "ring",
        CYCLE,
        nx.DiGraph([(0, 1), (1, 2), (2, 3), (0, 3)]),
        nx.MultiGraph([*CYCLE.edges, (1, 0)]),
        nx.node_link_data(CYCLE, edges="links"),
        nx.node_link_data(CYCLE, edges="edges"),
        [list(edge) for edge in CYCLE.edges],
    ],
    ids=lambda topology: type(topology).__name__,
)
def test_topologies_are_told_and_may_be_graphs(topology):
    env = coordgym.make("I-01", n_agents=4, topology=topology).unwrapped
    observations, infos = env.reset(seed=1)
    assert infos["agent_0"]["view"]["neighbours"] == [1, 3]
    assert "linked only with these agents: 1, 3" in observations["agent_0"]
    again = coordgym.make("I-01", **json.loads(json.dumps(env.spec.kwargs)))
    assert again.reset(seed=1)[0] == observations


@pytest.mark.parametrize(
    ("topology", "graph"),
    [
        ("ring", nx.cycle_graph(9)),
        ("star", nx.star_graph(8)),
        ("chain", nx.path_graph(9)),
        ("tree", nx.full_rary_tree(2, 9)),
    ],
)
def test_named_topologies_by_networkx(topology, graph):
    _, infos = parallel_env(n_agents=9, topology=topology).reset(seed=1)
    told = {info["view"]["agent_id"]: info["view"]["neighbours"] for info in infos.values()}
    assert told == {node: sorted(graph[node]) for node in graph}


@pytest.mark.parametrize("topology", ["complete", "ring", "star", "chain", "tree"])
def test_two_agents_are_neighbours_in_every_topology(topology):
    env = parallel_env(n_agents=2, topology=topology)
    env.reset(seed=1)
    *_, infos = env.step({"agent_0": 'send_message(1, "x")', "agent_1": 'send_message(0, "y")'})
    assert [len(infos[agent]["view"]["messages"]) for agent in env.agents] == [1, 1]


@pytest.mark.parametrize(
    ("topology", "reason"),
    [
        (nx.path_graph(5), "nodes of the topology must be the agents 0..3, got 4"),
        (nx.compose(nx.path_graph(4), nx.empty_graph(5)), "0..3, got 4"),
        (nx.path_graph("abcd"), "got 'a'"),
        (nx.node_link_data(nx.path_graph(5), edges="links"), "0..3, got 4"),
        (nx.path_graph(3), "agent 3 can't be reached"),
        (nx.Graph([(0, 1), (2, 3)]), "not connected"),
        ({"nodes": [{"id": 0}]}, '"links" or "edges"'),
        ({"links": [1, 2]}, '"links" or "edges"'),
        ([[0, 1, 2]], "edge"),
        ([[1, 1]], "edge"),
        (7, "networkx graph"),
    ],
    ids=range(11),
)
def test_topologies_of_others_than_the_agents_are_refused(topology, reason):
    with pytest.raises(ConfigError, match=reason):
        parallel_env(n_agents=4, topology=topology)


def test_the_same_seed_gives_the_same_instance_whatever_the_protocol():
    instances = []
    for protocol in PROTOCOLS:
        env = parallel_env(n_agents=7, protocol=protocol)
        env.reset(seed=11)
        instances.append(env.instance)
    assert instances[0] == instances[1] == instances[2]
    shards = instances[0]["shards"]
    assert [len(shard) for shard in shards] == [20] * 7
    assert all(-1000 <= item <= 1000 for shard in shards for item in shard)
    assert instances[0]["answer"] == max(max(shard) for shard in shards)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"max_message_chars": 1},
        {"max_message_chars": 9},
        {"max_calls": 1},
        {"max_calls": 2},
        {"max_action_chars": 6},
        {"max_action_chars": 40},
        {"max_action_chars": 70, "max_calls": 3},
    ],
    ids=str,
)
def test_samples_and_random_actions_are_valid_within_any_limits(protocol, limits):
    env = parallel_env(n_agents=4, protocol=protocol, **limits)
    env.reset(seed=1)
    space, rng = env.action_space("agent_1"), np.random.default_rng(1)
    space.seed(0)
    drawn = {space.sample() for _ in range(150)}
    assert not any("submit_result" in text for text in drawn)
    drawn |= {env.random_action("agent_1", rng) for _ in range(150)}
    for text in drawn:
        assert space.contains(text)
        assert env.check_action("agent_1", text) is None, text


def test_samples_speak_where_there_is_room():
    for protocol, call in (("p2p", "send_"), ("broadcast", "broadcast_"), ("shared_files", "read")):
        env = parallel_env(n_agents=4, protocol=protocol, max_calls=4, max_message_chars=3)
        env.reset(seed=1)
        space = env.action_space("agent_1")
        space.seed(0)
        assert any(call in space.sample() for _ in range(20))
    tiny = parallel_env(n_agents=4, max_action_chars=5)
    tiny.reset(seed=1)
    assert tiny.action_space("agent_0").contains(tiny.action_space("agent_0").sample())
