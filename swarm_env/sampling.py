"""Random legal answers."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class AnswerSampler:
    """Draws a legal answer: an action, now and then with a message."""

    names: tuple[str, ...]

    def __call__(self, rng: np.random.Generator) -> str:
        """Draw one."""
        action = f"ACTION: {self.names[int(rng.integers(len(self.names)))]}"
        return f"{action}\nMSG: hello" if rng.random() < 0.2 else action
