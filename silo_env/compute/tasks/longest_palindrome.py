"""II-13 Longest palindrome: how long a text reads the same both ways, across all pieces.

Shard: a text, the next piece of the whole text. Extra: nothing. Answer: the length of the longest
palindromic substring of the whole, all or nothing; 0 for an empty text.
Source: Silo-Bench, level II (mesh).
"""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.silo_env.compute.answers.types import INTEGER
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, cut, require_strings
from coordgym.silo_env.compute.tasks.items import Items

SHORTEST_PLANTED = 5
LONGEST_PLANTED = 13


@dataclass(frozen=True, slots=True)
class LongestPalindromeConfig(Items):
    """``items`` letters per agent, at least 7, so that the longest planted one fits."""

    least = (LONGEST_PLANTED + 1) // 2
    items: int = 15


class LongestPalindrome(Task[str, int]):
    """The length of the longest palindromic substring."""

    id = "II-13"
    slug = "longest-palindrome"
    title = "Longest palindrome"
    answer_type = INTEGER
    config = LongestPalindromeConfig
    hint = (
        "This depends on what lies next to each piece: a palindrome within one piece is seen by "
        "its holder, but one across a border, or over several of them, is seen by nobody alone."
    )
    holds = "{items} letters"
    above_prior = "The longest palindrome often lies within one agent's letters."
    question = (
        "A long text is cut into pieces: joined in the order of the agents' ids, without "
        "anything between them, the agents' pieces make up the whole. Find the longest run of "
        "consecutive characters of the whole text that reads the same forwards and backwards; "
        "it may lie across any number of pieces. Every agent must submit its length."
    )
    form = "one integer, the number of characters, for example 7"
    question_in_brief = (
        "texts joined by agent id; length of the whole's longest palindromic substring; answer: int"
    )

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[str, int]:
        """Draw letters and write a palindrome over them at a random place."""
        total = configure(LongestPalindromeConfig, params).items * n_agents
        letters = rng.choice(list(string.ascii_lowercase), total).tolist()
        length = int(rng.integers(SHORTEST_PLANTED, LONGEST_PLANTED, endpoint=True))
        start = int(rng.integers(total - length, endpoint=True))
        half = letters[start : start + (length + 1) // 2]
        letters[start : start + length] = half + half[: length // 2][::-1]
        return self.instance(["".join(piece) for piece in cut(letters, n_agents)], {})

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check texts."""
        require_strings(shards)

    def solve(self, shards: Sequence[str], extra: Extra) -> int:
        """Run Manacher's algorithm over the pieces joined."""
        return max(_radii("".join(shards)), default=0)


def _radii(text: str) -> list[int]:
    """Measure the longest palindromes around each character and each gap, in linear time.

    Source: G. Manacher, Journal of the ACM 22 (1975). Gaps are made places of their own, so that
    even palindromes have a middle too; the radius then is the length in the text.
    """
    places = list("\0" + "\0".join(text) + "\0") if text else []
    radii = [0] * len(places)
    centre = right = 0  # the palindrome that reaches furthest, and where it ends
    for i in range(len(places)):
        radius = min(right - i, radii[2 * centre - i]) if i < right else 0
        while (
            i - radius > 0
            and i + radius + 1 < len(places)
            and places[i - radius - 1] == places[i + radius + 1]
        ):
            radius += 1
        radii[i] = radius
        if i + radius > right:
            centre, right = i, i + radius
    return radii
