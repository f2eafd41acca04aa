"""Names of groups of failures: by their heaviest terms, or by a language model under rules.

Source: The Collaboration Tax, appendix B.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from coordgym.silo_env.pairs.analysis.failures.asking import CachedAsk, Chat, Question

NAME_PARTS = 3
FEWEST_NAME_WORDS, MOST_NAME_WORDS = 3, 6
FORBIDDEN = (
    "verification", "verify", "pool", "share", "communicate", "collaborate", "cross-check",
    "calculation", "format",
)  # fmt: skip
"""Words that a name may not hold anywhere: they fit every failure."""

TEMPERATURE = 0.2
PURPOSE = "name the group"
MOST_TRIES = 3
"""How often a model is asked for a name before the terms give it."""
MAX_SHOWN_CHARS = 500
"""How much of a refused reply the model is shown again."""

_REQUEST = """\
These descriptions are about different conversations that went wrong in similar ways:

{descriptions}

Give them one name that says what the agents did or failed to do: a concrete behaviour that one \
can observe, and none that would fit every failure. Rules for the name:
- {fewest} to {most} words in snake_case, lower-case letters only, in the style of \
left_the_door_unlocked;
- none of these may occur anywhere in it: {forbidden}.

Reply with the name and nothing else."""
_AGAIN = "That can't be the name: {problem}. Reply with another name, by the same rules."

_SNAKE = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+(?![A-Za-z0-9_])")


@dataclass(frozen=True, slots=True)
class NameGiven:
    """A name that a model gave, or why it gave none.

    Attributes:
        name: The name; None if all tries failed.
        problem: What was wrong at the last of them.
    """

    name: str | None
    problem: str = ""


def name_of(weights: Sequence[float], terms: Sequence[str]) -> str:
    """Return the heaviest terms in snake case, without forbidden words, numbers and repetitions.

    Terms with words such as "the" are passed over as well: a name needs its few words.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    used: list[str] = []
    parts = 0
    for index in np.argsort(-np.asarray(weights), kind="stable"):
        words = terms[int(index)].split()
        fresh = [word for word in words if word not in used]
        plain = all(word.isalpha() and word not in ENGLISH_STOP_WORDS for word in words)
        allowed = not any(forbidden_in(word) for word in words)
        if not (fresh and plain and allowed) or len(used) + len(fresh) > MOST_NAME_WORDS:
            continue
        used += fresh
        parts += 1
        if parts == NAME_PARTS:
            break
    return "_".join(used)


def forbidden_in(name: str) -> str | None:
    """Return the first forbidden word in a name, also without its hyphen; None if there is none."""
    for word in FORBIDDEN:
        if any(word.replace("-", joint) in name for joint in ("-", "_", "")):
            return word
    return None


def ask_names(
    examples: Sequence[Sequence[str]], cached: CachedAsk, *, tries: int = MOST_TRIES
) -> list[NameGiven]:
    """Have a model name groups; a name that breaks a rule is asked for again.

    Args:
        examples: Descriptions from each group.
        cached: The model.
        tries: How often each name is asked for at most.
    """
    chats: dict[int, Chat] = {k: (_request(each),) for k, each in enumerate(examples)}
    given = [NameGiven(None)] * len(examples)
    for _ in range(tries):
        if not chats:
            break
        replies = cached.replies(PURPOSE, [Question(chat) for chat in chats.values()], TEMPERATURE)
        again: dict[int, Chat] = {}
        for (k, chat), reply in zip(chats.items(), replies, strict=True):
            if reply.text is None:
                given[k] = NameGiven(None, reply.problem)
                continue
            taken = {each.name for each in given if each.name is not None}
            given[k] = read_name(reply.text, taken)
            if given[k].name is None:
                shown = reply.text[:MAX_SHOWN_CHARS]
                again[k] = (*chat, shown, _AGAIN.format(problem=given[k].problem))
        chats = again
    return given


def read_name(text: str, taken: Collection[str] = ()) -> NameGiven:
    """Read the one name in a reply and hold it against the rules.

    Args:
        text: The reply; whatever it says around the name is passed over.
        taken: Names of other groups.
    """
    found = list(dict.fromkeys(_SNAKE.findall(text)))
    if len(found) != 1:
        count = "several names" if found else "no name"
        return NameGiven(None, f"the reply holds {count} in snake_case")
    name = found[0]
    words = name.split("_")
    if not all(word.isascii() and word.isalpha() and word.islower() for word in words):
        return NameGiven(None, "it may hold lower-case letters only")
    if not FEWEST_NAME_WORDS <= len(words) <= MOST_NAME_WORDS:
        wanted = f"{FEWEST_NAME_WORDS} to {MOST_NAME_WORDS}"
        return NameGiven(None, f"it must have {wanted} words and has {len(words)}")
    forbidden = forbidden_in(name)
    if forbidden is not None:
        return NameGiven(None, f'it holds the forbidden "{forbidden}"')
    if name in taken:
        return NameGiven(None, "another group has that name")
    return NameGiven(name)


def _request(examples: Sequence[str]) -> str:
    return _REQUEST.format(
        descriptions="\n".join(f"{number}. {text}" for number, text in enumerate(examples, 1)),
        fewest=FEWEST_NAME_WORDS,
        most=MOST_NAME_WORDS,
        forbidden=", ".join(FORBIDDEN),
    )
