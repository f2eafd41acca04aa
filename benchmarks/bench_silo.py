"""Speed of the computation environments; one line per figure, with the machine's load.

Run with ``python benchmarks/bench_silo.py``. An episode is reset and all rounds, with the
baseline's own time and the recording. ``cpu`` is what the machine's other work does not change.
"""

import os
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import coordgym
from coordgym.episodes.rollout import rollout
from coordgym.policies.named import make_policy
from coordgym.silo_env.compute import TASKS

PROTOCOLS = ("p2p", "broadcast", "shared_files")
TARGET_SMALL_MS = 10.0  # N = 10, any task and protocol
TARGET_LARGE_MS = 400.0  # N = 100, p2p, global-max: 9,900 messages in a round
TARGET_INSTANCE_MS = 50.0  # N = 100
TARGET_GRADING_MS = 1000.0  # a whole episode at N = 100


class Times(NamedTuple):
    """Milliseconds of each repetition: by the clock, and of this process alone."""

    wall: list[float]
    cpu: list[float]


def measure(run: Callable[[], object], repetitions: int) -> Times:
    """Repeat ``run``, after one run that warms up."""
    run()
    times = Times([], [])
    for _ in range(repetitions):
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        times.wall.append((time.perf_counter() - wall) * 1000)
        times.cpu.append((time.process_time() - cpu) * 1000)
    return times


def report(name: str, times: Times, target: float | None = None) -> None:
    """Print one line."""
    goal = f" target={target:g}" if target is not None else ""
    print(
        f"silo {name} median={statistics.median(times.wall):.2f} best={min(times.wall):.2f}"
        f" cpu={statistics.median(times.cpu):.2f} ms{goal}"
        f" runs={len(times.wall)} load={os.getloadavg()[0]:.2f} cores={os.cpu_count()}"
    )


def bench_episodes(task: str, n_agents: int, repetitions: int, target: float | None) -> None:
    """All-gather over each protocol, full text."""
    for protocol in PROTOCOLS:
        env = coordgym.make(task, n_agents=n_agents, protocol=protocol)
        policy = make_policy("silo:all-gather")
        times = measure(lambda env=env, policy=policy: rollout(env, policy, 1), repetitions)
        report(f"episode {task} {protocol} N={n_agents}", times, target)


def bench_instance(task: str, n_agents: int) -> None:
    """Measure generation with the reference solution."""
    rng = np.random.default_rng(1)
    times = measure(lambda: TASKS[task].generate(rng, n_agents), 5)
    report(f"instance {task} N={n_agents}", times, TARGET_INSTANCE_MS)


def bench_grading(task: str, n_agents: int) -> None:
    """Grading of right answers of all agents."""
    chosen = TASKS[task]
    answer = chosen.generate(np.random.default_rng(1), n_agents).answer
    expected = answer if chosen.segmented else [answer] * n_agents
    times = measure(lambda: [chosen.grade(item, item) for item in expected], 5)
    report(f"grading {task} N={n_agents}", times, TARGET_GRADING_MS)


def main() -> None:
    """Print all figures."""
    for task in TASKS:
        bench_episodes(task, 10, 20, TARGET_SMALL_MS)
        bench_instance(task, 100)
        bench_grading(task, 100)
    bench_episodes("I-01", 100, 5, TARGET_LARGE_MS)


if __name__ == "__main__":
    main()
