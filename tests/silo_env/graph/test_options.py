"""The options of the family: what they change, and which values are refused."""

import json
from typing import Any

import networkx
import pytest
from path_of_four import AGENT, PATH, answer, finish, step

from coordgym.errors import ConfigError
from coordgym.policies.named import make_policy
from coordgym.policies.policy_map import PolicyMap
from coordgym.silo_env.graph import parallel_env


def test_know_n() -> None:
    told = parallel_env(n_agents=11)
    observations, infos = told.reset(seed=0)
    assert infos["agent_0"]["view"]["n_agents"] == 11
    assert "11 agents" in observations["agent_0"]
    hidden = parallel_env(n_agents=11, know_n=False)
    observations, infos = hidden.reset(seed=0)
    assert "n_agents" not in infos["agent_0"]["view"]
    assert "11" not in observations["agent_0"]


def test_loss_depends_on_seed_round_and_edge_only() -> None:
    def delivered(seed: int, loss: float, text: str) -> tuple[list[Any], dict[str, Any]]:
        env = parallel_env(n_agents=20, rounds=4, loss=loss)
        _, infos = env.reset(seed=seed)
        arrived = []
        for _ in range(4):
            actions = {
                agent: json.dumps(dict.fromkeys(env._static_view(agent)["neighbours"], text))
                for agent in env.agents
            }
            _, _, _, _, infos = env.step(actions)
            arrived.append([sorted(infos[agent]["view"]["messages"]) for agent in env.agents])
        return arrived, env.metrics()

    some, metrics = delivered(1, 0.3, "x")
    assert some == delivered(1, 0.3, "another text")[0]
    assert some != delivered(2, 0.3, "x")[0]
    assert some[0] != some[1]
    assert 0.15 < metrics["lost_messages"] / metrics["messages"] < 0.45
    assert delivered(1, 0.0, "x")[1]["lost_messages"] == 0
    everything = delivered(1, 1.0, "x")[1]
    assert everything["lost_messages"] == everything["messages"] == 4 * 80


def test_loss_on_an_edge_does_not_depend_on_other_messages() -> None:
    def arrived(senders: int) -> list[bool]:
        env = parallel_env(n_agents=12, rounds=6, loss=0.5)
        env.reset(seed=4)
        watched = env.instance["names"][11]
        (receiver, *_) = env._static_view("agent_11")["neighbours"]
        (agent,) = (a for a in env.agents if env._static_view(a)["name"] == receiver)
        seen = []
        for _ in range(6):
            actions = dict.fromkeys(env.agents, "{}")
            for sender in env.agents[12 - senders :]:
                around = env._static_view(sender)["neighbours"]
                actions[sender] = json.dumps(dict.fromkeys(around, "x"))
            _, _, _, _, infos = env.step(actions)
            seen.append(watched in infos[agent]["view"]["messages"])
        return seen

    assert arrived(1) == arrived(4) == arrived(12)
    assert len(set(arrived(1))) == 2


def test_inputs() -> None:
    env = parallel_env("consensus", n_agents=10, inputs=True, rounds=1)
    observations, infos = env.reset(seed=0)
    bits = [infos[agent]["view"]["input"] for agent in env.agents]
    assert bits == env.instance["inputs"]
    assert f"Your private input is {bits[0]}" in observations["agent_0"]
    with pytest.raises(ConfigError, match="consensus"):
        parallel_env("coloring", inputs=True)


def test_an_agreed_value_must_be_somebodys_input() -> None:
    instance = {"names": list(AGENT), "edges": [[0, 1], [1, 2], [2, 3]], "rounds": 1}
    for bits, value, success in (("1111", "0", False), ("1111", "1", True), ("0111", "0", True)):
        env = parallel_env("consensus", n_agents=4, inputs="any")
        env.reset(seed=0, options={"instance": {**instance, "inputs": list(bits)}})
        step(env)
        finish(env, *value * 4)
        assert env.metrics()["success"] is success


def test_an_agreed_value_must_be_the_input_of_an_honest_agent() -> None:
    env = parallel_env("consensus", graph=PATH, inputs="any")
    instance = {"names": list(AGENT), "edges": [[0, 1], [1, 2], [2, 3]], "rounds": 1}
    for byzantine, success in (([0], False), ([1], True)):
        given = {**instance, "inputs": list("0111"), "byzantine": byzantine}
        env.reset(seed=0, options={"instance": given})
        step(env)
        finish(env, *"0000")
        assert env.metrics()["success"] is success


def test_byzantine_agents_are_left_out_and_nobody_is_told() -> None:
    env = parallel_env("coloring", n_agents=12, byzantine=2)
    policy = PolicyMap({"byzantine": make_policy("graph:constant"), "*": make_policy("random")})
    policy.bind(env)
    assert env.groups() == {"byzantine": ()}
    observations, infos = env.reset(seed=5)
    policy.reset(list(env.agents), infos, 5)
    assert env.groups() == {"byzantine": env.byzantine_agents}
    assert len(env.byzantine_agents) == 2
    assert [policy.playing(agent).name for agent in env.agents].count("graph:constant") == 2
    assert all(policy.playing(agent).name == "graph:constant" for agent in env.byzantine_agents)
    assert "byzantine" not in str((observations, infos))
    assert "byzantine" not in env.state()


def test_a_lone_agent() -> None:
    graph = networkx.Graph()
    graph.add_node("Ada")
    for task, option in (("coloring", "Group 1"), ("matching", "None"), ("vertex_cover", "No")):
        env = parallel_env(task, graph=graph, rounds=1)
        env.reset(seed=0)
        env.step({"agent_0": ""})
        _, rewards, *_ = env.step({"agent_0": answer(option)})
        assert rewards == {"agent_0": 1.0}


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"task": "colouring"}, "did you mean 'coloring'"),
        ({"n_agents": 3}, r"4\.\.10000, got 3"),
        ({"n_agents": True}, "n_agents"),
        ({"topology": "ring"}, "topology must be one of"),
        ({"rounds": "papers"}, "did you mean 'paper'"),
        ({"rounds": 0}, "rounds"),
        ({"retries": -1}, "retries"),
        ({"loss": 1.5}, "loss"),
        ({"byzantine": 8}, r"byzantine must be 0\.\.7"),
        ({"reward": "points"}, "reward must be one of"),
        ({"max_message_chars": 0}, "max_message_chars"),
        ({"graph": PATH, "n_agents": 5}, "graph has 4 nodes"),
    ],
)
def test_bad_settings_are_refused(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parallel_env(**kwargs)
