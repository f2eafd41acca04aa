"""Scoring of walks: how far a proposed path gets, and how good its best completion is.

For p valid moves after which d more are needed, and an optimum of L moves, the score is
p * L / (p + d)**2: the share p / (p + d) that is done of the best completion, times the quality
L / (p + d) of that completion. On a prefix of an optimal path this is p / L, the rule of The
Collaboration Tax; a detour, going back and forth, or stopping short of the goal all cost.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from coordgym.silo_env.pairs.task import Json

Place = TypeVar("Place", bound=tuple[int, ...])
"""A cell of a grid, of a block, or whatever else a walk visits."""

Moves = Mapping[Place, tuple[Place, ...]]
"""For every place that may be stood on, the places that one move reaches."""


class Walk(NamedTuple):
    """What a proposed path achieved, in moves."""

    valid: int
    remaining: int
    optimal: int

    @property
    def score(self) -> float:
        """The path score, 0..1; 1.0 only for an optimal path that reaches the goal."""
        if self.valid == 0:
            return 0.0
        return self.valid * self.optimal / (self.valid + self.remaining) ** 2

    @property
    def literal(self) -> float:
        """Valid moves over optimal moves, at most 1 (the paper's words read literally)."""
        return min(1.0, self.valid / self.optimal)

    @property
    def weighted(self) -> float:
        """The share of the optimal distance that was overcome, at least 0 (Davidson et al.)."""
        return max(0.0, (self.optimal - self.remaining) / self.optimal)


def walk(
    places: Iterable[Place | None],
    start: Place,
    goal: Place,
    moves: Moves[Place],
    distance: Mapping[Place, int],
) -> Walk:
    """Follow a path up to its first invalid move or the goal.

    Args:
        places: The path; None stands for an entry that could not be read. A repeated place
            counts once, and the start may be left out.
        start: Where the walk begins; not the goal.
        goal: Where it should end.
        moves: The legal moves.
        distance: Moves to the goal for the places from which it can be reached.
    """
    position, valid = start, 0
    for place in places:
        if place == position:
            continue
        if place is None or place not in moves.get(position, ()) or place not in distance:
            break
        position, valid = place, valid + 1
        if position == goal:
            break
    return Walk(valid, distance[position], distance[start])


def distances_to(goal: Place, moves: Moves[Place]) -> dict[Place, int]:
    """Count the moves from every place to the goal; places that cannot reach it are missing."""
    sources: dict[Place, list[Place]] = {}
    for cell, targets in moves.items():
        for target in targets:
            sources.setdefault(target, []).append(cell)
    distance = {goal: 0}
    queue = deque([goal])
    while queue:
        cell = queue.popleft()
        for source in sources.get(cell, ()):
            if source not in distance:
                distance[source] = distance[cell] + 1
                queue.append(source)
    return distance


def shortest_paths(
    start: Place, moves: Moves[Place], distance: Mapping[Place, int], limit: int
) -> list[list[Place]]:
    """Return shortest paths from the start in lexicographic order, at most ``limit`` of them."""
    paths: list[list[Place]] = []
    stack = [[start]]
    while stack and len(paths) < limit:
        path = stack.pop()
        left = distance[path[-1]]
        if left == 0:
            paths.append(path)
            continue
        nearer = sorted(cell for cell in moves[path[-1]] if distance.get(cell) == left - 1)
        stack.extend([*path, cell] for cell in reversed(nearer))
    return paths


def count_shortest_paths(start: Place, moves: Moves[Place], distance: Mapping[Place, int]) -> int:
    """Count the shortest paths from the start to the goal."""
    ways = {start: 1}
    for left in range(distance[start], 0, -1):
        ahead: dict[Place, int] = {}
        for cell, count in ways.items():
            for target in moves[cell]:
                if distance.get(target) == left - 1:
                    ahead[target] = ahead.get(target, 0) + count
        ways = ahead
    return sum(ways.values())


def reachable(start: Place, moves: Moves[Place]) -> set[Place]:
    """Return the places that moves lead to, the start included."""
    seen, stack = {start}, [start]
    while stack:
        for place in moves[stack.pop()]:
            if place not in seen:
                seen.add(place)
                stack.append(place)
    return seen


def path_json(places: Iterable[Sequence[int]]) -> list[Json]:
    """Return places as JSON lists."""
    return [list(place) for place in places]
