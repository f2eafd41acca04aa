"""What agents boil their shards down to gives the answer of the whole."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shards import SEQUENCES, cut_at, draw, join

from coordgym.baselines.silo.partial_results import REDUCTIONS
from coordgym.silo_env.compute import TASKS

FEW = settings(max_examples=30)  # for each of many tasks
SEEDS = st.integers(0, 10_000)


@pytest.mark.parametrize("task", REDUCTIONS)
@FEW
@given(data=st.data())
def test_partial_results_give_the_answer_of_the_whole(task, data):
    chosen, reduction = TASKS[task], REDUCTIONS[task]
    instance = draw(task, data.draw(st.integers(2, 6)), data.draw(SEEDS))
    shards, extra = instance.shards, instance.extra
    if task in SEQUENCES:  # uneven and empty shards too
        whole = join(shards)
        shards = cut_at(whole, data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    solved = chosen.solve(shards, extra)
    summaries = [reduction.summarise(shard, extra) for shard in shards]
    results = json.loads(json.dumps(reduction.finish(json.loads(json.dumps(summaries)), extra)))
    for agent, shard in enumerate(shards):
        told, expected = results, solved
        if chosen.is_segmented(instance.extra):
            told, expected = results[agent], solved[agent]
        assert chosen.grade(reduction.conclude(told, shard, extra), expected).correct
