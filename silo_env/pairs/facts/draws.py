"""Drawing until something is accepted."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def first_accepted(
    draw: Callable[[], T | None],
    accept: Callable[[T], bool] = lambda drawn: True,
    tries: int = 2000,
    last: Callable[[], T | None] | None = None,
) -> T | None:
    """Draw until something is accepted.

    Args:
        draw: Draws one thing, or None if the draw came to nothing.
        accept: Says whether a thing will do.
        tries: Draws before giving up.
        last: Draws once more after that, something easier.

    Returns:
        None if every draw was refused.
    """
    for attempt in range(tries + 1):
        if attempt == tries and last is None:
            break
        drawn = draw() if attempt < tries or last is None else last()
        if drawn is not None and accept(drawn):
            return drawn
    return None
