"""Transport: push a heavy box out of the only exit and leave.

The walls around the map have one gap, which the box plugs. It weighs 5, so that five agents have
to push at once. ``box="corner"``: 13 cells, a 3×3 body inside the walls and a bar of 4 cells in
the gap, which reaches from the corner inwards; the box leaves with one step sideways, towards the
corner, and four outwards. ``box="square"``: 3×3 cells in the middle of a 3-cell gap, two steps
outwards.

Observation: the view, the own position, messages heard. Actions: UP, DOWN, LEFT, RIGHT, STAY.
Reward: (T − t)/T for each agent that is outside for the first time after round t (from 0) of T;
individual: +1 on leaving, +0.5 to the agents whose push moved the box, and max(0.05 − 0.01·d, 0)
where d is the L1 distance to the nearest cell of the box. The episode ends when all agents are
outside. Source: Ruan et al. 2025, section A.4.5; the square is that of its figure 8.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from coordgym.errors import ConfigError, InstanceError, require_choice
from coordgym.swarm_env.grid.cells import VECTORS, Cell, after, distance
from coordgym.swarm_env.grid.placement import bordered_grid, place_agents, wall_object
from coordgym.swarm_env.grid.world import MOVES, World
from coordgym.swarm_env.options import SwarmConfig, TaskOptions
from coordgym.swarm_env.task import MAX_PHASE_WEIGHT, Outcome, Published, Task, Turn

BOX: Final = "B"
BOX_MASS: Final = 5
PUSHERS: Final = 5
"""Agents that the box needs: each has force 2 and weighs 1."""
LEAVE_REWARD, PUSH_REWARD = 1.0, 0.5
NEAR_REWARD, NEAR_STEP = 0.05, 0.01
"""Reward for being next to the box if it were at distance 0, and what each cell takes away."""

_SIDE: Final = 3
_CORNER_CELLS: Final = frozenset(
    [(a, b) for a in (2, 3, 4) for b in (1, 2, 3)] + [(a, 0) for a in (0, 1, 2, 3)]
)
"""Cells of the box: along the exit's wall, counted from the corner; inwards from that wall."""

_RULES = """\
A box B plugs the only exit of the walls. Push it out of the exit, then leave the map. When you \
are outside for the first time after round t of T (t counts from 0), the whole team scores \
(T - t) / T. The task is finished when every agent is outside. {shape} It weighs {mass}, so that \
{pushers} agents have to push it at the same time, in line behind it or behind each other."""
_SHAPES: Final = {
    "corner": "The box is a body of 3×3 cells inside the walls and a bar of 4 cells in the exit, "
    "which reaches from a corner of the map along the wall.",
    "square": "The box has 3×3 cells; its middle row or column fills the exit.",
}


@dataclass(frozen=True, slots=True)
class Exit:
    """Where the exit is and how the box leaves through it.

    Attributes:
        outward: Direction in which the exit's wall lies.
        sideways: Direction, along that wall, towards the corner from which cells are counted.
        start: First cell of the gap, counted from that corner.
        length: Cells of the gap.
        box: Cells of the box, as (cells from the corner, cells inwards from the wall).
        height: Rows of the map.
        width: Columns of the map.
    """

    outward: str
    sideways: str
    start: int
    length: int
    box: frozenset[Cell]
    height: int
    width: int

    def cell(self, along: int, inward: int) -> Cell:
        """Return row and column of a cell counted from the corner and from the exit's wall."""
        row, column = -1, -1
        for name, count in ((self.sideways, along), (self.outward, inward)):
            if name == "UP":
                row = count
            elif name == "DOWN":
                row = self.height - 1 - count
            elif name == "LEFT":
                column = count
            else:
                column = self.width - 1 - count
        return row, column

    def place(self, cell: Cell) -> Cell:
        """Return the counts (from the corner, from the exit's wall) of a cell: undo ``cell``."""
        counts = {"UP": cell[0], "DOWN": self.height - 1 - cell[0]}
        counts |= {"LEFT": cell[1], "RIGHT": self.width - 1 - cell[1]}
        return counts[self.sideways], counts[self.outward]

    def box_cells(self) -> list[Cell]:
        """List row and column of each cell of the box, sorted."""
        return sorted(self.cell(*cell) for cell in self.box)

    def gap_cells(self) -> list[Cell]:
        """List row and column of each cell of the gap."""
        return [self.cell(along, 0) for along in range(self.start, self.start + self.length)]


def corner_exits(height: int, width: int) -> list[Exit]:
    """List the up to eight exits for the corner box from which it can be pushed out.

    Sideways and outwards, PUSHERS agents need room in the three lines behind the body.
    """
    ways = (
        ("RIGHT", "DOWN"), ("LEFT", "DOWN"), ("UP", "RIGHT"), ("DOWN", "RIGHT"),
        ("UP", "LEFT"), ("DOWN", "LEFT"), ("LEFT", "UP"), ("RIGHT", "UP"),
    )  # fmt: skip
    exits = []
    for sideways, outward in ways:
        along, inward = (height, width) if outward in ("LEFT", "RIGHT") else (width, height)
        behind, above = along - 6, inward - 5
        if min(behind, above) * _SIDE >= PUSHERS:
            exits.append(Exit(outward, sideways, 0, 4, _CORNER_CELLS, height, width))
    return exits


