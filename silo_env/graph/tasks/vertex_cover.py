"""Minimal vertex cover: every edge has a coordinator at an end, and no coordinator is idle.

Answers: ``Yes`` (I am a coordinator) or ``No``. Success: all answers valid, every edge has a
Yes end, and every Yes agent has a No neighbour (the cover is minimal by inclusion, not the
smallest). Score: covered share of the edges × needed / size of the cover, where a member is
needed if without it an edge would be open; while any edge is open, all members count as
needed. An empty cover scores 0 with edges, 1 without. Coverage: the covered share.
Redundancy: 1 − needed / size. Conflicts: open edges. Between honest and byzantine agents
nothing must be covered, and a coordinator with a byzantine neighbour counts as needed.
Source: AgentsNet (arXiv 2507.08616), minimal vertex cover.
"""

from collections.abc import Mapping, Sequence

from coordgym.silo_env.graph.task import (
    Alone,
    Answers,
    GraphTask,
    Measures,
    Neighbourhoods,
    Score,
    share,
)

GUESSES = ((0.0, 1.0), (0.25, 2.0), (0.5, 3.0), (1.0, 4.0), (1.5, 5.0))
"""What a neighbour counts, and what a neighbour before oneself and these must exceed together."""


class VertexCover(GraphTask):
    """Inclusion-minimal vertex cover."""

    name = "vertex_cover"
    title = "Minimal vertex cover"
    local = True
    question = "coordinators touch every link, none is superfluous"
    solved_if = "every link has a Yes end, every Yes agent a No neighbour"
    measures = Measures(
        score="share of covered links × share of needed coordinators",
        coverage="share of covered links",
        redundancy="share of coordinators that nobody needs",
        conflicts="links without a coordinator",
    )

    def options(self, neighbours: Sequence[str], max_degree: int) -> tuple[str, ...]:
        """Return Yes and No."""
        return ("Yes", "No")

    def describe(self, max_degree: int) -> str:
        """Explain the task."""
        return (
            "The network must choose coordinators. Of any two neighbours at least one must be a "
            "coordinator, and no coordinator may be superfluous: each needs at least one "
            "neighbour that is not a coordinator. Yes means: I am a coordinator."
        )

    def summarize(self, max_degree: int) -> str:
        """Explain the task briefly."""
        return (
            "Yes = coordinator; of 2 neighbours at least 1 says Yes; "
            "each Yes agent has a No neighbour"
        )

    def judge(self, answers: Answers) -> Score:
        """Judge the cover."""
        given = answers.of_honest()
        members = {name for name, answer in given.items() if answer == "Yes"}
        open_edges = sum(a not in members and b not in members for a, b in answers.edges)
        idle = sum(all(other in members for other in answers.neighbours[name]) for name in members)
        needed = len(members) if open_edges else len(members) - idle
        coverage = share(len(answers.edges) - open_edges, len(answers.edges))
        use = share(needed, len(members))
        valid = all(answer in ("Yes", "No") for answer in given.values())
        success = valid and open_edges == 0 and idle == 0
        return Score(success, coverage * use, coverage, 1.0 - use, open_edges)

    def grade(self, answers: Answers) -> float:
        """Return covered share × needed share × valid share, open links or not.

        The published score calls all coordinators needed while a link is open: coin flips without
        a word earn 0.9 by it.
        """
        given = answers.of_honest()
        needed = self._needed(answers)
        outside = [name for name, answer in given.items() if answer == "No"]
        covered = sum(a in needed or b in needed for a, b in answers.edges)
        valid = share(len(needed) + len(outside), len(given))
        use = share(sum(needed.values()), len(needed))
        return share(covered, len(answers.edges)) * use * valid

    def seats_right(self, answers: Answers) -> dict[str, bool]:
        """Call right the needed coordinators, and the others with coordinators all around."""
        given = answers.of_honest()
        needed = self._needed(answers)
        open_ends = {
            name for edge in answers.edges if needed.keys().isdisjoint(edge) for name in edge
        }
        return {
            name: needed.get(name, answer == "No" and name not in open_ends)
            for name, answer in given.items()
        }

    def _needed(self, answers: Answers) -> dict[str, bool]:
        """Tell of each coordinator whether it has a neighbour that is none."""
        members = {name for name, answer in answers.of_honest().items() if answer == "Yes"}
        return {name: not members.issuperset(answers.neighbours[name]) for name in members}

    def guess(self, alone: Alone) -> str:
        """Coordinate if there are enough neighbours, above all such as come before oneself."""
        worth, bar = GUESSES[int(alone.common * len(GUESSES))]
        return "Yes" if alone.before + worth * len(alone.neighbours) > bar else "No"

    def clash(self, first: str, second: str, given: Mapping[str, str]) -> bool:
        """Tell whether the edge is open."""
        return given[first] == given[second] == "No"

    def solve(self, neighbours: Neighbourhoods, inputs: Mapping[str, str] | None) -> dict[str, str]:
        """Leave out a maximal independent set: each agent is out if no earlier neighbour is."""
        outside: set[str] = set()
        for name, around in neighbours.items():
            if not any(other in outside for other in around):
                outside.add(name)
        return {name: "No" if name in outside else "Yes" for name in neighbours}
