"""The graph baselines: success on the benchmark's networks, short messages, own views only."""

import json
from typing import Any

import networkx
import numpy as np
import pytest

import coordgym
from coordgym.episodes.rollout import rollout
from coordgym.policies.named import make_policy
from coordgym.policies.policy_map import PolicyMap
from coordgym.silo_env.graph import TASKS, parallel_env
from coordgym.silo_env.graph.networks.suites import LARGE_SUITE, SMALL_SUITE, SuiteNetwork

ENV_IDS = {entry.kwargs["task"]: entry.id for entry in coordgym.list_envs(family="graph")}


def play(task: str, policy: str, network: SuiteNetwork, **kwargs: Any) -> dict[str, Any]:
    env = coordgym.make(
        ENV_IDS[task], topology=network.topology, n_agents=network.n_agents, **kwargs
    )
    return dict(rollout(env, make_policy(policy), seed=network.seed).metrics)


def rate(task: str, policy: str, suite: tuple[SuiteNetwork, ...], **kwargs: Any) -> float:
    results = [play(task, policy, network, **kwargs) for network in suite]
    assert all(result["invalid_actions"] == 0 for result in results)
    return sum(result["success"] for result in results) / len(results)


def more_seeds(factor: int) -> tuple[SuiteNetwork, ...]:
    return tuple(
        network._replace(seed=network.seed + 100 * i)
        for i in range(factor)
        for network in SMALL_SUITE
    )


@pytest.mark.parametrize("task", sorted(TASKS))
def test_flooding_always_succeeds(task: str) -> None:
    kwargs = {"inputs": True} if task == "consensus" else {}
    assert rate(task, "graph:flood", SMALL_SUITE, **kwargs) == 1.0
    assert rate(task, "graph:flood", LARGE_SUITE[::9], **kwargs) == 1.0


@pytest.mark.heavy
@pytest.mark.parametrize("task", sorted(TASKS))
def test_flooding_always_succeeds_on_all_large_networks(task: str) -> None:
    assert rate(task, "graph:flood", LARGE_SUITE) == 1.0


@pytest.mark.parametrize(
    ("task", "least"),
    [
        ("coloring", 0.99),
        ("vertex_cover", 0.99),
        ("matching", 0.93),
        ("leader_election", 1.0),
        ("consensus", 1.0),
    ],
)
def test_small_messages_mostly_suffice(task: str, least: float) -> None:
    assert rate(task, "graph:small", more_seeds(4)) >= least


def test_small_messages_are_small() -> None:
    for task in TASKS:
        env = parallel_env(task, n_agents=16)
        policy = make_policy("graph:small")
        observations, infos = env.reset(seed=0)
        policy.reset(list(env.agents), infos, 0)
        while env.agents:
            actions = dict(policy.act(observations, infos))
            observations, _, _, _, infos = env.step(actions)
            for agent in env.agents:
                assert all(len(m) < 40 for m in infos[agent]["view"]["messages"].values())


def test_alphabetical_greed_is_worse_where_chains_are_long() -> None:
    for task in ("leader_election", "matching"):
        suite = more_seeds(3)
        assert rate(task, "graph:greedy", suite) < rate(task, "graph:small", suite)


def test_constant_answers_solve_consensus_without_inputs_only() -> None:
    assert rate("consensus", "graph:constant", SMALL_SUITE[:9]) == 1.0
    for task in ("coloring", "leader_election", "matching"):
        assert rate(task, "graph:constant", SMALL_SUITE[:9]) == 0.0


def test_random_is_near_its_closed_forms() -> None:
    n_agents, runs = 4, 400
    leaders = bits = 0
    for seed in range(runs):
        network = SuiteNetwork("ws", n_agents, seed)
        leaders += play("leader_election", "random", network, rounds=1)["success"]
        bits += play("consensus", "random", network, rounds=1)["success"]
    # Expected n/2^n = 0.25 and 2/2^n = 0.125; four standard deviations are 0.087 and 0.066.
    assert leaders / runs == pytest.approx(n_agents / 2**n_agents, abs=0.087)
    assert bits / runs == pytest.approx(2 / 2**n_agents, abs=0.066)


def test_flooding_with_few_rounds_uses_what_it_knows() -> None:
    suite = tuple(network for network in LARGE_SUITE if network.n_agents == 50)
    assert rate("vertex_cover", "graph:flood", suite, rounds="log") >= 0.8


def test_flooding_within_narrow_messages_takes_more_rounds() -> None:
    network = SuiteNetwork("ba", 16, 0)
    assert play("coloring", "graph:flood", network, max_message_chars=120, rounds=20)["success"]
    assert play("coloring", "graph:flood", network, max_message_chars=120)["invalid_actions"] == 0
    for chars in (20, 40, 80):  # too short for the names of all neighbours
        result = play("coloring", "graph:flood", network, max_message_chars=chars, rounds=60)
        assert (result["success"], result["invalid_actions"]) == (True, 0)


@pytest.mark.parametrize("task", sorted(TASKS))
def test_flooding_through_a_hub_keeps_to_the_limits(task: str) -> None:
    graph = networkx.star_graph(60)
    assert _metrics(task, graph, {}, rounds=3)["success"]
    # Room for 20 characters a neighbour: less than most records have.
    narrow = _metrics(task, graph, {"max_action_chars": 2_400}, rounds=100)
    assert narrow["success"]
    assert narrow["invalid_actions"] == 0