def square_exits(height: int, width: int) -> list[Exit]:
    """List the exits for the square box: any three cells between two corners."""
    exits = []
    for outward, sideways in (
        ("UP", "LEFT"), ("DOWN", "LEFT"), ("LEFT", "UP"), ("RIGHT", "UP"),
    ):  # fmt: skip
        along, inward = (height, width) if outward in ("LEFT", "RIGHT") else (width, height)
        if (inward - 3) * _SIDE < PUSHERS:
            continue
        for start in range(1, along - _SIDE):
            box = frozenset((start + a, b) for a in range(_SIDE) for b in (-1, 0, 1))
            exits.append(Exit(outward, sideways, start, _SIDE, box, height, width))
    return exits


def box_number(world: World) -> int | None:
    """Return the number of the box among the objects."""
    found = (
        number
        for number, shape in enumerate(world.shapes)
        if shape.kind == BOX and not shape.static
    )
    return next(found, None)


@dataclass(frozen=True, slots=True)
class TransportOptions(TaskOptions):
    """What kind of box there is.

    Attributes:
        box: Form of the box in the exit: ``"corner"`` (the default) or ``"square"``.

    Raises:
        ConfigError: If there is no such box.
    """

    box: str = "corner"

    def __post_init__(self) -> None:
        """Check the box."""
        require_choice("box", self.box, list(_SHAPES))


