"""JSON lines that survive NaN, broken Unicode and a killed writer.

Plain JSON has no NaN or infinity, and UTF-8 has no lone surrogates, but metrics have the
one and the texts of models now and then the other. Both are written as tagged objects,
``{"$float": "nan"}`` and ``{"$utf8": "<base64>"}``, so that every line is standard JSON in
UTF-8 and reads back exactly. Data that look like such an object get one more ``$`` in front of
the key. Numpy scalars and arrays become numbers and lists, paths become texts.

A file whose name ends in ``.gz`` is compressed line by line: each line is a gzip member of its
own, so lines can be appended one by one, and ``zcat`` and ``gzip.open`` read the file as a whole.
"""

import base64
import gzip
import json
import math
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from coordgym.errors import EpisodeError

_FLOAT = "$float"
_TEXT = "$utf8"
_ESCAPED = re.compile(r"\$+(float|utf8)")
"""Keys of tagged objects, and of data that look like them."""
_COMPRESSION = 6
"""Level of gzip; 9 takes twice the time and saves 1 to 2 %."""
_GZIP = 16 + zlib.MAX_WBITS
"""Tells zlib to expect the header and the checksum of gzip."""
_MAGIC = b"\x1f\x8b\x08"
"""What a gzip member begins with."""
_CHUNK_BYTES = 2**16


def dumps(value: object) -> str:
    """Return one line of standard JSON, without the line end.

    Raises:
        EpisodeError: If something in it has no JSON form.
    """
    try:
        line = _encode(value)
        line.encode("utf-8")
        plain = f'{_FLOAT}"' not in line and f'{_TEXT}"' not in line
    except ValueError:
        plain = False
    if not plain:
        line = _encode(_tag(value))
        if not _is_unicode(line):
            raise EpisodeError("a record has a key that is not valid Unicode") from None
    return line


