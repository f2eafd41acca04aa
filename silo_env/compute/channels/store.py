"""The SQLite database of one episode: mailboxes, files and the log of faults.

It lives in memory unless a path is given. Copies and pickles of a store always live in memory,
so that a copied environment never writes into the original's file. While a store writes into a
file it holds a lock, so that no second one can do so; anybody may read the file at any time.
"""

import gc
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

from coordgym.errors import ConfigError

_APPLICATION_ID = 0x51105E0  # marks files that this package may overwrite
_SCHEMA = """
CREATE TABLE messages (
    id INTEGER PRIMARY KEY,        -- in the order (round, sender, sequence)
    round INTEGER NOT NULL,        -- counted from 1
    sender INTEGER NOT NULL,
    sequence INTEGER NOT NULL,     -- place among the sender's messages of the round, from 0
    recipient INTEGER,             -- NULL: broadcast
    content TEXT NOT NULL,
    knowledge TEXT NOT NULL,       -- hexadecimal bit set of the shards behind the message
    read INTEGER NOT NULL DEFAULT 0  -- how many agents have been handed the message
);
CREATE INDEX mailbox ON messages (recipient, id);
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    author INTEGER NOT NULL,       -- of the present version
    created_round INTEGER NOT NULL,
    modified_round INTEGER NOT NULL,
    knowledge TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE faults (
    id INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    kind TEXT NOT NULL,            -- 'loss' or 'corruption'
    message INTEGER,               -- messages.id, or NULL for a file
    path TEXT,                     -- files.path, or NULL for a message
    author INTEGER NOT NULL,
    recipient INTEGER,             -- NULL for a file
    sent TEXT NOT NULL,
    delivered TEXT                 -- NULL: lost
);
CREATE INDEX faulty ON faults (recipient, message);
"""


class Message(NamedTuple):
    """One message as its recipient gets it; ``knowledge`` is a bit set of shards."""

    id: int
    round: int
    sender: int
    content: str
    knowledge: int


class File(NamedTuple):
    """The present version of a file; rounds count from 1."""

    path: str
    content: str
    author: int
    created_round: int
    modified_round: int
    knowledge: int


class Fault(NamedTuple):
    """Ground truth of one fault; ``delivered`` is None for a loss."""

    round: int
    kind: str
    message: int | None
    path: str | None
    author: int
    recipient: int | None
    sent: str
    delivered: str | None


