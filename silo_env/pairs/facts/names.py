"""The names that generated instances use: letters, people, and words of two invented languages."""

import string
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")

LETTERS: tuple[str, ...] = tuple(string.ascii_uppercase)

PEOPLE: tuple[str, ...] = (
    "Ada", "Bo", "Cy", "Dee", "Eli", "Fay", "Gus", "Hal", "Ivy", "Jo", "Kit", "Lou", "Max",
    "Nia", "Oz", "Pam", "Quin", "Ray", "Sue", "Tom", "Uma", "Vic", "Wes", "Xia", "Yan", "Zoe",
)  # fmt: skip

OPEN_WORDS: tuple[str, ...] = (
    "buce", "dopi", "fora", "gemi", "hatu", "jita", "koru", "lepa", "mavo", "nipa", "pazu",
    "reko", "sado", "tilu", "vami", "wego", "xoli", "yuba", "zefu", "cori",
)  # fmt: skip
"""Words that end in a vowel: those of agent 1's language."""

CLOSED_WORDS: tuple[str, ...] = (
    "brid", "clop", "drob", "flam", "grun", "plix", "snee", "thal", "vosk", "wrem", "zarn",
    "kelb", "morg", "purn", "rusk", "tolm", "yelk", "hext", "jorn", "skaf",
)  # fmt: skip
"""Words that end otherwise: those of agent 2's language."""


def choose(items: Sequence[Item], count: int, rng: np.random.Generator) -> list[Item]:
    """Draw ``count`` of the items, none twice, in random order."""
    return [items[int(index)] for index in rng.permutation(len(items))[:count]]
