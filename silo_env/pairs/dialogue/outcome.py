"""The outcome of a dialogue: the answer it reached and what that answer is worth."""

from collections.abc import Sequence
from dataclasses import dataclass

from coordgym.silo_env.pairs.dialogue.extraction import find_candidate
from coordgym.silo_env.pairs.task import Answer, ConfigT, Grade, InstanceT, PairTask


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
        grade: The verdict; 0.0 without an answer, or at the cap if that counts as failure.
    """

    answer: Answer | None
    source: str | None
    grade: Grade


def judge(
    task: PairTask[InstanceT, ConfigT],
    instance: InstanceT,
    messages: Sequence[Message],
    *,
    free_text: bool,
    search_schemes: bool,
    void: bool = False,
) -> Outcome:
    """Find and grade the answer of a dialogue.

    Args:
        task: The task.
        instance: The true instance.
        messages: The dialogue so far.
        free_text: Whether prose is searched where no final answer object is found.
        search_schemes: Whether coordinates are read under all schemes.
        void: Whether the dialogue scores 0.0 whatever it reached.
    """
    texts = [message.text for message in messages if message.text is not None]
    candidate = find_candidate(task, instance, texts, free_text=free_text)
    if candidate is None:
        return Outcome(None, None, Grade(0.0))
    grade = task.grade(instance, candidate.answer, search_schemes=search_schemes)
    return Outcome(candidate.answer, candidate.source, Grade(0.0) if void else grade)
