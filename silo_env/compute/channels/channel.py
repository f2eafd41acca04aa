"""What the three protocols have in common: functions, knowledge, traffic and faults.

A channel owns what passes between agents. Calls only fill turns; ``Channel.commit`` applies
the turns of a round at its end, in the order (agent, sequence), and ``Channel.deliver`` hands
out what has become visible.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from coordgym.parsing import Call, valid_text
from coordgym.silo_env.compute.answers.types import AnswerError
from coordgym.silo_env.compute.channels.faults import Fate, FaultRates, RoundOfFaults, Streams
from coordgym.silo_env.compute.channels.news import News
from coordgym.silo_env.compute.channels.store import Fault, Store
from coordgym.silo_env.compute.channels.turns import SUBMIT, WAIT, CallError, Function, Limits, Turn

MESSAGE_HEADER_CHARS = 80
"""Upper bound on what the text puts around one message, a file's line without its path, …"""
MAX_PATH_CHARS = 200


class Channel(ABC):
    """Base of the protocols.

    Attributes:
        name: The protocol's name.
        functions: What agents may call, ``wait`` and ``submit_result`` last.
        known: By agent, the bit set of the shards behind what it knows.
        traffic: Transfers by sender and recipient (author and reader for files).
        sends: By agent, how many messages, broadcasts or file versions it sent off.
    """

    name: ClassVar[str]
    functions: ClassVar[tuple[Function, ...]]

    def __init__(
        self,
        store: Store,
        neighbours: Sequence[Sequence[int]],
        limits: Limits,
        *,
        pull: bool,
        rates: FaultRates,
        streams: Streams,
    ) -> None:
        n_agents = len(neighbours)
        self.store = store
        self.known = [1 << agent for agent in range(n_agents)]
        self.traffic = [[0] * n_agents for _ in range(n_agents)]
        self.sends = [0] * n_agents
        self._neighbours = neighbours
        self._limits = limits
        self._pull = pull
        self._rates = rates
        self._streams = streams

    @abstractmethod
    def run(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> str:
        """Carry out one call of the protocol's own functions and return its result.

        Raises:
            CallError: If it can't be carried out.
        """

    @abstractmethod
    def commit(self, turns: Sequence[Turn], round_number: int) -> None:
        """Apply all turns of a round, given in the order of the agents."""

    @abstractmethod
    def deliver(self, budgets: Mapping[int, int]) -> dict[int, News]:
        """Hand out what is visible now to agents that still play.

        Args:
            budgets: By agent, how many characters it can still be handed.
        """

    @abstractmethod
    def spoken(self) -> Iterable[str]:
        """Return the distinct contents of everything that was sent or written."""

    @abstractmethod
    def contents(self) -> list[dict[str, Any]]:
        """Return all messages, or all files, as JSON-able data for the global state."""

    def _settle(self, turns: Sequence[Turn]) -> None:
        """Book what the agents have learnt and read in their turns."""
        for turn in turns:
            self.known[turn.agent] |= turn.gained
            self.sends[turn.agent] += len(turn.sends) + sum(
                write.content is not None for write in turn.writes
            )
            for author in turn.reads:
                self.traffic[author][turn.agent] += 1

    def _faults(self, round_number: int) -> RoundOfFaults:
        """Return what may go wrong in a round."""
        n_agents = len(self._neighbours)
        return RoundOfFaults(self._rates, self._streams, round_number, n_agents)

    def _text_argument(self, value: object, name: str, max_chars: int) -> str:
        if not isinstance(value, str):
            raise CallError(f"{name} must be a text in quotes")
        problem = valid_text(value, max_chars)
        if problem is not None:
            raise CallError(f"{name} was refused: {problem}")
        return value


def run_call(
    channel: Channel, turn: Turn, call: Call, *, max_calls: int, read: Callable[[object], Any]
) -> str:
    """Carry out one call of a turn and return its result; errors are noted in the turn.

    ``read`` returns the answer that a submission states, or raises an ``AnswerError``.
    """
    if turn.ended_by:
        turn.skipped += 1
        return f"Error: your turn has ended with {turn.ended_by}()"
    turn.calls += 1
    if turn.calls > max_calls:
        if turn.calls == max_calls + 1:
            turn.fail(call.name, f"more than {max_calls} calls in one round; it was not made")
        return f"Error: at most {max_calls} calls a round are allowed"
    if call.error is not None:
        return "Error: " + turn.fail(call.name, call.error)
    if call.name == WAIT.name:
        turn.ended_by = WAIT.name
        return "Your turn is over."
    if call.name == SUBMIT.name:
        return _submit(turn, call.arguments["answer"], read)
    try:
        return channel.run(turn, call.name, call.arguments)
    except CallError as error:
        return "Error: " + turn.fail(call.name, str(error))


def _submit(turn: Turn, written: object, read: Callable[[object], Any]) -> str:
    """End a turn with an answer, unless it is of another form than the task's answers."""
    try:
        turn.answer = read(written)
    except AnswerError as error:
        return "Error: " + turn.fail(SUBMIT.name, str(error))
    turn.ended_by, turn.submitted, turn.written = SUBMIT.name, True, written
    return "Your answer was submitted."


def file_fault(round_number: int, path: str, author: int, sent: str, fate: Fate) -> Fault:
    """Return the log entry of a fault in a written file."""
    return Fault(round_number, fate.kind, None, path, author, None, sent, fate.arrives)
