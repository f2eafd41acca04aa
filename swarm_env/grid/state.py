"""Reading and checking the state format of a world (grid, agents, objects, a task's own fields).

The format is a JSON-able dict::

    {"width": 6, "height": 5, "grid": ["......", …], "agents": {"0": {"pos": [1, 4],
     "state": null}, …}, "objects": [{"kind": "B", "pos": [2, 2], "shape": ["BB", "B."],
     "mass": 1, "static": false}, …], "score": 0, "round": 0}

besides the fields of one task, such as ``"prey": [3, 3], "prey_static": true``. ``pos`` is
(row, column) of a body's top left corner, which may lie outside the map; ``.`` in a shape is a
hole. Where ``objects`` is missing, static ones are built from the letters of the grid.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, Final

from coordgym.errors import InstanceError, suggest
from coordgym.loading import load
from coordgym.swarm_env import table
from coordgym.swarm_env.grid.fields import read_bool, read_cell, read_int, read_number
from coordgym.swarm_env.grid.task_state import TaskState

MAX_SIDE: Final = 1000
"""Most rows or columns of a map."""

MAX_OBJECTS: Final = 10_000
"""Most objects of a state."""

MAX_SHAPE_CELLS: Final = 2 * MAX_SIDE**2
"""Most cells, holes included, of all objects' shapes together."""

FIELDS: Final = ("width", "height", "grid", "agents", "objects", "score", "round")
"""Fields that the worlds of all tasks have."""

_NO_OBJECTS: Final = ".AaP"  # letters of no object: P is that of the prey in published states


@dataclass(frozen=True, slots=True)
class Shape:
    """What an object is, apart from where it stands.

    Attributes:
        kind: Its letter.
        rows: Letter matrix, ``.`` for holes.
        mass: 1 or more.
        static: Whether it is immovable.
    """

    kind: str
    rows: tuple[str, ...]
    mass: int
    static: bool

    @property
    def offsets(self) -> tuple[tuple[int, int, str], ...]:
        """Row, column (from the top left corner) and letter of each filled cell."""
        return tuple(
            (row, column, letter)
            for row, line in enumerate(self.rows)
            for column, letter in enumerate(line)
            if letter != "."
        )

    @classmethod
    def of(cls, rows: Sequence[str], *, static: bool, mass: int | None = None) -> "Shape":
        """Make a shape with the kind of its first letter and, by default, the mass of its area."""
        letters = "".join(rows).replace(".", "")
        return cls(letters[0], tuple(rows), mass or isqrt(len(letters)), static)


@dataclass(frozen=True, slots=True)
class AgentState:
    """An agent of a state: where it is and its light or load (None where a task has neither)."""

    row: int
    column: int
    state: bool | None
    escaped: bool


@dataclass(frozen=True, slots=True)
class State:
    """A checked state; overlaps are checked when the bodies are put onto the grid."""

    width: int
    height: int
    agents: tuple[AgentState, ...]
    objects: tuple[tuple[int, int, Shape], ...]
    task_state: TaskState
    score: float
    round: int


def read_state(
    given: Mapping[str, Any], kind: type[TaskState] | None = None, holder: str = "this world"
) -> State:
    """Check a state dict.

    Args:
        given: The state.
        kind: What the task keeps in it; None = that of the task whose fields it has, if any.
        holder: What it belongs to, for the message about a field of another task.

    Raises:
        InstanceError: If a field is wrong: its name, what was found and what is expected.
    """
    kind = _kind_of(given) if kind is None else kind
    _check_names(given, kind, holder)
    grid = _read_grid(given.get("grid"))
    height = _size(given, "height", len(grid) if grid else None)
    width = _size(given, "width", len(grid[0]) if grid else None)
    if grid and (len(grid), len(grid[0])) != (height, width):
        raise InstanceError(
            f"grid has {len(grid)} rows of {len(grid[0])} cells, but height and width say "
            f"{height} and {width}"
        )
    agents = _read_agents(given.get("agents"), height, width)
    task_state = kind.read(given, len(agents))
    letters = {piece.letter for piece in task_state.pieces()}
    return State(
        width=width,
        height=height,
        agents=agents,
        objects=_read_objects(given.get("objects"), grid, letters),
        task_state=task_state,
        score=read_number("score", given.get("score", 0)) or 0.0,
        round=read_int("round", given.get("round", 0), 0, 10**9),
    )


def _kind_of(given: Mapping[str, Any]) -> type[TaskState]:
    """Return what the task keeps in a world of which the state has a field that is set."""
    own = {name for name, value in given.items() if name not in FIELDS and value is not None}
    if own:
        for kind in _kinds():
            if own.intersection(kind.fields):
                return kind
    return TaskState


def _kinds() -> list[type[TaskState]]:
    """Return what each task keeps in a world."""
    return [load(entry.place).state for entry in table.TASKS]


def _check_names(given: Mapping[str, Any], kind: type[TaskState], holder: str) -> None:
    odd = [name for name in given if name not in FIELDS and name not in kind.fields]
    if not odd:
        return
    known = [*FIELDS, *(name for each in _kinds() for name in each.fields)]
    for name in odd:
        if name not in known:
            raise InstanceError(
                f"unknown field {name!r:.100} of a world's state{suggest(str(name)[:100], known)}"
            )
        if given[name] is not None:
            raise InstanceError(f"{holder} has no field {name!r:.100}")


