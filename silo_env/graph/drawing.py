"""Drawing a network, as text with a line per agent or as a picture of discs and lines.

In the picture a disc has the colour of the agent's answer, grey before it. An edge is thick
and red if the answers at its ends contradict each other, and dark if a message came over it in
the last round.
Neither the solution nor byzantine agents are drawn.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coordgym.parsing.printable import printable
from coordgym.silo_env.graph.instance import Instance
from coordgym.silo_env.graph.networks.network import Network

MAX_LINES = 40
"""Most agents in the drawing as text."""
MESSAGE_CHARS = 60
"""Messages are shortened to so many characters in it."""
PICTURE_SIZE = 480
"""Height and width in pixels."""
MARGIN = 24
SPRING_LAYOUT_AGENTS = 200
"""Larger networks are drawn on a circle: a spring layout would take seconds."""
_EDGE = (205, 205, 205)
_BUSY_EDGE = (70, 70, 70)
_CONFLICT = (220, 0, 0)
_UNANSWERED = (150, 150, 150)
_RIM = (30, 30, 30)
_PALETTE = (
    (31, 119, 180), (255, 127, 14), (44, 160, 44), (214, 39, 40), (148, 103, 189),
    (140, 86, 75), (227, 119, 194), (188, 189, 34), (23, 190, 207), (174, 199, 232),
    (255, 187, 120), (152, 223, 138),
)  # fmt: skip

Picture = np.ndarray[Any, np.dtype[np.uint8]]
Color = tuple[int, int, int]


# --- as text -----------------------------------------------------------------------------


def draw_text(
    world: Instance,
    round_: int,
    inboxes: Sequence[Mapping[str, str]],
    answers: Sequence[str | None],
) -> str:
    """Draw agents, neighbours, the messages that arrived last, and answers.

    Args:
        world: The instance; neither its solution nor its byzantine agents are drawn.
        round_: Rounds completed.
        inboxes: Delivered messages by sender's name, for each agent.
        answers: Final answers so far.
    """
    names = world.network.names
    rounds = min(round_, world.rounds)
    lines = [
        f"{world.task.title}: {len(names)} agents, {len(world.network.edges)} edges, "
        f"{rounds} of {world.rounds} rounds done"
    ]
    width = max(map(len, names[:MAX_LINES]))
    for i, around in enumerate(world.network.neighbours[:MAX_LINES]):
        answer = f"  => {answers[i]}" if answers[i] is not None else ""
        known = ", ".join(names[j] for j in around) or "nobody"
        lines.append(f"{names[i]:<{width}}  knows {known}{answer}")
        lines += [
            f"{'':<{width}}    {sender}: {_shorten(message)}"
            for sender, message in inboxes[i].items()
        ]
    if len(names) > MAX_LINES:
        lines.append(f"… and {len(names) - MAX_LINES} more agents")
    return "\n".join(lines)


def _shorten(message: str) -> str:
    """Put a message on one line; what could steer a terminal is shown as ``?``."""
    line = printable(" ".join(message.split()), "?")
    return line if len(line) <= MESSAGE_CHARS else line[: MESSAGE_CHARS - 1] + "…"


# --- as a picture ------------------------------------------------------------------------


def draw_network(
    world: Instance, inboxes: Sequence[Mapping[str, str]], answers: Sequence[str | None]
) -> Picture:
    """Draw the network; uint8, (480, 480, 3).

    Args:
        world: The instance.
        inboxes: Messages delivered in the last round by sender's name, for each agent.
        answers: Final answers so far.
    """
    network = world.network
    places = _places(network)
    picture = np.full((PICTURE_SIZE, PICTURE_SIZE, 3), 255, dtype=np.uint8)
    names = network.names
    busy = {
        edge: names[edge[0]] in inboxes[edge[1]] or names[edge[1]] in inboxes[edge[0]]
        for edge in network.edges
    }
    for edge in sorted(network.edges, key=busy.__getitem__):
        _draw_line(picture, places[edge[0]], places[edge[1]], _BUSY_EDGE if busy[edge] else _EDGE)
    for edge in _conflicts(world, answers):
        for shift in (-1, 0, 1):  # thick whichever way the line runs
            for offset in ((shift, 0), (0, shift)):
                start, end = places[edge[0]] + offset, places[edge[1]] + offset
                _draw_line(picture, start, end, _CONFLICT)
    radius = 10 if len(names) <= 50 else 5 if len(names) <= SPRING_LAYOUT_AGENTS else 2
    colors = _answer_colors(answers)
    for place, color in zip(places, colors, strict=True):
        _draw_disc(picture, place, radius + 1, _RIM)
        _draw_disc(picture, place, radius, color)
    return picture


def _conflicts(world: Instance, answers: Sequence[str | None]) -> list[tuple[int, int]]:
    """Find the edges whose ends have answered and contradict each other."""
    names = world.network.names
    given = {name: answer for name, answer in zip(names, answers, strict=True) if answer}
    return [
        (i, j)
        for i, j in world.network.edges
        if names[i] in given and names[j] in given and world.task.clash(names[i], names[j], given)
    ]


def _places(network: Network) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return where agents are drawn, in pixels (n, 2); the same network always looks the same."""
    import networkx

    graph = networkx.empty_graph(len(network.names))
    graph.add_edges_from(network.edges)
    if len(network.names) <= SPRING_LAYOUT_AGENTS:
        layout = networkx.spring_layout(graph, seed=0)
    else:
        layout = networkx.circular_layout(graph)
    places = np.array([layout[i] for i in range(len(network.names))], dtype=float)
    low = places.min(axis=0)
    span = np.maximum(places.max(axis=0) - low, 1e-9)
    return np.asarray(MARGIN + (places - low) / span * (PICTURE_SIZE - 1 - 2 * MARGIN))


def _answer_colors(answers: Sequence[str | None]) -> list[Color]:
    """Give each different answer a colour, in the order of first mention."""
    order = {answer: i for i, answer in enumerate(dict.fromkeys(filter(None, answers)))}
    return [
        _PALETTE[order[answer] % len(_PALETTE)] if answer else _UNANSWERED for answer in answers
    ]


def _draw_line(
    picture: Picture,
    start: "np.ndarray[Any, np.dtype[np.float64]]",
    end: "np.ndarray[Any, np.dtype[np.float64]]",
    color: Color,
) -> None:
    steps = int(np.abs(end - start).max()) + 2
    points = np.rint(np.linspace(start, end, steps)).astype(int)
    picture[points[:, 1], points[:, 0]] = color


def _draw_disc(
    picture: Picture, place: "np.ndarray[Any, np.dtype[np.float64]]", radius: int, color: Color
) -> None:
    x, y = np.rint(place).astype(int)
    offsets = np.arange(-radius, radius + 1)
    inside = offsets[:, None] ** 2 + offsets[None, :] ** 2 <= radius**2
    area = picture[y - radius : y + radius + 1, x - radius : x + radius + 1]
    area[inside] = color
