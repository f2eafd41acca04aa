"""The earlier rounds that a self-contained observation retells."""

from collections import deque

MAX_CHARS = 400_000
"""Bound on the retold rounds of one observation, in code points."""
HEADER = "What happened before (oldest first):"
DROPPED = "[{} earlier rounds are left out here]"
SEPARATOR = "\n\n"
MAX_RETOLD_CHARS = MAX_CHARS + len(HEADER) + len(DROPPED) + 20
"""True bound on the length of ``History.retell``, in code points."""


class History:
    """The rounds of one agent, bounded in size; the oldest leave first.

    Args:
        max_rounds: How many rounds are kept; None = as many as ``MAX_CHARS`` allows.
    """

    def __init__(self, max_rounds: int | None) -> None:
        self.max_rounds = max_rounds
        self.dropped = 0
        self._rounds: deque[str] = deque()
        self._chars = 0
        self._told = ""

    def told(self, text: str) -> None:
        """Note what the agent was told; the round is complete with its answer."""
        self._told = text

    def answered(self, text: str | None) -> None:
        """Note the agent's action (None = it was unusable) and close the round."""
        answer = "[an unusable text]" if text is None else text
        self._rounds.append(f"{self._told}{SEPARATOR}You answered: {answer}")
        self._told = ""
        self._chars += len(self._rounds[-1]) + len(SEPARATOR)
        while self._rounds and (
            self._chars > MAX_CHARS
            or (self.max_rounds is not None and len(self._rounds) > self.max_rounds)
        ):
            self._chars -= len(self._rounds.popleft()) + len(SEPARATOR)
            self.dropped += 1

    def retell(self) -> str:
        """Return the kept rounds as one text, with a notice if some are left out."""
        if not self._rounds:
            return DROPPED.format(self.dropped) if self.dropped and self.max_rounds != 0 else ""
        notice = [DROPPED.format(self.dropped)] if self.dropped else []
        return SEPARATOR.join([HEADER, *notice, *self._rounds])
