"""``eulerpath``: one walk over every bridge, each agent knowing half of the bridges.

Rules: cross each bridge of a connected network of islands exactly once in one walk.
Views: every bridge belongs to one view. View 1 writes "A-B", view 2 "island B is joined to
island A"; at friction 2 it writes numbers for islands.
Answer: ``{"edges": [["A", "B"], ...]}`` or ``{"nodes": ["A", "B", ...]}`` in walking order.
Grade: the bridges before the first that does not exist, was crossed before or does not start
where the walk stands, over all bridges. The ends of a bridge may be written in either order.
Source: The Collaboration Tax, table 8 (name, answer type, longest valid prefix).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.fact_checks import (
    answer_list,
    answer_name,
)
from coordgym.silo_env.pairs.facts.links import (
    Link,
    adjacency,
    ends,
    is_connected,
    link_fault,
    links_of,
)
from coordgym.silo_env.pairs.facts.names import LETTERS, choose
from coordgym.silo_env.pairs.facts.owners import deal, if_split, you_know
from coordgym.silo_env.pairs.facts.prose import any_of, group_run, name_run
from coordgym.silo_env.pairs.facts.sentences import (
    NAMES,
    Relation,
    Sentence,
    bullets,
    read_bullets,
)
from coordgym.silo_env.pairs.shapes.networks import Network, NetworkTask, NetworkView
from coordgym.silo_env.pairs.task import Answer, Grade, Seat

SENTENCES = (Sentence("{0}-{1}"), Sentence("island {1} is joined to island {0}"))
HEAD = "Bridges{} between islands {}:"
HEAD_2 = "Links{}:"
QUESTION = (
    "Find one walk that crosses every bridge exactly once; answer with the bridges in walking "
    "order."
)
MOST_DRAWN = 21
"""Bridges of the largest network that is generated."""
MOST_ISLANDS, MOST_BRIDGES = 12, 30
"""The largest network that is read."""


@dataclass(frozen=True, slots=True)
class EulerPathConfig:
    """Difficulty of generated networks.

    Attributes:
        n: Islands, 3..10.
        m: Bridges, from n - 1 to 21.
    """

    n: int = 6
    m: int = 9

    def __post_init__(self) -> None:
        require_int("n", self.n, 3, 10)
        require_int("m", self.m, self.n - 1, min(MOST_DRAWN, self.n * (self.n - 1) // 2))


class EulerPath(NetworkTask[EulerPathConfig]):
    """A walk over all bridges."""

    config_type = EulerPathConfig
    relations = {"edges": Relation("edge", SENTENCES)}
    answer_fields = ("edges", "nodes")
    # Every answer has to name the bridges that a view hides.
    hides_endpoints = True
    things = "islands"
    rule = (
        "Bridges join islands. Find one walk that crosses every bridge exactly once; it may start "
        "on any island and visit islands more than once."
    )
    split = "You know some of the bridges; the other agent knows the rest."
    compact_rule = "walk over every bridge exactly once"
    compact_split = "the other agent knows the other bridges"
    form = '{"edges": [["X", "Y"], ["Y", "Z"], ...]} or {"nodes": ["X", "Y", "Z", ...]}'
    note = '"edges" lists the bridges in walking order, "nodes" the islands.'

    def draw(self, config: EulerPathConfig, rng: np.random.Generator) -> Network | None:
        """Draw a walk that repeats no bridge; keep it if it visits every island."""
        nodes = LETTERS[: config.n]
        walk = [nodes[int(rng.integers(config.n))]]
        crossed: set[frozenset[str]] = set()
        while len(crossed) < config.m:
            onward = [b for b in nodes if b != walk[-1] and frozenset((walk[-1], b)) not in crossed]
            if not onward:
                return None
            walk.append(onward[int(rng.integers(len(onward)))])
            crossed.add(frozenset(walk[-2:]))
        if len(set(walk)) < config.n:
            return None
        links = [(min(pair), max(pair)) for pair in pairwise(walk)]
        return Network(nodes, deal(choose(links, config.m, rng), rng))

    def fault(self, instance: Network) -> str | None:
        """Say what forbids a walk: parts apart, or more than two islands of odd degree."""
        links = ends(instance.edges)
        fault = link_fault(instance.nodes, links)
        if fault is not None:
            return fault
        if len(instance.nodes) > MOST_ISLANDS or len(links) > MOST_BRIDGES:
            return f"nodes and edges must be at most {MOST_ISLANDS} and {MOST_BRIDGES}"
        near = adjacency(instance.nodes, links)
        if not is_connected(near) or sum(len(each) % 2 for each in near.values()) > 2:
            return "edges must have a walk that uses each of them exactly once"
        return None

    def optimal_answers(self, instance: Network, limit: int) -> list[Answer]:
        """Return walks over all bridges in lexicographic order of their islands."""
        walks = islice(_walks(instance), limit)
        return [{"nodes": [*walk]} for walk in walks]

    def score(self, instance: Network, answer: Mapping[str, object]) -> Grade:
        """Return the share of the valid prefix, in the better direction over its first bridge."""
        walked = _answered(answer)
        left = {frozenset(link) for link in ends(instance.edges)}
        if not walked or frozenset(walked[0]) not in left:
            return Grade(0.0)
        longest = max(_prefix(walked, start, set(left)) for start in walked[0])
        return Grade(longest / len(left))

    def say_view(self, view: NetworkView, words: Seat) -> str:
        """Say the known bridges and the question."""
        head = (
            HEAD.format(you_know(view), ", ".join(view.nodes))
            if words == 1
            else HEAD_2.format(you_know(view))
        )
        lines = bullets(SENTENCES[words - 1], view.edges)
        question = if_split(view, "Your partner knows the other bridges. ") + QUESTION
        return "\n".join([head, *lines, question])

    def say_briefly(self, view: NetworkView) -> str:
        """Write bridges as A-B."""
        links = " ".join(f"{a}-{b}" for a, b in view.edges)
        return f"islands {' '.join(view.nodes)}; bridges {links}"

    def hear(self, text: str) -> NetworkView | None:
        """Read a view in the words of view 1."""
        head = re.search(rf"Bridges you know between islands ({NAMES}):", text)
        if head is None:
            return None
        return NetworkView(tuple(head[1].split(", ")), links_of(read_bullets(SENTENCES[0], text)))

    def check_steps(self, instance: Network, answer: Answer) -> list[str]:
        """State the bridges in walking order."""
        return [f"{a}-{b} exists and is unused: valid" for a, b in _answered(answer)]

    def free_text_answer(self, instance: Network, messages: Sequence[str]) -> Answer | None:
        """Read the longest walk such as A-B-C, else run of bridges, else of islands."""
        island = any_of(instance.nodes)
        walked = re.compile(rf"{island}(?: ?[-–] ?{island}){{2,}}")
        for message in reversed(messages):
            walks = [re.findall(island, walk) for walk in walked.findall(message)]
            if walks:
                return {"nodes": [*max(walks, key=len)]}
        pairs = group_run(messages, instance.nodes, 2, least=2)
        if pairs is not None:
            return {"edges": [list(pair) for pair in pairs]}
        run = name_run(messages, instance.nodes)
        return None if run is None else {"nodes": list(run)}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw a few islands of a default network."""
        nodes = LETTERS[: EulerPathConfig().n]
        return {"nodes": list(choose(nodes, int(rng.integers(2, len(nodes) + 1)), rng))}


