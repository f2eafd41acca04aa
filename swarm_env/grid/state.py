"""Reading and checking the state format of a world (grid, agents, objects, task fields).

The format is a JSON-able dict::

    {"width": 6, "height": 5, "grid": ["......", …], "agents": {"0": {"pos": [1, 4],
     "state": null}, …}, "objects": [{"kind": "B", "pos": [2, 2], "shape": ["BB", "B."],
     "mass": 1, "static": false}, …], "prey": [3, 3], "prey_static": true, "score": 0, "round": 0}

``pos`` is (row, column) of a body's top left corner, which may lie outside the map; ``.`` in a
shape is a hole. Where ``objects`` is missing, static ones are built from the letters of the grid.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, Final

from coordgym.errors import InstanceError, suggest
from coordgym.swarm_env.grid.physics import STRIDE

MAX_SIDE: Final = 1000
"""Most rows or columns of a map."""

MAX_OBJECTS: Final = 10_000
"""Most objects of a state."""

MAX_SHAPE_CELLS: Final = 2 * MAX_SIDE**2
"""Most cells, holes included, of all objects' shapes together."""

_LIMIT: Final = STRIDE // 4  # far enough from the coding's bound for any episode
_FIELDS: Final = (
    "width", "height", "grid", "agents", "objects", "prey", "prey_static", "target_shape",
    "init_dis", "cur_dis", "prev_state", "score", "round",
)  # fmt: skip


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
        """Shape with the kind of its first letter and, by default, the mass of its area."""
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
    prey: tuple[int, int] | None
    prey_static: bool
    target_shape: tuple[str, ...] | None
    init_dis: float | None
    cur_dis: float | None
    prev_state: int | None
    score: float
    round: int


def read_state(given: Mapping[str, Any]) -> State:
    """Checks a state dict.

    Raises:
        InstanceError: Naming the field, what was found and what is expected.
    """
    for name in given:
        if name not in _FIELDS:
            raise InstanceError(
                f"unknown field {name!r:.100} of a world's state{suggest(str(name)[:100], _FIELDS)}"
            )
    grid = _read_grid(given.get("grid"))
    height = _size(given, "height", len(grid) if grid else None)
    width = _size(given, "width", len(grid[0]) if grid else None)
    if grid and (len(grid), len(grid[0])) != (height, width):
        raise InstanceError(
            f"grid has {len(grid)} rows of {len(grid[0])} cells, but height and width say "
            f"{height} and {width}"
        )
    agents = _read_agents(given.get("agents"), height, width)
    prey = given.get("prey")
    objects = given.get("objects")
    if objects is None:
        if grid is None:
            raise InstanceError("a state needs objects or a grid to build them from")
        objects_read = _objects_of_grid(grid)
    else:
        objects_read = tuple(_read_object(i, item) for i, item in enumerate(_list(objects)))
        if sum(len(item[2].rows) * len(item[2].rows[0]) for item in objects_read) > MAX_SHAPE_CELLS:
            raise InstanceError(f"all shapes together may have {MAX_SHAPE_CELLS} cells")
    return State(
        width=width,
        height=height,
        agents=agents,
        objects=objects_read,
        prey=None if prey is None else _pair("prey", prey),
        prey_static=_bool("prey_static", given.get("prey_static", True)),
        target_shape=_read_target(given.get("target_shape")),
        init_dis=_number("init_dis", given.get("init_dis")),
        cur_dis=_number("cur_dis", given.get("cur_dis")),
        prev_state=_prev_state(given.get("prev_state"), len(agents)),
        score=_number("score", given.get("score", 0)) or 0.0,
        round=_int("round", given.get("round", 0), 0, 10**9),
    )


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
    return _int(name, value, 1, MAX_SIDE)


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
        row, column = _pair(f"pos of agent {number}", item.get("pos"))
        state = item.get("state")
        if state is not None:
            state = _bool(f"state of agent {number}", state)
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
    static = _bool(f"static of {where}", item.get("static", False))
    mass = _int(f"mass of {where}", item.get("mass", isqrt(len(letters))), 1, 10**6)
    row, column = _pair(f"pos of {where}", item["pos"])
    return row, column, Shape(kind, tuple(rows), mass, static)


def _objects_of_grid(grid: Sequence[str]) -> tuple[tuple[int, int, Shape], ...]:
    """Static objects from the letters: walls and nest together, every other letter its own."""
    groups: dict[str, set[str]] = {}
    for letter in "".join(grid):
        if letter not in ".AaP":
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


def _read_target(rows: Any) -> tuple[str, ...] | None:
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


def _prev_state(value: Any, n_agents: int) -> int | None:
    if value is None:
        return None
    number = _int("prev_state", value, -1, n_agents)
    if number not in (-1, 0, n_agents):
        raise InstanceError(f"prev_state must be -1, 0 or {n_agents}, got {number}")
    return number


def _list(value: Any) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise InstanceError(f"objects must be a list, got {type(value).__name__}")
    if len(value) > MAX_OBJECTS:
        raise InstanceError(f"there may be at most {MAX_OBJECTS} objects, got {len(value)}")
    return value


def _pair(name: str, value: Any) -> tuple[int, int]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise InstanceError(f"{name} must be [row, column]")
    return _int(name, value[0], -_LIMIT, _LIMIT), _int(name, value[1], -_LIMIT, _LIMIT)


def _int(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InstanceError(f"{name} must be an integer in {low}..{high}, got {value!r:.40}")
    return value


def _bool(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InstanceError(f"{name} must be true or false, got {value!r:.40}")
    return value


def _number(name: str, value: Any) -> float | None:
    if value is None:
        return None
    finite = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not finite or value != value or abs(value) == float("inf"):
        raise InstanceError(f"{name} must be a finite number, got {value!r:.40}")
    return float(value)
