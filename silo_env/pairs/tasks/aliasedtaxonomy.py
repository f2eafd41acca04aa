"""`aliasedtaxonomy`: one taxonomy under the names of two invented languages.

Rules: both agents hold the same rooted taxonomy; leaves carry traits. Match every name of agent 1
with the name that agent 2 uses for the same node. Structure and traits leave one matching.
Views: view 1 is the taxonomy in agent 1's names, view 2 in agent 2's. View 1 writes "x: a kind of
y", view 2 "y contains x" with other words for traits, in alphabetical order; at friction 2 it
writes traits as letters with a key.
Answer: ``{"pairs": {"name1": "name2", ...}}`` or a list of pairs.
Grade: the share of agent 1's names that are matched rightly; of several entries the first counts.
Source: The Collaboration Tax, table 8 (name, answer type, share of right pairs).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coordgym.errors import InstanceError, require_int
from coordgym.silo_env.pairs.fact_checks import answer_name, require_integer, require_names
from coordgym.silo_env.pairs.names import CLOSED_WORDS, OPEN_WORDS, choose
from coordgym.silo_env.pairs.prose import assignments
from coordgym.silo_env.pairs.sentences import NAME
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, PairTask, Seat

TRAITS = ("aquatic", "nocturnal", "venomous", "winged")
OTHER_TRAITS = ("water-dwelling", "active at night", "poisonous", "can fly")
"""What the second view calls the traits."""
TRAIT_LETTERS = ("P", "Q", "R", "S")
"""What the second view calls the traits at friction 2."""
TRAIT_KEY = ", ".join(f"{a} = {b}" for a, b in zip(TRAIT_LETTERS, OTHER_TRAITS, strict=True))
REACH = 3
"""The parent of a node is one of so many nodes drawn before it."""

HEAD = "Your taxonomy (your partner has the same taxonomy under other names):"
STATED_HEAD = "Agent {}'s taxonomy (the other agent has the same taxonomy under other names):"
WHOLE_HEAD = "Agent {}'s taxonomy:"
QUESTION = "Match every name of agent 1's taxonomy with the name used in agent 2's."


@dataclass(frozen=True, slots=True)
class AliasedTaxonomyConfig:
    """Difficulty of generated taxonomies.

    Attributes:
        n: Nodes, 3..16.
        traits: Different traits on the leaves, 1..4; with fewer, structure has to tell more.
    """

    n: int = 9
    traits: int = len(TRAITS)

    def __post_init__(self) -> None:
        require_int("n", self.n, 3, 16)
        require_int("traits", self.traits, 1, len(TRAITS))


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
        """The nodes just below a node."""
        return [child for child, parent in enumerate(self.parent) if parent == node]

    def shape(self, node: int) -> str:
        """The traits and structure below a node, written the same however nodes are listed."""
        return f"({self.trait[node]}{''.join(sorted(map(self.shape, self.children(node))))})"


@dataclass(frozen=True, slots=True)
class AliasedTaxonomyInstance:
    """Two namings of one taxonomy; see `Taxonomy` for the fields, 1 and 2 are the agents."""

    parent1: tuple[int | None, ...]
    trait1: tuple[int | None, ...]
    parent2: tuple[int | None, ...]
    trait2: tuple[int | None, ...]
    names1: tuple[str, ...]
    names2: tuple[str, ...]

    def of(self, seat: Seat) -> Taxonomy:
        """The taxonomy of one agent."""
        if seat == 1:
            return Taxonomy(self.names1, self.parent1, self.trait1)
        return Taxonomy(self.names2, self.parent2, self.trait2)


class AliasedTaxonomy(PairTask[AliasedTaxonomyInstance, AliasedTaxonomyConfig]):
    """Matching names by structure and traits."""

    name = "aliasedtaxonomy"
    title = "AliasedTaxonomy"
    category = "relational"
    config_type = AliasedTaxonomyConfig
    answer_fields = ("pairs",)
    rule = (
        "Two agents have the same taxonomy, but each under names of its own; the agent that "
        "writes the first message is agent 1, the other is agent 2. Some lowest groups have "
        "traits, which the agents may put into different words. Find out which names mean the "
        "same group: place and traits leave exactly one way to match them."
    )
    split = "You see only your own names; the other agent sees only its own."
    compact_rule = (
        "match agent 1's (first speaker) names with agent 2's: same taxonomy, other names, trait "
        "words may differ"
    )
    compact_split = "the other agent sees only its own names"

    def draw(
        self, config: AliasedTaxonomyConfig, rng: np.random.Generator
    ) -> AliasedTaxonomyInstance | None:
        """A random tree with traits on its leaves, named twice; kept if one matching is right."""
        parent: list[int | None] = [None]
        parent += [int(rng.integers(max(0, k - REACH), k)) for k in range(1, config.n)]
        marks = [int(mark) for mark in rng.integers(config.traits, size=config.n)]
        trait = tuple(None if k in parent else mark for k, mark in enumerate(marks))
        first = Taxonomy(tuple(choose(OPEN_WORDS, config.n, rng)), tuple(parent), trait)
        instance = _pair(first, _renamed(first, CLOSED_WORDS, rng))
        return instance if _matching(instance) is not None else None

    def read_instance(self, given: Mapping[str, object]) -> AliasedTaxonomyInstance:
        """Check two taxonomies given as JSON: parent1, trait1, parent2, trait2, names1, names2."""
        first, second = (_read_taxonomy(given, seat) for seat in ("1", "2"))
        instance = _pair(first, second)
        if set(first.names) & set(second.names):
            raise InstanceError("names1 and names2 must not share a name")
        if _matching(instance) is None:
            raise InstanceError("the two taxonomies must have exactly one matching")
        return instance

    def solve(self, instance: AliasedTaxonomyInstance) -> Answer:
        """The one matching, in the order of agent 1's names."""
        return {"pairs": {**(_matching(instance) or {})}}

    def optimal_answers(self, instance: AliasedTaxonomyInstance, limit: int) -> list[Answer]:
        """The one matching."""
        return [self.solve(instance)]

    def grade(
        self, instance: AliasedTaxonomyInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """The share of names that are matched rightly."""
        given = answer.get("pairs") if isinstance(answer, Mapping) else None
        entries: Sequence[object] = ()
        if isinstance(given, Mapping):
            entries = list(given.items())
        elif isinstance(given, list | tuple):
            entries = given
        first: dict[str | None, str | None] = {}
        for entry in entries:
            if isinstance(entry, list | tuple) and len(entry) == 2:
                first.setdefault(answer_name(entry[0]), answer_name(entry[1]))
        matching = _matching(instance) or {}
        right = sum(first.get(name) == other for name, other in matching.items())
        return Grade(right / len(instance.names1))

    # --- the two views and their union ---------------------------------------------------

    def facts(self, instance: AliasedTaxonomyInstance, seat: Seat | None) -> Facts:
        """The taxonomy of one agent, or both."""
        if seat is None:
            return {"taxonomies": [_facts(instance.of(1), 1), _facts(instance.of(2), 2)]}
        return _facts(instance.of(seat), seat)

    def merge(self, views: Sequence[Facts]) -> AliasedTaxonomyInstance | None:
        """Put the two agents' taxonomies side by side; None if one is missing or differs."""
        found: dict[object, Taxonomy] = {}
        for view in views:
            for part in _parts(view):
                taxonomy = _taxonomy(part)
                if found.setdefault(part["agent"], taxonomy) != taxonomy:
                    return None
        if set(found) != {1, 2}:
            return None
        instance = _pair(found[1], found[2])
        return instance if _matching(instance) is not None else None

    def complete(
        self, instance: AliasedTaxonomyInstance, seat: Seat, rng: np.random.Generator
    ) -> AliasedTaxonomyInstance:
        """Name and list the other agent's taxonomy anew."""
        return self.guess(self.facts(instance, seat), rng)

    def guess(self, facts: Facts, rng: np.random.Generator) -> AliasedTaxonomyInstance:
        """Invent names for the other agent."""
        own = _taxonomy(facts)
        words = [w for w in (CLOSED_WORDS if facts["agent"] == 1 else OPEN_WORDS)
                 if w not in own.names]  # fmt: skip
        words += [f"word{k}" for k in range(len(own.names)) if f"word{k}" not in own.names]
        other = _renamed(own, words, rng)
        return _pair(own, other) if facts["agent"] == 1 else _pair(other, own)

    # --- texts ---------------------------------------------------------------------------

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The taxonomy in the words of the seat."""
        if "taxonomies" in facts:
            parts = [
                "\n".join([WHOLE_HEAD.format(part["agent"]), *_downward(_taxonomy(part))])
                for part in _parts(facts)
            ]
            return "\n".join([*parts, QUESTION])
        head = STATED_HEAD.format(facts["agent"]) if friction == 0 else HEAD
        if friction == 0 or seat == 1:
            lines = _downward(_taxonomy(facts))
        else:
            lines = _upward(_taxonomy(facts), TRAIT_LETTERS if friction == 2 else OTHER_TRAITS)
        key = (
            [f"Traits are written as letters: {TRAIT_KEY}."] if friction == 2 and seat == 2 else []
        )
        return "\n".join([head, *lines, *key, QUESTION])

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """Groups as parent>child, with traits in the words of the seat."""
        turned = friction > 0 and seat == 2
        lettered = turned and friction == 2
        words = TRAIT_LETTERS if lettered else OTHER_TRAITS if turned else TRAITS
        texts = []
        for part in _parts(facts):
            taxonomy = _taxonomy(part)
            listing = []
            for node, name in enumerate(taxonomy.names):
                parent, trait = taxonomy.parent[node], taxonomy.trait[node]
                above = "" if parent is None else f"{taxonomy.names[parent]}>"
                listing.append(f"{above}{name}" + ("" if trait is None else f"[{words[trait]}]"))
            texts.append(f"agent {part['agent']}: {' '.join(listing)}")
        return "\n".join(texts) + (f"\n{TRAIT_KEY}" if lettered else "")

    def read_view(self, text: str) -> Facts | None:
        """Read a taxonomy in the words of friction 0."""
        head = re.search(STATED_HEAD.partition(" (")[0].format("([12])") + r" \(", text)
        lines = re.findall(
            rf"^- ({NAME}): (?:root class|a kind of ({NAME}))(?:; trait: (\w+))?$",
            text,
            re.MULTILINE | re.ASCII,
        )
        names = [name for name, _, _ in lines]
        if head is None or len(set(names)) != len(names):
            return None
        if any(above not in names for _, above, _ in lines if above):
            return None
        parent: list[Json] = [names.index(above) if above else None for _, above, _ in lines]
        trait: list[Json] = [TRAITS.index(t) if t in TRAITS else None for _, _, t in lines]
        return {"agent": int(head[1]), "names": [*names], "parent": parent, "trait": trait}

    def answer_form(self, friction: Friction) -> str:
        """An object from names to names."""
        return '{"pairs": {"name of agent 1": "name of agent 2", ...}}'

    def answer_note(self, friction: Friction) -> str:
        """Every name of agent 1 once."""
        return '"pairs" gives for each of agent 1\'s names the name that agent 2 uses.'

    def check_steps(self, instance: AliasedTaxonomyInstance, answer: Answer) -> list[str]:
        """What the matched groups have in common."""
        steps, first = [], instance.of(1)
        for node, (name, other) in enumerate((_matching(instance) or {}).items()):
            trait = first.trait[node]
            below = len(first.children(node))
            common = f"{below} directly below" if trait is None else TRAITS[trait]
            steps.append(f"{name} matches {other}: {common}")
        return steps

    def free_text_answer(
        self, instance: AliasedTaxonomyInstance, messages: Sequence[str]
    ) -> Answer | None:
        """Assignments of agent 2's names to agent 1's."""
        found = assignments(messages, instance.names1, instance.names2)
        return None if found is None else {"pairs": {**found}}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """A few random words of either language."""
        count = int(rng.integers(1, 10))
        keys, values = choose(OPEN_WORDS, count, rng), choose(CLOSED_WORDS, count, rng)
        return {"pairs": dict(zip(keys, values, strict=True))}


def _pair(first: Taxonomy, second: Taxonomy) -> AliasedTaxonomyInstance:
    return AliasedTaxonomyInstance(
        first.parent, first.trait, second.parent, second.trait, first.names, second.names
    )


def _renamed(taxonomy: Taxonomy, words: Sequence[str], rng: np.random.Generator) -> Taxonomy:
    """The same taxonomy with its nodes listed in another order under other names."""
    size = len(taxonomy.names)
    place = [int(k) for k in rng.permutation(size)]
    parent: list[int | None] = [None] * size
    trait: list[int | None] = [None] * size
    for node, above in enumerate(taxonomy.parent):
        parent[place[node]] = None if above is None else place[above]
        trait[place[node]] = taxonomy.trait[node]
    return Taxonomy(tuple(choose(words, size, rng)), tuple(parent), tuple(trait))


def _matching(instance: AliasedTaxonomyInstance) -> dict[str, str] | None:
    """The only matching of names that keeps structure and traits; None if there is no such."""
    first, second = instance.of(1), instance.of(2)
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


def _read_taxonomy(given: Mapping[str, object], agent: str) -> Taxonomy:
    """Check one taxonomy of an instance in JSON."""
    names = require_names(f"names{agent}", given.get(f"names{agent}"), 2)
    columns: dict[str, tuple[int | None, ...]] = {}
    for field, most in ((f"parent{agent}", len(names) - 1), (f"trait{agent}", len(TRAITS) - 1)):
        value = given.get(field)
        if not isinstance(value, list | tuple) or len(value) != len(names):
            raise InstanceError(f"{field} must have an entry for each of the {len(names)} names")
        columns[field] = tuple(
            None if entry is None else require_integer(field, entry, 0, most) for entry in value
        )
    taxonomy = Taxonomy(names, columns[f"parent{agent}"], columns[f"trait{agent}"])
    roots = [node for node, parent in enumerate(taxonomy.parent) if parent is None]
    reached = list(roots)
    for node in reached:
        reached += taxonomy.children(node)
    if len(roots) != 1 or len(reached) != len(names):
        raise InstanceError(f"parent{agent} must make one tree with one root")
    return taxonomy


def _facts(taxonomy: Taxonomy, seat: Seat) -> Facts:
    return {"agent": seat, "names": [*taxonomy.names], "parent": [*taxonomy.parent],
            "trait": [*taxonomy.trait]}  # fmt: skip


def _parts(facts: Facts) -> list[Facts]:
    """The taxonomies that facts hold."""
    both = facts.get("taxonomies", [facts])
    return [part for part in both if isinstance(part, dict)] if isinstance(both, list) else []


def _taxonomy(facts: Facts) -> Taxonomy:
    def column(field: str) -> tuple[int | None, ...]:
        value = facts[field]
        found = value if isinstance(value, list) else []
        return tuple(entry if isinstance(entry, int) else None for entry in found)

    names = facts["names"]
    words = tuple(str(name) for name in names) if isinstance(names, list) else ()
    return Taxonomy(words, column("parent"), column("trait"))


def _downward(taxonomy: Taxonomy) -> list[str]:
    """View 1: each node with what it is a kind of."""
    lines = []
    for node, name in enumerate(taxonomy.names):
        parent, trait = taxonomy.parent[node], taxonomy.trait[node]
        kind = "root class" if parent is None else f"a kind of {taxonomy.names[parent]}"
        lines.append(f"- {name}: {kind}" + ("" if trait is None else f"; trait: {TRAITS[trait]}"))
    return lines


def _upward(taxonomy: Taxonomy, words: Sequence[str]) -> list[str]:
    """View 2: each node with what contains it, in alphabetical order."""
    lines = []
    for node, name in enumerate(taxonomy.names):
        parent, trait = taxonomy.parent[node], taxonomy.trait[node]
        known = "" if trait is None else f"; known for: {words[trait]}"
        within = f"{name} is the top group" if parent is None else (
            f"{taxonomy.names[parent]} contains {name}")  # fmt: skip
        lines.append(f"- {within}{known}")
    return sorted(lines)
