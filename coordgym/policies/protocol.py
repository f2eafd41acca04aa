"""What a policy is: whatever answers observations with texts, for one or several agents at once."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from coordgym.contract.base import Info
from coordgym.errors import ActionError, ConfigError, shown

POLICY_STREAM = 101
"""First spawn key of the agents' generators.

Those of environments begin with the name of a task (``coordgym.contract.seeding``): with one of
theirs, a seat that guesses what is hidden from it would draw the very numbers that the instance was
made of.
"""
_NUMBERED_AGENT = re.compile(r"agent_(0|[1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer with what training and accounting need.

    Attributes:
        text: The action, as the model wrote it.
        prompt_token_ids: Tokens of the prompt.
        completion_token_ids: Tokens of the answer.
        logprobs: Log-probability of each token of the answer.
        prompt_tokens: Number of tokens of the prompt, as the backend counts.
        completion_tokens: Number of tokens of the answer.
        finish_reason: Why the model stopped: ``"stop"``, ``"length"``, …
        model: The model's name.
        latency: Seconds from request to answer.
        reasoning: What the model thought, where its server returns that apart from the text.
    """

    text: str
    prompt_token_ids: tuple[int, ...] | None = None
    completion_token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    model: str | None = None
    latency: float | None = None
    reasoning: str | None = None


@runtime_checkable
class Policy(Protocol):
    """Answers the observations of the agents that it plays.

    A policy may also have ``bind(env)``, called before ``reset`` with the environment, to
    use ``check_action`` or tool handles; ``notes()``, a flat JSON-able dict that the episode
    records (what a memory dropped, for instance); ``close()``, called when a run is over; and
    ``family``, the only family of environments that it plays.
    """

    name: str

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        """Begin an episode; ``infos`` are those of the environment's reset."""

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> Mapping[str, str | Completion]:
        """Answer every observation given: those of the active agents."""


class Brain(Protocol):
    """One agent's mind: it sees its own observations and nothing else."""

    def act(self, observation: str, info: Info) -> str | Completion:
        """Answer one observation."""


BrainFactory = Callable[[str, Info, np.random.Generator], Brain]
"""Makes a brain from the agent's id, its info at reset and its own random generator."""


class PerAgent:
    """A policy in which each agent has its own brain; build it with ``per_agent``."""

    def __init__(self, factory: BrainFactory, name: str, family: str = "") -> None:
        self.name = name
        self.family = family
        self._factory = factory
        self._brains: dict[str, Brain] = {}

    def bind(self, env: Any) -> None:
        """Refuse an environment of another family.

        Raises:
            ConfigError: If the policy is made for another family.
        """
        family = getattr(env.unwrapped, "family", "")
        if self.family and family != self.family:
            raise ConfigError(
                f"policy {self.name!r} plays the family {self.family!r}, "
                f"not {family or type(env.unwrapped).__name__!r}"
            )

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        """Give every agent a new brain, with independent generators."""
        self._brains = {}
        for agent in agents:
            self._brains[agent] = self._factory(agent, infos[agent], agent_rng(agent, seed))

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> dict[str, str | Completion]:
        """Ask each agent's brain."""
        return {
            agent: self._brains[agent].act(observation, infos[agent])
            for agent, observation in observations.items()
        }


def per_agent(factory: BrainFactory, name: str, family: str = "") -> PerAgent:
    """Make a decentralised policy: every agent acts on its own observations alone.

    Args:
        factory: Makes an agent's brain; a module-level function or object, if the policy is
            to be pickled.
        name: The policy's name in records.
        family: The only family that it can play; empty = any.
    """
    return PerAgent(factory, name, family)


def agent_rng(agent: str, seed: int) -> np.random.Generator:
    """Return an agent's generator for an episode, whoever else is played by the policy."""
    numbered = _NUMBERED_AGENT.fullmatch(agent)
    key = (int(numbered[1]),) if numbered else tuple(agent.encode())
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(POLICY_STREAM, *key)))


def bind_policy(policy: Policy, env: Any) -> None:
    """Give the policy the environment, if it wants one."""
    bind = getattr(policy, "bind", None)
    if bind is not None:
        bind(env)


def policy_notes(policy: Policy) -> dict[str, Any]:
    """Return what the policy wants the episode to record; empty if it has nothing."""
    notes = getattr(policy, "notes", None)
    return dict(notes()) if notes is not None else {}


def require_answers(name: str, answers: object, asked: Collection[str]) -> None:
    """Refuse what a policy returned unless it answers for exactly the agents that were asked.

    Raises:
        ActionError: If it is no dict, or leaves out an agent or names another.
    """
    if not isinstance(answers, Mapping):
        raise ActionError(f"policy {name!r} must answer with a dict, got {shown(answers)}")
    if set(answers) != set(asked):
        raise ActionError(
            f"policy {name!r} answered for {sorted(map(str, answers))}; asked were {sorted(asked)}"
        )
