"""II-20 Pipeline hash: each block's hash needs the hash of the block before it.

Shard: a list of texts, the next blocks of the whole sequence. Extra: ``modulus`` and ``genesis``,
the hash before the first block. The hash of a block is ((sum of its characters' codes) XOR (hash of
the block before)) mod modulus. Answer (segmented): the hashes of the own blocks.
Source: Silo-Bench, level II (mesh); blocks hold random letters instead of texts that all agents
could guess.
"""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER, ListOf
from coordgym.silo_env.compute.task import (
    Extra,
    Instance,
    Task,
    configure,
    cut,
    require_parameter,
    require_texts,
)
from coordgym.silo_env.compute.tasks.items import Items

MODULUS = 10_000
GENESIS = 0
PAYLOAD_LETTERS = 8
MAX_INTEGER = 2**53


@dataclass(frozen=True, slots=True)
class PipelineHashConfig(Items):
    """``items`` blocks per agent, at least 1."""

    items: int = 5


class PipelineHash(Task[list[str], list[int]]):
    """Hashes of the own blocks in a sequence of blocks."""

    id = "II-20"
    slug = "pipeline-hash"
    title = "Pipeline hash"
    segmented = True
    answer_type = ListOf(INTEGER)
    partial = Partial.POSITIONS
    config = PipelineHashConfig
    hint = (
        "This depends on what comes before: the sums of your blocks can be taken at once, but "
        "their hashes wait for one number, the hash of the last block in front of yours."
    )
    holds = "{items} blocks of text"
    above_prior = "The first agent needs nothing from the others: 1 of N."
    question = (
        "A sequence of text blocks is cut into pieces: joined in the order of the agents' "
        "ids, the agents' lists make up the whole sequence. The hash of a block is "
        "((sum of the character codes of all its characters) XOR (hash of the block just "
        "before it)) mod {modulus}, with ASCII (Unicode) codes and the bitwise "
        "exclusive or; before the first block of all the hash is {genesis}. Each "
        "agent must submit the hashes of its own blocks, in order, and no others."
    )
    form = "a list of integers, one for each of your blocks, for example [1107, 7, 1106, …]"
    question_in_brief = (
        "blocks joined by agent id; hash = ((sum of character codes) XOR previous hash) mod "
        "{modulus}, previous of the first = {genesis}; hashes of your own "
        "blocks; answer: list of int"
    )

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[str], list[int]]:
        """Draw numbered blocks of random letters."""
        total = configure(PipelineHashConfig, params).items * n_agents
        letters = rng.choice(list(string.ascii_lowercase), (total, PAYLOAD_LETTERS)).tolist()
        blocks = [f"Block_{i}_{''.join(payload)}" for i, payload in enumerate(letters)]
        return self.instance(cut(blocks, n_agents), self.published_extra("", n_agents))

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check lists of texts, a positive modulus, and a hash to begin with."""
        require_texts(shards)
        require_parameter(extra, "modulus", 1, MAX_INTEGER)
        require_parameter(extra, "genesis", 0, MAX_INTEGER)

    def solve(self, shards: Sequence[list[str]], extra: Extra) -> list[list[int]]:
        """Hash block by block through all shards."""
        before, pieces = extra["genesis"], []
        for shard in shards:
            piece = []
            for block in shard:
                before = (sum(map(ord, block)) ^ before) % extra["modulus"]
                piece.append(before)
            pieces.append(piece)
        return pieces

    def sufficient(
        self, agent: int, shards: Sequence[list[str]], extra: Extra
    ) -> tuple[frozenset[int], ...]:
        """Return the own blocks and all before them."""
        return (frozenset(range(agent + 1)),)

    def minimum_messages(self, n_agents: int) -> int:
        """Count all agents but the first: they must hear of what comes before."""
        return n_agents - 1

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the modulus and the first hash of the published cases."""
        return {"modulus": MODULUS, "genesis": GENESIS}
