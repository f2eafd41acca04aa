"""Consensus: all agents give the same bit.

Answers: ``0`` or ``1``. Success and score (0 or 1): all answers valid and equal; with inputs,
also equal to the private bit of some honest agent. Without inputs always answering 0
succeeds; that variant is kept because AgentsNet defines it. Coverage: share of agents that
give the most frequent valid answer. Conflicts: edges whose ends give different valid answers.
Source: AgentsNet (arXiv 2507.08616), consensus; inputs are our addition.
"""

from collections.abc import Mapping, Sequence

from coordgym.silo_env.graph.task import Answers, GraphTask, Measures, Neighbourhoods, Score, share

BITS = ("0", "1")


class Consensus(GraphTask):
    """Agreement on one bit."""

    name = "consensus"
    title = "Consensus"
    local = False
    question = "all agree on 0 or 1"
    solved_if = "every agent names the same bit"
    measures = Measures(
        score="1 or 0, as success",
        coverage="share of agents with the most frequent bit",
        redundancy="always 0",
        conflicts="links between agents that disagree",
    )
    input_values = BITS

    def options(self, neighbours: Sequence[str], max_degree: int) -> tuple[str, ...]:
        """Return both bits."""
        return BITS

    def describe(self, max_degree: int) -> str:
        """Explain the task."""
        return (
            "The network must agree on one value, 0 or 1. In the end every agent of the whole "
            "network, near or far, must give the same value."
        )

    def summarize(self, max_degree: int) -> str:
        """Explain the task briefly."""
        return "all agents of the whole network give the same bit"

    def describe_input(self, own: str) -> str:
        """Explain the private bit."""
        return (
            f"Your private input is {own}. The agreed value must be the input of at least one "
            "agent."
        )

    def summarize_input(self, own: str) -> str:
        """Explain the private bit briefly."""
        return f"input {own}, agree on some agent's input"

    def judge(self, answers: Answers) -> Score:
        """Judge the agreement."""
        given = answers.of_honest()
        counts = {bit: sum(answer == bit for answer in given.values()) for bit in BITS}
        success = len(given) in counts.values()
        if success and answers.inputs is not None and given:
            agreed = next(iter(given.values()))
            success = any(answers.inputs[name] == agreed for name in given)
        conflicts = sum(
            {given[first], given[second]} == set(BITS) for first, second in answers.edges
        )
        coverage = share(max(counts.values()), len(given))
        return Score(success, float(success), coverage, 0.0, conflicts)

    def clash(self, first: str, second: str, given: Mapping[str, str]) -> bool:
        """Tell whether the bits differ."""
        return given[first] != given[second]

    def solve(self, neighbours: Neighbourhoods, inputs: Mapping[str, str] | None) -> dict[str, str]:
        """Take the first agent's input, or 0."""
        value = next(iter(inputs.values())) if inputs else "0"
        return dict.fromkeys(neighbours, value)