class Transport(Task):
    """The rules above, bound to the interface of a task."""

    name: ClassVar[str] = "transport"
    target: ClassVar[float | None] = None
    score_words: ClassVar[str] = "sum over the agents of the share of rounds left when each got out"
    published: ClassVar[Published | None] = Published(
        "0.00 / 0.00 / 0.00", "4.61", "0.0 (gemini-2.0-flash, centralised)"
    )
    options_type: ClassVar[type[TaskOptions]] = TransportOptions
    options: TransportOptions

    def check(self, config: SwarmConfig) -> None:
        """Require five agents, room for them to push, and room to clear the box's way."""
        if config.n_agents < PUSHERS:
            raise ConfigError(
                f"n_agents must be at least {PUSHERS} for transport: fewer can't move the box; "
                f"got {config.n_agents}"
            )
        exits, box = self._exits(config), self.options.box
        if not exits:
            smallest = "7×8 or 8×7" if box == "corner" else "5×5"
            raise ConfigError(
                f"transport with the {box} box needs a map of at least {smallest} cells, so "
                f"that {PUSHERS} agents can stand behind the box; got "
                f"{config.height}×{config.width}"
            )
        inside = (config.height - 2) * (config.width - 2)
        # Beside the body of the corner box three cells have to be left before it can move.
        room = inside - 4 * _SIDE if box == "corner" else inside - _SIDE
        if config.n_agents > room:
            raise ConfigError(
                f"n_agents must be at most {room} for transport with the {box} box on "
                f"{config.height}×{config.width} cells, so that the box has room to move; got "
                f"{config.n_agents}"
            )

    def _exits(self, config: SwarmConfig) -> list[Exit]:
        find = corner_exits if self.options.box == "corner" else square_exits
        return find(config.height, config.width)

    def generate(self, config: SwarmConfig, rng: np.random.Generator) -> World:
        """Draw an exit, plug it, and put the agents anywhere within the walls."""
        exits = self._exits(config)
        plugged = exits[int(rng.integers(len(exits)))]
        grid = bordered_grid(config.height, config.width)
        for i, j in plugged.gap_cells():
            grid[i][j] = "."
        box = plugged.box_cells()
        rows, columns = range(1, config.height - 1), range(1, config.width - 1)
        cells = place_agents(config.n_agents, rows, columns, box, rng)
        return self.start(config, cells, [wall_object(grid), _box_object(box)])

    def check_world(self, world: World) -> None:
        """Require a box that can be moved."""
        if box_number(world) is None:
            raise InstanceError("a transport instance needs an object of kind B that is not static")

    def update(
        self, world: World, turn: Turn, config: SwarmConfig, rng: np.random.Generator
    ) -> Outcome:
        """Pay for those that have left in this round."""
        left = [
            agent
            for agent, cell in enumerate(turn.before)
            if world.escaped[agent] and world.inside(*cell)
        ]
        worth = (turn.limit - world.round) / turn.limit
        gain = len(left) * (turn.limit - world.round) / turn.limit
        world.score += gain
        own = dict.fromkeys(left, worth)
        return Outcome(gain, _individual(world, turn, left), all(world.escaped), own)

    def full_score(self, world: World, limit: int, target: float | None) -> float | None:
        """Return the score of a team that is outside after height + width rounds on average.

        Where the limit is below twice that: after half of the rounds.
        """
        par = min(world.height + world.width, limit // 2)
        return world.n_agents * (limit - par) / limit

    def phases(self, world: World) -> list[float]:
        """Return how far each agent is on its way.

        A third for being near the box, a third for what of the box is outside the map; once all
        of it is, a third for being near the exit, and all for being outside.
        """
        size, number = world.height + world.width, box_number(world)
        box = [] if number is None else world.object_cells(number)
        share_out = sum(not world.inside(*cell) for cell in box) / len(box) if box else 1.0
        goals = box if share_out < 1 else _exit_cells(world)
        phases = []
        for cell, gone in zip(world.positions, world.escaped, strict=True):
            apart = min((distance(cell, goal) for goal in goals), default=size)
            near = max(1 - apart / size, 0.0)
            stage = (near + share_out) / 3 if share_out < 1 else (2 + near) / 3
            phases.append(1.0 if gone else stage)
        return phases

    def phase_weight(self, full: float, n_agents: int) -> float:
        """Return the most that a phase may weigh."""
        return MAX_PHASE_WEIGHT

    def rules(self, config: SwarmConfig, world: World) -> str:
        """Tell box, exit and score in prose."""
        return _RULES.format(shape=_SHAPES[self.options.box], mass=BOX_MASS, pushers=PUSHERS)

    def short_rules(self, config: SwarmConfig, world: World) -> str:
        """Tell box, exit and score in few words."""
        shape = (
            "3x3 body inside, 4-cell bar in the exit from a corner along the wall"
            if self.options.box == "corner"
            else "3x3, its middle line fills the exit"
        )
        return (
            f"push box B (mass {BOX_MASS}: {PUSHERS} agents at once, behind it or each other; "
            f"{shape}) out of the only exit, then leave the map; each agent out after round t from "
            "0 of T: +(T-t)/T for the team; done when all are out"
        )

    def legend(self) -> dict[str, str]:
        """Tell the letter of the box."""
        return {BOX: "the box"}

    def facts(self, config: SwarmConfig) -> dict[str, Any]:
        """Return the kind of box."""
        return self.options.values()

    def own_success(self, world: World, agent: int, target: float | None) -> bool:
        """Tell whether the agent is outside."""
        return world.escaped[agent]

    def success(self, world: World, target: float | None) -> bool:
        """Tell whether all agents are outside."""
        return all(world.escaped)


def _exit_cells(world: World) -> list[Cell]:
    """List the cells of the map's edge that hold no wall."""
    edge = [(i, j) for i in (0, world.height - 1) for j in range(world.width)]
    edge += [(i, j) for i in range(1, world.height - 1) for j in (0, world.width - 1)]
    return [cell for cell in edge if world.letter_at(*cell) != "W"]


def _box_object(cells: list[Cell]) -> dict[str, object]:
    top, left = min(i for i, _ in cells), min(j for _, j in cells)
    bottom, right = max(i for i, _ in cells), max(j for _, j in cells)
    rows = [
        "".join(BOX if (i, j) in cells else "." for j in range(left, right + 1))
        for i in range(top, bottom + 1)
    ]
    return {"kind": BOX, "pos": [top, left], "shape": rows, "mass": BOX_MASS, "static": False}


def _individual(world: World, turn: Turn, left: list[int]) -> dict[int, float]:
    """Return the shaped reward of each agent that could act."""
    shaped = dict.fromkeys(turn.actions, 0.0)
    number = box_number(world)
    if number is not None:
        box = world.object_cells(number)
        for agent in _box_pushers(turn, f"o{number}", box):
            shaped[agent] += PUSH_REWARD
        if any(world.inside(*cell) for cell in box):
            for agent in shaped:
                if not world.escaped[agent]:
                    near = min(distance(world.positions[agent], cell) for cell in box)
                    shaped[agent] += max(NEAR_REWARD - NEAR_STEP * near, 0.0)
    for agent in left:
        shaped[agent] = shaped.get(agent, 0.0) + LEAVE_REWARD
    return shaped


def _box_pushers(turn: Turn, box_id: str, box: list[Cell]) -> Iterator[int]:
    """Yield the agents that pushed the box in a pass that moved it, directly or not.

    Args:
        turn: The round.
        box_id: Name of the box among what moved.
        box: Its cells after the round.
    """
    shift = [VECTORS[name] for name in MOVES if box_id in turn.moved[name]]
    at = {(i - sum(k for k, _ in shift), j - sum(m for _, m in shift)) for i, j in box}
    cells = dict(enumerate(turn.before))
    for name in MOVES:
        step = VECTORS[name]
        moved = {int(body) for body in turn.moved[name] if body.isdigit()}
        if box_id in turn.moved[name]:
            where = {cells[agent]: agent for agent in moved}
            for agent in sorted(moved):
                if turn.actions.get(agent) == name:
                    ahead = after(cells[agent], step)
                    while ahead in where:
                        ahead = after(ahead, step)
                    if ahead in at:
                        yield agent
            at = {after(cell, step) for cell in at}
        for agent in moved:
            cells[agent] = after(cells[agent], step)