def _answered(answer: object) -> list[Link]:
    """Read the bridges of an answer up to the first entry that is none."""
    edges = answer_list(answer, "edges")
    entries: Sequence[object] = (
        edges if edges is not None else list(pairwise(answer_list(answer, "nodes") or ()))
    )
    links: list[Link] = []
    for entry in entries:
        parts = re.split("[-–,]", entry) if isinstance(entry, str) else entry
        if not isinstance(parts, list | tuple) or len(parts) != 2:
            break
        a, b = answer_name(parts[0]), answer_name(parts[1])
        if a is None or b is None or a == b:
            break
        links.append((a, b))
    return links


def _prefix(walked: Sequence[Link], start: str, left: set[frozenset[str]]) -> int:
    """Count the bridges that can be crossed in turn from a start; use up ``left``."""
    position = start
    for count, (a, b) in enumerate(walked):
        bridge = frozenset((a, b))
        if bridge not in left or position not in bridge:
            return count
        left.remove(bridge)
        position = b if position == a else a
    return len(walked)


def _walks(instance: Network) -> Iterator[list[str]]:
    """Yield all walks over every bridge; try a step only if the rest can still be walked."""
    near = adjacency(instance.nodes, ends(instance.edges))
    odd = [node for node, others in near.items() if len(others) % 2]
    starts = sorted(odd or (node for node, others in near.items() if others))
    total = len(instance.edges)

    def onward(walk: list[str]) -> Iterator[list[str]]:
        if len(walk) == total + 1:
            yield list(walk)
            return
        here = walk[-1]
        for there in sorted(near[here]):
            near[here].remove(there)
            near[there].remove(here)
            if _is_walkable(there, near):
                yield from onward([*walk, there])
            near[here].add(there)
            near[there].add(here)

    for start in starts:
        yield from onward([start])


def _is_walkable(position: str, near: Mapping[str, set[str]]) -> bool:
    """Tell whether all bridges that are left hang together with a position."""
    left = {node: others for node, others in near.items() if others or node == position}
    return is_connected(left)
