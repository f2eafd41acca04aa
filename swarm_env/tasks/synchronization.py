"""Synchronization: bring all lights to agree, then to agree on the opposite, again and again.

Every agent has a light. SWITCH toggles the own one after the physics of a round. If then all
lights agree and differ from the unanimous state that last scored, the team scores 1; the first
agreement always scores, also one that the start already shows.

Observation: the view (numbers with a $ have their light off), whether the own light is on,
messages heard. Actions: UP, DOWN, LEFT, RIGHT, STAY, SWITCH. Reward: the score gained, with
``reward="individual"`` too. The episode ends at the limit on rounds. Source: Ruan et al. 2025,
section A.4.2; the published implementation (compat) has the same rules.
"""

from typing import ClassVar, Final

import numpy as np

from coordgym.errors import InstanceError
from coordgym.swarm_env.grid.placement import bordered_grid, place_agents, wall_object
from coordgym.swarm_env.grid.world import MOVES, World
from coordgym.swarm_env.task import Outcome, SwarmConfig, Task, Turn

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


def unanimous(world: World) -> int | None:
    """Lights on if all agents on the map agree: 0, or the number of agents; None otherwise."""
    lights = {
        light is True for light, gone in zip(world.lights, world.escaped, strict=True) if not gone
    }
    if len(lights) != 1:
        return None
    return world.n_agents if lights.pop() else 0


class Synchronization(Task):
    """The rules above, bound to the interface of a task."""

    name: ClassVar[str] = "synchronization"
    actions: ClassVar[tuple[str, ...]] = (*MOVES, "STAY", SWITCH)
    target: ClassVar[float] = 100.0
    light_name: ClassVar[str | None] = "light_on"

    def check(self, config: SwarmConfig) -> None:
        """Needs a free cell within the border for each agent."""
        config.require_size(MIN_SIDE, MIN_SIDE, self.name)
        config.require_room((config.height - 2) * (config.width - 2), self.name)

    def generate(self, config: SwarmConfig, rng: np.random.Generator) -> World:
        """Puts the agents anywhere within the border, each light on or off at random."""
        height, width = config.height, config.width
        rows, columns = range(1, height - 1), range(1, width - 1)
        cells = place_agents(config.n_agents, rows, columns, [], rng)
        lights = rng.integers(2, size=config.n_agents)
        return World.from_dict(
            {
                "width": width,
                "height": height,
                "agents": {
                    str(n): {"pos": list(cell), "state": bool(light)}
                    for n, (cell, light) in enumerate(zip(cells, lights, strict=True))
                },
                "objects": [wall_object(bordered_grid(height, width))],
                "prev_state": NEVER,
            }
        )

    def check_world(self, world: World) -> None:
        """Needs a light for each agent."""
        for agent, light in enumerate(world.lights):
            if light is None:
                raise InstanceError(
                    "a synchronization instance needs state: true or false (light on or off) "
                    f"for each agent, agent {agent} has none"
                )
        world.require_no_fields_but(("prev_state",), self.name)

    def update(
        self, world: World, turn: Turn, config: SwarmConfig, rng: np.random.Generator
    ) -> Outcome:
        """Toggles the lights of those that switch, then scores an agreement."""
        for agent, action in turn.actions.items():
            if action == SWITCH:
                world.lights[agent] = not world.lights[agent]
        state = unanimous(world)
        if state is None or state == world.prev_state:
            return Outcome(0.0)
        world.prev_state = state
        world.score += 1.0
        return Outcome(1.0, dict.fromkeys(range(world.n_agents), 1.0))

    def rules(self, config: SwarmConfig) -> str:
        """Lights, agreement and score in prose."""
        return _RULES.format(n_agents=config.n_agents)

    def short_rules(self, config: SwarmConfig) -> str:
        """Lights, agreement and score in few words."""
        return (
            "SWITCH toggles your light instead of moving; all lights equal after a round: +1 for "
            "the team if the last such point was for the opposite state (the first always counts)"
        )

    def legend(self) -> dict[str, str]:
        """No letter of its own."""
        return {}
