"""One episode without seeds, spaces or texts: rounds of messages, then answers.

In each of R rounds every agent's messages are read and delivered together; then the answers
are. Whose text can't be parsed may write again within its turn, at most ``retries`` times:
nobody else sees it, or a text that can't be read would be a message to the whole network.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from coordgym.silo_env.graph.instance import Instance
from coordgym.silo_env.graph.networks.network import Network
from coordgym.silo_env.graph.parsing import Dropped, dropped_error, parse_answer, parse_messages
from coordgym.silo_env.graph.task import Score


class Mail:
    """Holds what neighbours wrote to each other and what arrived, and counts it.

    Args:
        network: Who is whose neighbour.

    Attributes:
        outboxes: For each agent, its texts of this round by neighbour's name.
        inboxes: For each agent, the texts that the last round delivered, by sender's name.
        sent: Messages sent so far.
        characters: Their characters.
        lost: Messages that were lost on their way.
        spoke: For each agent, whether it ever sent a message.
    """

    def __init__(self, network: Network) -> None:
        count = len(network.names)
        self._network = network
        self.outboxes: list[dict[str, str]] = [{} for _ in range(count)]
        self.inboxes: list[dict[str, str]] = [{} for _ in range(count)]
        self.sent = self.characters = self.lost = 0
        self.spoke = [False] * count

    def deliver(self, lost: Sequence[bool] | None) -> None:
        """Move all messages at once.

        Args:
            lost: For each directed edge, receivers in order and for each its neighbours in
                order, whether a message on it is lost now; None = nothing is lost.
        """
        names = self._network.names
        edge = 0
        for receiver, around in enumerate(self._network.neighbours):
            inbox = {}
            for sender in around:
                message = self.outboxes[sender].get(names[receiver])
                if message is not None:
                    self.sent += 1
                    self.characters += len(message)
                    if lost is not None and lost[edge]:
                        self.lost += 1
                    else:
                        inbox[names[sender]] = message
                edge += 1
            self.inboxes[receiver] = inbox
        for sender, outbox in enumerate(self.outboxes):
            if outbox:
                self.spoke[sender] = True
                self.outboxes[sender] = {}


class Reading(NamedTuple):
    """An agent's action as read: messages, or an answer, or neither with the reason."""

    messages: dict[str, str]
    dropped: tuple[Dropped, ...]
    answer: str | None
    failed: bool
    error: str | None


@dataclass(slots=True)
class Failures:
    """What could not be parsed so far.

    Attributes:
        texts: Texts, repetitions included.
        messages: Rounds that an agent stayed silent in for it.
        answers: Agents that gave no answer for it.
    """

    texts: int = 0
    messages: int = 0
    answers: int = 0


class Game:
    """The state of an episode; agents are indices from 0.

    Args:
        world: The instance.
        retries: Times in a round that an agent may repeat a text that can't be parsed.
        max_message_chars: Longest message that is sent.

    Attributes:
        mail: What passes between the agents.
        answers: For each agent its answer; None = no valid answer so far.
        dropped: For each agent the entries of its last message that were not sent.
        tries: For each agent, its texts of this round that were refused.
        round: Rounds completed, answers included.
        failures: What could not be parsed.
    """

    def __init__(self, world: Instance, retries: int, max_message_chars: int) -> None:
        agents = range(len(world.network.names))
        self.world = world
        self.mail = Mail(world.network)
        self.answers: list[str | None] = [None] * len(agents)
        self.dropped: list[tuple[Dropped, ...]] = [()] * len(agents)
        self.tries = [0] * len(agents)
        self.round = 0
        self.failures = Failures()
        self._retries = retries
        self._max_message_chars = max_message_chars
        self._neighbours = [world.network.names_around(i) for i in agents]
        self._options = [world.options(i) for i in agents]

    @property
    def is_answering(self) -> bool:
        """Whether answers are expected now, rather than messages."""
        return self.round >= self.world.rounds

    @property
    def is_over(self) -> bool:
        """Whether all have answered."""
        return self.round > self.world.rounds

    def tries_left(self, i: int) -> int:
        """Return how many texts an agent may write in this round, the present one included."""
        return self._retries - self.tries[i] + 1

    def refused(self, i: int, text: str | None) -> str | None:
        """Say why an agent must write again in this round, and count the try; None = it needn't.

        A text that can't be used at all (None) is refused without a reason.
        """
        if self.tries_left(i) == 1:
            return None
        reading = self.read(i, text)
        if not reading.failed:
            return None
        self.failures.texts += 1
        self.tries[i] += 1
        return reading.error or ""

    def take(
        self, texts: Mapping[int, str | None], lost: Callable[[], Sequence[bool] | None]
    ) -> dict[int, str]:
        """Take what agents wrote at the same time; return what was wrong with it.

        Args:
            texts: Text of each agent that must write now; None is an unusable text.
            lost: Decides which messages of the round are lost, as ``Mail.deliver`` wants it.
        """
        readings = {i: self.read(i, text) for i, text in texts.items()}
        for i, reading in readings.items():
            self.dropped[i] = reading.dropped
            if self.is_answering:
                self.answers[i] = reading.answer
            else:
                self.mail.outboxes[i] = reading.messages
        failed = sum(reading.failed for reading in readings.values())
        self.failures.texts += failed
        if self.is_answering:
            self.failures.answers += failed
        else:
            self.failures.messages += failed
            self.mail.deliver(lost())
        self.tries = [0] * len(self.tries)
        self.round += 1
        return {i: reading.error for i, reading in readings.items() if reading.error is not None}

    def read(self, i: int, text: str | None) -> Reading:
        """Parse one agent's text as what is expected now; nothing changes."""
        if self.is_answering:
            if text is None:
                return Reading({}, (), None, True, None)
            answer = parse_answer(text, self._options[i])
            return Reading({}, (), answer.answer, answer.answer is None, answer.error)
        neighbours = self._neighbours[i]
        if text is None:
            # Who has nobody to write to has nothing to repair.
            return Reading({}, (), None, bool(neighbours), None)
        found = parse_messages(text, neighbours, self._max_message_chars)
        error = found.error or dropped_error(found.dropped, neighbours)
        return Reading(found.messages, found.dropped, None, found.error is not None, error)

    def answers_by_name(self) -> dict[str, str | None]:
        """Return the answers so far by agent's name."""
        return dict(zip(self.world.network.names, self.answers, strict=True))

    def judge(self) -> Score:
        """Judge the answers so far."""
        return self.world.judge(self.answers_by_name())

    def to_json(self) -> dict[str, Any]:
        """Return the state as JSON-able data; neither the solution nor who is byzantine."""
        world = self.world
        return {
            "task": world.task.name,
            "round": self.round,
            "rounds": world.rounds,
            "names": list(world.network.names),
            "edges": [list(edge) for edge in world.network.edges],
            "inputs": list(world.inputs) if world.inputs else None,
            "inboxes": [dict(inbox) for inbox in self.mail.inboxes],
            "given_answers": list(self.answers),
        }
