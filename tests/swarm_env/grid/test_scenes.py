"""The physics on random scenes: integer programs, symmetry, what never happens, both solvers."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coordgym.swarm_env.grid import physics
from coordgym.swarm_env.grid.physics import (
    OPPOSITE,
    PUSH_FORCE,
    STEPS,
    Scene,
    decode,
    encode,
    movers,
)
from coordgym.swarm_env.grid.world import World

Pushes = dict[str, list[int]]
"""Per direction the bodies of the agents that push in it."""

scene_seeds = st.integers(0, 2**32 - 1)


def random_scene(seed: int, *, objects: int = 6) -> tuple[Scene, Pushes]:
    """Up to five objects of random shapes and agents crowded on a small map, most of them pushing.

    Half of the pushes go one way, so that trains form.
    """
    rng = np.random.default_rng(seed)
    height, width = (int(n) for n in rng.integers(3, 8, size=2))
    scene = Scene(height, width)
    for _ in range(int(rng.integers(0, objects)) if objects else 0):
        cells = {encode(int(rng.integers(-1, height)), int(rng.integers(-1, width)))}
        for _ in range(int(rng.integers(0, 8))):
            neighbours = [cell + step for cell in sorted(cells) for step in STEPS.values()]
            cells.add(int(rng.choice(neighbours)))
        if not cells & scene.owner.keys() and any(map(scene.inside, cells)):
            scene.add(sorted(cells), int(rng.integers(1, 4)), bool(rng.random() < 0.1))
    pushes: Pushes = {direction: [] for direction in STEPS}
    ways = list(STEPS)
    mostly = ways[int(rng.integers(4))]
    for cell in (encode(i, j) for i in range(height) for j in range(width)):
        if cell not in scene.owner and rng.random() < 0.6:
            agent, part = scene.add([cell], 1, False), rng.random()
            if part < 0.5:
                pushes[mostly].append(agent)
            elif part < 0.65:
                pushes[OPPOSITE[mostly]].append(agent)
            elif part < 0.85:
                pushes[ways[int(rng.integers(4))]].append(agent)
    return scene, pushes


def passes(scene: Scene, pushes: Pushes) -> Iterator[tuple[str, list[int]]]:
    """Runs the four passes of a round; yields each with what moved in it."""
    for direction in STEPS:
        yield direction, scene.push(direction, pushes)


# --- against integer programming -------------------------------------------------------------


def movers_by_milp(bodies: Scene, pushers: list[int], opponents: set[int], step: int) -> set[int]:
    """The largest set by the definition: mass, closure and flow as a mixed-integer program."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse.csgraph import connected_components

    count = len(bodies.cells)
    contact = np.zeros((count, count), dtype=int)
    for body, cells in enumerate(bodies.cells):
        for cell in cells:
            other = bodies.owner.get(cell + step, body)
            if other != body:
                contact[body, other] = 1
    parts, component = connected_components(contact, directed=True, connection="strong")
    force, mass = np.zeros(parts), np.zeros(parts)
    fixed = np.zeros(parts, dtype=bool)
    for body in range(count):
        part = component[body]
        mass[part] += bodies.mass[body]
        force[part] += 2 * (body in pushers) - 2 * (body in opponents)
        fixed[part] |= bodies.static[body]
    mass += np.maximum(-force, 0)
    force = np.maximum(force, 0)
    edges = sorted(
        {
            (int(component[u]), int(component[v]))
            for u, v in zip(*np.nonzero(contact), strict=True)
            if component[u] != component[v]
        }
    )
    size = parts + len(edges)
    total = force.sum() + 1
    rows, low, high = [], [], []
    for part in range(parts):  # force·x + inflow − outflow − mass·x ≥ 0
        row = np.zeros(size)
        row[part] = force[part] - mass[part]
        for at, (u, v) in enumerate(edges):
            row[parts + at] += (v == part) - (u == part)
        rows.append(row), low.append(0), high.append(np.inf)
    for at, (u, v) in enumerate(edges):
        row = np.zeros(size)
        row[u], row[v] = 1, -1  # u moves only with v
        rows.append(row), low.append(-np.inf), high.append(0)
        row = np.zeros(size)
        row[parts + at], row[u] = 1, -total  # no flow outside the set
        rows.append(row), low.append(-np.inf), high.append(0)
    upper = np.concatenate([np.where(fixed, 0, 1), np.full(len(edges), total)])
    solution = milp(
        c=np.concatenate([-np.ones(parts), np.zeros(len(edges))]),
        constraints=LinearConstraint(np.array(rows), low, high),
        integrality=np.concatenate([np.ones(parts), np.zeros(len(edges))]),
        bounds=Bounds(np.zeros(size), upper),
    )
    assert solution.success
    chosen = solution.x[:parts] > 0.5
    return {body for body in range(count) if chosen[component[body]]}


def check_against_milp(seed: int) -> int:
    """Compares the pass with the most pushers with the integer program; how many push."""
    scene, pushes = random_scene(seed)
    direction = max(STEPS, key=lambda way: len(pushes[way]))
    pushers, opponents = pushes[direction], set(pushes[OPPOSITE[direction]])
    if pushers:
        found = movers(scene, pushers, opponents, STEPS[direction])
        assert set(found) == movers_by_milp(scene, pushers, opponents, STEPS[direction]), seed
    return len(pushers)


@settings(max_examples=100, deadline=None)
@given(scene_seeds)
def test_movers_equal_those_of_an_integer_program(seed: int) -> None:
    check_against_milp(seed)


