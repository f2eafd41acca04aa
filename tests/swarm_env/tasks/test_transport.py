"""Transport: reference trajectories in both rule sets, solvable starts, rewards."""

import functools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

import coordgym
from coordgym.errors import ConfigError, InstanceError
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.instance import verify
from coordgym.swarm_env.options import SwarmConfig
from coordgym.swarm_env.task import Turn
from coordgym.swarm_env.tasks.transport import (
    BOX_MASS,
    PUSHERS,
    Exit,
    Transport,
    box_number,
    corner_exits,
    square_exits,
)

CASES = cases("swarm_trajectories", task="Transport")
ID = "coordgym/SwarmTransport-v0"


def answers(env: Any, chosen: dict[int, str]) -> dict[str, str]:
    active = env.unwrapped._active()
    return {agent: f"ACTION: {chosen.get(int(agent[6:]), 'STAY')}" for agent in active}


@pytest.mark.parametrize("compat", [None, "swarmbench"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_every_round_replays_in_both_rule_sets(case: dict[str, Any], compat: str | None) -> None:
    env = coordgym.make(
        ID, n_agents=case["num_agents"], max_cycles=case["max_round"], compat=compat
    )
    state = {**case["initial"], "width": case["width"], "height": case["height"]}
    env.reset(seed=0, options={"instance": state})
    total = 0.0
    for record in case["rounds"]:
        chosen = {int(n): action for n, action in record["actions"].items()}
        _, rewards, terminations, *_ = env.step(answers(env, chosen))
        world = env.unwrapped.world
        assert world.grid() == record["grid"]
        assert world.to_dict()["agents"] == record["agents"]
        assert [item["pos"] for item in world.to_dict()["objects"]] == record["objects"]
        assert world.score == pytest.approx(record["score"], abs=1e-12)
        assert env.unwrapped.metrics()["score"] == world.score
        assert set(terminations.values()) == {record["done"]}
        total += rewards["agent_0"]
    assert total == pytest.approx(world.score)
    assert env.unwrapped.metrics()["success"] is case["rounds"][-1]["done"]


def pushing_room(plan: Exit, step: int) -> list[tuple[int, int]]:
    """Cells behind the box, in lines: for the step sideways (0), then outwards (1)."""
    if plan.length == 4:
        if step == 0:
            return [plan.cell(a, b) for a in (5, 6) for b in (1, 2, 3)]
        return [plan.cell(a, b) for b in (4, 5) for a in (1, 2, 3)]
    return [plan.cell(plan.start + a, b) for b in (2, 3) for a in (0, 1, 2)]


@functools.cache
def starts(plan: Exit) -> dict[str, Any]:
    """A start with this exit, found by trying seeds."""
    task = Transport(box="corner" if plan.length == 4 else "square")
    config = SwarmConfig(PUSHERS, plan.height, plan.width, 5, False)
    for seed in range(500):
        world = task.generate(config, np.random.default_rng(seed))
        if sorted(world.object_cells(1)) == plan.box_cells():
            return world.to_dict()
    raise AssertionError(f"no start has the exit {plan}")


def with_agents(state: dict[str, Any], cells: list[tuple[int, int]]) -> dict[str, Any]:
    rest = {name: value for name, value in state.items() if name != "grid"}
    return {**rest, "agents": {str(n): {"pos": list(cell)} for n, cell in enumerate(cells)}}


def push_out(plan: Exit, pushers: int) -> tuple[World, list[bool]]:
    """Pushes the box along its way with agents placed behind it, and tells which steps it took."""
    stages = [(1, plan.outward, 2)]
    if plan.length == 4:
        stages = [(0, plan.sideways, 1), (1, plan.outward, 4)]
    state, moves = starts(plan), []
    for step, direction, count in stages:
        world = World.from_dict(with_agents(state, pushing_room(plan, step)[:pushers]))
        for _ in range(count):
            moved = world.push(dict.fromkeys(range(pushers), direction))[direction]
            moves.append("o1" in moved)
        state = world.to_dict()
    return world, moves


def every_exit() -> Iterator[Exit]:
    for height, width in ((7, 8), (8, 7), (8, 8), (9, 13), (10, 10)):
        yield from corner_exits(height, width)
    for height, width in ((5, 5), (6, 9), (10, 10)):
        yield from square_exits(height, width)


def test_five_agents_push_the_box_out_of_every_exit_and_four_do_not() -> None:
    for plan in every_exit():
        world, moves = push_out(plan, PUSHERS)
        assert all(moves), (plan, moves)
        assert not any(world.inside(*cell) for cell in world.object_cells(1))
        _, moves = push_out(plan, PUSHERS - 1)
        assert not moves[0], plan


def test_exits_of_a_square_map() -> None:
    assert len(corner_exits(10, 10)) == 8
    assert len({tuple(plan.box_cells()) for plan in corner_exits(10, 10)}) == 8
    assert len(square_exits(10, 10)) == 4 * 6
    assert [plan.outward for plan in corner_exits(7, 8)] == ["DOWN", "DOWN", "UP", "UP"]
    for plan in every_exit():
        for cell in plan.box_cells():
            assert plan.cell(*plan.place(cell)) == cell


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(7, 14),
    st.integers(8, 14),
    st.sampled_from(["corner", "square"]),
)
def test_starts_have_one_plugged_exit_and_agents_within_the_walls(
    seed: int, height: int, width: int, box: str
) -> None:
    env = coordgym.make(ID, height=height, width=width, box=box, n_agents=7)
    env.reset(seed=seed)
    world = env.unwrapped.world
    number = box_number(world)
    assert number == 1
    shape = world.shapes[number]
    assert (shape.mass, shape.static) == (BOX_MASS, False)
    assert "".join(shape.rows).count("B") == (13 if box == "corner" else 9)
    box_cells = world.object_cells(number)
    wall = world.object_cells(0)
    border = {(i, j) for i in range(height) for j in range(width)} - {
        (i, j) for i in range(1, height - 1) for j in range(1, width - 1)
    }
    gap = border - set(wall)
    assert len(gap) == (4 if box == "corner" else 3)
    assert gap == border & set(box_cells)
    corners = {(i, j) for i in (0, height - 1) for j in (0, width - 1)}
    assert len(gap & corners) == (1 if box == "corner" else 0)
    assert all(0 < i < height - 1 and 0 < j < width - 1 for i, j in world.positions)
    find = corner_exits if box == "corner" else square_exits
    assert sorted(box_cells) in [plan.box_cells() for plan in find(height, width)]


def test_the_square_box_has_its_middle_in_the_exit() -> None:
    for plan in square_exits(6, 9):
        middle = plan.gap_cells()[1]
        assert plan.box_cells() == sorted(
            (middle[0] + i, middle[1] + j) for i in (-1, 0, 1) for j in (-1, 0, 1)
        )


def test_starts_depend_on_the_seed() -> None:
    def grids(compat: str | None) -> list[list[str]]:
        env = coordgym.make(ID, compat=compat)
        found = []
        for seed in (0, 1, 0):
            env.reset(seed=seed)
            found.append(env.unwrapped.world.grid())
        return found

    for compat in (None, "swarmbench"):
        first, other, again = grids(compat)
        assert first == again != other


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"n_agents": 4}, "n_agents must be at least 5 for transport.*got 4"),
        ({"height": 7, "width": 7}, "at least 7×8 or 8×7 cells.*got 7×7"),
        ({"height": 6, "width": 20}, "at least 7×8 or 8×7 cells"),
        ({"height": 7, "width": 8, "n_agents": 19}, "n_agents must be at most 18"),
        ({"box": "square", "height": 4}, "at least 5×5 cells"),
        ({"box": "square", "height": 5, "width": 5, "n_agents": 7}, "n_agents must be at most 6"),
        ({"box": "round"}, "box"),
        ({"target": 3}, "target: transport succeeds when it is finished"),
        ({"translations": "paired"}, "translations is no option of transport"),
    ],
)
def test_impossible_settings_are_refused_with_the_reason(
    kwargs: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        coordgym.make(ID, **kwargs)


def exit_case() -> dict[str, Any]:
    case = next(c for c in CASES if c["name"] == "transport_exit_b3_10x10_n8_p8")
    return {**case["initial"], "width": 10, "height": 10}


def test_individual_reward_pays_pushers_the_near_and_those_that_leave() -> None:
    env = coordgym.make(ID, n_agents=8, reward="gameable_individual", max_cycles=40)
    env.reset(seed=0, options={"instance": exit_case()})
    world = env.unwrapped.world
    at = {cell: agent for agent, cell in enumerate(world.positions)}
    chosen = dict.fromkeys(range(8), "RIGHT")
    idle, loose = at[6, 3], at[7, 3]
    chosen[idle], chosen[loose] = "STAY", "UP"
    rewards = env.step(answers(env, chosen))[1]
    near = {
        n: min(abs(i - k) + abs(j - m) for k, m in world.object_cells(1))
        for n, (i, j) in enumerate(world.positions)
    }
    for agent in range(8):
        pushed = 0.0 if agent in (idle, loose) else 0.5
        approach = max(0.05 - 0.01 * near[agent], 0.0)
        assert rewards[f"agent_{agent}"] == pytest.approx(pushed + approach)
    for _ in range(3):
        env.step(answers(env, dict.fromkeys(range(8), "RIGHT")))
    first = [n for n in range(8) if world.positions[n][1] == 9]
    assert len(first) == 3
    _, rewards, terminations, *_ = env.step(answers(env, dict.fromkeys(range(8), "RIGHT")))
    assert {int(a[6:]) for a, r in rewards.items() if r >= 1} == set(first)
    assert {int(a[6:]) for a, over in terminations.items() if over} == set(first)
    assert all(f"agent_{n}" not in env.agents for n in first)


def test_only_those_whose_force_reaches_the_box_have_pushed_it() -> None:
    room = corner_exits(10, 10)[0]  # right and down; the body is in columns 5..7 of rows 6..8
    lines = pushing_room(room, 0)[:5]
    bystander = (2, 2)
    env = coordgym.make(ID, n_agents=6, reward="gameable_individual")
    state = with_agents(starts(room), [*lines, bystander])
    env.reset(seed=0, options={"instance": state})
    rewards = env.step(answers(env, dict.fromkeys(range(6), "RIGHT")))[1]
    assert [round(rewards[f"agent_{n}"], 2) for n in range(6)] == [
        0.54,
        0.54,
        0.54,
        0.53,
        0.53,
        0.0,
    ]


def test_escaped_agents_are_paid_by_the_team_and_counted_once() -> None:
    env = coordgym.make(ID, n_agents=8, max_cycles=40)
    env.reset(seed=0, options={"instance": exit_case()})
    instance = env.unwrapped.instance
    gains = []
    while env.agents:
        _, rewards, _, _, infos = env.step(answers(env, dict.fromkeys(range(8), "RIGHT")))
        assert len(set(rewards.values())) == 1
        assert set(rewards) == {f"agent_{n}" for n in range(8)}
        gains.append(rewards["agent_0"])
    assert gains == pytest.approx([0, 0, 0, 0, 2.7, 2.625, 1.7])
    metrics = infos["agent_0"]["metrics"]
    assert metrics["success"]
    assert env.unwrapped.log[-1].present == ()
    verdict = verify(json.loads(json.dumps(instance)), env.unwrapped.action_log)
    assert verdict == (True, metrics["score"])
    assert not verify(instance, env.unwrapped.action_log[:-1]).success


def test_a_commander_pushes_the_box_out() -> None:
    env = coordgym.make(ID, n_agents=8, centralized=True)
    env.reset(seed=0, options={"instance": exit_case()})
    while env.agents:
        lines = [f"AGENT {n}: RIGHT" for n in range(1, 8)]
        texts = dict.fromkeys(env.unwrapped._active(), "ACTION: STAY")
        texts["agent_0"] = "\n".join([*lines, "ACTION: RIGHT"])
        env.step(texts)
        if env.unwrapped.world.escaped[0]:
            break
    assert sum(env.unwrapped.world.escaped) >= 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"objects": [], "grid": None}, "needs an object of kind B that is not static"),
        ({"prey": [5, 5], "grid": None}, "a transport instance has no field 'prey'"),
        ({"cur_dis": 3}, "no field 'cur_dis'"),
        ({"options": {"box": "square"}}, "the instance's options"),
    ],
)
def test_bad_instances_are_refused(change: dict[str, Any], message: str) -> None:
    env = coordgym.make(ID, n_agents=8)
    with pytest.raises(InstanceError, match=message):
        env.reset(seed=0, options={"instance": {**exit_case(), **change}})


@pytest.mark.parametrize("text", ["full", "compact"])
def test_the_rules_tell_weight_and_shape(text: str) -> None:
    for box, words in (("corner", ("13", "4 cells", "4-cell")), ("square", ("middle",))):
        env = coordgym.make(ID, text=text, box=box)
        infos = env.reset(seed=0)[1]
        told = infos["agent_0"]["instructions"]
        assert "5" in told
        assert any(word in told for word in words)


def test_update_counts_only_those_that_were_inside() -> None:
    state = exit_case()
    state["agents"] = {**state["agents"], "0": {"pos": [-1, 4]}}
    del state["grid"]
    world = World.from_dict(state)
    before = tuple(world.positions)
    outcome = Transport().update(
        world,
        Turn({}, before, world.push({}), 10),
        SwarmConfig(8, 10, 10, 5, False),
        np.random.default_rng(0),
    )
    assert (outcome.gain, outcome.done) == (0.0, False)
