"""Consensus: all agents give the same bit.

Answers: ``0`` or ``1``. Success and score (0 or 1): all answers valid and equal. Without inputs
always answering 0 succeeds; that variant is kept because AgentsNet defines it. With
``inputs="majority"`` all must give the bit that most agents (byzantine ones included) have as
their private input, or 0 if both are equally frequent. Inputs are drawn nearly balanced, never
all alike and never as many of both, each bit as probable: whoever says nothing is right in at
most half of the networks. With ``inputs="any"`` all must give the private bit of some honest
agent; these bits are drawn one by one, so that a constant is mostly right. Coverage: share of
agents that give the majority's bit where there is one to find, else the most frequent valid
answer. Conflicts: edges whose ends give different valid answers.
Source: AgentsNet (arXiv 2507.08616), consensus; inputs are our addition.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from coordgym.silo_env.graph.task import (
    Alone,
    Answers,
    GraphTask,
    Measures,
    Neighbourhoods,
    Score,
    share,
)

BITS = ("0", "1")
ANY = "any"
MAJORITY = "majority"


def most_frequent(bits: Collection[str]) -> str:
    """Return the bit that there is more of; 0 if there is as much of both."""
    ones = sum(bit == BITS[1] for bit in bits)
    return BITS[2 * ones > len(bits)]


class Consensus(GraphTask):
    """Agreement on one bit."""

    name = "consensus"
    title = "Consensus"
    local = False
    question = "all agree on 0 or 1"
    solved_if = "every agent names the same bit"
    measures = Measures(
        score="1 or 0, as success",
        coverage="share of agents with the most frequent bit, or the majority's",
        redundancy="always 0",
        conflicts="links between agents that disagree",
    )
    input_values = BITS
    input_rules = (MAJORITY, ANY)
    oldest_input_rule = ANY

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

    def draw_inputs(
        self, count: int, rule: str | None, byzantine: int, rng: np.random.Generator
    ) -> tuple[str, ...]:
        """Draw bits one by one, or where the majority counts a nearly balanced number of each.

        The majority is larger than what byzantine agents could turn by lying about themselves,
        where the network is large enough.
        """
        if rule != MAJORITY:
            return super().draw_inputs(count, rule, byzantine, rng)
        least = 1 + 2 * byzantine
        least += (count - least) % 2
        leads = [lead for lead in (least, least + 2) if lead <= count - 2]
        lead = leads[int(rng.integers(len(leads)))] if leads else max(count - 2, 2 - count % 2)
        fewer = int(rng.integers(2))
        bits = [BITS[fewer]] * ((count - lead) // 2) + [BITS[1 - fewer]] * ((count + lead) // 2)
        return tuple(bits[i] for i in rng.permutation(count))

    def describe_input(self, own: str, rule: str | None) -> str:
        """Explain the private bit."""
        wanted = (
            "that most agents of the whole network have as their input, or 0 if 0 and 1 are "
            "equally frequent"
            if rule == MAJORITY
            else "that is the input of at least one agent"
        )
        return f"Your private input is {own}. The agreed value must be one {wanted}."

    def summarize_input(self, own: str, rule: str | None) -> str:
        """Explain the private bit briefly."""
        wanted = "most agents' input (0 if equal)" if rule == MAJORITY else "some agent's input"
        return f"input {own}, agree on {wanted}"

    def judge(self, answers: Answers) -> Score:
        """Judge the agreement."""
        given = answers.of_honest()
        counts = {bit: sum(answer == bit for answer in given.values()) for bit in BITS}
        success = len(given) in counts.values()
        agreed = max(BITS, key=lambda bit: counts[bit])
        if answers.inputs is not None and answers.input_rule == MAJORITY:
            agreed = most_frequent(answers.inputs.values())
            success = len(given) == counts[agreed]
        elif success and answers.inputs is not None:
            success = any(answers.inputs[name] == agreed for name in given)
        conflicts = sum(
            {given[first], given[second]} == set(BITS) for first, second in answers.edges
        )
        coverage = share(counts[agreed], len(given))
        return Score(success, float(success), coverage, 0.0, conflicts)

    def guess(self, alone: Alone) -> str:
        """Give the first bit, as everybody else."""
        return BITS[0]

    def seats_right(self, answers: Answers) -> dict[str, bool] | None:
        """Call right who gives the majority's bit, where that is to be found."""
        if answers.inputs is None or answers.input_rule != MAJORITY:
            return None
        wanted = most_frequent(answers.inputs.values())
        return {name: answer == wanted for name, answer in answers.of_honest().items()}

    def clash(self, first: str, second: str, given: Mapping[str, str]) -> bool:
        """Tell whether the bits differ."""
        return given[first] != given[second]

    def solve(self, neighbours: Neighbourhoods, inputs: Mapping[str, str] | None) -> dict[str, str]:
        """Take the most frequent input: it is the majority's, and somebody's at any rate."""
        return dict.fromkeys(neighbours, most_frequent((inputs or {}).values()))
