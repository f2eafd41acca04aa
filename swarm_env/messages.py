"""Anonymous messages between agents: who hears what, and when.

A message is heard in the next round by every agent within Chebyshev distance view_size // 2.
Default: measured where speaker and hearer stood when it was spoken, and the speaker does not hear
itself. Compat: measured at delivery, the speaker hears itself too. With a central commander,
agent 0 and each of the others hear each other at any distance, and nobody else is heard.
Options of the robustness study (Ruan et al. 2025, section L.4): characters are corrupted with
a probability, and messages are delayed by a random number of rounds. Both are drawn for every
hearer apart, from the round and the speaker alone: nobody's words alter what happens to others'.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_letters, digits
from typing import Final

import numpy as np
from numpy.typing import NDArray

from coordgym.errors import ConfigError, require_int
from coordgym.swarm_env.grid.cells import Cell

COMMANDER = 0
"""Number of the agent that commands the others where there is a central commander."""

MAX_DELAY: Final = 1000
"""Most extra rounds that a message may take."""

_NOISE: Final = ascii_letters + digits


@dataclass(frozen=True, slots=True)
class Hearing:
    """Who hears whom.

    Attributes:
        distance: Largest Chebyshev distance in cells.
        compat: Measured at delivery, and the speaker hears itself.
        centralized: Messages flow only between agent 0 and the others, at any distance.
        noise: Probability that a character is replaced by another letter or digit.
        delay: Least and largest number of extra rounds, both included.
    """

    distance: int
    compat: bool = False
    centralized: bool = False
    noise: float = 0.0
    delay: tuple[int, int] = (0, 0)

    def hears(self, hearer: int, speaker: int, cells: Sequence[Cell]) -> bool:
        """Tell whether an agent hears another, given where all stand."""
        if hearer == speaker:
            return self.compat
        if self.centralized:
            return COMMANDER in (hearer, speaker)
        (i, j), (k, m) = cells[hearer], cells[speaker]
        return abs(i - k) <= self.distance and abs(j - m) <= self.distance


@dataclass(frozen=True, slots=True)
class _OnTheWay:
    due: int
    speaker: int
    hearer: int | None  # None: whoever hears the speaker
    text: str
    cells: tuple[Cell, ...]


@dataclass(slots=True)
class Mailbox:
    """The messages of an episode that are on their way.

    Attributes:
        hearing: Who hears whom, and how well.
        streams: Makes the generator of a round and a speaker.
        count: How many messages were spoken.
    """

    hearing: Hearing
    streams: Callable[[int, int], np.random.Generator]
    count: int = 0
    _waiting: list[_OnTheWay] = field(default_factory=list)

    def speak(self, round_: int, messages: Mapping[int, str], cells: Sequence[Cell]) -> None:
        """Take the messages spoken in a round (empty ones are none) by agents at ``cells``."""
        if not any(messages.values()):
            return
        where = tuple(cells)
        faulty = self.hearing.noise or self.hearing.delay[1]
        for speaker, text in messages.items():
            if text:
                self.count += 1
                if faulty:
                    self._waiting += self._one_each(round_, speaker, text, where)
                else:
                    self._waiting.append(_OnTheWay(round_ + 1, speaker, None, text, where))

    def deliver(self, round_: int, cells: Sequence[Cell]) -> list[list[str]]:
        """Return what each agent hears at the start of a round, agents standing at ``cells``."""
        heard: list[list[str]] = [[] for _ in cells]
        if not self._waiting:
            return heard
        due = [item for item in self._waiting if item.due <= round_]
        self._waiting = [item for item in self._waiting if item.due > round_]
        for item in due:
            where = cells if self.hearing.compat else item.cells
            for hearer in range(len(heard)) if item.hearer is None else (item.hearer,):
                if self.hearing.hears(hearer, item.speaker, where):
                    heard[hearer].append(item.text)
        if not self.hearing.compat:
            for texts in heard:
                texts.sort()  # the order of the agents' numbers would tell who spoke
        return heard

    def _one_each(
        self, round_: int, speaker: int, text: str, cells: tuple[Cell, ...]
    ) -> Iterator[_OnTheWay]:
        """Yield a message as it will reach each agent that may hear it."""
        rng, n_agents = self.streams(round_, speaker), len(cells)
        low, high = self.hearing.delay
        delays = low + np.floor(rng.random(n_agents) * (high - low + 1))
        noise = rng.random((n_agents, 2, len(text))) if self.hearing.noise else None
        for hearer in range(n_agents):
            if self.hearing.compat or self.hearing.hears(hearer, speaker, cells):
                arrives = text if noise is None else self._corrupted(text, noise[hearer])
                due = round_ + 1 + int(delays[hearer])
                yield _OnTheWay(due, speaker, hearer, arrives, cells)

    def _corrupted(self, text: str, draws: NDArray[np.float64]) -> str:
        """Return a text with noise; ``draws`` in [0, 1), float (2, characters)."""
        hit, character = draws[0] < self.hearing.noise, draws[1].tolist()
        return "".join(
            _other_character(old, at) if broken else old
            for old, broken, at in zip(text, hit.tolist(), character, strict=True)
        )


def _other_character(old: str, at: float) -> str:
    """Return the letter or digit at a share ``at`` of those that are not the old character."""
    others = _NOISE.replace(old, "")
    return others[int(at * len(others))]


def require_delay(delay: Sequence[int]) -> tuple[int, int]:
    """Check a pair of the least and the largest number of extra rounds.

    Raises:
        ConfigError: If it is no such pair.
    """
    if isinstance(delay, str) or not isinstance(delay, Sequence) or len(delay) != 2:
        raise ConfigError(f"delay must be (least, largest) in rounds, got {delay!r:.100}")
    low = require_int("delay[0]", delay[0], 0, MAX_DELAY)
    return low, require_int("delay[1]", delay[1], low, MAX_DELAY)
