"""A swarm task for tests: many move at the same time."""

from typing import ClassVar

import numpy as np

from coordgym.swarm_env.grid.placement import bordered_grid, place_agents, wall_object
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.options import SwarmConfig
from coordgym.swarm_env.task import Outcome, Task, Turn

MIN_SIDE = 3


class ToyStir(Task):
    """One point for each round in which at least half of the agents leave their cells."""

    name: ClassVar[str] = "toystir"
    target: ClassVar[float] = 10.0
    score_words: ClassVar[str] = "rounds in which at least half of the agents moved"

    def check(self, config: SwarmConfig) -> None:
        """Require a free cell within the border for each agent."""
        config.require_size(MIN_SIDE, MIN_SIDE, self.name)
        config.require_room((config.height - 2) * (config.width - 2), self.name)

    def generate(self, config: SwarmConfig, rng: np.random.Generator) -> World:
        """Put the agents anywhere within the border."""
        height, width = config.height, config.width
        rows, columns = range(1, height - 1), range(1, width - 1)
        cells = place_agents(config.n_agents, rows, columns, [], rng)
        return self.start(config, cells, [wall_object(bordered_grid(height, width))])

    def check_world(self, world: World) -> None:
        """Accept every world."""

    def update(
        self, world: World, turn: Turn, config: SwarmConfig, rng: np.random.Generator
    ) -> Outcome:
        """Score a round of movement."""
        moved = sum(a != b for a, b in zip(turn.before, world.positions, strict=True))
        gain = float(2 * moved >= world.n_agents)
        world.score += gain
        return Outcome(gain, dict.fromkeys(range(world.n_agents), gain))

    def rules(self, config: SwarmConfig, world: World) -> str:
        """Tell the rules in prose."""
        return "A round in which at least half of you move scores 1 point for the team."

    def short_rules(self, config: SwarmConfig, world: World) -> str:
        """Tell the rules in few words."""
        return "+1 for the team for each round in which at least half of you move"
