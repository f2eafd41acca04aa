"""Pursuit, the strong way: hold a formation, let the prey run into a trap, close it.

All agents know the formations of their team (``coordgym.baselines.swarm.formations.plan``) and
their own number, so that each can find its slot alone. Where one formation does against all prey
they keep it. Else there is one for each parity that the prey's row + column may have: they change
it together after a fixed number of rounds without a capture, and return to the first one after a
capture, in whose traps the prey mostly reappears. Whoever sees or hears which parity the prey has
since the last capture says so. After a long time without a capture all hunt like the communicating
rule instead, and so they do from the start where no formation promises much.
"""

import re
from collections.abc import Mapping
from heapq import heappop, heappush
from typing import Any, Final

import numpy as np

from coordgym.baselines.swarm.brain import SwarmBrain
from coordgym.baselines.swarm.formations.plan import Formation, Plan, captures, plan
from coordgym.baselines.swarm.pursuit import Communicating, Heuristic, Reactive
from coordgym.contract.base import Info
from coordgym.swarm_env.grid.cells import STAY, VECTORS, Cell, distance

GIVE_UP: Final = 66
"""Rounds without a capture after which the formations are given up for good."""
MAX_SIGHT: Final = 2
"""How far away an agent has to see the prey at most."""
CROWD, SMALL_CROWD, SMALL = 0.42, 0.35, 25
"""Agents per cell within the walls from which on the prey can't run: in general, and on a map of
up to 25 such cells."""
WORTHWHILE: Final = 5.0
"""Captures that the formations have to promise."""
_COURSE: Final = 8  # rounds in which the prey mostly runs into a trap once a formation stands
_STIR: Final = 0.5  # probability of leaving the slot for a moment when nothing else has helped …
_STIR_EVERY: Final = 6  # … once in so many rounds
_WHIM: Final = 0.5  # probability of doing something else when it does not get on
_PUSH: Final = 5  # how many cells of detour it is worth not to push another agent aside
_NEWS = re.compile(r"prey ([01]) score (\d{1,6})\Z")


class Trapper(Communicating):
    """One agent of the formation.

    Attributes:
        walk: Rounds that it takes to get anywhere, roughly.
    """

    def __init__(self, info: Info, rng: np.random.Generator, team: Plan) -> None:
        super().__init__(info, rng)
        self.team = team
        self.walk = (self.height + self.width) // 2
        self.score = 0
        self.since = 0
        self.gave_up = False
        self.parity: int | None = None

    def decide(self, view: Mapping[str, Any]) -> tuple[str, str]:
        """Go to the slot, or close the trap that the prey is in."""
        now, score = int(view["round"]), int(view["score"])
        if score != self.score:
            self.score, self.since, self.parity = score, now, None
        self.gave_up = self.gave_up or now - self.since >= GIVE_UP
        if self.gave_up:  # in the same round as all others: everybody knows the score
            return super().decide(view)
        prey = self.find("P")
        self._learn_parity(prey)
        due = self._due(now)
        formation = self.team.formations[due]
        slot = self.team.slots[due][self.number]
        action = self._closing(formation, slot, prey) or self._to_slot(formation.slots[slot])
        if action == STAY and self._is_time_to_stir(now) and self.rng.random() < _STIR:
            action = self.free_step()
        message = "" if self.parity is None else f"prey {self.parity} score {self.score}"
        return action, message

    def _is_time_to_stir(self, now: int) -> bool:
        """Tell whether the prey may be in a cycle that all formations leave it in."""
        return self._phase(now) >= len(self.team.formations) and now % _STIR_EVERY == 0

    def _learn_parity(self, prey: Cell | None) -> None:
        if prey is not None:
            self.parity = sum(prey) % 2
            return
        for text in self.heard:
            match = _NEWS.match(text)
            if match is not None and int(match[2]) == self.score:
                self.parity = int(match[1])

    def _due(self, now: int) -> int:
        """Return the place of the formation to be in."""
        places = range(len(self.team.formations))
        able = places if self.parity is None else self.team.against(self.parity)
        return able[self._phase(now) % len(able)]

    def _phase(self, now: int) -> int:
        """Count the formations tried since the last capture."""
        waited = now - self.since - (self.walk if self.since == 0 else self.walk // 2)
        return max(0, (waited - _COURSE) // (self.walk // 2 + _COURSE) + 1)

    def _closing(self, formation: Formation, slot: int, prey: Cell | None) -> str | None:
        """Close a trap with the prey in it by a step, if it is this agent's to do."""
        if prey is None or prey not in formation.closers:
            return None
        side = formation.closers[prey].get(slot)
        if side is None:
            return None
        if self.here == side:
            return STAY
        if distance(self.here, side) != 1:
            return None
        return next(name for name in VECTORS if self.ahead(name) == side)

    def _to_slot(self, goal: Cell) -> str:
        if self.held_up() and self.rng.random() < _WHIM:
            return self.free_step()  # two agents may want to pass each other
        if self.to_and_fro() and self.rng.random() < _WHIM:
            return STAY
        return self._through(goal)

    def _through(self, goal: Cell) -> str:
        """Take the first step of the easiest way to a cell, through other agents if need be."""
        names = list(VECTORS)
        self.rng.shuffle(names)
        steps = [(name, *VECTORS[name]) for name in names]
        cost = {self.here: 0}
        queue: list[tuple[int, int, Cell, str]] = [(0, 0, self.here, STAY)]
        pushed = 0
        while queue:
            so_far, _, cell, first = heappop(queue)
            if cell == goal:
                return first
            if so_far > cost[cell]:
                continue
            for name, i, j in steps:
                near = cell[0] + i, cell[1] + j
                if not (0 < near[0] < self.height - 1 and 0 < near[1] < self.width - 1):
                    continue
                total = so_far + (1 if self.seen.get(near, ".") == "." else _PUSH)
                if total < cost.get(near, total + 1):
                    cost[near] = total
                    pushed += 1
                    heappush(queue, (total, pushed, near, name if cell == self.here else first))
        return STAY


def strong(info: Info, rng: np.random.Generator) -> SwarmBrain:
    """Make a trapper where formations work, or the best other rule.

    Under the published rules the prey mostly stays put, which is easier to hunt. In a crowd it
    has nowhere to run to.
    """
    view = info["view"]
    height, width, n_agents = view["height"], view["width"], view["n_agents"]
    if view["compat"]:
        return Heuristic(info, rng)
    sight = view["view_size"] // 2
    cells = (height - 2) * (width - 2)
    if n_agents >= cells * CROWD:
        return Heuristic(info, rng) if sight > 1 else Reactive(info, rng)
    if cells <= SMALL and n_agents >= cells * SMALL_CROWD:
        return Communicating(info, rng) if sight > 1 else Reactive(info, rng)
    found = plan(height, width, n_agents, min(sight, MAX_SIGHT))
    if found is None or captures(found.formations) < WORTHWHILE:
        return Communicating(info, rng)
    return Trapper(info, rng, found)
