"""How answers are compared with the truth: queries, orders, circles, assignments."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

from coordgym.silo_env.pairs.facts.fact_checks import answer_integer, answer_list
from coordgym.silo_env.pairs.facts.prose import numbered_values
from coordgym.silo_env.pairs.task import Answer, Grade, Json


def fold(text: str) -> str:
    """Return a text without regard to case and width of blanks."""
    return " ".join(text.split()).casefold()


def matches(expected: Json, given: object) -> bool:
    """Tell whether an entry of an answer is right: a number, a text, or a set of texts."""
    if isinstance(expected, list):
        if not isinstance(given, list | tuple) or not all(isinstance(item, str) for item in given):
            return False
        return {fold(item) for item in given} == {fold(str(item)) for item in expected}
    if isinstance(expected, str):
        return isinstance(given, str) and fold(given) == fold(expected)
    return answer_integer(given) == expected


def grade_queries(expected: Sequence[Json], answer: object) -> Grade:
    """Return the share of queries answered rightly by ``{"answers": [...]}``, in query order."""
    given = answer_list(answer, "answers") or ()
    right = sum(matches(*pair) for pair in zip(expected, given, strict=False))
    return Grade(right / len(expected))


def numbered_answers(
    messages: Sequence[str], count: int, read: Callable[[str], Json]
) -> Answer | None:
    """Read the numbered lines of the last message with readable ones that are no questions.

    Args:
        messages: The dialogue.
        count: How many queries there are.
        read: Turns what a line says into an entry of the answer.
    """
    for message in reversed(messages):
        lines = numbered_values(message, count).items()
        said = {number: line for number, line in lines if not line.rstrip().endswith("?")}
        if said:
            last = max(said)
            entries = [read(said[k]) if k in said else None for k in range(1, last + 1)]
            if any(entry is not None for entry in entries):
                return {"answers": entries}
    return None


def assigned(answer: object, field: str, keys: Iterable[str]) -> dict[str, object]:
    """Return what an answer gives to the known keys; unknown keys are ignored, as is case."""
    given = answer.get(field) if isinstance(answer, Mapping) else None
    if not isinstance(given, Mapping):
        return {}
    known = {key.casefold(): key for key in keys}
    found: dict[str, object] = {}
    for key, value in given.items():
        name = known.get(str(key).strip().casefold())
        if name is not None:
            found.setdefault(name, value)
    return found


def named_once(value: object, names: Sequence[str]) -> list[str]:
    """List the known names in their order, each at its first place; case is ignored."""
    if not isinstance(value, list | tuple):
        return []
    known = {name.casefold(): name for name in names}
    given = (known.get(entry.strip().casefold()) for entry in value if isinstance(entry, str))
    return list(dict.fromkeys(name for name in given if name is not None))


def order_score(listed: object, truth: Sequence[str]) -> float:
    """Return one minus the normalised Kendall distance; a missing name costs all its pairs."""
    place = {name: index for index, name in enumerate(named_once(listed, truth))}
    pairs = list(combinations(truth, 2))
    right = sum(a in place and b in place and place[a] < place[b] for a, b in pairs)
    return right / len(pairs)


def circle_score(listed: object, truth: Sequence[str]) -> float:
    """Return one minus the distance of the best rotation, as a share of the largest possible.

    A name costs the seats between its place and the true one, the shorter way round; a missing
    name costs half the table. Reflection is not free.
    """
    named = named_once(listed, truth)
    n, half = len(truth), len(truth) // 2
    seat = {name: index for index, name in enumerate(truth)}
    offsets = [(seat[name] - index) % n for index, name in enumerate(named)]
    missing = half * (n - len(named))
    distance = min(
        missing + sum(min((o - turn) % n, (turn - o) % n) for o in offsets) for turn in range(n)
    )
    return 1 - distance / (n * half)