def _metrics(task: str, graph: networkx.Graph, limits: dict[str, int], rounds: int) -> Any:
    env = parallel_env(task, graph=graph, rounds=rounds, **limits)
    return rollout(env, make_policy("graph:flood"), seed=0).metrics


def test_flooding_falls_silent_when_everybody_knows_everything() -> None:
    env = parallel_env("coloring", n_agents=8, rounds=12)
    policy = make_policy("graph:flood")
    observations, infos = env.reset(seed=0)
    policy.reset(list(env.agents), infos, 0)
    while env.round < 12:
        observations, _, _, _, infos = env.step(dict(policy.act(observations, infos)))
    assert all(infos[agent]["view"]["messages"] == {} for agent in env.agents)


def test_names_with_separators_survive_flooding() -> None:
    graph = {
        "nodes": [{"id": i, "name": name} for i, name in enumerate(("A;b=c", "D:e, f", "Zoë 50%"))],
        "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}],
    }
    for task in TASKS:
        env = parallel_env(task, graph=graph)
        assert rollout(env, make_policy("graph:flood"), seed=0).metrics["success"]


def test_brains_read_their_own_view_only() -> None:
    """Garbled observations and infos stripped to the contract's keys change nothing."""
    env = parallel_env("matching", n_agents=12)
    for policy_name in ("graph:flood", "graph:small", "graph:greedy"):
        actions = []
        for garbled in (False, True):
            policy = make_policy(policy_name)
            observations, infos = env.reset(seed=3)
            policy.reset(list(env.agents), infos, 3)
            log = []
            while env.agents:
                shown = {a: "?" if garbled else text for a, text in observations.items()}
                views = {a: {"view": json.loads(json.dumps(i["view"]))} for a, i in infos.items()}
                step = dict(policy.act(shown, views if garbled else infos))
                log.append(step)
                observations, _, _, _, infos = env.step(step)
            actions.append(log)
        assert actions[0] == actions[1]


def successes_beside_a_liar(inputs: str) -> int:
    successes = 0
    for seed in range(6):
        env = parallel_env("consensus", n_agents=12, byzantine=1, inputs=inputs)
        policy = PolicyMap(
            {"byzantine": make_policy("graph:liar"), "*": make_policy("graph:flood")}
        )
        metrics = rollout(env, policy, seed=seed).metrics
        assert metrics["parse_failures"] == 0
        successes += metrics["success"]
    return successes


def test_a_liar_breaks_what_it_takes_part_in_and_is_survived() -> None:
    assert successes_beside_a_liar("any") < 6


def test_a_liar_does_not_turn_a_majority() -> None:
    assert successes_beside_a_liar("majority") == 6


def test_the_first_record_of_an_agent_counts() -> None:
    env = parallel_env("consensus", graph=networkx.path_graph(["Bo", "Cy", "Di"]), inputs=True)
    _, infos = env.reset(seed=0)
    policy = make_policy("graph:flood")
    policy.reset(["agent_0"], {"agent_0": infos["agent_0"]}, 0)
    for text in ("Ab=1:Cy;Ac=1:Cy", "Ab=0:Cy;Ab+1=0:Di;Ac=0:Cy"):
        view = {"phase": "message", "messages": {"Cy": text}}
        policy.act({"agent_0": ""}, {"agent_0": {**infos["agent_0"], "view": view}})
    view = {"phase": "answer", "messages": {}}
    (final,) = policy.act({"agent_0": ""}, {"agent_0": {**infos["agent_0"], "view": view}}).values()
    assert str(final).endswith("\n1")


class Babbler:
    """Sends texts that the baselines' own messages never hold."""

    name = "babbler"
    texts = (
        "9" * 5_000,
        "²",
        "٣!",
        "",
        ";;=;=:",
        "a=b=c",
        "x" * 5_000,
        "0",
        "1",
        "in",
        "gone",
        "+1=:a",
    )

    def reset(self, agents: Any, infos: Any, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.neighbours = {agent: infos[agent]["view"]["neighbours"] for agent in agents}

    def act(self, observations: Any, infos: Any) -> dict[str, str]:
        return {
            agent: json.dumps({name: str(self.rng.choice(self.texts)) for name in around})
            + "\n### Final Answer ### None"
            for agent, around in self.neighbours.items()
            if agent in observations
        }


@pytest.mark.parametrize("policy", ["graph:flood", "graph:small", "graph:greedy"])
@pytest.mark.parametrize("task", sorted(TASKS))
def test_honest_agents_survive_any_message(task: str, policy: str) -> None:
    for seed in range(5):
        env = parallel_env(task, n_agents=8, byzantine=3, max_message_chars=6_000, rounds=8)
        players = PolicyMap({"byzantine": Babbler(), "*": make_policy(policy)})
        episode = rollout(env, players, seed=seed)
        assert all(turn.valid for turn in episode.turns if episode.policies[turn.agent] == policy)


def test_the_oracle_of_the_family_is_flooding() -> None:
    env = coordgym.make("coordgym/GraphColoring-v0", n_agents=8)
    assert rollout(env, make_policy("oracle"), seed=1).metrics["success"]
