"""The physics: reference cases and its stated consequences."""

from typing import Any

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from coordgym.errors import ActionError
from coordgym.swarm_env.grid.physics import decode, encode
from coordgym.swarm_env.grid.world import World

MICRO = cases("swarm_trajectories", task=None)


def world_of(case: dict[str, Any]) -> World:
    size = {"width": case["width"], "height": case["height"]}
    return World.from_dict({**case["initial"], **size})


def scene(rows: list[str], **masses: int) -> World:
    """A world from a drawing: digits are agents, letters objects with the given masses."""
    height, width = len(rows), len(rows[0])
    cells: dict[str, list[tuple[int, int]]] = {}
    for i, row in enumerate(rows):
        for j, letter in enumerate(row):
            cells.setdefault(letter, []).append((i, j))
    listed = []
    for letter in sorted(set(cells) - set(".0123456789")):
        top, left = min(i for i, _ in cells[letter]), min(j for _, j in cells[letter])
        bottom, right = max(i for i, _ in cells[letter]), max(j for _, j in cells[letter])
        shape = [
            "".join(letter if (i, j) in cells[letter] else "." for j in range(left, right + 1))
            for i in range(top, bottom + 1)
        ]
        item: dict[str, Any] = {"pos": [top, left], "shape": shape, "static": letter == "W"}
        if letter in masses:
            item["mass"] = masses[letter]
        listed.append(item)
    placed = {d: {"pos": list(cells[d][0])} for d in cells if d.isdigit()}
    return World.from_dict({"width": width, "height": height, "agents": placed, "objects": listed})


def moved(world: World, **actions: str) -> set[str]:
    """Who moved at all; actions by ``a0="UP"``."""
    result = world.push({int(name[1:]): action for name, action in actions.items()})
    return {body for bodies in result.values() for body in bodies}


@pytest.mark.parametrize("case", MICRO, ids=lambda case: case["name"])
def test_reference_cases(case: dict[str, Any]) -> None:
    world = world_of(case)
    for record in case["rounds"]:
        result = world.push({int(n): a for n, a in record["actions"].items()})
        assert result == record["moved"]
        assert world.grid() == record["grid"]
        assert world.to_dict()["agents"] == record["agents"]
        tops = [list(world.object_position(n)) for n in range(len(world.shapes))]
        assert tops == record["objects"]


def test_earlier_pass_takes_the_cell_and_the_later_pushes_it_on() -> None:
    world = scene(["...", "1..", ".0."])
    assert world.push({0: "UP", 1: "RIGHT"}) == {
        "UP": ["0"],
        "DOWN": [],
        "LEFT": [],
        "RIGHT": ["0", "1"],
    }
    assert list(world.positions) == [(1, 2), (1, 1)]


def test_an_agent_is_displaced_several_times_a_round() -> None:
    world = scene(["....", ".1..", "203.", "...."])
    result = world.push({1: "DOWN", 0: "RIGHT"})
    assert "0" in result["DOWN"]
    assert "0" in result["RIGHT"]


@pytest.mark.parametrize("pushers", range(1, 8))
@pytest.mark.parametrize("opponents", range(1, 4))
def test_pushers_need_three_times_the_opponents(pushers: int, opponents: int) -> None:
    width = pushers + opponents + 2
    agents = {str(n): {"pos": [0, n]} for n in range(pushers + opponents)}
    world = World.from_dict({"width": width, "height": 1, "agents": agents, "objects": []})
    actions = {n: "RIGHT" if n < pushers else "LEFT" for n in range(pushers + opponents)}
    result = world.push(actions)
    assert bool(result["RIGHT"]) == (pushers >= 3 * opponents)
    assert bool(result["LEFT"]) == (opponents >= 3 * pushers)


def test_interlocked_objects_move_as_one() -> None:
    # C sits in B's notch, so each pushes the other.
    rows = ["......", "0BBB..", "1BCB..", "......"]
    for agents, moves in ((1, False), (2, True)):
        world = scene(rows, B=1, C=1)
        pushing = dict.fromkeys(range(agents), "RIGHT")
        result = world.push(pushing)
        assert ("o0" in result["RIGHT"]) == ("o1" in result["RIGHT"])
        assert ("o0" in result["RIGHT"]) == moves


def test_agents_leave_through_one_cell_in_different_passes() -> None:
    # The corner cell opens downwards and to the right; both agents use it in one round.
    world = World.from_dict(
        {
            "width": 3,
            "height": 3,
            "agents": {"0": {"pos": [2, 2]}, "1": {"pos": [1, 2]}, "2": {"pos": [0, 2]}},
            "objects": [{"pos": [0, 0], "shape": ["WW", "WW", "WW"], "static": True}],
        }
    )
    result = world.push({0: "DOWN", 1: "RIGHT", 2: "DOWN"})
    assert result["DOWN"] == ["0", "1", "2"]
    assert result["RIGHT"] == ["1"]
    assert list(world.escaped) == [True, True, False]


def test_an_escaped_agent_is_out_of_the_physics_at_once() -> None:
    world = World.from_dict(
        {
            "width": 2,
            "height": 1,
            "agents": {"0": {"pos": [0, 0]}, "1": {"pos": [0, 1]}},
            "objects": [],
        }
    )
    assert world.push({0: "LEFT"})["LEFT"] == ["0"]
    assert world.push({0: "RIGHT", 1: "LEFT"}) == {"UP": [], "DOWN": [], "LEFT": ["1"], "RIGHT": []}
    assert world.push({1: "LEFT"})["LEFT"] == ["1"]  # onto the cell where 0 left
    assert list(world.positions) == [(0, -1), (0, -1)]


def test_objects_collide_outside_the_map_while_they_are_partly_on_it() -> None:
    world = World.from_dict(
        {
            "width": 3,
            "height": 3,
            "agents": {"0": {"pos": [2, 0]}},
            "objects": [
                {"pos": [1, -1], "shape": ["BB"], "mass": 1},
                {"pos": [0, -1], "shape": ["CC"], "mass": 1, "static": True},
                {"pos": [2, 1], "shape": ["D"], "mass": 1},
            ],
        }
    )
    assert world.push({0: "UP"})["UP"] == []


def test_unknown_agents_are_refused() -> None:
    world = scene(["0."])
    with pytest.raises(ActionError, match=r"agents are 0\.\.0"):
        world.push({3: "UP"})


@pytest.mark.parametrize("action", ["up", "", "JUMP", 3, ["UP"], None])
def test_unknown_actions_are_refused_before_anything_moves(action: Any) -> None:
    world = scene(["01."])
    before = world.to_dict()
    with pytest.raises(ActionError, match=r"agent 1 can't do .*; actions are UP, DOWN"):
        world.push({0: "RIGHT", 1: action})
    assert world.to_dict() == before


def test_stay_and_switch_exert_no_force() -> None:
    world = scene(["01."])
    assert moved(world, a0="STAY", a1="SWITCH") == set()


@given(st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_cells_are_coded_reversibly(row: int, column: int) -> None:
    assert decode(encode(row, column)) == (row, column)
