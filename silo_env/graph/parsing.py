"""Read what an agent writes: messages to neighbours, or a final answer.

Messages are one JSON object {neighbour: text} somewhere in prose; a final answer is one of
the agent's options after a fixed mark. Both parsers are pure, bounded and never raise.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from coordgym.parsing import ParseError, find_objects, parse_literal, valid_text
from coordgym.parsing.choices import read_choice
from coordgym.parsing.marks import WORD

ANSWER_MARK = "### Final Answer ###"
MAX_DROPPED_SHOWN = 5
"""Most entries of a message object that are named to the agent as not sent."""
MAX_KEY_SHOWN = 40
MAX_ERROR_CHARS = 200
STRANGER = "not the name of a neighbour"
NOT_ALL_SENT = "not all of your messages were sent"
"""How the error begins where some messages were sent and others not."""

_FENCED = re.compile(r"```[a-z]*\n(.*?)```", re.S)
_EMPTY = re.compile(r"\{\s*\}")
MAX_FENCES = 3
"""So many code fences are looked at for a dictionary, the last ones."""
_MARK = re.compile(r"###\s*Final\s+Answer\s*###", re.IGNORECASE)
_HEADING = re.compile(
    rf"^[ \t>*_]*#{{1,6}}[ \t]*\**Final[ \t]+Answer(?![{WORD}])(?:[ \t]*[*#:]+)*", re.I | re.M
)
_DECORATION = re.compile(r"[\s:*#`\"'“”‘’]*")


class Dropped(NamedTuple):
    """An entry of a message object that is not sent: its key, shortened, and why."""

    key: str
    reason: str


class ParsedMessages(NamedTuple):
    """Messages found in a text.

    Attributes:
        messages: Text by neighbour's name.
        dropped: Entries that are not sent.
        error: Why no messages could be read, or None; then ``messages`` may be empty on
            purpose.
    """

    messages: dict[str, str]
    dropped: tuple[Dropped, ...] = ()
    error: str | None = None


class ParsedAnswer(NamedTuple):
    """A final answer, one of the options, or the reason why there is none."""

    answer: str | None
    error: str | None = None


def parse_messages(
    text: str, neighbours: Collection[str], max_message_chars: int
) -> ParsedMessages:
    """Find the messages in what an agent wrote.

    The last JSON object that has a neighbour among its keys counts; if none has, an empty
    object means silence on purpose. Objects inside such an object are not looked at.

    Args:
        text: What the agent wrote, valid Unicode.
        neighbours: Names of the agent's neighbours; without any, every text is valid.
        max_message_chars: A longer message is not sent.
    """
    if not neighbours:
        return ParsedMessages({})
    is_silent = names_strangers = False

    def accept(entries: dict[str, Any]) -> bool:
        nonlocal is_silent, names_strangers
        is_silent = is_silent or not entries
        names_strangers = names_strangers or bool(entries)
        return any(key in neighbours for key in entries)

    # Line breaks inside strings are common in what models write, and harmless; a message
    # that is not valid Unicode does not hold up the others.
    found = find_objects(text, accept, control_characters=True, lone_surrogates=True)
    if found:
        return _sort_entries(found[-1].value, neighbours, max_message_chars)
    for literal in _literals(text):
        if accept(literal):
            return _sort_entries(literal, neighbours, max_message_chars)
    if is_silent:
        return ParsedMessages({})
    if names_strangers:
        return ParsedMessages(
            {},
            error=_with_names(
                "nothing was sent: no key of your JSON object is the name of a neighbour",
                neighbours,
            ),
        )
    return ParsedMessages(
        {},
        error="your messages could not be parsed: write one JSON object whose keys are "
        "names of your neighbours and whose values are texts, or {} to send nothing",
    )


def _literals(text: str) -> Iterator[dict[str, Any]]:
    """Yield the dictionaries that are no JSON: single quotes, a comma behind the last entry.

    Such a one fills a code fence, or all from the first brace of the text to the last.
    """
    for candidate in (*reversed(_FENCED.findall(text)[-MAX_FENCES:]), _EMPTY.sub("", text)):
        start, end = candidate.find("{"), candidate.rfind("}")
        if 0 <= start < end:
            try:
                value = parse_literal(candidate[start : end + 1])
            except ParseError:
                continue
            if isinstance(value, dict):
                yield value


def _sort_entries(
    entries: dict[str, Any], neighbours: Collection[str], max_message_chars: int
) -> ParsedMessages:
    messages = {}
    dropped = []
    for key, value in entries.items():
        if key not in neighbours:
            reason = STRANGER
        elif not isinstance(value, str):
            reason = "not a text"
        elif len(value) > max_message_chars:
            reason = f"longer than {max_message_chars} characters"
        elif not value.isascii() and valid_text(value, max_message_chars) is not None:
            # Escapes such as \ud800 smuggle what no valid text can hold.
            reason = "not valid Unicode"
        else:
            messages[key] = value
            continue
        shown = key[:MAX_KEY_SHOWN].encode("utf-8", "replace").decode()
        dropped.append(Dropped(shown, reason))
    return ParsedMessages(messages, tuple(dropped))


def _with_names(error: str, neighbours: Collection[str]) -> str:
    """Add the names of the neighbours to an error, as many of them as fit."""
    error += "; your neighbours: "
    whole = error + ", ".join(neighbours)
    if len(whole) <= MAX_ERROR_CHARS:
        return whole
    room = MAX_ERROR_CHARS - len(error) - len(" and 99999 more")
    shown: list[str] = []
    for name in neighbours:
        room -= len(name) + 2
        if room < 0:
            break
        shown.append(name)
    more = f"{len(neighbours) - len(shown)} more"
    return error + (f"{', '.join(shown)} and {more}" if shown else more)


def dropped_error(dropped: Sequence[Dropped], neighbours: Collection[str]) -> str | None:
    """Say in plain words what was not sent, without repeating the agent's own text."""
    if not dropped:
        return None
    counts: dict[str, int] = {}
    for entry in dropped:
        counts[entry.reason] = counts.get(entry.reason, 0) + 1
    causes = ", ".join(f"{count} {reason}" for reason, count in counts.items())
    error = f"{NOT_ALL_SENT}; entries left out: {causes}"
    return _with_names(error, neighbours) if STRANGER in counts else error


