"""Policies by name: the random one, the oracle, those of the families, people and models."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coordgym.contract.base import Info
from coordgym.errors import ConfigError, UnknownKwargError, UnknownPolicyError, shown, suggest
from coordgym.loading import load
from coordgym.policies.protocol import Completion, Policy, agent_rng, bind_policy

POLICY_TABLE = "coordgym.baselines.table:POLICIES"
ORACLE_TABLE = "coordgym.baselines.table:ORACLES"
LLM_FACTORY = "coordgym.agents.factory:make_llm_policy"
HUMAN_FACTORY = "coordgym.agents.human:make_human_policy"


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
    factories = _factories()
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
    return list(_factories())


def _factories() -> dict[str, Any]:
    """Return what makes each named policy: a class, or where to load it from."""
    return {
        "random": RandomPolicy,
        "oracle": OraclePolicy,
        "human": HUMAN_FACTORY,
        **load(POLICY_TABLE),
    }


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
