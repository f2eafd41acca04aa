"""Measure the graph family: ``python benchmarks/bench_graph.py``.

Prints one line per figure: the median and the slowest of several runs in milliseconds, the
target, and the load of the machine (runnable processes per core over the last minute).
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import coordgym
from coordgym.base import TextParallelEnv
from coordgym.policy import make_policy

ENV_ID = "coordgym/GraphColoring-v0"


class Stopwatch:
    """Collects the durations of what runs inside ``running``, in milliseconds."""

    def __init__(self) -> None:
        self.times: list[float] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        """Time one run."""
        start = time.perf_counter()
        yield
        self.times.append(1_000 * (time.perf_counter() - start))


def make(n_agents: int, **kwargs: object) -> TextParallelEnv:
    """Make the environment that is measured."""
    return coordgym.make(ENV_ID, n_agents=n_agents, **kwargs).unwrapped


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


def flood_episode(n_agents: int, runs: int) -> list[float]:
    """Time whole episodes of flooding, on all three topologies."""
    watch = Stopwatch()
    for topology in ("ws", "ba", "dt"):
        env = make(n_agents, topology=topology)
        play(env, "graph:flood", 0, None)
        for seed in range(runs):
            with watch.running():
                play(env, "graph:flood", seed, None)
    return watch.times


def short_step(n_agents: int) -> list[float]:
    """Time the environment's steps with messages of a few characters."""
    watch = Stopwatch()
    play(make(n_agents), "graph:small", 0, watch)
    return watch.times


def reset(n_agents: int, runs: int) -> list[float]:
    """Time resets with new networks, on all three topologies."""
    watch = Stopwatch()
    for topology in ("ws", "ba", "dt"):
        env = make(n_agents, topology=topology)
        env.reset(seed=0)
        for seed in range(runs):
            with watch.running():
                env.reset(seed=seed)
    return watch.times


FIGURES: tuple[tuple[str, float, Callable[[], list[float]]], ...] = (
    ("flood episode, 16 agents", 15, lambda: flood_episode(16, 10)),
    ("flood episode, 100 agents", 400, lambda: flood_episode(100, 3)),
    ("step with short messages, 1,000 agents", 30, lambda: short_step(1_000)),
    ("reset, 1,000 agents", 400, lambda: reset(1_000, 3)),
)


def main() -> None:
    """Print every figure."""
    for name, target, measure in FIGURES:
        times = measure()
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        print(
            f"{name}: median {statistics.median(times):.1f} ms, slowest {max(times):.1f} ms "
            f"(target ≤ {target:g} ms; load {load:.2f} per core)"
        )


if __name__ == "__main__":
    main()
