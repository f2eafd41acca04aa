"""What an environment writes; ``coordgym.contract.base`` does the rest.

``TextParallelEnv`` calls these hooks in a fixed order: at reset ``_start``, ``_active``,
``_instructions``, ``_observe``; in each step ``_apply``, ``_advances_round``, ``_rewards``,
``_finished``, ``_active``, ``_observe``, and ``_metrics`` on the last one.

Seven hooks are abstract, and ``sample_actions`` names a few legal actions; everything else has a
default that is right for any environment, and is written where more can be said.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from pettingzoo import ParallelEnv

from coordgym.contract.replies import Kept, keep
from coordgym.contract.spaces import DEFAULT_SAMPLES, OneOf, Sampler
from coordgym.contract.telling import Observed, Telling, most_chars
from coordgym.errors import ConfigError

__all__ = ["FamilyHooks"]

DEFAULT_MAX_CYCLES = 100
OWN_CHARS = 50_000
"""Room for the instructions and an environment's own words in one observation, in code points."""
QUOTE_CHARS = 100
"""Room for what stands around one quoted action, in code points."""
JSON_ESCAPE_CHARS = 6
"""A control character takes up to so many characters in JSON."""


class FamilyHooks(ParallelEnv[str, str, str], ABC):
    """The hooks of an environment.

    Hooks may read ``self.agents`` (who still plays), ``self.possible_agents``, ``self.n_agents``,
    ``self.round`` (rounds completed), ``self.steps``, ``self.limit`` (the limit on steps in
    force), ``self.text`` ("full" or "compact": the texts must differ), ``self.instance``,
    ``self.np_random``, ``self.instance_rng()`` and ``self.rng(stream)``; these names, and
    ``family`` (of the class; it tells which policies fit), ``history``, ``spec`` and
    ``seed_value`` belong to the base. Everything that an environment keeps must pickle and
    deep-copy.
    """

    sample_actions: ClassVar[Sequence[str]] = DEFAULT_SAMPLES
    """Actions that are legal at any time and end nothing: what the action spaces draw."""

    family: ClassVar[str]
    n_agents: int
    round: int
    max_action_chars: int
    reasoning: str
    _active_now: frozenset[str]
    _told: dict[str, Telling]

    # --- what only the environment knows -------------------------------------------------

    @abstractmethod
    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        """Begin an episode: make the instance from ``self.instance_rng()``, or check the given one.

        Returns:
            The complete instance, JSON-able, with the answer; it is never shown to agents.
        """

    @abstractmethod
    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        """Apply the texts of all active agents at once (None = an unusable text).

        Returns:
            What was wrong, by agent, in plain words of at most 200 characters that don't
            echo the action; None or missing = valid.
        """

    @abstractmethod
    def _rewards(self) -> Mapping[str, float]:
        """Return the step's rewards by agent; missing = 0."""

    @abstractmethod
    def _finished(self) -> Collection[str]:
        """Name the agents whose task the step just applied has finished."""

    @abstractmethod
    def _observe(self, agent: str) -> Observed:
        """Tell an agent what is new; ``Observed("", {})`` if it is inactive and nothing is."""

    @abstractmethod
    def _instructions(self, agent: str) -> str:
        """Return rules, private data and the form of actions: constant over the episode."""

    @abstractmethod
    def _metrics(self) -> dict[str, Any]:
        """Return ``success``, ``score``, ``messages`` and the environment's other figures.

        ``self.agents`` holds only those that still play, so nobody after the last step: judge
        by ``self.possible_agents``.
        """

    # --- seeds ---------------------------------------------------------------------------

    def _seed_name(self) -> str:
        """Name what a seed is drawn for: the family and the task, without version or arguments.

        Environments of different names draw independently at equal seeds, those of one name
        alike. By default it is the family and the name of the class.
        """
        kind = type(self)
        return f"{kind.family}/{kind.__qualname__}"

    # --- rounds --------------------------------------------------------------------------

    def _active(self) -> Collection[str]:
        """Name the agents that act next: by default all that still play."""
        return self.agents

    def _advances_round(self) -> bool:
        """Tell whether the step just applied completed a round: by default each does."""
        return True

    def _default_max_cycles(self) -> int:
        """Return the limit on steps where ``max_cycles`` is None: by default 100."""
        return DEFAULT_MAX_CYCLES

    # --- actions -------------------------------------------------------------------------

    def _check(self, agent: str, text: str) -> str | None:
        """Say what would be wrong with an action now; changes nothing.

        By default ``_apply`` tries it on a copy of the environment, in which nobody else acts:
        write this hook where it can be said from the text alone, where an error depends on
        what others do in the same round, or where a copy is slow to make.
        """
        twin = copy.deepcopy(self)
        asked = [name for name in self.agents if name in self._active_now]
        return twin._apply({**dict.fromkeys(asked), agent: text}).get(agent) or None

    def _refused(self, agent: str, text: str | None) -> str | None:
        """Say why an agent must write again within its turn, and count the try; None = it needn't.

        By default nobody is asked again: what can't be used is explained after the step. Whether
        an agent is asked, and what it is told, must stay unseen by the others, or unreadable
        texts would be messages to everybody.

        Args:
            agent: Who answers.
            text: Its action; None = an unusable text, of which the base says what is wrong.
        """
        del agent, text
        return None

    def _sampler(self, agent: str) -> Sampler:
        """Return a drawer of legal actions that never end an episode.

        By default it draws one of ``sample_actions``.
        """
        fitting = [text for text in self.sample_actions if len(text) <= self.max_action_chars]
        return OneOf(tuple(fitting or [""]))

    # --- what whoever plays an episode may ask --------------------------------------------

    def whole_action(self, agent: str, text: str) -> str:
        """Return the text of an agent's whole turn if it answers with ``text`` now.

        It is what ``step`` applies. A family that lets agents act before ``step``, as by tool
        calls, puts those acts in front.

        Args:
            agent: Who answers.
            text: The answer, without reasoning.
        """
        del agent
        return text

    def recorded_action(self, agent: str, text: str) -> Kept:
        """Return what a record holds of the turn: the whole text, with its reasoning."""
        return keep(text, self.reasoning, partial(self.whole_action, agent))

    def random_action(self, agent: str, rng: np.random.Generator) -> str:
        """Draw a legal action for the random policy; unlike a sample it may end an episode."""
        return self._sampler(agent)(rng)

    def groups(self) -> Mapping[str, Collection[str]]:
        """Return the groups of agents that an instance marks, by their names: by default none.

        ``PolicyMap`` takes the names as keys. Before the first reset the groups are empty.
        Agents are not told.
        """
        return {}

    def usage_metrics(self, completion_tokens: int) -> dict[str, Any]:
        """Return figures of an episode that take what was spent on it: by default none.

        They stand in the record among those of ``metrics``, which can't know them.

        Args:
            completion_tokens: Tokens that language models wrote for all agents.
        """
        del completion_tokens
        return {}

    def outcome(self) -> Any:
        """Return what the agents have come to so far, as the family's ``verify`` takes it.

        By default None, as where no ``verify`` judges instances without an environment. Before
        the first reset it raises ``ResetNeededError`` where it is written.
        """
        return None

    # --- data, state and drawing ---------------------------------------------------------

    def _static_view(self, agent: str) -> dict[str, Any]:
        """Return the facts of the instructions as fresh data.

        By default there are none: who plays by data instead of texts then sees only what
        ``_observe`` tells.
        """
        return {}

    def _state(self) -> dict[str, Any]:
        """Return the global state without the answer, JSON-able.

        By default it is what all agents know together: everybody's instructions and what was
        new for everybody last.
        """
        known = {
            agent: {"instructions": told.instructions, "news": told.news}
            for agent, told in self._told.items()
        }
        return {"round": self.round, "agents": known}

    def _render_text(self) -> str:
        """Draw the present state as text: by default what was new for every agent last."""
        lines = [f"--- {agent}\n{told.news}" for agent, told in self._told.items()]
        return "\n".join([f"round {self.round}", *lines])

    def _render_rgb(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Draw the present state as an image."""
        raise ConfigError(f"{type(self).__name__} has no picture; use render_mode='ansi'")

    # --- bounds of the spaces; the base refuses to tell more -----------------------------

    def _max_observation_chars(self) -> int:
        """Return a bound on instructions plus one round's text, in code points.

        By default 50,000 and room to quote the action of every agent once.
        """
        return OWN_CHARS + self.n_agents * (self.max_action_chars + QUOTE_CHARS)

    def _max_state_chars(self) -> int:
        """Return a bound on the JSON text of the state, in code points.

        By default room for the instructions and the news of every agent.
        """
        whole = most_chars(self._max_observation_chars(), stands_alone=True)
        return QUOTE_CHARS + self.n_agents * (QUOTE_CHARS + 2 * JSON_ESCAPE_CHARS * whole)
