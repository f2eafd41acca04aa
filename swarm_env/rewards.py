"""What the agents of a swarm are paid: the common rewards, the team's score, the published one.

``score`` pays everybody the team's gain of each round; it is not bounded. ``success``, ``partial``
and ``shaped`` are those of ``coordgym.contract.rewards``, in [0, 1] per episode:

- What an agent's own part is, and what the team has, is a share of a full score: the target; in
  flocking the distance at the start; in transport what a team scores that is outside after
  height + width rounds on average.
- The floor is the best share that ``FLOOR_DRAWS`` policies reach which look at nothing: half of
  them draw every action, half repeat one. They play instances of the same settings from a stream
  of their own; see ``floor_share``.
- ``shaped`` has as potential what ``partial`` would pay now, and the phase of what comes next (how
  near the prey, whether food is carried, how many lights are set, …), which weighs no more than
  the point that it leads to.

``gameable_individual`` is the shaped reward of the published study. Standing beside the box or
behind the prey earns more there than solving the task: it is for comparison only.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from coordgym.contract.rewards import FLOOR_DRAWS, Credit, Reward, Shaping, above_floor
from coordgym.errors import ConfigError
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.options import SwarmConfig
from coordgym.swarm_env.parsing import Parsed
from coordgym.swarm_env.task import Outcome, Task, load_task

ALIASES: Final[Mapping[str, Reward]] = {"individual": Reward("shaped", "seat")}
"""Other names of common rewards."""
OWN: Final[Mapping[str, Credit]] = {"score": "team", "gameable_individual": "seat"}
"""Rewards that only the swarm has, with whom each pays."""

_FLOOR_STREAM: Final = 20_250_504


def chosen_reward(reward: object, credit: object) -> Reward:
    """Read the keyword arguments ``reward`` and ``credit``.

    Raises:
        ConfigError: If a value is not allowed, or the credit contradicts the reward's name.
    """
    return Reward.chosen(reward, credit, default_credit="team", aliases=ALIASES, others=OWN)


def share_of(score: float, full: float) -> float:
    """Return the share of a full score, in [0, 1]; 1 where nothing is needed for it."""
    return 1.0 if score >= full else score / full


@lru_cache(maxsize=256)
def floor_share(
    name: str,
    options: tuple[tuple[str, Any], ...],
    config: SwarmConfig,
    limit: int,
    target: float | None,
) -> float:
    """Return the best share of the full score that policies reach which look at nothing.

    Takes 1 to 4 s at the published size, once for each setting and process.

    Args:
        name: The task.
        options: Its own options as pairs.
        config: The sizes; what agents see makes no difference.
        limit: The limit on rounds.
        target: The score of a success, for tasks that have one.

    Returns:
        A share in [0, 1]; 0 for sizes that can be given but not drawn.
    """
    task = load_task(name, dict(options))
    try:
        task.check(config)
    except ConfigError:
        return 0.0
    return max(_blind_share(task, draw, config, limit, target) for draw in range(FLOOR_DRAWS))


def _blind_share(
    task: Task, draw: int, config: SwarmConfig, limit: int, target: float | None
) -> float:
    """Play a policy that looks at nothing: even draws at random, odd ones an action for all."""
    rng = np.random.default_rng([_FLOOR_STREAM, draw])
    world = task.generate(config, rng)
    full = task.full_score(world, limit, target)
    names = task.actions
    constant = draw // 2 % len(names)
    for _ in range(limit):
        picks = rng.integers(len(names), size=world.n_agents).tolist()
        actions = {
            agent: names[constant if draw % 2 else pick]
            for agent, pick in enumerate(picks)
            if not world.escaped[agent]
        }
        if task.play(world, actions, limit, config, rng)[1].done:
            break
    return 0.0 if full is None else share_of(world.score, full)


def require_target(
    task: Task, reward: Reward, config: SwarmConfig, limit: int, target: float | None
) -> None:
    """Check that there is a score of a success where a reward takes one.

    Raises:
        ConfigError: If there is none.
    """
    if reward.name in OWN or target is not None or task.target is None:
        return
    world = task.generate(config, np.random.default_rng(0))
    if task.own_target(world, limit) is None:
        raise _no_target(task, reward, config, limit)


def _no_target(task: Task, reward: Reward, config: SwarmConfig, limit: int) -> ConfigError:
    return ConfigError(
        f"reward={reward.name!r} needs target=, the score of a success: {task.name} has none with "
        f"{config.n_agents} agents, {config.height}×{config.width} cells and {limit} rounds "
        "(reward='score' takes none)"
    )


class Payment:
    """What is paid in one episode.

    Args:
        task: The task.
        reward: What is paid, and for whose work.
        format_bonus: Paid at the end times the share of an agent's valid turns.
        world: The start.
        config: The sizes of the episode.
        limit: The limit on rounds.
        target: The score of a success; None where there is none.

    Raises:
        ConfigError: If the reward takes a score of a success, and there is none.
    """

    def __init__(
        self,
        task: Task,
        reward: Reward,
        format_bonus: float,
        world: World,
        config: SwarmConfig,
        limit: int,
        target: float | None,
    ) -> None:
        self.task, self.reward, self.format_bonus = task, reward, format_bonus
        self._config, self._limit, self._target = config, limit, target
        self._full = task.full_score(world, limit, target)
        if self._full is None and reward.name not in OWN:
            raise _no_target(task, reward, config, limit)
        self._parts = [world.score / world.n_agents] * world.n_agents
        self._shaping: Shaping[int] = Shaping()
        self._start = self._potentials(world) if reward.name == "shaped" else {}
        self._turns = [[0, 0] for _ in range(world.n_agents)]  # valid ones, all

    @property
    def leaves(self) -> bool:
        """Whether an agent that is outside is paid off at once, and leaves the episode."""
        return self.reward.credit == "seat"

    def pay(
        self,
        world: World,
        outcome: Outcome,
        answers: Mapping[int, Parsed],
        agents: Collection[int],
        *,
        over: bool,
    ) -> dict[int, float]:
        """Return what each agent is paid for a round.

        Args:
            world: The world after the round.
            outcome: What the task made of it.
            answers: What the agents that could act have answered.
            agents: Those that are still in the episode.
            over: Whether the episode has ended with this round.
        """
        for agent, answer in answers.items():
            self._turns[agent][0] += answer.given and answer.error is None
            self._turns[agent][1] += 1
        own = outcome.own
        if own is None:
            own = dict.fromkeys(range(world.n_agents), outcome.gain / world.n_agents)
        for agent, gain in own.items():
            self._parts[agent] += gain
        leaving = {agent for agent in agents if over or (self.leaves and world.escaped[agent])}
        paid = self._paid(world, outcome, agents, leaving, over)
        if self.format_bonus:
            for agent in leaving:
                valid, turns = self._turns[agent]
                paid[agent] += self.format_bonus * valid / turns if turns else 0.0
        return paid

    def _paid(
        self,
        world: World,
        outcome: Outcome,
        agents: Collection[int],
        leaving: Collection[int],
        over: bool,
    ) -> dict[int, float]:
        name = self.reward.name
        if name == "score":
            return dict.fromkeys(agents, outcome.gain)
        if name == "gameable_individual":
            return {agent: outcome.individual.get(agent, 0.0) for agent in agents}
        paid = dict.fromkeys(agents, 0.0)
        if name == "shaped":
            here = {} if over else self._potentials(world)
            grown = {a: here[a] - self._start[a] for a in here if a not in leaving}
            steps = self._shaping.paid(grown, over=over)
            paid = {agent: steps.get(agent, 0.0) for agent in agents}
        for agent in leaving:
            paid[agent] += self._last(world, agent)
        return paid

    def _last(self, world: World, agent: int) -> float:
        """Return what an agent is paid for the episode as a whole."""
        if self.reward.name == "success":
            if self.reward.credit == "team":
                return float(self.task.success(world, self._target) is True)
            return float(self.task.own_success(world, agent, self._target) is True)
        return self._above_floor(self._share(world, agent))

    def _share(self, world: World, agent: int) -> float:
        full = self._full
        if full is None:
            raise _no_target(self.task, self.reward, self._config, self._limit)
        if self.reward.credit == "team":
            return share_of(world.score, full)
        return share_of(self._parts[agent] * world.n_agents, full)

    def _above_floor(self, share: float) -> float:
        if share in (0.0, 1.0):
            return share  # whatever the floor is
        options = tuple(sorted(self.task.options.values().items()))
        sizes = replace(self._config, view_size=1)
        floor = floor_share(self.task.name, options, sizes, self._limit, self._target)
        return above_floor(share, floor)

    def _potentials(self, world: World) -> dict[int, float]:
        """Return each agent's potential: what it has, and the phase of what comes next."""
        n_agents = world.n_agents
        weight = self.task.phase_weight(self._full or 1.0, n_agents)
        ahead = [weight * phase for phase in self.task.phases(world)]
        if self.reward.credit == "team":
            ahead = [math.fsum(ahead) / n_agents] * n_agents
        return {
            agent: self._above_floor(self._share(world, agent)) + ahead[agent]
            for agent in range(n_agents)
        }
