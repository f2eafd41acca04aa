"""The options of a swarm environment: what rules depend on, and what only one task has."""

import dataclasses
import inspect
from dataclasses import dataclass
from typing import Any, Final

from coordgym.errors import ConfigError, require_int
from coordgym.swarm_env.grid.state import MAX_SIDE
from coordgym.swarm_env.grid.world import require_odd

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
        ConfigError: If a number is out of range.
    """

    n_agents: int
    height: int
    width: int
    view_size: int
    compat: bool

    def __post_init__(self) -> None:
        """Check the numbers (each task has its own minima) and make them plain ints."""
        for name, high in (("n_agents", MAX_AGENTS), ("height", MAX_SIDE), ("width", MAX_SIDE)):
            object.__setattr__(self, name, require_int(name, getattr(self, name), 1, high))
        object.__setattr__(self, "view_size", require_odd("view_size", self.view_size, MAX_VIEW))

    def require_size(self, rows: int, columns: int, task: str) -> None:
        """Check the smallest map of a task.

        Raises:
            ConfigError: If the map is smaller.
        """
        if self.height < rows or self.width < columns:
            raise ConfigError(
                f"{task} needs a map of at least {rows}×{columns} cells, "
                f"got {self.height}×{self.width}"
            )

    def require_room(self, room: int, task: str) -> None:
        """Check that a task has room for the agents.

        Raises:
            ConfigError: If there are more agents.
        """
        if self.n_agents > room:
            raise ConfigError(
                f"n_agents must be at most {room} for {task} on {self.height}×{self.width} "
                f"cells, got {self.n_agents}"
            )


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """Options that only one task has: none.

    A task that has some names a frozen dataclass of them as its ``options_type``, which checks
    them, gives each a default and tells under ``Attributes`` what each means. Users give them to
    the environment.
    """

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the options."""
        return tuple(field.name for field in dataclasses.fields(cls))

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """Return the options as keyword arguments of the environment: None is the default."""
        hints = inspect.get_annotations(cls, eval_str=True)
        return [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hints[name] | None
            )
            for name in cls.names()
        ]

    def values(self) -> dict[str, Any]:
        """Return the options' values, JSON-able."""
        return dataclasses.asdict(self)
