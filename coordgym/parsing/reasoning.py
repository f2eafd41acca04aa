"""Reasoning in a model's reply: what a model thinks before it answers is not its answer.

Models that think write their thoughts into the reply, between tags or in a channel of its own,
unless the server takes them out. ``split_reasoning`` parts a reply as serving stacks do: all that
stands before the first closing tag is reasoning, since the opening tag may have been part of the
prompt. What comes after it is the answer, less further thoughts. A reply that ends inside a
thought has no answer.

The forms are those of DeepSeek, Qwen, GLM and many others (``<think>``), Mistral (``[THINK]``),
Kimi (``◁think▷``), Seed (``<seed:think>``), Command A (``<|START_THINKING|>``) and gpt-oss (the
channels of OpenAI's harmony format), as the reasoning parsers of vLLM and SGLang list them.
"""

import re
from typing import Final, NamedTuple

WORDS: Final = ("think", "thinking", "reason", "reasoning", "thought", "thoughts")
"""Names of tags in angle brackets that hold reasoning, in any case."""
OTHER_TAGS: Final = (
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<seed:think>", "</seed:think>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
)
"""Opening and closing tags of other forms."""

_CHANNEL, _MESSAGE = "<|channel|>", "<|message|>"
_SPOKEN = frozenset({"final", "commentary"})
"""Channels of the harmony format whose text is meant for others; any other one is reasoning."""

_OPENING: Final = "|".join(
    [rf"<(?:{'|'.join(WORDS)})>", *(re.escape(opening) for opening, _ in OTHER_TAGS)]
)
_CLOSING: Final = "|".join(
    [rf"</(?:{'|'.join(WORDS)})>", *(re.escape(closing) for _, closing in OTHER_TAGS)]
)
_TAG: Final = re.compile(rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})", re.IGNORECASE)
_HARMONY: Final = re.compile(r"<\|(?:start|end|return|call|channel|message|constrain)\|>")
# A server that leaves special tokens out of the text leaves the names of the channels in it.
_BARE_HARMONY: Final = re.compile(r"\s*analysis(?=[A-Z\s\"'*(\[])")
_BARE_FINAL: Final = "assistantfinal"


class Reply(NamedTuple):
    """A reply in two parts.

    Attributes:
        answer: What is left without reasoning; the whole reply where it has none.
        reasoning: How many characters of the reply are reasoning and its tags.
        finished: False if the reply ends inside a thought; the answer is empty then.
    """

    answer: str
    reasoning: int
    finished: bool


def split_reasoning(text: str) -> Reply:
    """Part a reply into reasoning and answer; takes time linear in its length."""
    if _CHANNEL in text:
        return _of_channels(text)
    if (opening := _BARE_HARMONY.match(text)) and _BARE_FINAL in text[opening.end() :]:
        answer = text.rpartition(_BARE_FINAL)[2]
        return Reply(answer, len(text) - len(answer), True)
    return _of_tags(text)


def _of_tags(text: str) -> Reply:
    """Part a reply in which thoughts stand between tags."""
    kept: list[str] = []
    start, thinking, closed = 0, False, False
    for tag in _TAG.finditer(text):
        if tag["closing"]:
            if not thinking or not closed:
                # The opening tag is in the prompt, or the first thought ends: all before is one.
                kept.clear()
            thinking, closed = False, True
            start = tag.end()
        elif not thinking:
            kept.append(text[start : tag.start()])
            thinking = True
    if thinking:
        return Reply("", len(text), False)
    kept.append(text[start:])
    answer = "".join(kept)
    if closed:
        answer = answer.lstrip()
    return Reply(answer, len(text) - len(answer), True)


def _of_channels(text: str) -> Reply:
    """Part a reply in the harmony format: ``<|channel|>NAME<|message|>TEXT`` again and again."""
    spoken: list[str] = []
    channel = last = ""
    header = True
    end = 0
    for mark in [*_HARMONY.finditer(text), None]:
        piece = text[end : len(text) if mark is None else mark.start()]
        if not header and channel in _SPOKEN:
            spoken.append(piece)
        elif header and last == _CHANNEL:
            channel = piece.split(maxsplit=1)[0].lower() if piece.strip() else ""
        if mark is not None:
            last, end = mark[0], mark.end()
            header = last != _MESSAGE
    finished = bool(spoken) or channel in _SPOKEN
    answer = "\n".join(part.strip() for part in spoken if part.strip())
    return Reply(answer if finished else "", len(text) - len(answer), finished)
