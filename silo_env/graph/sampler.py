"""Sample actions that a space may draw at any time."""

from dataclasses import dataclass

import numpy as np

from coordgym.silo_env.graph.parsing import ANSWER_MARK
from coordgym.silo_env.graph.text import quoted

WORDS = ("hello", "what do you know?", "I agree", "I am still undecided")
MESSAGE_PROBABILITY = 0.5


@dataclass(frozen=True, slots=True)
class GraphSampler:
    """Draws texts that are valid both as messages and as a final answer.

    Attributes:
        neighbours: Names of the agent's neighbours.
        options: Its valid answers.
    """

    neighbours: tuple[str, ...]
    options: tuple[str, ...]

    def __call__(self, rng: np.random.Generator) -> str:
        """Draw a text: a short message to some neighbours, and a random option."""
        entries = ",".join(
            f"{quoted(name)}:{quoted(WORDS[int(rng.integers(len(WORDS)))])}"
            for name in self.neighbours
            if rng.random() < MESSAGE_PROBABILITY
        )
        messages = f"{{{entries}}}"
        if not self.options:
            return messages
        option = self.options[int(rng.integers(len(self.options)))]
        return f"{messages}\n{ANSWER_MARK}\n{option}"
