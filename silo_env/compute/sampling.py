"""Legal action texts for the action spaces and for the random policy."""

from dataclasses import dataclass

import numpy as np

MAX_SAMPLED_CALLS = 3
SUBMIT_PROBABILITY = 0.1
_LARGEST_GUESS = 1000


@dataclass(frozen=True, slots=True)
class TurnSampler:
    """Draws turns of a protocol that are valid in any round.

    Attributes:
        protocol: "p2p", "broadcast", "shared_files" or "oracle".
        targets: whom the agent can write to.
        may_submit: whether a turn may end with a random answer.
    """

    protocol: str
    targets: tuple[int, ...]
    may_submit: bool = False

    def __call__(self, rng: np.random.Generator) -> str:
        """Draw one turn: a few calls, then ``wait()`` or an answer."""
        calls = [self._call(rng) for _ in range(int(rng.integers(MAX_SAMPLED_CALLS + 1)))]
        submits = self.may_submit and rng.random() < SUBMIT_PROBABILITY
        guess = int(rng.integers(_LARGEST_GUESS))
        return "\n".join([*filter(None, calls), f"submit_result({guess})" if submits else "wait()"])

    def _call(self, rng: np.random.Generator) -> str:
        number = int(rng.integers(_LARGEST_GUESS))
        if self.protocol == "p2p":
            target = self.targets[int(rng.integers(len(self.targets)))]
            return f'send_message({target}, "I have {number}")'
        if self.protocol == "broadcast":
            return f'broadcast_message("I have {number}")'
        if self.protocol == "shared_files":
            path = f"note_{number % 10}.txt"
            return f'write_file("{path}", "{number}")\nread_file("{path}")'
        return ""
