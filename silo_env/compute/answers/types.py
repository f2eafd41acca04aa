"""The JSON types of answers: what is read as one, and what is refused.

A submission is final, so nothing counts as one that is not of the type that the task states. An
answer is read as people write it: what can mean only one value of the type is that value, whatever
stands around it; anything else is refused with the type in words, and the agent can submit again.
The type is all that is looked at. Null, lists that are too short and numbers that are too large
are answers, and no refusal depends on what is right.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from coordgym.parsing import ParseError, parse_literal
from coordgym.parsing.decorations import ANSWER_KEYS, MAX_LAYERS, bare, folded
from coordgym.parsing.values import MAX_DIGITS
from coordgym.silo_env.compute.answers.grading import MAX_ANSWER_CHARS

NULLS: Final = frozenset({"null", "None"})

_MINUS: Final = "\N{MINUS SIGN}"
# Thousands: a comma, LaTeX's comma, an underscore, an apostrophe or one of the narrow blanks.
_COMMA: Final = r"(?:,|\{,\})"
_NARROW_BLANKS: Final = "\N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}"
_OTHER_MARK: Final = rf"(?:[_'’{_NARROW_BLANKS}]|\\,)"
_GROUPED: Final = re.compile(
    rf"[1-9][0-9]{{0,2}}(?:(?P<commas>(?:{_COMMA}[0-9]{{3}})+)|(?:{_OTHER_MARK}[0-9]{{3}})+)"
    r"(?P<decimals>\.[0-9]*)?"
)
_PLAIN: Final = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?")
_UNBRACKETED_THOUSANDS: Final = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+")

TWO_READINGS: Final = "a text that can be read in two ways"


class AnswerError(ValueError):
    """An answer is not of its type; the message says what it is instead, never its words."""


def kind_of(value: object) -> str:
    """Name the JSON type of a value in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int():
            return "an integer"
        case float():
            return "a number with decimals"
        case str():
            return "a text that says anything else"
        case list() | tuple():
            return "a list"
        case dict():
            return "a dictionary"
    return "anything else"


class AnswerType(ABC):
    """A JSON type of answers.

    Args:
        words: What one is called, such as ``"one integer"``.
        plural: What several are called, such as ``"integers"``.
    """

    def __init__(self, words: str, plural: str) -> None:
        self.words = words
        self.plural = plural

    def read(self, answer: object) -> Any:
        """Return the value of this type that an answer states; null is an answer of any type.

        Raises:
            AnswerError: If it is none, in words that end in how to do it better.
        """
        try:
            value = _unwrapped(answer)
            return None if value is None else self.value_of(value)
        except AnswerError as error:
            raise AnswerError(
                f"the answer must be {self.words}, not {error}; nothing was submitted, submit again"
            ) from error

    @abstractmethod
    def guess(self, number: int) -> Any:
        """Return a value of this type for a number ≥ 0."""

    @abstractmethod
    def value_of(self, value: object) -> Any:
        """Return the value of this type that a part of an answer states.

        Raises:
            AnswerError: If it is none, saying what it is.
        """


class _Number(AnswerType):
    """Numbers: integers alone if they must be ``whole``, else also with decimals."""

    def __init__(self, words: str, plural: str, *, whole: bool) -> None:
        super().__init__(words, plural)
        self._whole = whole

    def guess(self, number: int) -> int:
        """Return the number."""
        return number

    def value_of(self, value: object) -> int | float:
        """Return the number; a whole one as an integer where integers are asked for."""
        number = self._of_text(bare(value)) if isinstance(value, str) else value
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise AnswerError(kind_of(number))
        if isinstance(number, int) or (not self._whole and abs(number) < float("inf")):
            return number
        if not number.is_integer():  # neither are infinities and NaN
            raise AnswerError(kind_of(number))
        return int(number)

    def _of_text(self, text: str) -> int | float:
        unsigned = text[1:] if text[:1] in ("-", "+", _MINUS) else text
        sign = -1 if text[:1] in ("-", _MINUS) else 1
        if (grouped := _GROUPED.fullmatch(unsigned)) is not None:
            self._refuse_a_decimal_comma(grouped)
            unsigned = re.sub(r"[^0-9.]", "", unsigned)
        if _PLAIN.fullmatch(unsigned) is None or len(unsigned) > MAX_DIGITS:
            raise AnswerError(kind_of(text))
        if self._whole and re.fullmatch(r"[1-9][0-9]{0,2}\.[0-9]{3}", unsigned):
            raise AnswerError(TWO_READINGS)
        if unsigned.isdigit():
            return sign * int(unsigned)
        number = float(unsigned)
        if number == float("inf"):
            raise AnswerError(kind_of(text))
        return sign * number

    def _refuse_a_decimal_comma(self, grouped: re.Match[str]) -> None:
        """Refuse a single comma before three digits, unless integers alone are asked for."""
        commas = grouped["commas"]
        if commas and not self._whole and grouped["decimals"] is None and commas.count(",") == 1:
            raise AnswerError(TWO_READINGS)


