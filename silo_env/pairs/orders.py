"""Names in a line or round a table: how an answer is compared with the true order."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

from coordgym.silo_env.pairs.extraction import longest_run
from coordgym.silo_env.pairs.task import Json


def named_once(value: object, names: Sequence[str]) -> list[str]:
    """The known names of an answer in its order, each at its first place; case is ignored."""
    if not isinstance(value, list | tuple):
        return []
    known = {name.casefold(): name for name in names}
    given = (known.get(entry.strip().casefold()) for entry in value if isinstance(entry, str))
    return list(dict.fromkeys(name for name in given if name is not None))


def order_score(answer: object, truth: Sequence[str], field: str = "order") -> float:
    """One minus the normalised Kendall distance; a missing name costs all its pairs."""
    value = answer.get(field) if isinstance(answer, Mapping) else None
    place = {name: index for index, name in enumerate(named_once(value, truth))}
    pairs = list(combinations(truth, 2))
    right = sum(a in place and b in place and place[a] < place[b] for a, b in pairs)
    return right / len(pairs)


def circle_score(answer: object, truth: Sequence[str], field: str = "circle") -> float:
    """One minus the distance of the best rotation, as a share of the largest possible.

    A name costs the seats between its place and the true one, the shorter way round; a missing
    name costs half the table. Reflection is not free.
    """
    value = answer.get(field) if isinstance(answer, Mapping) else None
    listed = named_once(value, truth)
    n, half = len(truth), len(truth) // 2
    seat = {name: index for index, name in enumerate(truth)}
    offsets = [(seat[name] - index) % n for index, name in enumerate(listed)]
    missing = half * (n - len(listed))
    distance = min(
        missing + sum(min((o - turn) % n, (turn - o) % n) for o in offsets) for turn in range(n)
    )
    return 1 - distance / (n * half)


def free_text_names(messages: Sequence[str], names: Sequence[str]) -> list[Json] | None:
    """The longest run of two or more names in the last message that has one."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    for message in reversed(messages):
        run = longest_run(message, pattern)
        if len(run) >= 2:
            return list(run)
    return None
