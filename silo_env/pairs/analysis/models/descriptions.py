"""What went wrong in a failed dialogue, in plain sentences made from what was found in it.

They describe what was said and done and name no stage, so that failures can be grouped without
presupposing the stages. Source: The Collaboration Tax, appendix B, where a model writes them.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, cast

from coordgym.silo_env.pairs.analysis.conversations.conversation import Conversation
from coordgym.silo_env.pairs.analysis.failures.stages import Labelled
from coordgym.silo_env.pairs.dialogue.readers.atoms import NOT, Atom, Atoms, make_reader
from coordgym.silo_env.pairs.dialogue.utterances import sentences
from coordgym.silo_env.pairs.task import SEATS

MOST_EXAMPLES = 2
_NOUNS = {
    "cell": "cell", "wall": "wall segment", "closure": "closure", "forbidden": "colour rule",
    "edge": "link", "link": "link", "parent": "parent link", "before": "dependency",
    "value": "node value", "colour": "node colour", "attr": "object attribute",
    "load": "weight or capacity", "map": "code letter", "word": "word", "event": "event time",
    "zone": "time zone", "free": "availability", "slot": "availability",
    "conflict": "meeting clash", "excluded": "excluded slot", "trait": "trait",
    "root": "root class",
}  # fmt: skip
"""What facts are called; kinds of clues are clues."""


def describe(labelled: Labelled) -> str:
    """Describe a failed dialogue in a few sentences."""
    conversation, labels = labelled.conversation, labelled.labels
    parts = [f"Task {conversation.task}."]
    parts += _invented(labels.ungrounded)
    parts += _left_out(conversation, labels.scheme)
    parts.append(_last_question(conversation))
    parts.append(_ending(conversation))
    parts.append(_answer(conversation))
    return " ".join(part for part in parts if part)


def noun(atom: Atom) -> str:
    """Return what the fact of an atom is called."""
    kind = str(atom[1] if atom[0] == NOT else atom[0])
    return _NOUNS.get(kind, "clue")


def _invented(ungrounded: Iterable[Atom]) -> list[str]:
    """Return which claims had no source."""
    listed = list(ungrounded)
    said = []
    for what, count in sorted(Counter(noun(atom) for atom in listed).items()):
        examples = [atom for atom in listed if noun(atom) == what][:MOST_EXAMPLES]
        shown = " and ".join(" ".join(str(part) for part in atom[1:]) for atom in examples)
        said.append(f"Stated {count} {what} facts that nobody had seen, such as {shown}.")
    return said


def _left_out(conversation: Conversation, scheme: int) -> list[str]:
    """Return which facts behind the optimal answer were never mentioned."""
    views = conversation.views
    reader = make_reader(conversation.rules, views, conversation.options.friction)
    chosen = next(each for each in reader.schemes if each.number == scheme)
    said: set[Atom] = set()
    for message, text in zip(conversation.messages, conversation.texts, strict=True):
        claims = reader.claims(text, SEATS[message.agent])
        said |= {reader.place(claim, chosen) for claim in claims}
    said |= reader.closure(said)
    needed = _support(conversation, frozenset().union(
        *(reader.of_view(view, seat) for view, seat in zip(views, SEATS, strict=True))
    ))  # fmt: skip
    missing = [atom for atom in needed if not ({atom, *reader.implied(atom)} & said)]
    counts = sorted(Counter(noun(atom) for atom in missing).items())
    return [
        f"Never mentioned {count} {what} facts that the answer rests on." for what, count in counts
    ]


def _support(conversation: Conversation, atoms: Atoms) -> list[Atom]:
    """Return the facts behind the optimal answer: of a walk its cells, else all."""
    path = conversation.best.get("path")
    ordered = sorted(atoms, key=repr)
    if not isinstance(path, list) or not any(atom[0] == "cell" for atom in ordered):
        return ordered
    cells = {tuple(cell) for cell in cast("list[list[Any]]", path) if isinstance(cell, list)}
    return [atom for atom in ordered if atom[0] != "cell" or tuple(atom[1:-1]) in cells]


def _last_question(conversation: Conversation) -> str:
    asked = [s for text in conversation.texts for s in sentences(text) if s.endswith("?")]
    return f"The last question was: {asked[-1]}" if asked else "Nobody asked a question."


def _ending(conversation: Conversation) -> str:
    messages = conversation.messages
    count = len(messages)
    if conversation.outcome.capped:
        return f"Talked to the limit of {count} messages."
    own = (
        conversation.messages[conversation.ended].agent
        == conversation.messages[conversation.decisive].agent
    )
    if conversation.outcome.answer is None:
        return f"Ended after {count} messages without an answer."
    if conversation.decisive == conversation.ended:
        return f"Ended in the same message that first gave the answer, message {count}."
    who = "its author" if own else "the partner"
    return f"The answer was accepted and ended by {who} after {count} messages."


def _answer(conversation: Conversation) -> str:
    if conversation.outcome.answer is None:
        return "There was no readable answer."
    literal = conversation.outcome.grade.literal
    if literal is not None:
        share = "none" if literal == 0 else f"{literal:.0%}"
        return f"The route was allowed for {share} of its needed moves."
    return f"The answer got {conversation.outcome.grade.score:.0%} right."
