"""The spatial tasks: brute force on tiny instances, all schemes, planted splits, generators."""

import itertools
import json
from collections.abc import Callable, Iterator

import networkx as nx
import numpy as np
import pytest
from cases import cases, first_case

from coordgym.errors import InstanceError
from coordgym.silo_env import pairs
from coordgym.silo_env.pairs.grids.schemes import SCHEMES, encode
from coordgym.silo_env.pairs.instance import generate
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.task import find_task

WALKS = ("blueprintmaze", "geomaze", "rulemaze", "streetmap")
"""Fewest moves over a flat grid, as in maze, which has a file of its own."""
NAMES = (*WALKS, "conflictpath", "cube", "floodfill", "numberlink", "terrain", "timedpath")
TINY = {
    (case["task"], case["seed"]): case["instance"]
    for case in cases("pair_cases", size="tiny")
    if case["task"] in NAMES
}
seeds = pytest.mark.parametrize("seed", [0, 2])
Place = tuple[int, ...]


def score(name: str, seed: int, answer) -> float:
    task = find_task(name)
    instance = task.read_instance(TINY[name, seed])
    return task.grade(instance, answer, search_schemes=False).score


def free_walks(size: Place, start: Place, goal: Place, most: int) -> Iterator[list[Place]]:
    """Every walk to the goal over cells next to each other that takes at most so many moves."""

    def extended(walk: list[Place]) -> Iterator[list[Place]]:
        if walk[-1] == goal:
            yield walk
            return
        for axis, step in itertools.product(range(len(size)), (-1, 1)):
            place = list(walk[-1])
            place[axis] += step
            distance = sum(abs(a - b) for a, b in zip(place, goal, strict=True))
            if 0 <= place[axis] < size[axis] and len(walk) + distance <= most:
                yield from extended([*walk, tuple(place)])

    yield from extended([start])


# --- 1.0 for the optimum and nothing else --------------------------------------------------------


def may_step(name: str, instance) -> Callable[[Place, Place], bool]:
    """The rule of a task for a step between two neighbouring cells."""
    grid = instance.get("grid") or instance["layers"]

    def at(place: Place) -> str:
        inner = grid
        for index in place:
            inner = inner[index]
        return inner

    def between(a: Place, b: Place) -> bool:
        first = list(min(a, b))
        return first not in (instance["hw"] if a[1] == b[1] else instance["vw"])

    arrows = {"^": (-1, 0), "v": (1, 0), "<": (0, -1), ">": (0, 1)}

    def along(a: Place, b: Place) -> bool:
        way = arrows.get(at(a), (b[0] - a[0], b[1] - a[1]))
        return at(b) != "#" and way == (b[0] - a[0], b[1] - a[1])

    return {
        "blueprintmaze": lambda a, b: at(b) != "#",
        "cube": lambda a, b: at(b) != "#",
        "geomaze": between,
        "rulemaze": lambda a, b: at(a) + at(b) not in instance["forbidden"],
        "streetmap": along,
    }[name]


@seeds
@pytest.mark.parametrize("name", [*WALKS, "cube"])
def test_only_shortest_walks_are_perfect(name, seed) -> None:
    instance = TINY[name, seed]
    start, goal = tuple(instance["start"]), tuple(instance["goal"])
    size = (len(instance.get("grid") or instance["layers"]),) * len(start)
    allowed = may_step(name, instance)
    best = len(pairs.solve(name, instance)["path"])
    found = 0
    for walk in free_walks(size, start, goal, best + 1):
        legal = all(itertools.starmap(allowed, itertools.pairwise(walk)))
        assert not legal or len(walk) >= best
        true = legal and len(walk) == best
        assert (score(name, seed, {"path": walk}) == 1.0) == true, walk
        if true:
            assert score(name, seed, {"path": walk[1:]}) == 1.0
            assert score(name, seed, {"path": walk[:-1]}) < 1.0
        found += true
    case = first_case("pair_cases", instance=instance)
    assert found == case["n_optimal"]


@seeds
def test_only_cheapest_walks_are_perfect(seed) -> None:
    instance = TINY["terrain", seed]
    n = len(instance["grid"])
    costs = {}
    for walk in free_walks((n, n), (0, 0), (n - 1, n - 1), 4 * (n - 1) + 1):
        costs[tuple(walk)] = sum(int(instance["grid"][i][j]) for i, j in walk[1:])
    least = min(costs.values())
    for walk, cost in costs.items():
        assert score("terrain", seed, {"path": walk}) == pytest.approx(least / cost)
    assert score("terrain", seed, {"path": list(min(costs, key=costs.__getitem__))[:-1]}) == 0


