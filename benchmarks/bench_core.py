"""Measure the shared core: ``python benchmarks/bench_core.py``.

Prints one line per figure: the median and the slowest of several runs, the target where there
is one, and the machine's load (runnable processes over the last minute, and its cores).
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.episodes.episode import Episode
from coordgym.episodes.replay import replay
from coordgym.episodes.rollout import rollout
from coordgym.policies.protocol import per_agent

IMPORTS = 7
"""Fresh processes for the import time."""
IMPORT_TARGET_S = 0.5
STEPS = 2_000
RUNS = 7
HEAVY = ("torch", "transformers", "scipy", "networkx", "typer", "rich", "matplotlib")
IMPORT_CODE = f"""
import sys, time
start = time.perf_counter()
import coordgym
seconds = time.perf_counter() - start
print(seconds, *[name for name in {HEAVY!r} if name in sys.modules])
"""


class Idle(TextParallelEnv):
    """Does nothing, so that what remains is the cost of the base class."""

    family = "idle"
    sample_actions = ("-",)

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        return {}

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        return {}

    def _rewards(self) -> Mapping[str, float]:
        return {}

    def _finished(self) -> Collection[str]:
        return ()

    def _observe(self, agent: str) -> Observed:
        return Observed("nothing new", {})

    def _instructions(self, agent: str) -> str:
        return "Do nothing."

    def _metrics(self) -> dict[str, Any]:
        return {"success": False, "score": 0.0, "messages": 0}

    def _default_max_cycles(self) -> int:
        return STEPS


class Mute:
    """A brain that always says the same."""

    def act(self, observation: str, info: Any) -> str:
        """Say it."""
        return "-"


def import_times() -> list[float]:
    """Seconds of ``import coordgym`` in fresh processes; the first one warms the disk's cache.

    Raises:
        SystemExit: If the import loads a heavy package.
    """
    times = []
    for _ in range(IMPORTS + 1):
        process = subprocess.run(
            [sys.executable, "-c", IMPORT_CODE], capture_output=True, text=True, check=True
        )
        seconds, *loaded = process.stdout.split()
        if loaded:
            raise SystemExit(f"import coordgym loads {', '.join(loaded)}")
        times.append(float(seconds))
    return times[1:]


def step_times(n_agents: int) -> list[float]:
    """Microseconds of the base class for one agent's share of a step."""
    env = Idle(n_agents=n_agents)
    actions = dict.fromkeys(env.possible_agents, "-")
    times = []
    for seed in range(RUNS):
        env.reset(seed=seed)
        start = time.perf_counter()
        while env.agents:
            env.step(actions)
        times.append(1e6 * (time.perf_counter() - start) / STEPS / n_agents)
    return times


def record_times(n_agents: int) -> dict[str, list[float]]:
    """Microseconds per turn of rollout (with the environment), writing, reading and replay."""
    env = Idle(n_agents=n_agents)
    policy = per_agent(lambda agent, info, rng: Mute(), "mute")
    episode = rollout(env, policy, 0)
    line = episode.to_line()
    works: dict[str, Callable[[], object]] = {
        "rollout": lambda: rollout(env, policy, 0),
        "write episode": episode.to_line,
        "read episode": lambda: Episode.from_line(line),
        "replay": lambda: replay(episode, env),
    }
    turns = len(episode.turns)
    return {
        name: [1e6 * _seconds(work) / turns for _ in range(RUNS)] for name, work in works.items()
    }


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def report(name: str, times: list[float], unit: str, target: float | None = None) -> None:
    """Print one figure."""
    wanted = "" if target is None else f", target ≤ {target:g} {unit}"
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    median, slowest = statistics.median(times), max(times)
    print(f"{name}: median {median:.3g} {unit}, slowest {slowest:.3g} {unit}{wanted} ({load})")


def main() -> None:
    """Measure everything."""
    report("import coordgym", import_times(), "s", IMPORT_TARGET_S)
    for n_agents in (2, 10, 64):
        report(f"base step, {n_agents} agents", step_times(n_agents), "µs per agent")
    for name, times in record_times(10).items():
        report(f"{name}, 10 agents", times, "µs per turn")


if __name__ == "__main__":
    main()
