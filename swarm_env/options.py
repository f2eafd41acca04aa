"""The options of a swarm environment: all, what rules depend on, and what only one task has."""

import dataclasses
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, Final, Self

from coordgym.contract.options import CommonOptions
from coordgym.errors import (
    ConfigError,
    require_bool,
    require_choice,
    require_int,
    require_probability,
    shown,
)
from coordgym.swarm_env.grid.state import MAX_SIDE
from coordgym.swarm_env.grid.world import require_odd
from coordgym.swarm_env.messages import Hearing, require_delay

COMPAT: Final = "swarmbench"
"""Rule set that reproduces the published implementation, its slips included."""

MAX_AGENTS: Final = 999
MAX_VIEW: Final = 51
MAX_MEMORY: Final = 1000


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


class SwarmArguments(CommonOptions, total=False):
    """The keyword arguments of ``SwarmEnv``: the fields of ``SwarmOptions``, and the shared ones.

    Options that only one task has come on top.
    """

    task: str
    n_agents: int
    height: int
    width: int
    view_size: int
    memory: int
    compat: str | None
    reward: str
    credit: str | None
    format_bonus: float
    target: float | None
    noise: float
    delay: Sequence[int]
    centralized: bool
    repeat_instructions: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmOptions:
    """Checked options; the meaning of each is told at ``SwarmEnv``.

    The task checks whether it can be played with them, the base class ``repeat_instructions``.

    Raises:
        ConfigError: If a value is not allowed.
    """

    task: str = "pursuit"
    n_agents: int = 10
    height: int = 10
    width: int = 10
    view_size: int = 5
    memory: int = 5
    compat: str | None = None
    reward: str = "score"
    credit: str | None = None
    format_bonus: float = 0.0
    target: float | None = None
    noise: float = 0.0
    delay: Sequence[int] = (0, 0)
    centralized: bool = False
    repeat_instructions: bool = True

    def __post_init__(self) -> None:
        keep = partial(object.__setattr__, self)  # numbers as Python's own
        config = self.config
        for name in ("n_agents", "height", "width", "view_size"):
            keep(name, getattr(config, name))
        keep("memory", require_int("memory", self.memory, 0, MAX_MEMORY))
        if self.compat is not None:
            keep("compat", require_choice("compat", self.compat, [COMPAT]))
        keep("format_bonus", _require_number("format_bonus", self.format_bonus))
        if self.target is not None:
            keep("target", _require_number("target", self.target))
        keep("noise", require_probability("noise", self.noise))
        keep("delay", require_delay(self.delay))
        require_bool("centralized", self.centralized)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the options."""
        return tuple(field.name for field in dataclasses.fields(cls))

    @classmethod
    def from_kwargs(cls, kwargs: Mapping[str, Any]) -> Self:
        """Read the options from an environment's keyword arguments, whatever else these hold.

        Raises:
            ConfigError: If a value is not allowed.
        """
        return cls(**{name: value for name, value in kwargs.items() if name in cls.names()})

    @property
    def config(self) -> SwarmConfig:
        """What the placement and the rules of a task depend on."""
        return SwarmConfig(
            self.n_agents, self.height, self.width, self.view_size, self.compat is not None
        )

    @property
    def hearing(self) -> Hearing:
        """Who hears whom."""
        return Hearing(
            distance=self.view_size // 2,
            compat=self.compat is not None,
            centralized=self.centralized,
            noise=self.noise,
            delay=require_delay(self.delay),
        )


def _require_number(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value < 1e9:
        raise ConfigError(f"{name} must be a number in [0, 1e9), got {shown(value)}")
    return float(value)
