"""Figures of one episode, as a pure function of its dialogue."""

import json
from collections.abc import Sequence
from typing import Any

from coordgym.silo_env.pairs.dialogue.outcome import Message, Outcome


def episode_metrics(
    messages: Sequence[Message], outcome: Outcome, *, alone: bool, ended_by: str | None
) -> dict[str, Any]:
    """Return all figures of the family as a flat dictionary.

    Args:
        messages: The dialogue.
        outcome: What it came to.
        alone: Whether one agent had no partner to exchange messages with.
        ended_by: The agent that ended the dialogue, if one did.
    """
    grade = outcome.grade
    return {
        "success": grade.exact,
        "score": grade.score,
        "messages": sum(message.text is not None for message in messages),
        "exact": float(grade.exact),
        "literal": grade.literal,
        "weighted": grade.weighted,
        "scheme": grade.scheme,
        "exchanges": 0 if alone else (len(messages) + 1) // 2,
        "ended_by": ended_by,
        "capped": outcome.capped,
        "no_answer": outcome.answer is None,
        "answer": None if outcome.answer is None else json.dumps(outcome.answer),
        "answer_source": outcome.source,
    }
