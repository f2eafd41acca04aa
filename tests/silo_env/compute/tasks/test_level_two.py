"""The mesh tasks: what their generators promise, solutions by hand, knowledge, refused input."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from shards import draw, items, solve

from coordgym.errors import ConfigError, InstanceError
from coordgym.silo_env.compute import TASKS, parallel_env, table

MESH = [entry.paper_id for entry in table.TASKS if entry.level is table.MESH]
SEGMENTED = ["II-11", "II-14", "II-20"]
CASES = cases("silo_cases")


# --- generators --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "count"),
    [
        *(("II-11", 15), ("II-12", 15), ("II-13", 15), ("II-14", 10), ("II-15", 20)),
        *(("II-16", 10), ("II-17", 15), ("II-18", 8), ("II-19", 15), ("II-20", 5)),
    ],
)
def test_each_agent_gets_as_many_items_as_documented(task, count):
    assert {len(shard) for shard in draw(task, 20).shards} == {count}


@pytest.mark.parametrize(("task", "high"), [("II-11", 50), ("II-12", 100), ("II-17", 100)])
def test_integers_fill_their_range(task, high):
    values = items(draw(task, 100))
    assert (min(values), max(values)) == (1, high)


def test_moving_averages_leave_out_the_two_ends():
    instance = draw("II-12", 10)
    assert len(instance.answer) == 148
    assert all(round(mean, 2) == mean for mean in instance.answer)
    assert len(draw("II-12", 10, window=5).answer) == 146


def test_palindromes_are_planted_anywhere_and_across_borders():
    lengths, across = Counter(), 0
    for seed in range(300):
        instance = draw("II-13", 4, seed)
        assert re.fullmatch("[a-z]{60}", "".join(instance.shards))
        assert instance.answer >= 5
        lengths[instance.answer] += 1
        across += max(map(longest_palindrome, instance.shards)) < instance.answer
    assert set(range(5, 14)) <= set(lengths)
    assert across > 60


def test_half_of_all_cells_live():
    instance = draw("II-14", 100)
    assert 400 < sum(items(instance)) < 600
    assert instance.extra == {"steps": 5, "boundary": 0}


def test_the_pattern_is_planted_twice():
    for seed in range(100):
        text = "".join(draw("II-15", 2, seed).shards)
        assert re.fullmatch("[ABCDXYZ]{40}", text)
        planted = [
            at for at in range(30) if re.match("A(?=.{0,4}B)(?=.{5,9}C)", text[at:]) is not None
        ]
        assert len(planted) >= 2


def test_every_fifth_column_is_low():
    heights = items(draw("II-16", 100))
    assert set(heights) == set(range(11))
    assert set(heights[::5]) == {0, 1, 2, 3}


def test_nodes_are_dealt_at_random():
    instance = draw("II-18", 50)
    nodes = items(instance)
    (first,) = (int(node) for node, rank in instance.answer.items() if rank == 0)
    assert sorted(node["id"] for node in nodes) == list(range(400))
    assert {node["next"] for node in nodes} == {-1, *range(400)} - {first}
    own = sum(
        node["next"] in {other["id"] for other in shard}
        for shard in instance.shards
        for node in shard
    )
    assert own < 40


def test_merged_integers_are_sorted_and_repeat():
    values = items(draw("II-19", 20))
    assert values == sorted(values)
    assert 1 <= values[0] <= values[-1] <= 120
    assert len(set(values)) < 300


def test_blocks_are_numbered_and_random():
    blocks = items(draw("II-20", 10))
    for number, block in enumerate(blocks):
        assert re.fullmatch(f"Block_{number}_[a-z]{{8}}", block)
    assert len({block[-8:] for block in blocks}) == 50
    assert blocks != items(draw("II-20", 10, seed=2))


# --- solutions against other ways to find them --------------------------------------------------

SMALL = st.lists(st.integers(0, 9), max_size=30)


def longest_palindrome(text):
    runs = (text[a:b] for a, b in itertools.combinations(range(len(text) + 1), 2))
    return max((len(run) for run in runs if run == run[::-1]), default=0)


@given(st.text("ab\0é", max_size=25))
def test_palindromes_by_trying_all_runs(text):
    assert solve("II-13", text) == longest_palindrome(text)


@given(SMALL)
def test_rain_level_by_level(heights):
    water = 0
    for level in range(1, 10):
        walls = [i for i, height in enumerate(heights) if height >= level]
        if walls:
            water += sum(height < level for height in heights[walls[0] : walls[-1]])
    assert solve("II-16", heights) == water


@given(st.text("ABCX", max_size=40))
def test_patterns_by_regular_expression(text):
    assert solve("II-15", text, pattern="ABC") == len(re.findall("A.*?B.*?C", text))


@given(st.lists(st.integers(0, 1), min_size=1, max_size=30), st.integers(0, 12))
def test_life_as_numbers(cells, steps):
    size, row = len(cells), int("".join(map(str, cells)), 2)
    for _ in range(steps):
        left, right = row >> 1, row << 1
        some, two = left ^ row ^ right, left & row & right
        row = some & ~two & (2**size - 1)
    expected = [int(digit) for digit in format(row, f"0{size}b")]
    assert solve("II-14", cells, steps=steps, boundary=0) == [expected]


@given(SMALL, st.sampled_from([1, 3, 5, 7]))
def test_means_and_differences_by_numpy(values, window):
    means = solve("II-12", values, window=window, decimals=2)
    expected = (
        np.convolve(values, np.ones(window) / window, "valid") if len(values) >= window else []
    )
    assert np.allclose(means, expected, atol=0.0051)
    assert solve("II-17", values) == np.diff(np.array(values, dtype=int)).tolist()
    assert solve("II-11", values) == [np.cumsum(np.array(values, dtype=int)).tolist()]


@given(st.permutations(range(12)), st.integers(1, 11))
def test_ranks_are_places_in_the_list(order, border):
    nodes = [{"id": a, "next": b} for a, b in itertools.pairwise([*order, -1])]
    nodes = sorted(nodes, key=lambda node: node["id"])
    ranks = solve("II-18", nodes[:border], nodes[border:])
    assert ranks == {str(node): rank for rank, node in enumerate(order)}


# --- knowledge and messages --------------------------------------------------------------------


@pytest.mark.parametrize("task", MESH)
def test_minimum_messages(task):
    assert TASKS[task].minimum_messages(10) == (9 if task in ("II-11", "II-20") else 18)


@pytest.mark.parametrize("task", MESH)
def test_sufficient_knowledge(task):
    instance = draw(task, 6)
    everything = frozenset(range(6))
    for agent in range(6):
        expected = everything
        if task in ("II-11", "II-20"):
            expected = frozenset(range(agent + 1))
        if task == "II-14":
            expected = everything & {agent - 1, agent, agent + 1}
        assert TASKS[task].sufficient(agent, instance.shards, instance.extra) == (expected,)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [(0, {3}), (1, {2, 3, 5}), (2, {2, 3, 5}), (3, {2, 3, 5, 6}), (4, {1, 2, 3, 5, 6})],
)
def test_cells_are_felt_across_short_and_empty_pieces(steps, expected):
    shards = [[1], [1], [0, 1, 0], [1], [], [0, 1], [1]]
    extra = {"steps": steps, "boundary": 0}
    assert TASKS["II-14"].sufficient(3, shards, extra) == (frozenset(expected),)
    assert TASKS["II-14"].sufficient(4, shards, extra) == (frozenset({4}),)


def test_knowing_too_little_is_premature_also_with_a_right_answer():
    env = parallel_env(task="II-11", n_agents=3)
    env.reset(seed=1)
    pieces = env.instance["answer"]
    env.step({f"agent_{i}": f"submit_result({piece})" for i, piece in enumerate(pieces)})
    metrics = env.metrics()
    assert metrics["success"] is True
    assert metrics["premature"] is True
    assert metrics["consensus_failure"] is False


# --- refused input ------------------------------------------------------------------------------

WINDOW = {"window": 3, "decimals": 2}
STEPS = {"steps": 5, "boundary": 0}
HASH = {"modulus": 10_000, "genesis": 0}


@pytest.mark.parametrize(
    ("task", "shards", "extra", "reason"),
    [
        ("II-11", [[1], [2.5]], {}, r"shards\[1\].*integers"),
        ("II-11", [[1], [True]], {}, r"shards\[1\].*integers"),
        ("II-12", [[1], ["2"]], WINDOW, r"shards\[1\].*integers"),
        ("II-12", [[1], [2]], {"window": 2, "decimals": 2}, "odd"),
        ("II-12", [[1], [2]], {"window": 3}, "decimals"),
        ("II-13", ["ab", ["c"]], {}, r"shards\[1\].*a text"),
        ("II-14", [[0, 1], [2]], STEPS, r"shards\[1\].*0 and 1"),
        ("II-14", [[0, 1], [1]], {"steps": -1, "boundary": 0}, "steps"),
        ("II-14", [[0, 1], [1]], {"steps": 5, "boundary": 1}, "boundary"),
        ("II-14", [[0, 1], [1]], {}, "steps"),
        ("II-15", ["A", 5], {"pattern": "ABC"}, r"shards\[1\].*a text"),
        ("II-15", ["A", "B"], {"pattern": ""}, "pattern"),
        ("II-16", [[1], [-1]], {}, r"shards\[1\].*0 or more"),
        ("II-17", [[1], None], {}, r"shards\[1\].*integers"),
        ("II-18", [[], []], {}, "empty"),
        ("II-18", [[{"id": 0, "next": -1}], [{"id": 1}]], {}, r"shards\[1\].*nodes"),
        ("II-18", [[{"id": 0, "next": 1}], [{"id": 1, "next": 0}]], {}, "one list"),
        ("II-18", [[{"id": 0, "next": 7}], []], {}, "one list"),
        ("II-18", [[{"id": 0, "next": -1}], [{"id": 1, "next": -1}]], {}, "one list"),
        ("II-18", [[{"id": 0, "next": -1}], [{"id": 1, "next": 1}]], {}, "one list"),
        (
            "II-18",
            [[{"id": 0, "next": 1}, {"id": 1, "next": -1}], [{"id": 1, "next": 0}]],
            {},
            "two",
        ),
        ("II-18", [[{"id": -1, "next": 0}], [{"id": 0, "next": -1}]], {}, "nodes"),
        ("II-19", [[1], [[2]]], {}, r"shards\[1\].*integers"),
        ("II-20", [["a"], [5]], HASH, r"shards\[1\].*texts"),
        ("II-20", [["a"], ["b"]], {"modulus": 0, "genesis": 0}, "modulus"),
        ("II-20", [["a"], ["b"]], {"modulus": 10, "genesis": None}, "genesis"),
    ],
)
def test_input_without_an_answer_is_refused(task, shards, extra, reason):
    env = parallel_env(task=task, n_agents=2)
    with pytest.raises(InstanceError, match=reason):
        env.reset(seed=1, options={"instance": {"shards": shards, "extra": extra}})


@pytest.mark.parametrize(
    ("task", "params", "reason"),
    [
        ("II-12", {"window": 4}, "odd"),
        ("II-13", {"items": 6}, "items"),
        ("II-14", {"steps": -1}, "steps"),
        ("II-15", {"items": 9}, "items"),
        ("II-11", {"low": 5, "high": 4}, "low"),
    ],
)
def test_parameters_that_make_no_instance_are_refused(task, params, reason):
    with pytest.raises(ConfigError, match=reason):
        draw(task, 2, **params)


@pytest.mark.parametrize(("task", "least"), [("II-13", 7), ("II-14", 1), ("II-15", 10)])
def test_the_smallest_instances_are_found(task, least):
    for seed in range(50):
        draw(task, 2, seed, items=least)


@pytest.mark.parametrize("task", MESH)
def test_overlap_is_refused_where_it_changes_the_answer(task):
    allowed = {"II-18": 3, "II-19": 1}.get(task, 0)
    with pytest.raises(ConfigError, match="overlap must be"):
        parallel_env(task=task, n_agents=4, overlap=4 if task != "II-18" else -1)
    if allowed:
        plain, shared = (parallel_env(task=task, n_agents=4, overlap=o) for o in (0, allowed))
        plain.reset(seed=3)
        shared.reset(seed=3)
        assert shared.instance["answer"] == plain.instance["answer"]
        assert len(shared.instance["shards"][1]) == len(plain.instance["shards"][1]) + allowed
    else:
        with pytest.raises(ConfigError, match=task):
            parallel_env(task=task, n_agents=4, overlap=1)


# --- the oracle and the published files ----------------------------------------------------------


@pytest.mark.parametrize("task", SEGMENTED)
@pytest.mark.parametrize("text", ["full", "compact"])
def test_the_oracle_answers_with_all_pieces_joined(task, text):
    told = parallel_env(task=task, n_agents=5, text=text).reset(seed=4)[0]["agent_0"]
    assert "all pieces joined" not in told
    env = parallel_env(task=task, n_agents=5, oracle=True, text=text)
    observations, infos = env.reset(seed=4)
    assert "all pieces joined" in observations["agent_0"]
    assert len(infos["agent_0"]["view"]["shard"]) == 5
    joined = list(itertools.chain.from_iterable(env.instance["answer"]))
    _, rewards, _, _, _ = env.step({"agent_0": f"submit_result({joined})"})
    assert rewards == {"agent_0": 1.0}
