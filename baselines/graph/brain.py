"""What all graph brains share: listening, writing and answering, and orders of names."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from coordgym.contract.base import Info
from coordgym.silo_env.graph.parsing import ANSWER_MARK

_ENTRY_CHARS = 8
"""Around name and text in an object of messages: quotes of the text, colon, comma, spaces."""


class GraphBrain(ABC):
    """One agent of the graph family; it knows only its own view.

    Args:
        info: The agent's info at reset.
        rng: The agent's own generator.
    """

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        view = info["view"]
        self.name: str = view["name"]
        self.neighbours: tuple[str, ...] = tuple(view["neighbours"])
        self.options: tuple[str, ...] = tuple(view["options"])
        self.task: str = view["task"]
        self.n_agents: int = view.get("n_agents", 1 + len(self.neighbours))
        self.own_input: str | None = view.get("input")
        self.max_chars = min(view["max_message_chars"], self._room(view["max_action_chars"]))
        self.rng = rng
        self._last = ""

    def _room(self, max_action_chars: int) -> int:
        """Tell how long one text may be if all neighbours get one of this length."""
        names = sum(len(json.dumps(name, ensure_ascii=False)) for name in self.neighbours)
        count = len(self.neighbours)
        return max(0, max_action_chars - names - _ENTRY_CHARS * count) // max(1, count)

    def act(self, observation: str, info: Info) -> str:
        """Listen to what arrived, then write messages or the answer."""
        view: Mapping[str, Any] = info["view"]
        if view.get("repair"):
            return self._last
        self.hear(view["messages"])
        if view["phase"] == "message":
            self._last = json.dumps(self.write(), ensure_ascii=False)
        else:
            self._last = f"{ANSWER_MARK}\n{self.decide()}"
        return self._last

    @abstractmethod
    def hear(self, messages: Mapping[str, str]) -> None:
        """Take in the messages of the last round, by sender's name; none in the first."""

    @abstractmethod
    def write(self) -> dict[str, str]:
        """Return this round's messages by neighbour's name."""

    @abstractmethod
    def decide(self) -> str:
        """Return the final answer, one of ``options``."""

    def to_all(self, text: str) -> dict[str, str]:
        """Send the same text to every neighbour."""
        return dict.fromkeys(self.neighbours, text)


@lru_cache(maxsize=65_536)
def mixed(text: str) -> str:
    """Return a fixed hash (16 hex digits) by which all agents order names alike.

    A hashed order has short chains of dependence; alphabetical order can have long ones.
    """
    return blake2b(text.encode(), digest_size=8).hexdigest()


def mixed_edge(first: str, second: str) -> str:
    """Return the hash of an edge, the same from both ends."""
    return mixed(f"{min(first, second)}\n{max(first, second)}")
