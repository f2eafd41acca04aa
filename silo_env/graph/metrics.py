"""Figures of one episode: the verdict, the traffic and what could not be read."""

from typing import Any

from coordgym.silo_env.graph.game import Game


def episode_metrics(game: Game) -> dict[str, Any]:
    """Return all figures of the family as a flat dictionary."""
    mail, failures = game.mail, game.failures
    return {
        **game.judge()._asdict(),
        "messages": mail.sent,
        "characters": mail.characters,
        "lost_messages": mail.lost,
        "parse_failures": failures.texts,
        "failed_messages": failures.messages,
        "failed_answers": failures.answers,
        "silent_agents": mail.spoke.count(False),
    }
