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
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from coordgym.errors import ConfigError, require_int
from coordgym.silo_env.pairs.facts.answers import assigned, fold
from coordgym.silo_env.pairs.facts.fact_checks import (
    first_fault,
    integers_fault,
    keys_fault,
    length_fault,
    name_fault,
)
from coordgym.silo_env.pairs.facts.owners import Owner, deal, if_split
from coordgym.silo_env.pairs.facts.prose import assignments
from coordgym.silo_env.pairs.facts.sentences import NAMES, Sentence, listed, read_listed
from coordgym.silo_env.pairs.task import SEATS, Answer, Friction, Grade, PairTask, Seat

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
    item_owner: Mapping[str, Owner]
    bin_owner: Mapping[str, Owner]


@dataclass(frozen=True, slots=True)
class BinPackView:
    """Weights of items and limits of crates, None for those that are hidden."""

    items: Known
    bins: Known

    @property
    def whole(self) -> bool:
        """Whether nothing is hidden."""
        return None not in (*self.items.values(), *self.bins.values())


class BinPack(PairTask[BinPackInstance, BinPackConfig, BinPackView]):
    """The packing."""

    answer_fields = ("assign",)
    config_type = BinPackConfig
    instance_type = BinPackInstance
    view_type = BinPackView
    reader = "coordgym.silo_env.pairs.tasks.binpack.reader:LoadReader"
    rule = (
        "Items have weights and crates have limits. Put every item into a crate so that no crate "
        "carries more than its limit."
    )
    split = "You know some of the weights and limits, the other agent knows the rest."
    form = '{"assign": {"i1": "b1", ...}}'
    note = '"assign" gives the crate of every item.'
    compact_rule = "pack every item into a crate, no crate above its limit"
    compact_split = "the other agent knows the other weights and limits"

    def draw(self, config: BinPackConfig, rng: np.random.Generator) -> BinPackInstance | None:
        """Draw weights and a random packing that uses all crates and sets their limits."""
        items = [f"i{k}" for k in range(1, config.n + 1)]
        crates = [f"b{k}" for k in range(1, config.k + 1)]
        weights = rng.integers(LIGHTEST, HEAVIEST + 1, size=config.n)
        packing = rng.integers(config.k, size=config.n)
        if len(set(packing.tolist())) < config.k:
            return None
        loads = np.bincount(packing, weights, minlength=config.k).astype(int)
        limits = loads + rng.integers(config.slack + 1, size=config.k)
        item_owner = dict(deal([(item,) for item in items], rng))
        first = int(rng.integers(2))
        return BinPackInstance(
            dict(zip(items, weights.tolist(), strict=True)),
            dict(zip(crates, limits.tolist(), strict=True)),
            item_owner,
            {crate: SEATS[(index + first) % 2] for index, crate in enumerate(crates)},
        )

    def fault(self, instance: BinPackInstance) -> str | None:
        """Say what is wrong with the load or its owners, or that it can't be packed."""
        fault = (
            _weights_fault("items", instance.items, MOST_ITEMS)
            or _weights_fault("bins", instance.bins, MOST_CRATES)
            or keys_fault("item_owner", instance.item_owner, instance.items)
            or keys_fault("bin_owner", instance.bin_owner, instance.bins)
        )
        if fault is not None or self.optimal_answers(instance, 1):
            return fault
        return "items must fit into the bins"

    def optimal_answers(self, instance: BinPackInstance, limit: int) -> list[Answer]:
        """Return packings that fit, items and crates taken in order."""
        packings = _packings(list(instance.items.items()), dict(instance.bins))
        return [{"assign": {**packing}} for packing in islice(packings, limit)]

    def score(self, instance: BinPackInstance, answer: Mapping[str, object]) -> Grade:
        """Return the share of items in crates that are not overloaded; missing ones don't weigh."""
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

    def view(self, instance: BinPackInstance, seat: Seat | None) -> BinPackView:
        """Return weights and limits, None for those that are hidden."""
        return BinPackView(
            _shown(instance.items, instance.item_owner, seat),
            _shown(instance.bins, instance.bin_owner, seat),
        )

    def join(self, views: Sequence[BinPackView]) -> BinPackInstance | None:
        """Put weights and limits together; None if some are missing or contradict each other."""
        items, bins = _joined([v.items for v in views]), _joined([v.bins for v in views])
        return None if items is None or bins is None else _unsplit(items, bins)

    def redraw(
        self, view: BinPackView, rng: np.random.Generator, like: BinPackInstance | None = None
    ) -> BinPackInstance:
        """Draw the weights and limits that are not shown."""
        items, bins = _filled(view, rng)
        if like is None:
            return _unsplit(items, bins)
        return replace(like, items=items, bins=bins)

    def say(self, view: BinPackView, seat: Seat, friction: Friction) -> str:
        """Write the names, the known weights and limits."""
        partner = if_split(view, "(Your partner knows the other weights and limits.) ")
        scale = _frame(seat, friction)
        return "\n".join([
            f"Items: {', '.join(view.items)}; crates: {', '.join(view.bins)}",
            f"Weights you know{scale}: {_said(view.items, seat, friction, TARE)}",
            f"Crate limits you know: {_said(view.bins, seat, friction, 0)}",
            f"{partner}Put every item into a crate so that no crate exceeds its limit.",
        ])  # fmt: skip

    def say_compact(self, view: BinPackView, seat: Seat, friction: Friction) -> str:
        """Write the names, the known weights and limits in few tokens."""
        return "\n".join([
            f"{' '.join(view.items)} into {' '.join(view.bins)}",
            f"weights{_frame(seat, friction)}: {_said(view.items, seat, friction, TARE)}",
            f"limits: {_said(view.bins, seat, friction, 0)}",
        ])  # fmt: skip

    def hear(self, text: str) -> BinPackView | None:
        """Read the names, weights and limits."""
        match = _VIEW.search(text)
        if match is None:
            return None
        weights, limits = (read_listed(KILOGRAMS, match[line]) for line in (3, 4))
        if weights is None or limits is None:
            return None
        known = {str(name): int(value) for name, value in (*weights, *limits)}
        items, crates = (match[line].split(", ") for line in (1, 2))
        return BinPackView(
            {name: known.get(name) for name in items}, {name: known.get(name) for name in crates}
        )

    def check_steps(self, instance: BinPackInstance, answer: Answer) -> list[str]:
        """Compare the load of each crate with its limit."""
        packed = {i: str(b) for i, b in assigned(answer, "assign", instance.items).items()}
        steps = []
        for crate, limit in instance.bins.items():
            inside = [
                w for i, w in instance.items.items() if fold(packed.get(i, "")) == fold(crate)
            ]
            steps.append(f"{crate}: {' + '.join(map(str, inside)) or 0} <= {limit} kg, holds")
        return steps

    def free_text_answer(self, instance: BinPackInstance, messages: Sequence[str]) -> Answer | None:
        """Read pairs such as "i1 -> b2" in the last message that has any."""
        pairs = assignments(messages, instance.items, instance.bins)
        return None if pairs is None else {"assign": {**pairs}}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Put six items into three crates."""
        crates = rng.integers(1, 4, size=6)
        return {"assign": {f"i{k}": f"b{crate}" for k, crate in enumerate(crates, 1)}}


_VIEW = re.compile(
    rf"^Items: ({NAMES}); crates: ({NAMES})$\s^Weights you know: (.*)$\s"
    r"^Crate limits you know: (.*)$",
    re.MULTILINE,
)


def _packings(items: list[tuple[str, int]], room: dict[str, int]) -> Iterator[dict[str, str]]:
    """Yield all packings that fit, by putting one item after the other."""
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


def _filled(view: BinPackView, rng: np.random.Generator) -> tuple[Weights, Weights]:
    """Draw what is hidden, so that a tight packing exists.

    Of many random weights and packings the one is taken that leaves least room in the crates
    with known limits; if none fits, everything goes into crates whose limits are hidden.
    """
    items, bins = view.items, view.bins
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
    """Return a load of which view 1 shows everything."""
    first: Owner = 1
    return BinPackInstance(items, bins, dict.fromkeys(items, first), dict.fromkeys(bins, first))


def _shown(values: Weights, owner: Mapping[str, Owner], seat: Seat | None) -> Known:
    return {name: value if seat in (None, owner[name]) else None for name, value in values.items()}


def _joined(views: Sequence[Known]) -> Weights | None:
    """Return the union of known values; None if one is missing or contradicted."""
    if any(set(view) != set(views[0]) for view in views):
        return None
    known = [(name, value) for view in views for name, value in view.items() if value is not None]
    joined = dict(known)
    if len(joined) < len(views[0]) or any(joined[name] != value for name, value in known):
        return None
    return {name: joined[name] for name in views[0]}


def _weights_fault(field: str, given: Weights, most: int) -> str | None:
    """Say what is wrong with weights or limits."""
    return (
        length_fault(field, given, 1, most)
        or first_fault(name_fault(field, name) for name in given)
        or integers_fault(field, given.values(), 0, LARGEST)
    )


def _said(values: Known, seat: Seat, friction: Friction, tare: int) -> str:
    """Write the known values in kilograms or grams."""
    known = [(name, value) for name, value in values.items() if value is not None]
    if seat == 1 or friction == 0:
        return listed(KILOGRAMS, known)
    extra = tare if friction == 2 else 0
    return listed(GRAMS, [(name, 1000 * value + extra) for name, value in known])


def _frame(seat: Seat, friction: Friction) -> str:
    return f" (your scale shows {TARE} g too much)" if seat == 2 and friction == 2 else ""
