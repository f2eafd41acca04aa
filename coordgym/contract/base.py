"""The contract of every environment: a PettingZoo ``ParallelEnv`` of text.

``TextParallelEnv`` owns what all families share: seeds, agents, rounds, truncation, errors
in observations, info keys, spaces and snapshots. A family writes the hooks of
``coordgym.contract.hooks.FamilyHooks``, and nothing else.
"""

import copy
import json
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import gymnasium
import numpy as np

from coordgym.contract.arguments import (
    SNAPSHOT_KEY,
    given_instance,
    not_alive,
    require_actions,
    require_agent,
    require_seed,
    require_snapshot,
    require_text,
)
from coordgym.contract.history import History
from coordgym.contract.hooks import FamilyHooks
from coordgym.contract.options import SpelledOut
from coordgym.contract.replies import Heard, hear
from coordgym.contract.seeding import stream_rng
from coordgym.contract.spaces import FreeText, TextObs
from coordgym.contract.spec import Spec
from coordgym.contract.telling import MAX_ERROR_CHARS, Observed, Telling, most_chars
from coordgym.data.plain import without_nan
from coordgym.errors import (
    ActionError,
    ResetNeededError,
    require_bool,
    require_choice,
    require_int,
)

__all__ = ["Info", "Observed", "TextParallelEnv"]

Info = dict[str, Any]
"""What an agent is told as data; the keys are listed at ``TextParallelEnv``."""

INSTANCE_STREAM = 0
DYNAMICS_STREAM = 1


