"""One policy out of several: different ones for different agents."""

from collections.abc import Mapping, Sequence
from typing import Any

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

REST = "*"
"""Key of ``PolicyMap`` for all agents that are not named."""
BYZANTINE = "byzantine"
"""Key of ``PolicyMap`` for the agents that a graph instance marks as byzantine."""


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
