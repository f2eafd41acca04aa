"""Synchronization: bring all lights to agree, then to agree on the opposite, again and again.

Every agent has a light. SWITCH toggles the own one after the physics of a round. If then all
lights agree and differ from the unanimous state that last scored, the team scores 1; the first
agreement always scores, also one that the start already shows.

Observation: the view (numbers with a $ have their light off), whether the own light is on,
messages heard. Actions: UP, DOWN, LEFT, RIGHT, STAY, SWITCH. Reward: the score gained, with
``reward="individual"`` too. The episode ends at the limit on rounds. Source: Ruan et al. 2025,
section A.4.2; the published implementation (compat) has the same rules. The clock alone wins it:
who has the light on after even rounds and off after odd ones needs neither view nor message.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np

from coordgym.errors import InstanceError
from coordgym.swarm_env.grid.cells import STAY
from coordgym.swarm_env.grid.fields import read_int
from coordgym.swarm_env.grid.placement import bordered_grid, place_agents, wall_object
from coordgym.swarm_env.grid.task_state import TaskState
from coordgym.swarm_env.grid.world import MOVES, World
from coordgym.swarm_env.options import SwarmConfig
from coordgym.swarm_env.task import Outcome, Published, Task, Turn

MIN_SIDE: Final = 3
"""Smallest number of rows and of columns: one cell within the border."""
SWITCH: Final = "SWITCH"
NEVER: Final = -1
"""Value of ``prev_state`` before the team has scored."""

_RULES = """\
Every agent has a light that is on or off. SWITCH toggles your own light; an agent that switches \
does not move. When at the end of a round all {n_agents} lights agree, the whole team scores 1 \
point, provided that the lights last scored in the opposite state: after a point for all on, only \
all off scores next, then all on again, and so forth. The first agreement scores either way. \
Agree as often as you can."""


@dataclass(slots=True)
class AgreementState(TaskState):
    """The last agreement that scored.

    Attributes:
        prev_state: Lights that were on: 0, all, or ``NEVER``; None counts as different from both.
    """

    fields: ClassVar[tuple[str, ...]] = ("prev_state",)

    prev_state: int | None

    @classmethod
    def read(cls, given: Mapping[str, Any], n_agents: int) -> Self:
        """Read how many lights were on."""
        value = given.get("prev_state")
        if value is None:
            return cls(None)
        number = read_int("prev_state", value, NEVER, n_agents)
        if number not in (NEVER, 0, n_agents):
            raise InstanceError(f"prev_state must be -1, 0 or {n_agents}, got {number}")
        return cls(number)

    def to_dict(self) -> dict[str, Any]:
        """Return how many lights were on."""
        return {} if self.prev_state is None else {"prev_state": self.prev_state}


def unanimous(world: World) -> int | None:
    """Count the lights on if all agents on the map agree; return None otherwise."""
    lights = {
        light is True for light, gone in zip(world.lights, world.escaped, strict=True) if not gone
    }
    if len(lights) != 1:
        return None
    return world.n_agents if lights.pop() else 0


class Synchronization(Task):
    """The rules above, bound to the interface of a task."""

    name: ClassVar[str] = "synchronization"
    actions: ClassVar[tuple[str, ...]] = (*MOVES, STAY, SWITCH)
    target: ClassVar[float] = 100.0
    score_words: ClassVar[str] = "times that all lights agreed, the other way round each time"
    published: ClassVar[Published | None] = Published(
        "0.00 / 0.00 / 0.35", "41.95", "9.0 (gemini-2.0-flash, centralised)"
    )
    state: ClassVar[type[TaskState]] = AgreementState
    light_name: ClassVar[str | None] = "light_on"
    dark_words: ClassVar[str] = "whose light is off"

    def check(self, config: SwarmConfig) -> None:
        """Require a free cell within the border for each agent."""
        config.require_size(MIN_SIDE, MIN_SIDE, self.name)
        config.require_room((config.height - 2) * (config.width - 2), self.name)

    def generate(self, config: SwarmConfig, rng: np.random.Generator) -> World:
        """Put the agents anywhere within the border, each light on or off at random."""
        height, width = config.height, config.width
        rows, columns = range(1, height - 1), range(1, width - 1)
        cells = place_agents(config.n_agents, rows, columns, [], rng)
        lights = [bool(light) for light in rng.integers(2, size=config.n_agents)]
        walls = wall_object(bordered_grid(height, width))
        return self.start(config, cells, [walls], lights, prev_state=NEVER)

    def check_world(self, world: World) -> None:
        """Require a light for each agent."""
        for agent, light in enumerate(world.lights):
            if light is None:
                raise InstanceError(
                    "a synchronization instance needs state: true or false (light on or off) "
                    f"for each agent, agent {agent} has none"
                )

    def update(
        self, world: World, turn: Turn, config: SwarmConfig, rng: np.random.Generator
    ) -> Outcome:
        """Toggle the lights of those that switch, then score an agreement."""
        for agent, action in turn.actions.items():
            if action == SWITCH:
                world.lights[agent] = not world.lights[agent]
        state = unanimous(world)
        last = world.state_of(AgreementState)
        if state is None or state == last.prev_state:
            return Outcome(0.0)
        last.prev_state = state
        world.score += 1.0
        return Outcome(1.0, dict.fromkeys(range(world.n_agents), 1.0))

    def own_target(self, world: World, limit: int) -> float | None:
        """Return the most that can be scored, one point in each round that is left."""
        return world.score + max(limit - world.round, 0)

    def phases(self, world: World) -> list[float]:
        """Return the share of the lights that are as the next point needs them, the same to all."""
        lights = [
            light is True
            for light, gone in zip(world.lights, world.escaped, strict=True)
            if not gone
        ]
        last, lit = world.state_of(AgreementState).prev_state, sum(lights)
        if not lights:
            return [0.0] * world.n_agents
        if last in (None, NEVER):
            set_right = max(lit, len(lights) - lit)
        else:
            set_right = len(lights) - lit if last else lit
        return [set_right / len(lights)] * world.n_agents

    def rules(self, config: SwarmConfig, world: World) -> str:
        """Tell lights, agreement and score in prose."""
        return _RULES.format(n_agents=config.n_agents)

    def short_rules(self, config: SwarmConfig, world: World) -> str:
        """Tell lights, agreement and score in few words."""
        return (
            "SWITCH toggles your light instead of moving; all lights equal after a round: +1 for "
            "the team if the last such point was for the opposite state (the first always counts)"
        )
