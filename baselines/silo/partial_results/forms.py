"""The forms in which tasks are cut into partial results."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

Extra = Mapping[str, Any]


def as_told(result: Any, shard: Any, extra: Extra) -> Any:
    """Return the result itself: it is the answer."""
    return result


class Reduction(NamedTuple):
    """Partial results that one agent can put together, whoever sent them.

    Attributes:
        summarise: From a shard and the common parameters to JSON-able data.
        finish: From the summaries, by agent, and the parameters to the result that all agents
            are told; for segmented tasks to a list of what each agent is told.
        conclude: From what an agent is told, its shard and the parameters to its answer.
    """

    summarise: Callable[[Any, Extra], Any]
    finish: Callable[[Sequence[Any], Extra], Any]
    conclude: Callable[[Any, Any, Extra], Any] = as_told


class Scan(NamedTuple):
    """Partial results that depend on all agents before: a carry goes from each to the next.

    Attributes:
        summarise: From a shard and the common parameters to JSON-able data.
        start: From the parameters to the first agent's carry.
        advance: From an agent's carry, its summary and the parameters to the next one's carry.
        conclude: From an agent's carry, its shard and the parameters to its answer.
    """

    summarise: Callable[[Any, Extra], Any]
    start: Callable[[Extra], Any]
    advance: Callable[[Any, Any, Extra], Any]
    conclude: Callable[[Any, Any, Extra], Any]

    def reduction(self) -> Reduction:
        """Return the same by way of one agent that computes all carries."""

        def carries(summaries: Sequence[Any], extra: Extra) -> list[Any]:
            def advance(carry: Any, summary: Any) -> Any:
                return self.advance(carry, summary, extra)

            return list(accumulate(summaries[:-1], advance, initial=self.start(extra)))

        return Reduction(self.summarise, carries, self.conclude)
