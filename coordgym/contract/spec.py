"""How an environment was made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Spec"]


@dataclass(frozen=True, slots=True)
class Spec:
    """How an environment was made: its id and keyword arguments (JSON-able)."""

    id: str
    kwargs: Mapping[str, Any]
