"""Taxonomies in the names of one agent: their structure, their matching, their words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coordgym.silo_env.pairs.facts.fact_checks import names_fault
from coordgym.silo_env.pairs.facts.names import choose
from coordgym.silo_env.pairs.facts.sentences import NAME
from coordgym.silo_env.pairs.task import Seat

TRAITS = ("aquatic", "nocturnal", "venomous", "winged")
OTHER_TRAITS = ("water-dwelling", "active at night", "poisonous", "can fly")
"""What the second view calls the traits."""
TRAIT_LETTERS = ("P", "Q", "R", "S")
"""What the second view calls the traits at friction 2."""
TRAIT_KEY = ", ".join(f"{a} = {b}" for a, b in zip(TRAIT_LETTERS, OTHER_TRAITS, strict=True))


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """One agent's taxonomy.

    Attributes:
        names: The names of the nodes.
        parent: For each node the index of its parent; None for the root.
        trait: For each node the index of its trait, or None.
    """

    names: tuple[str, ...]
    parent: tuple[int | None, ...]
    trait: tuple[int | None, ...]

    def children(self, node: int) -> list[int]:
        """Return the nodes just below a node."""
        return [child for child, parent in enumerate(self.parent) if parent == node]

    def is_tree(self) -> bool:
        """Tell whether all nodes hang below one root."""
        reached = [node for node, parent in enumerate(self.parent) if parent is None]
        if len(reached) != 1:
            return False
        for node in reached:
            reached += self.children(node)
        return len(reached) == len(self.names)

    def shape(self, node: int) -> str:
        """Write the traits and structure below a node alike however nodes are listed."""
        return f"({self.trait[node]}{''.join(sorted(map(self.shape, self.children(node))))})"


def rename(taxonomy: Taxonomy, words: Sequence[str], rng: np.random.Generator) -> Taxonomy:
    """List the nodes of a taxonomy in another order under other names."""
    size = len(taxonomy.names)
    place = [int(k) for k in rng.permutation(size)]
    parent: list[int | None] = [None] * size
    trait: list[int | None] = [None] * size
    for node, above in enumerate(taxonomy.parent):
        parent[place[node]] = None if above is None else place[above]
        trait[place[node]] = taxonomy.trait[node]
    return Taxonomy(tuple(choose(words, size, rng)), tuple(parent), tuple(trait))


def match_names(first: Taxonomy, second: Taxonomy) -> dict[str, str] | None:
    """Return the only matching that keeps structure and traits; None if there is no such."""
    if not first.is_tree() or not second.is_tree():
        return None
    pairs = [(first.parent.index(None), second.parent.index(None))]
    matched: dict[str, str] = {}
    while pairs:
        a, b = pairs.pop()
        matched[first.names[a]] = second.names[b]
        below_a = {first.shape(child): child for child in first.children(a)}
        below_b = {second.shape(child): child for child in second.children(b)}
        # Children of one shape could be swapped.
        unique = len(below_a) == len(first.children(a)) and len(below_b) == len(second.children(b))
        if first.trait[a] != second.trait[b] or not unique or set(below_a) != set(below_b):
            return None
        pairs += [(child, below_b[shape]) for shape, child in below_a.items()]
    return {name: matched[name] for name in first.names}


def taxonomy_fault(taxonomy: Taxonomy, agent: Seat) -> str | None:
    """Say why an agent's names and indices make no taxonomy; None if they do."""
    fault = names_fault(f"names{agent}", taxonomy.names, 2)
    if fault is not None:
        return fault
    size = len(taxonomy.names)
    columns = (("parent", taxonomy.parent, size - 1), ("trait", taxonomy.trait, len(TRAITS) - 1))
    for field, column, most in columns:
        if len(column) != size:
            return f"{field}{agent} must have an entry for each of the {size} names"
        wrong = next((entry for entry in column if entry and not 0 <= entry <= most), None)
        if wrong is not None:
            return f"{field}{agent} must hold integers 0..{most}, got {wrong!r:.100}"
    return None if taxonomy.is_tree() else f"parent{agent} must make one tree with one root"


def say_downward(taxonomy: Taxonomy) -> list[str]:
    """Say each node with what it is a kind of, as view 1 does."""
    lines = []
    for node, name in enumerate(taxonomy.names):
        parent, trait = taxonomy.parent[node], taxonomy.trait[node]
        kind = "root class" if parent is None else f"a kind of {taxonomy.names[parent]}"
        lines.append(f"- {name}: {kind}" + ("" if trait is None else f"; trait: {TRAITS[trait]}"))
    return lines


def read_downward(text: str) -> Taxonomy | None:
    """Read a taxonomy in the words of view 1; None if the lines make no sense."""
    lines = re.findall(
        rf"^- ({NAME}): (?:root class|a kind of ({NAME}))(?:; trait: (\w+))?$",
        text,
        re.MULTILINE | re.ASCII,
    )
    names = [name for name, _, _ in lines]
    if len(set(names)) != len(names) or any(up not in names for _, up, _ in lines if up):
        return None
    return Taxonomy(
        tuple(names),
        tuple(names.index(up) if up else None for _, up, _ in lines),
        tuple(TRAITS.index(trait) if trait in TRAITS else None for _, _, trait in lines),
    )


def say_upward(taxonomy: Taxonomy, words: Sequence[str]) -> list[str]:
    """Say each node with what contains it, in alphabetical order, as view 2 does."""
    lines = []
    for node, name in enumerate(taxonomy.names):
        parent, trait = taxonomy.parent[node], taxonomy.trait[node]
        known = "" if trait is None else f"; known for: {words[trait]}"
        within = f"{name} is the top group" if parent is None else (
            f"{taxonomy.names[parent]} contains {name}")  # fmt: skip
        lines.append(f"- {within}{known}")
    return sorted(lines)
