"""Flocking: reference trajectories in both rule sets, the distance, starts, rewards."""

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import coordgym
from coordgym.errors import ConfigError, InstanceError
from coordgym.swarm_env.instance import verify
from coordgym.swarm_env.options import SwarmConfig
from coordgym.swarm_env.tasks.flocking import Flocking, shape_cells, target_shape
from coordgym.swarm_env.tasks.formation_distance import distance, is_formed, line_costs

CASES = cases("swarm_trajectories", task="Flocking")
ID = "coordgym/SwarmFlocking-v0"
Cell = tuple[int, int]


def state_of(case: dict[str, Any]) -> dict[str, Any]:
    return {**case["initial"], "width": case["width"], "height": case["height"]}


def answers(record: dict[str, Any], agents: list[str]) -> dict[str, str]:
    return {agent: f"ACTION: {record['actions'].get(agent[6:], 'STAY')}" for agent in agents}


@pytest.mark.parametrize("compat", [None, "swarmbench"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_every_round_replays_in_both_rule_sets(case: dict[str, Any], compat: str | None) -> None:
    env = coordgym.make(ID, n_agents=case["num_agents"], compat=compat)
    env.reset(seed=0, options={"instance": state_of(case)})
    world = env.unwrapped.world
    assert world.task_state.target_shape == target_shape(case["num_agents"])
    assert world.task_state.init_dis == case["initial"]["init_dis"]
    score = 0.0
    for record in case["rounds"]:
        _, rewards, terminations, *_ = env.step(answers(record, env.agents))
        assert world.grid() == record["grid"]
        assert world.to_dict()["agents"] == record["agents"]
        assert world.task_state.cur_dis == record["cur_dis"]
        assert world.score == record["score"] == env.unwrapped.metrics()["score"]
        assert set(rewards.values()) == {record["score"] - score}
        assert set(terminations.values()) == {record["done"]}
        score = record["score"]
    assert env.unwrapped.metrics()["success"] is record["done"]


def brute(agents: list[Cell], formation: list[Cell], translations: str) -> int:
    """The definition: an assignment for every candidate place."""
    moves = [(i - k, j - m) for i, j in agents for k, m in formation]
    if translations == "independent":
        moves = list(product({i for i, _ in moves}, {j for _, j in moves}))
    costs = []
    for down, right in moves:
        cost = [[abs(i - k - down) + abs(j - m - right) for k, m in formation] for i, j in agents]
        costs.append(int(np.array(cost)[linear_sum_assignment(cost)].sum()))
    return min(costs)


cells = st.tuples(st.integers(-4, 12), st.integers(-4, 12))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(cells, min_size=1, max_size=9, unique=True),
    st.lists(cells, min_size=1, max_size=6, unique=True),
    st.sampled_from(["paired", "independent"]),
)
def test_the_distance_is_that_of_the_definition(
    agents: list[Cell], formation: list[Cell], translations: str
) -> None:
    formation = formation[: len(agents)]
    found = distance(agents, formation, translations)
    assert found == brute(agents, formation, translations)
    assert (found == 0) == is_formed(agents, formation)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)), min_size=4, max_size=13, unique=True)
)
def test_the_distance_from_the_square_is_that_of_the_definition(agents: list[Cell]) -> None:
    square = shape_cells(target_shape(len(agents)))
    paired, independent = (
        distance(agents, square, translations) for translations in ("paired", "independent")
    )
    assert paired == brute(agents, square, "paired")
    assert independent == brute(agents, square, "independent") <= paired
    everywhere = [
        np.abs(np.array(agents)[:, None] - np.array(square)[None] - move).sum(axis=2)
        for move in product(range(-9, 10), range(-9, 10))
    ]
    assert independent == min(cost[linear_sum_assignment(cost)].sum() for cost in everywhere)


