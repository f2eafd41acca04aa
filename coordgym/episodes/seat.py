"""One seat of a multi-agent environment as a Gymnasium environment.

Whoever trains or tests one agent sees a ``gymnasium.Env`` of text; policies play the others.
All interfaces for single-agent trainers are built on it.
"""

from collections import UserDict
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import gymnasium

from coordgym.contract.arguments import require_text
from coordgym.contract.base import Info, TextParallelEnv
from coordgym.contract.spaces import TextObs
from coordgym.data.plain import without_nan
from coordgym.episodes.answers import checked_answer
from coordgym.errors import ConfigError, ResetNeededError, shown, suggest
from coordgym.policies.named import OraclePolicy, as_policy, require_oracle
from coordgym.policies.protocol import Policy, bind_policy, require_answers
from coordgym.registry import make


class View(UserDict[str, Any]):
    """The facts in an info (``view``, ``metrics``); ``dict(view)`` is JSON-able.

    Deliberately no ``dict``: Gymnasium's vector environments merge nested dicts field by field
    into arrays typed by the first environment, which turns 2.5 into 2 and fails on None. This
    they leave whole: ``infos["metrics"][i]["success"]``.
    """


class SeatEnv(gymnasium.Env[TextObs, str]):
    """One agent's place in an episode; policies play the other agents.

    ``step`` plays on by itself until it is the seat's turn again or the episode is over, and
    returns the sum of the seat's rewards on the way. Where the environment lets an agent write
    again within its turn, it asks the seat, and nobody else moves. When the seat has ended, the
    partners play to the end, so that the last info always holds the final ``metrics``. If the
    partners end the game before the seat's first turn, ``reset`` returns the last observation with
    ``active`` False, and the next ``step`` ignores its action and returns the outcome.

    The episode is a function of (id, kwargs, seat, partners, seed, actions). Observations and
    infos are those of the parallel environment, with ``view`` and ``metrics`` as a ``View``; an
    info of ``reset`` always has ``instructions``, the last one ``metrics``.

    Args:
        env_id: An id that ``coordgym.make`` takes, or a callable that makes a ``TextParallelEnv``.
        seat: The agent that this environment is.
        partners: The policy of all other agents, or its name for ``coordgym.make_policy``; by
            default ``oracle``, the strongest baseline of the family, which families of third
            parties don't have. It is seeded with the episode's seed at each reset.
        **kwargs: Keyword arguments of the parallel environment.

    Attributes:
        env: The parallel environment inside.
        seat: The agent that this environment is.
        partners: The policy of the others.

    Raises:
        ConfigError: If there is no such seat, or what is made is no text environment.
        UnknownEnvError: If no environment has this id.
        UnknownPolicyError: If no policy has this name, or the family has no oracle.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]  # each instance has its own
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": 1,
    }

    def __init__(
        self,
        env_id: str | Callable[..., Any],
        *,
        seat: str = "agent_0",
        partners: Policy | str = "oracle",
        **kwargs: Any,
    ) -> None:
        if not isinstance(env_id, str) and not callable(env_id):
            raise ConfigError(
                "SeatEnv makes its own environment: give an id or a callable that makes one, "
                f"got {shown(env_id)}"
            )
        env = make(env_id, **kwargs) if isinstance(env_id, str) else env_id(**kwargs)
        if not isinstance(getattr(env, "unwrapped", None), TextParallelEnv):
            raise ConfigError(
                f"a seat needs a TextParallelEnv, {shown(env_id)} makes {type(env).__name__}"
            )
        if seat not in env.possible_agents:
            raise ConfigError(
                f"seat must be one of {_listed(env.possible_agents)}, got {shown(seat)}"
                f"{suggest(str(seat), env.possible_agents)}"
            )
        self.env = env
        self.seat = seat
        self.partners: Policy = as_policy(partners)
        if isinstance(self.partners, OraclePolicy) and len(env.possible_agents) > 1:
            require_oracle(env)  # at once, not at the first reset
        self.metadata = env.metadata  # type: ignore[misc]
        self.render_mode = env.unwrapped.render_mode
        self.observation_space = env.observation_space(seat)
        self.action_space = env.action_space(seat)
        self._observations: dict[str, TextObs] = {}
        self._infos: dict[str, Info] = {}
        self._reward = 0.0
        self._terminated = self._truncated = False
        self._done = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[TextObs, Info]:
        """Start an episode and play until it is the seat's turn.

        Args:
            seed: Int ≥ 0 for environment and partners; None draws one from the last episode's.
            options: Passed to the parallel environment.

        Raises:
            SeedError: If the seed is not an int ≥ 0.
            InstanceError: If ``options["instance"]`` is malformed.
        """
        self._observations, self._infos = self.env.reset(seed=seed, options=options)
        seed_value = self.env.unwrapped.seed_value
        super().reset(seed=seed_value)
        self._reward = 0.0
        self._terminated = self._truncated = self._done = False
        others = [agent for agent in self.env.agents if agent != self.seat]
        if others:
            bind_policy(self.partners, self.env)
            self.partners.reset(others, {agent: self._infos[agent] for agent in others}, seed_value)
        instructions = self._infos[self.seat]["instructions"]
        self._play_to_turn()
        return self._observations[self.seat], {**self._info(), "instructions": instructions}

    def step(self, action: str) -> tuple[TextObs, float, bool, bool, Info]:
        """Act, and play on until it is the seat's turn again or the episode is over.

        Returns:
            The seat's observation, the sum of its rewards, whether it terminated, whether it was
            truncated, and its info.

        Raises:
            ActionError: If the action is not a string, or the partners don't answer with a text
                for exactly the agents that they are asked for.
            ResetNeededError: If no episode is running.
        """
        if self._done:
            raise ResetNeededError("no episode is running: call reset() before step()")
        action = require_text(self.seat, action)
        if self.env.agents:
            again = self.env.unwrapped.ask_again(self.seat, action) if self._is_turn() else None
            if again is not None:
                self._observations[self.seat], self._infos[self.seat] = again
                return self._observations[self.seat], 0.0, False, False, self._info()
            self._step_all({self.seat: action})
            self._play_to_turn()
        self._done = not self.env.agents
        reward, self._reward = self._reward, 0.0
        info = self._info()
        if self._done:
            info["metrics"] = View(without_nan(self.env.unwrapped.metrics()))
        return self._observations[self.seat], reward, self._terminated, self._truncated, info

    def check_action(self, action: str) -> str | None:
        """Say what would be wrong with an action of the seat now, or None; changes nothing.

        Raises:
            ActionError: If it is not the seat's turn in any way, or the action is not a string.
        """
        result: str | None = self.env.unwrapped.check_action(self.seat, action)
        return result

    def render(self) -> Any:
        """Draw the present state as ``render_mode`` says, as the parallel environment does."""
        return self.env.render()

    def close(self) -> None:
        """Release what the parallel environment holds."""
        self.env.close()

    def _play_to_turn(self) -> None:
        """Let the partners play while the seat waits or has left."""
        inner = self.env.unwrapped
        while self.env.agents and not self._is_turn():
            if inner.steps >= inner.limit:
                raise RuntimeError(f"{inner} plays on after its limit of {inner.limit} steps")
            self._step_all({})

    def _is_turn(self) -> bool:
        return self.seat in self.env.agents and bool(self._infos[self.seat]["active"])

    def _step_all(self, own: Mapping[str, str]) -> None:
        """Step the parallel environment once with the seat's and the partners' actions."""
        observations, rewards, terminations, truncations, infos = self.env.step(
            {**own, **self._partner_actions()}
        )
        # The seat's last words stay when it has left and the others play on.
        self._observations.update(observations)
        self._infos.update(infos)
        if self.seat in rewards:
            self._reward += rewards[self.seat]
            self._terminated = terminations[self.seat]
            self._truncated = truncations[self.seat]

    def _partner_actions(self) -> dict[str, str]:
        """Ask the partners for the actions of all active agents but the seat."""
        asked = {
            agent: self._observations[agent]
            for agent in self.env.agents
            if agent != self.seat and self._infos[agent]["active"]
        }
        actions: dict[str, str] = {}
        infos: Mapping[str, Info] = self._infos
        while asked:
            answers = self._partner_answers(asked, infos)
            actions.update(answers)
            told = {a: self.env.unwrapped.ask_again(a, text) for a, text in answers.items()}
            again = {agent: each for agent, each in told.items() if each is not None}
            asked = {agent: observation for agent, (observation, _) in again.items()}
            infos = {agent: info for agent, (_, info) in again.items()}
        return actions

    def _partner_answers(
        self, asked: Mapping[str, TextObs], infos: Mapping[str, Info]
    ) -> dict[str, str]:
        answers = self.partners.act(dict(asked), {agent: infos[agent] for agent in asked})
        name = self.partners.name
        require_answers(name, answers, asked)
        return {
            agent: checked_answer(answers[agent], f"policy {name!r}, {agent}").text
            for agent in asked
        }

    def _info(self) -> Info:
        """Give the seat's last info anew; the one kept must not change with the caller's."""
        info = dict(self._infos[self.seat])
        info.pop("metrics", None)
        return {**info, "view": View(info["view"])}


def _listed(agents: list[str]) -> str:
    """Name the agents, by the ends of the list if it is long."""
    if len(agents) > 4:
        return f"{agents[0]} … {agents[-1]}"
    return ", ".join(agents)
