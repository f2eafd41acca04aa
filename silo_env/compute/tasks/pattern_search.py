"""II-15 Pattern search: how often letters follow each other in a text that lies in pieces.

Shard: a text, the next piece of the whole text. Extra: ``pattern``. The count is greedy: from the
beginning, find the pattern's first letter, then the next place of its second, and so on; after the
last one count 1 and start again behind it. Answer: the count, all or nothing.
Source: Silo-Bench, level II (mesh); the published text leaves the rule of counting open, the
published solutions follow this one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.errors import InstanceError
from coordgym.silo_env.compute.answers.types import INTEGER
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, cut, require_strings
from coordgym.silo_env.compute.tasks.items import Items

LETTERS = "ABCDXYZ"
PATTERN = "ABC"
PLANTED = 2
NEAREST_B, FARTHEST_B = 1, 5
NEAREST_C, FARTHEST_C = 6, 10
"""Places of planted letters behind their A."""
MIN_ITEMS = 10
"""Two planted patterns need room beside each other."""
MAX_PATTERN = 100


@dataclass(frozen=True, slots=True)
class PatternSearchConfig(Items):
    """``items`` letters per agent, at least 10."""

    least = MIN_ITEMS
    items: int = 20


class PatternSearch(Task[str, int]):
    """The greedy count of a pattern with gaps."""

    id = "II-15"
    slug = "pattern-search"
    title = "Pattern search"
    answer_type = INTEGER
    config = PatternSearchConfig
    hint = (
        "This depends on what comes before: a search that is half done at the end of one piece "
        "goes on in the next. What a piece adds depends only on how far the search had come."
    )
    holds = "{items} letters"
    form = "one integer, for example 4"

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[str, int]:
        """Draw letters and write the pattern with gaps over them, twice."""
        total = configure(PatternSearchConfig, params).items * n_agents
        letters = rng.choice(list(LETTERS), total).tolist()
        taken: set[int] = set()
        while len(taken) < PLANTED * len(PATTERN):
            start = int(rng.integers(total - FARTHEST_C))
            second = start + int(rng.integers(NEAREST_B, FARTHEST_B, endpoint=True))
            third = start + int(rng.integers(NEAREST_C, FARTHEST_C, endpoint=True))
            if taken.isdisjoint((start, second, third)):
                taken |= {start, second, third}
                for place, letter in zip((start, second, third), PATTERN, strict=True):
                    letters[place] = letter
        shards = ["".join(piece) for piece in cut(letters, n_agents)]
        return self.instance(shards, {"pattern": PATTERN})

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check texts and a pattern to look for."""
        require_strings(shards)
        pattern = extra.get("pattern")
        if not isinstance(pattern, str) or not 1 <= len(pattern) <= MAX_PATTERN:
            raise InstanceError(
                f"extra['pattern'] must be a text of 1..{MAX_PATTERN} letters, got {pattern!r:.80}"
            )

    def solve(self, shards: Sequence[str], extra: Extra) -> int:
        """Search once through the pieces joined."""
        text, pattern = "".join(shards), extra["pattern"]
        count = position = 0
        while True:
            for letter in pattern:
                position = text.find(letter, position) + 1
                if position == 0:
                    return count
            count += 1

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the pattern that the published cases always look for."""
        return {"pattern": PATTERN}

    def statement(self, extra: Extra) -> str:
        """State the task in full sentences."""
        pattern: str = extra["pattern"]
        then = "".join(f", then the first {letter} after that" for letter in pattern[1:])
        return (
            "A long text is cut into pieces: joined in the order of the agents' ids, without "
            "anything between them, the agents' pieces make up the whole. Search it from its "
            f"beginning: find the first {pattern[0]}{then}, with any letters between them; this "
            f"counts as one find. Then search again in the same way behind the {pattern[-1]} just "
            "found, until the text ends; a search that is not complete counts nothing. Every "
            "agent must submit the number of finds in the whole text."
        )

    def brief(self, extra: Extra) -> str:
        """State the task in few words."""
        letters = " then ".join(extra["pattern"])
        return (
            f"texts joined by agent id; greedy scan: find {letters} (gaps allowed), count 1, "
            "start again behind it; count for the whole; answer: int"
        )
