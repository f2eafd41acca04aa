"""What an environment takes of an agent's reply, and what a record of the episode keeps of it."""

from collections.abc import Callable
from typing import NamedTuple

from coordgym.parsing import valid_text
from coordgym.parsing.reasoning import Reply, split_reasoning

UNFINISHED = (
    "the reply ends inside its reasoning and holds no action: end the reasoning and write the "
    "action after it"
)

Whole = Callable[[str], str]
"""Puts what an agent did before ``step`` in front of what it answers."""


class Heard(NamedTuple):
    """What is applied of a reply.

    Attributes:
        text: The text of the whole action.
        problem: Why it can't be used at all; None if it can.
    """

    text: str
    problem: str | None


class Kept(NamedTuple):
    """What is recorded of a reply.

    Attributes:
        text: The reply as it came, with what the agent did before it.
        reasoning: How many characters of it are reasoning, which was not acted on.
    """

    text: str
    reasoning: int


def hear(text: str, reasoning: str, whole: Whole, max_chars: int) -> Heard:
    """Return what is applied of a reply under the option ``reasoning``."""
    reply = _part(text, reasoning)
    applied = whole(reply.answer)
    return Heard(applied, valid_text(applied, max_chars) if reply.finished else UNFINISHED)


def keep(text: str, reasoning: str, whole: Whole) -> Kept:
    """Return what is recorded of a reply: a text that is applied as the reply was.

    What was done before the reply stands where its answer begins, or it would be read as part
    of the reasoning.
    """
    reply = _part(text, reasoning)
    applied = whole(reply.answer)
    if applied == reply.answer:
        return Kept(text, reply.reasoning)
    before = applied.removesuffix(reply.answer)
    kept = f"{text[: reply.start]}{before}{text[reply.start :]}"
    again = _part(kept, reasoning)
    if reply.reasoning and again.answer == (applied if reply.finished else ""):
        return Kept(kept, again.reasoning)
    return Kept(applied, 0)


def _part(text: str, reasoning: str) -> Reply:
    return split_reasoning(text) if reasoning == "strip" else Reply(text)
