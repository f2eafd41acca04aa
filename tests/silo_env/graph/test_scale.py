"""Large networks, and the benchmark's two sets of networks as plans."""

import json

import pytest

import coordgym
from coordgym.episodes.rollout import rollout
from coordgym.policies.named import make_policy
from coordgym.runs.plan_file import load_plan
from coordgym.silo_env.graph import TASKS, parallel_env
from coordgym.silo_env.graph.networks.suites import LARGE_SUITE, SMALL_SUITE, SuiteNetwork
from coordgym.silo_env.graph.networks.topologies import TOPOLOGIES

ENV_IDS = [
    f"coordgym/Graph{task}-v0"
    for task in ("Coloring", "LeaderElection", "Consensus", "Matching", "VertexCover")
]


@pytest.mark.parametrize(
    ("task", "topology"),
    [
        ("coloring", "ws"),
        ("matching", "ba"),
        ("vertex_cover", "dt"),
        ("leader_election", "ba"),
        ("consensus", "ws"),
    ],
)
def test_a_thousand_agents_play_with_small_messages(task: str, topology: str) -> None:
    env = parallel_env(task, n_agents=1_000, topology=topology)
    metrics = rollout(env, make_policy("graph:small"), seed=1).metrics
    assert metrics["success"] is True
    assert metrics["invalid_actions"] == 0
    assert metrics["rounds"] == 2 * env.instance["diameter"] + 2


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_ten_thousand_agents_take_a_number_of_rounds(topology: str) -> None:
    env = parallel_env("vertex_cover", n_agents=10_000, topology=topology, rounds=1)
    _, infos = env.reset(seed=1)
    assert env.instance["diameter"] is None
    first = {agent: infos[agent]["view"]["neighbours"][0] for agent in env.agents}
    messages = {agent: json.dumps({name: "hi"}) for agent, name in first.items()}
    _, _, _, _, infos = env.step(messages)
    delivered = [len(infos[agent]["view"]["messages"]) for agent in env.agents]
    assert sum(delivered) == env.metrics()["messages"] == 10_000
    solution = zip(env.agents, env.instance["solution"], strict=True)
    env.step({agent: f"### Final Answer ###\n{option}" for agent, option in solution})
    assert env.metrics()["success"] is True


# --- the benchmark sets as plans -------------------------------------------------------------


@pytest.mark.parametrize(("plan", "suite"), [("graph-27", SMALL_SUITE), ("graph-81", LARGE_SUITE)])
def test_plans_play_all_tasks_on_the_networks_of_the_set(
    plan: str, suite: tuple[SuiteNetwork, ...]
) -> None:
    cells = list(load_plan(plan).cells())
    policies = {cell.policy.name for cell in cells}
    assert policies == {"random", "graph:greedy", "graph:small", "graph:flood"}
    for policy in policies:
        planned = [
            (cell.env.id, SuiteNetwork(seed=cell.seed, **cell.env.kwargs))
            for cell in cells
            if cell.policy.name == policy
        ]
        assert sorted(planned) == sorted((task, net) for task in ENV_IDS for net in suite)


def test_the_ids_of_the_sets_are_those_of_the_tasks() -> None:
    names = ("coloring", "leader_election", "consensus", "matching", "vertex_cover")
    assert set(names) <= set(TASKS)
    for env_id, task in zip(ENV_IDS, names, strict=True):
        env = coordgym.make(env_id, n_agents=4)
        env.reset(seed=0)
        assert env.unwrapped.instance["task"] == task