@pytest.mark.heavy
def test_movers_equal_those_of_an_integer_program_in_thousands_of_scenes() -> None:
    assert sum(map(check_against_milp, range(2500))) > 10_000


# --- what holds in every scene ---------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(scene_seeds)
def test_bodies_keep_their_shape_and_never_overlap(seed: int) -> None:
    scene, pushes = random_scene(seed)
    before = [set(cells) for cells in scene.cells]
    for direction, moved in passes(scene, pushes):
        for body, cells in enumerate(scene.cells):
            step = STEPS[direction] if body in moved else 0
            assert set(cells) == {cell + step for cell in before[body]}
        assert not any(scene.static[body] for body in moved)
        here = [body for body in range(len(scene.cells)) if body not in scene.gone]
        filled = [cell for body in here for cell in scene.cells[body]]
        assert len(filled) == len(set(filled)) == len(scene.owner)
        assert all(scene.owner[cell] == body for body in here for cell in scene.cells[body])
        before = [set(cells) for cells in scene.cells]


@settings(max_examples=300, deadline=None)
@given(scene_seeds)
def test_nothing_moves_without_the_force_for_it(seed: int) -> None:
    """The movers' own pushes pay for their masses, and each is pushed by somebody."""
    scene, pushes = random_scene(seed)
    for direction, step in STEPS.items():
        pushers, opponents = pushes[direction], pushes[OPPOSITE[direction]]
        moved = set(movers(scene, pushers, set(opponents), step)) if pushers else set()
        net = len(moved & set(pushers)) - len(moved & set(opponents))
        assert PUSH_FORCE * net >= sum(scene.mass[body] for body in moved)
        driven, stack = set(), [body for body in pushers if body in moved]
        while stack:
            body = stack.pop()
            if body not in driven:
                driven.add(body)
                ahead = {scene.owner.get(cell + step) for cell in scene.cells[body]} - {None, body}
                assert ahead <= moved
                stack.extend(other for other in ahead if other is not None)
        assert driven == moved
        assert scene.push(direction, {way: [] for way in STEPS}) == []


def test_a_world_in_which_nobody_pushes_stays_as_it_is() -> None:
    agents = {str(n): {"pos": [1, n]} for n in range(3)}
    box = {"pos": [2, 0], "shape": ["BBB"], "mass": 1}
    world = World.from_dict({"width": 4, "height": 4, "agents": agents, "objects": [box]})
    before = world.to_dict()
    for actions in ({}, dict.fromkeys(range(3), "STAY"), {0: "SWITCH", 2: "STAY"}):
        assert world.push(actions) == {"UP": [], "DOWN": [], "LEFT": [], "RIGHT": []}
        assert world.to_dict() == before


# --- symmetry --------------------------------------------------------------------------------

SYMMETRIES: dict[str, Callable[[int, int, int, int], tuple[int, int]]] = {
    "mirrored left to right": lambda i, j, h, w: (i, w - 1 - j),
    "mirrored top to bottom": lambda i, j, h, w: (h - 1 - i, j),
    "mirrored at the diagonal": lambda i, j, h, w: (j, i),
    "turned by 90 degrees": lambda i, j, h, w: (j, h - 1 - i),
    "turned by 180 degrees": lambda i, j, h, w: (h - 1 - i, w - 1 - j),
    "turned by 270 degrees": lambda i, j, h, w: (w - 1 - j, i),
}


@pytest.mark.parametrize("name", SYMMETRIES)
@settings(max_examples=80, deadline=None)
@given(scene_seeds)
def test_mirrored_and_turned_scenes_move_alike_pass_by_pass(name: str, seed: int) -> None:
    scene, pushes = random_scene(seed)
    height, width = (int(n) for n in np.random.default_rng(seed).integers(3, 8, size=2))

    def image(cell: int) -> int:
        return encode(*SYMMETRIES[name](*decode(cell), height, width))

    origin = image(encode(0, 0))
    turned = {way: image(step) - origin for way, step in STEPS.items()}
    ways = {way: next(w for w, s in STEPS.items() if s == turned[way]) for way in STEPS}
    swapped = abs(turned["UP"]) == 1
    twin = Scene(width, height) if swapped else Scene(height, width)
    for cells, mass, static in zip(scene.cells, scene.mass, scene.static, strict=True):
        twin.add([image(cell) for cell in cells], mass, static)
    mirrored = {ways[way]: bodies for way, bodies in pushes.items()}
    for direction, moved in passes(scene, pushes):
        assert set(twin.push(ways[direction], mirrored)) == set(moved)
        assert [set(map(image, cells)) for cells in scene.cells] == [set(c) for c in twin.cells]
        assert twin.gone == scene.gone


# --- the short way for chains ------------------------------------------------------------------


def refuse(*args: object) -> list[int]:
    raise AssertionError("agents alone need no flow")


@settings(max_examples=200, deadline=None)
@given(scene_seeds)
def test_chains_of_agents_take_the_short_way_and_move_as_by_flow(seed: int) -> None:
    scene, pushes = random_scene(seed, objects=0)
    for direction, step in STEPS.items():
        pushers, opponents = pushes[direction], set(pushes[OPPOSITE[direction]])
        touching = {
            scene.owner[cell + step]
            for (cell,) in scene.cells
            if cell + step in scene.owner and scene.owner[cell] in pushers
        }
        if not touching:  # the general way is never taken without a contact
            continue
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(physics, "_movers_by_flow", refuse)
            short = movers(scene, pushers, opponents, step)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(physics, "_chain_order", lambda contacts, blocked: None)
            general = movers(scene, pushers, opponents, step)
        assert set(short) == set(general)
