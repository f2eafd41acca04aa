"""Graders survive anything, stay in bounds, and never give credit by accident."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordgym.silo_env.compute.answers.grading import (
    Partial,
    agrees_as_published,
    equal,
    grade_answer,
)
from coordgym.silo_env.compute.metrics import canonical

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=20)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=5)
    ),
    max_leaves=20,
)
EXPECTED = (
    st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(min_size=1, max_size=8).map(str.strip).filter(bool)
    | st.lists(st.integers(-5, 5), max_size=8)
    | st.lists(st.lists(st.floats(-9, 9), min_size=2, max_size=2), max_size=3)
    | st.dictionaries(st.text("0123456789", min_size=1, max_size=3), st.integers(0, 9), max_size=5)
)
TOLERANCES = st.sampled_from([0.0, 1e-6, 1e-4, 0.01])


@given(VALUES | st.text(max_size=60), EXPECTED, TOLERANCES, st.sampled_from(Partial))
def test_grades_are_bounded_and_partial_is_at_least_success(answer, expected, tolerance, rule):
    grade = grade_answer(answer, expected, tolerance, rule)
    assert isinstance(grade.correct, bool)
    assert 0.0 <= grade.partial <= 1.0
    assert grade.partial >= grade.correct
    assert isinstance(agrees_as_published(answer, expected), bool)
    assert isinstance(canonical(answer), str)


@given(EXPECTED, TOLERANCES, st.sampled_from(Partial))
def test_the_expected_answer_is_right(expected, tolerance, rule):
    assert grade_answer(expected, expected, tolerance, rule) == (True, 1.0)


NO_NUMBERS = [
    *(None, "null", "NaN", "Infinity", float("nan"), float("inf"), "", "[1", "{", "1e999"),
    *(10**400, object(), {1, 2}, b"17", "['a'" * 500, "[" * 50_000, True, [17], {"answer": 17}),
]


@pytest.mark.parametrize("answer", NO_NUMBERS, ids=range(len(NO_NUMBERS)))
def test_what_is_no_number_is_wrong(answer):
    assert grade_answer(answer, 17, 0.0, Partial.RELATIVE) == (False, 0.0)
    assert grade_answer(answer, 17.0, 0.01, Partial.RELATIVE) == (False, 0.0)


def test_booleans_equal_only_booleans():
    assert equal(True, True, 0.0)
    assert not equal(1, True, 0.0)
    assert not equal(True, 1, 0.0)
    assert grade_answer([True], [1], 0.0, Partial.SUBSEQUENCE).partial == 0.0


def test_tolerance_is_for_floats_only():
    assert grade_answer(5.06, 5.05, 0.01, Partial.NONE).correct
    assert grade_answer(5.04, 5.05, 0.01, Partial.NONE).correct
    assert not grade_answer(5.0701, 5.05, 0.01, Partial.NONE).correct
    assert not grade_answer(5.005, 5, 0.01, Partial.NONE).correct


def test_hash_collisions_are_no_matches():
    assert hash(-1) == hash(-2)
    assert grade_answer([-1, -1], [-2, -2], 0.0, Partial.SUBSEQUENCE).partial == 0.0


def test_a_list_that_contains_itself_is_survived():
    endless = []
    endless.append(endless)
    assert not grade_answer(endless, [[1]], 0.0, Partial.SUBSEQUENCE).correct
    assert isinstance(canonical(endless), str)


def test_ambiguous_keys_are_wrong():
    assert not grade_answer({1: 0, "1": 0}, {"1": 0}, 0.0, Partial.KEYS).correct
    assert grade_answer({1: 0}, {"1": 0}, 0.0, Partial.KEYS).correct


def test_published_success_is_exact_and_reads_json_only():
    assert agrees_as_published("17", 17)
    assert not agrees_as_published("(1, 2)", [1, 2])
    assert not agrees_as_published(5.051, 5.05)
