"""I-03 Distributed vote: who has most of all votes.

Shard: a list of votes. Extra: ``candidates``. Answer: the winner's name. Generated elections are
close (the lead is 1 to max(2, N) votes), have no tie, and some agent's own list misleads it.
Source: Silo-Bench, level I (aggregation).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.errors import InstanceError
from coordgym.parsing.decorations import folded
from coordgym.silo_env.compute.answers.types import TEXT, AnswerError
from coordgym.silo_env.compute.task import Extra, Instance, Task, configure, cut, require_texts
from coordgym.silo_env.compute.tasks.items import Items

CANDIDATES = ("Candidate_A", "Candidate_B", "Candidate_C", "Candidate_D")
MIN_ITEMS = 5
"""With fewer votes per agent there may be no close election that misleads somebody."""
MAX_SHUFFLES = 10_000


@dataclass(frozen=True, slots=True)
class DistributedVoteConfig(Items):
    """``items`` votes per agent, at least 5."""

    least = MIN_ITEMS
    items: int = 25


class DistributedVote(Task[list[str], str]):
    """The candidate with most votes."""

    id = "I-03"
    slug = "distributed-vote"
    title = "Distributed vote"
    answer_type = TEXT
    config = DistributedVoteConfig
    hint = (
        "This is an aggregation: votes can be counted on each list by itself, and counts per "
        "candidate add up. The favourite of one list, or of most lists, need not be the winner."
    )
    holds = "{items} votes"
    above_prior = (
        "A close race leaves the winner ahead in many agents' own votes, too; the generator "
        "makes sure that at least one agent's own winner is another one."
    )

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[list[str], str]:
        """Draw a close election and deal it until one agent's own list misleads it."""
        total = configure(DistributedVoteConfig, params).items * n_agents
        names = [CANDIDATES[i] for i in rng.permutation(len(CANDIDATES)).tolist()]
        counts = close_counts(rng, total, n_agents)
        votes = np.repeat(np.arange(len(names)), counts)
        for _ in range(MAX_SHUFFLES):
            rng.shuffle(votes)
            shards = cut([names[i] for i in votes.tolist()], n_agents)
            if any(_misleads(shard, names[0]) for shard in shards):
                return self.instance(shards, {"candidates": list(CANDIDATES)})
        raise RuntimeError(f"no misleading election found for {n_agents} agents")

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check votes for known candidates, and one candidate in front."""
        require_texts(shards)
        candidates = extra.get("candidates")
        if not isinstance(candidates, list) or not candidates:
            raise InstanceError(f"extra['candidates'] must be a list of names, got {extra!r:.80}")
        counts = Counter(vote for shard in shards for vote in shard)
        for vote in counts:
            if vote not in candidates:
                raise InstanceError(f"a vote is for {vote!r:.80}, who is no candidate")
        leaders = [vote for vote, count in counts.items() if count == max(counts.values())]
        if len(leaders) != 1:
            raise InstanceError("the election has no single winner")

    def solve(self, shards: Sequence[list[str]], extra: Extra) -> str:
        """Return the candidate with most votes in all lists together."""
        return Counter(vote for shard in shards for vote in shard).most_common(1)[0][0]

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Return the candidates of the published cases."""
        return {"candidates": list(CANDIDATES)}

    def statement(self, extra: Extra) -> str:
        """State the task in full sentences."""
        return (
            "Every agent holds a list of votes. The candidates are "
            f"{', '.join(extra['candidates'])}. Find the candidate who has most votes in all "
            "lists together; there is no tie. Every agent must submit the winner's name."
        )

    def read_answer(self, answer: object, extra: Extra) -> Any:
        """Return the name, or another text that holds no candidate's name.

        A name is meant in any case and with blanks for underscores, if that leaves one candidate.
        """
        candidates = extra["candidates"]
        if isinstance(answer, str) and answer.strip() in candidates:
            return answer.strip()
        text = super().read_answer(answer, extra)
        if not isinstance(text, str) or text in candidates:
            return text
        alike = [name for name in candidates if folded(name) == folded(text)]
        if len(alike) == 1:
            return alike[0]
        if any(folded(name) in folded(text) for name in candidates):
            raise AnswerError(
                "the answer must be one candidate's name alone, in quotes, not a name among other "
                "words; nothing was submitted, submit again"
            )
        return text

    def answer_form(self, extra: Extra) -> str:
        """Name the form: a name."""
        return f'the full name in quotes, for example "{extra["candidates"][0]}"'

    def brief(self, extra: Extra) -> str:
        """State the task in few words."""
        names = ", ".join(extra["candidates"])
        return f"candidate with most votes overall ({names}); answer: full name in quotes"


def close_counts(rng: np.random.Generator, total: int, n_agents: int) -> list[int]:
    """Draw votes of the winner, the second and two others, with a lead of 1 to max(2, N)."""
    lead = int(rng.integers(1, max(2, n_agents), endpoint=True))
    most = max(1, (total - lead) // 4)  # the others stay behind the second
    third, fourth = rng.integers(max(1, most // 2), most, size=2, endpoint=True).tolist()
    if (total - lead - third - fourth) % 2:
        third -= 1
    second = (total - lead - third - fourth) // 2
    return [second + lead, second, third, fourth]


def _misleads(shard: Sequence[str], winner: str) -> bool:
    counts = Counter(shard)
    return any(count > counts[winner] for count in counts.values())
