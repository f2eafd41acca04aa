"""Text environments in which language-model agents must coordinate.

``coordgym.make(id)`` gives a PettingZoo ``ParallelEnv`` whose observations and actions are
strings; ``coordgym.list_envs()`` lists the ids, ``coordgym.make_policy(name)`` makes
rule-based baselines and language-model policies that step it.
"""

from typing import TYPE_CHECKING, Any

from coordgym.loading import load
from coordgym.registry import EnvEntry, list_envs, load_registry, make, make_aec, register_envs
from coordgym.version import VERSION

if TYPE_CHECKING:
    from coordgym.contract.base import Observed, TextParallelEnv
    from coordgym.contract.options import BaseOptions
    from coordgym.episodes.episode import Episode, Turn
    from coordgym.episodes.replay import replay
    from coordgym.episodes.rollout import rollout
    from coordgym.episodes.seat import SeatEnv
    from coordgym.policies.named import make_policy
    from coordgym.policies.policy_map import PolicyMap
    from coordgym.policies.protocol import Completion, Policy, per_agent
    from coordgym.runs.evaluate import evaluate
    from coordgym.runs.plan import Plan
    from coordgym.runs.results import load_results

__version__ = VERSION

_LAZY = {
    "BaseOptions": "coordgym.contract.options",
    "Completion": "coordgym.policies.protocol",
    "Episode": "coordgym.episodes.episode",
    "Observed": "coordgym.contract.base",
    "Plan": "coordgym.runs.plan",
    "Policy": "coordgym.policies.protocol",
    "PolicyMap": "coordgym.policies.policy_map",
    "SeatEnv": "coordgym.episodes.seat",
    "TextParallelEnv": "coordgym.contract.base",
    "Turn": "coordgym.episodes.episode",
    "evaluate": "coordgym.runs.evaluate",
    "load_results": "coordgym.runs.results",
    "make_policy": "coordgym.policies.named",
    "per_agent": "coordgym.policies.protocol",
    "replay": "coordgym.episodes.replay",
    "rollout": "coordgym.episodes.rollout",
}

__all__ = [
    "BaseOptions",
    "Completion",
    "EnvEntry",
    "Episode",
    "Observed",
    "Plan",
    "Policy",
    "PolicyMap",
    "SeatEnv",
    "TextParallelEnv",
    "Turn",
    "evaluate",
    "list_envs",
    "load_results",
    "make",
    "make_aec",
    "make_policy",
    "per_agent",
    "register_envs",
    "replay",
    "rollout",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return load(f"{_LAZY[name]}:{name}")
    raise AttributeError(f"module 'coordgym' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


load_registry()