def loads(line: str) -> Any:
    """Read what ``dumps`` wrote.

    Raises:
        EpisodeError: If it is not standard JSON, or nested too deeply to read.
    """
    try:
        return json.loads(line, object_hook=_untag, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise EpisodeError(f"not a JSON record: {error}") from None


def is_compressed(path: Path) -> bool:
    """Tell whether the lines of a file of this name are compressed."""
    return path.suffix == ".gz"


def as_written(line: str, path: Path) -> bytes:
    """Return the bytes of a line, with its end, in a file of this name."""
    raw = line.encode("utf-8") + b"\n"
    return gzip.compress(raw, _COMPRESSION, mtime=0) if is_compressed(path) else raw


@contextmanager
def appending(path: Path) -> Iterator[BinaryIO]:
    """Open a file for ``append_line``.

    Raises:
        OSError: If it can't be opened.
    """
    file = path.open("ab")
    try:
        yield file
    finally:
        with suppress(OSError):  # append_line has told what could not be written
            file.close()


def append_line(file: BinaryIO, line: str) -> None:
    """Write one line to an opened file and have it on the disk before returning.

    Raises:
        OSError: If it can't be written, say because the disk is full; it names the file.
    """
    try:
        file.write(as_written(line, Path(file.name)))
        file.flush()
        os.fsync(file.fileno())
    except OSError as error:
        raise OSError(error.errno, error.strerror, file.name) from error


def read_lines(path: Path, *, torn: bool = False) -> Iterator[bytes]:
    """Yield the lines of a file with their ends.

    Args:
        path: The file.
        torn: Leave out a last line that is not whole: the writer may still be at it.

    Raises:
        OSError: If the file can't be read.
        EpisodeError: If it is compressed and damaged, or its end is torn unless ``torn``.
    """
    pending = b""
    with path.open("rb") as file:
        for piece in _unzipped(file, path, torn) if is_compressed(path) else file:
            *lines, pending = (pending + piece).split(b"\n")
            for line in lines:
                yield line + b"\n"
    if pending and not torn:
        yield pending


def _unzipped(file: BinaryIO, path: Path, torn: bool) -> Iterator[bytes]:
    whole, held = 0, b""
    for piece, end in _members(file, path):
        if end > whole:
            yield held + piece
            whole, held = end, b""
        elif piece:  # what may be a member's last piece waits until its checksum is read
            yield held
            held = piece
    if whole < file.tell() and not torn:
        raise EpisodeError(f"{path.name} ends within a compressed line, after byte {whole}")


def _members(file: BinaryIO, path: Path) -> Iterator[tuple[bytes, int]]:
    """Yield what is in a compressed file, piece by piece.

    With each piece comes where the last whole member until then ends, in bytes of the file.
    """
    end = 0
    member = zlib.decompressobj(_GZIP)
    while chunk := file.read(_CHUNK_BYTES):
        while chunk:
            try:
                piece = member.decompress(chunk)
            except zlib.error as error:
                if _is_torn(file, end):
                    return
                raise EpisodeError(f"{path.name} is damaged after byte {end}: {error}") from None
            chunk = member.unused_data
            if member.eof:
                end = file.tell() - len(chunk)
                member = zlib.decompressobj(_GZIP)
            yield piece, end


def _is_torn(file: BinaryIO, end: int) -> bool:
    """Tell whether what follows byte ``end``, a whole member's end, is a writer's last attempt.

    It is if no further member follows whole, whatever a power failure has left there instead.
    A file without any whole member may be no file of ours: there, only unwritten blocks are.
    Leaves the file at its end.
    """
    file.seek(end)
    rest = file.read()
    if end == 0:
        return not any(rest)
    starts = (match.start() for match in re.finditer(re.escape(_MAGIC), rest))
    return not any(_begins_with_member(rest[start:]) for start in starts)


def _begins_with_member(data: bytes) -> bool:
    """Tell whether data begin with a whole compressed member, its checksum included."""
    member = zlib.decompressobj(_GZIP)
    try:
        for start in range(0, len(data), _CHUNK_BYTES):
            member.decompress(data[start : start + _CHUNK_BYTES])
            if member.eof:
                return True
    except zlib.error:
        pass
    return False


def loads_bytes(raw: bytes, where: str) -> Any:
    """Read one line of a file.

    Raises:
        EpisodeError: If it can't be read; the message begins with ``where``.
    """
    try:
        return loads(raw.decode("utf-8"))
    except (EpisodeError, UnicodeDecodeError) as error:
        raise EpisodeError(f"{where}: {error}") from None


def torn_bytes(path: Path) -> int:
    """Return the length of an unfinished last line; 0 if the file is whole or does not exist.

    Raises:
        EpisodeError: If the file is compressed and damaged before its end.
    """
    if not path.exists():
        return 0
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        end = _end_of_members(file, path) if is_compressed(path) else _end_of_lines(file, size)
    return size - end


def drop_torn_end(path: Path) -> int:
    """Cut off an unfinished last line, as a killed writer leaves it.

    Returns:
        The number of bytes dropped; 0 if the file is whole or does not exist.

    Raises:
        EpisodeError: If the file is compressed and damaged before its end.
    """
    torn = torn_bytes(path)
    if torn:
        with path.open("rb+") as file:
            file.truncate(file.seek(0, os.SEEK_END) - torn)
            file.flush()
            os.fsync(file.fileno())
    return torn


def _end_of_lines(file: BinaryIO, size: int) -> int:
    """Return where the last whole line ends, looking from the end."""
    while size > 0:
        start = max(0, size - _CHUNK_BYTES)
        file.seek(start)
        found = file.read(size - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        size = start
    return 0


def _end_of_members(file: BinaryIO, path: Path) -> int:
    """Return where the last whole member ends."""
    file.seek(0)
    return max((end for _, end in _members(file, path)), default=0)


def _encode(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except (TypeError, RecursionError) as error:
        raise EpisodeError(f"a record has no JSON form: {error}") from None


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _plain(value: Any) -> object:
    """Return the JSON form of paths and of numpy scalars and arrays, without importing numpy."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} can't be written as JSON")


def _tag(value: object) -> object:
    if isinstance(value, str):
        if _is_unicode(value):
            return value
        raw = value.encode("utf-8", "surrogatepass")
        return {_TEXT: base64.b64encode(raw).decode("ascii")}
    if isinstance(value, float):
        return value if math.isfinite(value) else {_FLOAT: str(float(value))}
    if isinstance(value, Mapping):
        tagged = {key: _tag(item) for key, item in value.items()}
        return {f"${key}": item for key, item in tagged.items()} if _looks_tagged(value) else tagged
    if isinstance(value, list | tuple):
        return [_tag(item) for item in value]
    if hasattr(value, "tolist"):
        return _tag(value.tolist())
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _looks_tagged(item: Mapping[Any, Any]) -> bool:
    if len(item) != 1:
        return False
    (key,) = item
    return isinstance(key, str) and _ESCAPED.fullmatch(key) is not None


def _untag(item: dict[str, Any]) -> Any:
    if _looks_tagged(item):
        (key,) = item
        if key.startswith("$$"):
            return {key[1:]: item[key]}
        if isinstance(text := item.get(_FLOAT), str) and text in ("nan", "inf", "-inf"):
            return float(text)
        if isinstance(text := item.get(_TEXT), str):
            return base64.b64decode(text, validate=True).decode("utf-8", "surrogatepass")
    return item


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not standard JSON")
