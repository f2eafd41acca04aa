"""``graph``: the quickest route between stations, each agent knowing half of the tracks.

Rules: stations lie at integer points; two-way tracks with travel times join some of them. Find
the quickest route from start to goal.
Views: the table of stations is in both, every track belongs to one view. View 1 names stations by
letters, view 2 by their points; at friction 2 view 2 writes points as (y,x), counted from 1.
Answer: ``{"path": [[x, y], ...]}``; names of stations may stand for points.
Grade: the time of the quickest route over that of the answer if that is a complete valid route,
else 0. A station repeated in a row counts once.
Source: The Collaboration Tax, table 8 (name, answer type, optimal-path correctness).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from coordgym.errors import require_int
from coordgym.silo_env.pairs.facts.fact_checks import (
    answer_integer,
    answer_list,
    answer_name,
    names_fault,
)
from coordgym.silo_env.pairs.facts.links import (
    draw_links,
    ends,
    link_fault,
    missing_pairs,
    weighted,
    weighted_links_of,
)
from coordgym.silo_env.pairs.facts.names import LETTERS, choose
from coordgym.silo_env.pairs.facts.owners import Owner, deal, if_split, you_know
from coordgym.silo_env.pairs.facts.prose import name_run
from coordgym.silo_env.pairs.facts.sentences import Sentence, bullets, read_bullets
from coordgym.silo_env.pairs.grids.schemes import read_parts
from coordgym.silo_env.pairs.grids.walks_in_prose import free_text_cells
from coordgym.silo_env.pairs.shapes.dealt_facts import DealtFactsTask, Drawn
from coordgym.silo_env.pairs.task import Answer, Friction, Grade, Seat

if TYPE_CHECKING:
    import networkx as nx

Point = tuple[int, int]
Track = tuple[str, str, int]

TRACK = Sentence("{0}-{1}: {2:d} min")
TRACK_2 = "- {1} to {0} takes {2} minutes"
FARTHEST = 999
"""Largest coordinate and longest time of a track."""
USUAL_LONGEST = 9
"""Minutes of the longest track by default."""
FEWEST_STATIONS = 3
"""Stations of the shortest route that is generated."""


@dataclass(frozen=True, slots=True)
class GraphConfig:
    """Difficulty of generated networks.

    Attributes:
        n: Stations, 4..16.
        m: Tracks, n - 1..30.
        max_weight: Longest time of a track in minutes, 1..99; the shortest is 1.
    """

    n: int = 7
    m: int = 11
    max_weight: int = USUAL_LONGEST

    def __post_init__(self) -> None:
        require_int("n", self.n, 4, 16)
        require_int("m", self.m, self.n - 1, min(30, self.n * (self.n - 1) // 2))
        require_int("max_weight", self.max_weight, 1, 99)


@dataclass(frozen=True, slots=True)
class GraphInstance:
    """A network and its split.

    Attributes:
        nodes: The point (x, y) of each station.
        edges: Two stations, minutes, and the view that knows the track.
        start: Where the route begins.
        goal: Where it ends.
    """

    nodes: Mapping[str, Point]
    edges: tuple[tuple[str, str, int, Owner], ...]
    start: str
    goal: str


@dataclass(frozen=True, slots=True)
class GraphView:
    """The table of stations, the ends and the tracks that one view knows, or both together."""

    nodes: Mapping[str, Point]
    start: str
    goal: str
    edges: tuple[Track, ...]
    whole: bool = False


class Graph(DealtFactsTask[GraphInstance, GraphConfig, GraphView]):
    """Routes over stations at points."""

    config_type = GraphConfig
    reader = "coordgym.silo_env.pairs.tasks.graph.reader:make_reader"
    instance_type = GraphInstance
    view_type = GraphView
    answer_fields = ("path",)
    shared_fields = ("nodes", "start", "goal")
    rule = (
        "Two-way tracks join stations that lie at integer points (x,y). Each track takes some "
        "minutes. Find the route from the start to the goal that takes the fewest minutes in "
        "total."
    )
    split = "Both of you have the table of stations; each of you knows some of the tracks."
    compact_rule = "quickest route between stations"
    compact_entries = "points of the table, or names"
    compact_split = "the other agent knows the other tracks"
    form = '{"path": [[x, y], ...]}'
    note = (
        '"path" lists the points of the stations from start to goal, as the table of stations '
        "gives them; a station's name may stand for its point."
    )

    def draw(self, config: GraphConfig, rng: np.random.Generator) -> GraphInstance | None:
        """Draw points and tracks; keep them if the best route is one and stops in between."""
        nodes = LETTERS[: config.n]
        off_diagonal = [(x, y) for x in range(config.n) for y in range(config.n) if x != y]
        points = dict(zip(nodes, choose(off_diagonal, config.n, rng), strict=True))
        links = choose(missing_pairs(nodes, ()), config.m, rng)
        tracks = deal(weighted(links, config.max_weight, rng), rng)
        instance = GraphInstance(points, tracks, nodes[0], nodes[-1])
        if self.fault(instance) is not None:
            return None
        best = _quickest(instance, 2)
        return instance if len(best) == 1 and len(best[0]) >= FEWEST_STATIONS else None

    def bounds_fault(self, instance: GraphInstance) -> str | None:
        """Say what is no name, too far away or too long."""
        fault = names_fault("nodes", tuple(instance.nodes), 2)
        numbers = (number for point in instance.nodes.values() for number in point)
        far = next((number for number in numbers if not 0 <= number <= FARTHEST), None)
        if fault is None and far is not None:
            fault = f"nodes must hold integers 0..{FARTHEST}, got {far!r:.100}"
        return fault or super().bounds_fault(instance)

    def fault(self, instance: GraphInstance) -> str | None:
        """Say which stations share a point, or why no route joins start and goal."""
        import networkx as nx

        if len(set(instance.nodes.values())) != len(instance.nodes):
            return "nodes must lie at different points"
        if instance.start == instance.goal:
            return "start and goal must differ"
        if not {instance.start, instance.goal} <= set(instance.nodes):
            return "start and goal must be stations"
        if any(not 1 <= edge[2] <= FARTHEST for edge in instance.edges):
            return f"edges must take 1..{FARTHEST} minutes"
        fault = link_fault(instance.nodes, ends(instance.edges))
        if fault is None and not nx.has_path(_network(instance), instance.start, instance.goal):
            return "edges must join start and goal"
        return fault

    def draw_hidden(
        self, view: GraphView, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw other tracks, with times from 1 up to the longest default or known time."""
        missing = missing_pairs(list(view.nodes), ends(view.edges))
        links = draw_links(missing, counts["edges"], rng)
        if links is None:
            return None
        longest = max([USUAL_LONGEST, *(edge[2] for edge in view.edges)])
        return {"edges": weighted(links, longest, rng)}

    def optimal_answers(self, instance: GraphInstance, limit: int) -> list[Answer]:
        """Return quickest routes."""
        routes = _quickest(instance, limit)
        return [{"path": [list(instance.nodes[name]) for name in route]} for route in routes]

    def score(self, instance: GraphInstance, answer: Mapping[str, object]) -> Grade:
        """Return the quickest time over that of a complete valid route."""
        minutes = _minutes(instance, _route(instance, answer))
        return Grade(0.0 if minutes is None else _best_minutes(instance) / minutes)

    def named(self, view: GraphView) -> Sequence[str]:
        """Return the stations."""
        return tuple(view.nodes)

    def say(self, view: GraphView, seat: Seat, friction: Friction) -> str:
        """Say tracks between letters, or between points."""
        if friction == 0 or seat == 1:
            return self.say_view(view, 1)
        return self._say_points(view, turned=friction == 2)

    def say_compact(self, view: GraphView, seat: Seat, friction: Friction) -> str:
        """Say the same in few tokens."""
        turned = friction == 2 and seat == 2
        if not turned:
            return self.say_briefly(view)
        at = {name: turned_point(point) for name, point in view.nodes.items()}
        tracks = " ".join(f"{at[a]}-{at[b]}:{minutes}" for a, b, minutes in view.edges)
        return f"{self._compact_head(view)}; min, points (y,x) from 1: {tracks}"

    def say_view(self, view: GraphView, words: Seat) -> str:
        """Say tracks between letters for view 1, between points for view 2."""
        if words == 2:
            return self._say_points(view, turned=False)
        return self._say(view, bullets(TRACK, view.edges))

    def say_briefly(self, view: GraphView) -> str:
        """Write tracks as A-B:minutes."""
        tracks = " ".join(f"{a}-{b}:{minutes}" for a, b, minutes in view.edges)
        return f"{self._compact_head(view)}; min: {tracks}"

    def _compact_head(self, view: GraphView) -> str:
        stations = " ".join(f"{name}=({x},{y})" for name, (x, y) in view.nodes.items())
        return f"{stations}; {view.start} to {view.goal}"

    def _say_points(self, view: GraphView, *, turned: bool) -> str:
        write = turned_point if turned else written_point
        at = {name: write(point) for name, point in view.nodes.items()}
        lines = [TRACK_2.format(at[a], at[b], minutes) for a, b, minutes in view.edges]
        frame = (
            "\nYour list of tracks writes a point as (y,x), both counted from 1: the station at "
            "(0,2) in the table stands there as (3,1). Answers use the table's points."
        )
        return self._say(view, lines or ["- (none)"]) + (frame if turned else "")

    def _say(self, view: GraphView, lines: Sequence[str]) -> str:
        stations = ", ".join(f"{name}={written_point(at)}" for name, at in view.nodes.items())
        start, goal = (written_point(view.nodes[end]) for end in (view.start, view.goal))
        rest = if_split(view, " (your partner knows the others)")
        return "\n".join([
            f"Stations (name = (x,y)): {stations}",
            f"Two-way tracks{you_know(view)}{rest}:",
            *lines,
            f"Find the quickest route from {start} to {goal}; answer with the (x,y) sequence.",
        ])  # fmt: skip

    def hear(self, text: str) -> GraphView | None:
        """Read a view in the words of view 1."""
        table = re.search(r"Stations \(name = \(x,y\)\): (.*)", text)
        route = re.search(r"quickest route from (\(\d+,\d+\)) to (\(\d+,\d+\));", text, re.ASCII)
        if table is None or route is None or "Two-way tracks you know" not in text:
            return None
        stations = re.findall(r"(\w+)=\((\d{1,3}),(\d{1,3})\)", table[1], re.ASCII)
        at = {f"({x},{y})": name for name, x, y in stations}
        if route[1] not in at or route[2] not in at:
            return None
        points = {name: (int(x), int(y)) for name, x, y in stations}
        tracks = weighted_links_of(read_bullets(TRACK, text))
        return GraphView(points, at[route[1]], at[route[2]], tracks)

    def check_steps(self, instance: GraphInstance, answer: Answer) -> list[str]:
        """State the tracks of the route and their sum."""
        route = _route(instance, answer) or []
        minutes = [_network(instance)[a][b]["weight"] for a, b in pairwise(route)]
        steps = [f"{a}-{b} takes {w}, valid" for (a, b), w in
                 zip(pairwise(route), minutes, strict=True)]  # fmt: skip
        return [*steps, f"{' + '.join(map(str, minutes))} = {sum(minutes)}"]

    def free_text_answer(self, instance: GraphInstance, messages: Sequence[str]) -> Answer | None:
        """Read the longest run of points, else of stations."""
        cells = free_text_cells(messages)
        if cells is not None:
            return {"path": cells}
        run = name_run(messages, instance.nodes)
        return None if run is None else {"path": list(run)}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw stations between the first and the last of a default network."""
        start, *between, goal = LETTERS[: GraphConfig().n]
        return {"path": [start, *choose(between, int(rng.integers(0, 4)), rng), goal]}


def written_point(point: Point) -> str:
    """Write a point as the table of stations gives it."""
    return f"({point[0]},{point[1]})"


def turned_point(point: Point) -> str:
    """Write a point in the other frame: (y, x), counted from 1."""
    return f"({point[1] + 1},{point[0] + 1})"


def _network(instance: GraphInstance) -> "nx.Graph[str]":
    import networkx as nx

    network: nx.Graph[str] = nx.Graph()
    network.add_nodes_from(instance.nodes)
    network.add_weighted_edges_from(edge[:3] for edge in instance.edges)
    return network


def _quickest(instance: GraphInstance, limit: int) -> list[list[str]]:
    """Return quickest routes, at most ``limit`` of them."""
    import networkx as nx

    routes = nx.all_shortest_paths(
        _network(instance), instance.start, instance.goal, weight="weight"
    )
    return sorted(islice(routes, limit))


def _best_minutes(instance: GraphInstance) -> int:
    import networkx as nx

    return int(
        nx.dijkstra_path_length(_network(instance), instance.start, instance.goal, weight="weight")
    )


def _route(instance: GraphInstance, answer: Mapping[str, object]) -> list[str] | None:
    """Return the stations of an answer, repeats in a row once; None if one is no station."""
    at = {point: name for name, point in instance.nodes.items()}
    route: list[str] = []
    for entry in answer_list(answer, "path") or ():
        name = answer_name(entry)
        point = read_parts(entry)
        if name not in instance.nodes and len(point) == 2:
            x, y = (answer_integer(each) for each in point)
            name = None if x is None or y is None else at.get((x, y))
        if name not in instance.nodes:
            return None
        route.append(str(name))
    return [name for name, _ in groupby(route)]


def _minutes(instance: GraphInstance, route: Sequence[str] | None) -> int | None:
    """Return the time of a route; None if it is not complete or uses a missing track."""
    if not route or route[0] != instance.start or route[-1] != instance.goal:
        return None
    times = {frozenset(edge[:2]): edge[2] for edge in instance.edges}
    total = 0
    for step in pairwise(route):
        if frozenset(step) not in times:
            return None
        total += times[frozenset(step)]
    return total
