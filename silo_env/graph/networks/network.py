"""A network of named agents, and how far apart they are."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from coordgym.errors import ConfigError
from coordgym.parsing.printable import is_printable

MAX_AGENTS = 10_000
MAX_EXACT_DIAMETER = 2_000
"""Largest network whose diameter is computed."""
MAX_NAME_CHARS = 64
RESERVED_NAMES = ("None", "Yes", "No")
"""Names that would read like answers."""


@dataclass(frozen=True, slots=True)
class Network:
    """An undirected simple graph of named agents.

    Attributes:
        names: Name of each agent, by index.
        edges: Pairs of indices (i, j), i < j, sorted.
        neighbours: For each agent the indices of its neighbours, ordered by name, so that
            the order tells nothing about the rest of the network.
        max_degree: The largest number of neighbours Δ.
    """

    names: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    neighbours: tuple[tuple[int, ...], ...]
    max_degree: int = field(init=False)

    def __post_init__(self) -> None:
        # Asked for by every agent: counted each time, large networks would take n².
        object.__setattr__(self, "max_degree", max(map(len, self.neighbours)))

    def by_name(self) -> dict[str, tuple[str, ...]]:
        """Return the neighbours' names by name."""
        return {name: self.names_around(i) for i, name in enumerate(self.names)}

    def names_around(self, agent: int) -> tuple[str, ...]:
        """Return the names of the neighbours of the agent with this index."""
        return tuple(self.names[j] for j in self.neighbours[agent])


def make_network(names: Sequence[str], edges: Sequence[tuple[int, int]]) -> Network:
    """Build a network from names and index pairs.

    Raises:
        ConfigError: If names repeat or read like answers, or an edge is no pair of two
            different agents.
    """
    _check_names(names)
    around: list[set[int]] = [set() for _ in names]
    for edge in edges:
        first, second = _check_edge(edge, len(names))
        around[first].add(second)
        around[second].add(first)
    pairs = sorted((i, j) for i, others in enumerate(around) for j in others if i < j)
    neighbours = tuple(tuple(sorted(others, key=lambda j: names[j])) for others in around)
    return Network(tuple(names), tuple(pairs), neighbours)


def _check_names(names: Sequence[str]) -> None:
    if not 1 <= len(names) <= MAX_AGENTS:
        raise ConfigError(f"a network must have 1..{MAX_AGENTS} agents, got {len(names)}")
    for name in names:
        if (
            not isinstance(name, str)
            or not 1 <= len(name) <= MAX_NAME_CHARS
            or not is_printable(name)
            or not name[0].isalnum()
            or name != name.strip()
        ):
            raise ConfigError(
                f"an agent's name must be 1..{MAX_NAME_CHARS} printable characters, begin with a "
                f"letter or digit and not end with a space, got {name!r:.100}"
            )
        if name in RESERVED_NAMES:
            raise ConfigError(
                f"an agent can't be named {name!r:.100}: it would read like an answer"
            )
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ConfigError(f"agents must have different names, got {twice!r:.100} twice")


def _check_edge(edge: Sequence[int], n_agents: int) -> tuple[int, int]:
    ends = tuple(edge) if isinstance(edge, Sequence) and not isinstance(edge, str) else ()
    numbers = [end for end in ends if isinstance(end, int) and not isinstance(end, bool)]
    if len(ends) != 2 or len(numbers) != 2 or not all(0 <= end < n_agents for end in numbers):
        raise ConfigError(
            f"an edge must be two agents' indices 0..{n_agents - 1}, got {edge!r:.100}"
        )
    if numbers[0] == numbers[1]:
        raise ConfigError(f"an agent can't be its own neighbour, got the edge {edge!r:.100}")
    return numbers[0], numbers[1]


def find_diameter(network: Network) -> int | None:
    """Return the exact diameter in hops, or None if not connected or above 2,000 agents.

    All breadth-first searches run at once on bit sets held in integers: after t steps, bit j
    of ball i tells whether agent j is within t hops of agent i. A step is one union per edge
    of the agents that don't reach everybody yet, a few milliseconds in all for 1,000 agents.
    """
    count = len(network.names)
    if count > MAX_EXACT_DIAMETER:
        return None
    everyone = (1 << count) - 1
    balls = [1 << i for i in range(count)]
    growing: Sequence[int] = range(count) if count > 1 else ()
    for hops in range(count):
        growing = [i for i in growing if balls[i] != everyone]
        if not growing:
            return hops
        wider = balls.copy()
        for i in growing:
            for j in network.neighbours[i]:
                wider[i] |= balls[j]
        balls = wider
    return None
