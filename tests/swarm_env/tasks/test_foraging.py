"""Foraging: reference trajectories in both rule sets, mazes, picking up, delivering, rewards."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import cases

import coordgym
from coordgym.errors import ConfigError, InstanceError
from coordgym.swarm_env.instance import verify
from coordgym.swarm_env.tasks.foraging import Layout, approach_reward, maze

ID = "coordgym/SwarmForaging-v0"
CASES = cases("swarm_trajectories", task="Foraging")
VIEWS = cases("swarm_views", task="Foraging")
LAYOUTS = [Layout(*flags) for flags in product((True, False), repeat=3)]
NEAR = ((-1, 0), (1, 0), (0, -1), (0, 1))


def make(case: dict[str, Any], compat: str | None) -> Any:
    env = coordgym.make(ID, n_agents=case["num_agents"], compat=compat)
    state = {**case["initial"], "width": case["width"], "height": case["height"]}
    env.reset(seed=0, options={"instance": state})
    return env


def replay(env: Any, record: dict[str, Any]) -> bool:
    """Plays a recorded round; whether all agrees."""
    texts = {
        agent: f"ACTION: {record['actions'].get(agent.removeprefix('agent_'), 'STAY')}"
        for agent in env.agents
    }
    *_, terminations, _, _ = env.step(texts)
    world = env.unwrapped.world
    return bool(
        world.grid() == record["grid"]
        and world.to_dict()["agents"] == record["agents"]
        and world.score == record["score"] == env.unwrapped.metrics()["score"]
        and [list(world.object_position(n)) for n in range(2)] == record["objects"]
        and any(terminations.values()) == record["done"]
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_compat_replays_every_round(case: dict[str, Any]) -> None:
    env = make(case, "swarmbench")
    for number, record in enumerate(case["rounds"]):
        assert replay(env, record), number


@pytest.mark.parametrize(
    "case", [case for case in CASES if not case["quirks"]], ids=lambda case: case["name"]
)
def test_default_rules_replay_what_no_slip_touches(case: dict[str, Any]) -> None:
    env = make(case, None)
    for number, record in enumerate(case["rounds"]):
        assert replay(env, record), number


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["quirks"]], ids=lambda case: case["name"]
)
def test_default_rules_see_all_neighbours_where_compat_does_not(case: dict[str, Any]) -> None:
    assert case["quirks"] == ["foraging_near_swap"]
    record = case["rounds"][0]
    lit = {}
    for compat in (None, "swarmbench"):
        env = make(case, compat)
        replay(env, record)
        lit[compat] = sum(light is True for light in env.unwrapped.world.lights)
    assert lit["swarmbench"] == sum(agent["state"] for agent in record["agents"].values()) == 0
    assert lit[None] > 0


@pytest.mark.parametrize("case", VIEWS)
def test_views_and_hearing_equal_the_reference(case: dict[str, Any]) -> None:
    state = {k: case[k] for k in ("width", "height", "grid", "agents")}
    for size, by_agent in case["views"].items():
        env = coordgym.make(
            ID, n_agents=case["num_agents"], view_size=int(size), compat="swarmbench"
        )
        infos = env.reset(seed=0, options={"instance": state})[1]
        for number, expected in by_agent.items():
            assert infos[f"agent_{number}"]["view"]["cells"] == expected["prompt"]
        if size == "5":
            infos = env.step({agent: f"MSG: {agent[6:]}" for agent in env.agents})[-1]
            heard = {agent[6:]: info["view"]["messages"] for agent, info in infos.items()}
            assert heard == case["hears_k5"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_reference_maps_are_among_ours(case: dict[str, Any]) -> None:
    empty = [row.replace("a", ".").replace("A", ".") for row in case["initial"]["grid"]]
    ours = [maze(case["height"], case["width"], layout) for layout in LAYOUTS]
    assert empty in [["".join(row) for row in grid] for grid in ours]


def test_the_published_map() -> None:
    grid = maze(10, 10, Layout(rows=True, food_first=True))
    assert ["".join(row) for row in grid] == [
        "WWWWWWWWWW",
        "WFF......W",
        "WFF......W",
        "W........W",
        "WWWWWWW..W",
        "W........W",
        "W........W",
        "WNN......W",
        "WNN......W",
        "WWWWWWWWWW",
    ]


@pytest.mark.parametrize("height", [7, 8, 9, 10, 12, 13, 14, 17, 20, 29])
@pytest.mark.parametrize("width", [7, 8, 9, 10, 12, 13, 14, 17, 20, 29])
def test_food_and_nest_are_connected_in_every_maze(height: int, width: int) -> None:
    for layout in LAYOUTS:
        grid = maze(height, width, layout)
        free = {(i, j) for i, row in enumerate(grid) for j, c in enumerate(row) if c == "."}
        reached, stack = set(), [min(free)]
        while stack:
            i, j = stack.pop()
            if (i, j) in free and (i, j) not in reached:
                reached.add((i, j))
                stack.extend((i + k, j + m) for k, m in NEAR)
        assert reached == free
        letters = {grid[i + k][j + m] for i, j in reached for k, m in NEAR}
        assert {"F", "N"} <= letters
        assert [sum(row.count(c) for row in grid) for c in "FN"] == [4, 4]


@pytest.mark.parametrize("compat", [None, "swarmbench"])
@pytest.mark.parametrize("side", ["height", "width"])
def test_sizes_at_which_the_openings_close_are_refused(compat: str | None, side: str) -> None:
    # The published code makes such mazes: its walls of 6 cells leave ceil(6/3) - 2 = 0 open.
    with pytest.raises(ConfigError, match="foraging needs a map of at least 7×7 cells, got"):
        coordgym.make(ID, n_agents=2, compat=compat, **{side: 6})


def test_too_many_agents_are_refused() -> None:
    with pytest.raises(ConfigError, match="n_agents must be at most 17 for foraging on 7×7"):
        coordgym.make(ID, n_agents=18, height=7, width=7)
    env = coordgym.make(ID, n_agents=17, height=7, width=7)
    env.reset(seed=0)
    assert "." not in "".join(env.unwrapped.world.grid())


def test_resets_draw_all_mazes_and_empty_agents_on_free_cells() -> None:
    seen = set()
    for seed in range(60):
        env = coordgym.make(ID, height=13, width=14)
        env.reset(seed=seed)
        world = env.unwrapped.world
        assert world.lights == [False] * 10
        assert all(0 < i < 12 and 0 < j < 13 for i, j in world.positions)
        seen.add("".join(world.grid()).replace("a", "."))
    assert seen == {"".join("".join(row) for row in maze(13, 14, layout)) for layout in LAYOUTS}


def corridor(*agents: tuple[int, bool], food: int = 1, nest: int = 8) -> dict[str, Any]:
    """A row of cells with food at one end and the nest at the other."""
    grid = ["WWWWWWWWWW", "W........W", "WWWWWWWWWW"]
    grid[1] = "".join("F" if j == food else "N" if j == nest else c for j, c in enumerate(grid[1]))
    walls = [row.replace("F", ".") for row in grid]
    return {
        "width": 10,
        "height": 3,
        "agents": {str(n): {"pos": [1, j], "state": full} for n, (j, full) in enumerate(agents)},
        "objects": [
            {"kind": "W", "pos": [0, 0], "shape": walls, "static": True},
            {"kind": "F", "pos": [1, food], "shape": ["F"], "static": True},
        ],
    }


def start(*agents: tuple[int, bool], **kwargs: Any) -> Any:
    env = coordgym.make(ID, n_agents=len(agents), **kwargs)
    env.reset(seed=0, options={"instance": corridor(*agents)})
    return env


def walk(env: Any, *actions: str) -> list[float]:
    texts = {f"agent_{number}": f"ACTION: {name}" for number, name in enumerate(actions)}
    return list(env.step(texts)[1].values())


def test_picking_up_and_delivering_happen_by_themselves() -> None:
    env = start((3, False), (6, True))
    assert env.unwrapped.world.grid()[1] == "WF.a..A.NW"
    assert walk(env, "LEFT", "RIGHT") == [1.0, 1.0]  # the delivery pays the whole team
    assert env.unwrapped.world.grid()[1] == "WFA....aNW"
    assert walk(env, "STAY", "STAY") == [0.0, 0.0]  # full stays full, empty stays empty
    assert env.unwrapped.world.grid()[1] == "WFA....aNW"
    assert env.unwrapped.metrics()["score"] == 1


def test_one_round_can_do_both() -> None:
    env = coordgym.make(ID, n_agents=1, reward="gameable_individual")
    state = corridor((3, False), food=1, nest=3)
    state["agents"]["0"]["pos"] = [1, 2]
    env.reset(seed=0, options={"instance": state})
    assert walk(env, "STAY") == [1.0]
    assert env.unwrapped.world.score == 1
    assert env.unwrapped.world.lights == [False]


def test_a_pick_up_is_rewarded_once() -> None:
    env = start((3, False), (6, True), reward="gameable_individual")
    assert walk(env, "LEFT", "RIGHT") == [0.5, 0.5]
    # Next to the food with a full load, six cells from the nest; and the other way round.
    assert walk(env, "STAY", "STAY") == [0.0, 0.0]
    assert walk(env, "STAY", "STAY") == [0.0, 0.0]
    assert walk(env, "RIGHT", "LEFT") == pytest.approx([0.0, 0.0])
    assert walk(env, "RIGHT", "LEFT") == pytest.approx([0.01, 0.01])  # four cells away


def test_approach_reward() -> None:
    goals = [(1, 1), (5, 5)]
    assert approach_reward((2, 1), goals) == pytest.approx(0.04)
    assert approach_reward((5, 3), goals) == pytest.approx(0.03)
    assert approach_reward((9, 9), goals) == 0.0


def test_agents_know_whether_they_carry() -> None:
    observations, infos = coordgym.make(ID, n_agents=2).reset(
        seed=0, options={"instance": corridor((3, False), (4, True))}
    )
    assert "carrying_food=false" in observations["agent_0"]
    assert infos["agent_1"]["view"]["carrying_food"] is True
    assert infos["agent_1"]["view"]["cells"][2] == [".", "$0", "Y", ".", "."]
    assert infos["agent_0"]["view"]["score"] == 0


def test_escaped_agents_take_no_part() -> None:
    state = corridor((2, False), (7, True))
    state["objects"] = [
        {"pos": [1, 1], "shape": ["F"], "static": True},
        {"pos": [1, 8], "shape": ["N"], "static": True},
    ]
    state["agents"]["1"]["pos"] = [0, 7]
    env = coordgym.make(ID, n_agents=2)
    env.reset(seed=0, options={"instance": state})
    walk(env, "RIGHT", "UP")
    assert env.unwrapped.world.escaped[1]
    env.step({"agent_0": "ACTION: STAY"})
    assert env.unwrapped.world.score == 0


def test_compat_prompts_tell_about_the_slip_only_where_it_matters() -> None:
    for text in ("full", "compact"):
        square = coordgym.make(ID, compat="swarmbench", text=text).reset(seed=0)[0]["agent_0"]
        assert "Beware" not in square
        assert "don't count" not in square
        kwargs = {"text": text, "height": 14}
        oblong = coordgym.make(ID, compat="swarmbench", **kwargs).reset(seed=0)[0]["agent_0"]
        assert "Beware" in oblong or "don't count" in oblong
        fixed = coordgym.make(ID, **kwargs).reset(seed=0)[0]["agent_0"]
        assert "Beware" not in fixed
        assert "don't count" not in fixed


def test_verify_gives_the_verdict_of_the_episode() -> None:
    env = coordgym.make(ID, target=1, height=7, width=7, n_agents=4)
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    while env.agents:
        env.step({agent: env.unwrapped.random_action(agent, rng) for agent in env.agents})
    metrics = env.unwrapped.metrics()
    assert metrics["success"]
    verdict = verify(env.unwrapped.instance, env.unwrapped.action_log)
    assert verdict == (True, metrics["score"])
    assert verify(env.unwrapped.instance, []) == (False, 0.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"objects": []}, "needs food: an object of 'F'"),
        ({"objects": [{"pos": [1, 1], "shape": ["F"]}]}, "needs a nest: an object of 'N'"),
        ({"agents": {"0": {"pos": [1, 4]}}}, "agent 0 has none"),
        ({"prev_state": 0}, "no field 'prev_state'"),
    ],
)
def test_bad_instances_are_refused(change: dict[str, Any], message: str) -> None:
    env = coordgym.make(ID, n_agents=1)
    with pytest.raises(InstanceError, match=message):
        env.reset(seed=0, options={"instance": {**corridor((4, False)), **change}})
