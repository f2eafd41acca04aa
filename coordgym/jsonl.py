"""JSON lines that survive NaN, broken Unicode and a killed writer.

Plain JSON has no NaN or infinity, and UTF-8 has no lone surrogates, but metrics have the
one and the texts of models now and then the other. Both are written as tagged objects,
``{"$float": "nan"}`` and ``{"$utf8": "<base64>"}``, so that every line is standard JSON in
UTF-8 and reads back exactly. Numpy scalars and arrays become numbers and lists.
"""

import base64
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from coordgym.errors import EpisodeError

_FLOAT = "$float"
_TEXT = "$utf8"


def dumps(value: object) -> str:
    """Return one line of standard JSON, without the line end.

    Raises:
        EpisodeError: If something in it has no JSON form.
    """
    try:
        line = _encode(value)
        line.encode("utf-8")
    except ValueError:
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


def append_line(file: BinaryIO, line: str) -> None:
    """Write one line and have it on the disk before returning."""
    file.write(line.encode("utf-8") + b"\n")
    file.flush()
    os.fsync(file.fileno())


def loads_bytes(raw: bytes, where: str) -> Any:
    """Read one line of a file.

    Raises:
        EpisodeError: If it can't be read; the message begins with ``where``.
    """
    try:
        return loads(raw.decode("utf-8"))
    except (EpisodeError, UnicodeDecodeError) as error:
        raise EpisodeError(f"{where}: {error}") from None


def drop_torn_end(path: Path) -> int:
    """Cut off an unfinished last line, as a killed writer leaves it.

    Returns:
        The number of bytes dropped; 0 if the file is whole or does not exist.
    """
    if not path.exists():
        return 0
    with path.open("rb+") as file:
        data = file.read()
        end = data.rfind(b"\n") + 1
        if end < len(data):
            file.truncate(end)
            file.flush()
            os.fsync(file.fileno())
    return len(data) - end


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
    """JSON form of numpy scalars and arrays, without importing numpy."""
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
        return {key: _tag(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_tag(item) for item in value]
    if hasattr(value, "tolist"):
        return _tag(value.tolist())
    return value


def _untag(item: dict[str, Any]) -> Any:
    if len(item) == 1:
        if isinstance(text := item.get(_FLOAT), str) and text in ("nan", "inf", "-inf"):
            return float(text)
        if isinstance(text := item.get(_TEXT), str):
            return base64.b64decode(text, validate=True).decode("utf-8", "surrogatepass")
    return item


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not standard JSON")
