"""Synchronization: reference trajectories in both rule sets, lights, agreement, rewards."""

from typing import Any

import numpy as np
import pytest
from cases import cases

import coordgym
from coordgym.errors import ConfigError, InstanceError
from coordgym.swarm_env.instance import verify

ID = "coordgym/SwarmSynchronization-v0"
CASES = cases("swarm_trajectories", task="Synchronization")
VIEWS = cases("swarm_views", task="Synchronization")


def field(lights: str, *, prev_state: int | None = -1) -> dict[str, Any]:
    """Agents side by side in a walled room, lit where ``lights`` has an A."""
    agents = {
        str(n): {"pos": [1, 1 + n], "state": letter == "A"} for n, letter in enumerate(lights)
    }
    width = len(lights) + 2
    wall = ["W" * width, *["W" + "." * len(lights) + "W"] * 2, "W" * width]
    return {
        "width": width,
        "height": 4,
        "agents": agents,
        "objects": [{"pos": [0, 0], "shape": wall, "static": True}],
        "prev_state": prev_state,
    }


def make(lights: str, *, prev_state: int | None = -1, **kwargs: Any) -> Any:
    env = coordgym.make(ID, n_agents=len(lights), **kwargs)
    env.reset(seed=0, options={"instance": field(lights, prev_state=prev_state)})
    return env


def play(env: Any, *switching: int) -> dict[str, float]:
    """Plays a round in which some agents switch; returns the rewards."""
    texts = {
        agent: "ACTION: SWITCH" if number in switching else "ACTION: STAY"
        for number, agent in enumerate(env.possible_agents)
        if agent in env.agents
    }
    rewards: dict[str, float] = env.step(texts)[1]
    return rewards


@pytest.mark.parametrize("compat", ["swarmbench", None])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_both_rule_sets_replay_every_round(case: dict[str, Any], compat: str | None) -> None:
    assert case["quirks"] == []
    env = coordgym.make(ID, n_agents=case["num_agents"], compat=compat)
    state = {**case["initial"], "width": case["width"], "height": case["height"]}
    env.reset(seed=0, options={"instance": state})
    for number, record in enumerate(case["rounds"]):
        texts = {
            agent: f"ACTION: {record['actions'].get(agent.removeprefix('agent_'), 'STAY')}"
            for agent in env.agents
        }
        *_, terminations, _, _ = env.step(texts)
        world = env.unwrapped.world
        assert world.grid() == record["grid"], number
        assert world.to_dict()["agents"] == record["agents"], number
        assert world.score == record["score"] == env.unwrapped.metrics()["score"], number
        assert world.task_state.prev_state == record["prev_state"], number
        assert any(terminations.values()) == record["done"], number


@pytest.mark.parametrize("case", VIEWS)
def test_views_show_who_is_dark(case: dict[str, Any]) -> None:
    for size, by_agent in case["views"].items():
        env = coordgym.make(ID, n_agents=case["num_agents"], view_size=int(size))
        state = {k: case[k] for k in ("width", "height", "grid", "agents")}
        observations, infos = env.reset(seed=0, options={"instance": state})
        for number, expected in by_agent.items():
            view = infos[f"agent_{number}"]["view"]
            assert view["cells"] == expected["prompt"]
            assert view["light_on"] == case["agents"][number]["state"]
            light = str(view["light_on"]).lower()
            assert f"Your state: light_on={light}." in observations[f"agent_{number}"]


def test_only_a_change_of_the_common_state_scores() -> None:
    env = make("Aa")
    assert play(env) == {"agent_0": 0, "agent_1": 0}
    assert play(env, 1) == {"agent_0": 1, "agent_1": 1}  # all on
    assert play(env)["agent_0"] == 0  # still all on
    assert play(env, 0)["agent_0"] == 0
    assert play(env, 0)["agent_0"] == 0  # all on again: scored last
    assert play(env, 0, 1)["agent_0"] == 1  # all off
    assert play(env, 0, 1)["agent_0"] == 1
    assert env.unwrapped.world.score == 3
    assert env.unwrapped.world.task_state.prev_state == 2


@pytest.mark.parametrize(("lights", "prev_state"), [("aaa", 0), ("AAA", 3)])
def test_a_unanimous_start_scores_in_the_first_round(lights: str, prev_state: int) -> None:
    for given in (-1, None):
        env = make(lights, prev_state=given)
        assert play(env)["agent_2"] == 1
        assert env.unwrapped.world.task_state.prev_state == prev_state
    assert play(make(lights, prev_state=prev_state))["agent_2"] == 0


