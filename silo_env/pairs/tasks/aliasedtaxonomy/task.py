"""``aliasedtaxonomy``: one taxonomy under the names of two invented languages.

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
from coordgym.silo_env.pairs.facts.fact_checks import answer_name
from coordgym.silo_env.pairs.facts.names import CLOSED_WORDS, OPEN_WORDS, choose
from coordgym.silo_env.pairs.facts.prose import assignments
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import SEATS, Answer, Facts, Friction, Grade, Seat
from coordgym.silo_env.pairs.tasks.aliasedtaxonomy.taxonomies import (
    OTHER_TRAITS,
    TRAIT_KEY,
    TRAIT_LETTERS,
    TRAITS,
    Taxonomy,
    match_names,
    read_downward,
    read_taxonomy,
    rename,
    say_downward,
    say_upward,
    taxonomy_facts,
    taxonomy_of,
)

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
class AliasedTaxonomyInstance:
    """Two namings of one taxonomy; see ``Taxonomy`` for the fields, 1 and 2 are the agents."""

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


class AliasedTaxonomy(WideTask[AliasedTaxonomyInstance, AliasedTaxonomyConfig]):
    """Matching names by structure and traits."""

    config_type = AliasedTaxonomyConfig
    reader = "coordgym.silo_env.pairs.tasks.aliasedtaxonomy.reader:make_reader"
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
        instance = _pair(first, rename(first, CLOSED_WORDS, rng))
        return instance if _matching(instance) is not None else None

    def read_instance(self, given: Mapping[str, object]) -> AliasedTaxonomyInstance:
        """Check two taxonomies given as JSON: parent1, trait1, parent2, trait2, names1, names2."""
        first, second = (read_taxonomy(given, seat) for seat in ("1", "2"))
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
            return {"taxonomies": [taxonomy_facts(instance.of(each), each) for each in SEATS]}
        return taxonomy_facts(instance.of(seat), seat)

    def merge(self, views: Sequence[Facts]) -> AliasedTaxonomyInstance | None:
        """Put the two agents' taxonomies side by side; None if one is missing or differs."""
        found: dict[object, Taxonomy] = {}
        for view in views:
            for part in _parts(view):
                taxonomy = taxonomy_of(part)
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
        own = taxonomy_of(facts)
        words = [w for w in (CLOSED_WORDS if facts["agent"] == 1 else OPEN_WORDS)
                 if w not in own.names]  # fmt: skip
        words += [f"word{k}" for k in range(len(own.names)) if f"word{k}" not in own.names]
        other = rename(own, words, rng)
        return _pair(own, other) if facts["agent"] == 1 else _pair(other, own)

    # --- texts ---------------------------------------------------------------------------

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The taxonomy in the words of the seat."""
        if "taxonomies" in facts:
            parts = [
                "\n".join([WHOLE_HEAD.format(part["agent"]), *say_downward(taxonomy_of(part))])
                for part in _parts(facts)
            ]
            return "\n".join([*parts, QUESTION])
        head = STATED_HEAD.format(facts["agent"]) if friction == 0 else HEAD
        if friction == 0 or seat == 1:
            lines = say_downward(taxonomy_of(facts))
        else:
            lines = say_upward(taxonomy_of(facts), TRAIT_LETTERS if friction == 2 else OTHER_TRAITS)
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
            taxonomy = taxonomy_of(part)
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
        taxonomy = read_downward(text)
        if head is None or taxonomy is None:
            return None
        return taxonomy_facts(taxonomy, 1 if head[1] == "1" else 2)

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


def _matching(instance: AliasedTaxonomyInstance) -> dict[str, str] | None:
    """The only matching of names; None if there is none or more than one."""
    return match_names(instance.of(1), instance.of(2))


def _pair(first: Taxonomy, second: Taxonomy) -> AliasedTaxonomyInstance:
    return AliasedTaxonomyInstance(
        first.parent, first.trait, second.parent, second.trait, first.names, second.names
    )


def _parts(facts: Facts) -> list[Facts]:
    """The taxonomies that facts hold."""
    both = facts.get("taxonomies", [facts])
    return [part for part in both if isinstance(part, dict)] if isinstance(both, list) else []
