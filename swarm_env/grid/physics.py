"""Exact grid physics: which bodies move when agents push in one direction.

A round has four passes, UP, DOWN, LEFT, RIGHT; each sees the cells left by the one before. In a
pass an agent that pushes with it has force +2, one that pushes against it -2, every other body 0.
A body pushes those whose cells it would enter. Bodies that push each other in a circle move as
one (masses and forces add). A component with a negative force resists: its mass grows by that
much. The movers are the largest set without immovable bodies that is closed under "pushes" and
lets the forces, handed on freely along the contacts, cover every member's mass
(Ruan et al. 2025, Appendix B).

That set is unique because feasible sets are closed under union. Where every body pushes at most
one other (agents in the open, trains of agents, one box against one thing) a single pass over
the chain finds it; otherwise one maximum flow does.

Cells are coded as one integer, ``row * STRIDE + column``, so that a step is an addition.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from coordgym.swarm_env.grid.cells import VECTORS, Cell

STRIDE: Final = 1 << 20
"""Distance between the codes of two rows; columns may lie within ±STRIDE/2."""

STEPS: Final[dict[str, int]] = {name: i * STRIDE + j for name, (i, j) in VECTORS.items()}
"""What one step adds to a cell's code, in the order of the passes."""

OPPOSITE: Final[dict[str, str]] = {"UP": "DOWN", "DOWN": "UP", "LEFT": "RIGHT", "RIGHT": "LEFT"}

PUSH_FORCE: Final = 2
"""Force of one pushing agent; an agent's mass is 1."""


def encode(row: int, column: int) -> int:
    """Return the code of a cell."""
    return row * STRIDE + column


