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

from coordgym.data.strict import build
from coordgym.errors import InstanceError, require_int
from coordgym.silo_env.pairs.facts.fact_checks import answer_name
from coordgym.silo_env.pairs.facts.names import CLOSED_WORDS, OPEN_WORDS, choose
from coordgym.silo_env.pairs.facts.prose import assignments
from coordgym.silo_env.pairs.task import (
    SEATS,
    Answer,
    Facts,
    Friction,
    Grade,
    PairTask,
    Seat,
    to_object,
)
from coordgym.silo_env.pairs.tasks.aliasedtaxonomy.taxonomies import (
    OTHER_TRAITS,
    TRAIT_KEY,
    TRAIT_LETTERS,
    TRAITS,
    Taxonomy,
    match_names,
    read_downward,
    rename,
    say_downward,
    say_upward,
    taxonomy_fault,
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
        """Return the taxonomy of one agent."""
        if seat == 1:
            return Taxonomy(self.names1, self.parent1, self.trait1)
        return Taxonomy(self.names2, self.parent2, self.trait2)


@dataclass(frozen=True, slots=True)
class OwnTaxonomy:
    """The taxonomy that an agent sees; see ``Taxonomy`` for the fields."""

    agent: Seat
    names: tuple[str, ...]
    parent: tuple[int | None, ...]
    trait: tuple[int | None, ...]

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy, whoever sees it."""
        return Taxonomy(self.names, self.parent, self.trait)


@dataclass(frozen=True, slots=True)
class AliasedTaxonomyView:
    """The taxonomy of one agent, or those of both."""

    taxonomies: tuple[OwnTaxonomy, ...]


class AliasedTaxonomy(
    PairTask[AliasedTaxonomyInstance, AliasedTaxonomyConfig, AliasedTaxonomyView]
):
    """Matching names by structure and traits."""

    config_type = AliasedTaxonomyConfig
    instance_type = AliasedTaxonomyInstance
    view_type = AliasedTaxonomyView
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
    form = '{"pairs": {"name of agent 1": "name of agent 2", ...}}'
    note = '"pairs" gives for each of agent 1\'s names the name that agent 2 uses.'

    def draw(
        self, config: AliasedTaxonomyConfig, rng: np.random.Generator
    ) -> AliasedTaxonomyInstance | None:
        """Draw a tree with traits on its leaves, named twice; keep it if one matching is right."""
        parent: list[int | None] = [None]
        parent += [int(rng.integers(max(0, k - REACH), k)) for k in range(1, config.n)]
        marks = [int(mark) for mark in rng.integers(config.traits, size=config.n)]
        trait = tuple(None if k in parent else mark for k, mark in enumerate(marks))
        first = Taxonomy(tuple(choose(OPEN_WORDS, config.n, rng)), tuple(parent), trait)
        instance = _pair(first, rename(first, CLOSED_WORDS, rng))
        return instance if _matching(instance) is not None else None

    def fault(self, instance: AliasedTaxonomyInstance) -> str | None:
        """Say which taxonomy is none, or that the two don't have exactly one matching."""
        faults = (taxonomy_fault(instance.of(seat), seat) for seat in SEATS)
        fault = next(filter(None, faults), None)
        if fault is None and set(instance.names1) & set(instance.names2):
            fault = "names1 and names2 must not share a name"
        if fault is None and _matching(instance) is None:
            fault = "the two taxonomies must have exactly one matching"
        return fault

    def solve(self, instance: AliasedTaxonomyInstance) -> Answer:
        """Return the one matching, in the order of agent 1's names."""
        return {"pairs": {**(_matching(instance) or {})}}

    def score(self, instance: AliasedTaxonomyInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of names that are matched rightly."""
        given = answer.get("pairs")
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

    def view(self, instance: AliasedTaxonomyInstance, seat: Seat | None) -> AliasedTaxonomyView:
        """Return the taxonomy of one agent, or both."""
        shown = SEATS if seat is None else (seat,)
        return AliasedTaxonomyView(tuple(_own(instance.of(each), each) for each in shown))

    def to_facts(self, view: AliasedTaxonomyView) -> Facts:
        """Return a view in JSON; one taxonomy stands there alone."""
        return to_object(view.taxonomies[0] if len(view.taxonomies) == 1 else view)

    def from_facts(self, facts: Facts) -> AliasedTaxonomyView:
        """Read a view from JSON."""
        if "taxonomies" in facts:
            return super().from_facts(facts)
        return AliasedTaxonomyView(
            (build(OwnTaxonomy, facts, f"a view of {self.name}", InstanceError),)
        )

    def join(self, views: Sequence[AliasedTaxonomyView]) -> AliasedTaxonomyInstance | None:
        """Put the two agents' taxonomies side by side; None if one is missing or differs."""
        found: dict[Seat, Taxonomy] = {}
        for own in (own for view in views for own in view.taxonomies):
            if found.setdefault(own.agent, own.taxonomy) != own.taxonomy:
                return None
        return _pair(found[1], found[2]) if len(found) == len(SEATS) else None

    def redraw(
        self,
        view: AliasedTaxonomyView,
        rng: np.random.Generator,
        like: AliasedTaxonomyInstance | None = None,
    ) -> AliasedTaxonomyInstance | None:
        """Name and list the other agent's taxonomy anew."""
        seen = view.taxonomies[0]
        own = seen.taxonomy
        words = [w for w in (CLOSED_WORDS if seen.agent == 1 else OPEN_WORDS)
                 if w not in own.names]  # fmt: skip
        words += [f"word{k}" for k in range(len(own.names)) if f"word{k}" not in own.names]
        other = rename(own, words, rng)
        return _pair(own, other) if seen.agent == 1 else _pair(other, own)

    # --- texts ---------------------------------------------------------------------------

    def say(self, view: AliasedTaxonomyView, seat: Seat, friction: Friction) -> str:
        """Say the taxonomy in the words of the seat."""
        if len(view.taxonomies) == len(SEATS):
            parts = [
                "\n".join([WHOLE_HEAD.format(own.agent), *say_downward(own.taxonomy)])
                for own in view.taxonomies
            ]
            return "\n".join([*parts, QUESTION])
        own = view.taxonomies[0]
        head = STATED_HEAD.format(own.agent) if friction == 0 else HEAD
        if friction == 0 or seat == 1:
            lines = say_downward(own.taxonomy)
        else:
            lines = say_upward(own.taxonomy, TRAIT_LETTERS if friction == 2 else OTHER_TRAITS)
        key = (
            [f"Traits are written as letters: {TRAIT_KEY}."] if friction == 2 and seat == 2 else []
        )
        return "\n".join([head, *lines, *key, QUESTION])

    def say_compact(self, view: AliasedTaxonomyView, seat: Seat, friction: Friction) -> str:
        """Write groups as parent>child, with traits in the words of the seat."""
        turned = friction > 0 and seat == 2
        lettered = turned and friction == 2
        words = TRAIT_LETTERS if lettered else OTHER_TRAITS if turned else TRAITS
        texts = []
        for own in view.taxonomies:
            listing = []
            for name, parent, trait in zip(own.names, own.parent, own.trait, strict=True):
                above = "" if parent is None else f"{own.names[parent]}>"
                listing.append(f"{above}{name}" + ("" if trait is None else f"[{words[trait]}]"))
            texts.append(f"agent {own.agent}: {' '.join(listing)}")
        return "\n".join(texts) + (f"\n{TRAIT_KEY}" if lettered else "")

    def hear(self, text: str) -> AliasedTaxonomyView | None:
        """Read a taxonomy in the words of friction 0."""
        head = re.search(STATED_HEAD.partition(" (")[0].format("([12])") + r" \(", text)
        taxonomy = read_downward(text)
        if head is None or taxonomy is None:
            return None
        return AliasedTaxonomyView((_own(taxonomy, 1 if head[1] == "1" else 2),))

    def check_steps(self, instance: AliasedTaxonomyInstance, answer: Answer) -> list[str]:
        """State what the matched groups have in common."""
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
        """Read assignments of agent 2's names to agent 1's."""
        found = assignments(messages, instance.names1, instance.names2)
        return None if found is None else {"pairs": {**found}}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw a few words of either language."""
        count = int(rng.integers(1, 10))
        keys, values = choose(OPEN_WORDS, count, rng), choose(CLOSED_WORDS, count, rng)
        return {"pairs": dict(zip(keys, values, strict=True))}


def _matching(instance: AliasedTaxonomyInstance) -> dict[str, str] | None:
    """Return the only matching of names; None if there is none or more than one."""
    return match_names(instance.of(1), instance.of(2))


def _pair(first: Taxonomy, second: Taxonomy) -> AliasedTaxonomyInstance:
    return AliasedTaxonomyInstance(
        first.parent, first.trait, second.parent, second.trait, first.names, second.names
    )


def _own(taxonomy: Taxonomy, agent: Seat) -> OwnTaxonomy:
    return OwnTaxonomy(agent, taxonomy.names, taxonomy.parent, taxonomy.trait)
