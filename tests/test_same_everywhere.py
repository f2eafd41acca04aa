"""Episodes don't depend on the version of Python that plays them.

What only another interpreter shows is checked by ``make pythons``.
"""

import builtins
import json
import math
import sys
from collections.abc import Iterable
from typing import Any

import pytest

import coordgym

naive_or_exact = builtins.sum


def other_sum(values: Iterable[Any], start: Any = 0) -> Any:
    """Add up as the Pythons on the other side of 3.12 do: with compensation, or without."""
    items = list(values)
    if not any(isinstance(item, float) for item in items):
        return naive_or_exact(items, start)
    if sys.version_info < (3, 12):
        return math.fsum([start, *items])
    total = start
    for item in items:
        total += item
    return total


def outcome(env_id: str, policy_name: str, **kwargs: Any) -> str:
    """Return all that an episode tells at its end, as text."""
    env = coordgym.make(env_id, **kwargs)
    episode = coordgym.rollout(env, coordgym.make_policy(policy_name), seed=1)
    assert episode.failure is None
    return json.dumps([episode.metrics, episode.returns, [t.observation for t in episode.turns]])


def rough(entry: Any) -> dict[str, Any]:
    """Arguments under which things go wrong, so that figures are no whole numbers."""
    if entry.family == "silo":
        return {"n_agents": 5, "max_cycles": 8, "message_loss": 0.2, "corruption": 0.2}
    return {"max_cycles": 8}


@pytest.mark.parametrize("policy", ["oracle", "random"])
def test_no_figure_depends_on_how_python_adds_floats(
    policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = coordgym.list_envs()
    usual = [outcome(entry.id, policy, **rough(entry)) for entry in entries]
    monkeypatch.setattr(builtins, "sum", other_sum)
    changed = [outcome(entry.id, policy, **rough(entry)) for entry in entries]
    assert [e.id for e, a, b in zip(entries, usual, changed, strict=True) if a != b] == []
