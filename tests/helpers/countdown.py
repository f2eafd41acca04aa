"""A small family for the tests of the contract: a countdown that agents share."""

from collections.abc import Collection, Mapping
from typing import Any

from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.errors import InstanceError


class CountdownEnv(TextParallelEnv):
    """Agents say numbers; ``done`` finishes an agent; odd rounds belong to agent_0 alone."""

    family = "countdown"
    metadata = {**TextParallelEnv.metadata, "name": "countdown_v0"}
    sample_actions = tuple("0123456789")

    def __init__(self, *, turns: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.turns = turns

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        self.total = 0
        self.done: list[str] = []
        self.noise = 0
        if given is None:
            given = {"start": int(self.instance_rng().integers(100))}
        if set(given) != {"start"}:
            raise InstanceError("an instance is {'start': int}")
        return given

    def _active(self) -> Collection[str]:
        return ["agent_0"] if self.turns and self.round % 2 else self.agents

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        errors = {}
        self.done = []
        self.noise = int(self.np_random.integers(1000))
        for agent, text in actions.items():
            if text == "done":
                self.done.append(agent)
            elif text is not None and text.isdecimal():
                self.total += int(text)
            elif text is not None:
                errors[agent] = "say a number or done"
        return errors

    def _rewards(self) -> Mapping[str, float]:
        return dict.fromkeys(self.done, 1)

    def _finished(self) -> Collection[str]:
        return self.done

    def _observe(self, agent: str) -> Observed:
        return Observed(
            f"total {self.total}, noise {self.noise}", {f"total_{self.round}": self.total}
        )

    def _instructions(self, agent: str) -> str:
        return f"You are {agent}; start at {self.instance['start']}."

    def _static_view(self, agent: str) -> dict[str, Any]:
        return {"start": self.instance["start"]}

    def _metrics(self) -> dict[str, Any]:
        return {"success": not self.agents, "score": float(self.total), "messages": 0}

    def _default_max_cycles(self) -> int:
        return 6

    def _render_text(self) -> str:
        return f"total {self.total}"


def play(env: CountdownEnv, *rounds: str) -> list[tuple[Any, ...]]:
    """Step with one text for all active agents per round and return everything returned."""
    return [env.step(dict.fromkeys(env.agents, text)) for text in rounds]
