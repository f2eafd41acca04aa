"""The grid world: bodies on a map, pushed by agents, seen through square windows.

Coordinates are (row, column) from the top left corner; rows grow downwards. The edge of the map
blocks nothing: an agent pushed or walked outside has escaped and takes no further part.
Usable without an environment::

    world = World.from_dict({"grid": ["....", ".AB.", "...."], "agents": {"0": {"pos": [1, 1]}}})
    world.push({0: "RIGHT"})   # {"UP": [], "DOWN": [], "LEFT": [], "RIGHT": []}: B is static here
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, TypeVar

from coordgym.errors import ActionError, ConfigError, InstanceError, require_int
from coordgym.swarm_env.grid.backdrop import OFF_MAP, Backdrop
from coordgym.swarm_env.grid.cells import STAY
from coordgym.swarm_env.grid.physics import STEPS, Scene, decode, encode
from coordgym.swarm_env.grid.state import State, read_state
from coordgym.swarm_env.grid.task_state import Piece, TaskState

S = TypeVar("S", bound=TaskState)

MOVES: Final = tuple(STEPS)
"""UP, DOWN, LEFT, RIGHT: in the order in which the passes run."""

RESTS: Final = (STAY, "SWITCH")
"""Actions that exert no force."""


def require_odd(name: str, value: int, high: int | None = None) -> int:
    """Return the side of a view.

    Raises:
        ConfigError: If it is even, below 1 or above ``high``.
    """
    number = require_int(name, value, 1, high)
    if number % 2 == 0:
        raise ConfigError(f"{name} must be odd, got {number}")
    return number


class World:
    """Agents, objects and what a task adds on a map.

    Attributes:
        height: Rows of the map.
        width: Columns of the map.
        n_agents: Agents, escaped ones included.
        lights: Per agent whether its light is on or it carries something; None if neither exists.
        shapes: The objects' shapes, in list order.
        task_state: What only one task keeps.
        score: The team's score.
        round: Rounds played.
    """

    def __init__(self, state: State) -> None:
        self.height, self.width = state.height, state.width
        self.n_agents = len(state.agents)
        self.lights = [agent.state for agent in state.agents]
        self.shapes = [shape for _, _, shape in state.objects]
        self.task_state = state.task_state
        self.score, self.round = state.score, state.round
        self._scene = Scene(state.height, state.width)
        self._positions: list[tuple[int, int]] = []
        self._escaped = [agent.escaped for agent in state.agents]
        for number, agent in enumerate(state.agents):
            self._add(f"agent {number}", [encode(agent.row, agent.column)], 1, False)
            self._positions.append((agent.row, agent.column))
        for number, (row, column, shape) in enumerate(state.objects):
            cells = [encode(row + i, column + j) for i, j, _ in shape.offsets]
            self._add(f"object {number} ({shape.kind})", cells, shape.mass, shape.static)
        self._pieces: dict[int, Piece] = {}
        for piece in state.task_state.pieces():
            body = self._add(f"the {piece.name}", [encode(*piece.cell)], 1, piece.static)
            self._pieces[body] = piece

    def _add(self, name: str, cells: list[int], mass: int, static: bool) -> int:
        taken = [cell for cell in cells if cell in self._scene.owner]
        if taken and any(map(self._scene.inside, cells)):
            other = self._body_name(self._scene.owner[taken[0]])
            raise InstanceError(f"{name} overlaps {other} at {decode(taken[0])}")
        return self._scene.add(cells, mass, static)

    def _body_name(self, body: int) -> str:
        if body < self.n_agents:
            return f"agent {body}"
        if body in self._pieces:
            return f"the {self._pieces[body].name}"
        return f"object {body - self.n_agents}"

    @classmethod
    def from_dict(
        cls,
        state: Mapping[str, Any],
        kind: type[TaskState] | None = None,
        holder: str = "this world",
    ) -> "World":
        """Build a world from the state format (see ``coordgym.swarm_env.grid.state``).

        Args:
            state: The state.
            kind: What the task keeps in it; None = that of the task whose fields it has, if any.
            holder: What it belongs to, for the message about a field of another task.

        Raises:
            InstanceError: If the state is inconsistent: overlapping bodies, a ragged grid, agents
                that the grid shows elsewhere, unknown fields, and so on.
        """
        world = cls(read_state(state, kind, holder))
        grid = state.get("grid")
        if grid is not None:
            for row, (given, drawn) in enumerate(zip(grid, world.grid(), strict=True)):
                if given != drawn:
                    raise InstanceError(
                        f"row {row} of the grid is {given!r:.100}, but agents, objects and prey "
                        f"make it {drawn!r:.100}"
                    )
        return world

    def to_dict(self) -> dict[str, Any]:
        """Return the state as a fresh JSON-able dict; ``from_dict`` reads it back."""
        return {
            "width": self.width,
            "height": self.height,
            "grid": self.grid(),
            "agents": {str(number): self._agent_dict(number) for number in range(self.n_agents)},
            "objects": [
                {
                    "kind": shape.kind,
                    "pos": list(self.object_position(number)),
                    "shape": list(shape.rows),
                    "mass": shape.mass,
                    "static": shape.static,
                }
                for number, shape in enumerate(self.shapes)
            ],
            "prey": None,  # published states name it also where there is none
            "score": self.score,
            "round": self.round,
            **self.task_state.to_dict(),
        }

    def _agent_dict(self, agent: int) -> dict[str, Any]:
        item: dict[str, Any] = {"pos": list(self._positions[agent]), "state": self.lights[agent]}
        if self._escaped[agent]:
            item["escaped"] = True
        return item

    # What happens -------------------------------------------------------------------------

    def push(self, actions: Mapping[int, str]) -> dict[str, list[str]]:
        """Run the four passes of a round; agents that they bring outside have escaped.

        Args:
            actions: Per agent number one of UP, DOWN, LEFT, RIGHT, STAY, SWITCH. Agents without
                an entry exert no force.

        Returns:
            Per pass the sorted ids of what moved: agent numbers, ``oK`` for object K, the names
            of a task's pieces.

        Raises:
            ActionError: If an agent number or an action does not exist.
        """
        pushes: dict[str, list[int]] = {direction: [] for direction in (*MOVES, *RESTS)}
        for agent, action in actions.items():
            self._require_agent(agent)
            if not isinstance(action, str) or action not in pushes:
                raise ActionError(
                    f"agent {agent} can't do {action!r:.100}; actions are {', '.join(pushes)}"
                )
            if not self._escaped[agent]:
                pushes[action].append(agent)
        moved = {direction: self._scene.push(direction, pushes) for direction in MOVES}
        for body in {body for bodies in moved.values() for body in bodies}:
            if body < self.n_agents:
                self._positions[body] = decode(self._scene.cells[body][0])
                self._escaped[body] = body in self._scene.gone
            elif body in self._pieces:
                piece = self._pieces[body]
                piece.row, piece.column = decode(self._scene.cells[body][0])
        return {way: sorted(map(self._body_id, bodies)) for way, bodies in moved.items()}

    def _require_agent(self, agent: int) -> None:
        if not isinstance(agent, int) or not 0 <= agent < self.n_agents:
            raise ActionError(f"no agent {agent!r:.100}; agents are 0..{self.n_agents - 1}")

    def _body_id(self, body: int) -> str:
        if body < self.n_agents:
            return str(body)
        piece = self._pieces.get(body)
        return f"o{body - self.n_agents}" if piece is None else piece.name

    def move(self, name: str, row: int, column: int) -> None:
        """Put a task's piece onto a free cell."""
        body = self._piece_body(name)
        self._scene.place(body, [encode(row, column)])
        self._pieces[body].row, self._pieces[body].column = row, column

    def fix(self, name: str) -> None:
        """Make a task's piece immovable."""
        body = self._piece_body(name)
        self._pieces[body].static = self._scene.static[body] = True

    def _piece_body(self, name: str) -> int:
        for body, piece in self._pieces.items():
            if piece.name == name:
                return body
        raise InstanceError(f"this world has no {name} to move")

    # What can be asked ----------------------------------------------------------------------

    @property
    def positions(self) -> Sequence[tuple[int, int]]:
        """Row and column of each agent; of an escaped one where it left."""
        return self._positions

    @property
    def escaped(self) -> Sequence[bool]:
        """Per agent whether it has left the map."""
        return self._escaped

    def state_of(self, kind: type[S]) -> S:
        """Return what the world's task keeps, which must be of a kind.

        Raises:
            InstanceError: If it is the world of another task.
        """
        if not isinstance(self.task_state, kind):
            raise InstanceError(f"the world of another task has no {', '.join(kind.fields)}")
        return self.task_state

    def object_position(self, number: int) -> tuple[int, int]:
        """Return the top left corner of an object."""
        row, column = decode(self._scene.cells[self.n_agents + number][0])
        first_row, first_column, _ = self.shapes[number].offsets[0]
        return row - first_row, column - first_column

    def object_cells(self, number: int) -> list[tuple[int, int]]:
        """List row and column of each filled cell of an object, on the map or not."""
        return list(map(decode, self._scene.cells[self.n_agents + number]))

    def inside(self, row: int, column: int) -> bool:
        """Tell whether a cell lies on the map."""
        return 0 <= row < self.height and 0 <= column < self.width

    def is_free(self, row: int, column: int) -> bool:
        """Tell whether no body fills the cell (cells outside the map included)."""
        return encode(row, column) not in self._scene.owner

    def agent_at(self, row: int, column: int) -> int | None:
        """Return the agent on a cell."""
        body = self._scene.owner.get(encode(row, column))
        return body if body is not None and body < self.n_agents else None

    def letter_at(self, row: int, column: int) -> str:
        """Return the letter of a cell: ``.``, ``A``, ``a``, an object's or a piece's."""
        body = self._scene.owner.get(encode(row, column))
        if body is None:
            return "."
        if body < self.n_agents:
            return "a" if self.lights[body] is False else "A"
        if body in self._pieces:
            return self._pieces[body].letter
        top, left = self.object_position(body - self.n_agents)
        return self.shapes[body - self.n_agents].rows[row - top][column - left]

    def grid(self) -> list[str]:
        """Return the map as rows of letters."""
        rows = self._picture(0)
        for agent, (row, column) in enumerate(self._positions):
            if not self._escaped[agent]:
                rows[row][column] = "a" if self.lights[agent] is False else "A"
        return ["".join(row) for row in rows]

    # Views ------------------------------------------------------------------------------------

    def view(self, agent: int, size: int) -> list[list[str]]:
        """Return what an agent sees: a square of cell strings, its own number in the centre.

        Args:
            agent: Agent number.
            size: Odd side of the square, in cells.

        Returns:
            ``size`` rows of ``size`` strings: ``.``, letters, agents by number (``$`` in front
            when their letter is ``a``), ``*`` outside the map.

        Raises:
            ActionError: If the agent number does not exist.
            ConfigError: If the size is even, or below 1.
        """
        self._require_agent(agent)
        require_odd("size", size)
        return self.window(self.picture(size), agent, size)

    def picture(self, size: int) -> list[list[str]]:
        """Return the whole map as cell strings within a rim of ``*``, to cut views from."""
        rim = size // 2
        rows = self._picture(rim)
        lights = self.lights
        for agent, (row, column) in enumerate(self._positions):
            if not self._escaped[agent]:
                name = str(agent)
                rows[row + rim][column + rim] = f"${name}" if lights[agent] is False else name
        return rows

    def window(self, picture: list[list[str]], agent: int, size: int) -> list[list[str]]:
        """Cut an agent's view out of ``picture(size)``."""
        row, column = self._positions[agent]
        if not self._escaped[agent]:
            return [line[column : column + size] for line in picture[row : row + size]]
        height, width = len(picture), len(picture[0])
        return [
            [
                picture[i][j] if 0 <= i < height and 0 <= j < width else OFF_MAP
                for j in range(column, column + size)
            ]
            for i in range(row, row + size)
        ]

    def _picture(self, rim: int) -> list[list[str]]:
        """Draw objects and pieces on the map."""
        rows = self.backdrop.picture(rim)
        for number, shape in enumerate(self.shapes):
            if not shape.static:
                for (row, column), letter in self._letters_of(number):
                    if self.inside(row, column):
                        rows[row + rim][column + rim] = letter
        for piece in self._pieces.values():
            if self.inside(piece.row, piece.column):
                rows[piece.row + rim][piece.column + rim] = piece.letter
        return rows

    @cached_property
    def backdrop(self) -> Backdrop:
        """What never moves."""
        static = [number for number, shape in enumerate(self.shapes) if shape.static]
        letters = {cell: letter for number in static for cell, letter in self._letters_of(number)}
        return Backdrop(self.height, self.width, letters)

    def _letters_of(self, number: int) -> Iterator[tuple[tuple[int, int], str]]:
        """Yield cell and letter of each filled cell of an object."""
        cells = self.object_cells(number)
        return zip(cells, (letter for _, _, letter in self.shapes[number].offsets), strict=True)