@seeds
def test_only_the_flooded_cells_are_perfect(seed) -> None:
    instance = TINY["floodfill", seed]
    grid = instance["grid"]
    every = [(i, j) for i, row in enumerate(grid) for j in range(len(row))]
    land = nx.grid_2d_graph(len(grid), len(grid[0]))
    land.remove_nodes_from([(i, j) for i, j in every if grid[i][j] == "#"])
    flooded = nx.node_connected_component(land, tuple(instance["start"]))
    for count in range(3):
        for changed in itertools.combinations(every, count):
            cells = flooded ^ set(changed)
            expected = len(cells & flooded) / len(cells | flooded)
            if tuple(instance["start"]) not in cells:
                expected = 0
            found = score("floodfill", seed, {"cells": sorted(cells)})
            assert found == pytest.approx(expected)
            assert (found == 1.0) == (not changed)


@seeds
def test_only_boards_with_every_wire_joined_are_perfect(seed) -> None:
    instance = TINY["numberlink", seed]
    n, blocked = instance["n"], {tuple(cell) for cell in instance["blocked"]}
    board = nx.grid_2d_graph(n, n)
    ends = {label: [tuple(end) for end in both] for label, both in instance["pairs"].items()}
    wires = [
        [(label, path) for path in nx.all_simple_paths(board, *both, cutoff=6)]
        for label, both in ends.items()
    ]
    found = 0
    for wired in itertools.product(*wires):
        own = [set(path) for _, path in wired]
        foreign = [
            {end for other, both in ends.items() if other != label for end in both}
            for label, _ in wired
        ]
        alone = [
            not cells & blocked and not cells & others
            for cells, others in zip(own, foreign, strict=True)
        ]
        apart = all(not a & b for a, b in itertools.combinations(own, 2))
        answer = {"paths": dict(wired)}
        value = score("numberlink", seed, answer)
        assert (value == 1.0) == (all(alone) and apart)
        if len(wired) == 2 and all(alone) and not apart:
            assert value == 0.5
        found += value == 1.0
    assert found


def test_a_wire_through_the_terminal_of_another_is_none() -> None:
    board = {"n": 3, "pairs": {"1": [[0, 0], [0, 2]], "2": [[0, 1], [2, 1]]}, "blocked": [[2, 2]],
             "end_owner": {"1": [1, 2], "2": [1, 2]}, "block_owner": [1]}  # fmt: skip
    with pytest.raises(InstanceError, match="can't all be joined"):
        pairs.solve("numberlink", board)
    board["pairs"]["2"] = [[1, 1], [2, 1]]
    straight, around = [[0, 0], [0, 1], [0, 2]], [[0, 0], [1, 0], [1, 1], [1, 2], [0, 2]]
    assert pairs.grade("numberlink", board, {"paths": {"1": straight}}).score == 0.5
    assert pairs.grade("numberlink", board, {"paths": {"1": around}}).score == 0.0


