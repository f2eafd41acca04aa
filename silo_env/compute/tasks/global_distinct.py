"""III-26 Global distinct: how many different integers there are, by splitting up the values.

Shard: a list of integers. Extra: nothing. Answer: one integer, all or nothing. The numbers are
those of I-08, dealt; the level, the hint and the credit differ.
Source: Silo-Bench, level III (shuffle).
"""

from typing import Any

import numpy as np

from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.task import Instance, configure, deal
from coordgym.silo_env.compute.tasks.set_union_size import SetUnionSize, SetUnionSizeConfig


class GlobalDistinct(SetUnionSize):
    """The number of distinct integers of a collection that was dealt."""

    id = "III-26"
    slug = "global-distinct"
    title = "Global distinct"
    partial = Partial.NONE
    hint = (
        "This is a global reorganization: equal integers may lie anywhere. If each value is "
        "assigned to one agent, for example by a hash of it, each agent can count the different "
        "values assigned to it, and such counts add up."
    )
    question = (
        "The integers of one large collection were dealt to all agents at random, so the same "
        "integer may be in several lists and several times in one. Find out how many "
        "different integers the whole collection has. Every agent must submit the number."
    )
    question_in_brief = "number of distinct integers in the union of all agents' lists; answer: int"

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[int], int]:
        """Draw integers from a range in which many meet, and deal them."""
        drawn = configure(SetUnionSizeConfig, params).draw(rng, n_agents)
        return self.instance(deal(rng, drawn, n_agents), {})
