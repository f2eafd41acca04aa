"""Drawing a network as text: one line per agent."""

from collections.abc import Mapping, Sequence

from coordgym.silo_env.graph.instance import Instance

MAX_LINES = 40
MESSAGE_CHARS = 60
"""Messages are shortened to so many characters in the drawing."""


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
    line = "".join(char if char.isprintable() else "?" for char in " ".join(message.split()))
    return line if len(line) <= MESSAGE_CHARS else line[: MESSAGE_CHARS - 1] + "…"
