"""What agents read: instructions and rounds, as prose or compact, from the same facts.

Messages are always quoted as JSON strings, so that no text of an agent can pass for a line
of the environment or for another agent's message.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from coordgym.silo_env.graph.instance import Instance
from coordgym.silo_env.graph.parsing import ANSWER_MARK, MAX_DROPPED_SHOWN, Dropped
from coordgym.silo_env.graph.task import GraphTask

OPTIONS_LISTED = 60
"""Longer lists of groups are abridged in the text; data has all of them."""


@dataclass(frozen=True, slots=True)
class Private:
    """What one agent knows from the start.

    Attributes:
        task: The task.
        name: The agent's own name.
        neighbours: Its neighbours' names.
        options: Its valid answers.
        rounds: Rounds of messages R.
        n_agents: Size of the network, or None if it isn't told.
        max_degree: Largest number of neighbours in the network, by which tasks are worded.
        n_groups: Number of groups to join, or None in tasks without groups.
        own_input: Its private input, or None.
        input_rule: What inputs say of a right answer, or None.
        max_message_chars: Longest message that is sent.
    """

    task: GraphTask
    name: str
    neighbours: tuple[str, ...]
    options: tuple[str, ...]
    rounds: int
    n_agents: int | None
    max_degree: int
    n_groups: int | None
    own_input: str | None
    input_rule: str | None
    max_message_chars: int

    def view(self) -> dict[str, Any]:
        """Return the same facts as data."""
        facts: dict[str, Any] = {
            "task": self.task.name,
            "name": self.name,
            "neighbours": list(self.neighbours),
            "options": list(self.options),
            "rounds": self.rounds,
            "max_message_chars": self.max_message_chars,
        }
        if self.n_agents is not None:
            facts["n_agents"] = self.n_agents
        if self.n_groups is not None:
            facts["n_groups"] = self.n_groups
        if self.own_input is not None:
            facts["input"] = self.own_input
        if self.input_rule is not None:
            facts["input_rule"] = self.input_rule
        return facts


def private_facts(world: Instance, agent: int, *, know_n: bool, max_message_chars: int) -> Private:
    """Work out what the agent with this index knows from the start."""
    groups = world.groups()
    return Private(
        task=world.task,
        name=world.network.names[agent],
        neighbours=world.network.names_around(agent),
        options=world.options(agent),
        rounds=world.rounds,
        n_agents=len(world.network.names) if know_n else None,
        max_degree=world.network.max_degree,
        n_groups=None if groups is None else len(groups),
        own_input=world.inputs[agent] if world.inputs else None,
        input_rule=world.input_rule if world.inputs else None,
        max_message_chars=max_message_chars,
    )


@dataclass(frozen=True, slots=True)
class News:
    """What one agent is told at the start of a round.

    Attributes:
        round: Rounds of messages completed, 0..R.
        rounds: Rounds of messages R.
        messages: Text by sender's name, as delivered by the round before.
        silent: Neighbours from whom nothing came; empty in the first round.
        dropped: Entries of the agent's own last message that were not sent.
    """

    round: int
    rounds: int
    messages: Mapping[str, str]
    silent: tuple[str, ...]
    dropped: Sequence[Dropped]

    def view(self) -> dict[str, Any]:
        """Return the same facts as data."""
        left = self.rounds - self.round
        facts: dict[str, Any] = {
            "phase": "message" if left else "answer",
            "messages": dict(self.messages),
            "silent": list(self.silent),
            "rounds_left": left,
        }
        if self.dropped:
            facts["dropped"] = [list(entry) for entry in self.dropped[:MAX_DROPPED_SHOWN]]
        return facts


# --- prose -------------------------------------------------------------------------------


def full_instructions(me: Private) -> str:
    """Explain world, task and actions in prose."""
    lines = [
        f"You are {me.name}, an agent in a network. {_full_neighbourhood(me)}",
        "",
        f"Task: {me.task.describe(me.max_degree)}",
    ]
    if me.own_input is not None:
        lines.append(me.task.describe_input(me.own_input, me.input_rule))
    lines += [
        "You succeed or fail together: the answers of all agents are judged as a whole.",
        "",
        f"All agents act at the same time. For {me.rounds} rounds you may send one message to "
        "each of your neighbours; it arrives at the start of the next round. After the last "
        "round everybody gives a final answer, without seeing the others' answers.",
        "",
        f"In each round, think as you like, then write {_full_message_form(me)}",
        "",
        f"When you are asked for it, write your final answer as\n{ANSWER_MARK}\nfollowed by "
        f"exactly one of your options: {_options(me, ', ')}.",
    ]
    return "\n".join(lines)


def _full_neighbourhood(me: Private) -> str:
    if not me.neighbours:
        known = "You have no neighbours."
    else:
        known = f"You know and can write to your neighbours only: {', '.join(me.neighbours)}."
    if me.n_agents is not None:
        known += f" The network has {me.n_agents} agents in all."
    return known


def _full_message_form(me: Private) -> str:
    if not me.neighbours:
        return "anything: there is nobody to whom you could send a message."
    example = json.dumps(dict.fromkeys(me.neighbours[:2], "text"), ensure_ascii=False)
    return (
        "one JSON object with the names of the neighbours you want to write to and a text for "
        f"each, such as {example}. Leave out whom you have nothing to tell; {{}} sends nothing. "
        f"A text may have up to {me.max_message_chars} characters."
    )


def _options(me: Private, separator: str) -> str:
    if me.n_groups is None or len(me.options) <= OPTIONS_LISTED:
        return separator.join(me.options)
    return separator.join([*me.options[:3], "…", me.options[-1]])


def full_news(news: News) -> str:
    """Tell a round in prose."""
    left = news.rounds - news.round
    lines = [f"Round {news.round + 1} of {news.rounds}."] if left else []
    if news.messages:
        lines.append("Messages from your neighbours:")
        lines += [f"- {sender}: {quoted(text)}" for sender, text in news.messages.items()]
    if news.silent:
        lines.append(f"Nothing came from: {', '.join(news.silent)}.")
    if news.dropped:
        lines.append("Not sent of your last message: " + _dropped(news.dropped, "; ") + ".")
    if left > 1:
        more = "One more round follows" if left == 2 else f"{left - 1} more rounds follow"
        lines.append(f"Write your messages. {more}.")
    elif left == 1:
        lines.append(
            "Write your messages. This is the last round of messages: the final answer comes next."
        )
    else:
        lines.append(
            f"The rounds of messages are over. Give your final answer: {ANSWER_MARK}, one option."
        )
    return "\n".join(lines)


def full_repair(answering: bool, tries_left: int) -> str:
    """Ask in prose for a repetition."""
    what = (
        f"Give your final answer again: {ANSWER_MARK} and exactly one of your options."
        if answering
        else "Write your messages for this round again, as one JSON object {neighbour: text}."
    )
    after = "no answer counts for you" if answering else "you send nothing in this round"
    tries = "This is the last try" if tries_left == 1 else f"You have {tries_left} tries"
    return f"What you wrote could not be parsed. {what} {tries}; after that {after}."


# --- compact -----------------------------------------------------------------------------


def compact_instructions(me: Private) -> str:
    """Explain world, task and actions in few words."""
    size = "" if me.n_agents is None else f"; {me.n_agents} agents"
    own = (
        "" if me.own_input is None else f"; {me.task.summarize_input(me.own_input, me.input_rule)}"
    )
    return "\n".join(
        [
            f"task: {me.task.summarize(me.max_degree)}{own}",
            f"you: {me.name}{size}; {me.rounds} rounds",
            f"neighbours: {', '.join(me.neighbours) or '-'}",
            f"options: {_options(me, ' | ')}",
            f'each round: {{"NEIGHBOUR":"text",…}} ({{}} = silence; ≤{me.max_message_chars} chars)',
            f"at the end: {ANSWER_MARK} OPTION",
        ]
    )


def compact_news(news: News) -> str:
    """Tell a round in few words."""
    left = news.rounds - news.round
    parts = [f"round {news.round + 1}/{news.rounds}" if left else "answer"]
    if news.messages:
        inbox = ",".join(f"{quoted(name)}:{quoted(text)}" for name, text in news.messages.items())
        parts.append(f"in {{{inbox}}}")
    if news.silent:
        parts.append(f"silent {', '.join(news.silent)}")
    if news.dropped:
        parts.append(f"not sent {_dropped(news.dropped, ', ')}")
    if left == 1:
        parts.append("last")
    return "; ".join(parts)


def compact_repair(answering: bool, tries_left: int) -> str:
    """Ask in few words for a repetition."""
    return f"not parsed; repeat {'answer' if answering else 'messages'}; tries {tries_left}"


# --- both --------------------------------------------------------------------------------


class Texts(NamedTuple):
    """One of the two ways to put things.

    Attributes:
        instructions: Explains world, task and actions.
        news: Tells a round.
        repair: Asks for a repetition: of an answer or of messages, with so many tries left.
    """

    instructions: Callable[[Private], str]
    news: Callable[[News], str]
    repair: Callable[[bool, int], str]


TEXTS = {
    "full": Texts(full_instructions, full_news, full_repair),
    "compact": Texts(compact_instructions, compact_news, compact_repair),
}
"""The texts by the option ``text``."""


def farewell(answer: str | None) -> str:
    """Tell an agent at the end what counted as its answer."""
    given = "You gave no valid answer." if answer is None else f"Your final answer: {answer}."
    return f"The episode is over. {given}"


_encode_json = json.JSONEncoder(ensure_ascii=False).encode
# JSON itself escapes the control characters that end a line; these it leaves as they are.
_LINE_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}


def quoted(text: str) -> str:
    """Return the text as a JSON string on one line, whatever a reader takes for a line's end."""
    encoded = _encode_json(text)
    return encoded if encoded.isascii() else encoded.translate(_LINE_BREAKS)


def _dropped(dropped: Sequence[Dropped], separator: str) -> str:
    shown = [f"{quoted(key)} ({reason})" for key, reason in dropped[:MAX_DROPPED_SHOWN]]
    if len(dropped) > MAX_DROPPED_SHOWN:
        shown.append(f"{len(dropped) - MAX_DROPPED_SHOWN} more")
    return separator.join(shown)
