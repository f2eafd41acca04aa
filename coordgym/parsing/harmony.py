"""OpenAI's harmony format, in which gpt-oss writes: messages in channels, some sent to functions.

A message is a header and a text: ``<|start|>ROLE to=RECIPIENT<|channel|>NAME <|constrain|>json
<|message|>TEXT<|end|>``. The prompt holds the first role; models name the recipient before or
after the channel, and call functions in whatever channel, as the parsers of vLLM and llama.cpp
know. A server that leaves special tokens out of the text leaves the names of the channels in it.
"""

import json
import re
from typing import Final, NamedTuple

from coordgym.parsing.values import ParseError, loads_json

CHANNEL_MARKS: Final = tuple(
    f"<|{word}|>" for word in ("start", "end", "return", "call", "channel", "message", "constrain")
)
"""Marks of the harmony format."""
CHANNEL: Final = "<|channel|>"
"""The mark without which a text is not read as harmony."""

_START, _MESSAGE, _CONSTRAIN, _CALL = "<|start|>", "<|message|>", "<|constrain|>", "<|call|>"
_FINAL, _COMMENTARY = "final", "commentary"
_MODULE: Final = "functions."
_PEOPLE: Final = ("assistant", "user")

_MARK: Final = re.compile("|".join(map(re.escape, CHANNEL_MARKS)))
_NAME: Final = r"[A-Za-z_]\w{0,63}"
_RECIPIENT: Final = re.compile(rf"\bto=((?:functions\.)?{_NAME})(?!\S)")
_ADDRESS: Final = re.compile(rf"\s*+(?:[a-z]++\s++){{0,2}}to=((?:functions\.)?{_NAME})\s*+\Z")
_OWN_ROLE: Final = re.compile(r"\s*+(?:assistant(?!\S)|to=|\Z)")
_BARE_CALL: Final = re.compile(
    rf"(?:assistant|\A\s*+)(?:commentary ?| ?)to=functions\.(?P<name>{_NAME}?)"
    r" ?(?:commentary)? ?(?:json|code)?\s*+(?=\{)"
)


class Message(NamedTuple):
    """One message.

    Attributes:
        channel: The name of its channel in small letters; empty if it has none.
        recipient: What it is sent to, ``functions.f`` or ``f``; empty if it is nobody's.
        text: What it says.
        start: Where in the reply its text begins.
    """

    channel: str
    recipient: str
    text: str
    start: int

    @property
    def function(self) -> str:
        """The function that it calls; empty if it calls none.

        Only in the commentary may a function be named without its module: thoughts are often
        addressed to somebody.
        """
        if self.recipient.startswith(_MODULE):
            return self.recipient.removeprefix(_MODULE)
        named = self.channel == _COMMENTARY and self.recipient not in _PEOPLE
        return self.recipient if named else ""

    def said(self) -> str:
        """Return what it says; arguments that it sends a function become a whole call.

        Arguments that are no JSON object are written as a string: no line of them is taken for
        another call, and the call is refused for what it is.
        """
        text = self.text.strip()
        if not self.function:
            return text
        arguments = text or "{}"
        if not _is_object(arguments):
            arguments = json.dumps(arguments, ensure_ascii=False)
        return f'{{"name": {json.dumps(self.function)}, "arguments": {arguments}}}'


def spoken(text: str) -> list[Message]:
    """List the messages of a reply that are no thoughts, in their order.

    They are those of the final channel and those that call functions; a commentary to nobody is
    one where there is nothing else.
    """
    messages = _messages(text)
    return [message for message in messages if message.channel == _FINAL or message.function] or [
        message for message in messages if message.channel == _COMMENTARY
    ]


def bare_call(text: str, thoughts: int = 0) -> Message | None:
    """Read the call that ends a reply without special tokens; None if it ends with none.

    Args:
        text: The reply.
        thoughts: Where the thoughts before the call begin; 0 if it has none, so that it must
            begin with the call.
    """
    first = _BARE_CALL.match(text)
    calls = [*_BARE_CALL.finditer(text, thoughts)] if thoughts else [first] if first else []
    if not calls or not _is_object(text[calls[-1].end() :]):
        return None
    end = calls[-1].end()
    return Message(_COMMENTARY, _MODULE + calls[-1]["name"], text[end:], end)


def _messages(text: str) -> list[Message]:
    """List what the model says itself in its reply; the last message may be cut off."""
    messages: list[Message] = []
    channel = recipient = last = ""
    end, header, own = 0, True, True
    for mark in [*_MARK.finditer(text), None]:
        piece = text[end : len(text) if mark is None else mark.start()]
        if not header:
            begin = end + len(piece) - len(piece.lstrip())
            if channel != _COMMENTARY and mark is not None and mark[0] != _CALL:
                recipient = ""  # another end than that of a call: it was said to nobody
            if own:
                messages.append(Message(channel, recipient, piece, begin))
            channel, recipient, own = "", "", True
        elif last == CHANNEL:
            channel = piece.split(maxsplit=1)[0].lower() if piece.strip() else ""
            found = _RECIPIENT.search(piece)
            recipient = found[1] if found else recipient
        elif last != _CONSTRAIN:  # a message begins; the role may name the recipient, too
            found = _ADDRESS.match(piece)
            channel, recipient = "", found[1] if found else ""
            own = last != _START or _OWN_ROLE.match(piece) is not None
        if mark is not None:
            last, end = mark[0], mark.end()
            header = last != _MESSAGE
    if own and last in (CHANNEL, _CONSTRAIN):
        messages.append(Message(channel, recipient, "", len(text)))
    return messages


def _is_object(text: str) -> bool:
    try:
        return isinstance(loads_json(text), dict)
    except ParseError:
        return False
