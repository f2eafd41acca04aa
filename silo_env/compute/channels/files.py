"""The shared-file protocol: one name space of files that all agents read and write.

Reads see the files as they stood when the round began, with the reader's own changes of this
turn. When several agents write one path in a round, the one with the highest id wins; deletions
count as writes. Loss and corruption strike a version when it is stored.
Source: Silo-Bench (arXiv 2603.01045), appendix A.4 and A.5.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from coordgym.parsing.printable import is_printable
from coordgym.silo_env.compute.channels.channel import (
    MAX_PATH_CHARS,
    MESSAGE_HEADER_CHARS,
    Channel,
    file_fault,
)
from coordgym.silo_env.compute.channels.faults import Fate
from coordgym.silo_env.compute.channels.news import (
    FileNote,
    News,
    files_as_data,
    quoted_name,
    render_files,
)
from coordgym.silo_env.compute.channels.store import File
from coordgym.silo_env.compute.channels.turns import (
    SUBMIT,
    WAIT,
    CallError,
    Function,
    Parameter,
    Result,
    Turn,
    Write,
)

_PATH = Parameter("path", "string", "Name of the file.")
LIST = Function(
    "list_files",
    'List the files whose names begin with prefix; "" lists all.',
    (Parameter("prefix", "string", "First characters of the names; all if left out.", ""),),
)
READ = Function("read_file", "Read a file.", (_PATH,))
WRITE = Function(
    "write_file",
    "Create or replace a file; others see it from the next round on.",
    (_PATH, Parameter("content", "string", "The whole content.")),
)
DELETE = Function("delete_file", "Delete a file, for others from the next round on.", (_PATH,))

MISSING = "there is no such file"
FULL = "you have been handed all that one round allows; ask again in the next round"


class SharedFiles(Channel):
    """Indirect coordination through files."""

    name = "shared_files"
    functions = (LIST, READ, WRITE, DELETE, WAIT, SUBMIT)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._changes: list[FileNote] = []
        self._written: dict[str, None] = {}  # distinct contents, in their order

    def run(self, turn: Turn, name: str, arguments: Mapping[str, Any]) -> str:
        """Carry out a call."""
        if name == LIST.name:
            return self._list(turn, self._text_argument(arguments["prefix"], "prefix", 1000))
        path = self._path(arguments["path"])
        if name == READ.name:
            return self._read(turn, path)
        if name == DELETE.name:
            if self._present(turn, path) is None:
                raise CallError(MISSING)
            turn.writes.append(Write(path, None, turn.knowledge))
            return "The file will be deleted at the end of this round."
        limit = self._limits.max_message_chars
        content = self._text_argument(arguments["content"], "content", limit)
        turn.writes.append(Write(path, content, turn.knowledge))
        return "The file was written; others see it from the next round on."

    def commit(self, turns: Sequence[Turn], round_number: int) -> None:
        """Apply the writes in the order of the agents; the last one of a path stands."""
        self._settle(turns)
        last: dict[str, tuple[int, Write, Fate | None]] = {}
        drawn = self._faults(round_number)
        for turn in turns:
            for write in turn.writes:
                fate = None
                if write.content is not None:
                    self._written.setdefault(write.content)
                    # Drawn even for what is overwritten at once: by whom must not matter.
                    fate = drawn.fate(turn.agent, turn.agent, write.content)
                last[write.path] = (turn.agent, write, fate)
        written: list[File] = []
        deleted: list[str] = []
        changes: list[FileNote] = []
        faults = []
        for path in sorted(last):
            author, write, fate = last[path]
            old, content = self.store.file(path), write.content
            if content is None:
                if old is not None:
                    deleted.append(path)
                    changes.append(FileNote(path, author, 0, round_number, deleted=True))
                continue
            if fate is not None:
                faults.append(file_fault(round_number, path, author, content, fate))
                if fate.arrives is None:
                    continue
                content = fate.arrives
            created = round_number if old is None else old.created_round
            file = File(path, content, author, created, round_number, write.knowledge)
            written.append(file)
            changes.append(_note(file))
        if written or deleted:
            self.store.replace_files(written, deleted)
        if faults:
            self.store.add_faults(faults)
        self._changes = changes

    def deliver(self, budgets: Mapping[int, int]) -> dict[int, News]:
        """List what has changed in the last round, the same for everybody, as far as it fits."""
        if not self._changes:
            return {}
        cost = sum(_cost(note.path) for note in self._changes)
        everything = News(files=self._changes)
        return {
            agent: everything if cost <= budget else self._first_changes(budget)
            for agent, budget in budgets.items()
        }

    def _first_changes(self, budget: int) -> News:
        fitting = _fitting(self._changes, budget)
        return News(files=fitting, more=len(fitting) < len(self._changes))

    def spoken(self) -> Iterable[str]:
        """Return each distinct content that was ever written."""
        return self._written

    def contents(self) -> list[dict[str, Any]]:
        """Return all files."""
        return [
            {"path": f.path, "author": f.author, "round": f.modified_round, "content": f.content}
            for f in self.store.files()
        ]

    def _path(self, value: object) -> str:
        path = self._text_argument(value, "path", MAX_PATH_CHARS)
        if not path.strip() or not is_printable(path):
            raise CallError("path must be one line of visible characters")
        return path

    def _present(self, turn: Turn, path: str) -> File | None:
        """Return the file as the agent sees it now."""
        for write in reversed(turn.writes):
            if write.path == path:
                if write.content is None:
                    return None
                return File(path, write.content, turn.agent, 0, 0, write.knowledge)
        return self.store.file(path)

    def _read(self, turn: Turn, path: str) -> str:
        file = self._present(turn, path)
        if file is None:
            raise CallError(MISSING)
        cost = len(file.content) + len(path) + MESSAGE_HEADER_CHARS
        if turn.handed_chars + cost > self._limits.max_inbox_chars:
            raise CallError(FULL)
        turn.handed_chars += cost
        turn.gained |= file.knowledge
        if file.author != turn.agent:
            turn.reads.append(file.author)
        facts = {"function": READ.name, "path": path, "content": file.content}
        heading = f"{READ.name} {quoted_name(path)}"
        turn.results.append(Result(heading, file.content, facts, is_quote=True))
        return file.content

    def _list(self, turn: Turn, prefix: str) -> str:
        own: dict[str, FileNote | None] = {}
        for write in turn.writes:
            note = FileNote(write.path, turn.agent, len(write.content or ""), 0, deleted=False)
            own[write.path] = None if write.content is None else note
        stored = {file.path: _note(file) for file in self.store.files()}
        present = {path: note for path, note in {**stored, **own}.items() if note is not None}
        matching = [present[path] for path in sorted(present) if path.startswith(prefix)]
        notes = _fitting(matching, self._limits.max_inbox_chars - turn.handed_chars)
        turn.handed_chars += sum(_cost(note.path) for note in notes)
        more = len(notes) < len(matching)
        text = render_files(notes, more=more) or "No files."
        facts = {"function": LIST.name, "files": files_as_data(notes), "more": more}
        turn.results.append(Result("list_files", text, facts))
        return text


def _note(file: File) -> FileNote:
    size = len(file.content)
    return FileNote(file.path, file.author, size, file.modified_round, deleted=False)


def _cost(path: str) -> int:
    return len(path) + MESSAGE_HEADER_CHARS


def _fitting(notes: Sequence[FileNote], budget: int) -> list[FileNote]:
    fitting = []
    for note in notes:
        budget -= _cost(note.path)
        if budget < 0:
            break
        fitting.append(note)
    return fitting
