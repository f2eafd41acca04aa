"""Answers that patterns find in recorded dialogues against those that a model reads from them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from coordgym.data.tables import Table, Value
from coordgym.silo_env.pairs.analysis.conversations.conversation import Conversation
from coordgym.silo_env.pairs.analysis.failures.asking import CachedAsk, Question
from coordgym.silo_env.pairs.analysis.failures.extractor import (
    TEMPERATURE,
    Extraction,
    answer_text,
    extract,
    extraction_question,
)
from coordgym.silo_env.pairs.analysis.scores.results import CATEGORIES
from coordgym.silo_env.pairs.dialogue.outcome import grade_answer
from coordgym.silo_env.pairs.task import EXACT_TOLERANCE, Grade

FIGURES = (
    "n", "no reply", "unreadable", "score", "read score", "exact", "read exact", "agree",
    "only found", "only read", "neither",
)  # fmt: skip
"""Found: by patterns. Read: by the model."""


class Reading(NamedTuple):
    """A conversation, what the model read from it, and the grader's verdict on that.

    The verdict is None where the model gave nothing that can be judged.
    """

    conversation: Conversation
    extraction: Extraction
    grade: Grade | None


def read_answers(conversations: Sequence[Conversation], cached: CachedAsk) -> list[Reading]:
    """Have a model read the answers of conversations, and grade them."""
    questions = [question_of(each) for each in conversations]
    extractions = extract(cached, [each.rules for each in conversations], questions)
    return [
        Reading(each, extraction, _grade(each, extraction))
        for each, extraction in zip(conversations, extractions, strict=True)
    ]


def question_of(conversation: Conversation) -> Question:
    """Return the question for the answer of a conversation."""
    return extraction_question(
        conversation.rules,
        conversation.messages,
        friction=conversation.options.friction,
        alone=conversation.options.alone,
        seed=conversation.seed,
    )


def _grade(conversation: Conversation, extraction: Extraction) -> Grade | None:
    if extraction.problem:
        return None
    if extraction.answer is None:
        return Grade(0.0)
    return grade_answer(
        conversation.options,
        conversation.instance,
        extraction.answer,
        capped=conversation.outcome.capped,
    )


def extraction_tables(readings: Sequence[Reading], model: str) -> list[Table]:
    """Return the comparison by condition and category, and by task.

    Args:
        readings: Of one setting of the environments.
        model: The model that read.
    """

    def condition(reading: Reading) -> tuple[str, ...]:
        said = reading.conversation
        return said.options.mode, said.clauses, said.category

    def whole(reading: Reading) -> tuple[str, ...]:
        return *condition(reading)[:2], "all"

    def task(reading: Reading) -> tuple[str, ...]:
        said = reading.conversation
        return said.category, said.task, said.options.mode

    by_condition = _rows(readings, condition) + _rows(readings, whole)
    order = (*CATEGORIES, "all")
    by_condition.sort(key=lambda row: (row[0], row[1], order.index(str(row[2]))))
    note = _note(readings, model)
    return [
        Table(
            "tax-extraction",
            "Answers found by patterns and read by a model",
            ("mode", "clauses", "category", *FIGURES),
            tuple(by_condition),
            note,
        ),
        Table(
            "tax-extraction-tasks",
            "Answers found by patterns and read by a model, by task",
            ("category", "task", "mode", *FIGURES),
            tuple(sorted(_rows(readings, task), key=lambda row: row[:3])),
        ),
    ]


def _rows(
    readings: Sequence[Reading], key: Callable[[Reading], tuple[str, ...]]
) -> list[tuple[Value, ...]]:
    groups: dict[tuple[str, ...], list[Reading]] = {}
    for reading in readings:
        groups.setdefault(key(reading), []).append(reading)
    return [(*name, *_figures(group)) for name, group in groups.items()]


def _figures(readings: Sequence[Reading]) -> tuple[Value, ...]:
    """Return the figures of a group; all but the first three are about replies that can be read."""
    read = [
        (each.conversation.outcome, each.extraction.answer, each.grade)
        for each in readings
        if each.grade is not None
    ]
    replied = sum(each.extraction.replied for each in readings)
    by_patterns = [found.answer is not None for found, _, _ in read]
    by_model = [answer is not None for _, answer, _ in read]
    return (
        len(readings),
        len(readings) - replied,
        replied - len(read),
        _mean([found.grade.score for found, _, _ in read]),
        _mean([grade.score for _, _, grade in read]),
        _mean([found.grade.exact for found, _, _ in read]),
        _mean([grade.exact for _, _, grade in read]),
        _mean([_agree(found.grade, grade) for found, _, grade in read]),
        sum(a and not b for a, b in zip(by_patterns, by_model, strict=True)),
        sum(b and not a for a, b in zip(by_patterns, by_model, strict=True)),
        sum(not a and not b for a, b in zip(by_patterns, by_model, strict=True)),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _agree(first: Grade, second: Grade) -> bool:
    return abs(first.score - second.score) <= EXACT_TOLERANCE


def _note(readings: Sequence[Reading], model: str) -> str:
    note = (
        f"Found by patterns, read by {model} at temperature {TEMPERATURE}, both graded alike. "
        "What had no reply or an unreadable one is left out of the figures after these. Agree: "
        "share with equal scores. Only found, only read, neither: who came to an answer at all."
    )
    for title, replied in (("no reply", False), ("unreadable", True)):
        problems = [
            each.extraction.problem
            for each in readings
            if each.extraction.problem and each.extraction.replied == replied
        ]
        if problems:
            note += f" First case of {title}: {problems[0]}."
    return note


def dialogue_log(readings: Sequence[Reading]) -> Table:
    """Return one row per dialogue, for a file: what either found, and the schemes."""

    def row(reading: Reading) -> tuple[Value, ...]:
        said, extraction, grade = reading
        found = said.outcome
        score, scheme = (None, None) if grade is None else (grade.score, grade.scheme)
        return (
            said.task, said.options.mode, said.clauses, " × ".join(said.models), said.seed,
            said.repeat, said.setting, found.grade.score, score,
            answer_text(found.answer), answer_text(extraction.answer), found.grade.scheme,
            scheme, extraction.scheme, extraction.problem,
        )  # fmt: skip

    return Table(
        "tax-extraction-dialogues",
        "Answers of single dialogues",
        (
            "task", "mode", "clauses", "models", "seed", "repeat", "setting", "score",
            "read score", "answer", "read answer", "scheme", "read scheme", "named scheme",
            "problem",
        ),
        tuple(row(reading) for reading in readings),
    )  # fmt: skip
