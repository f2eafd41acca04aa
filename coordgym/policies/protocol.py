"""Policies: whatever answers observations with texts, for one or several agents at once."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from coordgym.contract.base import Info
from coordgym.errors import (
    ActionError,
    ConfigError,
    UnknownKwargError,
    UnknownPolicyError,
    shown,
    suggest,
)
from coordgym.loading import load

POLICY_TABLE = "coordgym.baselines.table:POLICIES"
ORACLE_TABLE = "coordgym.baselines.table:ORACLES"
LLM_FACTORY = "coordgym.agents.factory:make_llm_policy"
HUMAN_FACTORY = "coordgym.agents.human:make_human_policy"
POLICY_STREAM = 101
"""First spawn key of the agents' generators.

The streams of environments are smaller: with one of theirs, a seat that guesses what is hidden
from it would draw the very numbers that the instance was made of.
"""
_NUMBERED_AGENT = re.compile(r"agent_(0|[1-9][0-9]*)")
REST = "*"
"""Key of ``PolicyMap`` for all agents that are not named."""
BYZANTINE = "byzantine"
"""Key of ``PolicyMap`` for the agents that a graph instance marks as byzantine."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer with what training and accounting need.

    Attributes:
        text: The action.
        prompt_token_ids: Tokens of the prompt.
        completion_token_ids: Tokens of the answer.
        logprobs: Log-probability of each token of the answer.
        prompt_tokens: Number of tokens of the prompt, as the backend counts.
        completion_tokens: Number of tokens of the answer.
        finish_reason: Why the model stopped: ``"stop"``, ``"length"``, …
        model: The model's name.
        latency: Seconds from request to answer.
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


class RandomPolicy:
    """Draws legal actions; where the family allows it, they may end the episode.

    Reads no observation. Outside of ``TextParallelEnv`` it samples the action spaces.
    """

    name = "random"

    def __init__(self) -> None:
        self._env: Any = None
        self._rngs: dict[str, np.random.Generator] = {}

    def bind(self, env: Any) -> None:
        """Take the environment, whose grammar the actions come from."""
        self._env = env.unwrapped

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        """Seed one generator per agent."""
        if self._env is None:
            raise ConfigError("RandomPolicy needs bind(env) before reset; rollout does that")
        self._rngs = {agent: agent_rng(agent, seed) for agent in agents}
        if not hasattr(self._env, "random_action"):
            for agent, rng in self._rngs.items():
                self._env.action_space(agent).seed(int(rng.integers(2**31)))

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> dict[str, str | Completion]:
        """Draw one action for each agent asked."""
        if not hasattr(self._env, "random_action"):
            return {agent: self._env.action_space(agent).sample() for agent in observations}
        return {agent: self._env.random_action(agent, self._rngs[agent]) for agent in observations}


class OraclePolicy:
    """The strongest baseline of whatever family it is bound to."""

    name = "oracle"

    def __init__(self) -> None:
        self._policy: Policy | None = None

    def bind(self, env: Any) -> None:
        """Choose the family's strongest baseline.

        Raises:
            UnknownPolicyError: If the family has none.
        """
        self._policy = make_policy(require_oracle(env))
        bind_policy(self._policy, env)

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        """Begin an episode."""
        self._chosen().reset(agents, infos, seed)

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> Mapping[str, str | Completion]:
        """Answer as the chosen baseline does."""
        return self._chosen().act(observations, infos)

    def _chosen(self) -> Policy:
        if self._policy is None:
            raise ConfigError("OraclePolicy needs bind(env) before reset; rollout does that")
        return self._policy


def require_oracle(env: Any) -> str:
    """Return the name of the strongest baseline of an environment's family.

    Raises:
        UnknownPolicyError: If the family has none.
    """
    oracles: Mapping[str, str] = load(ORACLE_TABLE)
    family = getattr(env.unwrapped, "family", "")
    if family not in oracles:
        raise UnknownPolicyError(
            f"no oracle for the family {family!r}; there are ones for {', '.join(oracles)}. "
            "Name another policy (in a seat: partners=…)"
        )
    return oracles[family]


