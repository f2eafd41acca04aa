"""A new task is a class and a line of the table: no shared file knows what only it has."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pytest

import coordgym
from coordgym.errors import ConfigError, InstanceError
from coordgym.registry import env_kwargs
from coordgym.swarm_env import World, verify
from coordgym.swarm_env import table as swarm_table
from coordgym.swarm_env.environment import SwarmEnv
from coordgym.swarm_env.grid.fields import read_cell, read_int
from coordgym.swarm_env.grid.task_state import Piece, TaskState
from coordgym.swarm_env.options import SwarmConfig, TaskOptions
from coordgym.swarm_env.table import TaskEntry, env_entry
from coordgym.swarm_env.task import Outcome, Task, Turn


@dataclass(slots=True)
class BallState(TaskState):
    """A ball that can be pushed, and how often it was."""

    fields: ClassVar[tuple[str, ...]] = ("ball", "kicks")

    ball: Piece
    kicks: int

    @classmethod
    def read(cls, given: Mapping[str, Any], n_agents: int) -> Self:
        row, column = read_cell("ball", given.get("ball"))
        kicks = read_int("kicks", given.get("kicks", 0), 0, 10**6)
        return cls(Piece("ball", "Q", row, column, static=False), kicks)

    def to_dict(self) -> dict[str, Any]:
        return {"ball": list(self.ball.cell), "kicks": self.kicks}

    def pieces(self) -> tuple[Piece, ...]:
        return (self.ball,)


@dataclass(frozen=True, slots=True)
class BallOptions(TaskOptions):
    """What a kick is worth.

    Attributes:
        worth: Points for a kick.
    """

    worth: float = 1.0

    def __post_init__(self) -> None:
        if self.worth <= 0:
            raise ConfigError(f"worth must be above 0, got {self.worth}")


class Ball(Task):
    """Kick the ball."""

    name: ClassVar[str] = "ball"
    actions: ClassVar[tuple[str, ...]] = ("LEFT", "RIGHT", "STAY")
    target: ClassVar[float] = 3.0
    score_words: ClassVar[str] = "kicks"
    state: ClassVar[type[TaskState]] = BallState
    options_type: ClassVar[type[TaskOptions]] = BallOptions
    options: BallOptions

    def check(self, config: SwarmConfig) -> None:
        config.require_size(3, 5, self.name)

    def generate(self, config: SwarmConfig, rng: np.random.Generator) -> World:
        column = int(rng.integers(2, config.width - 1))
        cells = [(1, 0)] + [(0, n) for n in range(1, config.n_agents)]
        return self.start(config, cells, [], ball=[1, column])

    def check_world(self, world: World) -> None:
        """Nothing is missing once it is read."""

    def update(
        self, world: World, turn: Turn, config: SwarmConfig, rng: np.random.Generator
    ) -> Outcome:
        kicked = any("ball" in bodies for bodies in turn.moved.values())
        world.state_of(BallState).kicks += kicked
        gain = self.options.worth * kicked
        world.score += gain
        return Outcome(gain)

    def rules(self, config: SwarmConfig, world: World) -> str:
        return f"Kick the ball; each kick scores {self.options.worth:g}."

    def short_rules(self, config: SwarmConfig, world: World) -> str:
        return "kick Q"

    def legend(self) -> Mapping[str, str]:
        return {"Q": "the ball"}


ENTRY = TaskEntry("ball", f"{__name__}:Ball", "Kick a ball")
ID = env_entry(ENTRY).id


@pytest.fixture(autouse=True)
def new_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swarm_table, "TASKS", (*swarm_table.TASKS, ENTRY))


def make(**kwargs: Any) -> SwarmEnv:
    return SwarmEnv(task="ball", n_agents=2, height=3, width=7, **kwargs)


def kick(env: SwarmEnv, rounds: int) -> None:
    for _ in range(rounds):
        env.step({"agent_0": "ACTION: RIGHT", "agent_1": "ACTION: STAY"})


def instance(**change: Any) -> dict[str, Any]:
    agents = {"0": {"pos": [1, 0]}, "1": {"pos": [0, 1]}}
    state = {"width": 7, "height": 3, "agents": agents, "objects": [], "ball": [1, 1]}
    return {**state, **change}


def test_its_state_lives_in_the_world_and_in_the_instance() -> None:
    env = make()
    env.reset(seed=0, options={"instance": instance()})
    kick(env, 3)
    state = env.world.to_dict()
    assert (state["ball"], state["kicks"], state["score"]) == ([1, 4], 3, 3.0)
    assert env.world.grid()[1] == "...AQ.."
    assert World.from_dict(state).to_dict() == state
    assert json.loads(env.state())["kicks"] == 3
    assert verify(env.instance, env.action_log) == (True, 3.0)


def test_its_piece_is_read_from_a_grid_without_objects() -> None:
    state = {key: value for key, value in instance().items() if key != "objects"}
    world = World.from_dict({**state, "grid": [".A.....", "AQ.....", "......W"]})
    assert [shape.kind for shape in world.shapes] == ["W"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ball": [0, 1]}, "the ball overlaps agent 1"),
        ({"kicks": -1}, "kicks must be an integer"),
        ({"prey": [0, 0]}, "a ball instance has no field 'prey'"),
        ({"kick": 1}, "unknown field 'kick' .* did you mean 'kicks'"),
    ],
)
def test_its_fields_are_checked(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InstanceError, match=message):
        make().reset(seed=0, options={"instance": instance(**change)})


def test_a_null_field_of_another_task_is_none() -> None:
    make().reset(seed=0, options={"instance": instance(prey=None, cur_dis=None)})


def test_its_options_are_keyword_arguments() -> None:
    env = make(worth=2.0)
    env.reset(seed=0, options={"instance": instance()})
    kick(env, 1)
    assert (env.world.score, env.instance["options"]) == (2.0, {"worth": 2.0})
    assert make(worth=None).task.options == BallOptions()
    parameter = env_kwargs("coordgym/SwarmPursuit-v0")["worth"]
    assert (parameter.default, parameter.annotation) == (None, float | None)
    with pytest.raises(ConfigError, match="worth must be above 0"):
        make(worth=-1)
    with pytest.raises(ConfigError, match="worth is no option of pursuit, which has none of its"):
        SwarmEnv(task="pursuit", worth=1)
    with pytest.raises(TypeError, match="wroth"):
        make(wroth=1)


@pytest.mark.parametrize("name", ["reactive", "heuristic", "communicating", "strong"])
def test_who_names_no_baseline_is_played_at_random_without_bumping(name: str) -> None:
    env, policy = make(max_cycles=20), coordgym.make_policy(f"swarm:{name}")
    observations, infos = env.reset(seed=0)
    policy.reset(env.agents, infos, 0)
    while env.agents:
        observations, *_, infos = env.step(dict(policy.act(observations, infos)))
        assert all(info["valid"] for info in infos.values())
    assert {name for log in env.action_log for name in log.values()} <= {"LEFT", "RIGHT", "STAY"}
    assert env.metrics()["push_events"] == 0


def test_the_states_of_other_tasks_are_not_mixed_up() -> None:
    env = coordgym.make("SwarmPursuit-v0")
    env.reset(seed=0)
    with pytest.raises(InstanceError, match="the world of another task has no ball, kicks"):
        env.unwrapped.world.state_of(BallState)
    with pytest.raises(InstanceError, match="this world has no ball to move"):
        env.unwrapped.world.move("ball", 1, 1)
