"""Grading of submitted answers: pure rules that accept any value and never raise.

An answer that arrives as text is read as JSON, else as a Python literal. Tuples equal lists,
dictionary keys are compared as text, booleans equal only booleans, integers are exact and floats
carry the task's absolute tolerance. Null, NaN, infinities and unreadable text are wrong.
Success and partial credit follow Silo-Bench (arXiv 2603.01045, section 3.3); the partial credit is
repaired where the published scorer crashes or gives a wrong answer full marks.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from coordgym.parsing import ParseError, parse_literal

MAX_ANSWER_CHARS = 1_000_000
RELATIVE_MARGIN = 0.01
# 0.1 + 0.02 style rounding noise must not turn "differs by exactly the tolerance" into an error.
TOLERANCE_SLACK = 1.001
_MAX_ROW_DEPTH = 4


class Partial(StrEnum):
    """How an answer that is not correct can still earn credit."""

    NONE = "none"  # all or nothing
    RELATIVE = "relative"  # a number within 1 % of the expected one earns everything
    POSITIONS = "positions"  # list: positions that agree / the longer length
    SUBSEQUENCE = "subsequence"  # list: longest common subsequence / the longer length
    KEYS = "keys"  # dictionary: keys with the right value / all keys that occur


class Grade(NamedTuple):
    """Verdict on one agent's answer.

    Attributes:
        correct: Whether the answer equals the expected one within the tolerance.
        partial: Credit in [0, 1]; 1 whenever ``correct``.
    """

    correct: bool
    partial: float


WRONG = Grade(correct=False, partial=0.0)


def grade_answer(answer: object, expected: object, tolerance: float, partial: Partial) -> Grade:
    """Grade one answer.

    Args:
        answer: Whatever was submitted; None stands for no submission.
        expected: The reference answer.
        tolerance: Absolute, used for expected floats only.
        partial: The rule for answers that are not correct.
    """
    if isinstance(answer, str) and isinstance(expected, str) and answer.strip() == expected:
        return Grade(correct=True, partial=1.0)
    value = read_answer(answer)
    if value is None:
        return WRONG
    if equal(value, expected, tolerance):
        return Grade(correct=True, partial=1.0)
    return Grade(correct=False, partial=_partial_credit(value, expected, tolerance, partial))


def read_answer(answer: object) -> object:
    """Return the value that a submitted answer stands for, None if there is none.

    Text that is neither JSON nor a Python literal stands for itself, so that a bare word such as
    ``Candidate_A`` can be compared with an expected word.
    """
    if not isinstance(answer, str):
        return answer
    try:
        return parse_literal(answer.strip(), max_chars=MAX_ANSWER_CHARS)
    except ParseError:
        return answer.strip()


def equal(answer: object, expected: object, tolerance: float) -> bool:
    """Tell whether two values agree by the rules in the module's description."""
    if isinstance(expected, bool) or isinstance(answer, bool):
        return answer is expected
    if isinstance(expected, int | float):
        return isinstance(answer, int | float) and _numbers_agree(answer, expected, tolerance)
    if isinstance(expected, str):
        return isinstance(answer, str) and answer.strip() == expected
    if isinstance(expected, list | tuple):
        if not isinstance(answer, list | tuple) or len(answer) != len(expected):
            return False
        if _only_integers(expected) and _only_integers(answer):
            return list(answer) == list(expected)
        return all(equal(a, e, tolerance) for a, e in zip(answer, expected, strict=True))
    if isinstance(expected, Mapping):
        if _are_the_same_numbers(answer, expected):
            return True
        given, wanted = _text_keys(answer), _text_keys(expected)
        if given is None or wanted is None or given.keys() != wanted.keys():
            return False
        return all(equal(given[key], value, tolerance) for key, value in wanted.items())
    return False


def _only_integers(items: Sequence[object]) -> bool:
    """Tell whether plain comparison does, which is much faster on long rows."""
    return set(map(type, items)) == {int}


def _are_the_same_numbers(answer: object, expected: Mapping[str, object]) -> bool:
    """Tell whether plain comparison finds two dictionaries of numbers alike, as it mostly does."""
    return (
        isinstance(answer, Mapping)
        and set(map(type, answer.values())) <= {int, float}
        and set(map(type, expected.values())) <= {int, float}
        and answer == expected
    )


