"""III-21 Distributed sort: all integers in ascending order, or the own part of them.

Shard: a list of integers. Extra: ``answer`` is "whole" (also if it is missing) or "segment".
Answer: the sorted list of all integers; with "segment" (segmented) the run of it that falls to the
agent if it is cut into N runs of floor(total / N), of which the last one takes the rest. Partial
credit is the longest common subsequence, divided by the longer length.
Source: Silo-Bench, level III (shuffle).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from coordgym.errors import InstanceError, require_choice
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER, ListOf
from coordgym.silo_env.compute.task import Extra, cut
from coordgym.silo_env.compute.tasks.integers import Integers, IntegerTask

ANSWERS = ("whole", "segment")


@dataclass(frozen=True, slots=True)
class DistributedSortConfig(Integers):
    """20 integers per agent in [1, 1000]; ``answer`` says what each agent must submit."""

    items: int = 20
    low: int = 1
    high: int = 1000
    answer: str = "whole"

    def __post_init__(self) -> None:
        super(DistributedSortConfig, self).__post_init__()
        require_choice("answer", self.answer, ANSWERS)


class DistributedSort(IntegerTask[list[int]]):
    """The sorted list of all integers."""

    id = "III-21"
    slug = "distributed-sort"
    title = "Distributed sort"
    answer_type = ListOf(INTEGER)
    partial = Partial.SUBSEQUENCE
    config = DistributedSortConfig
    hint = (
        "This is a global reorganization: an integer of one list may belong anywhere among those "
        "of all others. Sorted lists can be merged, and a range of values can be handled apart "
        "from the other ranges."
    )

    def common(self, config: Any, n_agents: int) -> dict[str, Any]:
        """Tell the kind of answer, where it is not the usual one."""
        del n_agents
        return {} if config.answer == "whole" else {"answer": config.answer}

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of integers, and a known kind of answer."""
        super().check(shards, extra)
        if extra.get("answer", "whole") not in ANSWERS:
            raise InstanceError(
                f"extra['answer'] must be one of {', '.join(ANSWERS)}, got {extra['answer']!r:.80}"
            )

    def is_segmented(self, extra: Extra) -> bool:
        """Tell what the instance says."""
        return bool(extra.get("answer") == "segment")

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> list[int] | list[list[int]]:
        """Return all integers sorted, or the runs of them by agent."""
        ordered = sorted(chain.from_iterable(shards))
        return cut(ordered, len(shards)) if self.is_segmented(extra) else ordered

    def published_segments(self) -> dict[str, Any]:
        """Ask for the own run of each agent, as some published files do."""
        return {"answer": "segment"}

    def statement(self, extra: Extra) -> str:
        """State the task in full sentences."""
        begin = (
            "Every agent holds a list of integers. All integers of all lists together, in "
            "ascending order, make up one long list; an integer that occurs several times is "
            "listed as often as it occurs. "
        )
        if not self.is_segmented(extra):
            return begin + "Every agent must submit the whole of this list."
        return (
            begin + "This list is cut into as many parts as there are agents: part i, counted "
            "from 0, belongs to the agent with the id i. All parts have the same length, which is "
            "the number of all integers divided by the number of agents, rounded down; what is "
            "left at the end goes to the last part. Each agent must submit its own part, and "
            "nothing else."
        )

    def answer_form(self, extra: Extra) -> str:
        """Name the form: a list."""
        what = "your part of the sorted list" if self.is_segmented(extra) else "the sorted list"
        return f"{what}, for example [1, 4, 4, …]"

    def brief(self, extra: Extra) -> str:
        """State the task in few words."""
        begin = "all integers of all agents, ascending, duplicates kept"
        if self.is_segmented(extra):
            begin += (
                ", cut into one part per agent by id (floor(total/agents) each, the last takes "
                "the rest); your part only"
            )
        return begin + "; answer: list"
