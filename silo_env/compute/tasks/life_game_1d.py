"""II-14 Life game: steps of a one-dimensional cellular automaton over a row in pieces.

Shard: a list of cells, 0 or 1, the next piece of the row. Extra: ``steps`` and ``boundary``,
always 0: cells outside the row are dead. In each step, all cells at once, a cell becomes 1 exactly
if one of left neighbour, itself and right neighbour is 1. Answer (segmented): the own cells after
the steps.
Source: Silo-Bench, level II (mesh).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from coordgym.errors import InstanceError, require_int
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER, ListOf
from coordgym.silo_env.compute.task import (
    Extra,
    Instance,
    Task,
    configure,
    cut,
    cut_like,
    require_integers,
    require_parameter,
)
from coordgym.silo_env.compute.tasks.items import MAX_ITEMS

PUBLISHED_STEPS = 5
MAX_STEPS = 1000


@dataclass(frozen=True, slots=True)
class LifeGame1dConfig:
    """``items`` cells per agent, at least 1, and the number of ``steps``."""

    items: int = 10
    steps: int = PUBLISHED_STEPS

    def __post_init__(self) -> None:
        require_int("items", self.items, 1, MAX_ITEMS)
        require_int("steps", self.steps, 0, MAX_STEPS)


class LifeGame1d(Task[list[int], list[int]]):
    """The own cells after some steps of the automaton."""

    id = "II-14"
    slug = "life-game-1d"
    title = "Life game in one dimension"
    segmented = True
    answer_type = ListOf(INTEGER)
    partial = Partial.POSITIONS
    config = LifeGame1dConfig
    hint = (
        "This depends on what lies next to each piece: in one step a cell is changed only by the "
        "cells beside it, so within few steps only cells close to your borders can matter."
    )
    holds = "{items} cells"
    above_prior = (
        "Cells at the seams sometimes come out right without the neighbours' cells; the first "
        "and the last agent have only one seam."
    )
    question = (
        "A row of cells is cut into pieces: joined in the order of the agents' ids, the "
        "agents' lists make up the whole row. Each cell is 1 (alive) or 0 (dead); beyond both "
        "ends of the row all cells are 0 and stay so. In each step, for all cells at the same "
        "time, a cell becomes 1 if exactly one of the three cells left of it, itself and "
        "right of it is 1, and 0 otherwise. Each agent must submit its own cells after "
        "{steps} steps, and no others."
    )
    form = "a list of 0 and 1, as long as your own list, for example [0, 1, 1, …]"
    question_in_brief = (
        "cells joined by agent id, outside all 0; per step a cell becomes 1 iff exactly one "
        "of left, self, right is 1; your own cells after {steps} steps; answer: "
        "list of 0/1, as long as yours"
    )

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[int], list[int]]:
        """Draw all cells dead or alive with equal probability."""
        config = configure(LifeGame1dConfig, params)
        cells = rng.integers(2, size=config.items * n_agents).tolist()
        return self.instance(cut(cells, n_agents), {"steps": config.steps, "boundary": 0})

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of 0 and 1, a number of steps, and dead surroundings."""
        require_integers(shards)
        for agent, shard in enumerate(shards):
            if any(cell not in (0, 1) for cell in shard):
                raise InstanceError(f"shards[{agent}] must hold only 0 and 1, got {shard!r:.80}")
        require_parameter(extra, "steps", 0, MAX_STEPS)
        require_parameter(extra, "boundary", 0, 0)

    def solve(self, shards: Sequence[list[int]], extra: Extra) -> list[list[int]]:
        """Return the whole row after the steps, cut like the shards."""
        cells = list(chain.from_iterable(shards))
        for _ in range(extra["steps"]):
            triples = zip([0, *cells], cells, [*cells[1:], 0], strict=False)
            cells = [int(sum(triple) == 1) for triple in triples]
        return cut_like(cells, shards)

    def sufficient(
        self, agent: int, shards: Sequence[list[int]], extra: Extra
    ) -> tuple[frozenset[int], ...]:
        """Return the own piece and those with a cell that can be felt in it within the steps."""
        needed = {agent}
        if shards[agent]:
            for others in (range(agent - 1, -1, -1), range(agent + 1, len(shards))):
                distance = 0
                for other in others:
                    if distance >= extra["steps"]:
                        break
                    if shards[other]:
                        needed.add(other)
                        distance += len(shards[other])
        return (frozenset(needed),)

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the five steps that the published cases always take."""
        return {"steps": PUBLISHED_STEPS, "boundary": 0}
