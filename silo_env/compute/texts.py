"""What agents are told: instructions and rounds, as prose or compact text, and as data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coordgym.silo_env.compute.channels.news import (
    MORE_MESSAGES,
    News,
    files_as_data,
    messages_as_data,
    quoted,
    render_files,
    render_messages,
)
from coordgym.silo_env.compute.channels.turns import MAX_ERROR_LINES, Function, Result, Turn
from coordgym.silo_env.compute.task import Extra, Task, show

ALONE = "No single agent holds enough information to solve this task alone."
JOINED = "Where each agent submits its own piece, submit all pieces joined to one list, in order."

PROTOCOLS = {
    "p2p": (
        "You talk by private messages, each to one agent. {delivery} Messages that you send in "
        "this round reach their recipients at the start of the next one."
    ),
    "broadcast": (
        "You talk by broadcasts: each message goes to all other agents that you can reach. "
        "{delivery} What you send in this round reaches them at the start of the next one."
    ),
    "shared_files": (
        "You talk through shared files that all agents can list, read, write and delete. Reads "
        "show the files as they were when the round began, with your own changes of this turn; "
        "others see your changes from the next round on. If several agents write one file in a "
        "round, the agent with the highest id wins. Each round you are told which files changed; "
        "their contents come from reading them."
    ),
    "oracle": "You are alone with all the data and need no communication.",
}
BRIEF_PROTOCOLS = {
    "p2p": "private messages; what is sent in round r is read in r+1",
    "broadcast": "messages to all in reach; what is sent in round r is read in r+1",
    "shared_files": (
        "shared files; reads show the round's start plus your own changes, others see those in "
        "r+1; of several writers in a round the highest id wins; you are told which files changed"
    ),
    "oracle": "nobody, all data are yours",
}
DELIVERY = {
    "push": "New messages are shown to you at the start of each round.",
    "pull": "New messages are shown only to agents that call receive_messages().",
}


@dataclass(frozen=True, slots=True)
class Scene:
    """What the instructions tell besides the task and the shard; the same for all agents.

    Attributes:
        task: The task.
        extra: Its parameters.
        n_agents: Number of agents; 1 for the oracle.
        protocol: Name of the protocol, or "oracle".
        delivery: "push" or "pull".
        functions: What agents may call.
        guided: Whether the structural hint is given.
        neighbours: By agent, whom it reaches; None if everybody reaches everybody.
        max_calls, max_message_chars, max_rounds: The limits that agents are told.
    """

    task: Task[Any, Any]
    extra: Extra
    n_agents: int
    protocol: str
    delivery: str
    functions: tuple[Function, ...]
    guided: bool
    neighbours: Sequence[Sequence[int]] | None
    max_calls: int
    max_message_chars: int
    max_rounds: int


def instructions(scene: Scene, agent: int, shard: str, *, compact: bool) -> str:
    """Write rules, private data and form of actions for one agent; ``shard`` is data as text."""
    return (_compact if compact else _full)(scene, agent, shard)


def _full(scene: Scene, agent: int, shard: str) -> str:
    task, extra, alone = scene.task, scene.extra, scene.n_agents == 1
    if alone:
        who = "You work alone: all the data are yours."
        if task.is_segmented(extra):
            who += " " + JOINED
    else:
        who = (
            f"You are agent {agent} of {scene.n_agents} agents with the ids 0 to "
            f"{scene.n_agents - 1}. All have the same abilities and the same instructions."
        )
    parts = [who, "TASK\n" + task.statement(extra)]
    if scene.guided:
        parts.append("HINT\n" + task.hint)
    if not alone:
        parts.append(ALONE)
    parts.append(f"YOUR DATA\n{shard}")
    protocol = PROTOCOLS[scene.protocol].format(delivery=DELIVERY[scene.delivery])
    if scene.neighbours is not None:
        reached = ", ".join(map(str, scene.neighbours[agent]))
        protocol += f" You are linked only with these agents: {reached}."
    parts.append("COMMUNICATION\n" + protocol)
    parts.append(_functions_in_full(scene))
    parts.append(
        f"ANSWER\nSubmit {task.answer_form(extra)}, with submit_result(answer). You can submit "
        f"once; there are at most {scene.max_rounds} rounds, and whoever has not submitted by "
        "then has failed."
    )
    return "\n\n".join(parts)


def _functions_in_full(scene: Scene) -> str:
    listed = "\n".join(f"- {f.signature}: {f.description}" for f in scene.functions)
    return (
        "ACTIONS\nThink as you like, then write calls, each alone on its line, with arguments "
        f"written as JSON or Python literals:\n{listed}\n"
        f"At most {scene.max_calls} calls a round; a message or file has at most "
        f"{scene.max_message_chars} characters. wait() and submit_result() end your turn; calls "
        "after them are skipped. All agents act at the same time."
    )


def _compact(scene: Scene, agent: int, shard: str) -> str:
    lines = [f"agent {agent}/{scene.n_agents} ids 0-{scene.n_agents - 1}"]
    lines.append("task: " + scene.task.brief(scene.extra))
    if scene.n_agents == 1 and scene.task.is_segmented(scene.extra):
        lines.append(JOINED)
    if scene.guided:
        lines.append("hint: " + scene.task.hint)
    if scene.n_agents > 1:
        lines.append(ALONE)
    lines.append("data: " + shard)
    via = BRIEF_PROTOCOLS[scene.protocol]
    if scene.delivery == "pull" and scene.protocol in ("p2p", "broadcast"):
        via += "; only receive_messages() shows them"
    if scene.neighbours is not None:
        via += "; your links: " + ",".join(map(str, scene.neighbours[agent]))
    lines.append("via: " + via)
    lines.append("calls, one a line: " + " ".join(f.signature for f in scene.functions))
    lines.append(
        f"limits: {scene.max_rounds} rounds, {scene.max_calls} calls/round, "
        f"{scene.max_message_chars} chars/message; wait and submit_result end the turn; submit "
        "once, or fail at the end; all act at the same time"
    )
    return "\n".join(lines)


def render_round(number: int, limit: int, news: News, turn: Turn | None, *, compact: bool) -> str:
    """Tell what is new for one agent at the start of a round, counted from 1."""
    parts = [f"r{number}/{limit}" if compact else f"Round {number} of {limit}."]
    if turn is not None:
        parts += _turn_report(turn, compact=compact)
    if news.messages:
        messages = render_messages(news.messages, news.more, compact=compact)
        parts.append(messages if compact else "Messages for you:\n" + messages)
    elif news.files:
        files = render_files(news.files, more=news.more)
        parts.append(files if compact else "Changed files:\n" + files)
    elif news.more:
        parts.append(MORE_MESSAGES)
    return "\n".join(parts)


def render_farewell(turn: Turn) -> str:
    """Tell an agent that it has submitted in the turn."""
    return "\n".join(["Your answer was submitted; you have left.", *_losses(turn)])


def _turn_report(turn: Turn, *, compact: bool) -> list[str]:
    """Tell the outcome of the agent's last turn: several errors, skipped calls, results."""
    parts = _losses(turn)
    if turn.results and not compact:
        parts.append("Results of your calls:")
    parts += [_one_result(result) for result in turn.results]
    return parts


