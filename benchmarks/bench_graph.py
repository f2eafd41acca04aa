"""Measure the graph family: ``python benchmarks/bench_graph.py``.

Prints one line per figure, in milliseconds: the median and the slowest of several runs by
wall clock, the median of the processor's time (what is measured runs on one core, so on an
idle machine both agree), the target, and the machine's load (runnable processes per core over
the last minute).
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import coordgym
from coordgym.contract.base import TextParallelEnv
from coordgym.policies.named import make_policy

ENV_ID = "coordgym/GraphColoring-v0"


class Stopwatch:
    """Collects the durations of what runs inside ``running``, in milliseconds.

    Attributes:
        wall: By the wall clock.
        cpu: Time of the processor.
    """

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        """Time one run."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall.append(1_000 * (time.perf_counter() - wall))
        self.cpu.append(1_000 * (time.process_time() - cpu))


def make(n_agents: int, **kwargs: object) -> TextParallelEnv:
    """Make the environment that is measured."""
    env: TextParallelEnv = coordgym.make(ENV_ID, n_agents=n_agents, **kwargs).unwrapped
    return env


def play(env: TextParallelEnv, policy_name: str, seed: int, watch: Stopwatch | None) -> None:
    """Play one episode; with a stopwatch, time each step."""
    policy = make_policy(policy_name)
    observations, infos = env.reset(seed=seed)
    policy.reset(list(env.agents), infos, seed)
    while env.agents:
        active = [agent for agent in env.agents if infos[agent]["active"]]
        answers = policy.act(
            {agent: observations[agent] for agent in active},
            {agent: infos[agent] for agent in active},
        )
        actions = {agent: str(answer) for agent, answer in answers.items()}
        if watch is None:
            observations, _, _, _, infos = env.step(actions)
            continue
        with watch.running():
            observations, _, _, _, infos = env.step(actions)


def flood_episode(n_agents: int, runs: int) -> Stopwatch:
    """Time whole episodes of flooding, on all three topologies."""
    watch = Stopwatch()
    for topology in ("ws", "ba", "dt"):
        env = make(n_agents, topology=topology)
        play(env, "graph:flood", 0, None)
        for seed in range(runs):
            with watch.running():
                play(env, "graph:flood", seed, None)
    return watch


def short_step(n_agents: int) -> Stopwatch:
    """Time the environment's steps with messages of a few characters."""
    watch = Stopwatch()
    play(make(n_agents), "graph:small", 0, watch)
    return watch


def reset(n_agents: int, runs: int) -> Stopwatch:
    """Time resets with new networks, on all three topologies."""
    watch = Stopwatch()
    for topology in ("ws", "ba", "dt"):
        env = make(n_agents, topology=topology)
        env.reset(seed=0)
        for seed in range(runs):
            with watch.running():
                env.reset(seed=seed)
    return watch


FIGURES: tuple[tuple[str, float, Callable[[], Stopwatch]], ...] = (
    ("flood episode, 16 agents", 15, lambda: flood_episode(16, 10)),
    ("flood episode, 100 agents", 400, lambda: flood_episode(100, 3)),
    ("step with short messages, 1,000 agents", 30, lambda: short_step(1_000)),
    ("reset, 1,000 agents", 400, lambda: reset(1_000, 3)),
)


def main() -> None:
    """Print every figure."""
    for name, target, measure in FIGURES:
        watch = measure()
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        print(
            f"{name}: median {statistics.median(watch.wall):.1f} ms, slowest "
            f"{max(watch.wall):.1f} ms, processor {statistics.median(watch.cpu):.1f} ms "
            f"(target ≤ {target:g} ms; load {load:.2f} per core)"
        )


if __name__ == "__main__":
    main()
