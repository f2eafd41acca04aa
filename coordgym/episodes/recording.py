"""One episode while it is played: asks the policy, steps the environment, keeps the record."""

import copy
import platform
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from coordgym.contract.base import Info
from coordgym.data import jsonl
from coordgym.episodes.answers import Answer, checked_answer
from coordgym.episodes.episode import Episode, Failure, Timing, Totals, Turn, add_usage
from coordgym.errors import ConfigError, SeedError, require_int
from coordgym.policies.named import as_policy
from coordgym.policies.policy_map import PolicyMap
from coordgym.policies.protocol import Policy, bind_policy, policy_notes, require_answers

_PACKAGES = ("coordgym", "gymnasium", "pettingzoo", "numpy")
_PACKAGES_IF_LOADED = ("torch", "transformers", "openai")
_TRACEBACK_CHARS = 4_000


def failure_of(error: BaseException) -> Failure:
    """Describe an exception for the record, also one that can't even be printed."""
    trace = "".join(traceback.format_exception(error))
    try:
        message = str(error)
    except Exception as second:
        message = f"(its text can't be had: {type(second).__name__})"
    return Failure(type(error).__name__, message, trace[-_TRACEBACK_CHARS:])


class Recording:
    """One episode while it is played; see ``coordgym.episodes.rollout.rollout`` for the arguments.

    Making one never raises: arguments are checked when it is played, so that a wrong one can
    be recorded like any other failure.
    """

    def __init__(
        self,
        env: Any,
        policy: Policy,
        seed: int | None,
        options: Mapping[str, Any] | None,
        policy_seed: int | None,
        repeat: int,
    ) -> None:
        self.env = env
        self.policy = policy
        self.repeat = 0
        self._repeat = repeat
        self.env_id = ""
        self.kwargs: dict[str, Any] = {}
        self.seed = 0
        self.policy_seed = 0
        self.options: dict[str, Any] | None = None
        self.instance: dict[str, Any] | None = None
        self.policy_name = ""
        self.notes: dict[str, Any] = {}
        self._given = seed, policy_seed, options
        self.turns: list[dict[str, Any]] = []
        self.last_turn: dict[str, dict[str, Any]] = {}
        self.returns: dict[str, float] = {}
        self.final_observations: dict[str, str] = {}
        self.policies: dict[str, str] = {}
        self.metrics: dict[str, Any] = {}
        self.step = 0
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self.clock = time.perf_counter()
        self.policy_seconds = 0.0
        self.env_seconds = 0.0

    def play(self) -> None:
        """Play to the end; what was recorded until an exception is kept.

        Raises:
            ConfigError: If environment, policy or options are none, or the policy's notes are
                no dict.
            SeedError: If a seed is not an int ≥ 0.
            EpisodeError: If the policy's notes have no JSON form.
        """
        self._take_arguments()
        bind_policy(self.policy, self.env)
        observations, infos = self._reset()
        while self.env.agents:
            observations, infos = self._play_step(observations, infos)
        self.metrics = self._final_metrics()
        self.notes = _notes(self.policy, self.policy_name)

    def _take_arguments(self) -> None:
        bare = getattr(self.env, "unwrapped", None)
        if isinstance(bare, type) or not hasattr(bare, "step") or not hasattr(bare, "reset"):
            raise ConfigError(
                "env must be a parallel environment such as coordgym.make(ID) returns, "
                f"got {self.env!r:.100}"
            )
        self.env_id, self.kwargs = _origin(bare)
        as_policy(self.policy)
        if not isinstance(self.policy.name, str):
            raise ConfigError(f"a policy's name must be a str, got {self.policy.name!r:.100}")
        self.policy_name = self.policy.name
        self.repeat = require_int("repeat", self._repeat, 0)
        seed, policy_seed, options = self._given
        if options is not None and not isinstance(options, Mapping):
            raise ConfigError(f"options must be a dict or None, got {options!r:.100}")
        self.options = copy.deepcopy(dict(options)) if options else None
        self._set_seeds(seed, policy_seed)

    def _set_seeds(self, seed: object, policy_seed: object) -> None:
        if seed is not None:
            self.seed = _whole_seed("seed", seed)
        self.policy_seed = (
            self.seed if policy_seed is None else _whole_seed("policy_seed", policy_seed)
        )

    def _reset(self) -> tuple[Mapping[str, str], Mapping[str, Info]]:
        seed, policy_seed, _ = self._given
        start = time.perf_counter()
        observations, infos = self.env.reset(
            seed=None if seed is None else self.seed, options=self.options
        )
        self.env_seconds += time.perf_counter() - start
        bare = self.env.unwrapped
        if seed is None:
            drawn = getattr(bare, "seed_value", None)
            if drawn is None:
                raise SeedError(f"{self.env_id} does not tell which seed it draws; give one")
            self._set_seeds(drawn, policy_seed)
        self.instance = copy.deepcopy(getattr(bare, "instance", None))
        agents = list(self.env.agents)
        self.returns = dict.fromkeys(agents, 0.0)
        start = time.perf_counter()
        self.policy.reset(list(agents), _copies(infos, agents), self.policy_seed)
        self.policy_seconds += time.perf_counter() - start
        self.policies = {agent: _player(self.policy, agent) for agent in agents}
        return observations, infos

    def _play_step(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> tuple[Mapping[str, str], Mapping[str, Info]]:
        active = [agent for agent in self.env.agents if infos[agent].get("active", True)]
        answers = self._ask(active, observations, infos)
        actions = {agent: answers[agent].text for agent in active}
        turns = {
            agent: {
                "step": self.step,
                "round": int(infos[agent].get("round", self.step)),
                "agent": agent,
                "observation": str(observations[agent]),
                "action": self._whole_action(agent, actions[agent]),
                "reward": 0.0,
                "terminated": False,
                "truncated": False,
                "usage": answers[agent].usage,
            }
            for agent in active
        }
        start = time.perf_counter()
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        self.env_seconds += time.perf_counter() - start
        for agent, turn in turns.items():
            turn["valid"] = infos[agent].get("valid") is not False
            turn["error"] = infos[agent].get("error")
        self.turns.extend(turns.values())
        self.last_turn.update(turns)
        for agent, reward in rewards.items():
            self._credit(agent, reward, terminations[agent], truncations[agent])
            if terminations[agent] or truncations[agent]:
                self.final_observations[agent] = str(observations[agent])
        self.step += 1
        return observations, infos

    def _ask(
        self,
        active: Sequence[str],
        observations: Mapping[str, str],
        infos: Mapping[str, Info],
    ) -> Mapping[str, Answer]:
        if not active:
            return {}
        start = time.perf_counter()
        answers = self.policy.act(
            {agent: observations[agent] for agent in active}, _copies(infos, active)
        )
        self.policy_seconds += time.perf_counter() - start
        name = self.policy_name
        require_answers(name, answers, active)
        return {
            agent: checked_answer(answers[agent], f"policy {name!r}, {agent}") for agent in active
        }

    def _whole_action(self, agent: str, text: str) -> str:
        """Return the text as the environment takes it, behind what was done before ``step``."""
        whole = getattr(self.env.unwrapped, "whole_action", None)
        return text if whole is None else str(whole(agent, text))

    def _credit(self, agent: str, reward: float, terminated: bool, truncated: bool) -> None:
        self.returns[agent] = self.returns.get(agent, 0.0) + float(reward)
        turn = self.last_turn.get(agent)
        if turn is not None:
            turn["reward"] += float(reward)
            turn["terminated"] |= bool(terminated)
            turn["truncated"] |= bool(truncated)

    def _final_metrics(self) -> dict[str, Any]:
        bare = self.env.unwrapped
        if not hasattr(bare, "metrics"):  # some other ParallelEnv of text
            return {}
        totals = add_usage(turn["usage"] for turn in self.turns)
        return with_token_rate(dict(bare.metrics()), totals, getattr(bare, "limit", None))

    def episode(self, failure: Failure | None = None) -> Episode:
        """Return what has been recorded; never raises."""
        if failure is not None:
            with suppress(Exception):  # why it failed matters more than why the notes do
                self.notes = _notes(self.policy, self.policy_name)
        return Episode(
            env_id=self.env_id,
            kwargs=self.kwargs,
            seed=self.seed,
            policy=self.policy_name,
            policies=self.policies,
            policy_seed=self.policy_seed,
            repeat=self.repeat,
            options=self.options,
            instance=self.instance,
            turns=tuple(Turn(**turn) for turn in self.turns),
            final_observations=self.final_observations,
            returns=self.returns,
            metrics=self.metrics,
            notes=self.notes,
            timing=Timing(
                started=self.started,
                seconds=time.perf_counter() - self.clock,
                policy_seconds=self.policy_seconds,
                env_seconds=self.env_seconds,
            ),
            versions=versions(),
            failure=failure,
        )


def _origin(bare: Any) -> tuple[str, dict[str, Any]]:
    """Id and keyword arguments that an environment was made with, as far as it knows them."""
    spec = getattr(bare, "spec", None)
    if spec is not None:
        return str(spec.id), copy.deepcopy(dict(spec.kwargs))
    metadata = getattr(bare, "metadata", None) or {}
    return str(metadata.get("name", type(bare).__name__)), {}


def _whole_seed(name: str, value: object) -> int:
    try:
        return require_int(name, value, 0)
    except ConfigError as error:
        raise SeedError(str(error)) from None


def _copies(infos: Mapping[str, Info], agents: Sequence[str]) -> dict[str, Info]:
    """Infos for a policy, which may change its own copy."""
    return {agent: copy.copy(infos[agent]) for agent in agents}


def _notes(policy: Policy, name: str) -> dict[str, Any]:
    """What the policy wants recorded, if it can be."""
    ask = getattr(policy, "notes", None)
    if ask is None:
        return {}
    notes = policy_notes(policy) if isinstance(policy, PolicyMap) else ask()
    if not isinstance(notes, Mapping) or not all(isinstance(key, str) for key in notes):
        raise ConfigError(
            f"notes() of policy {name!r} must return a dict with text keys, got {notes!r:.80}"
        )
    jsonl.dumps(notes)
    return copy.deepcopy(dict(notes))


def with_token_rate(metrics: dict[str, Any], totals: Totals, limit: int | None) -> dict[str, Any]:
    """Fill in Silo-Bench's communication cost C where the environment left it open.

    C is the number of tokens that all agents wrote, divided by the limit on rounds. It stays
    NaN if no agent was a language model, or one of them reported no token counts.
    """
    cost = metrics.get("C")
    if isinstance(cost, float) and cost != cost and totals.completion_tokens is not None and limit:
        return {**metrics, "C": totals.completion_tokens / limit}
    return metrics


def _player(policy: Policy, agent: str) -> str:
    """Name of the policy that plays an agent."""
    return policy.playing(agent).name if isinstance(policy, PolicyMap) else policy.name


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that an episode depends on."""
    names = [*_PACKAGES, *(name for name in _PACKAGES_IF_LOADED if name in sys.modules)]
    return {"python": platform.python_version(), **{name: _version(name) for name in names}}


@lru_cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
