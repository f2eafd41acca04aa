"""Short episodes as text, played while the docs are generated."""

from functools import cache
from typing import Any

import coordgym
from coordgym import make_policy, rollout
from coordgym.episodes.episode import Episode
from docgen.markdown import code, fenced

SEED = 0
EPISODES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "silo": (
        "SiloGlobalMax-v0",
        "silo:optimal",
        {"n_agents": 2, "params": {"items": 4}, "prompt_style": "minimal"},
    ),
    "graph": ("GraphVertexCover-v0", "graph:small", {"n_agents": 4, "rounds": 2}),
    "pairs": (
        "PairMaze-v0",
        "pairs:share-and-solve",
        {"config": {"n": 4, "min_length": 6}},
    ),
    "swarm": (
        "SwarmSynchronization-v0",
        "swarm:strong",
        {
            "n_agents": 2,
            "height": 5,
            "width": 5,
            "max_cycles": 3,
            "target": 3,
            "repeat_instructions": False,
        },
    ),
}
"""Environment, policy and arguments of each family's example."""


@cache
def played(family: str) -> Episode:
    """Play the example of a family."""
    env_id, policy, kwargs = EPISODES[family]
    return rollout(coordgym.make(env_id, **kwargs), make_policy(policy), SEED)


def example(family: str) -> str:
    """Show an episode of a family with all that is said in it."""
    env_id, policy, kwargs = EPISODES[family]
    arguments = "".join(f", {name}={value!r}" for name, value in kwargs.items())
    made = code(f"coordgym.make({env_id!r}{arguments})")
    text = fenced(transcript(played(family)))
    return f"{made}, played by {code(policy)} with seed {SEED}:\n\n{text}"


def transcript(episode: Episode) -> str:
    """Write down everything that agents were told and answered, and the figures at the end."""
    parts = []
    for turn in episode.turns:
        parts.append(f"=== step {turn.step}, {turn.agent} is told:\n{turn.observation}")
        parts.append(f"--- {turn.agent} answers:\n{turn.action}")
    for agent, text in episode.final_observations.items():
        parts.append(f"=== at the end {agent} is told:\n{text}")
    figures = ", ".join(f"{name} {_short(value)}" for name, value in episode.metrics.items())
    return "\n".join([*parts, f"=== metrics: {figures}"])


def _short(value: object) -> str:
    """Return a figure without the last digits, in which machines may differ."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
