"""Reasoning in a model's reply: what a model thinks before it answers is not its answer.

Models that think write their thoughts into the reply, between tags or in a channel of its own,
unless the server takes them out. ``split_reasoning`` parts a reply as serving stacks do: all that
stands before the first closing tag is reasoning, since the opening tag may have been part of the
prompt. What comes after it is the answer, less further thoughts. A reply that ends inside a
thought has no answer.

The forms are those of DeepSeek, Qwen, GLM and many others (``<think>``), EXAONE (``<thought>``),
Mistral (``[THINK]``), Kimi (``◁think▷``), Seed (``<seed:think>``), LongCat, Command A
(``<|START_THINKING|>``), OpenThinker, Apertus, Gemma and gpt-oss (the channels of OpenAI's harmony
format), as the reasoning parsers of vLLM and SGLang list them.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from coordgym.parsing.harmony import CHANNEL, CHANNEL_MARKS, Message, bare_call, spoken

WORDS: Final = ("think", "thinking", "reason", "reasoning", "thought", "thoughts")
"""Names of tags in angle brackets that hold reasoning, in any case."""
OTHER_TAGS: Final = (
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>", "<channel|>"),
)
"""Opening and closing tags of other forms."""
ANSWER_TAGS: Final = (
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    ("<|begin_of_solution|>", "<|end_of_solution|>"),
)
"""Tags that some of these models put around the answer that follows their reasoning."""


def _any_of(marks: Iterable[str]) -> str:
    """Return a pattern of marks in any case.

    Their first characters stand in front, in one case: a search skips all others fast.
    """
    rests: dict[str, list[str]] = {}
    for mark in marks:
        rests.setdefault(mark[0], []).append(re.escape(mark[1:]))
    return "|".join(f"{re.escape(first)}(?i:{'|'.join(rest)})" for first, rest in rests.items())


_OPENINGS: Final = (*(f"<{word}>" for word in WORDS), *(tag for tag, _ in OTHER_TAGS))
_CLOSINGS: Final = (*(f"</{word}>" for word in WORDS), *(tag for _, tag in OTHER_TAGS))
_ENDS: Final = frozenset(closing.lower() for closing in _CLOSINGS)
_TAG: Final = re.compile(_any_of((*_OPENINGS, *_CLOSINGS)))
_OPENED_LAST: Final = re.compile(rf"(?:{_any_of(_OPENINGS)})\s*\Z")
_ANY_MARK: Final = re.compile(_any_of((*_OPENINGS, *_CLOSINGS, *CHANNEL_MARKS)))
# A server that leaves special tokens out of the text leaves the names of the channels in it.
_BARE_HARMONY: Final = re.compile(r"\s*analysis(?=[A-Z\s\"'*(\[])")
_BARE_UNFINISHED: Final = re.compile(r"\s*analysis(?=[A-Z])")
_BARE_FINAL: Final = "assistantfinal"


class Reply(NamedTuple):
    """A reply in two parts.

    Attributes:
        answer: What is left without reasoning; the whole reply where it has none.
        reasoning: How many characters of the reply are reasoning and its tags.
        finished: False if the reply ends inside a thought; the answer is empty then.
        start: Where in the reply the answer begins; 0 if there is none.
    """

    answer: str
    reasoning: int = 0
    finished: bool = True
    start: int = 0


def split_reasoning(text: str) -> Reply:
    """Part a reply into reasoning and answer; takes time linear in its length."""
    if CHANNEL in text:
        return _without_tags(_of_channels(spoken(text), text), text)
    opening = _BARE_HARMONY.match(text)
    if opening is None:
        call = bare_call(text)
        return _of_tags(text) if call is None else _of_channels([call], text)
    final = text.rfind(_BARE_FINAL, opening.end())
    if final >= 0:
        start = final + len(_BARE_FINAL)
        return _without_tags(Reply(text[start:], start, True, start), text)
    if (call := bare_call(text, opening.end())) is not None:
        return _of_channels([call], text)
    if _BARE_UNFINISHED.match(text):
        return Reply("", len(text), False)
    return _of_tags(text)


def opened_thought(prompt: str) -> str:
    """Return the opening tag that a prompt ends with, so that the reply begins inside a thought."""
    found = _OPENED_LAST.search(prompt[-64:])
    return found[0] if found else ""


def is_mark(token: str) -> bool:
    """Tell whether a token is one of the marks by which ``split_reasoning`` knows reasoning."""
    return _ANY_MARK.fullmatch(token) is not None


def escape_marks(written: str) -> str:
    """Write JSON text so that no text in it looks like the end or the beginning of a thought."""
    return _ANY_MARK.sub(lambda mark: f"\\u{ord(mark[0][0]):04x}{mark[0][1:]}", written)


def _of_tags(text: str) -> Reply:
    """Part a reply in which thoughts stand between tags."""
    kept: list[str] = []
    start = begin = 0
    thinking = closed = False
    for tag in _TAG.finditer(text):
        if tag[0].lower() in _ENDS:
            if not thinking or not closed:
                # The opening tag is in the prompt, or the first thought ends: all before is one.
                kept.clear()
                begin = tag.end()
            thinking, closed = False, True
            start = tag.end()
        elif not thinking:
            kept.append(text[start : tag.start()])
            thinking = True
    if thinking:
        return Reply("", len(text), False)
    if not closed:
        return Reply(text)
    kept.append(text[start:])
    whole = "".join(kept)
    answer, skipped = _without_answer_tags(whole)
    if len(kept) == 1:
        begin += skipped
    return Reply(answer, len(text) - len(answer), True, begin)


def _without_answer_tags(text: str) -> tuple[str, int]:
    """Take the tags off an answer; return also how many characters before it are left out."""
    answer = text.lstrip()
    for opening, closing in ANSWER_TAGS:
        if answer.startswith(opening):
            answer = answer[len(opening) :].lstrip()
            skipped = len(text) - len(answer)
            return answer.rstrip().removesuffix(closing).rstrip(), skipped
    return answer, len(text) - len(answer)


def _without_tags(reply: Reply, text: str) -> Reply:
    """Take thoughts between tags out of the answer that a channel holds."""
    inner = _of_tags(reply.answer)
    if not inner.finished:
        return Reply("", len(text), False)
    start = reply.start + inner.start
    return Reply(inner.answer, reply.reasoning + inner.reasoning, reply.finished, start)


def _of_channels(messages: list[Message], text: str) -> Reply:
    """Part a reply in the harmony format into what its messages say and all else."""
    parts = [(message.said(), message) for message in messages]
    if not parts:
        return Reply("", len(text), False)
    answer = "\n".join(part for part, _ in parts if part)
    start = next((message.start for part, message in parts if part), len(text))
    said = sum(len(message.text.strip()) for part, message in parts if part)
    return Reply(answer, len(text) - said, True, start)
