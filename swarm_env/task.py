"""What a swarm task writes: placement, the update after the physics, its rules as text.

A task holds no state of its own: everything that changes lives in the world, so that a world's
dict is the whole state of an episode.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np

from coordgym.errors import ConfigError, require_int
from coordgym.swarm_env.grid.state import MAX_SIDE
from coordgym.swarm_env.grid.world import MOVES, World, require_odd

COMPAT: Final = "swarmbench"
"""Rule set that reproduces the published implementation, its slips included."""

MAX_AGENTS: Final = 999
MAX_VIEW: Final = 51


@dataclass(frozen=True, slots=True)
class SwarmConfig:
    """What the placement and the rules of a task depend on.

    Attributes:
        n_agents: Agents.
        height: Rows of the map.
        width: Columns of the map.
        view_size: Odd side of an agent's view, in cells.
        compat: Whether the published implementation's rules hold.

    Raises:
        ConfigError: A number is out of range.
    """

    n_agents: int
    height: int
    width: int
    view_size: int
    compat: bool

    def __post_init__(self) -> None:
        """Checks the numbers (each task has its own minima) and makes them plain ints."""
        for name, high in (("n_agents", MAX_AGENTS), ("height", MAX_SIDE), ("width", MAX_SIDE)):
            object.__setattr__(self, name, require_int(name, getattr(self, name), 1, high))
        object.__setattr__(self, "view_size", require_odd("view_size", self.view_size, MAX_VIEW))

    def require_size(self, rows: int, columns: int, task: str) -> None:
        """Checks the smallest map of a task.

        Raises:
            ConfigError: The map is smaller.
        """
        if self.height < rows or self.width < columns:
            raise ConfigError(
                f"{task} needs a map of at least {rows}×{columns} cells, "
                f"got {self.height}×{self.width}"
            )

    def require_room(self, room: int, task: str) -> None:
        """Checks that a task has room for the agents.

        Raises:
            ConfigError: There are more agents.
        """
        if self.n_agents > room:
            raise ConfigError(
                f"n_agents must be at most {room} for {task} on {self.height}×{self.width} "
                f"cells, got {self.n_agents}"
            )


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
    before: Sequence[tuple[int, int]]
    moved: Mapping[str, Sequence[str]]
    limit: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a task's update gives.

    Attributes:
        gain: By how much the team's score grew.
        individual: Shaped reward per agent number; missing = 0.
        done: Whether the task is finished for good.
    """

    gain: float
    individual: Mapping[int, float] = field(default_factory=dict)
    done: bool = False


class Task(ABC):
    """A swarm task; the class attributes describe it, the methods are its rules."""

    name: ClassVar[str]
    """Name in the table and as keyword argument."""
    actions: ClassVar[tuple[str, ...]] = (*MOVES, "STAY")
    """What an agent can do."""
    target: ClassVar[float | None]
    """Score from which an episode counts as a success: what the strong baseline reaches in 12 to 13
    of 20 episodes with the default settings, or the most that a task has to give (in
    synchronization, reached in all). None where success is no matter of score."""
    options: ClassVar[tuple[str, ...]] = ()
    """Keyword arguments that only this task has; attributes of the same names hold them."""
    shows_score: ClassVar[bool] = False
    """Whether the agents are told the team's score."""
    light_name: ClassVar[str | None] = None
    """What an agent's light means (``light_on``, ``carrying_food``), if the task has one."""

    @abstractmethod
    def check(self, config: SwarmConfig) -> None:
        """Checks sizes and numbers.

        Raises:
            ConfigError: The map is too small or the agents too many.
        """

    @abstractmethod
    def generate(self, config: SwarmConfig, rng: np.random.Generator) -> World:
        """Draws a start."""

    @abstractmethod
    def check_world(self, world: World) -> None:
        """Checks that a given world has what the task needs.

        Raises:
            InstanceError: It lacks something, or holds fields of another task.
        """

    @abstractmethod
    def update(
        self, world: World, turn: Turn, config: SwarmConfig, rng: np.random.Generator
    ) -> Outcome:
        """Applies the task's rules after the physics; adds the gain to the world's score."""

    @abstractmethod
    def rules(self, config: SwarmConfig) -> str:
        """The task in prose, for the full text."""

    @abstractmethod
    def short_rules(self, config: SwarmConfig) -> str:
        """The same facts in few words, for the compact text."""

    @abstractmethod
    def legend(self) -> Mapping[str, str]:
        """What the letters in a view mean that only this task has."""

    def settings(self) -> dict[str, Any]:
        """The values of the task's own options."""
        return {name: getattr(self, name) for name in self.options}

    def facts(self, config: SwarmConfig) -> dict[str, Any]:
        """What the rules as text tell about this episode's settings, for those who read views."""
        return {}

    def success(self, world: World, target: float | None) -> bool:
        """Whether the episode so far is a success."""
        return target is not None and world.score >= target

    def status(self, world: World, agent: int) -> dict[str, Any]:
        """What an agent knows about its own light or load."""
        if self.light_name is None:
            return {}
        return {self.light_name: world.lights[agent] is True}
