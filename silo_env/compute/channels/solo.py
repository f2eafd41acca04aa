"""The channel of the oracle: one agent holds everything and has nobody to talk to."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from coordgym.silo_env.compute.channels.channel import Channel
from coordgym.silo_env.compute.channels.news import News
from coordgym.silo_env.compute.channels.turns import SUBMIT, WAIT, CallError, Turn


class Solo(Channel):
    """No communication: only ``wait`` and ``submit_result``."""

    name = "oracle"
    functions = (WAIT, SUBMIT)

    def run(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> str:
        """Refuse: there is nothing of its own to run."""
        raise CallError("there is nobody to communicate with")

    def commit(self, turns: Sequence[Turn], round_number: int) -> None:
        """Do nothing: nothing passes between agents."""

    def deliver(self, budgets: Mapping[int, int]) -> dict[int, News]:
        """Hand out nothing."""
        return {}

    def spoken(self) -> Iterable[str]:
        """Return nothing: nothing was said."""
        return ()

    def contents(self) -> list[dict[str, Any]]:
        """Return nothing: nothing was sent."""
        return []
