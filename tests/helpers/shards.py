"""Instances of computation tasks, and shards that are joined and cut elsewhere."""

import itertools

import numpy as np

from coordgym.silo_env.compute import TASKS

SEQUENCES = [
    task
    for task, chosen in TASKS.items()
    if all(
        isinstance(shard, str | list)
        for shard in chosen.generate(np.random.default_rng(0), 3).shards
    )
]
"""Tasks whose shards are lists or texts, which can be cut elsewhere."""


def draw(task, n_agents, seed=1, **params):
    return TASKS[task].generate(np.random.default_rng(seed), n_agents, **params)


def join(pieces):
    """The pieces end to end: texts or lists."""
    if isinstance(pieces[0], str):
        return "".join(pieces)
    return list(itertools.chain.from_iterable(pieces))


def cut_at(whole, borders):
    ends = [0, *sorted(borders), len(whole)]
    return [whole[a:b] for a, b in itertools.pairwise(ends)]


def items(instance):
    return list(itertools.chain.from_iterable(instance.shards))


def solve(task, *shards, **extra):
    """Solve shards given by hand, checked first."""
    chosen = TASKS[task]
    chosen.check(shards, extra)
    return chosen.solve(shards, extra)
