"""The protocols with messages: point to point and broadcast.

A message of round r is stored when the round ends and can be handed over from round r + 1 on,
exactly once, in the order (round, sender, sequence). With push delivery agents are handed their
messages at the start of a round; with pull delivery only by ``receive_messages()``.
Source: Silo-Bench (arXiv 2603.01045), appendix A.2, A.3 and A.5.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from coordgym.silo_env.compute.channels.channel import (
    MESSAGE_HEADER_CHARS,
    Channel,
)
from coordgym.silo_env.compute.channels.news import News, messages_as_data, render_messages
from coordgym.silo_env.compute.channels.store import Fault, Message
from coordgym.silo_env.compute.channels.turns import (
    SUBMIT,
    WAIT,
    CallError,
    Function,
    Parameter,
    Result,
    Send,
    Turn,
)

SEND = Function(
    "send_message",
    "Send a private message to one agent; it can read it in the next round.",
    (
        Parameter("target_id", "integer", "Id of the agent that gets the message."),
        Parameter("content", "string", "The message."),
    ),
)
BROADCAST = Function(
    "broadcast_message",
    "Send one message to all agents that you can reach; they can read it in the next round.",
    (Parameter("content", "string", "The message."),),
)
RECEIVE = Function("receive_messages", "Get the messages that wait for you.")
LIST_AGENTS = Function("list_agents", "List the ids of all agents and whom you reach.")

NOTHING_WAITS = "No messages wait for you."
ALREADY_DELIVERED = "All messages for you were handed to you at the start of this round."


class Handed(NamedTuple):
    """Messages that can be handed over within a budget, and whether others have to wait."""

    messages: list[Message]
    more: bool


class Mailboxes(Channel):
    """What both message protocols share; a subclass says who gets which message."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cursors = [0] * len(self._neighbours)  # id of the last message handed over
        self._reach = [frozenset(group) for group in self._neighbours]

    def run(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> str:
        """Carry out a call."""
        if name == RECEIVE.name:
            return self._receive(turn)
        return self._run_own(turn, name, arguments)

    def _run_own(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> str:
        raise NotImplementedError

    def _mail(self, agent: int, after: int) -> Iterable[Message]:
        raise NotImplementedError

    def _audience(self, sender: int, recipient: int | None) -> Sequence[int]:
        raise NotImplementedError

    def commit(self, turns: Sequence[Turn], round_number: int) -> None:
        """Store the round's messages, draw their faults and count the transfers."""
        self._settle(turns)
        rows = [
            (round_number, turn.agent, i, send.recipient, send.content, f"{send.knowledge:x}")
            for turn in turns
            for i, send in enumerate(turn.sends)
        ]
        if rows:
            ids = self.store.add_messages(rows)
            lost = self._draw_faults(ids, rows) if self._rates else set()
            for number, (_, sender, _, recipient, _, _) in zip(ids, rows, strict=True):
                traffic = self.traffic[sender]
                for reader in self._audience(sender, recipient):
                    if not lost or (number, reader) not in lost:
                        traffic[reader] += 1
        for turn in turns:
            if turn.received:
                self._cursors[turn.agent] = turn.received[-1]
        self._mark_read(number for turn in turns for number in turn.received)

    def _draw_faults(
        self, ids: range, rows: Sequence[tuple[int, int, int, int | None, str, str]]
    ) -> set[tuple[int, int]]:
        """Log a fate for each message and recipient; return the pairs that are lost."""
        faults = []
        drawn = self._faults(rows[0][0])
        for number, (round_number, sender, _, recipient, content, _) in zip(ids, rows, strict=True):
            for reader in self._audience(sender, recipient):
                fate = drawn.fate(sender, reader, content)
                if fate is not None:
                    way = (number, None, sender, reader)
                    faults.append(Fault(round_number, fate.kind, *way, content, fate.arrives))
        self.store.add_faults(faults)
        return {
            (fault.message, fault.recipient)
            for fault in faults
            if fault.kind == "loss" and fault.message is not None and fault.recipient is not None
        }

    def deliver(self, budgets: Mapping[int, int]) -> dict[int, News]:
        """Hand over what fits (push); nothing with pull delivery."""
        if self._pull:
            return {}
        news = {}
        handed_over: list[int] = []
        for agent, budget in budgets.items():
            messages, more = self._handed(agent, self._cursors[agent], budget)
            if messages:
                self._cursors[agent] = messages[-1].id
                self.known[agent] |= _knowledge(messages)
                handed_over += [message.id for message in messages]
            if messages or more:
                news[agent] = News(messages=messages, more=more)
        self._mark_read(handed_over)
        return news

    def spoken(self) -> Iterable[str]:
        """Return each distinct content once."""
        return self.store.contents()

    def contents(self) -> list[dict[str, Any]]:
        """Return all messages of the episode; recipient None stands for a broadcast."""
        return self.store.messages()

    def _receive(self, turn: Turn) -> str:
        if not self._pull:
            facts = {"function": RECEIVE.name, "messages": [], "more": False}
            turn.results.append(Result("receive_messages()", ALREADY_DELIVERED, facts))
            return ALREADY_DELIVERED
        after = turn.received[-1] if turn.received else self._cursors[turn.agent]
        budget = self._limits.max_inbox_chars - turn.handed_chars
        messages, more = self._handed(turn.agent, after, budget)
        turn.received += [message.id for message in messages]
        turn.gained |= _knowledge(messages)
        turn.handed_chars += sum(_cost(message.content) for message in messages)
        text = render_messages(messages, more) if messages or more else NOTHING_WAITS
        facts = {"function": RECEIVE.name, "messages": messages_as_data(messages), "more": more}
        turn.results.append(Result("receive_messages()", text, facts))
        return text

    def _handed(self, agent: int, after: int, budget: int) -> Handed:
        """Return the messages after an id, faults applied, as far as the budget goes."""
        instead = self.store.delivered_instead(agent, after) if self._rates else {}
        messages: list[Message] = []
        for message in self._mail(agent, after):
            if instead and message.id in instead:
                content = instead[message.id]
                if content is None:
                    continue
                message = message._replace(content=content)
            budget -= _cost(message.content)
            if budget < 0:
                return Handed(messages, more=True)
            messages.append(message)
        return Handed(messages, more=False)

    def _mark_read(self, numbers: Iterable[int]) -> None:
        counts: dict[int, int] = {}
        for number in numbers:
            counts[number] = counts.get(number, 0) + 1
        if counts:
            self.store.mark_read([(count, number) for number, count in counts.items()])


class PeerToPeer(Mailboxes):
    """Directed messages to one neighbour each."""

    name = "p2p"
    functions = (SEND, RECEIVE, WAIT, SUBMIT)

    def _run_own(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> str:
        target = self._target(turn.agent, arguments["target_id"])
        limit = self._limits.max_message_chars
        content = self._text_argument(arguments["content"], "content", limit)
        turn.sends.append(Send(target, content, turn.knowledge))
        return f"Your message to agent {target} will be delivered in the next round."

    def _target(self, agent: int, value: object) -> int:
        if isinstance(value, str):
            digits = value.strip().removeprefix("agent_")
            value = int(digits) if digits.isascii() and digits.isdigit() else None
        n_agents = len(self._neighbours)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < n_agents:
            raise CallError(f"target_id must be the id of an agent, 0 to {n_agents - 1}")
        if value == agent:
            raise CallError("target_id is your own id; you can't write to yourself")
        if value not in self._reach[agent]:
            raise CallError("you have no link to this agent; your instructions list your links")
        return value

    def _mail(self, agent: int, after: int) -> Iterable[Message]:
        return self.store.mail(agent, after)

    def _audience(self, sender: int, recipient: int | None) -> Sequence[int]:
        return () if recipient is None else (recipient,)


class Broadcast(Mailboxes):
    """Every message goes to all neighbours of its sender."""

    name = "broadcast"
    functions = (BROADCAST, RECEIVE, LIST_AGENTS, WAIT, SUBMIT)

    def _run_own(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> str:
        if name == LIST_AGENTS.name:
            return self._list_agents(turn)
        limit = self._limits.max_message_chars
        content = self._text_argument(arguments["content"], "content", limit)
        turn.sends.append(Send(None, content, turn.knowledge))
        return "Your message will be delivered to all agents you reach in the next round."

    def _list_agents(self, turn: Turn) -> str:
        n_agents, reached = len(self._neighbours), self._neighbours[turn.agent]
        everybody = len(reached) == n_agents - 1
        audience = "all others" if everybody else "agents " + ", ".join(map(str, reached))
        text = (
            f"Agents 0 to {n_agents - 1}; you are agent {turn.agent}; "
            f"your broadcasts reach {audience}."
        )
        facts = {"function": LIST_AGENTS.name, "n_agents": n_agents, "reached": list(reached)}
        turn.results.append(Result("list_agents()", text, facts))
        return text

    def _mail(self, agent: int, after: int) -> Iterable[Message]:
        reach = self._reach[agent]  # links go both ways
        return (message for message in self.store.mail(None, after) if message.sender in reach)

    def _audience(self, sender: int, recipient: int | None) -> Sequence[int]:
        return self._neighbours[sender]


def _knowledge(messages: Iterable[Message]) -> int:
    known = 0
    for message in messages:
        known |= message.knowledge
    return known


def _cost(content: str) -> int:
    return len(content) + MESSAGE_HEADER_CHARS
