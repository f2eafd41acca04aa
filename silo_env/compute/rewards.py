"""What the agents of a computation task are paid, see ``coordgym.contract.rewards``.

The potential of ``shaped`` is the share of the others' shards that is known: by the agent for the
seat, on average for the team.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any

from coordgym.contract.rewards import Shaping
from coordgym.silo_env.compute.floors import above_own_floor, seat_floors
from coordgym.silo_env.compute.game import Game
from coordgym.silo_env.compute.options import Options
from coordgym.silo_env.compute.task import Instance, Task


class Payment:
    """What is paid in one episode.

    Args:
        task: The task.
        data: Its instance.
        options: Those of the environment.
    """

    def __init__(self, task: Task[Any, Any], data: Instance[Any, Any], options: Options) -> None:
        self._task, self._data, self._options = task, data, options
        self._name, self._credit = options.pays
        self._shaping: Shaping[int] = Shaping()
        self._seat_floors: list[float] | None = None

    def pay(self, game: Game, alive: Collection[int], *, over: bool) -> dict[int, float]:
        """Return what each agent is paid for a round.

        Args:
            game: The episode after the round.
            alive: Agents that have not left the episode.
            over: Whether it has ended with this round.
        """
        team = self._credit == "team"
        made = range(len(game.submissions)) if team and over else game.just_submitted
        earned = {} if team and not over else self._earned(game, made)
        if team and over:
            share = math.fsum(earned.values()) / len(game.submissions)
            earned = dict.fromkeys(alive, float(share >= 1) if self._name == "success" else share)
        if self._name == "shaped":
            potentials = self._potentials(game, alive)
            for agent, paid in self._shaping.paid(potentials, over=over).items():
                earned[agent] = earned.get(agent, 0.0) + paid
        return earned

    def _earned(self, game: Game, made: Collection[int]) -> dict[int, float]:
        """Return what the submissions of some agents are worth; a missing one nothing."""
        submissions = {agent: game.submissions[agent] for agent in made}
        grades = {agent: each.grade for agent, each in submissions.items() if each is not None}
        if self._name == "gameable_partial":
            return {agent: grade.partial for agent, grade in grades.items()}
        if self._name in ("success", "gameable_team"):
            return {agent: float(grade.correct) for agent, grade in grades.items()}
        floors = self._floors() if grades else []
        return {agent: above_own_floor(grade, floors[agent]) for agent, grade in grades.items()}

    def _floors(self) -> list[float]:
        """Return the floor of each seat, found when the first answer is paid above it."""
        if self._seat_floors is None:
            options = self._options
            self._seat_floors = seat_floors(
                self._task, self._data, options.params, oracle=options.oracle
            )
        return self._seat_floors

    def _potentials(self, game: Game, alive: Collection[int]) -> Mapping[int, float]:
        others = max(self._options.n_agents - 1, 1)
        known = [(mask.bit_count() - 1) / others for mask in game.channel.known]
        if self._credit == "team":
            return dict.fromkeys(alive, math.fsum(known) / len(known))
        return {agent: known[agent] for agent in alive if game.submissions[agent] is None}
