"""Flocking: form a hollow square somewhere on the map.

The target is the outline of a square of floor(N/4)+1 cells a side; agents that exceed its cells
are free. The distance from it is that of ``coordgym.swarm_env.tasks.formation_distance``.

Observation: the view, the own position, messages heard. Actions: UP, DOWN, LEFT, RIGHT, STAY.
Score: the most by which the distance has been below that of the start so far. Reward: the growth
of the score; individual: a tenth of the decrease of the distance in this round. The episode ends
at distance 0. Source: Ruan et al. 2025, section A.4.4.

The default rules draw starts again that are in formation already; the published implementation
(compat) keeps them. It also ignores the seed; here every start depends on it in both rule sets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Final, Self

import numpy as np

from coordgym.errors import ConfigError, InstanceError, require_choice
from coordgym.swarm_env.grid.cells import Cell
from coordgym.swarm_env.grid.fields import read_number
from coordgym.swarm_env.grid.placement import bordered_grid, place_agents, wall_object
from coordgym.swarm_env.grid.task_state import TaskState
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.options import SwarmConfig, TaskOptions
from coordgym.swarm_env.task import MAX_PHASE_WEIGHT, Outcome, Published, Task, Turn
from coordgym.swarm_env.tasks.formation_distance import TRANSLATIONS, distance, is_formed

MIN_AGENTS: Final = 4
MIN_SIDE: Final = 4
"""Smallest number of rows and of columns: a square of 2×2 agents within the walls."""
REWARD_SCALE: Final = 0.1
"""Individual reward for each cell of distance less."""

_TRIAL_STARTS = 20
_MAX_STARTS = 10_000

_RULES = """\
Together form a hollow square: the outline of a square of {side}×{side} cells, each of its \
{cells} cells taken by an agent{free}. It may be anywhere on the map. The \
distance from it is the least number of steps that agents would have to walk to form it{scale}. \
The team's score is the most by which this distance has been below that of the start so far. The \
task is finished when the square is formed. In letters it looks like this, each A an agent:
{picture}"""


def target_shape(n_agents: int) -> tuple[str, ...]:
    """Return the rows of the formation for a number of agents: ``A`` for a cell to take."""
    side = n_agents // 4 + 1
    full, hollow = "A" * side, "A" + "." * (side - 2) + "A"
    return (full, *[hollow] * (side - 2), full)


def shape_cells(shape: Sequence[str]) -> list[Cell]:
    """List row and column of each cell to take."""
    return [(i, j) for i, row in enumerate(shape) for j, letter in enumerate(row) if letter == "A"]


@dataclass(slots=True)
class FormationState(TaskState):
    """How far the agents are from the square; what is None is set before the first round.

    Attributes:
        target_shape: Rows of the square.
        init_dis: Distance from it at the start.
        cur_dis: Distance from it now.
    """

    fields: ClassVar[tuple[str, ...]] = ("target_shape", "init_dis", "cur_dis")

    target_shape: tuple[str, ...] | None
    init_dis: float | None
    cur_dis: float | None

    @classmethod
    def read(cls, given: Mapping[str, Any], n_agents: int) -> Self:
        """Read square and distances."""
        distances = (read_number(name, given.get(name)) for name in ("init_dis", "cur_dis"))
        return cls(_read_shape(given.get("target_shape")), *distances)

    def to_dict(self) -> dict[str, Any]:
        """Return square and distances."""
        values = {name: getattr(self, name) for name in self.fields}
        if self.target_shape is not None:
            values["target_shape"] = list(self.target_shape)
        return {name: value for name, value in values.items() if value is not None}


def _read_shape(rows: Any) -> tuple[str, ...] | None:
    if rows is None:
        return None
    if (
        not isinstance(rows, (list, tuple))
        or not rows
        or not all(isinstance(row, str) and set(row) <= {"A", "."} for row in rows)
        or len({len(row) for row in rows}) != 1
        or "A" not in "".join(rows)
    ):
        raise InstanceError("target_shape must be rows of one length made of 'A' and '.'")
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class FlockingOptions(TaskOptions):
    """How the distance is measured.

    Attributes:
        distance_scale: Factor of the distance: 1 (the default) as in the published tables, 0.5
            as in the paper's formula.
        translations: ``"paired"`` (the default): the square is tried where one of its cells falls
            on an agent. ``"independent"``: also where its row fits one agent and its column
            another, which gives the true optimum.

    Raises:
        ConfigError: If an option has no such value.
    """

    distance_scale: float = 1.0
    translations: str = "paired"

    def __post_init__(self) -> None:
        """Check the options and make the factor a float."""
        scale = self.distance_scale
        number = isinstance(scale, Real) and not isinstance(scale, bool)
        if not number or not 0 < scale <= 1e6:
            raise ConfigError(
                f"distance_scale must be a number above 0 and at most 1e6, got {scale!r:.100}"
            )
        object.__setattr__(self, "distance_scale", float(scale))
        require_choice("translations", self.translations, list(TRANSLATIONS))


class Flocking(Task):
    """The rules above, bound to the interface of a task."""

    name: ClassVar[str] = "flocking"
    target: ClassVar[float | None] = None
    score_words: ClassVar[str] = (
        "by how much the distance to the nearest hollow square has shrunk at best"
    )
    published: ClassVar[Published | None] = Published(
        "2.85 / 4.00 / 4.68", "11.7", "9.9 (gemini-2.0-flash, centralised)"
    )
    state: ClassVar[type[TaskState]] = FormationState
    options_type: ClassVar[type[TaskOptions]] = FlockingOptions
    options: FlockingOptions

    def check(self, config: SwarmConfig) -> None:
        """Require four agents, room for the square, and starts that are not in formation."""
        config.require_size(MIN_SIDE, MIN_SIDE, self.name)
        n_agents, side = config.n_agents, config.n_agents // 4 + 1
        if n_agents < MIN_AGENTS:
            raise ConfigError(
                f"n_agents must be at least {MIN_AGENTS} for flocking: fewer form no square; "
                f"got {n_agents}"
            )
        room = min(config.height, config.width) - 2
        if side > room:
            raise ConfigError(
                f"n_agents must be at most {4 * room - 1} for flocking on {config.height}×"
                f"{config.width} cells: the square of {n_agents} agents has {side} cells a side, "
                f"and {room} are within the walls"
            )
        config.require_room((config.height - 2) * (config.width - 2), self.name)
        if not config.compat:
            shape = shape_cells(target_shape(n_agents))
            rng = np.random.default_rng(0)
            trials = (_start(config, rng) for _ in range(_TRIAL_STARTS))
            if all(is_formed(cells, shape) for cells in trials):
                raise ConfigError(
                    f"n_agents must be lower or the map larger: {n_agents} agents on "
                    f"{config.height}×{config.width} cells stand in formation from the start"
                )

    def generate(self, config: SwarmConfig, rng: np.random.Generator) -> World:
        """Put the agents anywhere within the walls."""
        shape = target_shape(config.n_agents)
        cells = _start(config, rng)
        if not config.compat:
            for _ in range(_MAX_STARTS):
                if not is_formed(cells, shape_cells(shape)):
                    break
                cells = _start(config, rng)
        away = self._distance(cells, shape)
        walls = wall_object(bordered_grid(config.height, config.width))
        return self.start(config, cells, [walls], target_shape=shape, init_dis=away, cur_dis=away)

    def check_world(self, world: World) -> None:
        """Require the square of so many agents and the right distance; set what is missing."""
        if world.n_agents < MIN_AGENTS:
            raise InstanceError(
                f"a flocking instance needs at least {MIN_AGENTS} agents, got {world.n_agents}"
            )
        shape, formation = target_shape(world.n_agents), world.state_of(FormationState)
        if formation.target_shape is None:
            formation.target_shape = shape
        elif formation.target_shape != shape:
            raise InstanceError(
                f"target_shape of {world.n_agents} agents must be {list(shape)}, got "
                f"{list(formation.target_shape)}"
            )
        away = self._distance(world.positions, shape)
        if formation.cur_dis is None:
            formation.cur_dis = away
        elif formation.cur_dis != away:
            raise InstanceError(
                f"cur_dis must be {away:g}, the agents' distance from target_shape with "
                f"distance_scale={self.options.distance_scale:g} and "
                f"translations={self.options.translations!r}; got {formation.cur_dis:g}"
            )
        if formation.init_dis is None:
            formation.init_dis = away

    def update(
        self, world: World, turn: Turn, config: SwarmConfig, rng: np.random.Generator
    ) -> Outcome:
        """Measure the distance and raise the score if it has never been so small."""
        formation = world.state_of(FormationState)
        shape, start, before = formation.target_shape, formation.init_dis, formation.cur_dis
        if shape is None or start is None or before is None:
            raise InstanceError("a flocking world needs target_shape, init_dis and cur_dis")
        away = self._distance(world.positions, shape)
        gain = max(start - away - world.score, 0.0)
        formation.cur_dis = away
        world.score += gain
        share = REWARD_SCALE * (before - away)
        return Outcome(gain, dict.fromkeys(range(world.n_agents), share), away == 0)

    def full_score(self, world: World, limit: int, target: float | None) -> float | None:
        """Return the distance at the start: the score of a square."""
        return world.state_of(FormationState).init_dis

    def phases(self, world: World) -> list[float]:
        """Return which share of the distance at the start is gone now, the same to all."""
        formation = world.state_of(FormationState)
        start, away = formation.init_dis or 0.0, formation.cur_dis or 0.0
        return [max(1 - away / start, 0.0) if start else 1.0] * world.n_agents

    def phase_weight(self, full: float, n_agents: int) -> float:
        """Return the most that a phase may weigh."""
        return MAX_PHASE_WEIGHT

    def _distance(self, cells: Sequence[Cell], shape: Sequence[str]) -> float:
        options = self.options
        return options.distance_scale * distance(cells, shape_cells(shape), options.translations)

    def rules(self, config: SwarmConfig, world: World) -> str:
        """Tell square, distance and score in prose."""
        shape = target_shape(config.n_agents)
        cells = len(shape_cells(shape))
        spare = config.n_agents - cells
        factor = self.options.distance_scale
        scale = f", times {factor:g}" if factor != 1 else ""
        return _RULES.format(
            side=len(shape),
            cells=cells,
            free=f"; {spare} of you may stand anywhere else" if spare else "",
            scale=scale,
            picture="\n".join(shape),
        )

    def short_rules(self, config: SwarmConfig, world: World) -> str:
        """Tell square, distance and score in few words."""
        shape = target_shape(config.n_agents)
        cells = len(shape_cells(shape))
        spare = config.n_agents - cells
        factor = self.options.distance_scale
        scale = f"{factor:g} x " if factor != 1 else ""
        return (
            f"form a hollow square of {len(shape)}x{len(shape)} cells anywhere, an agent on each "
            f"of its {cells} cells ({spare} spare): {'/'.join(shape)}; distance: {scale}fewest "
            "steps to form it; score: most by which it was below the start's; done at distance 0"
        )

    def facts(self, config: SwarmConfig) -> dict[str, Any]:
        """Return the square, and the factor of the distance."""
        return {
            "target_shape": list(target_shape(config.n_agents)),
            "distance_scale": self.options.distance_scale,
        }

    def success(self, world: World, target: float | None) -> bool:
        """Tell whether the square is formed."""
        return world.state_of(FormationState).cur_dis == 0


def _start(config: SwarmConfig, rng: np.random.Generator) -> list[Cell]:
    rows, columns = range(1, config.height - 1), range(1, config.width - 1)
    return place_agents(config.n_agents, rows, columns, [], rng)
