"""What each agent of an episode sees, hears and remembers."""

from collections import deque
from collections.abc import Mapping, Sequence

from coordgym.contract.base import Observed
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.messages import COMMANDER
from coordgym.swarm_env.texts import OWN_CELL, Remembered, Seen, Writer


class Observer:
    """Keeps what the agents see now, what they heard last, and their last rounds.

    Args:
        world: The world that they see.
        writer: Puts it into words.
        memory: How many rounds each agent remembers; None if it is told only what is new.

    Attributes:
        heard: Per agent the messages heard at the start of this round.
    """

    def __init__(self, world: World, writer: Writer, memory: int | None) -> None:
        agents = range(world.n_agents)
        self.heard: list[list[str]] = [[] for _ in agents]
        self._world = world
        self._writer = writer
        self._memory = memory
        self._past: list[deque[Remembered]] = [deque(maxlen=memory or 0) for _ in agents]
        self._seen: dict[int, Seen] = {}
        self._look()

    def take_in(
        self, actions: Mapping[int, str], spoken: Mapping[int, str], heard: list[list[str]]
    ) -> None:
        """Go on to the next round.

        Args:
            actions: What each agent did that could act.
            spoken: What was said, by agent number.
            heard: Per agent the messages that it hears now.
        """
        if self._memory:
            for number, action in actions.items():
                past = self._writer.remembered(self._seen[number], action, spoken.get(number, ""))
                self._past[number].append(past)
        self.heard = heard
        self._look()

    def observe(self, number: int, limit: int) -> Observed:
        """Return what an agent is told now; nothing once it has escaped."""
        seen = self._seen.get(number)
        if seen is None:
            return Observed("", {})
        task = self._writer.task
        hidden = self._writer.config.compat and not task.shows_score
        score = None if hidden else self._world.score
        status = task.status(self._world, number)
        heard: Sequence[str] = self.heard[number]
        past = self._past[number]
        text = self._writer.observation(seen, limit, score, status, heard, past)
        view = {**seen.data(), **status, "messages": list(heard)}
        if score is not None:
            view["score"] = score
        if self._memory is not None:
            view["memory"] = [item.data() for item in past]
        return Observed(text, view)

    def _look(self) -> None:
        """Note what every agent on the map sees now."""
        world, size = self._world, self._writer.config.view_size
        centralized = self._writer.hearing.centralized
        half = size // 2
        picture = world.picture(size)
        self._seen = {}
        for number, (row, column) in enumerate(world.positions):
            if world.escaped[number]:
                continue
            if centralized and number == COMMANDER:
                top = left = 0
                cells = world.picture(1)
            else:
                top, left = row - half, column - half
                cells = world.window(picture, number, size)
            cells[row - top][column - left] = OWN_CELL
            text = self._writer.picture(cells, top, left)
            self._seen[number] = Seen(world.round, row, column, top, left, cells, text)
