"""Two small sound environments for the conformance suite to pass, one of text, one of numbers."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from pettingzoo import ParallelEnv

from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.errors import InstanceError

SECRET_DIGITS = 7


class SumEnv(TextParallelEnv):
    """Each agent holds a number; agents ``say`` texts to all and end with ``sum <int>``.

    With ``turns``, agents of even and odd index act in alternate rounds.
    """

    family = "sum"
    metadata = {**TextParallelEnv.metadata, "name": "sum_v0"}
    sample_actions = tuple(f"say {digit}" for digit in range(10))

    def __init__(self, *, n_agents: int = 3, turns: bool = False, **kwargs: Any) -> None:
        super().__init__(n_agents=n_agents, **kwargs)
        self.turns = turns

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        if given is None:
            low, high = 10 ** (SECRET_DIGITS - 1), 10**SECRET_DIGITS // self.n_agents
            numbers = [int(x) for x in self.instance_rng().integers(low, high, self.n_agents)]
            given = {"numbers": numbers, "answer": sum(numbers)}
        if set(given) != {"numbers", "answer"}:
            raise InstanceError("an instance is {'numbers': [int, …], 'answer': int}")
        self.said: dict[str, str] = {}
        self.answers: dict[str, int] = {}
        self.answered: list[str] = []
        self.sent = 0
        return given

    def _active(self) -> Collection[str]:
        if not self.turns:
            return self.agents
        mine = [a for a in self.agents if int(a[6:]) % 2 == self.round % 2]
        return mine or self.agents

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        self.said, self.answered, errors = {}, [], {}
        for agent, text in actions.items():
            problem = None if text is None else self._check(agent, text)
            if problem is not None:
                errors[agent] = problem
            elif text is not None and text.startswith("say "):
                self.said[agent] = text[4:104]
                self.sent += 1
            elif text is not None:
                self.answers[agent] = int(text[4:])
                self.answered.append(agent)
        return errors

    def _rewards(self) -> Mapping[str, float]:
        return {a: float(self.answers[a] == self.instance["answer"]) for a in self.answered}

    def _finished(self) -> Collection[str]:
        return self.answered

    def _observe(self, agent: str) -> Observed:
        heard = {name: text for name, text in self.said.items() if name != agent}
        words = [f"{name} {'says ' if self.text == 'full' else ''}{heard[name]}" for name in heard]
        text = "; ".join(words) or ("Nobody says anything." if self.text == "full" else "-")
        return Observed(text, {f"heard_{self.round}": heard, "noise": self._noise()})

    def _noise(self) -> int:
        return int(self.rng(2, self.steps).integers(9))

    def _instructions(self, agent: str) -> str:
        return f"You are {agent}. Your number is {self._own(agent)}. Send 'say TEXT' or 'sum INT'."

    def _static_view(self, agent: str) -> dict[str, Any]:
        return {"own": self._own(agent), "agents": list(self.possible_agents)}

    def _own(self, agent: str) -> int:
        return int(self.instance["numbers"][int(agent[6:])])

    def _check(self, agent: str, text: str) -> str | None:
        if text.startswith("say "):
            return None
        digits = text[4:] if text.startswith("sum ") else ""
        ok = digits.isascii() and digits.isdecimal() and len(digits) < 20
        return None if ok else "send 'say TEXT' or 'sum INT'"

    def _metrics(self) -> dict[str, Any]:
        right = [a for a, value in self.answers.items() if value == self.instance["answer"]]
        score = len(right) / self.n_agents
        return {"success": score == 1.0, "score": score, "messages": self.sent}

    def _default_max_cycles(self) -> int:
        return 12

    def random_action(self, agent: str, rng: np.random.Generator) -> str:
        return f"sum {rng.integers(100)}" if rng.random() < 0.2 else draw_word(rng)


def draw_word(rng: np.random.Generator) -> str:
    return f"say {rng.integers(10)}"


class Adder:
    """Says its number once, then the sum of all that it has heard."""

    def __init__(self, agent: str, info: Mapping[str, Any], rng: np.random.Generator) -> None:
        self.own = info["view"]["own"]
        self.left = len(info["view"]["agents"]) - 1
        self.total, self.told = self.own, False

    def act(self, observation: str, info: Mapping[str, Any]) -> str:
        heard = [said for key, said in info["view"].items() if key.startswith("heard_")]
        numbers = [int(text) for said in heard for text in said.values() if text.isdecimal()]
        self.total += sum(numbers)
        self.left -= len(numbers)
        if not self.told:
            self.told = True
            return f"say {self.own}"
        return f"sum {self.total}" if self.left <= 0 else "say waiting"


class CounterEnv(ParallelEnv):
    """A plain ParallelEnv of numbers, nothing to do with this package."""

    metadata = {"name": "counter_v0", "render_modes": [], "is_parallelizable": True}

    def __init__(self, max_cycles: int = 5) -> None:
        self.max_cycles = max_cycles
        self.possible_agents = ["counter_0", "counter_1"]
        self._spaces = {agent: (Discrete(100), Discrete(2)) for agent in self.possible_agents}
        self.render_mode = None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.agents = list(self.possible_agents)
        self.total, self.steps = int(np.random.default_rng(seed).integers(10)), 0
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> Any:
        alive = list(self.agents)
        self.total += int(sum(actions.values()))
        self.steps += 1
        over = self.steps >= self.max_cycles
        self.agents = [] if over else alive
        return (
            {agent: np.int64(self.total % 100) for agent in alive},
            dict.fromkeys(alive, 1),
            dict.fromkeys(alive, False),
            dict.fromkeys(alive, over),
            {agent: {} for agent in alive},
        )

    def _observations(self) -> dict[str, Any]:
        return {agent: np.int64(self.total % 100) for agent in self.agents}

    def observation_space(self, agent: str) -> Any:
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Any:
        return self._spaces[agent][1]