def test_switching_costs_the_move_and_happens_after_the_physics() -> None:
    env = make("Aaa")
    state = field("Aaa")
    state["agents"]["2"]["pos"] = [2, 1]
    env.reset(seed=0, options={"instance": state})
    env.step({"agent_0": "ACTION: SWITCH", "agent_1": "ACTION: LEFT", "agent_2": "ACTION: UP"})
    world = env.unwrapped.world
    assert world.positions[0] == (1, 1)  # between two pushes that cannot move it into the wall
    assert world.lights[0] is False
    assert world.score == 1


def test_escaped_agents_no_longer_count() -> None:
    state = {**field("aA"), "objects": []}
    state["agents"]["1"]["pos"] = [0, 2]
    env = coordgym.make(ID, n_agents=2)
    env.reset(seed=0, options={"instance": state})
    rewards = env.step({"agent_0": "ACTION: STAY", "agent_1": "ACTION: UP"})[1]
    assert env.unwrapped.world.escaped[1]
    assert rewards == {"agent_0": 1, "agent_1": 1}


def test_the_individual_reward_is_the_gain() -> None:
    env = make("Aa", reward="gameable_individual")
    assert play(env, 1) == {"agent_0": 1, "agent_1": 1}
    assert play(env, 1) == {"agent_0": 0, "agent_1": 0}


def test_commands_switch_lights() -> None:
    env = make("Aaa", centralized=True)
    texts = dict.fromkeys(env.agents, "ACTION: STAY")
    texts["agent_0"] = "AGENT 1: SWITCH\nAGENT 2: switch"
    assert env.step(texts)[1]["agent_0"] == 1
    assert env.unwrapped.world.lights == [True, True, True]


def test_switch_is_offered_here_alone() -> None:
    assert "SWITCH" in coordgym.make(ID).reset(seed=0)[0]["agent_0"]
    pursuit = coordgym.make("SwarmPursuit-v0")
    assert "SWITCH" not in pursuit.reset(seed=0)[0]["agent_0"]
    assert pursuit.unwrapped.check_action("agent_0", "ACTION: SWITCH") is not None


def test_starts_are_within_the_border_and_lights_are_random() -> None:
    lit, starts = 0, set()
    for seed in range(40):
        env = coordgym.make(ID, height=6, width=9, n_agents=20)
        env.reset(seed=seed)
        world = env.unwrapped.world
        assert all(1 <= i <= 4 and 1 <= j <= 7 for i, j in world.positions)
        assert world.task_state.prev_state == -1
        assert "A" not in world.grid()[0]
        lit += sum(light is True for light in world.lights)
        starts.add(tuple(world.lights))
    assert 300 < lit < 500
    assert len(starts) > 30


def test_verify_gives_the_verdict_of_the_episode() -> None:
    env = coordgym.make(ID, target=3, max_cycles=20, n_agents=4)
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    while env.agents:
        texts = {agent: env.unwrapped.random_action(agent, rng) for agent in env.agents}
        env.step(texts)
    metrics = env.unwrapped.metrics()
    verdict = verify(env.unwrapped.instance, env.unwrapped.action_log)
    assert verdict == (metrics["success"], metrics["score"])
    assert metrics["score"] > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agents": {"0": {"pos": [1, 1]}, "1": {"pos": [1, 2]}}}, "agent 0 has none"),
        ({"prey": [2, 1]}, "no field 'prey'"),
        ({"prev_state": 1}, "prev_state must be -1, 0 or 2"),
    ],
)
def test_bad_instances_are_refused(change: dict[str, Any], message: str) -> None:
    env = coordgym.make(ID, n_agents=2)
    with pytest.raises(InstanceError, match=message):
        env.reset(seed=0, options={"instance": {**field("Aa"), **change}})


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least 3×3"):
        coordgym.make(ID, n_agents=1, height=2)
    with pytest.raises(ConfigError, match="n_agents must be at most 4 for synchronization on 4×4"):
        coordgym.make(ID, n_agents=5, height=4, width=4)
    env = coordgym.make(ID, n_agents=4, height=4, width=4)
    env.reset(seed=0)
    assert len(set(env.unwrapped.world.positions)) == 4


@pytest.mark.parametrize(
    "kwargs", [{}, {"view_size": 1}, {"noise": 1.0}, {"n_agents": 30, "height": 20, "width": 20}]
)
def test_a_convention_wins_the_published_game_without_view_or_message(
    kwargs: dict[str, Any],
) -> None:
    env = coordgym.make(ID, max_cycles=12, **kwargs)
    infos = env.reset(seed=3)[1]
    while env.agents:
        on_next = infos["agent_0"]["round"] % 2 == 0
        lights = {agent: infos[agent]["view"]["light_on"] for agent in env.agents}
        *_, infos = env.step(
            {
                agent: "ACTION: STAY" if light_on is on_next else "ACTION: SWITCH"
                for agent, light_on in lights.items()
            }
        )
    metrics = env.unwrapped.metrics()
    assert (metrics["score"], metrics["success"], metrics["messages"]) == (12, True, 0)
