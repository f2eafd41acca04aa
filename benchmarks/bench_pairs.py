"""Speed of the split-view pairs: one line per task and figure, with the machine's load.

Run ``python benchmarks/bench_pairs.py [TASK ...]``; times are medians in milliseconds of CPU time,
so that other programs disturb them less.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import coordgym
from coordgym.episodes.rollout import rollout
from coordgym.policies.named import make_policy
from coordgym.silo_env.pairs.instance import generate, grade
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.table import TASK_CLASSES, TASKS
from coordgym.silo_env.pairs.task import find_task

REPEATS = 100
TARGETS = {"generate": 150.0, "grade": 5.0, "episode": 30.0}
"""Most milliseconds that the median of a figure may take."""


def median_ms(run: Callable[[int], object], repeats: int = REPEATS) -> tuple[float, float]:
    """Median and slowest CPU time of ``run(0)``, ``run(1)``, ... in milliseconds."""
    times = []
    for index in range(repeats):
        begin = time.process_time()
        run(index)
        times.append((time.process_time() - begin) * 1e3)
    return statistics.median(times), max(times)


def figures(name: str) -> dict[str, tuple[float, float]]:
    """Measure a task three ways at its default size; grading includes reading the instance."""
    task = find_task(name)
    config = make_config(task, None)
    instance = task.to_json(generate(task, config, np.random.default_rng(0)))
    answers = [task.random_answer(np.random.default_rng(k)) for k in range(REPEATS)]
    answers[0] = task.solve(task.read_instance(instance))
    title = next(entry.title for entry in TASKS if entry.name == name)
    env = coordgym.make(f"coordgym/Pair{title}-v0")
    policy = make_policy("pairs:share-and-solve")
    return {
        "generate": median_ms(lambda k: generate(task, config, np.random.default_rng(k))),
        "grade": median_ms(lambda k: grade(name, instance, answers[k])),
        "episode": median_ms(lambda k: rollout(env, policy, k)),
    }


def main(names: list[str]) -> None:
    """Print the figures of the named tasks, or of all."""
    for name in names or list(TASK_CLASSES):
        for figure, (median, slowest) in figures(name).items():
            line = {
                "task": name,
                "figure": figure,
                "median_ms": round(median, 3),
                "max_ms": round(slowest, 1),
                "target_ms": TARGETS[figure],
                "met": median <= TARGETS[figure],
                "load_1min": round(os.getloadavg()[0], 2),
            }
            print(json.dumps(line))


if __name__ == "__main__":
    main(sys.argv[1:])
