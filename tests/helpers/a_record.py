"""One record of an episode with something in every field."""

import math
from dataclasses import replace

from coordgym.episodes.episode import Episode, Failure, Timing, Turn, Usage


def an_episode(**changes: object) -> Episode:
    turn = Turn(
        step=0,
        round=0,
        agent="agent_0",
        observation="Sag ü.\u2028 \x85",
        action="ü\n😀",
        valid=False,
        error="wrong",
        reward=0.5,
        terminated=True,
        truncated=False,
        usage=Usage(3, 2, 0.25, "stop", "m", (1, 2, 3), (4, 5), (-0.5, -math.inf)),
    )
    episode = Episode(
        env_id="coordgym/X-v0",
        kwargs={"n_agents": 2},
        seed=7,
        policy="p",
        timing=Timing("2026-01-01T00:00:00+00:00", 1.5),
        turns=(turn, replace(turn, step=1, usage=None)),
        returns={"agent_0": 1.0},
        metrics={"success": True, "C": math.nan, "score": 1.0},
        failure=Failure("ValueError", "no"),
    )
    return replace(episode, **changes)  # type: ignore[arg-type]
