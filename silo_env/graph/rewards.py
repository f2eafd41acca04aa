"""What the agents of a network are paid, and for what.

``success``
    Team: 1 to everybody if the verdict is a success. Seat: 1 to whose own part is right, where
    the task can tell the parts apart.
``partial``
    Team: the share of the task's grade that lies above the floor of the instance. Seat: the same,
    to those only whose own part is right.
``shaped``
    ``partial``, and on the way differences of a potential: the share of the ordered pairs within
    reach of which the one has heard of the other by messages that arrived. For a seat, the share
    of the agents within its reach that have heard of it.
``score``
    ``partial`` for the team.
``gameable_score``
    The published score. For comparison only: coin flips without a word earn 0.9 of it in vertex
    cover, and 0.9 in colouring.

Rewards are for learners. Whoever shows an agent what it was paid on the way tells it of messages
anywhere in the network.
"""

from coordgym.contract.rewards import Reward, Shaping, above_floor
from coordgym.silo_env.graph.floors import floor_of
from coordgym.silo_env.graph.game import Game
from coordgym.silo_env.graph.instance import Instance
from coordgym.silo_env.graph.networks.network import Network
from coordgym.silo_env.graph.options import GAMEABLE


class Hearsay:
    """Who has heard of whom: senders, and all of whom they had heard.

    Sets of agents are bits of integers: bit j of entry i is set if i has heard of j, itself
    included.

    Attributes:
        heard_of: For each agent, how many others have heard of it.
        within_reach: For each agent, how many others are within R links.
    """

    def __init__(self, network: Network, rounds: int) -> None:
        count = len(network.names)
        self._index = {name: i for i, name in enumerate(network.names)}
        self._known = [1 << i for i in range(count)]
        self.heard_of = [0] * count
        self.within_reach = [ball.bit_count() - 1 for ball in _balls(network, rounds)]

    def listen(self, inboxes: list[dict[str, str]]) -> None:
        """Take in the messages that one round delivered, by receiver and sender's name."""
        before = self._known.copy()
        for receiver, inbox in enumerate(inboxes):
            news = 0
            for sender in inbox:
                news |= before[self._index[sender]]
            news &= ~before[receiver]
            self._known[receiver] |= news
            while news:
                lowest = news & -news
                self.heard_of[lowest.bit_length() - 1] += 1
                news ^= lowest

    def of_team(self) -> float:
        """Return the share of ordered pairs within reach of which one has heard of the other."""
        pairs = sum(self.within_reach)
        return sum(self.heard_of) / pairs if pairs else 0.0

    def of_seat(self, agent: int) -> float:
        """Return the share of those within reach of an agent that have heard of it."""
        reach = self.within_reach[agent]
        return self.heard_of[agent] / reach if reach else 0.0


def _balls(network: Network, radius: int) -> list[int]:
    """Return for each agent the set of those within so many links, as bits of an integer."""
    balls = [1 << i for i in range(len(network.names))]
    for _ in range(radius):
        wider = balls.copy()
        for i, around in enumerate(network.neighbours):
            for j in around:
                wider[i] |= balls[j]
        if wider == balls:
            break
        balls = wider
    return balls


class Payment:
    """What one episode pays, step by step.

    Args:
        reward: What is paid, and for whose work.
        world: The instance.
        agents: Ids of all agents, by index.
    """

    def __init__(self, reward: Reward, world: Instance, agents: list[str]) -> None:
        self._reward = reward
        self._agents = agents
        self._shaping: Shaping[str] = Shaping()
        self._hearsay = Hearsay(world.network, world.rounds) if reward.name == "shaped" else None

    def pay(self, game: Game, *, over: bool) -> dict[str, float]:
        """Return what the step just taken pays, by agent.

        Args:
            game: The state after the step.
            over: Whether the episode has ended with it.
        """
        final = self._final(game) if over else dict.fromkeys(self._agents, 0.0)
        if self._hearsay is None:
            return final
        if not game.is_over:
            self._hearsay.listen(game.mail.inboxes)
        shaped = self._shaping.paid(self._potentials(self._hearsay), over=over)
        return {agent: final[agent] + shaped.get(agent, 0.0) for agent in self._agents}

    def _potentials(self, hearsay: Hearsay) -> dict[str, float]:
        if self._reward.credit == "team":
            return dict.fromkeys(self._agents, hearsay.of_team())
        return {agent: hearsay.of_seat(i) for i, agent in enumerate(self._agents)}

    def _final(self, game: Game) -> dict[str, float]:
        """Return what the answers pay, by agent."""
        world, given = game.world, game.answers_by_name()
        right = None if self._reward.credit == "team" else world.seats_right(given)
        if self._reward.name == GAMEABLE:
            value = world.judge(given).score
        elif self._reward.name == "success" and right is not None:
            value = 1.0
        elif self._reward.name == "success":
            value = float(world.judge(given).success)
        else:
            grade = world.grade(given)
            value = grade if grade >= 1 else above_floor(grade, floor_of(world))
        if right is None:
            return dict.fromkeys(self._agents, value)
        names = world.network.names
        return {
            agent: value * right.get(name, False)
            for agent, name in zip(self._agents, names, strict=True)
        }
