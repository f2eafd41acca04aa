"""``conflictpath``: two vehicles, each steered by one agent, that must not collide.

Rules: vehicles A and B share a grid. At every tick each steps up, down, left or right or waits;
they may never be in one cell at a tick nor swap cells, and obstacles can't be entered. Both
should stand on their goals as early as possible.
Views: view 1 has A's start and goal and half of the obstacles, view 2 has B's and the other half.
Each map shows its own vehicle as @ and *; at friction 2 the second is upside down and labelled.
Answer: ``{"A": [[row, column], ...], "B": [...]}``; entry k is the cell at tick k.
Grade: the score of ``grids/paths.py`` over joint ticks, best of the sixteen schemes, one for both
lists; the shorter list is filled up with waits, and entry 0 must hold both starts.
Source: The Collaboration Tax, table 8.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coordgym.errors import require_int, require_probability
from coordgym.silo_env.pairs.facts.draws import first_accepted
from coordgym.silo_env.pairs.facts.names import choose
from coordgym.silo_env.pairs.facts.owners import balanced_owners
from coordgym.silo_env.pairs.grids.cells import (
    HIDDEN,
    OPEN,
    WALL,
    Rows,
    cells_fault,
    fill,
    grid_fault,
    neighbours,
    open_moves,
    random_walls,
    set_cells,
)
from coordgym.silo_env.pairs.grids.paths import distances_to, path_json, shortest_paths
from coordgym.silo_env.pairs.grids.schemes import (
    Cell,
    CellReader,
    WrittenCell,
    canonical_cell,
    decode,
    read_cell,
)
from coordgym.silo_env.pairs.grids.walks_in_prose import coordinate_run
from coordgym.silo_env.pairs.shapes.grid_task import GridTask
from coordgym.silo_env.pairs.task import Answer, Grade, Seat
from coordgym.silo_env.pairs.tasks.conflictpath import texts
from coordgym.silo_env.pairs.tasks.conflictpath.floor import (
    Joint,
    JointFloor,
    is_legal,
    joint_floor,
)
from coordgym.silo_env.pairs.tasks.conflictpath.texts import VEHICLES, FloorView, Route

SMALLEST, LARGEST = 3, 8
"""Cells per side."""
DRAWS = 2000
"""Draws of hidden facts before obstacles are left out."""
MAX_PLAN = 200
"""Entries of an answer that are read."""


@dataclass(frozen=True, slots=True)
class ConflictPathConfig:
    """Difficulty of generated floors.

    Attributes:
        n: Cells per side, 3..8.
        p_wall: Chance of a cell to be an obstacle, 0..1.
        min_ticks: Fewest ticks of the best plan, at least 1.
    """

    n: int = 5
    p_wall: float = 0.22
    min_ticks: int = 5

    def __post_init__(self) -> None:
        require_int("n", self.n, SMALLEST, LARGEST)
        require_probability("p_wall", self.p_wall)
        require_int("min_ticks", self.min_ticks, 1, self.n**2)


@dataclass(frozen=True, slots=True)
class ConflictPathInstance:
    """A floor, two routes and the split of the obstacles.

    Attributes:
        grid: Rows over ".#".
        A: Start and goal of vehicle A.
        B: Start and goal of vehicle B.
        owner: "1" or "2" at each obstacle, the view that knows it; "." elsewhere.
    """

    grid: Rows
    A: Route
    B: Route
    owner: Rows

    @property
    def starts(self) -> Joint:
        """Where A and B are at tick 0."""
        return self.A[0], self.B[0]

    @property
    def goals(self) -> Joint:
        """Where A and B should be."""
        return self.A[1], self.B[1]


class ConflictPath(GridTask[ConflictPathInstance, ConflictPathConfig, FloorView]):
    """The two vehicles."""

    answer_fields = VEHICLES
    hides_endpoints = True
    config_type = ConflictPathConfig
    instance_type = ConflictPathInstance
    view_type = FloorView
    nothing = Grade(0.0, 0.0, 0.0)
    convention = "all cells"
    reader = "coordgym.silo_env.pairs.tasks.conflictpath.reader:VehicleReader"
    rule = (
        "Robot A and cart B drive on one square floor. At every tick each of them goes to the next "
        "cell up, down, left or right, or waits. Find one plan for both."
    )
    split = (
        "You know the route of one vehicle and some of the obstacles; the other agent knows the "
        "route of the other one and the other obstacles."
    )
    compact_rule = (
        "two vehicles A, B: per tick step (4 directions) or wait, never same cell, never swap, # "
        "blocks; both on goal as early as possible"
    )
    compact_entries = "entry k = cell at tick k, entry 0 = start, wait = same cell again"
    compact_split = "the other agent knows the other vehicle and more #"
    form = '{"A": [[row, column], ...], "B": [[row, column], ...]}'
    note = (
        "The lists hold the cells of the vehicles at tick 0 (the start), 1, 2 and so on; a wait "
        "repeats the cell{convention}."
    )
    say = staticmethod(texts.say)
    say_compact = staticmethod(texts.say_compact)
    hear = staticmethod(texts.hear)

    def draw(
        self, config: ConflictPathConfig, rng: np.random.Generator
    ) -> ConflictPathInstance | None:
        """Draw obstacles and four ends; keep them if the shortest routes would collide."""
        n = config.n
        grid = random_walls(n, n, config.p_wall, rng)
        free = sorted(open_moves(grid))
        if len(free) < 4:
            return None
        a, a_goal, b, b_goal = choose(free, 4, rng)
        instance = ConflictPathInstance(grid, (a, a_goal), (b, b_goal), grid)
        if not _shortest_routes_collide(instance):
            return None
        ticks = _fewest_ticks(instance)
        if ticks is None or ticks < config.min_ticks:
            return None
        owners = balanced_owners("".join(grid).count(WALL), rng)
        obstacles = tuple(line.replace(WALL, HIDDEN) for line in grid)
        return replace(instance, owner=fill(obstacles, owners))

    def fault(self, instance: ConflictPathInstance) -> str | None:
        """Say what is wrong with the floor, or that no plan solves it."""
        grid, owner, a, b = instance.grid, instance.owner, instance.A, instance.B
        shape = (len(grid), len(grid))
        fault = grid_fault("grid", grid, OPEN + WALL, shape)
        fault = fault or grid_fault("owner", owner, "12.", shape)
        if fault is not None:
            return fault
        if tuple(line.replace("1", WALL).replace("2", WALL) for line in owner) != grid:
            return "owner must hold 1 or 2 at obstacles and '.' elsewhere"
        fault = cells_fault(grid, A=a[0]) or cells_fault(grid, A=a[1], B=b[0])
        fault = fault or cells_fault(grid, B=b[1])
        if fault is not None:
            return fault
        if len({*a, *b}) < 4 or any(grid[row][column] == WALL for row, column in (*a, *b)):
            return "starts and goals must be four different free cells"
        return None if _has_plan(instance) else "no plan brings both vehicles to their goals"

    def optimal_answers(self, instance: ConflictPathInstance, limit: int) -> list[Answer]:
        """Return plans of the fewest ticks in lexicographic order."""
        plans = _joint_floor(instance).optimal_plans(instance.starts, limit)
        return [
            {"A": path_json(a for a, _ in plan), "B": path_json(b for _, b in plan)}
            for plan in plans
        ]

    def score_in(
        self, instance: ConflictPathInstance, answer: Mapping[str, object], reader: CellReader
    ) -> Grade | None:
        """Return the path score over joint ticks, if the plan begins at the starts."""
        n, scheme = len(instance.grid), reader.scheme
        plan = (
            (decode(a, scheme, n, n), decode(b, scheme, n, n))
            for a, b in reader.once(answer, _written_plan)
        )
        if next(plan, None) != instance.starts:
            return None
        result = _joint_floor(instance).walk([instance.starts, *plan])
        return Grade(result.score, result.literal, result.weighted)

    def view(self, instance: ConflictPathInstance, seat: Seat | None) -> FloorView:
        """Return one route and the known obstacles, or everything."""
        n, owner = len(instance.grid), instance.owner
        known = "12" if seat is None else str(seat)
        walls = tuple(cell for cell in neighbours(n, n) if owner[cell[0]][cell[1]] in known)
        if seat is None:
            return FloorView(n, "both", routes={"A": instance.A, "B": instance.B}, walls=walls)
        vehicle = VEHICLES[seat - 1]
        return FloorView(n, vehicle, (instance.A, instance.B)[seat - 1], walls=walls)

    def join(self, views: Sequence[FloorView]) -> ConflictPathInstance | None:
        """Join routes and obstacles; None if a vehicle is missing."""
        routes = {vehicle: route for view in views for vehicle, route in view.known.items()}
        n = {view.n for view in views}
        if len(n) != 1 or sorted(routes) != list(VEHICLES):
            return None
        return _floor(n.pop(), routes, {cell: "1" for view in views for cell in view.walls})

    def redraw(
        self,
        view: FloorView,
        rng: np.random.Generator,
        like: ConflictPathInstance | None = None,
    ) -> ConflictPathInstance | None:
        """Draw the other route, and as many more obstacles as are known, until there is a plan."""
        n, known = view.n, view.walls
        count = len(known) if like is None else "".join(like.grid).count(WALL) - len(known)
        own, route = next(iter(view.known.items()))
        mine, other, theirs = ("1", "B", "2") if own == "A" else ("2", "A", "1")
        taken = {*known, *route}
        free = [cell for cell in neighbours(n, n) if cell not in taken]

        def draw(hidden: int) -> ConflictPathInstance:
            start, goal, *cells = choose(free, len(free), rng)
            owners = dict.fromkeys(known, mine) | dict.fromkeys(cells[:hidden], theirs)
            return _floor(n, {own: route, other: (start, goal)}, owners)

        return first_accepted(lambda: draw(count), _has_plan, DRAWS, lambda: draw(0))

    def check_steps(self, instance: ConflictPathInstance, answer: Answer) -> list[str]:
        """Say the cells of both vehicles at every tick."""
        a, b = answer.get("A"), answer.get("B")
        pairs = zip(a, b, strict=False) if isinstance(a, list) and isinstance(b, list) else ()
        cells = [(canonical_cell(first), canonical_cell(second)) for first, second in pairs]
        return [
            f"tick {tick}: A at {first} and B at {second} is free, no collision"
            for tick, (first, second) in enumerate(cells)
        ]

    def free_text_answer(
        self, instance: ConflictPathInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Read the last message with runs of coordinates after "A:" and after "B:"."""
        for message in reversed(messages):
            parts = _VEHICLE.split(message)
            runs = {
                vehicle: run
                for vehicle, text in zip(parts[1::2], parts[2::2], strict=True)
                if (run := coordinate_run(text))
            }
            # A cell of each is where they are, not a plan.
            if sorted(runs) == list(VEHICLES) and max(map(len, runs.values())) >= 2:
                return {"A": runs["A"], "B": runs["B"]}
        return None

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw random cells of a floor of default size."""
        cells = rng.integers(ConflictPathConfig().n, size=(2, 5, 2))
        a, b = ([[int(row), int(column)] for row, column in plan] for plan in cells)
        return {"A": path_json(a), "B": path_json(b)}


_VEHICLE = re.compile(r"\b([AB])\b[^\n:=()\[\]]{0,30}[:=]")
"""What stands before the cells of a vehicle, such as "A:" or "Robot A's route ="."""


def _shortest_routes_collide(instance: ConflictPathInstance) -> bool:
    """Return whether the vehicles would collide on their first shortest paths."""
    moves, paths = open_moves(instance.grid), []
    for start, goal in (instance.A, instance.B):
        distance = distances_to(goal, moves)
        if start not in distance:
            return False
        paths.append(shortest_paths(start, moves, distance, 1)[0])
    ticks = max(map(len, paths))
    a, b = ([*path, *[path[-1]] * (ticks - len(path))] for path in paths)
    plan = list(zip(a, b, strict=True))
    return not all(is_legal(plan[k], plan[k + 1]) for k in range(ticks - 1))


def _joint_floor(instance: ConflictPathInstance) -> JointFloor:
    return joint_floor(instance.grid, instance.goals)


def _fewest_ticks(instance: ConflictPathInstance) -> int | None:
    return _joint_floor(instance).remaining(instance.starts)


def _has_plan(instance: ConflictPathInstance) -> bool:
    return _fewest_ticks(instance) is not None


def _floor(n: int, routes: Mapping[str, Route], owners: Mapping[Cell, str]) -> ConflictPathInstance:
    """Return a floor from its obstacles, each with the view that knows it."""
    floor = (OPEN * n,) * n
    grid = set_cells(floor, dict.fromkeys(owners, WALL))
    return ConflictPathInstance(grid, routes["A"], routes["B"], set_cells(floor, owners))


def _written_plan(answer: Mapping[str, object]) -> list[tuple[WrittenCell, WrittenCell]]:
    """Read both lists up to the first malformed entry; the shorter one is filled up with waits."""
    a, b = answer.get("A"), answer.get("B")
    if not isinstance(a, list | tuple) or not isinstance(b, list | tuple) or not a or not b:
        return []
    plan: list[tuple[WrittenCell, WrittenCell]] = []
    for tick in range(min(MAX_PLAN, max(len(a), len(b)))):
        first, second = (read_cell(each[min(tick, len(each) - 1)]) for each in (a, b))
        if first is None or second is None:
            break
        plan.append((first, second))
    return plan
