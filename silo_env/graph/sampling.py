"""Sample actions that a space may draw at any time."""

from dataclasses import dataclass
from itertools import accumulate, takewhile

import numpy as np

from coordgym.silo_env.graph.parsing import ANSWER_MARK
from coordgym.silo_env.graph.texts import quoted

WORDS = ("hello", "what do you know?", "I agree", "I am still undecided")
MESSAGE_PROBABILITY = 0.5


@dataclass(frozen=True, slots=True)
class GraphSampler:
    """Draws texts that are valid both as messages and as a final answer.

    Attributes:
        neighbours: Names of the agent's neighbours.
        options: Its valid answers.
        max_message_chars: Longest message.
        max_action_chars: Longest text.
    """

    neighbours: tuple[str, ...]
    options: tuple[str, ...]
    max_message_chars: int
    max_action_chars: int

    def __call__(self, rng: np.random.Generator) -> str:
        """Draw a text: a short message to some neighbours, and a random option."""
        words = [word[: self.max_message_chars] for word in WORDS]
        entries = [
            f"{quoted(name)}:{quoted(words[int(rng.integers(len(words)))])}"
            for name in self.neighbours
            if rng.random() < MESSAGE_PROBABILITY
        ]
        answer = ""
        if self.options:
            option = self.options[int(rng.integers(len(self.options)))]
            answer = f"\n{ANSWER_MARK}\n{option}"
        room = self.max_action_chars - len("{}") - len(answer)
        fitting = takewhile(lambda size: size <= room + 1, accumulate(len(e) + 1 for e in entries))
        return f"{{{','.join(entries[: len(list(fitting))])}}}{answer}"
