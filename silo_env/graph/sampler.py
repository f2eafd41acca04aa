"""Sample actions that a space may draw at any time."""

from dataclasses import dataclass

import numpy as np

from coordgym.silo_env.graph.parsing import ANSWER_MARK
from coordgym.silo_env.graph.text import quoted

WORDS = ("", "hello", "what do you know?", "I agree", "I am still undecided")
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
        answer = ""
        if self.options:
            option = self.options[int(rng.integers(len(self.options)))]
            answer = f"\n{ANSWER_MARK}\n{option}"
        words = [word for word in WORDS if len(word) <= self.max_message_chars]
        entries = []
        room = self.max_action_chars - len(answer) - len("{}")
        for name in self.neighbours:
            if rng.random() < MESSAGE_PROBABILITY:
                entry = f"{quoted(name)}:{quoted(words[int(rng.integers(len(words)))])}"
                room -= len(entry) + 1
                if room < 0:
                    break
                entries.append(entry)
        return f"{{{','.join(entries)}}}{answer}"
