"""One episode while it is played: asks the policy, steps the environment, keeps the record."""

import copy
import platform
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from coordgym.base import Info
from coordgym.episode import Episode, Failure, Timing, Totals, Turn, Usage, add_usage
from coordgym.errors import ActionError
from coordgym.policy import Completion, Policy, PolicyMap, bind_policy, policy_notes

_PACKAGES = ("coordgym", "gymnasium", "pettingzoo", "numpy")
_PACKAGES_IF_LOADED = ("torch", "transformers", "openai")
_TRACEBACK_CHARS = 4_000


def failure_of(error: BaseException) -> Failure:
    """Describe an exception for the record."""
    trace = "".join(traceback.format_exception(error))
    return Failure(type(error).__name__, str(error), trace[-_TRACEBACK_CHARS:])


class Recording:
    """One episode while it is played; see ``coordgym.rollout.rollout`` for the arguments."""

    def __init__(
        self,
        env: Any,
        policy: Policy,
        seed: int,
        options: Mapping[str, Any] | None,
        policy_seed: int | None,
        repeat: int,
    ) -> None:
        self.env = env
        self.policy = policy
        self.seed = seed
        self.options = copy.deepcopy(dict(options)) if options else None
        self.policy_seed = seed if policy_seed is None else policy_seed
        self.repeat = repeat
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
        """Play to the end; what was recorded until an exception is kept."""
        bind_policy(self.policy, self.env)
        start = time.perf_counter()
        observations, infos = self.env.reset(seed=self.seed, options=self.options)
        self.env_seconds += time.perf_counter() - start
        agents = list(self.env.agents)
        self.returns = dict.fromkeys(agents, 0.0)
        start = time.perf_counter()
        self.policy.reset(agents, infos, self.policy_seed)
        self.policy_seconds += time.perf_counter() - start
        self.policies = {agent: _player(self.policy, agent) for agent in agents}
        while self.env.agents:
            observations, infos = self._play_step(observations, infos)
        self.metrics = self._final_metrics()

    def _play_step(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> tuple[Mapping[str, str], Mapping[str, Info]]:
        active = [agent for agent in self.env.agents if infos[agent].get("active", True)]
        answers = self._ask(active, observations, infos)
        actions: dict[str, str] = {}
        for agent in active:
            answer = answers[agent]
            actions[agent] = answer.text if isinstance(answer, Completion) else answer
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
                "usage": _usage(answers[agent]),
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
    ) -> Mapping[str, str | Completion]:
        if not active:
            return {}
        start = time.perf_counter()
        answers = self.policy.act(
            {agent: observations[agent] for agent in active},
            {agent: infos[agent] for agent in active},
        )
        self.policy_seconds += time.perf_counter() - start
        name = self.policy.name
        if not isinstance(answers, Mapping):
            raise ActionError(f"policy {name!r} must answer with a dict, got {answers!r:.80}")
        if set(answers) != set(active):
            raise ActionError(
                f"policy {name!r} answered for {sorted(answers)}; asked were {sorted(active)}"
            )
        for agent, answer in answers.items():
            if not isinstance(answer, str | Completion):
                raise ActionError(
                    f"policy {name!r} answered {agent} with a {type(answer).__name__}; "
                    "expected a str or a Completion"
                )
        return answers

    def _whole_action(self, agent: str, text: str) -> str:
        """The text together with the tool calls that the agent has made in this turn."""
        called = getattr(self.env.unwrapped, "called_text", None)
        before = called(agent) if called is not None else ""
        return f"{before}\n{text}" if before and text else before or str(text)

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
        """Return what has been recorded."""
        bare = self.env.unwrapped
        spec = getattr(bare, "spec", None)
        return Episode(
            env_id=spec.id if spec is not None else bare.metadata.get("name", str(bare)),
            kwargs=copy.deepcopy(dict(spec.kwargs)) if spec is not None else {},
            seed=self.seed,
            policy=self.policy.name,
            policies=self.policies,
            policy_seed=self.policy_seed,
            repeat=self.repeat,
            options=self.options,
            instance=copy.deepcopy(getattr(bare, "instance", None)) if self.returns else None,
            turns=tuple(Turn(**turn) for turn in self.turns),
            final_observations=self.final_observations,
            returns=self.returns,
            metrics=self.metrics,
            notes=policy_notes(self.policy) if failure is None else {},
            timing=Timing(
                started=self.started,
                seconds=time.perf_counter() - self.clock,
                policy_seconds=self.policy_seconds,
                env_seconds=self.env_seconds,
            ),
            versions=versions(),
            failure=failure,
        )


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


def _usage(answer: str | Completion) -> Usage | None:
    if not isinstance(answer, Completion):
        return None
    prompt, written = answer.prompt_token_ids, answer.completion_token_ids
    return Usage(
        prompt_tokens=_count(answer.prompt_tokens, prompt),
        completion_tokens=_count(answer.completion_tokens, written),
        latency=answer.latency,
        finish_reason=answer.finish_reason,
        model=answer.model,
        prompt_token_ids=None if prompt is None else tuple(prompt),
        completion_token_ids=None if written is None else tuple(written),
        logprobs=None if answer.logprobs is None else tuple(answer.logprobs),
    )


def _count(count: int | None, ids: Sequence[int] | None) -> int | None:
    return len(ids) if count is None and ids is not None else count


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
