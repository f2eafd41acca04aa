"""Environments in which agents move on a 2D grid with force physics."""

if __name__ != "coordgym.swarm_env":
    raise ImportError("import coordgym.swarm_env, not swarm_env")

from typing import TYPE_CHECKING

from coordgym.contract.forms import parallel_form, turn_form
from coordgym.swarm_env.instance import Verdict, verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from coordgym.swarm_env.environment import SwarmEnv

__all__ = ["Verdict", "env", "parallel_env", "verify"]

parallel_env: "Callable[..., SwarmEnv]" = parallel_form(__name__, "environment:SwarmEnv")
env = turn_form(parallel_env)
