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

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Final

import numpy as np

from coordgym.errors import ConfigError, InstanceError, require_choice
from coordgym.swarm_env.grid.placement import bordered_grid, place_agents, wall_object
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.task import Outcome, SwarmConfig, Task, Turn
from coordgym.swarm_env.tasks.formation_distance import TRANSLATIONS, Cell, distance, is_formed

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
    """Rows of the formation for a number of agents: ``A`` for a cell to take."""
    side = n_agents // 4 + 1
    full, hollow = "A" * side, "A" + "." * (side - 2) + "A"
    return (full, *[hollow] * (side - 2), full)


def shape_cells(shape: Sequence[str]) -> list[Cell]:
    """Row and column of each cell to take."""
    return [(i, j) for i, row in enumerate(shape) for j, letter in enumerate(row) if letter == "A"]


class Flocking(Task):
    """The rules above, bound to the interface of a task.

    Args:
        distance_scale: Factor of the distance: 1 as in the published tables, 0.5 as in the
            paper's formula.
        translations: ``"paired"``: the square is tried where one of its cells falls on an agent.
            ``"independent"``: also where its row fits one agent and its column another, which
            gives the true optimum.

    Raises:
        ConfigError: An option has no such value.
    """

    name: ClassVar[str] = "flocking"
    target: ClassVar[float | None] = None
    options: ClassVar[tuple[str, ...]] = ("distance_scale", "translations")

    def __init__(self, distance_scale: float = 1.0, translations: str = "paired") -> None:
        number = isinstance(distance_scale, Real) and not isinstance(distance_scale, bool)
        if not number or not 0 < distance_scale <= 1e6:
            raise ConfigError(
                "distance_scale must be a number above 0 and at most 1e6, got "
                f"{distance_scale!r:.100}"
            )
        self.distance_scale = float(distance_scale)
        self.translations = require_choice("translations", translations, list(TRANSLATIONS))

    def check(self, config: SwarmConfig) -> None:
        """Needs four agents, room for the square, and starts that are not in formation."""
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
        """Puts the agents anywhere within the walls."""
        shape = target_shape(config.n_agents)
        cells = _start(config, rng)
        if not config.compat:
            for _ in range(_MAX_STARTS):
                if not is_formed(cells, shape_cells(shape)):
                    break
                cells = _start(config, rng)
        away = self._distance(cells, shape)
        return World.from_dict(
            {
                "width": config.width,
                "height": config.height,
                "agents": {str(n): {"pos": list(cell)} for n, cell in enumerate(cells)},
                "objects": [wall_object(bordered_grid(config.height, config.width))],
                "target_shape": list(shape),
                "init_dis": away,
                "cur_dis": away,
            }
        )

    def check_world(self, world: World) -> None:
        """Needs the square of its number of agents and the right distance; sets what is missing."""
        world.require_no_fields_but(("target_shape", "init_dis", "cur_dis"), self.name)
        if world.n_agents < MIN_AGENTS:
            raise InstanceError(
                f"a flocking instance needs at least {MIN_AGENTS} agents, got {world.n_agents}"
            )
        shape = target_shape(world.n_agents)
        if world.target_shape is None:
            world.target_shape = shape
        elif world.target_shape != shape:
            raise InstanceError(
                f"target_shape of {world.n_agents} agents must be {list(shape)}, got "
                f"{list(world.target_shape)}"
            )
        away = self._distance(world.positions, shape)
        if world.cur_dis is None:
            world.cur_dis = away
        elif world.cur_dis != away:
            raise InstanceError(
                f"cur_dis must be {away:g}, the agents' distance from target_shape with "
                f"distance_scale={self.distance_scale:g} and translations={self.translations!r}; "
                f"got {world.cur_dis:g}"
            )
        if world.init_dis is None:
            world.init_dis = away

    def update(
        self, world: World, turn: Turn, config: SwarmConfig, rng: np.random.Generator
    ) -> Outcome:
        """Measures the distance and raises the score if it has never been so small."""
        shape, start, before = world.target_shape, world.init_dis, world.cur_dis
        if shape is None or start is None or before is None:
            raise InstanceError("a flocking world needs target_shape, init_dis and cur_dis")
        away = self._distance(world.positions, shape)
        gain = max(start - away - world.score, 0.0)
        world.cur_dis = away
        world.score += gain
        share = REWARD_SCALE * (before - away)
        return Outcome(gain, dict.fromkeys(range(world.n_agents), share), away == 0)

    def _distance(self, cells: Sequence[Cell], shape: Sequence[str]) -> float:
        return self.distance_scale * distance(cells, shape_cells(shape), self.translations)

    def rules(self, config: SwarmConfig) -> str:
        """Square, distance and score in prose."""
        shape = target_shape(config.n_agents)
        cells = len(shape_cells(shape))
        spare = config.n_agents - cells
        scale = f", times {self.distance_scale:g}" if self.distance_scale != 1 else ""
        return _RULES.format(
            side=len(shape),
            cells=cells,
            free=f"; {spare} of you may stand anywhere else" if spare else "",
            scale=scale,
            picture="\n".join(shape),
        )

    def short_rules(self, config: SwarmConfig) -> str:
        """Square, distance and score in few words."""
        shape = target_shape(config.n_agents)
        cells = len(shape_cells(shape))
        spare = config.n_agents - cells
        scale = f"{self.distance_scale:g} x " if self.distance_scale != 1 else ""
        return (
            f"form a hollow square of {len(shape)}x{len(shape)} cells anywhere, an agent on each "
            f"of its {cells} cells ({spare} spare): {'/'.join(shape)}; distance: {scale}fewest "
            "steps to form it; score: most by which it was below the start's; done at distance 0"
        )

    def legend(self) -> dict[str, str]:
        """No letters of its own."""
        return {}

    def facts(self, config: SwarmConfig) -> dict[str, Any]:
        """The square, and the factor of the distance."""
        return {
            "target_shape": list(target_shape(config.n_agents)),
            "distance_scale": self.distance_scale,
        }

    def success(self, world: World, target: float | None) -> bool:
        """Whether the square is formed."""
        return world.cur_dis == 0


def _start(config: SwarmConfig, rng: np.random.Generator) -> list[Cell]:
    rows, columns = range(1, config.height - 1), range(1, config.width - 1)
    return place_agents(config.n_agents, rows, columns, [], rng)
