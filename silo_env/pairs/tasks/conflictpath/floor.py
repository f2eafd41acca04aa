"""Two vehicles on one floor: steps and waits in the same ticks, without collisions."""

import heapq
from collections.abc import Iterable, Sequence
from functools import lru_cache

from coordgym.silo_env.pairs.grids.cells import Rows, open_moves
from coordgym.silo_env.pairs.grids.paths import Walk, distances_to
from coordgym.silo_env.pairs.grids.schemes import Cell

Joint = tuple[Cell, Cell]
"""The cells of vehicles A and B at one tick."""


def is_legal(before: Joint, after: Joint) -> bool:
    """Return whether two vehicles neither meet in a cell nor swap their cells."""
    return after[0] != after[1] and after != (before[1], before[0])


class JointFloor:
    """The joint problem of two vehicles.

    Args:
        grid: The floor; "#" is an obstacle.
        goals: Where A and B should stand at the same tick.
    """

    def __init__(self, grid: Rows, goals: Joint) -> None:
        moves = open_moves(grid)
        self.goals = goals
        self._steps = {cell: sorted((cell, *near)) for cell, near in moves.items()}
        self._alone = (distances_to(goals[0], moves), distances_to(goals[1], moves))

    def successors(self, joint: Joint) -> Iterable[Joint]:
        """Return where one tick leads, in lexicographic order."""
        for a in self._steps[joint[0]]:
            for b in self._steps[joint[1]]:
                if is_legal(joint, (a, b)):
                    yield a, b

    def at_least(self, joint: Joint) -> int | None:
        """Return the ticks that the slower vehicle would need alone; None if one can't arrive."""
        a, b = self._alone[0].get(joint[0]), self._alone[1].get(joint[1])
        return None if a is None or b is None else max(a, b)

    def remaining(self, joint: Joint) -> int | None:
        """Return the fewest ticks to both goals (A* search); None if they are out of reach."""
        estimate = self.at_least(joint)
        if estimate is None or joint[0] == joint[1]:
            return None
        best = {joint: 0}
        queue = [(estimate, 0, joint)]
        while queue:
            _, minus_ticks, here = heapq.heappop(queue)
            if here == self.goals:
                return -minus_ticks
            if best[here] < -minus_ticks:
                continue
            ticks = 1 - minus_ticks
            for there in self.successors(here):
                estimate = self.at_least(there)
                if estimate is not None and ticks < best.get(there, ticks + 1):
                    best[there] = ticks
                    heapq.heappush(queue, (ticks + estimate, -ticks, there))
        return None

    def walk(self, plan: Sequence[Joint]) -> Walk:
        """Follow a plan, one entry per tick, up to its first violation or the goals."""
        here, ticks = plan[0], 0
        optimal = self.remaining(here) or 0
        for there in plan[1:]:
            if here == self.goals or there not in self.successors(here):
                break
            here, ticks = there, ticks + 1
        # Every joint step can be taken back, so the goals stay in reach.
        return Walk(ticks, self.remaining(here) or 0, optimal)

    def optimal_plans(self, starts: Joint, limit: int) -> list[list[Joint]]:
        """Return plans of the fewest ticks in lexicographic order, at most ``limit`` of them."""
        ticks = self.remaining(starts)
        if ticks is None:
            return []
        layers = [{starts}]
        for left in range(ticks - 1, -1, -1):
            layers.append(
                {
                    there
                    for here in layers[-1]
                    for there in self.successors(here)
                    if (alone := self.at_least(there)) is not None and alone <= left
                }
            )
        useful = {ticks: {self.goals}}
        for tick in range(ticks - 1, -1, -1):
            useful[tick] = {
                here
                for here in layers[tick]
                if any(there in useful[tick + 1] for there in self.successors(here))
            }
        plans: list[list[Joint]] = []
        stack = [[starts]]
        while stack and len(plans) < limit:
            plan = stack.pop()
            if len(plan) > ticks:
                plans.append(plan)
                continue
            ahead = [there for there in self.successors(plan[-1]) if there in useful[len(plan)]]
            stack.extend([*plan, there] for there in reversed(ahead))
        return plans


@lru_cache(maxsize=16)
def joint_floor(grid: Rows, goals: Joint) -> JointFloor:
    """Return the joint problem of a floor; the latest ones are kept for answers read on them."""
    return JointFloor(grid, goals)
