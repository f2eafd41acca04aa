"""Episodes and runs of the relay, and what is seen of a run from outside its process."""

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil
from toy_relay import Sayer

from coordgym.episodes.episode import Episode
from coordgym.episodes.rollout import rollout
from coordgym.making import make_env
from coordgym.runs.results import load_results

RELAY = "import:toy_relay:Relay"
HELPERS = Path(__file__).parent


class Spy(Sayer):
    """Notes who was asked."""

    def __init__(self, answer: Any = None) -> None:
        super().__init__()
        self.asked: list[list[str]] = []
        self.answer = answer

    def act(self, observations: Mapping[str, str], infos: Mapping[str, Any]) -> Any:
        self.asked.append(list(observations))
        assert list(infos) == list(observations)
        return self.answer if self.answer is not None else super().act(observations, infos)


def played(policy: Any = None, seed: int = 3, **kwargs: Any) -> Episode:
    return rollout(make_env(RELAY, kwargs), policy or Sayer(), seed)


def a_plan(seeds: Any = 4, envs: Any = (RELAY,), **trouble: Any) -> dict[str, Any]:
    policy = {"name": "sayer", "policy": "import:toy_relay:Troublemaker", "kwargs": trouble}
    return {"name": "toy", "seeds": seeds, "envs": list(envs), "policies": [policy, "random"]}


def recorded(folder: Path) -> list[str]:
    return sorted(repr(episode.without_timing()) for episode in load_results(folder).episodes())


def without_traceback(records: list[str]) -> list[str]:
    return [record.partition("traceback=")[0] for record in records]


def wait_for_lines(path: Path, count: int, process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 120
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "the run does not get on"
        time.sleep(0.01)


def workers_of(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    children = psutil.Process(process.pid).children()
    return [child for child in children if "spawn_main" in str(child.cmdline())]


def wait_until_gone(workers: list[psutil.Process]) -> None:
    """Orphaned workers leave by themselves."""
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert not alive
