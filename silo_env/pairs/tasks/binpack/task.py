"""``binpack``: items to be packed into crates, half of the weights and limits in each view.

Rules: put every item into a crate so that no crate gets heavier than its limit.
Views: weights are halved at random, limits dealt in turn. View 1 writes kilograms, view 2 grams;
at friction 2 its scale shows too much by a stated amount.
Answer: ``{"assign": {"i1": "b2", ...}}``.
Grade: the share of items in crates that are not overloaded.
Source: The Collaboration Tax, appendix F (binpack).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

import numpy as np

from coordgym.errors import ConfigError, InstanceError, require_int
from coordgym.silo_env.pairs.facts.answers import assigned, fold
from coordgym.silo_env.pairs.facts.fact_checks import require_integer
from coordgym.silo_env.pairs.facts.instances import require_dict, require_owner_of
from coordgym.silo_env.pairs.facts.owners import balanced_owners
from coordgym.silo_env.pairs.facts.prose import assignments
from coordgym.silo_env.pairs.facts.sentences import NAMES, Sentence, listed, read_listed
from coordgym.silo_env.pairs.shapes.wide_task import WideTask
from coordgym.silo_env.pairs.task import Answer, Facts, Friction, Grade, Json, Seat

LIGHTEST, HEAVIEST = 2, 12
"""Kilograms of drawn items."""
MOST_ITEMS, MOST_CRATES = 10, 4
LARGEST = 1000
"""Kilograms of an item or limit that is given."""
USUAL_SLACK = 1
"""Kilograms by which hidden limits are guessed to exceed the load, at most."""
TARE = 500
"""Grams that the scale of view 2 adds at friction 2."""
DRAWS = 256
"""Packings that are drawn at once; the tightest that fits is taken."""

KILOGRAMS, GRAMS = Sentence("{0} {1:d} kg"), Sentence("{0} {1:d} g")

Weights = Mapping[str, int]
Known = Mapping[str, int | None]
"""Weights or limits; None for those that a view hides."""


@dataclass(frozen=True, slots=True)
class BinPackConfig:
    """Difficulty of generated loads.

    Attributes:
        n: Items, 3..10.
        k: Crates, 2..4, no more than items.
        slack: Kilograms by which a limit exceeds the load of the hidden packing, 0..5 at most.
    """

    n: int = 6
    k: int = 3
    slack: int = 1

    def __post_init__(self) -> None:
        require_int("n", self.n, 3, MOST_ITEMS)
        require_int("k", self.k, 2, MOST_CRATES)
        require_int("slack", self.slack, 0, 5)
        if self.k > self.n:
            raise ConfigError(f"k must be at most n = {self.n}, got {self.k}")


@dataclass(frozen=True, slots=True)
class BinPackInstance:
    """Items, crates, and which view shows the weight or limit of each."""

    items: Weights
    bins: Weights
    item_owner: Mapping[str, int]
    bin_owner: Mapping[str, int]


class BinPack(WideTask[BinPackInstance, BinPackConfig]):
    """The packing."""

    answer_fields = ("assign",)
    config_type = BinPackConfig
    reader = "coordgym.silo_env.pairs.tasks.binpack.reader:LoadReader"
    rule = (
        "Items have weights and crates have limits. Put every item into a crate so that no crate "
        "carries more than its limit."
    )
    split = "You know some of the weights and limits, the other agent knows the rest."
    compact_rule = "pack every item into a crate, no crate above its limit"
    compact_split = "the other agent knows the other weights and limits"

    def draw(self, config: BinPackConfig, rng: np.random.Generator) -> BinPackInstance | None:
        """Random weights and a random packing that uses all crates and sets their limits."""
        items = [f"i{k}" for k in range(1, config.n + 1)]
        crates = [f"b{k}" for k in range(1, config.k + 1)]
        weights = rng.integers(LIGHTEST, HEAVIEST + 1, size=config.n)
        packing = rng.integers(config.k, size=config.n)
        if len(set(packing.tolist())) < config.k:
            return None
        loads = np.bincount(packing, weights, minlength=config.k).astype(int)
        limits = loads + rng.integers(config.slack + 1, size=config.k)
        owners = [int(owner) for owner in balanced_owners(config.n, rng)]
        first = int(rng.integers(2))
        return BinPackInstance(
            dict(zip(items, weights.tolist(), strict=True)),
            dict(zip(crates, limits.tolist(), strict=True)),
            dict(zip(items, owners, strict=True)),
            {crate: (index + first) % 2 + 1 for index, crate in enumerate(crates)},
        )

    def read_instance(self, given: Mapping[str, object]) -> BinPackInstance:
        """Check a load given as JSON: items, bins, item_owner, bin_owner."""
        items = _read_weights("items", given.get("items"), MOST_ITEMS)
        bins = _read_weights("bins", given.get("bins"), MOST_CRATES)
        instance = BinPackInstance(
            items,
            bins,
            require_owner_of("item_owner", given.get("item_owner"), [*items]),
            require_owner_of("bin_owner", given.get("bin_owner"), [*bins]),
        )
        if not self.optimal_answers(instance, 1):
            raise InstanceError("items must fit into the bins")
        return instance

    def solve(self, instance: BinPackInstance) -> Answer:
        """The first packing that fits, items and crates taken in order."""
        return self.optimal_answers(instance, 1)[0]

    def optimal_answers(self, instance: BinPackInstance, limit: int) -> list[Answer]:
        """Packings that fit."""
        packings = _packings(list(instance.items.items()), dict(instance.bins))
        return [{"assign": {**packing}} for packing in islice(packings, limit)]

    def grade(
        self, instance: BinPackInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """Items in crates that are not overloaded; missing items weigh nothing."""
        crates = {fold(crate): crate for crate in instance.bins}
        packed = {
            item: crates[fold(crate)]
            for item, crate in assigned(answer, "assign", instance.items).items()
            if isinstance(crate, str) and fold(crate) in crates
        }
        load = dict.fromkeys(instance.bins, 0)
        for item, crate in packed.items():
            load[crate] += instance.items[item]
        safe = sum(load[crate] <= instance.bins[crate] for crate in packed.values())
        return Grade(safe / len(instance.items))

    def facts(self, instance: BinPackInstance, seat: Seat | None) -> Facts:
        """Weights and limits, None for those that are hidden."""
        return {
            "items": _shown(instance.items, instance.item_owner, seat),
            "bins": _shown(instance.bins, instance.bin_owner, seat),
        }

    def merge(self, views: Sequence[Facts]) -> BinPackInstance | None:
        """Put weights and limits together; None if some are missing or contradict each other."""
        items = _joined([_items(view) for view in views])
        bins = _joined([_bins(view) for view in views])
        if items is None or bins is None:
            return None
        instance = _unsplit(items, bins)
        return instance if self.optimal_answers(instance, 1) else None

    def complete(
        self, instance: BinPackInstance, seat: Seat, rng: np.random.Generator
    ) -> BinPackInstance:
        """Redraw the weights and limits that the view hides."""
        facts = self.facts(instance, seat)
        items, bins = _filled(_items(facts), _bins(facts), rng)
        return BinPackInstance(items, bins, instance.item_owner, instance.bin_owner)

    def guess(self, facts: Facts, rng: np.random.Generator) -> BinPackInstance:
        """Draw the weights and limits that are not shown."""
        return _unsplit(*_filled(_items(facts), _bins(facts), rng))

    def view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The names, the known weights and limits."""
        items, bins = _items(facts), _bins(facts)
        partner = _if_split(facts, "(Your partner knows the other weights and limits.) ")
        scale = _frame(seat, friction)
        return "\n".join([
            f"Items: {', '.join(items)}; crates: {', '.join(bins)}",
            f"Weights you know{scale}: {_said(items, seat, friction, TARE)}",
            f"Crate limits you know: {_said(bins, seat, friction, 0)}",
            f"{partner}Put every item into a crate so that no crate exceeds its limit.",
        ])  # fmt: skip

    def compact_view_text(self, facts: Facts, seat: Seat, friction: Friction) -> str:
        """The names, the known weights and limits in few tokens."""
        items, bins = _items(facts), _bins(facts)
        return "\n".join([
            f"{' '.join(items)} into {' '.join(bins)}",
            f"weights{_frame(seat, friction)}: {_said(items, seat, friction, TARE)}",
            f"limits: {_said(bins, seat, friction, 0)}",
        ])  # fmt: skip

    def read_view(self, text: str) -> Facts | None:
        """Read the names, weights and limits."""
        match = _VIEW.search(text)
        if match is None:
            return None
        weights, limits = (read_listed(KILOGRAMS, match[line]) for line in (3, 4))
        if weights is None or limits is None:
            return None
        known: dict[str | int, str | int] = {fact[0]: fact[1] for fact in (*weights, *limits)}
        return {
            "items": {name: known.get(name) for name in match[1].split(", ")},
            "bins": {name: known.get(name) for name in match[2].split(", ")},
        }

    def answer_form(self, friction: Friction) -> str:
        """A crate for each item."""
        return '{"assign": {"i1": "b1", ...}}'

    def answer_note(self, friction: Friction) -> str:
        """What the entries are."""
        return '"assign" gives the crate of every item.'

    def check_steps(self, instance: BinPackInstance, answer: Answer) -> list[str]:
        """The load of each crate against its limit."""
        packed = {i: str(b) for i, b in assigned(answer, "assign", instance.items).items()}
        steps = []
        for crate, limit in instance.bins.items():
            inside = [
                w for i, w in instance.items.items() if fold(packed.get(i, "")) == fold(crate)
            ]
            steps.append(f"{crate}: {' + '.join(map(str, inside)) or 0} <= {limit} kg, holds")
        return steps

    def free_text_answer(self, instance: BinPackInstance, messages: Sequence[str]) -> Answer | None:
        """Pairs such as "i1 -> b2" in the last message that has any."""
        pairs = assignments(messages, instance.items, instance.bins)
        return None if pairs is None else {"assign": {**pairs}}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Six items in three crates."""
        crates = rng.integers(1, 4, size=6)
        return {"assign": {f"i{k}": f"b{crate}" for k, crate in enumerate(crates, 1)}}


_VIEW = re.compile(
    rf"^Items: ({NAMES}); crates: ({NAMES})$\s^Weights you know: (.*)$\s"
    r"^Crate limits you know: (.*)$",
    re.MULTILINE,
)


def _packings(items: list[tuple[str, int]], room: dict[str, int]) -> Iterator[dict[str, str]]:
    """All packings that fit, by putting one item after the other."""
    if not items:
        yield {}
        return
    if sum(weight for _, weight in items) > sum(room.values()):
        return
    (item, weight), *rest = items
    for crate in room:
        if weight <= room[crate]:
            left = {**room, crate: room[crate] - weight}
            for packing in _packings(rest, left):
                yield {item: crate, **packing}


def _filled(items: Known, bins: Known, rng: np.random.Generator) -> tuple[Weights, Weights]:
    """Draw what is hidden, so that a tight packing exists.

    Of many random weights and packings the one is taken that leaves least room in the crates
    with known limits; if none fits, everything goes into crates whose limits are hidden.
    """
    known = np.array([-1 if weight is None else weight for weight in items.values()])
    limit = np.array([-1 if value is None else value for value in bins.values()])
    weights = rng.integers(LIGHTEST, HEAVIEST + 1, size=(DRAWS, len(items)))
    weights = np.where(known >= 0, known, weights)
    packing = rng.integers(len(bins), size=(DRAWS, len(items)))
    loads = np.stack([(weights * (packing == crate)).sum(axis=1) for crate in range(len(bins))], 1)
    room = np.where(limit >= 0, limit - loads, 0)
    best = int(np.where((room < 0).any(axis=1), LARGEST * MOST_CRATES, room.sum(axis=1)).argmin())
    load = loads[best]
    if (room[best] < 0).any():
        load = np.where(limit >= 0, 0, weights[best].sum())
    limits = np.where(limit >= 0, limit, load + rng.integers(USUAL_SLACK + 1, size=len(bins)))
    return (
        dict(zip(items, weights[best].tolist(), strict=True)),
        dict(zip(bins, limits.tolist(), strict=True)),
    )


def _unsplit(items: Weights, bins: Weights) -> BinPackInstance:
    """A load of which view 1 shows everything."""
    return BinPackInstance(items, bins, dict.fromkeys(items, 1), dict.fromkeys(bins, 1))


def _shown(values: Weights, owner: Mapping[str, int], seat: Seat | None) -> Json:
    return {name: value if seat in (None, owner[name]) else None for name, value in values.items()}


def _joined(views: Sequence[Known]) -> Weights | None:
    """The union of known values; None if one is missing or contradicted."""
    joined: dict[str, int] = {}
    if any(set(view) != set(views[0]) for view in views):
        return None
    for name in views[0]:
        values = {view[name] for view in views} - {None}
        if len(values) != 1:
            return None
        joined[name] = cast("int", values.pop())
    return joined


def _items(facts: Facts) -> Known:
    return cast("Known", facts["items"])


def _bins(facts: Facts) -> Known:
    return cast("Known", facts["bins"])


def _read_weights(field: str, value: object, most: int) -> dict[str, int]:
    """Check weights or limits; raises InstanceError."""
    given = require_dict(field, value, 1, most)
    return {name: require_integer(field, weight, 0, LARGEST) for name, weight in given.items()}


def _said(values: Known, seat: Seat, friction: Friction, tare: int) -> str:
    """The known values in kilograms or grams."""
    known = [(name, value) for name, value in values.items() if value is not None]
    if seat == 1 or friction == 0:
        return listed(KILOGRAMS, known)
    extra = tare if friction == 2 else 0
    return listed(GRAMS, [(name, 1000 * value + extra) for name, value in known])


def _if_split(facts: Facts, text: str) -> str:
    """A text about the partner, where a view hides something."""
    hidden = None in (*_items(facts).values(), *_bins(facts).values())
    return text if hidden else ""


def _frame(seat: Seat, friction: Friction) -> str:
    return f" (your scale shows {TARE} g too much)" if seat == 2 and friction == 2 else ""