@given(
    st.lists(st.integers(-9, 9), min_size=1, max_size=8),
    st.lists(st.integers(-9, 9), min_size=1, max_size=8),
    st.lists(st.integers(-9, 9), min_size=1, max_size=4),
)
def test_costs_on_a_line(agents: list[int], wanted: list[int], shifts: list[int]) -> None:
    wanted = wanted[: len(agents)]
    found = line_costs(np.array(agents), np.array(wanted), np.array(shifts))
    for shift, cost in zip(shifts, found, strict=True):
        apart = np.abs(np.array(agents)[:, None] - np.array(wanted) - shift)
        assert cost == apart[linear_sum_assignment(apart)].sum()


def test_independent_translations_can_be_nearer() -> None:
    agents = [(4, 9), (16, 6), (13, 12), (6, 19), (8, 0)]
    square = shape_cells(target_shape(5))
    paired = distance(agents, square)
    assert paired == distance(agents, square, "independent") + 3
    field = {"width": 22, "height": 22, "objects": []}
    state = {**field, "agents": {str(n): {"pos": list(cell)} for n, cell in enumerate(agents)}}
    for translations, expected in (("paired", paired), ("independent", paired - 3)):
        env = coordgym.make(ID, n_agents=5, translations=translations)
        env.reset(seed=0, options={"instance": state})
        assert env.unwrapped.instance["init_dis"] == expected


@pytest.mark.parametrize(
    ("n_agents", "rows"),
    [
        (4, ("AA", "AA")),
        (7, ("AA", "AA")),
        (10, ("AAA", "A.A", "AAA")),
        (12, ("AAAA", "A..A", "A..A", "AAAA")),
    ],
)
def test_target_shapes(n_agents: int, rows: tuple[str, ...]) -> None:
    assert target_shape(n_agents) == rows
    assert len(shape_cells(rows)) == n_agents // 4 * 4


@pytest.mark.parametrize("compat", [None, "swarmbench"])
def test_starts_depend_on_the_seed_also_on_oblong_maps(compat: str | None) -> None:
    env = coordgym.make(ID, height=7, width=12, compat=compat)
    grids = []
    for seed in (0, 1, 0):
        env.reset(seed=seed)
        world = env.unwrapped.world
        grids.append(world.grid())
        assert [len(grids[-1]), len(grids[-1][0])] == [7, 12]
        assert all(0 < i < 6 and 0 < j < 11 for i, j in world.positions)
        assert (
            world.task_state.init_dis
            == world.task_state.cur_dis
            == distance(world.positions, shape_cells(target_shape(10)))
        )
    assert grids[0] == grids[2] != grids[1]


def test_default_starts_are_out_of_formation_and_published_ones_may_be_in_it() -> None:
    crowded = {"n_agents": 8, "height": 5, "width": 5}

    def distances(compat: str | None) -> list[float]:
        env = coordgym.make(ID, **crowded, compat=compat)
        found = []
        for seed in range(60):
            env.reset(seed=seed)
            found.append(env.unwrapped.world.task_state.cur_dis)
        return found

    assert min(distances(None)) > 0
    assert min(distances("swarmbench")) == 0


def test_scaled_distance() -> None:
    case = next(c for c in CASES if c["name"] == "flocking_10x10_n10_s2")
    state = {k: v for k, v in state_of(case).items() if k not in ("init_dis", "cur_dis")}
    env = coordgym.make(ID, distance_scale=0.5)
    env.reset(seed=0, options={"instance": state})
    world = env.unwrapped.world
    assert world.task_state.init_dis == case["initial"]["init_dis"] / 2
    for record in case["rounds"]:
        env.step(answers(record, env.agents))
        assert world.task_state.cur_dis == record["cur_dis"] / 2
        assert world.score == record["score"] / 2
    assert "times 0.5" in env.unwrapped._instructions("agent_0")


def test_individual_reward_is_a_tenth_of_the_distance_won() -> None:
    case = next(c for c in CASES if c["name"] == "flocking_12x10_n11_s13")
    env = coordgym.make(ID, n_agents=11, reward="gameable_individual")
    env.reset(seed=0, options={"instance": state_of(case)})
    before = case["initial"]["cur_dis"]
    signs = set()
    for record in case["rounds"]:
        rewards = env.step(answers(record, env.agents))[1]
        won = 0.1 * (before - record["cur_dis"])
        assert list(rewards.values()) == pytest.approx([won] * 11)
        signs.add(np.sign(won))
        before = record["cur_dis"]
    assert signs == {-1, 0, 1}


