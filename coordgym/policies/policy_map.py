"""One policy out of several: different ones for different agents."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from coordgym.contract.base import Info
from coordgym.errors import ConfigError, shown, suggest
from coordgym.policies.named import as_policy
from coordgym.policies.protocol import (
    Completion,
    Policy,
    bind_policy,
    policy_notes,
    require_answers,
)

_NUMBERED = re.compile(r"agent_?\d+")
REST = "*"
"""Key of ``PolicyMap`` for all agents that are not named."""


class PolicyMap:
    """Different policies for different agents.

    One map may serve environments of several sizes: ``"*"``, and the name of a group of agents
    that the instance marks (``"byzantine"`` in the graph family), play whoever is there for
    them, perhaps nobody. An agent that is named must exist.

    Args:
        policies: Policies, or their names for ``make_policy``, by agent id; ``"*"`` plays all
            agents that are not named, and a group's name those that the instance marks so, as
            the environment's ``groups()`` tells. One object may stand under several keys: it
            is asked once.
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
        """Pass the environment on, and keep it to ask which groups of agents it marks."""
        for policy in self._distinct():
            bind_policy(policy, env)
        self._env = env.unwrapped

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        """Split the agents among the policies.

        Raises:
            ConfigError: If a named agent does not exist, an agent has no policy, or there is one
                for a group in an environment that never marks agents so.
        """
        groups = groups_of(self._env)
        self._require_keys(agents, groups)
        marked = {agent: name for name in groups if name in self.policies for agent in groups[name]}
        self._of = {}
        for agent in agents:
            keys = (marked.get(agent), agent, REST)
            key = next((key for key in keys if key in self.policies), None)
            if key is None:
                raise ConfigError(f"no policy plays {agent}; add it or a policy for {REST!r}")
            self._of[agent] = key
        for policy in self._distinct():
            own = [agent for agent in agents if self.playing(agent) is policy]
            if own:
                policy.reset(own, {agent: infos[agent] for agent in own}, seed)

    def _require_keys(self, agents: Sequence[str], groups: Collection[str]) -> None:
        """Refuse a policy for nobody who is there or ever may be."""
        for key in self.policies:
            if key == REST or key in groups or key in agents:
                continue
            if is_like_an_agent(key, agents):
                raise ConfigError(f"there is no agent {shown(key)}{suggest(key, agents)}")
            where = "call bind(env) first"
            if self._env is not None:
                where = f"{type(self._env).__name__} marks no agents so; name the agents instead"
            raise ConfigError(f"the policy for {shown(key)} can play nobody: {where}")

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


def groups_of(env: Any) -> Mapping[str, Collection[str]]:
    """Return the groups of agents that an environment marks, by their names."""
    groups = getattr(getattr(env, "unwrapped", None), "groups", None)
    return {} if groups is None else cast(Mapping[str, Collection[str]], groups())


def is_like_an_agent(key: str, agents: Collection[str]) -> bool:
    """Tell whether a key that is no agent's id was meant to be one, rather than a group's name."""
    return _NUMBERED.fullmatch(key) is not None or bool(suggest(key, agents))