class PolicyMap:
    """Different policies for different agents.

    One map may serve environments of several sizes: ``"*"``, and ``"byzantine"`` in the graph
    family, play whoever is there for them, perhaps nobody. An agent that is named must exist.

    Args:
        policies: Policies, or their names for ``make_policy``, by agent id; ``"*"`` plays all
            agents that are not named, and ``"byzantine"`` those that the instance marks so
            (graph family). One object may stand under several keys: it is asked once.
        name: The name in records; by default the parts' names.

    Raises:
        ConfigError: If a key is not a str, or a value is neither a policy nor a name.
        UnknownPolicyError: If no policy has a name that is given.
    """

    def __init__(self, policies: Mapping[str, Policy | str], name: str | None = None) -> None:
        if not isinstance(policies, Mapping) or not policies:
            raise ConfigError("PolicyMap needs a dict of at least one policy by agent id")
        for key in policies:
            if not isinstance(key, str):
                raise ConfigError(
                    f"a key of PolicyMap is an agent id such as 'agent_0', got {shown(key)}"
                )
        self.policies = {key: as_policy(policy) for key, policy in policies.items()}
        self.name = name or ",".join(f"{key}={p.name}" for key, p in self.policies.items())
        self._of: dict[str, str] = {}
        self._env: Any = None

    def bind(self, env: Any) -> None:
        """Pass the environment on, and keep it to ask which agents it marks as byzantine."""
        for policy in self._distinct():
            bind_policy(policy, env)
        self._env = env.unwrapped

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        """Split the agents among the policies.

        Raises:
            ConfigError: If a named agent does not exist, an agent has no policy, or there is one
                for ``"byzantine"`` in an environment that never marks agents so.
        """
        if BYZANTINE in self.policies and not hasattr(self._env, "byzantine_agents"):
            where = "call bind(env) first"
            if self._env is not None:
                where = f"{type(self._env).__name__} marks no agents so; name the agents instead"
            raise ConfigError(f"the policy for {BYZANTINE!r} can play nobody: {where}")
        self._of = {}
        byzantine = frozenset(getattr(self._env, "byzantine_agents", ()))
        for agent in agents:
            if agent in byzantine and BYZANTINE in self.policies:
                self._of[agent] = BYZANTINE
            elif agent in self.policies:
                self._of[agent] = agent
            elif REST in self.policies:
                self._of[agent] = REST
            else:
                raise ConfigError(f"no policy plays {agent}; add it or a policy for {REST!r}")
        for key in self.policies:
            if key not in (REST, BYZANTINE) and key not in agents:
                raise ConfigError(f"there is no agent {shown(key)}{suggest(key, agents)}")
        for policy in self._distinct():
            own = [agent for agent in agents if self.playing(agent) is policy]
            if own:
                policy.reset(own, {agent: infos[agent] for agent in own}, seed)

    def _distinct(self) -> list[Policy]:
        """Return each policy once, whatever number of keys it stands under."""
        return list({id(policy): policy for policy in self.policies.values()}.values())

    def playing(self, agent: str) -> Policy:
        """Return the policy that plays an agent in this episode."""
        return self.policies[self._of[agent]]

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> dict[str, str | Completion]:
        """Ask each policy for the agents that it plays.

        Raises:
            ActionError: If one does not answer for exactly those.
        """
        actions: dict[str, str | Completion] = {}
        for policy in self._distinct():
            asked = {a: text for a, text in observations.items() if self.playing(a) is policy}
            if asked:
                answers = policy.act(asked, {agent: infos[agent] for agent in asked})
                require_answers(policy.name, answers, asked)
                actions.update(answers)
        return {agent: actions[agent] for agent in observations}

    def notes(self) -> dict[str, Any]:
        """Collect the notes of the parts, with their keys in front."""
        return {
            f"{key}.{name}": value
            for key, policy in self.policies.items()
            for name, value in policy_notes(policy).items()
        }


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


def as_policy(policy: Policy | str) -> Policy:
    """Return the policy, made by ``make_policy`` if a name is given.

    Raises:
        ConfigError: If it is neither a name nor has ``name``, ``reset`` and ``act``.
        UnknownPolicyError: If no policy has this name.
    """
    if isinstance(policy, str):
        return make_policy(policy)
    if isinstance(policy, type) or not isinstance(policy, Policy):
        raise ConfigError(
            f"a policy is a name for make_policy or an object with name, reset and act, "
            f"got {shown(policy)}"
        )
    return policy


def bind_policy(policy: Policy, env: Any) -> None:
    """Give the policy the environment, if it wants one."""
    bind = getattr(policy, "bind", None)
    if bind is not None:
        bind(env)


def policy_notes(policy: Policy) -> dict[str, Any]:
    """Return what the policy wants the episode to record; empty if it has nothing."""
    notes = getattr(policy, "notes", None)
    return dict(notes()) if notes is not None else {}


def make_policy(spec: str, **kwargs: Any) -> Policy:
    """Make a policy from a string.

    Args:
        spec: ``random``; ``oracle`` (the strongest baseline of the family it meets);
            ``<family>:<name>`` such as ``silo:all-gather``; ``llm:embedded``,
            ``llm:hf:DIR`` or ``llm:openai:MODEL@URL``; ``human``.
        **kwargs: Keyword arguments of the policy.

    Raises:
        UnknownPolicyError: If the name is not known, with the nearest one.
        UnknownKwargError: If the policy has no such keyword argument.
        MissingExtraError: If a language-model backend is not installed.
    """
    if not isinstance(spec, str):
        raise UnknownPolicyError(f"a policy is named by a str, got {type(spec).__name__}")
    if spec.startswith("llm:"):
        llm: Policy = load(LLM_FACTORY)(spec, **kwargs)
        return llm
    factories: dict[str, Any] = {
        "random": RandomPolicy,
        "oracle": OraclePolicy,
        "human": HUMAN_FACTORY,
        **load(POLICY_TABLE),
    }
    if spec not in factories:
        near = suggest(spec, factories)
        raise UnknownPolicyError(
            f"no policy {shown(spec)}{near}; there are {', '.join(factories)}, "
            "llm:<backend>:<model>"
        )
    factory = factories[spec]
    if isinstance(factory, str):
        factory = load(factory)
    try:
        policy: Policy = factory(**kwargs)
    except TypeError as error:
        if kwargs and "argument" in str(error):
            raise UnknownKwargError(f"policy {spec!r}: {error}") from error
        raise
    return policy


def list_policies() -> list[str]:
    """List the names that ``make_policy`` takes, without the language models."""
    return ["random", "oracle", "human", *load(POLICY_TABLE)]
