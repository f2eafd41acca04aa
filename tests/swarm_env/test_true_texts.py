"""What the instructions claim is what the rules do, and nothing is told that does not occur."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coordgym
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.tasks.pursuit import flight

TASKS = ("Pursuit", "Foraging", "Flocking", "Synchronization", "Transport")
STEPS = {"right": (0, 1), "left": (0, -1), "down": (1, 0), "up": (-1, 0)}

each_text = pytest.mark.parametrize("text", ["full", "compact"])


def told(task: str, **kwargs: Any) -> str:
    """Return the instructions of agent 1 in the first instance."""
    _, infos = coordgym.make(f"coordgym/Swarm{task}-v0", **kwargs).reset(seed=0)
    return str(infos["agent_1"]["instructions"])


def danger(world: World, row: int, column: int) -> int:
    """Count the danger of a cell as the rules tell it to the players."""
    total = 0
    for i in range(row - 4, row + 4):
        for j in range(column - 4, column + 4):
            letter = world.letter_at(i, j)
            total += {"A": 10, "a": 10, "W": 9}.get(letter, 0)
    return total


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_prey_runs_as_the_text_says(data: st.DataObject) -> None:
    inner = [(i, j) for i in range(1, 8) for j in range(1, 8)]
    prey, *agents = data.draw(
        st.lists(st.sampled_from(inner), min_size=2, max_size=14, unique=True)
    )
    wall = ["W" * 9, *["W" + "." * 7 + "W"] * 7, "W" * 9]
    world = World.from_dict(
        {
            "width": 9,
            "height": 9,
            "agents": {str(number): {"pos": list(cell)} for number, cell in enumerate(agents)},
            "objects": [{"pos": [0, 0], "shape": wall, "static": True}],
            "prey": list(prey),
        }
    )
    ends = []
    for i, j in STEPS.values():
        if world.is_free(prey[0] + i, prey[1] + j):
            for k, m in STEPS.values():
                end = (prey[0] + i + k, prey[1] + j + m)
                if world.is_free(*end):
                    ends.append(end)
    expected = min(ends, key=lambda end: danger(world, *end)) if ends else None
    assert flight(world, *prey, compat=False) == expected


@each_text
@pytest.mark.parametrize("task", TASKS)
def test_only_what_is_there_has_rules(task: str, text: str) -> None:
    rules = told(task, text=text)
    root = "square root" if text == "full" else "whole root"
    assert (root in rules) is (task == "Transport")
    assert ("edge" in rules) is (task == "Transport")
    if text == "full":
        assert ("loose object" in rules) is (task == "Transport")
        assert "loose object" in told("Pursuit", compat="swarmbench")


@each_text
def test_inner_walls_are_told_where_they_stand(text: str) -> None:
    assert "alls within the map" in told("Foraging", text=text).replace("stand ", "")
    small = told("Foraging", n_agents=4, height=7, width=7, text=text)
    assert "within the map" not in small


@each_text
@pytest.mark.parametrize("task", TASKS)
def test_the_score_of_a_success_is_told_if_there_is_one(task: str, text: str) -> None:
    env = coordgym.make(f"coordgym/Swarm{task}-v0", text=text)
    observations, infos = env.reset(seed=0)
    target = infos["agent_0"]["view"]["target"]
    words = "succeeds if its score reaches" if text == "full" else "success from score"
    assert (words in observations["agent_0"]) is (target is not None)
    assert target is None or f"{target:g}" in observations["agent_0"].split(words)[1]


@pytest.mark.parametrize("task", TASKS)
def test_the_score_so_far_is_told_as_far_as_the_published_game_does(task: str) -> None:
    for compat in (None, "swarmbench"):
        env = coordgym.make(f"coordgym/Swarm{task}-v0", compat=compat)
        _, infos = env.reset(seed=0)
        assert ("score" in infos["agent_0"]["view"]) is (compat is None or task == "Pursuit")


@pytest.mark.parametrize("task", TASKS)
def test_the_texts_name_no_variables(task: str) -> None:
    rules = told(task)
    assert "light_on" not in rules
    assert "carrying_food" not in rules


def test_hearing_is_measured_before_the_moves() -> None:
    env = coordgym.make("coordgym/SwarmFlocking-v0", n_agents=4, height=9, width=9, view_size=3)
    assert "before anybody moves" in env.reset(seed=0)[1]["agent_0"]["instructions"]
    wall = ["W" * 9, *["W" + "." * 7 + "W"] * 7, "W" * 9]
    cells = [(4, 3), (4, 4), (4, 6), (7, 7)]
    state = {
        "width": 9,
        "height": 9,
        "agents": {str(number): {"pos": list(cell)} for number, cell in enumerate(cells)},
        "objects": [{"pos": [0, 0], "shape": wall, "static": True}],
    }
    env.reset(seed=0, options={"instance": state})
    actions = {
        "agent_0": "ACTION: LEFT",
        "agent_1": "ACTION: RIGHT\nMSG: here",
        "agent_2": "ACTION: STAY",
        "agent_3": "ACTION: STAY",
    }
    _, _, _, _, infos = env.step(actions)
    heard = [infos[agent]["view"]["messages"] for agent in sorted(actions)]
    assert heard == [["here"], [], [], []]
