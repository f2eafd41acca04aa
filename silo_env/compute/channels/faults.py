"""What goes wrong on the way: messages are lost, characters change.

Every transfer has draws of its own: a function of the round, the sender, the recipient and how
many went from the one to the other in this round before. What others say alters none of them.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Fate", "FaultRates", "RoundOfFaults", "Streams"]

Streams = Callable[..., np.random.Generator]
"""Makes the generator of some numbers, such as those of a round and a sender."""

_DRAWS = 4
"""For each transfer: whether it is lost, whether it is damaged, where, and into what."""


@dataclass(frozen=True, slots=True)
class FaultRates:
    """Probabilities per delivered message (per written version in the file protocol)."""

    loss: float = 0.0
    corruption: float = 0.0

    def __bool__(self) -> bool:
        return self.loss > 0 or self.corruption > 0


class Fate(NamedTuple):
    """What happens to one content.

    Attributes:
        kind: ``"loss"`` or ``"corruption"``.
        arrives: What arrives instead; None if nothing does.
    """

    kind: str
    arrives: str | None


class RoundOfFaults:
    """The faults of one round.

    Args:
        rates: How probable they are.
        streams: Makes the generator of a round, a sender and a number of messages.
        round_number: The round.
        n_agents: How many agents there are.
    """

    def __init__(
        self, rates: FaultRates, streams: Streams, round_number: int, n_agents: int
    ) -> None:
        self._rates = rates
        self._streams = streams
        self._round = round_number
        self._n_agents = n_agents
        self._sent: Counter[tuple[int, int]] = Counter()
        self._tables: dict[tuple[int, int], NDArray[np.float64]] = {}

    def fate(self, sender: int, recipient: int, content: str) -> Fate | None:
        """Decide what happens to the next content on one way; None if all is well."""
        if not self._rates:
            return None
        number = self._sent[sender, recipient]
        self._sent[sender, recipient] += 1
        lost, corrupted, place, character = self._table(sender, number)[recipient].tolist()
        if lost < self._rates.loss:
            return Fate("loss", None)
        if corrupted < self._rates.corruption and content:
            return Fate("corruption", _corrupted(content, place, character))
        return None

    def _table(self, sender: int, number: int) -> NDArray[np.float64]:
        """Return the draws of a sender's transfers of one number, float (n_agents, draws)."""
        key = (sender, number)
        if key not in self._tables:
            rng = self._streams(self._round, sender, number)
            self._tables[key] = rng.random((self._n_agents, _DRAWS))
        return self._tables[key]


def _corrupted(content: str, place: float, character: float) -> str:
    """Change one character: a digit into another one; without digits any into a letter.

    Args:
        content: What was sent, not empty.
        place: Which of the characters that may change, as a share in [0, 1).
        character: Which of those that may stand there instead, as a share in [0, 1).
    """
    digits = [i for i, char in enumerate(content) if char in "0123456789"]
    alphabet = "0123456789" if digits else "abcdefghijklmnopqrstuvwxyz"
    places = digits or range(len(content))
    at = places[int(place * len(places))]
    others = alphabet.replace(content[at], "")
    return content[:at] + others[int(character * len(others))] + content[at + 1 :]
