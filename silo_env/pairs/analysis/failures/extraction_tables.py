"""Answers that patterns find in recorded dialogues against those that a model reads from them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from coordgym.data.tables import Table, Value
from coordgym.silo_env.pairs.analysis.conversations.conversation import messages_of
from coordgym.silo_env.pairs.analysis.failures.asking import CachedAsk, Question
from coordgym.silo_env.pairs.analysis.failures.extractor import (
    TEMPERATURE,
    Extraction,
    answer_text,
    extract,
    extraction_question,
)
from coordgym.silo_env.pairs.analysis.scores.results import (
    CATEGORIES,
    PairResult,
    from_episodes,
    names_of_models,
    players,
)
from coordgym.silo_env.pairs.dialogue.outcome import (
    Message,
    Outcome,
    end_of,
    grade_answer,
    judge,
)
from coordgym.silo_env.pairs.instance import read_instance
from coordgym.silo_env.pairs.options import PAIR, PairOptions
from coordgym.silo_env.pairs.task import EXACT_TOLERANCE, Grade

if TYPE_CHECKING:
    from coordgym.episodes.episode import Episode
    from coordgym.runs.results import Results

FIGURES = (
    "n", "no reply", "unreadable", "score", "read score", "exact", "read exact", "agree",
    "only found", "only read", "neither",
)  # fmt: skip
"""Found: by patterns. Read: by the model."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A finished episode whose answer is read again.

    Attributes:
        result: What it was worth; the models are called as the plan calls them.
        messages: What was said.
        options: Those of the environment.
        truth: The instance in the task's own form.
        found: The answer that patterns find, and its verdict.
    """

    result: PairResult
    messages: tuple[Message, ...]
    options: PairOptions
    truth: Any
    found: Outcome


class Reading(NamedTuple):
    """A recording, what the model read from it, and the grader's verdict on that.

    The verdict is None where the model gave nothing that can be judged.
    """

    recording: Recording
    extraction: Extraction
    grade: Grade | None


def recordings(folders: Sequence["Results"]) -> Iterator[Recording]:
    """The finished pair episodes of all modes and conditions in folders of results."""
    names = names_of_models(folders)
    for results in folders:
        planned = {policy.name: policy for policy in results.plan.policies}
        for episode in results.episodes():
            for result in from_episodes([episode]):
                models = players(planned[episode.policy], names)[: len(result.models)]
                recording = _recording(episode, replace(result, models=models))
                if recording is not None:
                    yield recording


def _recording(episode: "Episode", result: PairResult) -> Recording | None:
    """Judge an episode again as the environment did; None if nothing was recorded."""
    messages = messages_of(episode)
    if episode.instance is None or not messages:
        return None
    options = PairOptions.from_kwargs({**episode.kwargs, "task": result.task})
    truth = read_instance(result.task, episode.instance)
    found = judge(options, truth, messages, capped=end_of(options, messages) is None)
    return Recording(result, tuple(messages), options, truth, found)


def read_answers(recorded: Sequence[Recording], cached: CachedAsk) -> list[Reading]:
    """Have a model read the answers of episodes, and grade them."""
    questions = [question_of(each) for each in recorded]
    extractions = extract(cached, [each.options.rules for each in recorded], questions)
    return [
        Reading(each, extraction, _grade(each, extraction))
        for each, extraction in zip(recorded, extractions, strict=True)
    ]


def question_of(recording: Recording) -> Question:
    """The question for the answer of an episode."""
    return extraction_question(
        recording.options.rules,
        recording.messages,
        friction=recording.options.friction,
        alone=recording.result.mode != PAIR,
        seed=recording.result.seed,
    )


def _grade(recording: Recording, extraction: Extraction) -> Grade | None:
    if extraction.problem:
        return None
    if extraction.answer is None:
        return Grade(0.0)
    return grade_answer(
        recording.options, recording.truth, extraction.answer, capped=recording.found.capped
    )


def extraction_tables(readings: Sequence[Reading], model: str) -> list[Table]:
    """The comparison by condition and category, and by task.

    Args:
        readings: Of one setting of the environments.
        model: The model that read.
    """

    def condition(reading: Reading) -> tuple[str, ...]:
        result = reading.recording.result
        return result.mode, result.clauses, result.category

    def whole(reading: Reading) -> tuple[str, ...]:
        return *condition(reading)[:2], "all"

    def task(reading: Reading) -> tuple[str, ...]:
        result = reading.recording.result
        return result.category, result.task, result.mode

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
    """The figures of a group; all but the first three are about replies that can be read."""
    read = [
        (each.recording.found, each.extraction.answer, each.grade)
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
    """One row per dialogue, for a file: what either found, and the schemes."""

    def row(reading: Reading) -> tuple[Value, ...]:
        recording, extraction, grade = reading
        result, found = recording.result, recording.found
        score, scheme = (None, None) if grade is None else (grade.score, grade.scheme)
        return (
            result.task, result.mode, result.clauses, " × ".join(result.models), result.seed,
            result.repeat, result.setting, found.grade.score, score,
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
