"""How tasks that word their facts by hand mark those of both views together."""

from coordgym.silo_env.pairs.task import Facts

WHOLE = "whole"
"""Marks the facts of both views together."""


def if_split(facts: Facts, text: str) -> str:
    """Return a text about what the partner knows, or nothing where there is no partner."""
    return "" if facts.get(WHOLE) else text
