"""Messages cut into what they assert, ask and propose.

Source: the cascade's definitions in The Collaboration Tax, section 5.3 and appendix C: a
claim is what a message states as a fact; questions, conditions and the elements of a proposed
answer are none.
"""

import re
from typing import NamedTuple

from coordgym.silo_env.pairs.dialogue.extraction import ANSWER_MARKER, balanced_object
from coordgym.silo_env.pairs.texts import END_WORD

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)|\n+")
_HEDGE = re.compile(
    r"\b(?:if|maybe|might|could|perhaps|suppos\w+|suppose|unknown)\b|\(assumed\)", re.IGNORECASE
)
_PROPOSAL = re.compile(
    r"\bpropos\w+|\b(?:route|path|order|answer|walk|circle|queue|solution|assignment)s?\s*"
    r"(?:is\b|are\b|:|=|would\b|goes\b)",
    re.IGNORECASE,
)
_TUPLE = re.compile(r"\(\s*(-?\w{1,4})\s*,\s*(-?\w{1,4})(?:\s*,\s*(-?\w{1,4}))?\s*\)")


def tidy(text: str) -> str:
    """Return the text with coordinate tuples written without blanks, so that commas part claims."""
    return _TUPLE.sub(
        lambda m: "(" + ",".join(part for part in m.groups() if part is not None) + ")", text
    )


def without_answers(text: str) -> str:
    """Return the text without its final answers."""
    kept, end = [], 0
    for marker in ANSWER_MARKER.finditer(text):
        if marker.start() < end:
            continue
        kept.append(text[end : marker.start()])
        rest = text[marker.end() :]
        found = balanced_object(rest)
        line = rest.partition("\n")[0]
        end = marker.end() + (rest.index(found) + len(found) if found else len(line))
    return "".join([*kept, text[end:]])


def before_answer(text: str) -> str:
    """Return the text in front of the first final answer."""
    marker = ANSWER_MARKER.search(text)
    return text if marker is None else text[: marker.start()]


def before_end(text: str) -> str:
    """Return the text in front of the word that ends the dialogue."""
    return text.partition(END_WORD)[0]


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def assertions(text: str) -> list[str]:
    """Return what a text states as a fact: no questions, conditions, hedges or proposed answers."""
    stated = []
    plain = without_answers(text).replace("**", "").replace("`", "")
    for sentence in sentences(plain):
        if sentence.endswith("?") or _HEDGE.search(sentence):
            continue
        proposal = _PROPOSAL.search(sentence)
        stated.append(sentence if proposal is None else sentence[: proposal.start()])
    return stated


# --- requests: stage 2 ------------------------------------------------------------------------

_REQUEST = re.compile(
    r"\b(?:what|which|where|who|how many|how much|is there|are there|do you|does your|do your"
    r"|(?:can|could) you (?:tell|confirm|list|give|share|check))\b",
    re.IGNORECASE,
)
_DEMAND = re.compile(r"\bplease (?:state|tell|list|give|share)\b|\btell me\b", re.IGNORECASE)
_GENERIC = re.compile(
    r"\bdo you agree\b|\bdoes (?:that|this) (?:sound|look) (?:right|good|ok|okay)\b"
    r"|\b(?:ok|okay|ready)\s*\?|\bshall we\b|\bwhat do you think\b"
    r"|\bwhat do you see(?: on your map| after moving)?\s*\?"
    r"|\bis (?:that|this|it) (?:right|correct|ok|okay)\b",
    re.IGNORECASE,
)
TASK_NOUN = re.compile(
    r"\b(?:start|goal|wall|row|column|half|floor|edge|weight|capacity|limit|clue|colour|color"
    r"|house|code letter|window|time|rule|cell|value|parent|link|level|layer|letter|word|slot"
    r"|trait|event|neighbour|neighbor|closure|terminal)(?:s|es|ies)?\b|\bcapacities\b",
    re.IGNORECASE,
)


def is_specific_request(sentence: str, entity: re.Pattern[str]) -> bool:
    """Tell whether a sentence asks the partner for one specific thing.

    Args:
        sentence: One sentence.
        entity: What the task's coordinates, names and things look like.
    """
    asks = bool(_DEMAND.search(sentence)) or (
        sentence.endswith("?") and bool(_REQUEST.search(sentence))
    )
    if not asks or _GENERIC.search(sentence):
        return False
    return bool(entity.search(tidy(sentence)) or TASK_NOUN.search(sentence))


# --- combined states and shown work: stages 3 and 4 --------------------------------------------

_COMBINED = re.compile(
    r"\bcombined (?:state|map|grid|view)|\bmerged\b|\bfull map\b|\bboth views\b"
    r"|\bputting\b.{0,80}?\btogether\b|\bunion of\b|\btogether we have\b",
    re.IGNORECASE,
)
_SEGMENT_END = re.compile(r"\n+|;|, |(?<=[\w)\]])\. ")
_CHECK = re.compile(
    r"\b(?:is|are) (?:\w+ )?(?:open|free|clear|a path|valid|ok|okay|allowed|satisfied|true)\b"
    r"|(?:^|:)\s*valid\b"
    r"|\bholds?\b|\bsatisf\w*|\bfits?\b|\bmatch(?:es)?\b|<=|≤|✓|✔|☑|✅",
    re.IGNORECASE,
)
_ARITHMETIC = re.compile(r"\d+(?:\s*\+\s*\d+)+\s*=\s*-?\d+")


def has_integration_header(text: str) -> bool:
    """Tell whether a text announces the state of both views together."""
    return bool(_COMBINED.search(text))


def split_at_header(text: str) -> list[str]:
    """Return the text in front of the first line that announces both views, and from there on."""
    header = _COMBINED.search(text)
    return [text] if header is None else [text[: header.start()], text[header.start() :]]


class Work(NamedTuple):
    """What a message shows of a re-derivation."""

    segments: int
    arithmetic: bool

    def suffices(self, need: int) -> bool:
        """Tell whether there are enough checked segments, or a sum written out."""
        return self.arithmetic or self.segments >= need


def shown_work(text: str, entity: re.Pattern[str]) -> Work:
    """Count the segments of a text that check something about the task.

    A check that names nothing belongs to the segment in front of it: "(3,3) is red, is allowed".
    """
    segments = 0
    names_something = False
    for part in _SEGMENT_END.split(tidy(text)):
        names = bool(entity.search(part) or TASK_NOUN.search(part))
        checks = bool(_CHECK.search(part.strip()))
        segments += checks and (names or names_something)
        names_something = names and not checks
    return Work(segments, bool(_ARITHMETIC.search(text)))