class _Boolean(AnswerType):
    """True or false."""

    def guess(self, number: int) -> bool:
        """Tell whether the number is odd."""
        return number % 2 == 1

    def value_of(self, value: object) -> bool:
        """Return the truth value, also of its name in any case."""
        if isinstance(value, bool):
            return value
        name = bare(value).lower() if isinstance(value, str) else ""
        if name not in ("true", "false"):
            raise AnswerError(kind_of(value))
        return name == "true"


class _Text(AnswerType):
    """A text, without what decorates it."""

    def guess(self, number: int) -> str:
        """Return the number's digits."""
        return str(number)

    def value_of(self, value: object) -> str:
        """Return the text."""
        if not isinstance(value, str):
            raise AnswerError(kind_of(value))
        text = bare(value)
        if not text:
            raise AnswerError("an empty one")
        return text


INTEGER: Final = _Number("one integer", "integers", whole=True)
NUMBER: Final = _Number("one number", "numbers", whole=False)
BOOLEAN: Final = _Boolean("true or false", "truth values")
TEXT: Final = _Text("a text in quotes", "texts")


class ListOf(AnswerType):
    """A list whose items are of one type."""

    def __init__(self, items: AnswerType) -> None:
        super().__init__(f"a list of {items.plural}", f"lists of {items.plural}")
        self._items = items

    def guess(self, number: int) -> list[Any]:
        """Return a list of one item."""
        return [self._items.guess(number)]

    def value_of(self, value: object) -> list[Any]:
        """Return the list with all items as values of their type."""
        items = _parsed(_bracketed(bare(value))) if isinstance(value, str) else value
        if not isinstance(items, list | tuple):
            raise AnswerError(kind_of(value))
        if isinstance(self._items, _Number) and set(map(type, items)) == {int}:
            return list(items)  # long lists take time
        return [_part(self._items, item, "a list") for item in items]


class DictOf(AnswerType):
    """A dictionary whose values are of one type, by ``names`` or, without them, by integers."""

    def __init__(self, values: AnswerType, names: Sequence[str] = ()) -> None:
        keys = ", ".join(names) or "integers"
        ending = f"from {keys} to {values.plural}"
        super().__init__(f"a dictionary {ending}", f"dictionaries {ending}")
        self._values = values
        self._names = names

    def guess(self, number: int) -> dict[str, Any]:
        """Return a dictionary of one entry."""
        return {next(iter(self._names), "0"): self._values.guess(number)}

    def value_of(self, value: object) -> dict[str, Any]:
        """Return the dictionary; which of its possible keys it has is not looked at."""
        entries = _parsed(bare(value)) if isinstance(value, str) else value
        if not isinstance(entries, Mapping):
            raise AnswerError(kind_of(value))
        read = {self._key(str(k)): _part(self._values, v, "one") for k, v in entries.items()}
        if len(read) < len(entries):
            raise AnswerError("one in which two keys read alike")
        return read

    def _key(self, key: str) -> str:
        if self._names:
            if (name := folded(key)) in self._names:
                return name
            raise AnswerError("one with a key of another name")
        if key.isascii() and key.isdigit() and (key[0] != "0" or key == "0"):
            return key
        try:
            return str(INTEGER.value_of(key))
        except AnswerError as error:
            raise AnswerError("one with a key that is no integer") from error


def _part(kind: AnswerType, value: object, whole: str) -> Any:
    """Read a part of an answer; the error names what it is a part of."""
    try:
        return kind.value_of(value)
    except AnswerError as error:
        raise AnswerError(f"{whole} with {error} in it") from error


def _unwrapped(answer: object) -> object:
    """Take a value out of objects that only say that it is the answer; names of null are null."""
    for _ in range(MAX_LAYERS):
        entries = answer
        if isinstance(answer, str):
            text = bare(answer)
            if text in NULLS:
                return None
            entries = _object_in(text)
        if not isinstance(entries, Mapping) or len(entries) != 1:
            return answer
        ((key, value),) = entries.items()
        if folded(str(key)) not in ANSWER_KEYS:
            return answer
        answer = value
    return answer


def _object_in(text: str) -> object:
    """Return the object that a text is; None if it is none."""
    try:
        return _parsed(text) if text.startswith("{") else None
    except AnswerError:
        return None


def _bracketed(text: str) -> str:
    """Put brackets around items that are only parted by commas."""
    if text.startswith(("[", "(", "{")) or "," not in text:
        return text
    if _UNBRACKETED_THOUSANDS.fullmatch(text):
        raise AnswerError(TWO_READINGS)
    return f"[{text}]"


def _parsed(text: str) -> object:
    """Read a text as JSON or a literal.

    Raises:
        AnswerError: If it is neither.
    """
    try:
        return parse_literal(text.replace(_MINUS, "-"), max_chars=MAX_ANSWER_CHARS)
    except ParseError as error:
        raise AnswerError(kind_of(text)) from error
