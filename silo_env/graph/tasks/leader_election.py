"""Leader election: exactly one agent of the whole network says Yes.

Answers: ``Yes`` (I lead) or ``No``. Success and score (0 or 1): all answers valid, one Yes.
Coverage: 1 if somebody leads. Redundancy: share of the leaders beyond the first. Conflicts:
leaders beyond the first. With byzantine agents, exactly one honest agent must lead.
Source: AgentsNet (arXiv 2507.08616), leader election.
"""

from collections.abc import Mapping, Sequence

from coordgym.silo_env.graph.task import (
    Alone,
    Answers,
    GraphTask,
    Measures,
    Neighbourhoods,
    Score,
)


class LeaderElection(GraphTask):
    """Election of one leader."""

    name = "leader_election"
    title = "Leader election"
    local = False
    question = "exactly one leader"
    solved_if = "every agent says Yes or No, exactly one Yes"
    measures = Measures(
        score="1 or 0, as success",
        coverage="1 if somebody leads",
        redundancy="share of leaders beyond the first",
        conflicts="leaders beyond the first",
    )

    def options(self, neighbours: Sequence[str], max_degree: int) -> tuple[str, ...]:
        """Return Yes and No."""
        return ("Yes", "No")

    def describe(self, max_degree: int) -> str:
        """Explain the task."""
        return (
            "The network must elect one leader. In the end exactly one agent of the whole "
            "network, near or far, answers Yes (I am the leader) and all others answer No."
        )

    def summarize(self, max_degree: int) -> str:
        """Explain the task briefly."""
        return "exactly 1 agent of the whole network says Yes (leader), all others No"

    def judge(self, answers: Answers) -> Score:
        """Judge the election."""
        given = answers.of_honest()
        leaders = sum(answer == "Yes" for answer in given.values())
        success = leaders == 1 and all(answer in ("Yes", "No") for answer in given.values())
        surplus = max(leaders - 1, 0)
        redundancy = surplus / leaders if leaders else 0.0
        return Score(success, float(success), float(leaders > 0), redundancy, surplus)

    def guess(self, alone: Alone) -> str:
        """Lead with a probability of 1 in n, which is right in more than one of three networks."""
        return "Yes" if alone.luck * alone.n_agents < 1 else "No"

    def clash(self, first: str, second: str, given: Mapping[str, str]) -> bool:
        """Tell whether both lead; leaders farther apart clash on no edge."""
        return given[first] == given[second] == "Yes"

    def solve(self, neighbours: Neighbourhoods, inputs: Mapping[str, str] | None) -> dict[str, str]:
        """Let the first agent lead."""
        return {name: "No" if i else "Yes" for i, name in enumerate(neighbours)}