def _losses(turn: Turn) -> list[str]:
    """Tell what of a turn was not carried out; a single error stands at the observation's head."""
    parts = []
    if len(turn.errors) > 1:
        parts.append("Errors:")
        parts += turn.errors[:MAX_ERROR_LINES]
        if len(turn.errors) > MAX_ERROR_LINES:
            parts.append(f"and {len(turn.errors) - MAX_ERROR_LINES} more")
    if turn.skipped:
        parts.append(f"{turn.skipped} calls after {turn.ended_by}() were skipped.")
    return parts


def _one_result(result: Result) -> str:
    if result.is_quote:
        return quoted(result.heading, result.text)
    lines = result.text.count("\n") + 1
    if lines == 1:
        return f"{result.heading}: {result.text}"
    return f"{result.heading} ({lines} lines):\n{result.text}"


def shard_text(shard: Any) -> str:
    """Write a shard as its agent sees it."""
    return show(shard)


def all_shards_text(shards: Sequence[Any]) -> str:
    """Write all shards as the oracle sees them."""
    return "\n".join(f"part {i}: {show(shard)}" for i, shard in enumerate(shards))


def round_view(news: News, turn: Turn | None) -> dict[str, Any]:
    """Tell what is new at the start of a round, and what became of the agent's last turn."""
    return {
        "messages": messages_as_data(news.messages),
        "files": files_as_data(news.files),
        "more_waiting": news.more,
        "results": [] if turn is None else [result.facts for result in turn.results],
        **turn_view(turn),
    }


def turn_view(turn: Turn | None) -> dict[str, Any]:
    """Tell what of a turn was not carried out: error lines, how many more, skipped calls."""
    errors = [] if turn is None else turn.errors
    return {
        "errors": errors[:MAX_ERROR_LINES],
        "further_errors": max(0, len(errors) - MAX_ERROR_LINES),
        "skipped_calls": 0 if turn is None else turn.skipped,
    }
