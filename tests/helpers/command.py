"""What a call of the command line gives; the fixture ``cli`` makes the calls."""

from collections.abc import Callable
from typing import NamedTuple


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Cli = Callable[..., Ran]
