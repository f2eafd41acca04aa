"""What an agent's prompt holds: instructions, the earlier rounds that fit, the newest round.

The prompt is bounded in tokens or characters. Where it would be longer, the oldest rounds
leave, and the prompt says how many did; instructions and the newest round always stay.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from coordgym.agents.backend import Message
from coordgym.data.plain import encodable
from coordgym.errors import ModelError

NOTICE = "[{count} of the earlier rounds are left out here, the oldest, to keep this short.]"
NO_REPLY = "[no answer]"
KEPT_SHARE = 0.75
"""Share of the room for earlier rounds that stays filled when rounds have to leave.

More leave than must, so that the prompts of the next rounds begin alike and the model's
attention states for them stay valid.
"""


class PromptBound(NamedTuple):
    """Largest size of a prompt, and how it is measured.

    ``unit`` ("tokens" or "characters") and ``remedy`` are for messages to people.
    """

    limit: int
    measure: Callable[[Sequence[Message]], int]
    unit: str
    remedy: str


class _Round(NamedTuple):
    observation: str
    reply: str


class Conversation:
    """One agent's chat over an episode.

    Args:
        instructions: The system message; empty = none.
        bound: Limit on every prompt.
        examples: Observations and good replies that come before the first round.
    """

    def __init__(
        self, instructions: str, bound: PromptBound, examples: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.dropped = 0
        self._bound = bound
        self._rounds: list[_Round] = []
        self._start: list[Message] = []
        if instructions:
            self._start.append({"role": "system", "content": encodable(instructions)})
        for observation, reply in examples:
            self._start += _exchange(observation, reply)

    @property
    def rounds(self) -> int:
        """Number of earlier rounds that are still remembered."""
        return len(self._rounds)

    def prompt(self, observation: str, *rejected: tuple[str, str]) -> tuple[Message, ...]:
        """Return the prompt for an observation; rounds that don't fit are forgotten.

        Args:
            observation: What the agent is told now.
            *rejected: Replies to it that can't be used, each with the request to try again.

        Raises:
            ModelError: If instructions and newest round alone are longer than the bound.
        """
        count = len(self._rounds)
        if self._size(0, observation, rejected) > self._bound.limit:
            bare = self._size(count, observation, rejected)
            if bare > self._bound.limit:
                raise ModelError(
                    f"instructions and newest observation have {bare} {self._bound.unit}, more "
                    f"than the prompt's limit of {self._bound.limit}; {self._bound.remedy}"
                )
            target = bare + KEPT_SHARE * (self._bound.limit - bare)
            # The fewest rounds to forget so that the rest fits: sizes only fall.
            low, high = 1, count
            while low < high:
                middle = (low + high) // 2
                if self._size(middle, observation, rejected) <= target:
                    high = middle
                else:
                    low = middle + 1
            self._forget(low)
        return tuple(self._messages(0, observation, rejected))

    def fits(self, observation: str, *rejected: tuple[str, str]) -> bool:
        """Tell whether ``prompt`` would succeed, changing nothing."""
        return self._size(len(self._rounds), observation, rejected) <= self._bound.limit

    def remember(self, observation: str, reply: str) -> None:
        """Add a finished round."""
        self._rounds.append(_Round(observation, reply))

    def skip(self) -> None:
        """Count a finished round that is not remembered, though later prompts may need it."""
        self.dropped += 1

    def _forget(self, count: int) -> None:
        del self._rounds[:count]
        self.dropped += count

    def _size(self, forgotten: int, observation: str, rejected: Sequence[tuple[str, str]]) -> int:
        return self._bound.measure(self._messages(forgotten, observation, rejected))

    def _messages(
        self, forgotten: int, observation: str, rejected: Sequence[tuple[str, str]]
    ) -> list[Message]:
        """Build the prompt as it is without the ``forgotten`` oldest rounds."""
        turns: list[Message] = []
        for earlier in self._rounds[forgotten:]:
            turns += _exchange(earlier.observation, earlier.reply)
        turns.append(_user(observation))
        dropped = self.dropped + forgotten
        if dropped:
            turns[0] = _user(f"{NOTICE.format(count=dropped)}\n\n{turns[0]['content']}")
        for reply, request in rejected:
            turns += [_assistant(reply), _user(request)]
        return self._start + turns


def count_characters(messages: Sequence[Message]) -> int:
    """Measure a prompt in code points of its messages."""
    return sum(len(message["content"]) for message in messages)


def _exchange(observation: str, reply: str) -> list[Message]:
    return [_user(observation), _assistant(reply)]


def _user(text: str) -> Message:
    return {"role": "user", "content": encodable(text)}


def _assistant(text: str) -> Message:
    # Some servers refuse empty messages.
    return {"role": "assistant", "content": encodable(text) or NO_REPLY}
