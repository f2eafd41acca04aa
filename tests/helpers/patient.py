"""The countdown, with tries within a turn: whose text is no number may write it again."""

from typing import Any

from countdown import CountdownEnv

from coordgym.contract.base import Observed


class PatientEnv(CountdownEnv):
    """Refuses up to two texts of an agent in each round."""

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        self.tries: dict[str, int] = {}
        return super()._start(given)

    def _apply(self, actions: dict[str, str | None]) -> Any:
        self.tries = {}
        return super()._apply(actions)

    def _refused(self, agent: str, text: str | None) -> str | None:
        tries = self.tries.get(agent, 0)
        if tries == 2 or (text is not None and (text == "done" or text.isdecimal())):
            return None
        self.tries[agent] = tries + 1
        return "a number, please"

    def _observe(self, agent: str) -> Observed:
        if tries := self.tries.get(agent):
            return Observed(f"try {tries + 1}", {"try": tries + 1})
        return super()._observe(agent)


class Stammerer:
    """Says the given texts, one after the other, for each agent apart."""

    name = "stammerer"

    def __init__(self, **texts: list[str]) -> None:
        self.texts = texts

    def reset(self, agents: Any, infos: Any, seed: int) -> None:
        self.left = {agent: iter(texts) for agent, texts in self.texts.items()}
        self.asked: list[list[str]] = []

    def act(self, observations: Any, infos: Any) -> dict[str, str]:
        self.asked.append(list(observations))
        return {agent: next(self.left[agent]) for agent in observations}
