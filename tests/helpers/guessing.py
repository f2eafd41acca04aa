"""An environment with the hooks that it must have and no other: agents guess a number together."""

import re
from collections.abc import Collection, Mapping
from typing import Any, Unpack

from coordgym import BaseOptions, TextParallelEnv
from coordgym.contract.base import Observed
from coordgym.errors import InstanceError

SECRET_DIGITS = 7


class GuessingEnv(TextParallelEnv):
    """Each agent holds a number; who names the sum, as ``= 123``, is right and leaves."""

    family = "guessing"
    metadata = {**TextParallelEnv.metadata, "name": "guessing_v0"}
    sample_actions = ("say I am thinking.", "say What is your number?")

    def __init__(self, *, n_agents: int = 3, **base: Unpack[BaseOptions]) -> None:
        super().__init__(n_agents=n_agents, **base)

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        if given is None:
            low, high = 10 ** (SECRET_DIGITS - 1), 10**SECRET_DIGITS // self.n_agents
            numbers = self.instance_rng().integers(low, high, self.n_agents).tolist()
            given = {"numbers": numbers, "answer": sum(numbers)}
        if set(given) != {"numbers", "answer"}:
            raise InstanceError("an instance is {'numbers': [int, …], 'answer': int}")
        self.said: dict[str, str] = {}
        self.right: list[str] = []
        self.left: list[str] = []
        self.messages = 0
        return given

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        self.said, self.left, errors = {}, [], {}
        for agent, text in actions.items():
            if text is None:
                continue
            if text.startswith("say "):
                self.said[agent] = text[4:]
                self.messages += 1
            elif re.fullmatch(r"= [0-9]{1,20}", text):
                self.left.append(agent)
                self.right += [agent] * (int(text[2:]) == self.instance["answer"])
            else:
                errors[agent] = "write say and a text, or = and a number"
        return errors

    def _rewards(self) -> Mapping[str, float]:
        return {agent: float(agent in self.right) for agent in self.left}

    def _finished(self) -> Collection[str]:
        return self.left

    def _observe(self, agent: str) -> Observed:
        heard = {name: text for name, text in self.said.items() if name != agent}
        says = " says: " if self.text == "full" else ": "
        text = "\n".join(f"{name}{says}{said}" for name, said in heard.items())
        return Observed(text or ("Silence." if self.text == "full" else "-"), {"heard": heard})

    def _instructions(self, agent: str) -> str:
        own = self.instance["numbers"][self.possible_agents.index(agent)]
        if self.text == "compact":
            return f"number {own}; say TEXT or = SUM"
        return f"Your number is {own}. Talk to all as: say TEXT; name the sum as: = SUM"

    def _metrics(self) -> dict[str, Any]:
        score = len(self.right) / self.n_agents
        return {"success": score == 1.0, "score": score, "messages": self.messages}
