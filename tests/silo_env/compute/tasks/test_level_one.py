"""The aggregation tasks: what their generators promise."""

from collections import Counter

import pytest
from shards import draw, items

from coordgym.errors import ConfigError, InstanceError
from coordgym.silo_env.compute import TASKS
from coordgym.silo_env.compute.tasks import find_task

SIZES = (2, 5, 10, 20, 50, 100)


@pytest.mark.parametrize(
    ("task", "count", "low", "high"),
    [("I-01", 20, -1000, 1000), ("I-05", 30, 0, 1000), ("I-06", 20, 0, 255), ("I-09", 30, 1, 1000)],
)
def test_integers_fill_their_range(task, count, low, high):
    instance = draw(task, 100)
    assert {len(shard) for shard in instance.shards} == {count}
    assert low <= min(items(instance)) < low + 20
    assert high - 20 < max(items(instance)) <= high


@pytest.mark.parametrize(("task", "count"), [("I-07", 25), ("I-10", 30)])
def test_decimals_are_short_unless_asked_otherwise(task, count):
    instance = draw(task, 10)
    assert {len(shard) for shard in instance.shards} == {count}
    assert all(0 <= x < 100 and round(x, 2) == x for x in items(instance))
    longer = draw(task, 10, decimals=12)
    assert any(round(x, 8) != x for x in items(longer))


def test_every_tenth_word_is_the_target():
    instance = draw("I-02", 5)
    words, target = items(instance), instance.extra["target_word"]
    assert len(words) == 150
    assert len(set(words)) == 7
    assert set(words[::10]) == {target}
    assert instance.answer == words.count(target) < 150


@pytest.mark.parametrize("n_agents", SIZES)
def test_elections_are_close_and_mislead_somebody(n_agents):
    for seed in range(20):
        instance = draw("I-03", n_agents, seed)
        counts = Counter(items(instance)).most_common()
        assert sum(count for _, count in counts) == 25 * n_agents
        assert counts[0][0] == instance.answer
        assert 1 <= counts[0][1] - counts[1][1] <= max(2, n_agents)
        assert any(
            Counter(shard).most_common(1)[0][1] > shard.count(instance.answer)
            for shard in instance.shards
        )


def test_small_elections_are_found_too():
    for seed in range(50):
        draw("I-03", 2, seed, items=5)


def test_about_half_of_the_logs_hold_one_error():
    found = 0
    for seed in range(200):
        instance = draw("I-04", 4, seed)
        errors = sum("ERROR" in line for line in items(instance))
        assert errors == int(instance.answer)
        found += errors
    assert 75 <= found <= 125


def test_one_error_line_is_sufficient_knowledge():
    task = find_task("any-match")
    shards = [["fine"], ["an ERROR"], ["fine"]]
    alternatives = task.sufficient(0, shards, {"substring": "ERROR"})
    assert set(alternatives) == {frozenset({0, 1, 2}), frozenset({1})}


def test_union_integers_are_below_15_per_agent():
    instance = draw("I-08", 20)
    assert len(items(instance)) == 600
    assert 0 <= min(items(instance)) <= max(items(instance)) < 300


def test_more_largest_than_integers_are_refused():
    with pytest.raises(ConfigError, match="k must be"):
        draw("I-09", 2, items=3, k=7)
    with pytest.raises(InstanceError, match="k"):
        TASKS["I-09"].check([[1], [2]], {"k": 3})