class TextParallelEnv(FamilyHooks):
    """Base class of all environments of this package.

    Agents are ``agent_0 … agent_{n_agents-1}``; observations are ``TextObs``, actions any
    ``str``. Agents act at the same time on the same state; one ``step`` is one round unless
    the family says otherwise (repair steps). All agents terminate or all truncate on the
    last step, never a mixture.

    ``infos[agent]`` always holds ``round`` (rounds completed), ``max_cycles`` (the limit in
    force, in steps), ``active`` (False = no action is needed now), ``valid`` and ``error``
    for the agent's last action (None where none was asked for), and ``view`` (the facts of
    the text as data); at reset also ``instructions``; on the last step also ``metrics``
    (None where a figure is not defined).

    Args:
        n_agents: Number of agents; the family sets the range.
        max_cycles: Limit on steps, ≥ 1; reaching it truncates. None = the family's default.
            May be assigned between steps.
        render_mode: One of ``metadata["render_modes"]``: ``"ansi"`` (text), ``"human"``
            (printed) and, where there are pictures, ``"rgb_array"``; None = no drawing.
        text: ``"full"`` for prose, ``"compact"`` for the same facts in few tokens.
        repeat_instructions: Every observation stands alone: instructions, private data and
            the earlier rounds (texts and own actions) come with it.
        history: With ``repeat_instructions``, how many earlier rounds are retold, ≥ 0;
            None = all that fit, the oldest dropped first with a notice.
        max_action_chars: A longer action is invalid and not applied; ≥ 1.
        reasoning: ``"strip"`` takes a model's reasoning (``<think> … </think>``, see
            ``coordgym.parsing.reasoning``) out of actions before they are read, measured or told
            on; a reply that ends inside it is invalid. ``"keep"`` takes actions as they are.

    Raises:
        ConfigError: If a value is not allowed.
    """

    __signature__ = SpelledOut()
    family: ClassVar[str] = ""
    options_type: ClassVar[type | None] = None
    """A dataclass of a family's own options, where these have their defaults."""
    metadata: dict[str, Any] = {
        "name": "coordgym_v0",
        "render_modes": ["ansi", "human"],
        "render_fps": 1,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        *,
        n_agents: int,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        text: str = "full",
        repeat_instructions: bool = False,
        history: int | None = None,
        max_action_chars: int = 100_000,
        reasoning: str = "strip",
    ) -> None:
        self.n_agents = require_int("n_agents", n_agents, 1)
        if render_mode is not None:
            require_choice("render_mode", render_mode, self.metadata["render_modes"])
        if history is not None:
            require_int("history", history, 0)
        self.max_cycles = max_cycles
        self.render_mode = render_mode
        self.text = require_choice("text", text, ("full", "compact"))
        self.repeat_instructions = require_bool("repeat_instructions", repeat_instructions)
        self.history = history
        self.max_action_chars = require_int("max_action_chars", max_action_chars, 1)
        self.reasoning = require_choice("reasoning", reasoning, ("strip", "keep"))
        self.spec: Spec | None = None
        self.possible_agents = [f"agent_{i}" for i in range(self.n_agents)]
        self.agents: list[str] = []
        self.seed_value: int | None = None
        self.np_random = np.random.default_rng(0)  # replaced by reset
        self.instance: dict[str, Any] = {}
        self.steps = 0
        self.round = 0
        self._invalid_actions = 0
        self._active_now: frozenset[str] = frozenset()
        self._last_valid: dict[str, bool | None] = {}
        self._last_error: dict[str, str | None] = {}
        self._told: dict[str, Telling] = {}
        self._most_chars = 0
        self._observation_spaces: dict[str, FreeText] = {}
        self._action_spaces: dict[str, FreeText] = {}

    # --- PettingZoo's interface ----------------------------------------------------------

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, str], dict[str, Info]]:
        """Start an episode.

        Args:
            seed: Int ≥ 0; the same seed gives the same episode for the same actions. None
                draws one (kept in ``seed_value``) from the generator of the last episode.
            options: ``{"instance": {…}}`` gives the instance instead of generating it; the
                family's spec names its keys. Other keys are ignored.

        Returns:
            Observations and infos of all agents.

        Raises:
            SeedError: If the seed is not an int ≥ 0.
            InstanceError: If the instance is malformed, or a key looks like ``instance``.
        """
        self._seed(seed)
        given = given_instance(options)
        self.agents = list(self.possible_agents)
        self.steps = self.round = self._invalid_actions = 0
        self._last_valid = dict.fromkeys(self.agents)
        self._last_error = dict.fromkeys(self.agents)
        self.instance = self._start(given)
        for agent, space in self._action_spaces.items():
            space.sampler = self._sampler(agent)
        self._active_now = self._who_acts()
        observations: dict[str, str] = {}
        infos: dict[str, Info] = {}
        self._told = {
            agent: Telling(
                agent, self._instructions(agent), History(self.history), self.repeat_instructions
            )
            for agent in self.agents
        }
        self._most_chars = self._observation_bound()
        for agent in self.agents:
            observations[agent], infos[agent] = self._tell(agent)
            infos[agent]["instructions"] = self._told[agent].instructions
        return observations, infos

    def step(
        self, actions: dict[str, str]
    ) -> tuple[dict[str, str], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        """Apply one text per active agent at the same time.

        Any string is survived: what can't be used is explained in the agent's next
        observation and counted in ``invalid_actions``. Actions of inactive agents are ignored.

        Returns:
            Observations, rewards, terminations, truncations and infos of all agents that
            were alive when the step began.

        Raises:
            ResetNeededError: If no episode is running.
            ActionError: If an active agent has no action, an action is for an agent that is
                unknown or gone, or an active agent's action is not a string.
        """
        alive = list(self.agents)
        self._require_reset()
        texts = require_actions(actions, alive, self._active_now, self.possible_agents)
        self._apply_heard({agent: self._hear(agent, text) for agent, text in texts.items()})
        self.steps += 1
        if self._advances_round():
            self.round += 1
        rewards = self._rewards()
        terminated, truncated = self._ended(alive)
        over = len(terminated) == len(alive) or truncated
        gone = frozenset(alive) if over else terminated
        self.agents = [agent for agent in alive if agent not in gone]
        self._active_now = frozenset() if over else self._who_acts()
        metrics = without_nan(self.metrics()) if over else None
        observations: dict[str, str] = {}
        infos: dict[str, Info] = {}
        for agent in alive:
            observations[agent], infos[agent] = self._tell(agent)
            if metrics is not None:
                infos[agent]["metrics"] = dict(metrics)
        return (
            observations,
            {agent: float(rewards.get(agent, 0.0)) for agent in alive},
            {agent: agent in terminated for agent in alive},
            dict.fromkeys(alive, truncated),
            infos,
        )

    def observation_space(self, agent: str) -> FreeText:
        """Return the agent's space of observations, always the same object."""
        if agent not in self._observation_spaces:
            require_agent(agent, self.possible_agents)
            self._observation_spaces[agent] = FreeText(self._observation_bound())
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> FreeText:
        """Return the agent's space of actions, always the same object.

        Its samples are legal actions that never end an episode. Lengths are without reasoning.
        """
        if agent not in self._action_spaces:
            require_agent(agent, self.possible_agents)
            self._action_spaces[agent] = FreeText(
                self.max_action_chars, sampler=self._sampler(agent)
            )
        return self._action_spaces[agent]

    @property
    def state_space(self) -> FreeText:
        """The space of ``state()``."""
        return FreeText(self._max_state_chars())

    def state(self) -> str:  # type: ignore[override]  # PettingZoo expects an array
        """Return the global state as JSON text: everything but the answer.

        Raises:
            ResetNeededError: Before the first reset.
            RuntimeError: If the state is longer than its space says.
        """
        self._require_reset()
        state = json.dumps(self._state(), ensure_ascii=False)
        if len(state) > self._max_state_chars():
            raise RuntimeError(
                f"the state has {len(state)} characters, at most {self._max_state_chars()} fit "
                "into its space: let _max_state_chars return a true bound"
            )
        return state

    def render(self) -> Any:
        """Draw the present state as ``render_mode`` says.

        Returns:
            A string for ``"ansi"``, an array uint8 (H, W, 3) for ``"rgb_array"``; None for
            ``"human"``, which prints, and without a mode, which warns.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs render_mode; pass it to coordgym.make")
            return None
        self._require_reset()
        if self.render_mode == "rgb_array":
            return self._render_rgb()
        drawing = self._render_text()
        if self.render_mode == "human":
            print(drawing)
            return None
        return drawing

    def close(self) -> None:
        """Release what the environment holds; the default holds nothing."""

    @property
    def unwrapped(self) -> "TextParallelEnv":
        """The environment without wrappers."""
        return self

    # --- more than PettingZoo asks for ---------------------------------------------------

    @property
    def max_cycles(self) -> int | None:
        """The limit on steps as it was given; None = the family's default.

        Raises:
            ConfigError: If what is assigned is not None or an int ≥ 1.
        """
        return self._max_cycles

    @max_cycles.setter
    def max_cycles(self, value: int | None) -> None:
        self._max_cycles = None if value is None else require_int("max_cycles", value, 1)

    @property
    def limit(self) -> int:
        """The limit on steps in force: ``max_cycles`` or the family's default."""
        return self._default_max_cycles() if self._max_cycles is None else self._max_cycles

    def metrics(self) -> dict[str, Any]:
        """Return the episode's figures so far, as a flat dict.

        Always present: ``success`` (bool, strict; None if not judged), ``score`` (float, the
        family's scale), ``rounds``, ``messages``, ``invalid_actions``.

        Raises:
            ResetNeededError: Before the first reset.
        """
        self._require_reset()
        return {
            **self._metrics(),
            "rounds": self.round,
            "invalid_actions": self._invalid_actions,
        }

    def check_action(self, agent: str, text: str) -> str | None:
        """Say what would be wrong with an action in the present state, or None.

        Pure: nothing changes, so that a policy can repair its action before ``step``.

        Raises:
            ActionError: If the agent is not alive or the text not a string.
        """
        heard = self._heard_from(agent, text)
        if agent not in self._active_now:
            return None
        return heard.problem or self._check(agent, heard.text)

    def ask_again(self, agent: str, text: str) -> tuple[TextObs, Info] | None:
        """Ask an agent once more within its turn if the environment grants it another try.

        Whoever plays asks with each answer before ``step``, until there is nothing to tell, and
        hands the last one to ``step``, which asks nobody again. Nobody else learns of it.

        Returns:
            What the agent is told of its answer, which is counted as invalid and dropped; None
            if ``step`` is to take the answer as it is.

        Raises:
            ActionError: If the agent is not alive or the text not a string.
        """
        heard = self._heard_from(agent, text)
        usable = None if heard.problem else heard.text
        error = self._refused(agent, usable) if agent in self._active_now else None
        if error is None:
            return None
        if self.repeat_instructions:
            self._told[agent].history.answered(usable)
        self._note_error(agent, heard.problem or error)
        return self._tell(agent)

    def instance_rng(self) -> np.random.Generator:
        """Return a fresh generator for the instance of this episode."""
        return self.rng(INSTANCE_STREAM)

    def rng(self, stream: int, *more: int, seed_name: str | None = None) -> np.random.Generator:
        """Return a fresh generator for one purpose of this episode, independent of others.

        Args:
            stream: Number of the purpose; 0 (the instance) and 1 (the dynamics) are taken.
            *more: Numbers that divide it further, such as the round.
            seed_name: What the draws are for, where several tasks are to draw alike; None = the
                task itself (``_seed_name``).
        """
        return stream_rng(
            require_seed(self.seed_value), seed_name or self._seed_name(), stream, *more
        )

    def get_state(self) -> dict[str, Any]:
        """Return a snapshot of the episode that later steps don't change."""
        return {**copy.deepcopy(self._plain_state()), SNAPSHOT_KEY: self._made()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a snapshot of ``get_state`` of an environment made the same way.

        Raises:
            ConfigError: If it is no snapshot, or one of an environment of another class, id
                or number of agents; nothing is changed then.
        """
        self.__dict__.update(copy.deepcopy(require_snapshot(state, self._made())))
        for agent, space in self._action_spaces.items():
            space.sampler = self._sampler(agent)

    def _made(self) -> dict[str, Any]:
        """Say what must be the same where a snapshot is taken and where it is put back."""
        kind = type(self)
        return {
            "class": f"{kind.__module__}.{kind.__qualname__}",
            "id": None if self.spec is None else self.spec.id,
            "n_agents": self.n_agents,
        }

    def _plain_state(self) -> dict[str, Any]:
        # Spaces stay: users hold them, and their generators belong to the users.
        kept = ("_observation_spaces", "_action_spaces", "spec", "render_mode")
        return {name: value for name, value in self.__dict__.items() if name not in kept}

    # --- how the base works --------------------------------------------------------------

    def _seed(self, seed: int | None) -> None:
        if seed is None:
            # Nothing but the operating system can seed the very first episode.
            source = self.np_random if self.seed_value is not None else np.random.default_rng()
            seed = int(source.integers(2**31))
        self.seed_value = require_seed(seed)
        self.np_random = self.rng(DYNAMICS_STREAM)

    def _heard_from(self, agent: str, text: str) -> Heard:
        self._require_reset()
        if agent not in self.agents:
            raise ActionError(not_alive(agent, self.agents, self.possible_agents))
        return self._hear(agent, require_text(agent, text))

    def _hear(self, agent: str, text: str) -> Heard:
        whole = partial(self.whole_action, agent)
        return hear(text, self.reasoning, whole, self.max_action_chars)

    def _apply_heard(self, heard: Mapping[str, Heard]) -> None:
        """Apply the actions of all active agents and note what was wrong with them."""
        usable = {agent: None if each.problem else each.text for agent, each in heard.items()}
        if self.repeat_instructions:
            for agent, text in usable.items():
                self._told[agent].history.answered(text)
        self._last_valid = dict.fromkeys(self.agents)
        self._last_error = dict.fromkeys(self.agents)
        errors = self._apply(usable)
        for agent, each in heard.items():
            self._note_error(agent, each.problem or errors.get(agent) or None)

    def _note_error(self, agent: str, error: str | None) -> None:
        self._last_error[agent] = None if error is None else error[:MAX_ERROR_CHARS]
        self._last_valid[agent] = error is None
        self._invalid_actions += error is not None

    def _who_acts(self) -> frozenset[str]:
        # A family may also name agents that have left.
        return frozenset(self._active()).intersection(self.agents)

    def _ended(self, alive: list[str]) -> tuple[frozenset[str], bool]:
        """Decide who terminates, and whether all that remain truncate."""
        # A family may also name those that left in earlier steps.
        finished = frozenset(self._finished()).intersection(alive)
        if len(finished) == len(alive):
            return finished, False
        if self.steps >= self.limit:
            return frozenset(), True
        return finished, False

    def _tell(self, agent: str) -> tuple[TextObs, Info]:
        """Make an agent's next observation and info.

        Raises:
            RuntimeError: If the observation is longer than its space says.
        """
        told, new = self._told[agent], self._observe(agent)
        error, active = self._last_error[agent], agent in self._active_now
        text, view = told.tell(
            new,
            self._static_view(agent) if told.needs_facts else {},
            error=error,
            active=active,
            alive=active or agent in self.agents,
        )
        if len(text) > self._most_chars:
            raise RuntimeError(
                f"step {self.steps}: the observation of {agent} has {len(text)} characters, at "
                f"most {self._most_chars} fit into its space: say less, or let "
                "_max_observation_chars return a true bound"
            )
        info: Info = {
            "round": self.round,
            "max_cycles": self.limit,
            "active": active,
            "valid": self._last_valid[agent],
            "error": error,
            "view": view,
        }
        return TextObs(text), info

    def _observation_bound(self) -> int:
        return most_chars(self._max_observation_chars(), stands_alone=self.repeat_instructions)

    def _require_reset(self) -> None:
        if self.seed_value is None:
            raise ResetNeededError("call reset() first")
