"""Frozen dataclasses from JSON or YAML data, with every type checked and no key ignored.

Records and plans are read through here, so that a typo in a plan or a damaged record is an
error that names the place and the nearest allowed key, and never a default that was not meant.
Understood types: str, int, float, bool, None, Any, literals, unions, ``dict[str, X]`` and
``Mapping[str, X]``, ``tuple[X, ...]``, ``tuple[X, Y]``, and dataclasses and named tuples of these.
"""

import dataclasses
import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from coordgym.errors import CoordgymError, shown, suggest

T = TypeVar("T")

_SCALARS: dict[object, str] = {str: "a text", bool: "true or false", types.NoneType: "null"}


def build(cls: type[T], data: object, where: str, error: type[CoordgymError]) -> T:
    """Return the dataclass ``cls`` made from ``data``.

    Args:
        cls: A dataclass.
        data: A mapping with its fields; fields that have a default may be missing.
        where: What ``data`` is, for the message ("episodes.jsonl line 3").
        error: The class to raise.

    Raises:
        CoordgymError: Of class ``error``, for a wrong type, a missing or an unknown key.
    """
    try:
        return cast(T, _dataclass(cls, data, where))
    except _MismatchError as mismatch:
        raise error(str(mismatch)) from None


class _MismatchError(Exception):
    """Data does not have the expected form; the message says where."""


@lru_cache(maxsize=64)
def _fields(cls: type) -> dict[str, tuple[Any, bool]]:
    """Return the type of each field of a dataclass, and whether it is required."""
    hints = get_type_hints(cls)
    return {
        field.name: (
            hints[field.name],
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(cls)
        if field.init
    }


def _dataclass(cls: type, data: object, where: str) -> object:
    fields = _fields(cls)
    given = _mapping(data, where)
    for key in given:
        if key not in fields:
            allowed = ", ".join(fields)
            raise _MismatchError(
                f"{where}: unknown key {shown(key)}{suggest(key, fields)} (allowed: {allowed})"
            )
    missing = [name for name, (_, required) in fields.items() if required and name not in given]
    if missing:
        raise _MismatchError(f"{where}: {missing[0]!r} is missing")
    return cls(
        **{name: _value(fields[name][0], item, f"{where}: {name}") for name, item in given.items()}
    )


def _mapping(data: object, where: str) -> Mapping[str, object]:
    if not isinstance(data, Mapping) or not all(isinstance(key, str) for key in data):
        raise _MismatchError(f"{where} must be a mapping with text keys, got {_show(data)}")
    return data


def _value(hint: Any, value: object, where: str) -> object:
    if hint is Any:
        return value
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _union(get_args(hint), value, where)
    if origin is tuple:
        return _tuple(get_args(hint), value, where)
    if origin is Literal:
        return _literal(get_args(hint), value, where)
    if origin in (dict, Mapping):
        inner = get_args(hint)[1]
        items = _mapping(value, where).items()
        return {key: _value(inner, item, f"{where}.{key}") for key, item in items}
    if dataclasses.is_dataclass(hint):
        return _dataclass(cast(type, hint), value, where)
    if isinstance(hint, type) and issubclass(hint, tuple):
        named_tuple: Any = hint
        return named_tuple(*_tuple(tuple(get_type_hints(hint).values()), value, where))
    return _scalar(hint, value, where)


_PLAIN = (str, int, float, bool)


def _tuple(hints: tuple[Any, ...], value: object, where: str) -> tuple[object, ...]:
    """Read a list of any length, if an ellipsis follows the type of its entries, or of this one."""
    if not isinstance(value, list | tuple):
        raise _MismatchError(f"{where} must be a list, got {_show(value)}")
    inner = hints[0]
    if len(hints) == 2 and hints[1] is Ellipsis:
        if inner in _PLAIN and all(type(item) is inner for item in value):
            return tuple(value)
        hints = (inner,) * len(value)
    if len(value) != len(hints):
        raise _MismatchError(f"{where} must have {len(hints)} entries, got {_show(value)}")
    entries = enumerate(zip(hints, value, strict=True))
    return tuple(_value(each, item, f"{where}[{i}]") for i, (each, item) in entries)


def _literal(options: tuple[object, ...], value: object, where: str) -> object:
    """Read one of a few values; True is not 1."""
    for option in options:
        if type(option) is type(value) and option == value:
            return value
    allowed = ", ".join(map(repr, options))
    raise _MismatchError(f"{where} must be one of {allowed}, got {_show(value)}")


def _union(options: tuple[Any, ...], value: object, where: str) -> object:
    """Take the first option that fits; with one structured option, its own complaint is shown."""
    if value is None and types.NoneType in options:
        return None
    rest = [option for option in options if option is not types.NoneType]
    for option in rest[:-1]:
        try:
            return _value(option, value, where)
        except _MismatchError:
            continue
    return _value(rest[-1], value, where)


def _scalar(hint: Any, value: object, where: str) -> object:
    if hint in _SCALARS:
        if isinstance(value, hint):
            return value
        raise _MismatchError(f"{where} must be {_SCALARS[hint]}, got {_show(value)}")
    if hint is int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise _MismatchError(f"{where} must be a whole number, got {_show(value)}")
    if hint is float:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        raise _MismatchError(f"{where} must be a number, got {_show(value)}")
    raise TypeError(f"{where}: {hint!r} is not a type that strict.build understands")


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
