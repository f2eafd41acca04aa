"""Relations in a family of which the parent links are known, and families drawn at random."""

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

import numpy as np

from coordgym.silo_env.pairs.facts.links import Link
from coordgym.silo_env.pairs.facts.names import choose

RELATIONS: tuple[str, ...] = (
    "parent", "child", "sibling", "grandparent", "grandchild", "aunt_uncle", "niece_nephew",
    "cousin", "great_grandparent", "great_grandchild", "none",
)  # fmt: skip
"""What one person can be to another; of several that hold, the first counts."""

Parents = Mapping[str, frozenset[str]]
"""The parents of every person."""

MOST_PARENTS = 2
FOUNDERS = 2
GENERATION_SIZES = (2, 3)
"""Persons in a generation after the founders."""


def parent_sets(people: Iterable[str], links: Iterable[Link]) -> Parents:
    """Return the parents of every person, from links of parent and child."""
    found: dict[str, set[str]] = {person: set() for person in people}
    for parent, child in links:
        found[child].add(parent)
    return {person: frozenset(each) for person, each in found.items()}


def relation(s: str, o: str, parents: Parents) -> str:
    """Say what ``s`` is to ``o``: the first of RELATIONS that holds."""
    above_s, above_o = _grandparents(s, parents), _grandparents(o, parents)
    checks = (
        s in parents[o],
        o in parents[s],
        bool(parents[s] & parents[o]),
        s in above_o,
        o in above_s,
        any(parents[s] & parents[parent] for parent in parents[o]),
        any(parents[o] & parents[parent] for parent in parents[s]),
        bool(above_s & above_o),
        any(s in parents[each] for each in above_o),
        any(o in parents[each] for each in above_s),
    )
    return next((word for word, holds in zip(RELATIONS, checks, strict=False) if holds), "none")


def _grandparents(person: str, parents: Parents) -> frozenset[str]:
    return frozenset(elder for parent in parents[person] for elder in parents[parent])


def parents_fault(people: Iterable[str], links: Sequence[Link]) -> str | None:
    """Say why links are no family; None if they are one."""
    parents = parent_sets(people, links)
    if any(len(each) > MOST_PARENTS for each in parents.values()):
        return f"edges must give a person at most {MOST_PARENTS} parents"
    try:
        TopologicalSorter(parents).prepare()
    except CycleError:
        return "edges must not make a person an own ancestor"
    return None


def family(people: Sequence[str], p_two: float, rng: np.random.Generator) -> list[Link]:
    """Draw a family: founders, then generations of two or three with parents in the one before.

    Args:
        people: Founders first, then by generation.
        p_two: Chance of a second parent.
        rng: Source of the draws.
    """
    links: list[Link] = []
    elders, done = list(people[:FOUNDERS]), FOUNDERS
    while done < len(people):
        size = GENERATION_SIZES[int(rng.integers(len(GENERATION_SIZES)))]
        young = people[done : done + size]
        for child in young:
            count = 2 if rng.random() < p_two else 1
            links += [(parent, child) for parent in choose(elders, count, rng)]
        elders, done = list(young), done + size
    return links


def draw_parents(
    people: Sequence[str], known: Sequence[Link], count: int, rng: np.random.Generator
) -> list[Link] | None:
    """Draw parent links that go with known ones, between neighbouring generations if they can.

    Returns:
        None if the drawn generations have no room for so many links.
    """
    level = _generations(people, known, rng)
    apart = 1
    if level is None:
        level, apart = _ages(people, known, rng), len(people)
    parents = {person: {a for a, b in known if b == person} for person in people}
    drawn: list[Link] = []
    # Persons without a parent come first: in a drawn family only founders have none.
    for least in range(MOST_PARENTS):
        for child in choose(people, len(people), rng):
            elders = [
                person
                for person in people
                if 1 <= level[child] - level[person] <= apart and person not in parents[child]
            ]
            if len(drawn) < count and len(parents[child]) == least and elders:
                elder = elders[int(rng.integers(len(elders)))]
                parents[child].add(elder)
                drawn.append((elder, child))
    return choose(drawn, len(drawn), rng) if len(drawn) == count else None


def _generations(
    people: Sequence[str], known: Sequence[Link], rng: np.random.Generator
) -> dict[str, int] | None:
    """Draw generations in which a known child comes just after its parents.

    Returns:
        None if known links skip generations.
    """
    near: dict[str, list[tuple[str, int]]] = {person: [] for person in people}
    for parent, child in known:
        near[parent].append((child, 1))
        near[child].append((parent, -1))
    most = 2 + (len(people) - FOUNDERS) // GENERATION_SIZES[-1]
    level: dict[str, int] = {}
    for person in people:
        if person in level:
            continue
        branch, stack = {person: 0}, [person]
        while stack:
            here = stack.pop()
            for other, step in near[here]:
                if other not in branch:
                    branch[other] = branch[here] + step
                    stack.append(other)
                elif branch[other] != branch[here] + step:
                    return None
        lowest = min(branch.values())
        height = max(branch.values()) - lowest + 1
        shift = int(rng.integers(max(0, most - height) + 1)) - lowest
        level.update({name: place + shift for name, place in branch.items()})
    return level


def _ages(people: Sequence[str], known: Sequence[Link], rng: np.random.Generator) -> dict[str, int]:
    """Draw an order with parents before their children, as the place of each person."""
    shuffled = choose(people, len(people), rng)
    sorter = TopologicalSorter[str](dict.fromkeys(shuffled, ()))
    for parent, child in known:
        sorter.add(child, parent)
    return {person: place for place, person in enumerate(sorter.static_order())}
