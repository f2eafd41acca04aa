"""Recorded conversations as a language model reads them."""

from collections.abc import Sequence

from coordgym.silo_env.pairs.outcome import Message

NOT_DELIVERED = "(a message that was not delivered)"
BEGIN, END = "<conversation>", "</conversation>"


def transcript(messages: Sequence[Message], *, alone: bool = False) -> str:
    """What was said, numbered, between tags; with the speakers, unless there is one alone."""
    lines = []
    for number, message in enumerate(messages, 1):
        speaker = "Agent" if alone else f"Agent {message.agent + 1}"
        lines.append(f"[{number}] {speaker}: {message.text or NOT_DELIVERED}")
    return "\n\n".join([BEGIN, *lines, END])