def timed_walks(n: int, start: Place, goal: Place, ticks: int) -> Iterator[list[Place]]:
    """Every walk with waits that is at the goal after so many ticks."""
    stack = [[start]]
    while stack:
        walk = stack.pop()
        i, j = walk[-1]
        left = ticks + 1 - len(walk)
        if left == 0:
            yield walk
            continue
        for k, m in ((i, j), (i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if 0 <= k < n and 0 <= m < n and abs(k - goal[0]) + abs(m - goal[1]) < left:
                stack.append([*walk, (k, m)])


@seeds
def test_only_earliest_arrivals_are_perfect(seed) -> None:
    instance = TINY["timedpath", seed]
    grid, n = instance["grid"], len(instance["grid"])
    best = len(pairs.solve("timedpath", instance)["path"]) - 1
    found = 0
    for ticks in (best - 1, best):
        for walk in timed_walks(n, (0, 0), (n - 1, n - 1), ticks):
            if (n - 1, n - 1) in walk[:-1]:
                continue
            legal = all(
                grid[i][j] != "#"
                and not any([i, j] == b[:2] and b[2] <= t <= b[3] for b in instance["blocks"])
                for t, (i, j) in enumerate(walk)
            )
            assert not legal or ticks == best
            assert (score("timedpath", seed, {"path": walk}) == 1.0) == legal, walk
            if legal:
                stamped = [[t, *cell] for t, cell in enumerate(walk)]
                assert score("timedpath", seed, {"path": stamped}) == 1.0
                late = [walk[0], *walk]
                assert score("timedpath", seed, {"path": late}) < 1.0
            found += legal
    case = first_case("pair_cases", instance=instance)
    assert found == case["n_optimal"]


@seeds
def test_only_fastest_plans_without_conflicts_are_perfect(seed) -> None:
    instance = TINY["conflictpath", seed]
    grid, n = instance["grid"], len(instance["grid"])
    best = len(pairs.solve("conflictpath", instance)["A"]) - 1
    walks = [
        [
            walk
            for walk in timed_walks(n, tuple(instance[v][0]), tuple(instance[v][1]), best)
            if all(grid[i][j] != "#" for i, j in walk)
        ]
        for v in "AB"
    ]
    found = 0
    for a, b in itertools.product(*walks):
        steps = list(zip(itertools.pairwise(a), itertools.pairwise(b), strict=True))
        apart = all(x != y for x, y in zip(a, b, strict=True))
        true = apart and all(one != (other[1], other[0]) for one, other in steps)
        assert (score("conflictpath", seed, {"A": a, "B": b}) == 1.0) == true
        found += true
    case = first_case("pair_cases", instance=instance)
    assert found == case["n_optimal"]
    late = {v: [instance[v][0], *pairs.solve("conflictpath", instance)[v]] for v in "AB"}
    assert score("conflictpath", seed, late) < 1.0


# --- equivalent notations ------------------------------------------------------------------------


def drawn(name: str, seed: int):
    task = find_task(name)
    return task, generate(task, make_config(task, None), np.random.default_rng(seed))


def written(name: str, value, scheme, n: int):
    """An answer in another scheme; in a block the floor comes first and shares the origin."""
    if isinstance(value, dict):
        return {key: written(name, inner, scheme, n) for key, inner in value.items()}
    if isinstance(value[0], list):
        return [written(name, inner, scheme, n) for inner in value]
    *before, row, column = value
    if name == "cube":
        before = [before[0] + scheme.origin]
    return [*before, *encode((row, column), scheme, n, n)]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: str(scheme.number))
@pytest.mark.parametrize("name", NAMES)
def test_answers_are_perfect_in_every_scheme(name, scheme) -> None:
    task, instance = drawn(name, 1)
    given = task.to_json(instance)
    n = given.get("n") or len(given.get("grid") or given["layers"])
    answer = written(name, task.solve(instance), scheme, n)
    assert task.grade(instance, answer).exact
    if scheme.number == 0:
        assert pairs.grade(name, given, answer, schemes="paper_table").exact


@pytest.mark.parametrize("name", NAMES)
def test_the_papers_table_gives_schemes_to_the_maze_alone(name) -> None:
    task, instance = drawn(name, 1)
    given = task.to_json(instance)
    n = given.get("n") or len(given.get("grid") or given["layers"])
    shifted = written(name, task.solve(instance), SCHEMES[1], n)
    assert pairs.grade(name, given, shifted).exact
    assert not pairs.grade(name, given, shifted, schemes="paper_table").exact


@pytest.mark.parametrize("name", WALKS)
def test_moves_letters_and_cells_are_one_answer(name) -> None:
    task, instance = drawn(name, 2)
    path = task.solve(instance)["path"]
    words = {(-1, 0): "up", (1, 0): "South", (0, -1): "L", (0, 1): "e"}
    moves = [words[b[0] - a[0], b[1] - a[1]] for a, b in itertools.pairwise(path)]
    lettered = [f"{'ABCDEFGH'[row]}{column}" for row, column in path]
    for answer in ({"moves": moves}, {"moves": " ".join(moves)}, {"path": lettered}):
        assert task.grade(instance, answer).exact, answer
        assert pairs.grade(name, task.to_json(instance), answer, schemes="paper_table").exact


# --- planted splits ------------------------------------------------------------------------------


def owned_by(instance, owner: int):
    """An instance of which one view knows everything that is dealt."""
    planted = dict(instance)
    for field in {"owner", "layer_owner", "rule_owner", "block_owner"} & set(instance):
        old = instance[field]
        if isinstance(old[0], str):
            rows = ["".join(c if c == "b" else str(owner) for c in row) for row in old]
            planted[field] = rows
        else:
            planted[field] = [owner] * len(old)
    return planted


@pytest.mark.parametrize("owner", [1, 2])
@pytest.mark.parametrize("name", ["cube", "floodfill", "rulemaze", "streetmap", "terrain"])
def test_a_view_that_knows_everything_fails_the_union_check(name, owner) -> None:
    assert not pairs.is_union_necessary(name, owned_by(TINY[name, 0], owner))


def test_a_view_with_plan_and_all_closures_fails_the_union_check() -> None:
    planted = owned_by(TINY["timedpath", 0], 1)
    assert not pairs.is_union_necessary("timedpath", planted)


def test_a_view_that_knows_enough_fails_the_union_check() -> None:
    """What is hidden here can't change the answer."""
    dry = {
        "grid": ["@#..", "##..", "....", "...."],
        "start": [0, 0],
        "owner": ["b122", "1122", "2222", "2222"],
    }
    assert not pairs.is_union_necessary("floodfill", dry)
    straight = {
        "grid": ["@..", "##.", ".#*"],
        "start": [0, 0],
        "goal": [2, 2],
        "owner": ["b11", "221", "22b"],
    }
    assert not pairs.is_union_necessary("streetmap", straight)
    cheapest = {
        "grid": ["111", "991", "991"],
        "start": [0, 0],
        "goal": [2, 2],
        "owner": ["b11", "221", "22b"],
    }
    assert not pairs.is_union_necessary("terrain", cheapest)


def test_boards_that_show_a_view_both_ends_of_a_wire_are_refused() -> None:
    planted = {**TINY["numberlink", 0], "end_owner": {"1": [1, 1], "2": [1, 1]}}
    with pytest.raises(InstanceError, match="end_owner"):
        pairs.solve("numberlink", planted)


# --- what generators promise ---------------------------------------------------------------------

CONFIGS = {
    "blueprintmaze": ({"n": 4, "min_length": 3}, {"n": 9, "min_length": 12}),
    "conflictpath": ({"n": 4, "min_ticks": 4}, {"n": 6, "min_ticks": 6}),
    "cube": ({"n": 3, "p_wall": 0.3}, {"n": 5, "max_optimal": 4}),
    "floodfill": ({"n": 4, "least_cells": 4, "most_cells": 7}, {"n": 9, "least_cells": 20,
                                                               "most_cells": 40}),
    "geomaze": ({"n": 4, "min_length": 8}, {"n": 7, "min_length": 14}),
    "numberlink": ({"n": 4, "k": 2}, {"n": 6, "k": 4}),
    "rulemaze": ({"n": 4, "n_rules": 3}, {"n": 7, "n_rules": 6, "max_optimal": 3}),
    "streetmap": ({"n": 5}, {"n": 8, "max_optimal": 3}),
    "terrain": ({"n": 4, "palette": "19"}, {"n": 8}),
    "timedpath": ({"n": 4, "n_closures": 6}, {"n": 6, "n_closures": 12}),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "config"), [(name, config) for name, both in CONFIGS.items() for config in both]
)
def test_generated_instances_keep_to_their_configuration(name, config) -> None:
    task = find_task(name)
    instance = task.to_json(generate(task, make_config(task, config), np.random.default_rng(3)))
    task.read_instance(json.loads(json.dumps(instance)))
    grid = instance.get("grid") or instance.get("layers")
    assert (instance.get("n") or len(grid)) == config["n"]
    answer = task.solve(task.read_instance(instance))
    least = config.get("min_length", config.get("min_ticks"))
    if least is not None:
        assert len(answer.get("path") or answer["A"]) - 1 >= least
    if "max_optimal" in config:
        optima = task.optimal_answers(task.read_instance(instance), 400)
        assert len(optima) <= config["max_optimal"]
    if name == "floodfill":
        assert config["least_cells"] <= len(answer["cells"]) <= config["most_cells"]
    counts = {"k": "pairs", "n_rules": "forbidden", "n_closures": "blocks"}
    for key in counts.keys() & config:
        assert len(instance[counts[key]]) == config[key]
    if "palette" in config:
        assert set("".join(grid)) <= set(config["palette"])
    for field in {"owner", "block_owner", "rule_owner"} & set(instance):
        dealt = "".join(map(str, instance[field]))
        # In streetmap all buildings go to view 2.
        slack = len(dealt) if name == "streetmap" else 1
        assert abs(dealt.count("1") - dealt.count("2")) <= slack
    if name == "streetmap":
        cells = zip("".join(grid), "".join(instance["owner"]), strict=True)
        assert all(owner == "2" for symbol, owner in cells if symbol == "#")


@pytest.mark.parametrize("name", ["blueprintmaze", "conflictpath", "numberlink"])
def test_each_view_hides_an_end_that_every_answer_names(name) -> None:
    task = find_task(name)
    assert task.hides_endpoints
    for seed in range(5):
        _, instance = drawn(name, seed)
        first, second = (json.dumps(task.facts(instance, seat)) for seat in (1, 2))
        given = task.to_json(instance)
        if name == "blueprintmaze":
            assert ("@" in first, "*" in first) == (True, False)
            assert ("@" in second, "*" in second) == (False, True)
        elif name == "numberlink":
            owners = [sorted(sides) for sides in given["end_owner"].values()]
            assert owners == [[1, 2]] * len(owners)
        else:
            assert json.dumps(given["B"][0]) not in first
            assert json.dumps(given["A"][0]) not in second
