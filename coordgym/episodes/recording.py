"""One episode while it is played: asks the policy, steps the environment, keeps the record."""

import copy
import platform
import sys
import time
import traceback
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from coordgym.contract.base import Info
from coordgym.contract.replies import Kept
from coordgym.data import jsonl
from coordgym.episodes.answers import Answer, checked_answer
from coordgym.episodes.episode import Episode, Failure, Timing, Turn, Usage, add_usage
from coordgym.errors import ConfigError, SeedError, require_int
from coordgym.policies.named import as_policy
from coordgym.policies.policy_map import PolicyMap
from coordgym.policies.protocol import Policy, bind_policy, policy_notes, require_answers
from coordgym.version import VERSION

_PACKAGES = ("gymnasium", "pettingzoo", "numpy")
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


@dataclass(frozen=True, slots=True)
class Asked:
    """What an episode is to be; see ``coordgym.episodes.rollout.rollout`` for the parts."""

    env: Any
    policy: Policy
    seed: int | None
    options: Mapping[str, Any] | None = None
    policy_seed: int | None = None
    repeat: int = 0


class _Stopwatch:
    """Adds up the seconds that its blocks take."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._started = 0.0

    def __enter__(self) -> None:
        self._started = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        self.seconds += time.perf_counter() - self._started


class _Before(NamedTuple):
    """What is known of a turn before the environment steps."""

    round: int
    observation: str
    answer: str
    action: str
    reasoning: int
    usage: Usage | None


class _After(NamedTuple):
    """What a step of the environment returns."""

    observations: Mapping[str, str]
    rewards: Mapping[str, float]
    terminations: Mapping[str, bool]
    truncations: Mapping[str, bool]
    infos: Mapping[str, Info]


class Recording:
    """One episode while it is played.

    Making one never raises: what was asked for is checked when it is played, so that a wrong
    argument can be recorded like any other failure.
    """

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self._known = Episode(env_id="", kwargs={}, seed=0, policy="", timing=Timing(started, 0.0))
        self._turns: list[Turn] = []
        self._last_turn: dict[str, int] = {}
        self._returns: dict[str, float] = {}
        self._final_observations: dict[str, str] = {}
        self._step = 0
        self._clock = time.perf_counter()
        self._in_policy = _Stopwatch()
        self._in_env = _Stopwatch()

    def play(self) -> None:
        """Play to the end; what was recorded until an exception is kept.

        Raises:
            ConfigError: If environment, policy or options are none, or the policy's notes are
                no dict.
            SeedError: If a seed is not an int ≥ 0.
            EpisodeError: If the policy's notes have no JSON form.
        """
        self._check_arguments()
        bind_policy(self._asked.policy, self._asked.env)
        observations, infos = self._reset()
        while self._asked.env.agents:
            observations, infos = self._play_step(observations, infos)
        self._know(metrics=self._final_metrics())
        self._know(notes=self._notes())

    def _know(self, **fields: Any) -> None:
        """Fill in fields of the record."""
        self._known = replace(self._known, **fields)

    def _check_arguments(self) -> None:
        asked = self._asked
        bare = getattr(asked.env, "unwrapped", None)
        if isinstance(bare, type) or not hasattr(bare, "step") or not hasattr(bare, "reset"):
            raise ConfigError(
                "env must be a parallel environment such as coordgym.make(ID) returns, "
                f"got {asked.env!r:.100}"
            )
        env_id, kwargs = _origin(bare)
        self._know(env_id=env_id, kwargs=kwargs)
        as_policy(asked.policy)
        if not isinstance(asked.policy.name, str):
            raise ConfigError(f"a policy's name must be a str, got {asked.policy.name!r:.100}")
        self._know(policy=asked.policy.name)
        self._know(repeat=require_int("repeat", asked.repeat, 0))
        if asked.options is not None and not isinstance(asked.options, Mapping):
            raise ConfigError(f"options must be a dict or None, got {asked.options!r:.100}")
        self._know(options=copy.deepcopy(dict(asked.options)) if asked.options else None)
        self._know_seeds(asked.seed)

    def _know_seeds(self, seed: object) -> None:
        """Take the environment's seed, if it is known, and the policy's, which may be the same."""
        if seed is not None:
            self._know(seed=_whole_seed("seed", seed))
        own = self._asked.policy_seed
        self._know(policy_seed=self._known.seed if own is None else _whole_seed("policy_seed", own))

    def _reset(self) -> tuple[Mapping[str, str], Mapping[str, Info]]:
        env, policy = self._asked.env, self._asked.policy
        given = None if self._asked.seed is None else self._known.seed
        with self._in_env:
            observations, infos = env.reset(seed=given, options=self._known.options)
        bare = env.unwrapped
        if given is None:
            drawn = getattr(bare, "seed_value", None)
            if drawn is None:
                raise SeedError(f"{self._known.env_id} does not tell which seed it draws; give one")
            self._know_seeds(drawn)
        self._know(instance=copy.deepcopy(getattr(bare, "instance", None)))
        agents = list(env.agents)
        self._returns = dict.fromkeys(agents, 0.0)
        with self._in_policy:
            policy.reset(list(agents), _copies(infos, agents), self._known.policy_seed)
        self._know(policies={agent: _player(policy, agent) for agent in agents})
        return observations, infos

    def _play_step(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> tuple[Mapping[str, str], Mapping[str, Info]]:
        env = self._asked.env
        active = [agent for agent in env.agents if infos[agent].get("active", True)]
        before = self._answers(active, observations, infos)
        asked: Mapping[str, _Before] = before
        while again := self._tries_again(asked):
            asked = self._answers(
                list(again),
                {agent: told for agent, (told, _) in again.items()},
                {agent: info for agent, (_, info) in again.items()},
            )
            before.update(asked)
        with self._in_env:
            after = _After(*env.step({agent: known.answer for agent, known in before.items()}))
        for agent, known in before.items():
            self._last_turn[agent] = len(self._turns)
            self._turns.append(_turn(self._step, agent, known, after))
        self._credit(before, after)
        self._step += 1
        return after.observations, after.infos

    def _answers(
        self,
        active: Sequence[str],
        observations: Mapping[str, str],
        infos: Mapping[str, Info],
    ) -> dict[str, _Before]:
        """Ask the policy for the active agents, and note what is known of their turns."""
        answers = self._ask(active, observations, infos)
        kept = {agent: self._recorded(agent, answers[agent].text) for agent in active}
        return {
            agent: _Before(
                round=int(infos[agent].get("round", self._step)),
                observation=str(observations[agent]),
                answer=answers[agent].text,
                action=kept[agent].text,
                reasoning=kept[agent].reasoning,
                usage=answers[agent].usage,
            )
            for agent in active
        }

    def _tries_again(self, asked: Mapping[str, _Before]) -> dict[str, tuple[str, Info]]:
        """Return what agents are told that may answer again in this step; record their tries."""
        ask_again = getattr(self._asked.env.unwrapped, "ask_again", None)
        if ask_again is None:  # some other ParallelEnv of text
            return {}
        again: dict[str, tuple[str, Info]] = {}
        with self._in_env:
            for agent, known in asked.items():
                told = ask_again(agent, known.answer)
                if told is not None:
                    again[agent] = told
        for agent, (_, info) in again.items():
            tried = _After({}, {}, {}, {}, {agent: info})
            self._turns.append(_turn(self._step, agent, asked[agent], tried))
        return again

    def _ask(
        self,
        active: Sequence[str],
        observations: Mapping[str, str],
        infos: Mapping[str, Info],
    ) -> Mapping[str, Answer]:
        if not active:
            return {}
        with self._in_policy:
            answers = self._asked.policy.act(
                {agent: observations[agent] for agent in active}, _copies(infos, active)
            )
        name = self._known.policy
        require_answers(name, answers, active)
        return {
            agent: checked_answer(answers[agent], f"policy {name!r}, {agent}") for agent in active
        }

    def _recorded(self, agent: str, text: str) -> Kept:
        """Return the text with what was done before ``step``, and how much of it is reasoning."""
        recorded = getattr(self._asked.env.unwrapped, "recorded_action", None)
        return Kept(text, 0) if recorded is None else recorded(agent, text)

    def _credit(self, acted: Collection[str], after: _After) -> None:
        """Add what agents earned to their sums, and to the last turns of those that waited."""
        for agent, reward in after.rewards.items():
            self._returns[agent] = self._returns.get(agent, 0.0) + float(reward)
            over = after.terminations[agent], after.truncations[agent]
            if any(over):
                self._final_observations[agent] = str(after.observations[agent])
            index = self._last_turn.get(agent)
            if index is not None and agent not in acted:
                turn = self._turns[index]
                self._turns[index] = replace(
                    turn,
                    reward=turn.reward + float(reward),
                    terminated=turn.terminated or bool(over[0]),
                    truncated=turn.truncated or bool(over[1]),
                )

    def _final_metrics(self) -> dict[str, Any]:
        bare = self._asked.env.unwrapped
        if not hasattr(bare, "metrics"):  # some other ParallelEnv of text
            return {}
        metrics = dict(bare.metrics())
        tokens = add_usage(turn.usage for turn in self._turns).completion_tokens
        of_usage = getattr(bare, "usage_metrics", None)
        return metrics if tokens is None or of_usage is None else {**metrics, **of_usage(tokens)}

    def _notes(self) -> dict[str, Any]:
        """Ask the policy what it wants recorded, and see that it can be."""
        policy = self._asked.policy
        ask = getattr(policy, "notes", None)
        if ask is None:
            return {}
        notes = policy_notes(policy) if isinstance(policy, PolicyMap) else ask()
        if not isinstance(notes, Mapping) or not all(isinstance(key, str) for key in notes):
            raise ConfigError(
                f"notes() of policy {self._known.policy!r} must return a dict with text keys, "
                f"got {notes!r:.80}"
            )
        jsonl.dumps(notes)
        return copy.deepcopy(dict(notes))

    def episode(self, failure: Failure | None = None) -> Episode:
        """Return what has been recorded; never raises."""
        if failure is not None:
            with suppress(Exception):  # why it failed matters more than why the notes do
                self._know(notes=self._notes())
        return replace(
            self._known,
            turns=tuple(self._turns),
            final_observations=self._final_observations,
            returns=self._returns,
            timing=replace(
                self._known.timing,
                seconds=time.perf_counter() - self._clock,
                policy_seconds=self._in_policy.seconds,
                env_seconds=self._in_env.seconds,
            ),
            versions=versions(),
            failure=failure,
        )


def _turn(step: int, agent: str, before: _Before, after: _After) -> Turn:
    info = after.infos[agent]
    return Turn(
        step=step,
        round=before.round,
        agent=agent,
        observation=before.observation,
        action=before.action,
        valid=info.get("valid") is not False,
        error=info.get("error"),
        reward=0.0 + float(after.rewards.get(agent, 0.0)),  # never -0.0
        terminated=bool(after.terminations.get(agent)),
        truncated=bool(after.truncations.get(agent)),
        usage=before.usage,
        reasoning=before.reasoning,
    )


def _origin(bare: Any) -> tuple[str, dict[str, Any]]:
    """Tell id and keyword arguments that an environment was made with, as far as it knows."""
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
    """Copy infos for a policy, which may change its own."""
    return {agent: copy.copy(infos[agent]) for agent in agents}


def _player(policy: Policy, agent: str) -> str:
    """Name the policy that plays an agent."""
    return policy.playing(agent).name if isinstance(policy, PolicyMap) else policy.name


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that an episode depends on."""
    names = [*_PACKAGES, *(name for name in _PACKAGES_IF_LOADED if name in sys.modules)]
    here = {"python": platform.python_version(), "coordgym": VERSION}
    return {**here, **{name: _version(name) for name in names}}


@lru_cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
