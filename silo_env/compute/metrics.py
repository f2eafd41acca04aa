"""Figures of one episode, as pure functions of what happened.

Source: Silo-Bench (arXiv 2603.01045), section 3.3 (S, P, C, D) and section 5 (leaders, failure
modes, verification and strategy talk), with the definitions that the documentation gives.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from coordgym.silo_env.compute.answers.grading import Grade, read_answer

VERIFICATION_WORDS = (
    "verify",
    "double-check",
    "cross-check",
    "confirm",
    "recheck",
    "check again",
)
STRATEGY_WORDS = (
    "strategy",
    "plan",
    "approach",
    "coordinate",
    "coordinator",
    "leader",
    "aggregate",
    "protocol",
    "step 1",
)
LEADER_FACTOR = 1.5
"""A leader receives more than this many times the mean number of messages."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One agent's answer and the harness's verdict on it.

    Attributes:
        answer: As submitted.
        round: In which it was submitted, from 1.
        sufficient: Whether the agent knew enough shards by then.
        grade: The verdict.
        as_published: Whether the published benchmark would have counted it.
    """

    answer: Any
    round: int
    sufficient: bool
    grade: Grade
    as_published: bool


@dataclass(frozen=True, slots=True)
class Record:
    """All that the figures of an episode depend on.

    Attributes:
        submissions: By agent; None = not submitted (so far).
        segmented: Whether agents answer with their own pieces.
        traffic: Transfers by sender and recipient.
        sends: Messages, broadcasts or file versions sent off, by agent.
        minimum: Fewest messages that solve the task, 0 for one agent.
        broadcast: Whether all messages go to everybody.
        spoken: Distinct contents of messages or files.
    """

    submissions: Sequence[Submission | None]
    segmented: bool
    traffic: Sequence[Sequence[int]]
    sends: Sequence[int]
    minimum: int
    broadcast: bool
    spoken: Iterable[str]


def episode_metrics(record: Record) -> dict[str, Any]:
    """Return all figures of the family as a flat dictionary; NaN where one is not defined."""
    n_agents = len(record.submissions)
    made = [submission for submission in record.submissions if submission is not None]
    correct = sum(submission.grade.correct for submission in made)
    transfers = sum(map(sum, record.traffic))
    all_submitted = len(made) == n_agents
    success_rate = correct / n_agents
    return {
        "success": correct == n_agents,
        "score": success_rate,
        "messages": transfers,
        "S": success_rate,
        "P": math.fsum(submission.grade.partial for submission in made) / n_agents,
        "C": math.nan,  # usage_metrics tells it to whoever knows the tokens
        "D": transfers / (n_agents * (n_agents - 1)) if n_agents > 1 else 0.0,
        "sends": sum(record.sends),
        "messages_per_agent": transfers / n_agents,
        "redundancy": transfers / record.minimum if record.minimum else math.nan,
        "success_as_published": all_submitted and all(s.as_published for s in made),
        "rounds_to_completion": float(max(s.round for s in made)) if all_submitted else math.nan,
        **_failure_modes(record, made),
        **_habits(record),
    }


def _failure_modes(record: Record, made: Sequence[Submission]) -> dict[str, bool]:
    """Return the modes of section 5.2; they do not exclude each other."""
    return {
        "premature": any(not submission.sufficient for submission in made),
        "consensus_failure": not record.segmented and _are_different([s.answer for s in made]),
        "computation_error": any(s.sufficient and not s.grade.correct for s in made),
        "unsubmitted": len(made) < len(record.submissions),
    }


def _are_different(answers: Sequence[Any]) -> bool:
    """Tell whether answers mean several values; equal spellings need no closer look."""
    spellings = {repr(answer): answer for answer in answers}
    return len(spellings) > 1 and len({canonical(a) for a in spellings.values()}) > 1


def _habits(record: Record) -> dict[str, Any]:
    leader = leading_agent(record.traffic) if not record.broadcast else None
    return {
        "leader": None if leader is None else f"agent_{leader}",
        "verification": _mentions(record.spoken, VERIFICATION_WORDS),
        "strategy_discussion": _mentions(record.spoken, STRATEGY_WORDS),
    }


def leading_agent(traffic: Sequence[Sequence[int]]) -> int | None:
    """Return who receives most, if that is more than 1.5 times the mean; nobody for N ≤ 2."""
    n_agents = len(traffic)
    if n_agents <= 2:
        return None
    received = [sum(column) for column in zip(*traffic, strict=True)]
    most = max(received)
    return received.index(most) if most > LEADER_FACTOR * sum(received) / n_agents else None


def canonical(answer: Any) -> str:
    """Write a text that two answers share exactly if they mean the same value."""
    return _canonical(read_answer(answer), 64)


def _canonical(value: Any, depth: int) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if depth == 0 or not isinstance(value, list | tuple | dict):
        return repr(value)
    if isinstance(value, dict):
        items = sorted((str(key), _canonical(item, depth - 1)) for key, item in value.items())
        return "{" + ",".join(f"{key!r}:{item}" for key, item in items) + "}"
    if set(map(type, value)) <= {int, str}:  # the usual case, and long rows take time
        return "[" + ",".join(map(repr, value)) + "]"
    return "[" + ",".join(_canonical(item, depth - 1) for item in value) + "]"


def _mentions(contents: Iterable[str], words: Sequence[str]) -> bool:
    """Tell whether a content holds one of the words, in upper or lower case, or a longer one.

    From a word's beginning on, so that "confirmed" counts and "explain" is no plan.
    """
    return any(
        word in lowered and re.search(rf"\b{re.escape(word)}", lowered) is not None
        for lowered in map(str.lower, contents)
        for word in words
    )
