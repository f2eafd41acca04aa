"""What one agent is told in an episode: now, later, and again."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from coordgym.contract.history import MAX_RETOLD_CHARS, SEPARATOR, History

MAX_ERROR_CHARS = 200
ERROR_PREFIX = "Your last action was not valid: "
WAITING = "You have nothing to do now: wait for the others."
OVER = "The episode is over."
MAX_MISSED = 8
"""Most texts that an inactive agent is told before its next turn; families say less."""


class Observed(NamedTuple):
    """What one agent is told: as prose or compact text, and as JSON-able data."""

    text: str
    view: dict[str, Any]


@dataclass(slots=True)
class Telling:
    """The observations of one agent, made of what its environment has to tell.

    What an agent is told while it waits is told again at its next turn, with what is new then;
    and where every observation stands alone, the instructions and the earlier rounds come first.

    Attributes:
        agent: Who is told.
        instructions: Rules and private data, which begin the first observation.
        history: The earlier rounds.
        stands_alone: Whether instructions and earlier rounds come with every observation.
        needs_facts: Whether the next one comes with the instructions and their facts.
        news: What was new in the agent's last observation, without errors and repetitions.
        missed: What it was told since its last turn.
    """

    agent: str
    instructions: str
    history: History
    stands_alone: bool
    needs_facts: bool = True
    news: str = ""
    missed: list[Observed] = field(default_factory=list)

    def tell(
        self,
        new: Observed,
        facts: Mapping[str, Any],
        *,
        error: str | None,
        active: bool,
        alive: bool,
    ) -> Observed:
        """Make the agent's next observation.

        Args:
            new: What is new.
            facts: The facts of the instructions, where they are needed.
            error: What was wrong with the agent's last action.
            active: Whether the agent acts next.
            alive: Whether it still plays.

        Raises:
            RuntimeError: If the agent was told too often while it waited.
        """
        notice = "" if error is None else f"{ERROR_PREFIX}{error}\n"
        text, view = new.text or ("" if active else WAITING if alive else OVER), new.view
        self.news = text
        if active and self.missed:
            text = SEPARATOR.join([*(item.text for item in self.missed), text])
            view = {key: value for item in (*self.missed, new) for key, value in item.view.items()}
            self.missed = []
        told = text = notice + text
        if self.needs_facts:
            view = {**facts, **view}
            parts = (self.instructions, self.history.retell(), text)
            text = SEPARATOR.join(part for part in parts if part)
        if active:
            self.history.told(told)
        elif alive and (new.text or notice):
            opening = self.needs_facts and not self.stands_alone
            self._keep_for_later(text if opening else notice + new.text, view)
        self.needs_facts = self.stands_alone
        return Observed(text, view)

    def _keep_for_later(self, text: str, view: dict[str, Any]) -> None:
        """Keep what an agent that waits is told for its next turn."""
        self.missed.append(Observed(text.rstrip("\n"), copy.deepcopy(view)))
        if len(self.missed) > MAX_MISSED:
            raise RuntimeError(
                f"the inactive {self.agent} was told more than {MAX_MISSED} times: let _observe "
                "say nothing while it waits"
            )


def most_chars(one: int, *, stands_alone: bool) -> int:
    """Bound an observation, if ``one`` bounds instructions plus one round's text."""
    retold = MAX_RETOLD_CHARS + len(SEPARATOR) if stands_alone else 0
    error = len(ERROR_PREFIX) + MAX_ERROR_CHARS + 1
    return (one + len(SEPARATOR)) * (MAX_MISSED + 1) + retold + error + len(WAITING)