def decode(code: int) -> Cell:
    """Return row and column of a coded cell, which may be negative."""
    row = (code + STRIDE // 2) // STRIDE
    return row, code - row * STRIDE


class Scene:
    """The bodies on the grid.

    The edge of the map blocks nothing, and bodies partly outside collide there too. A body that
    is wholly outside after a pass is gone at once: it neither pushes nor stands in the way.

    Args:
        height: Rows of the map.
        width: Columns of the map.

    Attributes:
        cells: Per body its coded cells.
        mass: Per body its mass (1 or more).
        static: Per body whether it is immovable.
        owner: The body at each filled cell.
        gone: The bodies wholly outside the map.
    """

    __slots__ = ("_height", "_width", "cells", "gone", "mass", "owner", "static")

    def __init__(self, height: int, width: int) -> None:
        self._height, self._width = height, width
        self.cells: list[list[int]] = []
        self.mass: list[int] = []
        self.static: list[bool] = []
        self.owner: dict[int, int] = {}
        self.gone: set[int] = set()

    def inside(self, cell: int) -> bool:
        """Tell whether a coded cell lies on the map."""
        # A negative column counts from the end of the row above, far beyond any width.
        return 0 <= cell < self._height * STRIDE and cell % STRIDE < self._width

    def add(self, cells: list[int], mass: int, static: bool) -> int:
        """Add a body on free cells and return its number."""
        body = len(self.cells)
        self.cells.append([])
        self.mass.append(mass)
        self.static.append(static)
        self.place(body, cells)
        return body

    def place(self, body: int, cells: list[int]) -> None:
        """Put a body onto other cells, which must be free."""
        if body not in self.gone:
            for cell in self.cells[body]:
                del self.owner[cell]
        self.cells[body] = cells
        self._settle(body)

    def _settle(self, body: int) -> None:
        cells = self.cells[body]
        if any(map(self.inside, cells)):
            for cell in cells:
                self.owner[cell] = body
        else:
            self.gone.add(body)

    def push(self, direction: str, pushes: Mapping[str, list[int]]) -> list[int]:
        """Run one pass and move what has to move.

        Args:
            direction: The direction of the pass.
            pushes: Per direction the bodies of the agents that push in it; gone ones don't.

        Returns:
            The bodies moved by one cell, in no particular order.
        """
        pushers = pushes[direction]
        if self.gone:
            pushers = [body for body in pushers if body not in self.gone]
        if not pushers:
            return []
        step = STEPS[direction]
        moved = movers(self, pushers, set(pushes[OPPOSITE[direction]]), step)
        owner, cells = self.owner, self.cells
        for body in moved:
            for cell in cells[body]:
                del owner[cell]
        for body in moved:
            cells[body] = [cell + step for cell in cells[body]]
            self._settle(body)
        return moved


def movers(scene: Scene, pushers: list[int], opponents: set[int], step: int) -> list[int]:
    """Find who moves by ``step`` when ``pushers`` push with it and ``opponents`` against."""
    contacts = _contacts(scene, pushers, step)
    blocked = _blocked(scene, contacts)
    order = _chain_order(contacts, blocked)
    if order is None:
        return _movers_by_flow(scene, contacts, blocked, pushers, opponents)
    return _movers_in_chains(scene, contacts, order, set(pushers), opponents)


def _contacts(scene: Scene, pushers: list[int], step: int) -> dict[int, tuple[int, ...]]:
    """Tell whom each body pushes, for all bodies that a pusher can reach.

    Bodies out of every pusher's reach can't move. Static ones are not followed further.
    """
    cells, owner, static = scene.cells, scene.owner, scene.static
    contacts: dict[int, tuple[int, ...]] = {}
    stack = list(pushers)
    while stack:
        body = stack.pop()
        if body in contacts:
            continue
        if static[body]:
            contacts[body] = ()
            continue
        own = cells[body]
        if len(own) == 1:
            touched = owner.get(own[0] + step)
            if touched is None:
                contacts[body] = ()
                continue
            contacts[body] = (touched,)
            stack.append(touched)
        else:
            hit = {owner.get(cell + step, body) for cell in own}
            hit.discard(body)
            contacts[body] = tuple(sorted(hit))
            stack.extend(hit)
    return contacts


def _blocked(scene: Scene, contacts: Mapping[int, tuple[int, ...]]) -> set[int]:
    """Find static bodies and all that would have to move them."""
    static = scene.static
    blocked = {body for body in contacts if static[body]}
    if not blocked:
        return blocked
    behind: dict[int, list[int]] = {}
    for body, touched in contacts.items():
        for other in touched:
            behind.setdefault(other, []).append(body)
    stack = list(blocked)
    while stack:
        for body in behind.get(stack.pop(), ()):
            if body not in blocked:
                blocked.add(body)
                stack.append(body)
    return blocked


def _chain_order(contacts: Mapping[int, tuple[int, ...]], blocked: set[int]) -> list[int] | None:
    """Order the unblocked bodies from the rear; None if one pushes two, or in a circle."""
    behind: dict[int, int] = {}
    for body, touched in contacts.items():
        if touched and body not in blocked:
            if len(touched) > 1:
                return None
            behind[touched[0]] = behind.get(touched[0], 0) + 1
    order = [body for body in contacts if body not in blocked and body not in behind]
    for body in order:  # grows while it is read
        for other in contacts[body]:
            behind[other] -= 1
            if not behind[other]:
                order.append(other)
    return order if len(order) + len(blocked) == len(contacts) else None


def _movers_in_chains(
    scene: Scene,
    contacts: Mapping[int, tuple[int, ...]],
    order: list[int],
    pushers: set[int],
    opponents: set[int],
) -> list[int]:
    """Hand the spare force forward along each chain; who lacks force stops all behind it."""
    mass = scene.mass
    received: dict[int, int] = {}
    strong: set[int] = set()
    for body in order:
        spare = received.get(body, 0) - mass[body]
        if body in pushers:
            spare += PUSH_FORCE
        elif body in opponents:
            spare -= PUSH_FORCE
        if spare >= 0:
            strong.add(body)
            if spare:
                for other in contacts[body]:
                    received[other] = received.get(other, 0) + spare
    moving: set[int] = set()
    for body in reversed(order):
        if body in strong and all(other in moving for other in contacts[body]):
            moving.add(body)
    return list(moving)


def _movers_by_flow(
    scene: Scene,
    contacts: Mapping[int, tuple[int, ...]],
    blocked: set[int],
    pushers: list[int],
    opponents: set[int],
) -> list[int]:
    """Find the movers in general: components, then one maximum flow from pushers to masses."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    bodies = [body for body in contacts if body not in blocked]
    index = {body: at for at, body in enumerate(bodies)}
    # What an unblocked body pushes is unblocked too, so every end of an edge has an index.
    edges = [(index[body], index[other]) for body in bodies for other in contacts[body]]
    tails, heads = np.array(edges, dtype=np.int32).T
    size = len(bodies)
    graph = csr_array((np.ones(len(edges), dtype=np.int32), (tails, heads)), shape=(size, size))
    count, component = connected_components(graph, directed=True, connection="strong")
    force = np.zeros(count, dtype=np.int32)
    mass = np.zeros(count, dtype=np.int32)
    for body in bodies:
        mass[component[index[body]]] += scene.mass[body]
    for body in pushers:
        if body in index:
            force[component[index[body]]] += PUSH_FORCE
    for body in opponents:
        if body in index:
            force[component[index[body]]] -= PUSH_FORCE
    mass += np.maximum(-force, 0)
    force = np.maximum(force, 0)
    pairs = np.unique(np.stack([component[tails], component[heads]]), axis=1)
    inner = pairs[:, pairs[0] != pairs[1]]
    moving = _feasible(force, mass, inner)
    return [body for body in bodies if moving[component[index[body]]]]


def _feasible(
    force: NDArray[np.int32], mass: NDArray[np.int32], edges: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Tell which components move: those that in the residual graph reach no unmet mass.

    Args:
        force: Shape (n,), 0 or more.
        mass: Shape (n,), 1 or more.
        edges: Shape (2, m), distinct pairs (pushes, is pushed) without loops.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    count = len(force)
    source, sink = count, count + 1
    nodes = np.arange(count, dtype=np.int32)
    tails = np.concatenate([np.full(count, source), nodes, edges[0]]).astype(np.int32)
    heads = np.concatenate([nodes, np.full(count, sink), edges[1]]).astype(np.int32)
    unlimited = np.full(edges.shape[1], int(force.sum()) + 1)
    capacity = np.concatenate([force, mass, unlimited]).astype(np.int32)
    shape = (count + 2, count + 2)
    network = csr_array((capacity, (tails, heads)), shape=shape)
    flow = maximum_flow(network, source, sink).flow
    # An edge u→v of the residual graph, reversed, so that one search from the sink finds all
    # components that could still pass force on to a mass that is not covered.
    residual = csr_array((network - flow).T > 0)
    reaching = breadth_first_order(residual, sink, return_predecessors=False)
    moves = np.ones(count + 2, dtype=np.bool_)
    moves[reaching] = False
    return moves[:count]
