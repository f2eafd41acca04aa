"""What channels hand to agents, as values, as text and as data."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from coordgym.silo_env.compute.channels.store import Message

MORE_MESSAGES = "(Further messages wait; you will get them in the next round.)"
MORE_FILES = "(There are further files; ask for them with list_files and a longer prefix.)"
LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line to ``str.splitlines`` and to some reader or other."""
LINE_MARK = "| "
"""Stands in front of each line of what an agent wrote in several."""

quoted_name = json.JSONEncoder(ensure_ascii=False).encode
"""A file's name as a JSON string: agents choose names, which must not pass for anything else."""


class FileNote(NamedTuple):
    """A file as it is listed; ``size`` in characters, ``round`` of the last change from 1."""

    path: str
    author: int
    size: int
    round: int
    deleted: bool


class News(NamedTuple):
    """What an agent is handed at the start of a round; ``more`` tells that messages wait."""

    messages: Sequence[Message] = ()
    files: Sequence[FileNote] = ()
    more: bool = False


NO_NEWS = News()


def quoted(heading: str, text: str) -> str:
    """Write a heading with a text of an agent, which must not pass for anything else.

    Whatever ends a line to anybody ends one here, and each line of a longer text is marked.
    """
    lines = [text] if text.isprintable() else LINE_BREAK.split(text)
    if len(lines) == 1:
        return f"{heading}: {text}"
    return "\n".join([f"{heading} ({len(lines)} lines):", *(LINE_MARK + line for line in lines)])


def render_messages(messages: Sequence[Message], more: bool, *, compact: bool = False) -> str:
    """Write messages in their order, with the round if they are older than the newest."""
    newest = messages[-1].round if messages else 0
    word = "" if compact else "From agent "
    lines = []
    for _, sent_in, sender, content, _ in messages:
        age = "" if sent_in == newest else f" (round {sent_in})"
        lines.append(quoted(f"{word}{sender}{age}", content))
    if more:
        lines.append(MORE_MESSAGES)
    return "\n".join(lines)


def render_files(notes: Sequence[FileNote], *, more: bool) -> str:
    """Write a list of files, one a line."""
    lines = [
        f"{quoted_name(note.path)} (deleted by agent {note.author})"
        if note.deleted
        else f"{quoted_name(note.path)} (agent {note.author}, {note.size} characters, "
        + (f"round {note.round})" if note.round else "this turn)")
        for note in notes
    ]
    if more:
        lines.append(MORE_FILES)
    return "\n".join(lines)


def messages_as_data(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return messages as the views of agents hold them."""
    return [{"sender": m.sender, "round": m.round, "content": m.content} for m in messages]


def files_as_data(notes: Iterable[FileNote]) -> list[dict[str, Any]]:
    """Return listed files as the views of agents hold them."""
    return [note._asdict() for note in notes]
