"""Legal action texts for the action spaces and for the random policy."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from coordgym.silo_env.compute.answers.types import AnswerType
from coordgym.silo_env.compute.channels.turns import Limits
from coordgym.silo_env.compute.task import show

MAX_SAMPLED_CALLS = 3
SUBMIT_PROBABILITY = 0.1
_LARGEST_GUESS = 1000


@dataclass(frozen=True, slots=True)
class TurnSampler:
    """Draws turns of a protocol that are valid in any round, within the limits on turns.

    Attributes:
        protocol: "p2p", "broadcast", "shared_files" or "oracle".
        targets: Whom the agent can write to.
        limits: Bounds on a turn; what is drawn beyond them is left out.
        max_action_chars: Longest text; below ``len("wait()")`` no turn is valid.
        answers: The type of a random answer that a turn may end with; None = it does not.
    """

    protocol: str
    targets: tuple[int, ...]
    limits: Limits
    max_action_chars: int
    answers: AnswerType | None = None

    def __call__(self, rng: np.random.Generator) -> str:
        """Draw one turn: a few calls, then ``wait()`` or an answer."""
        drawn = [self._calls(rng) for _ in range(int(rng.integers(MAX_SAMPLED_CALLS + 1)))]
        submits = self.answers is not None and rng.random() < SUBMIT_PROBABILITY
        number = int(rng.integers(_LARGEST_GUESS))
        guess = "" if self.answers is None else show(self.answers.guess(number))
        for end in (f"submit_result({guess})" if submits else "wait()", "wait()"):
            room = self.max_action_chars - len(end)
            if room >= 0:
                return "".join([*self._within(room, drawn), end])
        return ""

    def _within(self, room: int, drawn: Sequence[Sequence[str]]) -> list[str]:
        """Return the first drawn lines for which there is room, and a call left to end the turn."""
        lines: list[str] = []
        for line in chain.from_iterable(drawn):
            room -= len(line)
            if room < 0 or len(lines) + 1 >= self.limits.max_calls:
                break
            lines.append(line)
        return lines

    def _calls(self, rng: np.random.Generator) -> Sequence[str]:
        """Draw calls that belong together, a line each."""
        number = int(rng.integers(_LARGEST_GUESS))
        bare = str(number)[: self.limits.max_message_chars]
        spoken = f"I have {number}"
        content = spoken if len(spoken) <= self.limits.max_message_chars else bare
        if self.protocol == "p2p":
            target = self.targets[int(rng.integers(len(self.targets)))]
            return (f'send_message({target}, "{content}")\n',)
        if self.protocol == "broadcast":
            return (f'broadcast_message("{content}")\n',)
        if self.protocol == "shared_files":
            path = f"note_{number % 10}.txt"
            return (f'write_file("{path}", "{bare}")\n', f'read_file("{path}")\n')
        return ()
