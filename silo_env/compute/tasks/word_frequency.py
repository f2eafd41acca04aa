"""I-02 Word frequency: how often a target word occurs in all agents' word lists.

Shard: a list of words. Extra: ``target_word``. Answer: one integer; a number within 1 % of it
earns partial credit. Words count when they equal the target as a whole, with the same case.
Source: Silo-Bench, level I (aggregation).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.errors import InstanceError
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, cut, require_texts
from coordgym.silo_env.compute.tasks.items import Items

WORDS = ("apple", "pear", "plum", "mango", "melon", "lime", "kiwi")
TARGET_EVERY = 10
"""Every global index divisible by this holds the target word."""
PUBLISHED_TARGET = "apple"


@dataclass(frozen=True, slots=True)
class WordFrequencyConfig(Items):
    """``items`` words per agent, at least 1."""

    items: int = 30


class WordFrequency(Task[list[str], int]):
    """The number of occurrences of one word."""

    id = "I-02"
    slug = "word-frequency"
    title = "Word frequency"
    answer_type = INTEGER
    partial = Partial.RELATIVE
    config = WordFrequencyConfig
    hint = (
        "This is an aggregation: counting can be done on each list by itself, and counts add up. "
        "Think about how all counts come together once each, and how everybody learns the total."
    )
    holds = "{items} words"
    question = (
        "Every agent holds a list of words. Count how often the word "
        '"{target_word}" occurs in all lists together. Only whole words that are '
        "equal, upper and lower case included, count. Every agent must submit the total."
    )
    form = "one integer, for example 17"
    question_in_brief = 'total count of the exact word "{target_word}"; answer: int'

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[str], int]:
        """Draw words uniformly, with the target at regular places."""
        total = configure(WordFrequencyConfig, params).items * n_agents
        target = WORDS[int(rng.integers(len(WORDS)))]
        words = [WORDS[i] for i in rng.integers(len(WORDS), size=total).tolist()]
        words[::TARGET_EVERY] = [target] * len(words[::TARGET_EVERY])
        return self.instance(cut(words, n_agents), {"target_word": target})

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of words and a target word."""
        require_texts(shards)
        if not isinstance(extra.get("target_word"), str):
            raise InstanceError(f"extra['target_word'] must be a word, got {extra!r:.80}")

    def solve(self, shards: Sequence[list[str]], extra: Extra) -> int:
        """Add up the counts."""
        return sum(shard.count(extra["target_word"]) for shard in shards)

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the word that the published cases always ask for."""
        return {"target_word": PUBLISHED_TARGET}
