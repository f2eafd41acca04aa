"""Colouring: every agent joins a group, neighbours in different ones.

There are Δ + 1 groups for a largest degree Δ, so a solution always exists.
Answers: ``Group 1`` … ``Group Δ+1``. Success: all answers valid, no edge inside a group.
Score: share of edges between different groups, 0 if any answer is invalid. Coverage: the same
share, invalid answers failing their edges only. Conflicts: edges inside a group.
Source: AgentsNet (arXiv 2507.08616), (Δ+1)-coloring.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from coordgym.silo_env.graph.task import (
    Alone,
    Answers,
    GraphTask,
    Measures,
    Neighbourhoods,
    Score,
    largest_degree,
    share,
)


@lru_cache(maxsize=256)
def group_names(max_degree: int) -> tuple[str, ...]:
    """Return the names of the Δ + 1 groups."""
    return tuple(f"Group {i}" for i in range(1, max_degree + 2))


class Coloring(GraphTask):
    """Colouring with Δ + 1 colours."""

    name = "coloring"
    title = "Graph colouring"
    local = True
    question = "neighbours join different ones of Δ + 1 groups"
    solved_if = "every agent names a group and no two neighbours the same"
    measures = Measures(
        score="share of links between different groups, 0 if an answer is invalid",
        coverage="share of links between different groups",
        redundancy="always 0",
        conflicts="links inside a group",
    )

    def options(self, neighbours: Sequence[str], max_degree: int) -> tuple[str, ...]:
        """Return all groups."""
        return group_names(max_degree)

    def groups(self, max_degree: int) -> tuple[str, ...]:
        """Return the groups that are there."""
        return group_names(max_degree)

    def describe(self, max_degree: int) -> str:
        """Explain the task."""
        return (
            f"The network must split into {max_degree + 1} groups. Each agent joins exactly one of "
            "them, and no two neighbours may end up in the same group. Groups may have any "
            "size; some may stay empty."
        )

    def summarize(self, max_degree: int) -> str:
        """Explain the task briefly."""
        return f"join 1 of {max_degree + 1} groups; neighbours must differ"

    def judge(self, answers: Answers) -> Score:
        """Judge the groups."""
        given = answers.of_honest()
        groups = frozenset(group_names(answers.max_degree))
        all_valid = all(answer in groups for answer in given.values())
        proper = conflicts = 0
        for first, second in answers.edges:
            if given[first] in groups and given[second] in groups:
                same = given[first] == given[second]
                conflicts += same
                proper += not same
        coverage = share(proper, len(answers.edges))
        score = coverage if all_valid else 0.0
        return Score(all_valid and conflicts == 0, score, coverage, 0.0, conflicts)

    def seats_right(self, answers: Answers) -> dict[str, bool]:
        """Call right who names a group that no neighbour names."""
        given = answers.of_honest()
        groups = frozenset(group_names(answers.max_degree))
        return {
            name: answer in groups
            and all(given.get(other) != answer for other in answers.neighbours[name])
            for name, answer in given.items()
        }

    def guess(self, alone: Alone) -> str:
        """Take the group that one's place among the neighbours stands for.

        Neighbours tend to have different places: on 8 agents half of all networks are solved.
        """
        part = (alone.before + alone.place) / (len(alone.neighbours) + 1)
        return alone.options[int(part * len(alone.options))]

    def clash(self, first: str, second: str, given: Mapping[str, str]) -> bool:
        """Tell whether both are in one group."""
        return given[first] == given[second]

    def solve(self, neighbours: Neighbourhoods, inputs: Mapping[str, str] | None) -> dict[str, str]:
        """Give each agent the first group that no neighbour has."""
        groups = group_names(largest_degree(neighbours))
        chosen: dict[str, str] = {}
        for name, around in neighbours.items():
            taken = {chosen.get(other) for other in around}
            chosen[name] = next(group for group in groups if group not in taken)
        return chosen
