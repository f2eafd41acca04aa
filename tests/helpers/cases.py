"""The known cases of ``tests/data``: one JSON object a line, read here and nowhere else."""

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"
Case = dict[str, Any]


def cases(name: str, **fields: Any) -> list[Case]:
    """Return the cases of a file in its order: all, or those with the given values of fields."""
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        case
        for case in map(json.loads, lines)
        if all(case[key] == value for key, value in fields.items())
    ]


def first_case(name: str, **fields: Any) -> Case:
    """Return the first case with the given values of fields; say how to add one if none has."""
    found = cases(name, **fields)
    if not found:
        wanted = ", ".join(f"{key} {value!r}" for key, value in fields.items())
        raise LookupError(
            f"tests/data/{name}.jsonl has no case with {wanted}; "
            f"`python scripts/make_cases.py {name} TASK` adds those of a task"
        )
    return found[0]
