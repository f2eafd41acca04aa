"""Classic distributed algorithms with messages under 40 characters.

Colour trials (Johansson's scheme with hashed priorities), a hash-ordered handshake for
matching, the greedy maximal independent set in a hashed order for the cover, and flooding of
the smallest name for leader and consensus. The variants in alphabetical order are there for
contrast: their chains of dependence can be longer, and they decide by what is near.
"""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from coordgym.baselines.graph.brain import GraphBrain, mixed, mixed_edge
from coordgym.contract.base import Info
from coordgym.silo_env.graph.tasks import TASKS

Order = Callable[[str], str]
"""Sort key of names; agents with smaller keys go first."""
EdgeOrder = Callable[[str, str], str]
MAX_DIGITS = 9
"""Longer numbers are no groups: a liar could send thousands of digits."""


def by_name(name: str) -> str:
    """Order names alphabetically."""
    return name


def edge_by_name(first: str, second: str) -> str:
    """Order edges alphabetically."""
    return f"{min(first, second)}\n{max(first, second)}"


class ColorTrials(GraphBrain):
    """Tries random free groups; in a clash the agent first in the hashed order keeps its group.

    Messages: the number of the group tried, with ``!`` once it is fixed.
    """

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.n_groups = len(self.options)
        self.fixed = False
        self.group = int(rng.integers(self.n_groups))
        self.tried: dict[str, int] = {}
        self.settled: dict[str, bool] = {}

    def hear(self, messages: Mapping[str, str]) -> None:
        """Fix the group if nobody with precedence has it, else try another."""
        for sender, text in messages.items():
            number = text.rstrip("!")
            if number.isdecimal() and len(number) <= MAX_DIGITS:
                self.tried[sender] = int(number)
                self.settled[sender] = text.endswith("!")
        if self.fixed or not messages:
            return
        if self._yields():
            self.group = self._another()
        else:
            self.fixed = True

    def _yields(self) -> bool:
        return any(
            group == self.group and (self.settled[other] or mixed(other) < mixed(self.name))
            for other, group in self.tried.items()
        )

    def _another(self) -> int:
        used = set(self.tried.values())
        # There are more groups than neighbours, so one is always free.
        free = [group for group in range(self.n_groups) if group not in used]
        return free[int(self.rng.integers(len(free)))]

    def write(self) -> dict[str, str]:
        """Tell the group."""
        return self.to_all(f"{self.group}{'!' if self.fixed else ''}")

    def decide(self) -> str:
        """Take the group."""
        return self.options[self.group]


class FirstFit(GraphBrain):
    """Takes the first option that goes with the neighbours', once those that go first have theirs.

    It knows no more of its task than which options of neighbours clash. Messages: the option.
    """

    def __init__(self, info: Info, rng: np.random.Generator, order: Order = mixed) -> None:
        super().__init__(info, rng)
        own = order(self.name)
        self.before = {other for other in self.neighbours if order(other) < own}
        self.taken: dict[str, str] = {}
        self.choice = ""

    def hear(self, messages: Mapping[str, str]) -> None:
        """Note what neighbours took, and take an option if it is this agent's turn."""
        self.taken.update({sender: text for sender, text in messages.items() if text})
        if not self.choice and self.before <= self.taken.keys():
            self.choice = self._first_fitting()

    def _first_fitting(self) -> str:
        return next(filter(self._fits, self.options), self.options[0])

    def _fits(self, option: str) -> bool:
        clash = TASKS[self.task].clash
        return not any(
            clash(self.name, other, {self.name: option, other: text})
            for other, text in self.taken.items()
        )

    def write(self) -> dict[str, str]:
        """Tell the option if one is taken."""
        return self.to_all(self.choice) if self.choice else {}

    def decide(self) -> str:
        """Take the option, or the first that seems to fit."""
        return self.choice or self._first_fitting()


