"""YAML without surprises: scalars as in version 1.2, and no key twice.

PyYAML reads version 1.1, in which ``010`` is eight, ``1:30`` ninety, ``no`` false and
``2024-01-01`` a date, while ``1e3`` is a text. The core schema of version 1.2 knows none of it.
"""

import re
from functools import lru_cache
from typing import Any, cast

from coordgym.errors import PlanError

_SCALARS = (
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+0123456789.",
    ),
)
"""Tag, form and possible first characters of what is no text; the first that fits counts."""


def read_yaml(text: str, where: str) -> Any:
    """Read one YAML document.

    Raises:
        PlanError: If it is not YAML, or gives a key twice; the message begins with ``where``.
    """
    import yaml

    try:
        return yaml.load(text, Loader=_loader())
    except _TwiceError as error:
        raise PlanError(f"{where} line {error.line}: {error.key!r} is given twice") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PlanError(f"{where} is not YAML: {error}") from None


class _TwiceError(Exception):
    """A mapping gives a key twice, of which YAML would keep the last."""

    def __init__(self, key: object, line: int) -> None:
        super().__init__(key, line)
        self.key = key
        self.line = line


@lru_cache
def _loader() -> Any:
    import yaml

    class PlainLoader(yaml.SafeLoader):
        yaml_implicit_resolvers: dict[str, Any] = {}

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            for i, key in enumerate(keys):
                if key in keys[:i]:
                    raise _TwiceError(key, node.start_mark.line + 1)
            return cast(dict[Any, Any], super().construct_mapping(node, deep))

    for name, form, firsts in _SCALARS:
        tag = f"tag:yaml.org,2002:{name}"
        first = ["" if character == "\0" else character for character in firsts]
        PlainLoader.add_implicit_resolver(tag, re.compile(f"(?:{form})\\Z"), first)
    PlainLoader.add_constructor("tag:yaml.org,2002:int", _whole_number)
    return PlainLoader


def _whole_number(loader: Any, node: Any) -> int:
    text = str(loader.construct_scalar(node))
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text, base)
