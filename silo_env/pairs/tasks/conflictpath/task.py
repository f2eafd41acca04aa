"""``conflictpath``: two vehicles, each steered by one agent, that must not collide.

Rules: vehicles A and B share a grid. At every tick each steps up, down, left or right or waits;
they may never be in one cell at a tick nor swap cells, and obstacles can't be entered. Both
should stand on their goals as early as possible.
Views: view 1 has A's start and goal and half of the obstacles, view 2 has B's and the other half.
Each map shows its own vehicle as @ and *; at friction 2 the second is upside down and labelled.
Answer: ``{"A": [[row, column], ...], "B": [...]}``; entry k is the cell at tick k.
Grade: the path score of ``paths.py`` over joint ticks, best of the sixteen schemes, one for both
lists; the shorter list is filled up with waits, and entry 0 must hold both starts.
Source: The Collaboration Tax, table 8.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coordgym.errors import InstanceError, require_int, require_probability
from coordgym.silo_env.pairs.facts.owners import balanced_owners
from coordgym.silo_env.pairs.grids.cells import (
    Rows,
    open_moves,
    random_walls,
    require_cell,
    require_rows,
    require_square,
    set_cells,
)
from coordgym.silo_env.pairs.grids.paths import distances_to, path_json, shortest_paths
from coordgym.silo_env.pairs.grids.schemes import (
    CANONICAL,
    SCHEMES,
    Cell,
    WrittenCell,
    axis_names,
    canonical_cell,
    decode,
    one_convention,
    read_cell,
)
from coordgym.silo_env.pairs.grids.walks_in_prose import coordinate_run
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, Seat
from coordgym.silo_env.pairs.tasks.conflictpath import texts as vehicle_texts
from coordgym.silo_env.pairs.tasks.conflictpath.floor import Joint, JointFloor, is_legal
from coordgym.silo_env.pairs.tasks.conflictpath.texts import (
    FREE,
    OBSTACLE,
    VEHICLES,
    routes_of,
    size_of,
    walls_of,
)

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
    A: tuple[Cell, Cell]
    B: tuple[Cell, Cell]
    owner: Rows

    @property
    def starts(self) -> Joint:
        """Where A and B are at tick 0."""
        return self.A[0], self.B[0]

    @property
    def goals(self) -> Joint:
        """Where A and B should be."""
        return self.A[1], self.B[1]


class ConflictPath(WideTask[ConflictPathInstance, ConflictPathConfig]):
    """The two vehicles."""

    answer_fields = VEHICLES
    uses_schemes = True
    hides_endpoints = True
    config_type = ConflictPathConfig
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

    def draw(
        self, config: ConflictPathConfig, rng: np.random.Generator
    ) -> ConflictPathInstance | None:
        """Independent obstacles and four ends; kept if the shortest routes would collide."""
        n = config.n
        grid = random_walls(n, n, config.p_wall, rng)
        free = sorted(open_moves(grid))
        if len(free) < 4:
            return None
        a, a_goal, b, b_goal = (free[int(index)] for index in rng.permutation(len(free))[:4])
        instance = ConflictPathInstance(grid, (a, a_goal), (b, b_goal), grid)
        if not _shortest_routes_collide(instance):
            return None
        ticks = JointFloor(grid, instance.goals).remaining(instance.starts)
        if ticks is None or ticks < config.min_ticks:
            return None
        owners = balanced_owners("".join(grid).count(OBSTACLE), rng)
        return replace(instance, owner=_owner(grid, owners))

    def read_instance(self, given: Mapping[str, object]) -> ConflictPathInstance:
        """Check a floor given as JSON: grid, A, B, owner."""
        grid = require_square("grid", given.get("grid"), FREE + OBSTACLE)
        owner = require_rows("owner", given.get("owner"), "12.", shape=(len(grid), len(grid)))
        for line, owners in zip(grid, owner, strict=True):
            if any((s == OBSTACLE) != (o != ".") for s, o in zip(line, owners, strict=True)):
                raise InstanceError("owner must hold 1 or 2 at obstacles and '.' elsewhere")
        routes: list[tuple[Cell, Cell]] = []
        for name in VEHICLES:
            route = given.get(name)
            if not isinstance(route, list | tuple) or len(route) != 2:
                raise InstanceError(f"{name} must be [start, goal]")
            start, goal = (require_cell(name, cell, grid) for cell in route)
            routes.append((start, goal))
        ends = [cell for route in routes for cell in route]
        if len(set(ends)) < 4 or any(grid[row][column] == OBSTACLE for row, column in ends):
            raise InstanceError("starts and goals must be four different free cells")
        instance = ConflictPathInstance(grid, routes[0], routes[1], owner)
        if JointFloor(grid, instance.goals).remaining(instance.starts) is None:
            raise InstanceError("no plan brings both vehicles to their goals")
        return instance

    def solve(self, instance: ConflictPathInstance) -> Answer:
        """The lexicographically smallest plan of the fewest ticks."""
        return self.optimal_answers(instance, 1)[0]

    def optimal_answers(self, instance: ConflictPathInstance, limit: int) -> list[Answer]:
        """Plans of the fewest ticks in lexicographic order."""
        floor = JointFloor(instance.grid, instance.goals)
        return [
            {"A": path_json(a for a, _ in plan), "B": path_json(b for _, b in plan)}
            for plan in floor.optimal_plans(instance.starts, limit)
        ]

    def grade(
        self, instance: ConflictPathInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """Path score over joint ticks, best of the schemes."""
        best = Grade(0.0, 0.0, 0.0)
        written = _written_plan(answer)
        if not written:
            return best
        n, floor = len(instance.grid), None
        for scheme in SCHEMES if search_schemes else CANONICAL:
            first, second = (decode(cell, scheme, n, n) for cell in written[0])
            if (first, second) != instance.starts:
                continue
            floor = floor or JointFloor(instance.grid, instance.goals)
            plan = [(decode(a, scheme, n, n), decode(b, scheme, n, n)) for a, b in written]
            result = floor.walk(plan)
            if result.score > best.score or best.scheme is None:
                best = Grade(result.score, result.literal, result.weighted, scheme.number)
        return best

    def facts(self, instance: ConflictPathInstance, seat: Seat | None) -> Facts:
        """One route and the known obstacles, or everything."""
        n = len(instance.grid)
        known = "12" if seat is None else str(seat)
        walls: list[Json] = [
            [row, column]
            for row, line in enumerate(instance.owner)
            for column, whose in enumerate(line)
            if whose in known
        ]
        routes: dict[str, Json] = {"A": path_json(instance.A), "B": path_json(instance.B)}
        if seat is None:
            return {"n": n, "robot": "both", "routes": routes, "walls": walls}
        vehicle = VEHICLES[seat - 1]
        return {"n": n, "robot": vehicle, "route": routes[vehicle], "walls": walls}

    def merge(self, views: Sequence[Facts]) -> ConflictPathInstance | None:
        """Join routes and obstacles; None if a vehicle is missing."""
        routes: dict[str, tuple[Cell, Cell]] = {}
        for view in views:
            routes |= routes_of(view)
        n = {size_of(view) for view in views}
        if len(n) != 1 or sorted(routes) != list(VEHICLES):
            return None
        walls = {cell for view in views for cell in walls_of(view)}
        instance = _floor(n.pop(), routes, walls)
        solvable = JointFloor(instance.grid, instance.goals).remaining(instance.starts)
        return instance if solvable is not None else None

    def complete(
        self, instance: ConflictPathInstance, seat: Seat, rng: np.random.Generator
    ) -> ConflictPathInstance:
        """Redraw the other route and as many obstacles as the other view has."""
        facts = self.facts(instance, seat)
        known = set(walls_of(facts))
        hidden = "".join(instance.grid).count(OBSTACLE) - len(known)
        other = _redraw(facts, hidden, rng)
        owners = [
            str(seat if (row, column) in known else 3 - seat)
            for row, line in enumerate(other.grid)
            for column, symbol in enumerate(line)
            if symbol == OBSTACLE
        ]
        return replace(other, owner=_owner(other.grid, owners))

    def guess(self, facts: Facts, rng: np.random.Generator) -> ConflictPathInstance:
        """Draw another route and as many more obstacles as are known."""
        return _redraw(facts, len(walls_of(facts)), rng)

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The map with the own vehicle, or with both."""
        return vehicle_texts.view_text(facts, seat, friction)

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The map without blanks."""
        return vehicle_texts.compact_view_text(facts, seat, friction)

    def read_view(self, text: str) -> Facts | None:
        """Read the last map of one vehicle."""
        return vehicle_texts.read_view(text)

    def answer_form(self, friction: Friction) -> str:
        """One list of cells per vehicle."""
        cell = f"[{axis_names(friction)}]"
        return f'{{"A": [{cell}, ...], "B": [{cell}, ...]}}'

    def answer_note(self, friction: Friction) -> str:
        """Only friction 0 fixes the convention."""
        convention = one_convention(friction, "all cells")
        return (
            "The lists hold the cells of the vehicles at tick 0 (the start), 1, 2 and so on; a "
            f"wait repeats the cell{convention}."
        )

    def check_steps(self, instance: ConflictPathInstance, answer: Answer) -> list[str]:
        """The cells of both vehicles at every tick."""
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
        """The last message with runs of coordinates after "A:" and after "B:"."""
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
        """Random cells of a floor of default size."""
        cells = rng.integers(ConflictPathConfig().n, size=(2, 5, 2))
        a, b = ([[int(row), int(column)] for row, column in plan] for plan in cells)
        return {"A": path_json(a), "B": path_json(b)}


_VEHICLE = re.compile(r"\b([AB])\b[^\n:=()\[\]]{0,30}[:=]")
"""What stands before the cells of a vehicle, such as "A:" or "Robot A's route ="."""


def _shortest_routes_collide(instance: ConflictPathInstance) -> bool:
    """Whether the vehicles would collide on their first shortest paths."""
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


def _owner(grid: Rows, owners: Sequence[str]) -> Rows:
    supply = iter(owners)
    return tuple("".join(next(supply) if s == OBSTACLE else "." for s in line) for line in grid)


def _floor(
    n: int, routes: Mapping[str, tuple[Cell, Cell]], walls: set[Cell]
) -> ConflictPathInstance:
    """A floor whose obstacles view 1 knows."""
    grid = set_cells((FREE * n,) * n, dict.fromkeys(walls, OBSTACLE))
    return ConflictPathInstance(grid, routes["A"], routes["B"], _owner(grid, "1" * len(walls)))


def _redraw(facts: Facts, n_hidden: int, rng: np.random.Generator) -> ConflictPathInstance:
    """Draw the other route and ``n_hidden`` more obstacles until there is a plan."""
    n, known, routes = size_of(facts), set(walls_of(facts)), routes_of(facts)
    own = next(iter(routes))
    other = VEHICLES[1 - VEHICLES.index(own)]
    free = [(r, c) for r in range(n) for c in range(n) if (r, c) not in known | set(routes[own])]
    for attempt in range(DRAWS + 1):
        cells = [free[int(index)] for index in rng.permutation(len(free))]
        hidden = cells[2 : 2 + (n_hidden if attempt < DRAWS else 0)]
        route = cells[0], cells[1]
        instance = _floor(n, {**routes, other: route}, known | set(hidden))
        if JointFloor(instance.grid, instance.goals).remaining(instance.starts) is not None:
            return instance
    raise ValueError("the known obstacles leave no plan")


def _written_plan(answer: object) -> list[tuple[WrittenCell, WrittenCell]]:
    """Both lists up to the first malformed entry, the shorter one filled up with waits."""
    if not isinstance(answer, Mapping):
        return []
    lists = [answer.get(name) for name in VEHICLES]
    if not all(isinstance(each, list | tuple) and each for each in lists):
        return []
    a, b = ([read_cell(entry) for entry in (each or ())[:MAX_PLAN]] for each in lists)
    ticks = max(len(a), len(b))
    plan: list[tuple[WrittenCell, WrittenCell]] = []
    for tick in range(ticks):
        first, second = a[min(tick, len(a) - 1)], b[min(tick, len(b) - 1)]
        if first is None or second is None:
            break
        plan.append((first, second))
    return plan
