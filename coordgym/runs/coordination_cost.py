"""What coordination costs: a team's score against that of one agent with all of its data.

The relative coordination cost is RCC = 1 - S(N=k) / S(N=1), where S(N=1) is the score of the same
policy on the same problems with ``oracle=True``. Source: Silo-Bench (arXiv 2603.01045), section
4.1. A plan that has both kinds of environments gets it in its report.
"""

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from coordgym.errors import CoordgymError
from coordgym.registry import env_kwargs, get_entry
from coordgym.runs.planned import PlannedEnv

ORACLE = "oracle"
MET_BY_TEAMS_ONLY = (
    *("protocol", "delivery", "topology", "message_loss", "corruption", "reward"),
    *("max_calls", "max_message_chars", "max_inbox_chars", "max_cycles", "db_path", "render_mode"),
)
"""Arguments that leave the problem as it is for an agent that needs nobody."""


def relative_cost(team: float, alone: float) -> float:
    """RCC from two mean scores; NaN where the agent alone scores nothing, either."""
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
    """Id and arguments that tell which problems an agent meets, however they are written."""
    env_id, defaults = env.id, dict[str, Any]()
    with suppress(CoordgymError):  # what is not registered here goes by the name it has
        env_id = get_entry(env.id).id
        defaults = {name: parameter.default for name, parameter in env_kwargs(env.id).items()}
    ignored = (ORACLE, *MET_BY_TEAMS_ONLY)
    kwargs = {**defaults, **env.kwargs}
    return env_id, {name: value for name, value in kwargs.items() if name not in ignored}
