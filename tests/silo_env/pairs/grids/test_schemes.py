"""The sixteen coordinate schemes and the path score."""

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from coordgym.silo_env.pairs.grids.paths import Walk, distances_to, walk
from coordgym.silo_env.pairs.grids.schemes import (
    SCHEMES,
    Written,
    decode,
    encode,
    read_cell,
    replay,
)

REFERENCE = cases("pair_schemes")
CORNERS = {"TL": "top_left", "TR": "top_right", "BL": "bottom_left", "BR": "bottom_right"}


def test_schemes_are_the_sixteen_of_the_reference_in_order() -> None:
    expected = [(s["index"], s["origin"], CORNERS[s["corner"]], s["axes"]) for s in REFERENCE]
    assert [tuple(scheme) for scheme in SCHEMES] == expected


def test_reference_encodings() -> None:
    for scheme, case in zip(SCHEMES, REFERENCE, strict=True):
        written = encode(tuple(case["cell"]), scheme, case["height"], case["width"])
        assert list(written) == case["written"]


@given(
    st.sampled_from(SCHEMES),
    st.integers(1, 20),
    st.integers(1, 20),
    st.data(),
)
def test_decode_inverts_encode(scheme, height, width, data) -> None:
    cell = (data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1)))
    first, second = encode(cell, scheme, height, width)
    assert decode((Written(first), Written(second)), scheme, height, width) == cell


def test_letters_count_from_a_whatever_the_origin() -> None:
    one_based = SCHEMES[1]
    written = read_cell(["B", 3])
    assert written is not None
    assert decode(written, one_based, 5, 5) == (1, 2)


@pytest.mark.parametrize(
    ("entry", "numbers"),
    [
        ([1, 2], (1, 2)),
        (["1", 2.0], (1, 2)),
        ("(1, 2)", (1, 2)),
        ("B3", (1, 3)),
        ("b,c", (1, 2)),
    ],
)
def test_notations_of_a_cell(entry, numbers) -> None:
    written = read_cell(entry)
    assert written is not None
    assert (written[0].number, written[1].number) == numbers


@pytest.mark.parametrize(
    "entry", [None, True, [True, 1], [1], [1, 2, 3], [1.5, 2], ["AB", 1], "", "1" * 9000, {"a": 1}]
)
def test_what_is_no_cell(entry) -> None:
    assert read_cell(entry) is None


def test_directions_follow_the_drawing() -> None:
    assert replay(["R", "down", "West", "n"], (0, 0)) == [(0, 1), (1, 1), (1, 0), (0, 0)]
    assert replay(["R", "jump", "R"], (0, 0)) == [(0, 1), None]


# A corridor of seven cells: six moves from end to end.
CORRIDOR = {
    (0, c): tuple((0, n) for n in (c - 1, c + 1) if 0 <= n <= 6) for c in range(7)
}  # fmt: skip
START, GOAL = (0, 0), (0, 6)


def along(*columns: int) -> Walk:
    cells = [(0, column) for column in columns]
    return walk(cells, START, GOAL, CORRIDOR, distances_to(GOAL, CORRIDOR))


@pytest.mark.parametrize(
    ("columns", "score"),
    [
        ((0, 1, 2, 3, 4, 5), 5 / 6),
        ((1, 2, 3, 4, 5, 6), 1.0),
        ((0, 1, 0, 1, 2, 3, 4, 5, 6), 6 / 8),
        ((0, 1, 2, 3, 4, 9), 4 / 6),
        ((0, 1, 2, 1, 0), 4 * 6 / 100),
        ((0, 0, 1, 1, 2), 2 / 6),
        ((0, 1, 2, 3, 4, 5, 6, 5, 4), 1.0),
        ((2, 3), 0.0),
        ((), 0.0),
    ],
)
def test_path_scores_of_a_six_move_problem(columns, score) -> None:
    assert along(*columns).score == pytest.approx(score)


def test_the_other_two_readings_of_a_walk() -> None:
    wandering = along(0, 1, 2, 1, 0, 1, 0, 1)
    assert wandering.literal == 1.0
    assert wandering.weighted == pytest.approx(1 / 6)
    # Farther from the goal than at the start.
    assert Walk(valid=2, remaining=8, optimal=6).weighted == 0.0


@given(st.lists(st.integers(-1, 8), max_size=30))
def test_only_a_straight_walk_to_the_end_scores_one(columns) -> None:
    result = along(*columns)
    assert 0.0 <= result.score <= 1.0
    assert 0.0 <= result.weighted <= 1.0
    if result.score == 1.0:
        assert (result.valid, result.remaining) == (6, 0)
