"""What a swarm task writes: placement, the update after the physics, its rules as text.

A task holds only its options: everything that changes lives in the world, so that a world's dict
is the whole state of an episode.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from coordgym.errors import ConfigError, require_choice
from coordgym.loading import load
from coordgym.swarm_env import table
from coordgym.swarm_env.grid.cells import STAY
from coordgym.swarm_env.grid.task_state import TaskState
from coordgym.swarm_env.grid.world import MOVES, World
from coordgym.swarm_env.options import SwarmConfig, TaskOptions

PUBLISHED_SIZE: Final = (10, 10, 10, 100)
"""Agents, rows, columns and rounds of the published study."""
MAX_PHASE_WEIGHT: Final = 0.25
"""A phase weighs no more, beside 1 for the full score."""


class Published(NamedTuple):
    """Scores of the published study (SwarmBench), as the docs show them.

    Attributes:
        rules: Its rules 1 to 3 (table S.2).
        humans: Human players (table S.3).
        models: The best language model, and how it played (tables S.5 and S.6).
    """

    rules: str
    humans: str
    models: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What happened in a round before the task's update.

    Attributes:
        actions: What each agent did that could act.
        before: All agents' positions before the physics.
        moved: Ids of what moved in each pass.
        limit: The limit T on rounds.
    """

    actions: Mapping[int, str]
    before: tuple[tuple[int, int], ...]
    moved: Mapping[str, Sequence[str]]
    limit: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a task's update gives.

    Attributes:
        gain: By how much the team's score grew.
        individual: The published shaped reward per agent number; missing = 0.
        done: Whether the task is finished for good.
        own: By how much each agent's own part of the score grew; missing = 0. None where what
            the agents do can't be told apart: all share the gain.
    """

    gain: float
    individual: Mapping[int, float] = field(default_factory=dict)
    done: bool = False
    own: Mapping[int, float] | None = None


class Task(ABC):
    """A swarm task; the class attributes describe it, the methods are its rules."""

    name: ClassVar[str]
    """Name in the table and as keyword argument."""
    actions: ClassVar[tuple[str, ...]] = (*MOVES, STAY)
    """What an agent can do."""
    target: ClassVar[float | None]
    """Score from which an episode of the published size counts as a success: what the strong
    baseline reaches in 12 to 13 of 20 episodes with the default settings, or the most that a task
    has to give (in synchronization, reached in all). None where success is no matter of score."""
    score_words: ClassVar[str]
    """What the score counts, for the docs."""
    published: ClassVar[Published | None] = None
    """Scores to compare with, if there are some."""
    state: ClassVar[type[TaskState]] = TaskState
    """What it keeps in a world besides agents and objects."""
    options_type: ClassVar[type[TaskOptions]] = TaskOptions
    """Options that only this task has; users give them to the environment."""
    shows_score: ClassVar[bool] = False
    """Whether the published game tells the agents the team's score, as the default rules do."""
    light_name: ClassVar[str | None] = None
    """What an agent's light means (``light_on``, ``carrying_food``), if the task has one."""
    dark_words: ClassVar[str] = ""
    """What is told of an agent whose light is off, after "an agent ", if the task has lights."""

    def __init__(self, **options: Any) -> None:
        self.options = self.options_type(**options)

    def check_target(self, target: float | None) -> None:
        """Check the score of a success as it was given.

        Raises:
            ConfigError: If a target is given to a task that takes none.
        """
        if target is not None and self.target is None:
            raise ConfigError(f"target: {self.name} succeeds when it is finished, at any score")

    def own_target(self, world: World, limit: int) -> float | None:
        """Return the score of a success where none is given.

        By default that of a published task holds at the published size only, any other everywhere.

        Args:
            world: The start.
            limit: The limit on rounds.

        Returns:
            A score; None if success is no matter of score, or there is none to judge by.
        """
        size = (world.n_agents, world.height, world.width, limit)
        return self.target if self.published is None or size == PUBLISHED_SIZE else None

    @abstractmethod
    def check(self, config: SwarmConfig) -> None:
        """Check sizes and numbers.

        Raises:
            ConfigError: If the map is too small or the agents too many.
        """

    @abstractmethod
    def generate(self, config: SwarmConfig, rng: np.random.Generator) -> World:
        """Draw a start."""

    @abstractmethod
    def check_world(self, world: World) -> None:
        """Check that a given world has what the task needs; set what is missing.

        Raises:
            InstanceError: If it lacks something.
        """

    @abstractmethod
    def update(
        self, world: World, turn: Turn, config: SwarmConfig, rng: np.random.Generator
    ) -> Outcome:
        """Apply the task's rules after the physics; add the gain to the world's score."""

    @abstractmethod
    def rules(self, config: SwarmConfig, world: World) -> str:
        """Tell the task in prose, for the full text; of the start only what all may know."""

    @abstractmethod
    def short_rules(self, config: SwarmConfig, world: World) -> str:
        """Tell the same facts in few words, for the compact text."""

    def legend(self) -> Mapping[str, str]:
        """Tell what the letters in a view mean that only this task has."""
        return {}

    def start(
        self,
        config: SwarmConfig,
        cells: Sequence[tuple[int, int]],
        objects: Sequence[Mapping[str, Any]],
        lights: Sequence[bool] | None = None,
        **own: Any,
    ) -> World:
        """Make the world of a start.

        Args:
            config: Its sizes.
            cells: Cell of each agent.
            objects: The objects, as in the state format.
            lights: Light or load of each agent; None where there is none.
            **own: The task's own fields.
        """
        states: Sequence[bool | None] = lights or [None] * len(cells)
        agents = {
            str(number): {"pos": list(cell), "state": state}
            for number, (cell, state) in enumerate(zip(cells, states, strict=True))
        }
        size = {"width": config.width, "height": config.height}
        return World.from_dict(
            {**size, "agents": agents, "objects": list(objects), **own}, self.state
        )

    def read_world(self, state: Mapping[str, Any]) -> World:
        """Make a world of this task from its state.

        Raises:
            InstanceError: If the state is inconsistent, lacks what the task needs, or holds fields
                of another task.
        """
        world = World.from_dict(state, self.state, f"a {self.name} instance")
        self.check_world(world)
        return world

    def play(
        self,
        world: World,
        actions: Mapping[int, str],
        limit: int,
        config: SwarmConfig,
        rng: np.random.Generator,
    ) -> tuple[Turn, Outcome]:
        """Play a round: the physics, then the rules of the task."""
        before = tuple(world.positions)
        turn = Turn(actions, before, world.push(actions), limit)
        outcome = self.update(world, turn, config, rng)
        world.round += 1
        return turn, outcome

    def facts(self, config: SwarmConfig) -> dict[str, Any]:
        """Return what the rules tell about this episode's settings, for readers of views."""
        return {}

    def success(self, world: World, target: float | None) -> bool | None:
        """Tell whether the episode so far is a success; None if it is not judged."""
        return None if target is None else world.score >= target

    def own_success(self, world: World, agent: int, target: float | None) -> bool | None:
        """Tell whether an agent's own part of a success is done: by default the team's is."""
        return self.success(world, target)

    def full_score(self, world: World, limit: int, target: float | None) -> float | None:
        """Return the score that counts as 1 where a reward is a share of it: by default the target.

        Args:
            world: The start.
            limit: The limit on rounds.
            target: The score of a success, if there is one.
        """
        return target

    def phases(self, world: World) -> Sequence[float]:
        """Return for each agent how near it is to what scores next, in [0, 1]: by default 0."""
        return [0.0] * world.n_agents

    def phase_weight(self, full: float, n_agents: int) -> float:
        """Return what a whole phase weighs beside the share of the full score.

        By default as much as one point, so that to lose the phase by scoring costs nothing.
        """
        return min(1 / full, MAX_PHASE_WEIGHT) if full else 0.0

    def status(self, world: World, agent: int) -> dict[str, Any]:
        """Return what an agent knows about its own light or load."""
        if self.light_name is None:
            return {}
        return {self.light_name: world.lights[agent] is True}


def load_task(name: str, options: Mapping[str, Any] | None = None) -> Task:
    """Make a task by its name, with options of its own.

    Raises:
        ConfigError: If no task has this name, or the task no such option or value.
    """
    entries = {entry.name: entry for entry in table.TASKS}
    factory: type[Task] = load(entries[require_choice("task", name, list(entries))].place)
    names = factory.options_type.names()
    for option in options or {}:
        if option not in names:
            raise ConfigError(
                f"{option!s:.100} is no option of {name}, which has "
                f"{', '.join(names) or 'none of its own'}"
            )
    return factory(**(options or {}))


def task_options() -> list[type[TaskOptions]]:
    """Return the options of each task that has some."""
    types = [load(entry.place).options_type for entry in table.TASKS]
    return [options for options in types if options.names()]
