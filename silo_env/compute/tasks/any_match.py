"""I-04 Any match: does any agent's log hold an error line.

Shard: a list of log lines. Extra: ``substring``. Answer: true or false. Upper and lower case
count; a match must lie within one line.
Source: Silo-Bench, level I (aggregation).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.errors import InstanceError
from coordgym.silo_env.compute.answers.types import BOOLEAN
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, cut, require_texts
from coordgym.silo_env.compute.tasks.items import Items

SUBSTRING = "ERROR"
HARMLESS = (
    "INFO request {} served",
    "DEBUG cache entry {} refreshed",
    "INFO user {} signed in",
    "WARN queue length is {}",
    "INFO job {} finished",
)
ERROR_LINE = "ERROR job {} failed"
ERROR_PROBABILITY = 0.5
NUMBERS = 10_000
"""Numbers in lines are below this."""


@dataclass(frozen=True, slots=True)
class AnyMatchConfig(Items):
    """``items`` lines per agent, at least 1."""

    items: int = 15


class AnyMatch(Task[list[str], bool]):
    """Whether a text occurs in any line."""

    id = "I-04"
    slug = "any-match"
    title = "Any match"
    answer_type = BOOLEAN
    copyable = True
    config = AnyMatchConfig
    hint = (
        "This is an aggregation: each log can be searched by itself. One match anywhere settles "
        "the question, but its absence needs word from everybody."
    )
    holds = "{items} log lines"
    above_prior = (
        "The answer's prior is one half. Where there is no error line all are right to see "
        "none, and where there is one, the agent that holds it is."
    )
    question = (
        "Every agent holds a list of log lines. Find out whether any line of any agent "
        'contains "{substring}", in exactly this spelling and within one line. '
        "Every agent must submit the finding."
    )
    form = "true or false, without quotes"
    question_in_brief = 'does any line of any agent contain "{substring}"; answer: true/false'

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[str], bool]:
        """Draw harmless lines; with probability 1/2 one of them becomes an error."""
        total = configure(AnyMatchConfig, params).items * n_agents
        kinds = rng.integers(len(HARMLESS), size=total).tolist()
        numbers = rng.integers(NUMBERS, size=total).tolist()
        lines = [HARMLESS[kind].format(n) for kind, n in zip(kinds, numbers, strict=True)]
        if rng.random() < ERROR_PROBABILITY:
            place = int(rng.integers(total))
            lines[place] = ERROR_LINE.format(numbers[place])
        return self.instance(cut(lines, n_agents), {"substring": SUBSTRING})

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of texts and a text to look for."""
        require_texts(shards)
        if not isinstance(extra.get("substring"), str) or not extra["substring"]:
            raise InstanceError(f"extra['substring'] must be a text, got {extra!r:.80}")

    def solve(self, shards: Sequence[list[str]], extra: Extra) -> bool:
        """Tell whether any line of any shard contains the text."""
        return any(extra["substring"] in line for shard in shards for line in shard)

    def sufficient(
        self, agent: int, shards: Sequence[list[str]], extra: Extra
    ) -> tuple[frozenset[int], ...]:
        """Return everything, or any one shard with a match."""
        matching = [i for i, shard in enumerate(shards) if self.solve([shard], extra)]
        return (*super().sufficient(agent, shards, extra), *(frozenset((i,)) for i in matching))

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the text that the published cases always look for."""
        return {"substring": SUBSTRING}
