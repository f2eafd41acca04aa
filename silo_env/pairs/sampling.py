"""Texts at random, for the action spaces and for the random policy."""

import json
from dataclasses import dataclass

import numpy as np

from coordgym.silo_env.pairs.task import AnyTask
from coordgym.silo_env.pairs.texts import ANSWER_TAG, END_WORD

RANDOM_ANSWER_RATE = 0.2
"""Share of the random policy's messages that end the dialogue with an answer."""


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """Draws messages that neither answer nor end anything."""

    def __call__(self, rng: np.random.Generator) -> str:
        """Draw one message."""
        row, column = (int(number) for number in rng.integers(0, 10, size=2))
        remarks = (
            f"What do you see at ({row}, {column})?",
            "Please state everything that you see.",
            f"I am looking at row {row} now.",
            "Let me think about it.",
        )
        return remarks[int(rng.integers(len(remarks)))]


def random_message(task: AnyTask, rng: np.random.Generator) -> str:
    """Draw small talk or, now and then, a random answer that ends the dialogue."""
    if rng.random() >= RANDOM_ANSWER_RATE:
        return SmallTalk()(rng)
    return f"{ANSWER_TAG} {json.dumps(task.random_answer(rng))}\n{END_WORD}"
