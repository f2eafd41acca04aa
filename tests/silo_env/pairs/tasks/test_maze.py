"""The maze task: brute force on tiny mazes, planted degenerate splits, malformed instances."""

import itertools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from coordgym.errors import ConfigError, InstanceError
from coordgym.silo_env import pairs
from coordgym.silo_env.pairs.grids.schemes import SCHEMES, encode
from coordgym.silo_env.pairs.instance import generate
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.task import find_task
from coordgym.silo_env.pairs.tasks.maze import MazeConfig

TINY = {
    "grid": ["@.##", ".#..", ".#.#", "...*"],
    "start": [0, 0],
    "goal": [3, 3],
    "owner": ["b112", "1222", "2211", "112b"],
}


def graph_of(grid) -> nx.Graph:
    graph = nx.grid_2d_graph(len(grid), len(grid[0]))
    graph.remove_nodes_from(
        [(r, c) for r, line in enumerate(grid) for c, s in enumerate(line) if s == "#"]
    )
    return graph


@st.composite
def tiny_mazes(draw):
    size = draw(st.integers(2, 3))
    middle = draw(st.lists(st.sampled_from(".#"), min_size=size**2 - 2, max_size=size**2 - 2))
    symbols = ["@", *middle, "*"]
    grid = ["".join(symbols[i * size : (i + 1) * size]) for i in range(size)]
    graph = graph_of(grid)
    assume(nx.has_path(graph, (0, 0), (size - 1, size - 1)))
    owner = ["b" * size] * size
    return {"grid": grid, "start": [0, 0], "goal": [size - 1] * 2, "owner": owner}


@settings(max_examples=60, deadline=None)
@given(tiny_mazes(), st.data())
def test_one_point_zero_exactly_for_shortest_walks(maze, data) -> None:
    size = len(maze["grid"])
    start, goal = (0, 0), (size - 1, size - 1)
    optima = {
        tuple(encode(cell, scheme, size, size) for cell in path)
        for path in nx.all_shortest_paths(graph_of(maze["grid"]), start, goal)
        for scheme in SCHEMES
    }
    optima |= {path[1:] for path in optima}
    cell = st.tuples(st.integers(0, size), st.integers(0, size))
    some = data.draw(st.sampled_from(sorted(optima)) | st.lists(cell, max_size=7))
    walk = [cell for cell, _ in itertools.groupby(tuple(each) for each in some)]
    score = pairs.grade("maze", maze, {"path": walk}).score
    reaches = any(tuple(walk[:k]) in optima for k in range(1, len(walk) + 1))
    assert (score == 1.0) == reaches


@settings(max_examples=60, deadline=None)
@given(tiny_mazes(), st.lists(st.sampled_from("UDLR"), max_size=8))
def test_moves_and_the_path_that_they_spell_score_alike(maze, moves) -> None:
    step = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
    cells = [(0, 0)]
    for move in moves:
        cells.append((cells[-1][0] + step[move][0], cells[-1][1] + step[move][1]))
    by_moves = pairs.grade("maze", maze, {"moves": moves})
    by_cells = pairs.grade("maze", maze, {"path": cells}, schemes="grid")
    assert by_moves.scheme is None
    assert by_cells.score >= by_moves.score - 1e-12


def test_a_scheme_is_used_for_the_whole_answer() -> None:
    mixed = {"path": [[0, 0], [1, 0], [3, 1], [4, 1], [4, 2], [4, 3], [4, 4]]}
    assert pairs.grade("maze", TINY, mixed).score == pytest.approx(1 / 6)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_is_found(scheme) -> None:
    path = [encode(tuple(cell), scheme, 4, 4) for cell in pairs.solve("maze", TINY)["path"]]
    assert pairs.grade("maze", TINY, {"path": path}).score == 1.0


def test_the_first_of_equally_good_schemes_is_named() -> None:
    """On a field without walls rows and columns can be exchanged."""
    owner = ["b12", "121", "21b"]
    field = {"grid": ["@..", "...", "..*"], "start": [0, 0], "goal": [2, 2], "owner": owner}
    for path, value in (([[0, 0], [0, 1]], 0.25), ([[0, 0], [1, 0], [1, 1], [1, 2], [2, 2]], 1.0)):
        grade = pairs.grade("maze", field, {"path": path})
        assert (grade.score, grade.scheme) == (value, 0)
    grade = pairs.grade("maze", field, {"path": [[1, 1], [1, 2], [1, 3]]})
    assert (grade.score, grade.scheme) == (0.5, 1)


def test_letters_and_words_are_read() -> None:
    lettered = ["A0", "B0", "C0", "D0", "D1", "D2", "D3"]
    assert pairs.grade("maze", TINY, {"path": lettered}).exact
    for field in ("path", "moves"):
        assert pairs.grade("maze", TINY, {field: ["down"] * 3 + ["east"] * 3}).exact
    assert pairs.grade("maze", TINY, {"moves": "D, D, D, R, R, R"}).exact
    assert pairs.grade("maze", TINY, {"moves": "DDDRRR" * 2000}).exact
    assert not pairs.grade("maze", TINY, {"moves": "DDX" * 2000}).exact


