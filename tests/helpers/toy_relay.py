"""A small environment and misbehaving policies for the tests of the runners.

Agents take turns: each is told a secret digit and says ``say D`` with the digit that it was
told. The next one is told the digit that was said plus one. All right = success.
"""

import ast
import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.errors import require_int
from coordgym.policies.protocol import Completion


class Relay(TextParallelEnv):
    """The relay; ``turns`` digits are said in all."""

    family = "toy"
    sample_actions = tuple(f"say {digit}" for digit in range(10))
    metadata = {
        "name": "toy_relay_v0",
        "render_modes": ["ansi", "human"],
        "render_fps": 1,
        "is_parallelizable": True,
    }

    def __init__(self, *, n_agents: int = 2, turns: int = 4, flaw: str = "", **base: Any) -> None:
        super().__init__(n_agents=n_agents, **base)
        self.turns = require_int("turns", turns, 1, 100)
        self.flaw = flaw

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        digit = int(self.instance_rng().integers(10)) if given is None else given["digit"]
        if self.flaw == "unseeded":
            digit = time.time_ns() % 1_000_003
        self._digit, self._right, self._said = digit, 0, 0
        return {"digit": digit}

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        (agent, text), *_ = actions.items()
        if self.flaw == "raises" and self._said == 2:
            raise RuntimeError("the relay broke")
        self._said += 1
        right = text is not None and text.split("\n")[-1] == f"say {self._digit}"
        self._right += right
        self._digit = (self._digit + 1) % 10
        return {agent: None if right else "that was not the digit"}

    def _active(self) -> Collection[str]:
        return [self.possible_agents[self._said % self.n_agents]]

    def _rewards(self) -> Mapping[str, float]:
        return dict.fromkeys(self.agents, self._right / 10)

    def _finished(self) -> Collection[str]:
        return self.agents if self._said >= self.turns else []

    def _observe(self, agent: str) -> Observed:
        if self._said >= self.turns or agent not in self._active():
            return Observed("", {})
        return Observed(f"The digit is {self._digit}.", {"digit": self._digit})

    def _instructions(self, agent: str) -> str:
        return "Say the digit that you are told, as: say D"

    def _static_view(self, agent: str) -> dict[str, Any]:
        return {"turns": self.turns}

    def _metrics(self) -> dict[str, Any]:
        return {
            "success": self._right == self.turns,
            "score": self._right / self.turns,
            "messages": self._said,
            "C": float("nan"),
        }

    def usage_metrics(self, completion_tokens: int) -> dict[str, Any]:
        return {"C": completion_tokens / self.limit}

    def _default_max_cycles(self) -> int:
        return 20


class Sayer:
    """Says the digit it is told; with ``tokens``, as a language model would."""

    def __init__(self, *, tokens: int | None = None, log: str | None = None) -> None:
        self.name = "sayer"
        self.tokens = tokens
        self.log = log
        self.seed = 0
        if log is not None:
            with Path(log).open("a") as file:
                file.write(f"built in {os.getpid()}\n")

    def reset(self, agents: Sequence[str], infos: Mapping[str, Any], seed: int) -> None:
        self.seed = seed
        if self.log is not None:
            with Path(self.log).open("a") as file:
                file.write(f"seed {seed}\n")

    def notes(self) -> dict[str, Any]:
        return {"dropped": 0}

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Any]
    ) -> dict[str, str | Completion]:
        return {agent: self._say(infos[agent]["view"]["digit"]) for agent in observations}

    def _say(self, digit: int) -> str | Completion:
        if self.tokens is None:
            return f"say {digit}"
        return Completion(
            f"say {digit}", completion_tokens=self.tokens, prompt_tokens=7, latency=0.5
        )


class Troublemaker(Sayer):
    """Raises, hangs or ends its process on the seeds that it is given."""

    def __init__(
        self,
        *,
        raises: Sequence[int] = (),
        hangs: Sequence[int] = (),
        dies: Sequence[int] = (),
        slow: float = 0.0,
        log: str | None = None,
    ) -> None:
        super().__init__(log=log)
        self.trouble = {"raises": raises, "hangs": hangs, "dies": dies}
        self.slow = slow

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Any]
    ) -> dict[str, str | Completion]:
        time.sleep(self.slow)
        if self.seed in self.trouble["raises"]:
            raise ZeroDivisionError("the model said 0")
        while self.seed in self.trouble["hangs"]:
            time.sleep(3600)
        if self.seed in self.trouble["dies"]:
            os._exit(3)
        return super().act(observations, infos)


class Unnamed:
    """A policy without a name."""

    def reset(self, agents: Sequence[str], infos: Mapping[str, Any], seed: int) -> None:
        """Nothing to prepare."""

    def act(self, observations: Mapping[str, str], infos: Mapping[str, Any]) -> Any:
        return dict.fromkeys(observations, "say 1")


class UnprintableError(Exception):
    """An error whose text can't be had."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class Faulty(Sayer):
    """Does wrong what a policy can do wrong, on one seed; ``fault`` says what."""

    def __init__(self, *, fault: str, seed: int = 1) -> None:
        super().__init__(tokens=3)
        self.fault = fault
        self.faulty_seed = seed
        if fault == "name":
            self.name = 5  # type: ignore[assignment]

    @property
    def _now(self) -> str:
        return self.fault if self.seed == self.faulty_seed else ""

    def notes(self) -> Any:
        match self._now:
            case "notes raise":
                raise KeyError("the notes are gone")
            case "notes are none":
                return None
            case "notes are no data":
                return {"model": object()}
            case "notes have numbers as keys":
                return {1: 2}
        return {"dropped": 7}

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Any]
    ) -> dict[str, str | Completion]:
        match self._now:
            case "unprintable":
                raise UnprintableError
            case "interrupt":
                raise KeyboardInterrupt("the policy's own")
            case "base exception":
                raise GeneratorExit("a policy may raise anything")
            case "exit":
                raise SystemExit(5)
        answers = super().act(observations, infos)
        return {agent: self._spoilt(answer) for agent, answer in answers.items()}

    def _spoilt(self, answer: Any) -> Any:
        match self._now.split("="):
            case [name, value]:
                return replace(answer, **{name: ast.literal_eval(value)})
        return answer


class Wanderer(Sayer):
    """A policy that changes the working directory; ``log`` tells when it is closed."""

    def __init__(self, *, folder: str, **options: Any) -> None:
        super().__init__(**options)
        self.folder = folder

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Any]
    ) -> dict[str, str | Completion]:
        os.chdir(self.folder)
        return super().act(observations, infos)

    def close(self) -> None:
        if self.log is not None:
            with Path(self.log).open("a") as file:
                file.write(f"closed in {os.getpid()}\n")


class Foreigner(Sayer):
    """A policy for another family than the relay's."""

    family = "graph"