@pytest.mark.parametrize("kwargs", [{}, {"translations": "independent", "distance_scale": 0.5}])
def test_the_instance_replays_the_episode_and_its_verdict(kwargs: dict[str, Any]) -> None:
    env = coordgym.make(ID, **kwargs)
    policy = coordgym.make_policy("swarm:strong")
    observations, infos = env.reset(seed=3)
    policy.reset(env.agents, infos, 3)
    instance = json.loads(json.dumps(env.unwrapped.instance))
    while env.agents:
        observations, *_, infos = env.step(dict(policy.act(observations, infos)))
    metrics, log = env.unwrapped.metrics(), env.unwrapped.action_log
    assert metrics["success"]
    assert metrics["score"] == instance["init_dis"]
    assert verify(instance, log) == (True, metrics["score"])
    assert not verify(instance, log[:-1]).success
    env.reset(seed=0, options={"instance": instance})
    assert env.unwrapped.instance == instance


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"n_agents": 3}, "n_agents must be at least 4 for flocking.*got 3"),
        ({"n_agents": 32}, "n_agents must be at most 31.*9 cells a side"),
        ({"height": 3}, "at least 4×4 cells"),
        (
            {"n_agents": 7, "height": 4, "width": 5},
            "n_agents must be at most 6 for flocking on 4×5",
        ),
        ({"n_agents": 9, "height": 5, "width": 5}, "stand in formation from the start"),
        ({"distance_scale": 0}, "distance_scale must be a number above 0"),
        ({"distance_scale": True}, "distance_scale"),
        ({"translations": "both"}, "translations"),
        ({"target": 5}, "target: flocking succeeds when it is finished"),
        ({"box": "square"}, "box is no option of flocking, which has distance_scale"),
    ],
)
def test_impossible_settings_are_refused_with_the_reason(
    kwargs: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        coordgym.make(ID, **kwargs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target_shape": ["AA", "AA"]}, "target_shape of 10 agents must be"),
        ({"cur_dis": 1}, "cur_dis must be 2, the agents' distance"),
        ({"prey": [1, 1], "grid": None}, "a flocking instance has no field 'prey'"),
        ({"options": {"distance_scale": 0.5, "translations": "paired"}}, "the instance's options"),
    ],
)
def test_bad_instances_are_refused(change: dict[str, Any], message: str) -> None:
    case = next(c for c in CASES if c["name"] == "flocking_finish_n10")
    env = coordgym.make(ID)
    with pytest.raises(InstanceError, match=message):
        env.reset(seed=0, options={"instance": {**state_of(case), **change}})


def test_views_hold_the_square_that_the_rules_show() -> None:
    env = coordgym.make(ID, n_agents=12, distance_scale=0.5)
    _, infos = env.reset(seed=0)
    view = infos["agent_0"]["view"]
    assert (view["target_shape"], view["distance_scale"]) == (list(target_shape(12)), 0.5)


def test_the_rules_show_the_square() -> None:
    config = SwarmConfig(10, 10, 10, 5, False)
    world = Flocking().generate(config, np.random.default_rng(0))
    assert "AAA\nA.A\nAAA" in Flocking().rules(config, world)
    assert "2 of you may stand anywhere else" in Flocking().rules(config, world)
    assert "AAA/A.A/AAA" in Flocking().short_rules(config, world)


def test_a_commander_sees_all_and_forms_the_square() -> None:
    case = next(c for c in CASES if c["name"] == "flocking_10x10_n10_s2")
    env = coordgym.make(ID, centralized=True)
    env.reset(seed=0, options={"instance": state_of(case)})
    for record in case["rounds"]:
        texts = dict.fromkeys(env.agents, "ACTION: STAY")
        commands = [f"AGENT {n}: {name}" for n, name in record["actions"].items() if n != "0"]
        own = record["actions"].get("0", "STAY")
        texts["agent_0"] = "\n".join([*commands, f"ACTION: {own}"])
        env.step(texts)
        assert env.unwrapped.world.grid() == record["grid"]
    assert env.unwrapped.metrics()["success"]
