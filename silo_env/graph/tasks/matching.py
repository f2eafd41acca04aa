"""Maximal matching: agents pair up with neighbours until no two free ones are left side by side.

Answers: a neighbour's name, or ``None``. An agent is wrong if it names somebody who is not a
neighbour or doesn't name it back, says None next to another None, or gives no valid answer.
Success: nobody is wrong. Score and coverage: share of agents that are right. Conflicts:
agents that are wrong. Naming a byzantine neighbour counts as right.
Source: AgentsNet (arXiv 2507.08616), maximal matching.
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

NOBODY = "None"
WORTH_A_TRY = (0.3, 0.5)
"""Links with smaller numbers than one in this range are tried by who guesses."""


class Matching(GraphTask):
    """Maximal matching of neighbours."""

    name = "matching"
    title = "Maximal matching"
    local = True
    question = "neighbours pair up until nobody can"
    solved_if = "partners name each other, nobody says None beside another None"
    measures = Measures(
        score="share of agents that are right",
        coverage="share of agents that are right",
        redundancy="always 0",
        conflicts="agents that are wrong",
    )

    def options(self, neighbours: Sequence[str], max_degree: int) -> tuple[str, ...]:
        """Return the neighbours' names and None."""
        return (*neighbours, NOBODY)

    def describe(self, max_degree: int) -> str:
        """Explain the task."""
        return (
            "The agents must form pairs of neighbours. Each agent is in at most one pair, and "
            "two partners must name each other. An agent may stay without a partner (None) only "
            "if every neighbour of it is in a pair."
        )

    def summarize(self, max_degree: int) -> str:
        """Explain the task briefly."""
        return "pair up: partners are neighbours and name each other; no two neighbours both None"

    def judge(self, answers: Answers) -> Score:
        """Judge the pairs."""
        right = self.seats_right(answers)
        wrong = len(right) - sum(right.values())
        coverage = share(sum(right.values()), len(right))
        return Score(wrong == 0, coverage, coverage, 0.0, wrong)

    def seats_right(self, answers: Answers) -> dict[str, bool]:
        """Call right who is in a pair, or without a partner beside nobody else without one."""
        given = answers.of_honest()

        def is_right(name: str) -> bool:
            answer = given[name]
            around = answers.neighbours[name]
            if answer == NOBODY:
                return not any(given.get(other) == NOBODY for other in around)
            if answer is None or answer not in around:
                return False
            return answer in answers.byzantine or given[answer] == name

        return {name: is_right(name) for name in given}

    def guess(self, alone: Alone) -> str:
        """Name the neighbour on the link with the smallest number, if that is small."""
        least, most = WORTH_A_TRY
        number, neighbour = min(zip(alone.links, alone.neighbours, strict=True), default=(1.0, ""))
        return neighbour if number < least + (most - least) * alone.common else NOBODY

    def clash(self, first: str, second: str, given: Mapping[str, str]) -> bool:
        """Tell whether both have no partner, or one names the other and isn't named back."""
        if given[first] == given[second] == NOBODY:
            return True
        return (given[first] == second) != (given[second] == first)

    def solve(self, neighbours: Neighbourhoods, inputs: Mapping[str, str] | None) -> dict[str, str]:
        """Pair each free agent with its first free neighbour."""
        partner: dict[str, str] = {}
        for name, around in neighbours.items():
            free = [other for other in around if other not in partner]
            if name not in partner and free:
                partner[name], partner[free[0]] = free[0], name
        return {name: partner.get(name, NOBODY) for name in neighbours}
