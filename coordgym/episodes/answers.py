"""What a policy answered for one agent, checked before it is played and recorded."""

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

from coordgym.contract.arguments import exact_text
from coordgym.data.strict import build
from coordgym.episodes.episode import Usage
from coordgym.errors import ActionError
from coordgym.policies.protocol import Completion


class Answer(NamedTuple):
    """An action, and what a language model spent on it (None for other policies)."""

    text: str
    usage: Usage | None


def checked_answer(answer: object, where: str) -> Answer:
    """Check what a policy answered for an agent, so that a record of it can be read again.

    Args:
        answer: What it answered.
        where: Policy and agent, for the message.

    Raises:
        ActionError: If it is neither a text nor a ``Completion`` with values of the right types.
    """
    if isinstance(answer, str):
        return Answer(exact_text(answer), None)
    if not isinstance(answer, Completion):
        raise ActionError(
            f"{where}: answered with a {type(answer).__name__}; expected a str or a Completion"
        )
    if not isinstance(answer.text, str):
        raise ActionError(f"{where}: the text must be a str, got {answer.text!r:.80}")
    given = {field.name: _plain(getattr(answer, field.name)) for field in fields(Usage)}
    usage = build(Usage, given, where, ActionError)
    for name in ("prompt_tokens", "completion_tokens", "latency"):
        value = getattr(usage, name)
        if value is not None and not 0 <= value < math.inf:
            raise ActionError(f"{where}: {name} must be a number ≥ 0 or None, got {value}")
    return Answer(
        exact_text(answer.text),
        replace(
            usage,
            prompt_tokens=_count(usage.prompt_tokens, usage.prompt_token_ids),
            completion_tokens=_count(usage.completion_tokens, usage.completion_token_ids),
        ),
    )


def _plain(value: Any) -> Any:
    """Make plain numbers of the scalars and arrays of numpy or torch."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, list | tuple):
        return tuple(item.tolist() if hasattr(item, "tolist") else item for item in value)
    return value


def _count(count: int | None, ids: Sequence[int] | None) -> int | None:
    return len(ids) if count is None and ids is not None else count
