"""Playing a recorded episode again, step by step, to look into what the record leaves out."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from coordgym.episodes.episode import Episode, Turn
from coordgym.errors import EpisodeError
from coordgym.making import make_env
from coordgym.swarm_env.environment import SwarmEnv


class Moment(NamedTuple):
    """The state in which a step of the episode was played, or in which it ended.

    Attributes:
        env: The environment in that state; the next moment changes it.
        turns: What was then done, by agent number; empty at the end.
        views: What those agents saw, as rows of cell strings.
    """

    env: SwarmEnv
    turns: dict[int, Turn]
    views: dict[int, list[list[str]]]


def play_back(episode: Episode, *, render_mode: str | None = None) -> Iterator[Moment]:
    """Play the recorded answers again; a failed episode as far as it was recorded.

    Args:
        episode: An episode of the swarm family.
        render_mode: That of the environment in the moments.

    Raises:
        EpisodeError: If it is of another family, or an observation is not the recorded one.
    """
    env = _remake(episode, render_mode)
    observations, infos = env.reset(seed=episode.seed, options=episode.options)
    numbers = {agent: number for number, agent in enumerate(env.possible_agents)}
    for step, group in groupby(episode.turns, key=lambda turn: turn.step):
        turns = {turn.agent: turn for turn in group}
        for agent, turn in turns.items():
            if observations.get(agent) != turn.observation:
                raise EpisodeError(
                    f"step {step}: {agent} observes something else than is recorded; the episode "
                    "is of another version of coordgym, or was changed"
                )
        yield Moment(
            env,
            turns={numbers[agent]: turn for agent, turn in turns.items()},
            views={numbers[agent]: infos[agent]["view"]["cells"] for agent in turns},
        )
        actions = {agent: turn.action for agent, turn in turns.items()}
        observations, *_, infos = env.step(actions)
    yield Moment(env, {}, {})


def _remake(episode: Episode, render_mode: str | None) -> SwarmEnv:
    if not episode.env_id:
        raise EpisodeError("the episode does not name its environment")

    def made(mode: str | None) -> SwarmEnv:
        env = make_env(episode.env_id, {**episode.kwargs, "render_mode": mode}).unwrapped
        if not isinstance(env, SwarmEnv):
            raise EpisodeError(
                f"{episode.env_id} is not an environment of the swarm family: films and logs are "
                "made of swarm episodes only"
            )
        return env

    made(None)  # another family may lack the render mode: first tell that it is another one
    return made(render_mode)
