"""What a family of environments writes; ``coordgym.contract.base`` does the rest.

``TextParallelEnv`` calls these hooks in a fixed order: at reset ``_start``, ``_active``,
``_instructions``, ``_observe``; in each step ``_apply``, ``_advances_round``, ``_rewards``,
``_finished``, ``_active``, ``_observe``, and ``_metrics`` on the last one.
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from coordgym.contract.spaces import Sampler
from coordgym.errors import ConfigError


class Observed(NamedTuple):
    """What one agent is told: as prose or compact text, and as JSON-able data."""

    text: str
    view: dict[str, Any]


class FamilyHooks:
    """The hooks of a family, to be overridden; those that are optional have a default.

    Hooks may read ``self.agents`` (who still plays), ``self.possible_agents``, ``self.n_agents``,
    ``self.round`` (rounds completed), ``self.steps``, ``self.limit`` (the limit on steps in
    force), ``self.text`` ("full" or "compact": the texts must differ), ``self.instance``,
    ``self.np_random`` and ``self.rng(stream)``; these names, and ``family`` (of the class; it
    tells which policies fit), ``history``, ``spec`` and ``seed_value`` belong to the base.
    Everything that a family keeps must pickle and deep-copy.
    """

    agents: list[str]

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        """Begin an episode: make the instance from ``self.rng(0)`` or check the given one.

        Returns:
            The complete instance, JSON-able, with the answer; it is never shown to agents.
        """
        raise NotImplementedError

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        """Apply the texts of all active agents at once (None = an unusable text).

        Returns:
            What was wrong, by agent, in plain words of at most 200 characters that don't
            echo the action; None or missing = valid.
        """
        raise NotImplementedError

    def _active(self) -> Collection[str]:
        """Name the agents that act next."""
        return self.agents

    def _advances_round(self) -> bool:
        """Tell whether the step just applied completed a round."""
        return True

    def _rewards(self) -> Mapping[str, float]:
        """Return the step's rewards by agent; missing = 0."""
        raise NotImplementedError

    def _finished(self) -> Collection[str]:
        """Name the agents whose task the step just applied has finished."""
        raise NotImplementedError

    def _observe(self, agent: str) -> Observed:
        """Tell an agent what is new; ``Observed("", {})`` if it is inactive and nothing is."""
        raise NotImplementedError

    def _instructions(self, agent: str) -> str:
        """Return rules, private data and the form of actions: constant over the episode."""
        raise NotImplementedError

    def _static_view(self, agent: str) -> dict[str, Any]:
        """Return the facts of the instructions as fresh data."""
        raise NotImplementedError

    def _check(self, agent: str, text: str) -> str | None:
        """Say what would be wrong with an action now; changes nothing."""
        raise NotImplementedError

    def _metrics(self) -> dict[str, Any]:
        """Return ``success``, ``score``, ``messages`` and the family's other figures.

        ``self.agents`` holds only those that still play, so nobody after the last step: judge
        by ``self.possible_agents``.
        """
        raise NotImplementedError

    def _state(self) -> dict[str, Any]:
        """Return the global state without the answer, JSON-able."""
        raise NotImplementedError

    def _default_max_cycles(self) -> int:
        """Return the limit on steps where ``max_cycles`` is None."""
        raise NotImplementedError

    def _max_observation_chars(self) -> int:
        """Return a true bound on instructions plus one round's text, in code points."""
        raise NotImplementedError

    def _max_state_chars(self) -> int:
        """Return a true bound on the JSON text of the state, in code points."""
        raise NotImplementedError

    def _sampler(self, agent: str) -> Sampler:
        """Return a drawer of legal actions that never end an episode."""
        raise NotImplementedError

    def _render_text(self) -> str:
        """Draw the present state as text."""
        raise NotImplementedError

    def _render_rgb(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Draw the present state as an image."""
        raise ConfigError(f"{type(self).__name__} has no picture; use render_mode='ansi'")