@pytest.mark.parametrize("owner", ["1", "2"])
def test_a_view_that_sees_everything_fails_the_union_check(owner) -> None:
    rows = [owner * 4] * 4
    rows[0], rows[3] = f"b{owner * 3}", f"{owner * 3}b"
    assert not pairs.is_union_necessary("maze", {**TINY, "owner": rows})


def test_a_view_that_sees_a_straight_route_fails_the_union_check() -> None:
    """Nothing beats a route of minimal length, so hidden walls elsewhere don't matter."""
    instance = {
        "grid": ["@...", "#.#.", "..#.", "#..*"],
        "start": [0, 0],
        "goal": [3, 3],
        "owner": ["b111", "2221", "2221", "222b"],
    }
    assert not pairs.is_union_necessary("maze", instance)


def test_a_maze_with_too_many_shortest_walks_to_follow_does_not_pass() -> None:
    n = 7  # 924 shortest walks
    grid = ["@" + "." * (n - 1), *["." * n] * (n - 2), "." * (n - 1) + "*"]
    owner = ["".join("12"[(i + j) % 2] for j in range(n)) for i in range(n)]
    owner[0], owner[-1] = "b" + owner[0][1:], owner[-1][:-1] + "b"
    instance = {"grid": grid, "start": [0, 0], "goal": [n - 1, n - 1], "owner": owner}
    assert not pairs.is_union_necessary("maze", instance)


def certain_answers(task, instance, seat):
    """Optimal answers that stay optimal however the hidden cells of a solvable maze are filled."""
    view = "".join(task.facts(instance, seat)["grid"])
    answers = task.optimal_answers(instance, 400)
    for filling in itertools.product(".#", repeat=view.count("?")):
        supply = iter(filling)
        filled = "".join(next(supply) if symbol == "?" else symbol for symbol in view)
        grid = tuple(filled[k : k + 4] for k in range(0, 16, 4))
        if nx.has_path(graph_of(grid), instance.start, instance.goal):
            other = replace(instance, grid=grid)
            answers = [answer for answer in answers if task.grade(other, answer).exact]
    return answers


def test_the_check_agrees_with_all_completions() -> None:
    task = find_task("maze")
    config = make_config(task, {"n": 4, "p_wall": 0.3})
    rng = np.random.default_rng(0)
    verdicts = []
    while len(verdicts) < 25:
        instance = task.draw(config, rng)
        if instance is not None:
            needed = not any(certain_answers(task, instance, seat) for seat in (1, 2))
            assert pairs.is_union_necessary("maze", task.to_json(instance)) == needed
            verdicts.append(needed)
    assert {True, False} == set(verdicts)


def test_generated_mazes_keep_to_their_configuration() -> None:
    task = find_task("maze")
    for seed in range(10):
        instance = generate(task, MazeConfig(n=5, max_optimal=2), np.random.default_rng(seed))
        paths = list(nx.all_shortest_paths(graph_of(instance.grid), (0, 0), (4, 4)))
        assert len(paths) <= 2
        assert len(paths[0]) - 1 >= 8
        owners = "".join(instance.owner)
        assert abs(owners.count("1") - owners.count("2")) <= 1
        assert owners.count("b") == 2


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"n": 2}, "n must be 3..12"),
        ({"p_wall": 1.5}, "p_wall must be"),
        ({"max_optimal": 0}, "max_optimal must be"),
        ({"min_length": True}, "min_length must be"),
    ],
)
def test_bad_configurations(config, message) -> None:
    with pytest.raises(ConfigError, match=message):
        make_config(find_task("maze"), config)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"grid": None}, "grid must be a list"),
        ({"grid": ["@.", "#*", "x."]}, "grid may only use"),
        ({"grid": ["@.##", ".#..", ".#.", "...*"]}, "rows of one length"),
        ({"grid": ["@.##", ".#..", ".#.#", "..#*"]}, "no walk from start to goal"),
        ({"grid": ["@.##", ".#..", ".#.#", "...."]}, "@ and . once each"),
        ({"start": [1, 0]}, "start and goal must be the cells"),
        ({"goal": [9, 9]}, "goal must lie inside"),
        ({"goal": "3,3"}, "goal must be a list, got '3,3'"),
        ({"owner": ["b112", "1222"]}, "owner must have 4 rows"),
        ({"owner": ["1112", "1222", "2211", "112b"]}, "owner must be 'b'"),
    ],
)
def test_malformed_instances_are_refused(change, message) -> None:
    with pytest.raises(InstanceError, match=message):
        pairs.solve("maze", {**TINY, **change})
