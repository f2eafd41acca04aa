"""The four conversational failures of a pair: not grounded, queried, integrated, derived again.

L1 grounded: everything that is claimed stands in the speaker's view or was said by the partner.
L2 queried: somebody asks the partner for one specific thing.
L3 integrated: facts of both views are put together before the answer is stated.
L4 re-derived: the receiver of the answer shows that it was worked out again.
A stage *fires* where its label is False. Labels are found by patterns, not by a model.
Source: The Collaboration Tax, section 5.3, appendices C and E.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coordgym.silo_env.pairs.analysis.conversations.conversation import (
    Conversation,
    stated_answer,
)
from coordgym.silo_env.pairs.dialogue.readers import frames
from coordgym.silo_env.pairs.dialogue.readers.atoms import (
    Atom,
    AtomReader,
    Atoms,
    Claim,
    make_reader,
)
from coordgym.silo_env.pairs.dialogue.utterances import (
    before_answer,
    before_end,
    has_integration_header,
    is_specific_request,
    sentences,
    shown_work,
)
from coordgym.silo_env.pairs.grids.schemes import Scheme
from coordgym.silo_env.pairs.task import FRICTIONS, SEATS, Answer, AnyTask

STAGES = ("L1", "L2", "L3", "L4")
MOST_CHECKS = 4
"""Checked segments that suffice for an answer of any size."""


@dataclass(frozen=True, slots=True)
class CascadeLabels:
    """The labels of a dialogue and what they rest on.

    Attributes:
        grounded: L1.
        queried: L2.
        integrated: L3.
        rederived: L4.
        claims: Claims in the dialogue, repeated ones counted again.
        ungrounded: The claims that nobody could know when they were made, in order.
        scheme: Number of the coordinate scheme in which cells were read.
        coverage: Share of each view's private facts that its own agent stated.
        first_coverage: The same for the first message of each agent.
    """

    grounded: bool
    queried: bool
    integrated: bool
    rederived: bool
    claims: int
    ungrounded: tuple[Atom, ...]
    scheme: int
    coverage: tuple[float, float]
    first_coverage: tuple[float, float]

    @property
    def labels(self) -> dict[str, bool]:
        """The labels by stage."""
        values = (self.grounded, self.queried, self.integrated, self.rederived)
        return dict(zip(STAGES, values, strict=True))

    @property
    def fired(self) -> tuple[str, ...]:
        """The stages that failed, earliest first."""
        return tuple(stage for stage, label in self.labels.items() if not label)


class _Said(NamedTuple):
    """What one message asserts.

    Attributes:
        speaker: Index of the agent.
        atoms: Everything it asserts.
        ungrounded: What of it the speaker could not know.
        before_answer: What it asserts in front of its final answer.
    """

    speaker: int
    atoms: Atoms
    ungrounded: tuple[Atom, ...]
    before_answer: Atoms


def label(conversation: Conversation) -> CascadeLabels:
    """Label a conversation of any task."""
    views = conversation.views
    reader = make_reader(conversation.rules, views, conversation.options.friction)
    known = tuple(reader.of_view(view, seat) for view, seat in zip(views, SEATS, strict=True))
    spoken = [
        (
            reader.claims(text, SEATS[message.agent]),
            reader.claims(before_answer(text), SEATS[message.agent]),
        )
        for message, text in zip(conversation.messages, conversation.texts, strict=True)
    ]
    speakers = [message.agent for message in conversation.messages]
    closures = tuple(reader.closure(atoms) for atoms in known)

    def read(scheme: Scheme) -> list[_Said]:
        return _listen(reader, closures, speakers, spoken, scheme)

    scheme = frames.choose(
        reader.schemes,
        conversation.texts,
        lambda each: sum(len(said.atoms) - len(said.ungrounded) for said in read(each)),
    )
    heard = read(scheme)
    private = (known[0] - known[1], known[1] - known[0])
    core = _core_of(reader, private)
    ungrounded = tuple(atom for said in heard for atom in said.ungrounded)
    return CascadeLabels(
        grounded=not ungrounded,
        queried=_queried(conversation, reader),
        integrated=_integrated(conversation, heard, private, core),
        rederived=_rederived(conversation, reader),
        claims=sum(len(said.atoms) for said in heard),
        ungrounded=ungrounded,
        scheme=scheme.number,
        coverage=_coverage(heard, private, core),
        first_coverage=_coverage(_first_of_each(heard), private, core),
    )


_Spoken = tuple[list[Claim], list[Claim]]
"""The claims of a message, and of its part in front of a final answer."""


def _listen(
    reader: AtomReader,
    closures: Sequence[Atoms],
    speakers: Sequence[int],
    spoken: Sequence[_Spoken],
    scheme: Scheme,
) -> list[_Said]:
    """Read every message in a scheme and hold it against what its speaker could know."""
    told: list[set[Atom]] = [set(), set()]
    heard = []
    for speaker, (claims, early) in zip(speakers, spoken, strict=True):
        knowable = closures[speaker] | told[1 - speaker]
        atoms = reader.heard(claims, scheme, knowable)
        wrong = tuple(sorted(atoms - knowable, key=repr))
        front = reader.heard(early, scheme, knowable)
        heard.append(_Said(speaker, atoms, wrong, front))
        told[speaker] |= reader.closure(atoms)
    return heard


def _core_of(reader: AtomReader, private: Sequence[Atoms]) -> Mapping[Atom, Atom]:
    """Return the private fact behind each of its other wordings."""
    both = private[0] | private[1]
    return {
        implied: atom
        for atom in sorted(both, key=repr)
        for implied in reader.implied(atom)
        if implied not in both
    }


def _as_core(atoms: Atoms, core: Mapping[Atom, Atom]) -> Atoms:
    return frozenset(core.get(atom, atom) for atom in atoms)


def _queried(conversation: Conversation, reader: AtomReader) -> bool:
    """Tell whether a message asks for something specific, besides questions of the task itself."""
    task = conversation.rules
    given = "\n".join(
        task.view_text(facts, seat, friction)
        for facts, seat in zip(conversation.views, SEATS, strict=True)
        for friction in FRICTIONS
    )
    return any(
        is_specific_request(sentence, reader.entity)
        for text in conversation.texts
        for sentence in sentences(text)
        if sentence not in given
    )


def _integrated(
    conversation: Conversation,
    heard: Sequence[_Said],
    private: tuple[Atoms, Atoms],
    core: Mapping[Atom, Atom],
) -> bool:
    """Tell whether a message up to the decisive one lists facts of both views.

    Under a heading that says so, two facts of each suffice, whatever their truth; without one
    it takes half of the private facts of each view.
    """
    said: list[Atoms] = [frozenset(), frozenset()]
    for index, message in enumerate(heard[: conversation.decisive + 1]):
        own, other = message.speaker, 1 - message.speaker
        atoms = _as_core(message.before_answer, core)
        earlier = said[other]
        mine = (atoms & private[own]) | (atoms - earlier - private[other])
        theirs = (atoms & private[other]) | (atoms & earlier)
        text = before_answer(conversation.texts[index])
        enough = len(mine) >= min(2, len(private[own])) and len(theirs) >= min(
            2, len(private[other])
        )
        if has_integration_header(text) and enough:
            return True
        halves = [len(atoms & facts) >= len(facts) / 2 for facts in private if facts]
        if halves and all(halves) and atoms:
            return True
        said[own] |= _as_core(message.atoms, core)
    return False


def _rederived(conversation: Conversation, reader: AtomReader) -> bool:
    """Tell whether the receiver of the answer works it out again before the end."""
    answer = conversation.outcome.answer
    if answer is None:
        return False
    speakers = [message.agent for message in conversation.messages]
    decisive = conversation.decisive
    need = checks_needed(conversation.rules, answer)
    for index in range(decisive + 1, conversation.ended + 1):
        if speakers[index] == speakers[decisive]:
            continue
        text = conversation.texts[index]
        if shown_work(before_end(text), reader.entity).suffices(need):
            return True
        if stated_answer(conversation, text) not in (None, answer):
            decisive = index
    return False


def checks_needed(task: AnyTask, answer: Answer) -> int:
    """Return half of the answer's parts, at least one, at most four: moves, entries or queries."""
    fields = task.answer_fields
    value = next((answer[field] for field in fields if field in answer), None)
    if isinstance(value, list):
        size = len(value) - 1 if "path" in fields and "moves" not in answer else len(value)
    else:
        size = len(value) if isinstance(value, dict) else 1
    return min(MOST_CHECKS, max(1, math.ceil(size / 2)))


def _coverage(
    heard: Sequence[_Said], private: tuple[Atoms, Atoms], core: Mapping[Atom, Atom]
) -> tuple[float, float]:
    """Return the share of each agent's private facts in its own messages; 1.0 if there are none."""
    said: list[Atoms] = [frozenset(), frozenset()]
    for message in heard:
        said[message.speaker] |= _as_core(message.atoms, core)
    first, second = (
        len(own & facts) / len(facts) if facts else 1.0
        for own, facts in zip(said, private, strict=True)
    )
    return first, second


def _first_of_each(heard: Sequence[_Said]) -> list[_Said]:
    firsts: dict[int, _Said] = {}
    for message in heard:
        firsts.setdefault(message.speaker, message)
    return list(firsts.values())
