"""Environments and policies from their names, registered or ``import:package.module:name``."""

import inspect
from collections.abc import Mapping
from typing import Any

from coordgym.contract.spec import Spec
from coordgym.errors import PlanError, UnknownEnvError
from coordgym.loading import imported, is_imported
from coordgym.policies.named import make_policy
from coordgym.policies.policy_map import PolicyMap
from coordgym.policies.protocol import Policy
from coordgym.registry import EnvEntry, env_kwargs, get_entry, make, settable


def make_env(env_id: str, kwargs: Mapping[str, Any]) -> Any:
    """Make a registered environment, or one named by ``import:package.module:Class``.

    Raises:
        CoordgymError: If it is unknown or gets wrong arguments.
    """
    if not is_imported(env_id):
        return make(env_id, **kwargs)
    env = imported(env_id)(**kwargs)
    if not hasattr(getattr(env, "unwrapped", None), "possible_agents"):
        raise PlanError(f"{env_id!r} makes no parallel environment, but {env!r:.80}")
    env.unwrapped.spec = Spec(env_id, dict(kwargs))
    return env


def entry_of(env_id: str) -> EnvEntry | None:
    """Return an environment's entry in the registry; None if it is not registered."""
    if is_imported(env_id):
        return None
    try:
        return get_entry(env_id)
    except UnknownEnvError:
        return None


def env_parameters(env_id: str) -> dict[str, inspect.Parameter]:
    """Return the keyword arguments that users can set, with defaults and annotations.

    Raises:
        CoordgymError: If there is no such environment.
    """
    if not is_imported(env_id):
        return env_kwargs(env_id)
    return settable(imported(env_id))


def build_policy(spec: str, kwargs: Mapping[str, Any]) -> Policy:
    """Build a policy from its string, or with ``import:package.module:factory``.

    Raises:
        CoordgymError: If it is unknown or gets wrong arguments.
    """
    if not is_imported(spec):
        return make_policy(spec, **kwargs)
    policy = imported(spec)(**kwargs)
    if isinstance(policy, type) or not isinstance(policy, Policy):
        raise PlanError(
            f"{spec!r} makes no policy (an object with name, reset and act), but {policy!r:.80}"
        )
    return policy


def close_policy(policy: Policy) -> None:
    """Let a policy release what it holds, if it has ``close``; its parts too."""
    parts = policy.policies.values() if isinstance(policy, PolicyMap) else (policy,)
    for part in {id(part): part for part in parts}.values():
        close = getattr(part, "close", None)
        if callable(close):
            close()