def _read_grid(grid: Any) -> list[str] | None:
    if grid is None:
        return None
    if not isinstance(grid, (list, tuple)) or not grid:
        raise InstanceError("grid must be a non-empty list of strings")
    for number, row in enumerate(grid):
        if not isinstance(row, str) or not row:
            raise InstanceError(f"row {number} of the grid must be a non-empty string")
        if len(row) != len(grid[0]):
            raise InstanceError(
                f"ragged grid: row {number} has {len(row)} cells, row 0 has {len(grid[0])}"
            )
        for letter in row:
            if letter not in ".a" and not ("A" <= letter <= "Z"):
                raise InstanceError(
                    f"row {number} of the grid holds {letter!r:.100}; cells are '.', 'a' and A..Z"
                )
    return list(grid)


def _size(given: Mapping[str, Any], name: str, from_grid: int | None) -> int:
    value = given.get(name, from_grid)
    if value is None:
        raise InstanceError(f"a state needs {name} or a grid")
    return read_int(name, value, 1, MAX_SIDE)


def _read_agents(agents: Any, height: int, width: int) -> tuple[AgentState, ...]:
    if not isinstance(agents, Mapping):
        raise InstanceError('agents must be a dict such as {"0": {"pos": [1, 2], "state": null}}')
    by_number: dict[str, Any] = {}
    for name, item in agents.items():
        if str(name) in by_number:
            raise InstanceError(f"agent {name!s:.100} is given twice")
        by_number[str(name)] = item
    expected = {str(number) for number in range(len(by_number))}
    if set(by_number) != expected:
        odd = sorted(set(by_number) - expected)
        raise InstanceError(
            f"agents must be numbered 0..{len(by_number) - 1} without gaps, got {odd[:5]!r:.100}"
        )
    read = []
    for number in range(len(by_number)):
        item = by_number[str(number)]
        if not isinstance(item, Mapping) or not set(item) <= {"pos", "state", "escaped"}:
            raise InstanceError(f"agent {number} must be a dict of pos, state and escaped")
        row, column = read_cell(f"pos of agent {number}", item.get("pos"))
        state = item.get("state")
        if state is not None:
            state = read_bool(f"state of agent {number}", state)
        outside = not (0 <= row < height and 0 <= column < width)
        if item.get("escaped", outside) is not outside:
            raise InstanceError(
                f"agent {number} at ({row}, {column}) is {'out' if outside else 'in'}side the map "
                f"but escaped is {item['escaped']}"
            )
        read.append(AgentState(row, column, state, outside))
    return tuple(read)


def _read_object(number: int, item: Any) -> tuple[int, int, Shape]:
    where = f"object {number}"
    if not isinstance(item, Mapping) or not {"pos", "shape"} <= set(item):
        raise InstanceError(f"{where} must be a dict of kind, pos, shape, mass and static")
    odd = set(item) - {"kind", "pos", "shape", "mass", "static"}
    if odd:
        raise InstanceError(f"{where} has unknown fields {sorted(map(str, odd))!r:.100}")
    rows = item["shape"]
    if (
        not isinstance(rows, (list, tuple))
        or not rows
        or not all(isinstance(row, str) and len(row) == len(rows[0]) for row in rows)
    ):
        raise InstanceError(f"shape of {where} must be a list of strings of one length")
    letters = "".join(rows).replace(".", "")
    if not letters or not all("B" <= letter <= "Z" and letter != "P" for letter in letters):
        raise InstanceError(f"shape of {where} must have cells B..Z other than P, '.' for holes")
    kind = item.get("kind", letters[0])
    if kind not in letters:
        raise InstanceError(f"kind of {where} must be one of its letters, got {kind!r:.100}")
    static = read_bool(f"static of {where}", item.get("static", False))
    mass = read_int(f"mass of {where}", item.get("mass", isqrt(len(letters))), 1, 10**6)
    row, column = read_cell(f"pos of {where}", item["pos"])
    return row, column, Shape(kind, tuple(rows), mass, static)


def _read_objects(
    objects: Any, grid: Sequence[str] | None, letters: Collection[str]
) -> tuple[tuple[int, int, Shape], ...]:
    """Read the listed objects, or those of a grid; ``letters`` are those of a task's pieces."""
    if objects is None:
        if grid is None:
            raise InstanceError("a state needs objects or a grid to build them from")
        return _objects_of_grid(grid, letters)
    if not isinstance(objects, (list, tuple)):
        raise InstanceError(f"objects must be a list, got {type(objects).__name__}")
    if len(objects) > MAX_OBJECTS:
        raise InstanceError(f"there may be at most {MAX_OBJECTS} objects, got {len(objects)}")
    read = tuple(_read_object(number, item) for number, item in enumerate(objects))
    if sum(len(shape.rows) * len(shape.rows[0]) for _, _, shape in read) > MAX_SHAPE_CELLS:
        raise InstanceError(f"all shapes together may have {MAX_SHAPE_CELLS} cells")
    return read


def _objects_of_grid(
    grid: Sequence[str], pieces: Collection[str]
) -> tuple[tuple[int, int, Shape], ...]:
    """Make static objects of the letters: walls and nest together, every other letter its own."""
    groups: dict[str, set[str]] = {}
    for letter in "".join(grid):
        if letter not in _NO_OBJECTS and letter not in pieces:
            groups.setdefault("W" if letter in "WN" else letter, set()).add(letter)
    objects = []
    for kind in sorted(groups, key=lambda letter: (letter != "W", letter)):
        letters = groups[kind]
        cells = [(i, j) for i, row in enumerate(grid) for j, c in enumerate(row) if c in letters]
        top, left = min(i for i, _ in cells), min(j for _, j in cells)
        bottom, right = max(i for i, _ in cells), max(j for _, j in cells)
        rows = [
            "".join(c if c in letters else "." for c in grid[i][left : right + 1])
            for i in range(top, bottom + 1)
        ]
        objects.append((top, left, Shape.of(rows, static=True)))
    return tuple(objects)
