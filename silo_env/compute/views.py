"""What agents are told in a round as data: the same facts as the texts."""

from typing import Any

from coordgym.silo_env.compute.channels.channel import News
from coordgym.silo_env.compute.channels.files import files_as_data
from coordgym.silo_env.compute.channels.messaging import messages_as_data
from coordgym.silo_env.compute.channels.turns import MAX_ERROR_LINES, Turn


def round_view(news: News, turn: Turn | None) -> dict[str, Any]:
    """What is new at the start of a round, and what became of the agent's last turn."""
    return {
        "messages": messages_as_data(news.messages),
        "files": files_as_data(news.files),
        "more_waiting": news.more,
        "results": [] if turn is None else [result.facts for result in turn.results],
        **turn_view(turn),
    }


def turn_view(turn: Turn | None) -> dict[str, Any]:
    """What of a turn was not carried out: error lines, how many more there are, skipped calls."""
    errors = [] if turn is None else turn.errors
    return {
        "errors": errors[:MAX_ERROR_LINES],
        "further_errors": max(0, len(errors) - MAX_ERROR_LINES),
        "skipped_calls": 0 if turn is None else turn.skipped,
    }
