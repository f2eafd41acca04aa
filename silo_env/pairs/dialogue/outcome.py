"""The outcome of a dialogue: the answer it reached and what that answer is worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coordgym.silo_env.pairs.dialogue.extraction import ends_dialogue, find_candidate
from coordgym.silo_env.pairs.options import PairOptions
from coordgym.silo_env.pairs.task import Answer, Grade


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a dialogue.

    Attributes:
        agent: Index of the speaker.
        text: What was said; None if the text was refused.
    """

    agent: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a dialogue came to.

    Attributes:
        answer: The candidate answer, or None.
        source: "json" or "free_text"; None without an answer.
        grade: The verdict; 0.0 without an answer, or at the limit if that counts as failure.
        capped: Whether the dialogue ended at the limit on its length.
    """

    answer: Answer | None
    source: str | None
    grade: Grade
    capped: bool = False


def end_of(options: PairOptions, messages: Sequence[Message], start: int = 0) -> int | None:
    """Return the index of the message that ends a dialogue by itself; None if none does.

    Args:
        options: Options of the environment.
        messages: The dialogue so far.
        start: Index of the first message that may be the one.
    """
    if options.alone:
        last = options.solo_turns - 1
        return last if len(messages) > last else None
    texts = ((index, messages[index].text) for index in range(start, len(messages)))
    return next(
        (index for index, text in texts if text and ends_dialogue(text, options.acti_mode)), None
    )


def judge(
    options: PairOptions, instance: Any, messages: Sequence[Message], *, capped: bool
) -> Outcome:
    """Find and grade the answer of a dialogue, while it goes on or from its record.

    Args:
        options: Options of the environment.
        instance: The true instance.
        messages: The dialogue so far.
        capped: Whether it ended at the limit on its length.
    """
    texts = [message.text for message in messages if message.text is not None]
    candidate = find_candidate(options.rules, instance, texts, free_text=options.free_text)
    if candidate is None:
        return Outcome(None, None, Grade(0.0), capped)
    grade = grade_answer(options, instance, candidate.answer, capped=capped)
    return Outcome(candidate.answer, candidate.source, grade, capped)


def grade_answer(options: PairOptions, instance: Any, answer: Answer, *, capped: bool) -> Grade:
    """Grade an answer as the options say; arguments as ``judge``."""
    if capped and options.cap_zero:
        return Grade(0.0)
    return options.rules.grade(instance, answer, search_schemes=options.search_schemes)
