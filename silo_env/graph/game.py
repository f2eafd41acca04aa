"""One episode without seeds, spaces or texts: rounds of messages, repair steps, answers.

In each of R rounds every agent's messages are read and delivered together; then the answers
are. A step in which somebody's text can't be parsed is followed by a repair step, in which
only these agents are read again, at most ``retries`` times in a row.
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
        retries: Times in a row that an agent may repeat a text that can't be parsed.
        max_message_chars: Longest message that is sent.

    Attributes:
        mail: What passes between the agents.
        answers: For each agent its answer; None = no valid answer so far.
        dropped: For each agent the entries of its last message that were not sent.
        repairing: Who must write again now; nobody means everybody writes.
        round: Rounds completed, answers included.
        round_done: Whether the last step completed a round.
        failures: What could not be parsed.
    """

    def __init__(self, world: Instance, retries: int, max_message_chars: int) -> None:
        agents = range(len(world.network.names))
        self.world = world
        self.mail = Mail(world.network)
        self.answers: list[str | None] = [None] * len(agents)
        self.dropped: list[tuple[Dropped, ...]] = [()] * len(agents)
        self.repairing: frozenset[int] = frozenset()
        self.round = 0
        self.round_done = False
        self.failures = Failures()
        self._retries = retries
        self._repairs = 0
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

    @property
    def tries_left(self) -> int:
        """Tries that those who repair have, the present one included."""
        return self._retries - self._repairs + 1

    def take(
        self, texts: Mapping[int, str | None], lost: Callable[[], Sequence[bool] | None]
    ) -> dict[int, str]:
        """Take what agents wrote at the same time; return what was wrong with it.

        Args:
            texts: Text of each agent that must write now; None is an unusable text.
            lost: Decides which messages of the round are lost, as ``Mail.deliver`` wants it;
                asked once the round is complete.
        """
        readings = {i: self.read(i, text) for i, text in texts.items()}
        for i, reading in readings.items():
            self.dropped[i] = reading.dropped
            if self.is_answering:
                self.answers[i] = reading.answer
            else:
                self.mail.outboxes[i] = reading.messages
        failed = frozenset(i for i, reading in readings.items() if reading.failed)
        self.failures.texts += len(failed)
        self.round_done = not failed or self._repairs >= self._retries
        if self.round_done:
            self._finish_round(len(failed), lost)
        else:
            self.repairing = failed
            self._repairs += 1
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

    def _finish_round(self, failed: int, lost: Callable[[], Sequence[bool] | None]) -> None:
        self.repairing = frozenset()
        self._repairs = 0
        if self.is_answering:
            self.failures.answers += failed
        else:
            self.failures.messages += failed
            self.mail.deliver(lost())
        self.round += 1

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
            "waiting": [dict(outbox) for outbox in self.mail.outboxes],
            "given_answers": list(self.answers),
            "repairing": [f"agent_{i}" for i in sorted(self.repairing)],
        }
