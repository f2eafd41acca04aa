"""The readers of tasks whose facts are relations that are dealt to the views.

A task names the relation of each of its fields and gives the sentences in which its views say it;
what else agents say of a relation, whatever the task, stands here.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom
from coordgym.silo_env.pairs.dialogue.readers.fact_atoms import (
    FactReader,
    OfView,
    Pattern,
    sentence_wording,
    wordings_of,
)
from coordgym.silo_env.pairs.facts.sentences import Relation
from coordgym.silo_env.pairs.shapes.dealt_facts import DealtFactsTask
from coordgym.silo_env.pairs.task import Facts, Friction, Seat, Views

DealtTask: TypeAlias = DealtFactsTask[Any, Any, Any]

ARROW = r"\s*(?:->|→|⇒|=>)\s*"
DASH = r"\s?[-–]\s?"
PLAIN: Mapping[str, tuple[str, ...]] = {
    "parent": (  # no arrows: chains of ancestors are written with them the other way round
        r"{n1} is (?:a|the) child of {n0}",
        r"{n0} is (?:a|the) parent of {n1}",
        r"{n1} (?:was|is) born to {n0}",
        r"{n1}'s parent is {n0}",
    ),
    "edge": (
        r"{n0} (?:is|are) (?:joined|connected|linked|adjacent) (?:to|with) {n1}",
        r"{n0} joins {n1}",
    ),
    "value": (r"value of {n0} is {d1}",),
    "before": (r"{n1} depends on {n0}", r"{n0} must (?:be done|come|go) before {n1}"),
    "link": (
        rf"{{v0}}\s*(?::|\(|=)?\s*{{n1}}{ARROW}{{n2}}",
        r"{v0} (?:goes|leads|runs) from {n1} to {n2}",
    ),
}
"""Wordings of a relation in which a number is always a name."""
LOOSE: Mapping[str, tuple[str, ...]] = {
    "edge": (rf"{{n0}}{DASH}{{n1}}", r"{n0} to {n1}"),
    "weighted": (
        rf"{{n0}}{DASH}{{n1}}\s*(?::|=|\()\s*(?:weight )?{{d2}}",
        rf"{{n0}}{DASH}{{n1}} (?:has|with|is|takes|of) (?:an? )?(?:weight|strength)? ?"
        r"(?:of )?{d2}",
        r"{n0} to {n1} (?:takes|is|:) {d2}",
    ),
    "value": (
        r"{n0}\s*[=:]\s*{d1}",
        r"{n0} (?:has|is|holds) (?:an? |the )?(?:value )?(?:of )?{d1}",
    ),
    "before": (rf"{{n0}}{ARROW}{{n1}}",),
    "colour": (r"{n0}\s*(?:is|=|:)\s*{v1}", r"(?<![=:]){v1}\s*[:=]?\s+{n0}"),
}
"""Wordings that numbers fit in texts about something else."""


def dealt_reader(task: DealtTask, views: Views, friction: Friction) -> FactReader:
    """Make the reader of a task from its relations."""
    numbers = [task.numbers(view) for view in views]
    things = dict.fromkeys((f"{task.things}?", "nodes?"))
    kinds = {field: relation.atom for field, relation in task.relations.items()}
    dropped = re.compile(rf"\b(?:{'|'.join(things)}) ")
    return FactReader(
        field_atoms(kinds),
        [
            pattern
            for field, relation in task.relations.items()
            for pattern in _patterns(relation, dropped)
        ],
        [name for known in numbers for name in known],
        renamed={number: name for name, number in numbers[1].items()} if friction == 2 else None,
        values=_value_words(task, views),
        symmetric=("edge",),
        dropped=tuple(things),
    )


def _patterns(relation: Relation, dropped: re.Pattern[str]) -> list[Pattern]:
    """Return the task's own sentences, and what else is said of such a relation.

    A notation with a dash or an equals sign is among the loose wordings: it may be a range or sum.
    """
    own = [
        sentence_wording(dropped.sub("", sentence.template), relation.value_at)
        for sentence in relation.sentences
        if not re.search("[-=]", sentence.template)
    ]
    plain = (*own, *relation.wordings, *PLAIN.get(relation.kind, ()))
    return wordings_of(relation.atom, plain, loose=LOOSE.get(relation.kind, ()))


def _value_words(task: DealtTask, views: Views) -> dict[str, str]:
    """Return the words in the places of values, each with the value that it means."""
    words: dict[str, str] = {}
    for field, relation in task.relations.items():
        if relation.value_at is not None:
            rows = [row for view in views for row in cast("list[list[str]]", view[field])]
            words |= {row[relation.value_at]: row[relation.value_at] for row in rows}
            words |= {**relation.synonyms, **{value: value for value in relation.synonyms.values()}}
    return words


def field_atoms(kinds: Mapping[str, str]) -> OfView:
    """Make what turns the facts of some fields into atoms, each of its kind."""

    def of_view(facts: Facts, seat: Seat) -> Iterable[Atom]:
        for field, kind in kinds.items():
            known = facts[field]
            rows = known.items() if isinstance(known, dict) else cast("list[list[str]]", known)
            yield from ((kind, *cast("tuple[str | int, ...]", tuple(row))) for row in rows)

    return of_view
