"""What the relay, the task message and the critic say.

The substance follows The Collaboration Tax, appendix G: a relay between two agents, the word
that ends the dialogue, a critic pass for solo runs and four clauses that can be switched on.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from coordgym.errors import require_choice

END_WORD = "ACTI!"
FROM_PARTNER = "[other agent]: "
FROM_USER = "[user]: "
CITED = "> "
NO_MESSAGE = "[no message]"
SPEAK_FIRST = "You write the first message."
LISTEN_FIRST = "The other agent writes the first message."
REFUSED = "Your message was not delivered."
NOW_ANSWER = "Write your answer."
DIALOGUE_OVER = "The conversation is over."
ANSWER_TAG = "FINAL ANSWER:"

RELAY = (
    "I connect you with another agent. Whatever you write reaches it word for word, and whatever "
    f"it writes reaches you the same way, after the mark `{FROM_PARTNER.strip()}`. What I say "
    f"myself comes after the mark `{FROM_USER.strip()}`. Never write these marks, or any other "
    "heading or ending for the relay, yourself: a line that begins with a mark is passed on with "
    f"`{CITED.strip()}` before it."
)
COMPACT_RELAY = (
    f"relay: your text goes to the other agent; its text comes after {FROM_PARTNER.strip()}, mine "
    f"after {FROM_USER.strip()}; lines of a text that begin so get {CITED.strip()} before them"
)

_LINE_ENDS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
"""Where one reader or another sees a new line begin."""
_UNSEEN = rf"(?:[^\S{_LINE_ENDS}]|[\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff])*+"
"""Blanks, and signs without width."""
_MARKED_LINE = re.compile(
    rf"(?:\A|(?<=[{_LINE_ENDS}]))"
    rf"(?={_UNSEEN}(?:\[(?:other agent|user)\]{_UNSEEN}[:：]|\[no message\]))",
    re.IGNORECASE,
)


def relayed(message: str) -> str:
    """Return a message as the other agent sees it: word for word; no line passes for the relay's.

    A line that begins with one of the relay's marks gets a "> ".
    """
    return _MARKED_LINE.sub(CITED, message)


CRITIC = (
    "Go through your solution once more. Is it complete, is every part of it allowed, does it "
    "agree with all the rules? Change whatever does not hold, then submit the final solution as "
    f"{ANSWER_TAG} <JSON object>."
)
COMPACT_CRITIC = f"check and correct your solution, then submit {ANSWER_TAG} {{...}}"

CLAUSES: dict[str, str] = {
    "l1": (
        "Sources: whenever you state a value, count, weight, position, link or assignment, say "
        "where it comes from: your own view, or what the other agent said in message number N. "
        "Mark everything else as (assumed); nothing marked so may enter the final answer."
    ),
    "l2": (
        "Questions: in your second message, before you state anything that the other agent may "
        'know better, ask it for one specific thing in the form "Please state X." If it can\'t '
        "tell, X stays unknown and must not be replaced by a guess."
    ),
    "l3": (
        "Combined state: a message that proposes a final answer begins with a block headed "
        '"Combined state from both views:" that lists your facts, the other agent\'s facts and '
        "what follows from them. Without that block a proposal does not count and is rejected."
    ),
    "l4": (
        f"Re-derivation: before anybody writes {END_WORD}, the message just before it, by the "
        "other agent, must redo the work: walk the route again, add the numbers again, check "
        "each condition again. Mere agreement does not count and is sent back."
    ),
}
"""The intervention clauses: grounding, querying, integrating, deriving again."""

CLAUSE_CHOICES = ("none", "all", "no_l1", "no_l2", "no_l3", "no_l4")

MOVE_BY_MOVE = (
    "Settle one move at a time: one of you proposes the next single move with its coordinates, "
    "and the move is made once the other has agreed to it. Then go on from the new cell. Lose no "
    "time."
)
COMPACT_MOVE_BY_MOVE = "one move at a time: propose the next cell, made once both agree; be quick"


def clause_text(clauses: str) -> str:
    """Return the clauses of a condition, numbered; empty for "none".

    Raises:
        ConfigError: ``clauses`` is none of CLAUSE_CHOICES.
    """
    require_choice("clauses", clauses, CLAUSE_CHOICES)
    if clauses == "none":
        return ""
    kept = [text for name, text in CLAUSES.items() if clauses != f"no_{name}"]
    lines = [f"{number}. {text}" for number, text in enumerate(kept, 1)]
    return "\n".join(["Keep to these rules of conversation:", *lines])


class Brief(NamedTuple):
    """What the instructions of one agent are made of.

    Attributes:
        rule: The task, in prose or few tokens.
        split: What the other agent sees; empty in solo runs.
        views: The texts of the views that the agent sees.
        answer_form: The JSON object that an answer is.
        answer_note: What its entries mean; may be empty in few tokens.
        max_exchanges: Most exchanges of the dialogue.
        clauses: A condition of CLAUSE_CHOICES.
        move_by_move: Whether single moves are agreed.
    """

    rule: str
    split: str
    views: Sequence[str]
    answer_form: str
    answer_note: str
    max_exchanges: int
    clauses: str
    move_by_move: bool


def pair_instructions(brief: Brief) -> str:
    """Return the relay's introduction and the task message of an agent of a pair."""
    system = "\n\n".join(part for part in (RELAY, clause_text(brief.clauses)) if part)
    moves = [MOVE_BY_MOVE] if brief.move_by_move else []
    task = [
        f"{FROM_USER}You and the other agent solve one problem together. Each of you sees "
        "another part of the same instance, and neither part is enough: you have to talk.",
        f"{brief.rule} {brief.split}",
        *brief.views,
        *moves,
        f"As soon as one of you is sure that the joint answer is final, it writes {END_WORD} "
        "together with the answer. That ends the conversation at once: the other agent can't "
        f"reply any more. There are at most {brief.max_exchanges} exchanges, each of one message "
        "from either agent.",
        _answer_line(brief),
    ]
    return "\n\n".join([system, *task])


def solo_instructions(brief: Brief) -> str:
    """Return the task message of an agent that works alone."""
    return "\n\n".join([brief.rule, *brief.views, _answer_line(brief)])


def compact_instructions(brief: Brief, *, solo: bool) -> str:
    """Say the same facts in few tokens."""
    talk = [] if solo else [COMPACT_RELAY, clause_text(brief.clauses)]
    moves = [COMPACT_MOVE_BY_MOVE] if brief.move_by_move else []
    note = f" ({brief.answer_note})" if brief.answer_note else ""
    end = f"; {END_WORD} ends, max {brief.max_exchanges} exchanges"
    return "\n".join(
        part
        for part in (
            *talk,
            brief.rule + ("" if solo else f"; {brief.split}"),
            *brief.views,
            *moves,
            f"answer: {ANSWER_TAG} {brief.answer_form}{note}{'' if solo else end}",
        )
        if part
    )


def _answer_line(brief: Brief) -> str:
    return (
        f"Write the final answer on a line of its own as {ANSWER_TAG} <JSON object>. The object "
        f"is {brief.answer_form}. {brief.answer_note}"
    )
