"""What coordination costs: a team's score against that of one agent with all of its data.

The relative coordination cost is RCC = 1 - S(N=k) / S(N=1), where S(N=1) is the score of the same
policy on the same problems with ``oracle=True``. Source: Silo-Bench (arXiv 2603.01045), section
4.1. A plan that has both kinds of environments gets it in its report.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from coordgym.errors import CoordgymError
from coordgym.making import entry_of
from coordgym.registry import env_kwargs
from coordgym.runs.planned import PlannedEnv

ORACLE = "oracle"
"""Argument of environments in which one agent can have all of the data."""
_IRRELEVANT = (ORACLE, "max_cycles", "render_mode")
"""Arguments that leave the problem as it is in every family."""


def relative_cost(team: float, alone: float) -> float:
    """Return the RCC from two mean scores; NaN where the agent alone scores nothing, either."""
    return 1 - team / alone if alone > 0 else math.nan


def alone_in(env: PlannedEnv, envs: Iterable[PlannedEnv]) -> PlannedEnv | None:
    """Find the environment in which one agent has all the data of the same problems.

    Args:
        env: The team's environment.
        envs: All of a plan.

    Returns:
        The first of ``envs`` that fits; None if there is none or ``env`` has no team.
    """
    if env.kwargs.get(ORACLE):
        return None
    for other in envs:
        if other.kwargs.get(ORACLE) and _problem(other) == _problem(env):
            return other
    return None


def _problem(env: PlannedEnv) -> tuple[str, Mapping[str, Any]]:
    """Tell by id and arguments which problems an agent meets, however they are written."""
    entry = entry_of(env.id)
    if entry is None:  # what is not registered here goes by the name it has
        kwargs, ignored = env.kwargs, set(_IRRELEVANT)
    else:
        kwargs = {**_defaults(entry.id), **env.kwargs}
        ignored = {*_IRRELEVANT, *entry.team_kwargs, *entry.file_kwargs}
    return env.full_id, {name: value for name, value in kwargs.items() if name not in ignored}


def _defaults(env_id: str) -> dict[str, Any]:
    """Return the values of the arguments that are not given, as far as they can be told."""
    try:
        return {name: parameter.default for name, parameter in env_kwargs(env_id).items()}
    except CoordgymError:
        return {}
