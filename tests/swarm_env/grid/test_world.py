"""The world's state format and views."""

import copy
import pickle
from typing import Any

import pytest
from cases import cases

from coordgym.errors import ActionError, ConfigError, InstanceError
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.texts import OWN_CELL

CASES = cases("swarm_trajectories")
VIEWS = cases("swarm_views")
NO_PREY = {"prey": None, "prey_static": None, "grid": None}


def state_of(case: dict[str, Any]) -> dict[str, Any]:
    return {**case["initial"], "width": case["width"], "height": case["height"]}


def good() -> dict[str, Any]:
    return {
        "width": 4,
        "height": 3,
        "grid": ["..B.", "AaB.", "...P"],
        "agents": {"0": {"pos": [1, 0], "state": True}, "1": {"pos": [1, 1], "state": False}},
        "objects": [{"kind": "B", "pos": [0, 2], "shape": ["B", "B"], "mass": 5, "static": False}],
        "prey": [2, 3],
        "prey_static": False,
        "score": 2.0,
        "round": 7,
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_every_reference_state_is_read_and_written_back(case: dict[str, Any]) -> None:
    assert World.from_dict(state_of(case)).to_dict() == state_of(case)


@pytest.mark.parametrize("case", VIEWS)
def test_reference_views(case: dict[str, Any]) -> None:
    world = World.from_dict({k: case[k] for k in ("width", "height", "grid", "agents", "prey")})
    for size, by_agent in case["views"].items():
        for agent, expected in by_agent.items():
            view = world.view(int(agent), int(size))
            assert view == expected["observation"]
            view[int(size) // 2][int(size) // 2] = OWN_CELL
            assert view == expected["prompt"]


def test_dicts_and_views_are_fresh() -> None:
    world = World.from_dict(good())
    first, view = world.to_dict(), world.view(0, 3)
    first["agents"]["0"]["pos"][0] = 9
    view[0][0] = "X"
    assert world.to_dict() == good()
    assert world.view(0, 3)[0][0] == "*"


def test_copies_and_pickles_go_on_alike() -> None:
    world = World.from_dict(good())
    for twin in (copy.deepcopy(world), pickle.loads(pickle.dumps(world))):
        twin.push({0: "UP"})
        assert world.to_dict() == good()
        assert twin.to_dict() != good()


def test_views_of_unknown_agents_or_even_size_are_refused() -> None:
    world = World.from_dict(good())
    for agent in (-1, 2, "0"):
        with pytest.raises(ActionError, match=r"no agent .*; agents are 0\.\.1"):
            world.view(agent, 5)  # type: ignore[arg-type]
    for size in (0, 4):
        with pytest.raises(ConfigError, match="size must be"):
            world.view(0, size)


@pytest.mark.parametrize(("cells", "mass"), [(1, 1), (3, 1), (4, 2), (8, 2), (9, 3), (13, 3)])
def test_the_usual_mass_is_the_whole_part_of_the_root_of_the_cells(cells: int, mass: int) -> None:
    box = {"pos": [0, 0], "shape": [".." + "B" * cells]}
    state = {"width": 20, "height": 2, "agents": {"0": {"pos": [1, 0]}}, "objects": [box]}
    world = World.from_dict(state)
    assert world.shapes[0].mass == mass
    again = World.from_dict(world.to_dict())
    assert again.shapes == world.shapes
    wall = World.from_dict({"grid": ["W" * cells + "A"], "agents": {"0": {"pos": [0, cells]}}})
    assert wall.shapes[0].mass == mass


def test_objects_are_built_from_the_letters_where_they_are_missing() -> None:
    state = {"grid": ["WN.", "W.F", "..A"], "agents": {"0": {"pos": [2, 2]}}}
    world = World.from_dict(state)
    assert [(shape.kind, shape.rows, shape.static) for shape in world.shapes] == [
        ("W", ("WN", "W."), True),
        ("F", ("F",), True),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"grid": ["..B.", "AaB", "...P"]}, "ragged grid: row 1 has 3 cells, row 0 has 4"),
        ({"grid": ["..B.", "a.BA", "...P"]}, "row 1 of the grid"),
        ({"grid": ["..B.", "AaB.", "..?P"]}, "holds '\\?'"),
        ({"height": 4}, "grid has 3 rows"),
        ({"heigth": 3}, "unknown field 'heigth'.*did you mean 'height'"),
        ({"agents": {"0": {"pos": [1, 0]}, "2": {"pos": [1, 1]}}}, "numbered 0..1"),
        ({"agents": {"0": {"pos": [1, 0]}, "1": {"pos": [1, 0]}}}, "agent 1 overlaps agent 0"),
        ({"agents": {"0": {"pos": [1, 2]}}, "grid": None}, "object 0 .B. overlaps agent 0"),
        ({"agents": {"0": {"pos": [1]}}}, "pos of agent 0 must be"),
        ({"agents": {"0": {"pos": [1, 0], "escaped": True}}}, "inside the map but escaped"),
        ({"agents": [1]}, "agents must be a dict"),
        ({"objects": [{"pos": [0, 0], "shape": ["B", "BB"]}]}, "shape of object 0"),
        ({"objects": [{"pos": [0, 0], "shape": ["A"]}]}, "shape of object 0"),
        ({"objects": [{"pos": [0, 0], "shape": ["B"], "mass": 0}]}, "mass of object 0"),
        ({"prey": [1, 0]}, "the prey overlaps agent 0"),
        ({"prey_state": True}, "unknown field 'prey_state'"),
        ({**NO_PREY, "prev_state": 1}, "prev_state must be"),
        ({**NO_PREY, "target_shape": ["AB"]}, "target_shape must be"),
        ({"prev_state": 2}, "this world has no field 'prev_state'"),
        ({"score": float("nan")}, "score must be a finite number"),
        ({"round": True}, "round must be an integer"),
    ],
)
def test_bad_states_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InstanceError, match=message):
        World.from_dict({**good(), **change})