class IndependentSet(GraphBrain):
    """Joins the independent set unless a neighbour that goes first is in; the rest covers.

    Messages: ``in`` or ``out`` once decided.
    """

    def __init__(self, info: Info, rng: np.random.Generator, order: Order = mixed) -> None:
        super().__init__(info, rng)
        own = order(self.name)
        self.before = {other for other in self.neighbours if order(other) < own}
        self.state = ""

    def hear(self, messages: Mapping[str, str]) -> None:
        """Decide as soon as the neighbours that go first allow it."""
        if self.state:
            return
        self.before -= {sender for sender, text in messages.items() if text == "out"}
        if "in" in messages.values():
            self.state = "out"
        elif not self.before:
            self.state = "in"

    def write(self) -> dict[str, str]:
        """Tell the decision."""
        return self.to_all(self.state) if self.state else {}

    def decide(self) -> str:
        """Cover unless in the independent set."""
        return "No" if self.state == "in" else "Yes"


class Handshake(GraphBrain):
    """Offers itself to the free neighbour on the first edge in the order; two offers match.

    Messages, to all neighbours: the hash of whom the offer is for; ``gone`` once matched.
    Neighbours that see both offers of a pair know at once that it is gone.
    """

    def __init__(self, info: Info, rng: np.random.Generator, order: EdgeOrder = mixed_edge) -> None:
        super().__init__(info, rng)
        self.free = sorted(self.neighbours, key=lambda other: order(self.name, other))
        self.partner: str | None = None

    def hear(self, messages: Mapping[str, str]) -> None:
        """Match with whom the offer was for if it offers too; strike who is gone."""
        if self.partner is not None:
            return
        offers = {mixed(sender): offer for sender, offer in messages.items()}
        own = mixed(self.name)
        if self.free and messages.get(self.free[0]) == own:
            self.partner = self.free[0]
            return
        self.free = [
            other
            for other in self.free
            if messages.get(other) != "gone" and not _paired(mixed(other), offers)
        ]

    def write(self) -> dict[str, str]:
        """Tell everybody whom the offer is for, or that this agent is gone."""
        if self.partner is not None or not self.free:
            return self.to_all("gone")
        return self.to_all(mixed(self.free[0]))

    def decide(self) -> str:
        """Name the partner; without one, nobody if nobody is free, else the last hope."""
        return self.partner or (self.free[0] if self.free else "None")


def _paired(code: str, offers: Mapping[str, str]) -> bool:
    """Tell whether the agent with this hash offers to one that offers back."""
    return offers.get(offers.get(code, "")) == code


class SmallestName(GraphBrain):
    """Floods the smallest name and its owner's bit; the owner leads, its bit is agreed on."""

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.smallest = f"{self.own_input or '0'}{self.name}"
        self.told = ""

    def hear(self, messages: Mapping[str, str]) -> None:
        """Keep the smallest name."""
        for text in messages.values():
            if text[:1] in ("0", "1") and text[1:] < self.smallest[1:]:
                self.smallest = text

    def write(self) -> dict[str, str]:
        """Tell the smallest name when it is news."""
        if self.smallest == self.told:
            return {}
        self.told = self.smallest
        return self.to_all(self.smallest)

    def decide(self) -> str:
        """Lead if the name is one's own; in consensus take the bit."""
        if self.options == ("0", "1"):
            return self.smallest[0]
        return "Yes" if self.smallest[1:] == self.name else "No"


class LocalSmallest(GraphBrain):
    """Leads if its name is the smallest among its neighbours'; agrees on that agent's bit.

    One round of messages (the bits), for contrast with flooding.
    """

    def __init__(self, info: Info, rng: np.random.Generator) -> None:
        super().__init__(info, rng)
        self.bits = {self.name: self.own_input or "0"}

    def hear(self, messages: Mapping[str, str]) -> None:
        """Note the neighbours' bits."""
        for sender, text in messages.items():
            self.bits[sender] = text if text in ("0", "1") else "0"

    def write(self) -> dict[str, str]:
        """Tell the bit."""
        return self.to_all(self.bits[self.name])

    def decide(self) -> str:
        """Decide by the smallest name around."""
        smallest = min((self.name, *self.neighbours))
        if self.options == ("0", "1"):
            return self.bits.get(smallest, "0")
        return "Yes" if smallest == self.name else "No"


# --- in alphabetical order, for contrast -------------------------------------------------

first_fit_by_name = partial(FirstFit, order=by_name)
handshake_by_name = partial(Handshake, order=edge_by_name)
independent_set_by_name = partial(IndependentSet, order=by_name)