def agrees_as_published(answer: object, expected: object) -> bool:
    """Tell exact equality after JSON-only parsing, as the published benchmark scores success."""
    value = answer
    if isinstance(answer, str):
        try:
            value = json.loads(answer[:MAX_ANSWER_CHARS])
        except (ValueError, RecursionError):
            value = answer
    try:
        return bool(value == expected)
    except (RecursionError, ValueError):  # ValueError: arrays have no truth value
        return False


def _numbers_agree(answer: float, expected: float, tolerance: float) -> bool:
    if isinstance(expected, int):
        return answer == expected
    try:
        return abs(answer - expected) <= tolerance * TOLERANCE_SLACK
    except OverflowError:  # an integer beyond the range of floats
        return False


def _text_keys(value: object) -> dict[str, Any] | None:
    """Return the dictionary with its keys as text; None if it is none or two keys read alike."""
    if not isinstance(value, Mapping):
        return None
    try:
        renamed = {str(key): item for key, item in value.items()}
    except (ValueError, RecursionError):  # a key with too many digits or levels to be written
        return None
    return renamed if len(renamed) == len(value) else None


def _partial_credit(value: object, expected: object, tolerance: float, rule: Partial) -> float:
    if rule is Partial.RELATIVE:
        return float(_within_one_percent(value, expected))
    if rule is Partial.KEYS:
        return _agreeing_keys(value, expected, tolerance)
    if rule is Partial.NONE or not isinstance(expected, list | tuple):
        return 0.0
    if not isinstance(value, list | tuple):
        return 0.0
    longer = max(len(value), len(expected))
    if rule is Partial.POSITIONS:
        pairs = zip(value, expected, strict=False)
        return sum(equal(a, e, tolerance) for a, e in pairs) / longer
    return _common_subsequence(value, expected, tolerance) / longer


def _within_one_percent(value: object, expected: object) -> bool:
    if isinstance(value, bool) or isinstance(expected, bool):
        return False
    if not isinstance(value, int | float) or not isinstance(expected, int | float):
        return False
    try:
        return abs(value - expected) <= RELATIVE_MARGIN * abs(expected)
    except OverflowError:
        return False


def _agreeing_keys(value: object, expected: object, tolerance: float) -> float:
    given, wanted = _text_keys(value), _text_keys(expected)
    if given is None or not wanted:
        return 0.0
    right = sum(key in given and equal(given[key], item, tolerance) for key, item in wanted.items())
    return right / len(given.keys() | wanted.keys())


def _common_subsequence(
    value: Sequence[object], expected: Sequence[object], tolerance: float
) -> int:
    if tolerance > 0:
        return _tolerant_common_subsequence(value, expected, tolerance)
    from rapidfuzz.distance import LCSseq  # bit-parallel; imported where it is needed

    # Own numbering instead of hash(): hash(-1) == hash(-2), and True must not meet 1.
    numbers: dict[object, int] = {}
    return int(LCSseq.similarity(_numbered(value, numbers), _numbered(expected, numbers)))


def _numbered(items: Iterable[object], numbers: dict[object, int]) -> list[int]:
    return [numbers.setdefault(_hashable(item, _MAX_ROW_DEPTH), len(numbers)) for item in items]


def _hashable(item: object, depth: int) -> object:
    """Return a hashable stand-in, equal exactly where ``equal`` with tolerance 0 is."""
    if isinstance(item, bool):
        return ("bool", item)
    if isinstance(item, int | float):
        return item
    if isinstance(item, str):
        return item.strip()
    if isinstance(item, list | tuple) and depth > 0:
        if _only_integers(item):
            return ("list", *item)
        return ("list", *(_hashable(part, depth - 1) for part in item))
    return ("other", id(item))


def _tolerant_common_subsequence(
    value: Sequence[object], expected: Sequence[object], tolerance: float
) -> int:
    """Count by dynamic programming; the tasks with floats expect at most a handful of rows."""
    best = [0] * (len(expected) + 1)
    for item in value:
        diagonal = 0
        for position, wanted in enumerate(expected, start=1):
            above = best[position]
            match = diagonal + 1 if equal(item, wanted, tolerance) else 0
            best[position] = max(above, best[position - 1], match)
            diagonal = above
    return best[-1]
