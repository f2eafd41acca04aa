"""Environments in which agents move on a 2D grid with force physics."""

if __name__ != "coordgym.swarm_env":
    raise ImportError("import coordgym.swarm_env, not swarm_env")

from typing import TYPE_CHECKING, Any

from coordgym.swarm_env.instance import Verdict, verify

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from coordgym.swarm_env.environment import SwarmEnv

__all__ = ["Verdict", "env", "parallel_env", "verify"]


def parallel_env(**kwargs: Any) -> "SwarmEnv":
    """Makes a swarm environment; ``task`` and the other arguments are those of ``SwarmEnv``."""
    from coordgym.swarm_env.environment import SwarmEnv

    return SwarmEnv(**kwargs)


def env(**kwargs: Any) -> "AECEnv[str, Any, Any]":
    """Makes the same environment in PettingZoo's AEC form."""
    from pettingzoo.utils.conversions import parallel_to_aec

    form: AECEnv[str, Any, Any] = parallel_to_aec(parallel_env(**kwargs))  # type: ignore[arg-type]
    return form