class Store:
    """Access to the episode's database.

    Args:
        path: File to keep the database in; an older episode in it is overwritten.

    Raises:
        ConfigError: If the path can't be opened, holds anything else, or another store writes
            there.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._next_message = 1
        self._lock: sqlite3.Connection | None = None
        if path is None:
            self._connection = _connect_memory()
            self._connection.executescript(_SCHEMA)
            return
        file = Path(path).resolve()  # one lock per file, however it is named
        self._lock = _lock(file)
        try:
            self._connection = _connect_file(file)
        except ConfigError:
            self._lock.close()
            raise

    # --- messages --------------------------------------------------------------------------

    def add_messages(self, rows: Iterable[tuple[int, int, int, int | None, str, str]]) -> range:
        """Append ``(round, sender, sequence, recipient, content, knowledge)``; give their ids."""
        first = self._next_message
        numbered = [(first + i, *row) for i, row in enumerate(rows)]
        with self._connection as connection:
            connection.executemany(
                "INSERT INTO messages (id, round, sender, sequence, recipient, content, knowledge)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                numbered,
            )
        self._next_message += len(numbered)
        return range(first, self._next_message)

    def mail(self, recipient: int | None, after: int) -> Iterator[Message]:
        """Yield messages to ``recipient`` (None = broadcasts) with ids above ``after``."""
        condition = "recipient IS NULL" if recipient is None else "recipient = ?"
        bound = (after,) if recipient is None else (recipient, after)
        cursor = self._connection.execute(
            "SELECT id, round, sender, content, knowledge FROM messages"
            f" WHERE {condition} AND id > ? ORDER BY id",
            bound,
        )
        for number, sent_in, sender, content, knowledge in cursor:
            yield Message(number, sent_in, sender, content, int(knowledge, 16))

    def mark_read(self, counts: Iterable[tuple[int, int]]) -> None:
        """Add to the read counts: pairs of (how many more agents, message id)."""
        with self._connection as connection:
            connection.executemany("UPDATE messages SET read = read + ? WHERE id = ?", counts)

    # --- files -----------------------------------------------------------------------------

    def file(self, path: str) -> File | None:
        """Return the present version of a file."""
        row = self._connection.execute("SELECT * FROM files WHERE path = ?", (path,)).fetchone()
        return None if row is None else _file(row)

    def files(self) -> list[File]:
        """Return all files, by path."""
        return [_file(row) for row in self._connection.execute("SELECT * FROM files ORDER BY path")]

    def replace_files(self, written: Iterable[File], deleted: Iterable[str]) -> None:
        """Delete and write files in one transaction."""
        with self._connection as connection:
            connection.executemany(
                "DELETE FROM files WHERE path = ?", [(path,) for path in deleted]
            )
            connection.executemany(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)",
                [(*file[:5], f"{file.knowledge:x}") for file in written],
            )

    # --- faults and the log ----------------------------------------------------------------

    def add_faults(self, faults: Iterable[Fault]) -> None:
        """Log what happened to messages and files on the way."""
        with self._connection as connection:
            connection.executemany(
                "INSERT INTO faults"
                " (round, kind, message, path, author, recipient, sent, delivered)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                faults,
            )

    def faults(self) -> list[Fault]:
        """Return the ground truth of all faults, in their order."""
        cursor = self._connection.execute(
            "SELECT round, kind, message, path, author, recipient, sent, delivered"
            " FROM faults ORDER BY id"
        )
        return [Fault(*row) for row in cursor]

    def delivered_instead(self, recipient: int, after: int) -> dict[int, str | None]:
        """Return what ``recipient`` gets instead of messages above ``after`` (None = nothing)."""
        cursor = self._connection.execute(
            "SELECT message, delivered FROM faults WHERE recipient = ? AND message > ?",
            (recipient, after),
        )
        return dict(cursor)

    def messages(self) -> list[dict[str, Any]]:
        """Return all messages as JSON-able data, in order; recipient None is a broadcast."""
        cursor = self._connection.execute(
            "SELECT round, sender, recipient, content FROM messages ORDER BY id"
        )
        names = ("round", "sender", "recipient", "content")
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def contents(self) -> list[str]:
        """Return each distinct message content once."""
        cursor = self._connection.execute("SELECT content FROM messages GROUP BY content")
        return [content for (content,) in cursor]

    # --- life of the connection ------------------------------------------------------------

    def close(self) -> None:
        """Close the database; a store in a file stays readable there."""
        self._connection.close()
        if self._lock is not None:
            self._lock.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"database": self._connection.serialize(), "next_message": self._next_message}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._connection = _connect_memory()
        self._connection.deserialize(state["database"])
        self._lock = None
        self._next_message = state["next_message"]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        twin.__setstate__(self.__getstate__())
        return twin


def _file(row: tuple[str, str, int, int, int, str]) -> File:
    path, content, author, created, modified, knowledge = row
    return File(path, content, author, created, modified, int(knowledge, 16))


def _connect_memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", check_same_thread=False)


def _lock(path: Path) -> sqlite3.Connection:
    """Lock a file as long as the connection lives, by a transaction on an empty file beside it.

    SQLite's own lock of the database itself would keep readers out, and a plain lock file would
    outlive a process that is killed.

    Raises:
        ConfigError: If it is locked already, or there can't be a file.
    """
    try:
        connection = sqlite3.connect(
            f"{path}.lock", timeout=0, isolation_level=None, check_same_thread=False
        )
        if not _locked(connection):
            # Whoever holds the lock may be forgotten and only wait to be collected.
            gc.collect()
            if not _locked(connection):
                raise ConfigError(
                    f"db_path is in use by another environment: {path}; close that one or choose "
                    "another file"
                )
    except sqlite3.Error as error:
        raise ConfigError(f"db_path can't be locked by {path}.lock: {error}") from error
    return connection


def _locked(connection: sqlite3.Connection) -> bool:
    """Lock the connection's database; False if another connection has it."""
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            return False
        raise
    return True


def _connect_file(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, check_same_thread=False)
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        tables = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        if tables and mark != _APPLICATION_ID:
            connection.close()
            raise ConfigError(
                f"db_path holds another program's database: {path}; choose a new file"
            )
        for (name,) in tables:
            connection.execute(f'DROP TABLE "{name}"')
        # Losing the last rounds in a power failure is no harm; waiting for the disk each round is.
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.executescript(_SCHEMA)
    except sqlite3.Error as error:
        raise ConfigError(f"db_path can't be used as a SQLite database: {error}") from error
    return connection