def parse_answer(text: str, options: tuple[str, ...]) -> ParsedAnswer:
    """Find the final answer: the option right after the last ``### Final Answer ###``.

    A heading at the beginning of a line may lack the closing signs, and a mark behind which
    nothing stands closes an answer. Decorations, labels, another case and a remark behind the
    option are tolerated where one option alone is meant (``coordgym.parsing.choices``).
    """
    after = _after_mark(text)
    if after is None:
        return ParsedAnswer(
            None, f"your final answer could not be parsed: write {ANSWER_MARK} and then an option"
        )
    choice = read_choice(after, options)
    if choice.problem == "several":
        return ParsedAnswer(
            None,
            f"your final answer could not be parsed: more than one option may be meant; write "
            f"{ANSWER_MARK} and then the one option alone",
        )
    if choice.problem is not None:
        return ParsedAnswer(
            None,
            f"your final answer could not be parsed: what follows {ANSWER_MARK} is not one of "
            "your options, written exactly",
        )
    return ParsedAnswer(choice.option)


def _after_mark(text: str) -> str | None:
    """Return what stands behind the last mark that is followed by anything; None without marks."""
    marks = list(_MARK.finditer(text)) or list(_HEADING.finditer(text))
    if not marks:
        return None
    end = len(text)
    for mark in reversed(marks):
        after = text[mark.end() : end]
        if _DECORATION.fullmatch(after) is None:
            return after
        end = mark.start()
    return ""
