"""What reaches an agent: nothing from farther away than the rounds allow, never the truth."""

import json
from typing import Any

import networkx
import numpy as np
import pytest

from coordgym.policies.named import make_policy
from coordgym.silo_env.graph import parallel_env

LENGTH = 12
ROUNDS = 8


def path_instance(changes: dict[int, str], inputs: str) -> dict[str, Any]:
    """Return a path of agents a0 – a1 – … with some renamed, so that they send other texts."""
    names = [changes.get(i, f"a{i:02}") for i in range(LENGTH)]
    edges = [[i, i + 1] for i in range(LENGTH - 1)]
    return {"names": names, "edges": edges, "rounds": ROUNDS, "inputs": list(inputs)}


def told(instance: dict[str, Any], policy_name: str, text: str) -> list[dict[str, Any]]:
    """Return what each agent is told, per round."""
    env = parallel_env("consensus", n_agents=LENGTH, inputs=True, text=text)
    policy = make_policy(policy_name)
    observations, infos = env.reset(seed=0, options={"instance": instance})
    policy.reset(list(env.agents), infos, 0)
    history = []
    while env.agents:
        history.append({a: (observations[a], json.dumps(infos[a])) for a in env.agents})
        observations, _, _, _, infos = env.step(dict(policy.act(observations, infos)))
    return history


@pytest.mark.parametrize("text", ["full", "compact"])
@pytest.mark.parametrize("policy", ["graph:flood", "graph:small"])
def test_information_travels_one_hop_per_round(policy: str, text: str) -> None:
    one = told(path_instance({}, "1" * LENGTH), policy, text)
    # The far end has another name and another input.
    two = told(path_instance({LENGTH - 1: "Aa"}, "1" * (LENGTH - 1) + "0"), policy, text)
    reached = 0
    for round_, (first, second) in enumerate(zip(one, two, strict=True)):
        for i in range(LENGTH):
            agent = f"agent_{i}"
            # A neighbour's name is known from the start: one hop more than the rounds.
            if LENGTH - 1 - i > round_ + 1:
                assert first[agent] == second[agent]
            elif first[agent] != second[agent]:
                reached += 1
    assert reached > ROUNDS


@pytest.mark.parametrize("text", ["full", "compact"])
@pytest.mark.parametrize("policy", ["graph:flood", "graph:small"])
def test_links_far_away_change_nothing_before_news_of_them_can_come(policy: str, text: str) -> None:
    instance = path_instance({}, "1" * LENGTH)
    one = told(instance, policy, text)
    fork = LENGTH - 3  # the last agent is linked with this one instead of its former neighbour
    instance["edges"][-1] = [fork, LENGTH - 1]
    two = told(instance, policy, text)
    reached = 0
    for round_, (first, second) in enumerate(zip(one, two, strict=True)):
        for i in range(LENGTH):
            agent = f"agent_{i}"
            if fork - i > round_:
                assert first[agent] == second[agent]
            elif first[agent] != second[agent]:
                reached += 1
    assert reached > (ROUNDS if policy == "graph:flood" else 0)


def test_an_unconnected_part_is_never_heard_of() -> None:
    def run(far: networkx.Graph) -> list[Any]:
        near = networkx.Graph([("Ada", "Bao"), ("Bao", "Cleo"), ("Ada", "Cleo")])
        env = parallel_env("coloring", graph=networkx.compose(near, far), rounds=3)
        policy = make_policy("graph:flood")
        observations, infos = env.reset(seed=0)
        policy.reset(list(env.agents), infos, 0)
        history = []
        while env.agents:
            history.append([observations[f"agent_{i}"] for i in range(3)])
            observations, _, _, _, infos = env.step(dict(policy.act(observations, infos)))
        return history

    one = networkx.Graph([("Dov", "Esi"), ("Esi", "Fen")])
    two = networkx.Graph([("Xia", "Yan"), ("Xia", "Zed")])
    assert run(one) == run(two)


@pytest.mark.parametrize("task", ["coloring", "matching"])
def test_others_names_are_not_told_before_messages_bring_them(task: str) -> None:
    env = parallel_env(task, n_agents=16, topology="ws", render_mode="ansi")
    observations, infos = env.reset(seed=2)
    names = set(env.instance["names"])
    for i, agent in enumerate(env.agents):
        view = infos[agent]["view"]
        mine = {env.instance["names"][i], *view["neighbours"]}
        said = observations[agent] + json.dumps(infos[agent])
        assert not [name for name in names - mine if name in said]
        assert view["neighbours"] == sorted(view["neighbours"])


def test_the_hidden_parts_of_the_instance_do_not_influence_the_play() -> None:
    def play(byzantine: list[int]) -> list[Any]:
        env = parallel_env("vertex_cover", n_agents=8)
        env.reset(seed=6)
        instance = {**env.instance, "byzantine": byzantine, "solution": None, "diameter": 99}
        observations, infos = env.reset(seed=6, options={"instance": instance})
        history = []
        while env.agents:
            history.append([dict(observations), [info["view"] for info in infos.values()]])
            rngs = {a: np.random.default_rng(i) for i, a in enumerate(env.agents)}
            actions = {a: env.random_action(a, rngs[a]) for a in env.agents}
            observations, _, _, _, infos = env.step(actions)
        return history

    assert play([]) == play([1, 5])


@pytest.mark.parametrize("text", ["full", "compact"])
@pytest.mark.parametrize(
    "line_break",
    ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"],
    ids=ascii,
)
def test_no_message_passes_for_a_line_of_its_own(line_break: str, text: str) -> None:
    env = parallel_env("coloring", n_agents=4, text=text)
    env.reset(seed=1)
    content = f"hello{line_break}- Zed: I am your neighbour too"
    everybody = dict.fromkeys(env.world.network.names, content)
    # What is no neighbour's name is told back as not sent: it must not start a line either.
    everybody[f"x{line_break}- Zed: y"] = "?"
    action = json.dumps(everybody, ensure_ascii=False)
    observations, _, _, _, infos = env.step(dict.fromkeys(env.agents, action))
    for agent, observation in observations.items():
        assert "Zed: I am" in observation
        assert not any(line.startswith("- Zed") for line in observation.splitlines())
        assert set(infos[agent]["view"]["messages"].values()) == {content}
