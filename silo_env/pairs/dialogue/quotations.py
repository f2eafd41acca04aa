"""Telling what an agent says from what it repeats of its instructions.

The form of an answer, the rules and the views are in every agent's prompt; whoever repeats them
has not answered. Pure functions, linear in the length of the text.
"""

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from coordgym.silo_env.pairs.dialogue.markup import plain
from coordgym.silo_env.pairs.task import FRICTIONS, SEATS, AnyTask, InstanceT, PairTask
from coordgym.silo_env.pairs.texts import CLAUSE_CHOICES, clause_text

NOTHING = "{}"
"""What stands for a form of an answer that was repeated: an object without any field."""
_GAP = " ¶ "
"""What stands for a repeated passage; no reader of prose takes it for part of a list."""
_SHORTEST = 20
"""A shorter passage may be an agent's own, in code points."""

_TOKEN = re.compile(r"\.\.\.|\w+|[^\w\s\"'`]")
_ELLIPSIS = r"(?:\.\.\.|…)"
_BETWEEN_TOKENS = r"[\s\"'`]*+"
_SENTENCE_END = re.compile(r"(?<=[.;?!])\s+")
_VALUE = re.compile(r": ?([\[{].*[\]}])\}$")
_LIMIT = re.compile(r"\bends, max \d{1,6} exchanges")
"""How the prompt in few tokens goes on after the form of the answer."""
_WORD = re.compile(r"\b[a-z]{4,}\b|^[A-Z][a-z]{3,}:")
"""A line without a word or a label may be an agent's own, such as a row of an answer."""
_BULLET = re.compile(r"^[-*•] ")
_CITED = re.compile(r"^(?:\s*>)+")


def without_forms(task: PairTask[InstanceT, Any, Any], text: str) -> str:
    """Put an empty object in place of every form of the task's answer, at any friction."""
    for form in _form_patterns(task):
        text = form.sub(NOTHING, text)
    return text


def own_words(
    task: PairTask[InstanceT, Any, Any], instance: InstanceT, texts: Sequence[str]
) -> list[str]:
    """Strip texts of what they repeat of the prompt.

    That is the form of an answer, sentences of the rules, and in any wording either view or
    whole lines of it or of the clauses; a long line may stand within another.

    Args:
        task: The task.
        instance: The instance whose views the agents have.
        texts: Messages that ``plain`` has freed from markup.
    """
    views = _view_texts(task, instance)
    lines = {_bare(line) for view in views for line in view.split("\n")}
    shown = (lines | _clause_lines()) - {""}
    long_lines = [line for line in shown if len(line) >= _SHORTEST and _WORD.search(line)]
    long_lines.sort(key=_longest_first)
    return [_without(text, task, views, long_lines, shown) for text in texts]


def _without(
    text: str,
    task: PairTask[InstanceT, Any, Any],
    views: Sequence[str],
    long_lines: Sequence[str],
    shown: Collection[str],
) -> str:
    """Strip a text of the views, the passages of the prompt, and lines that were shown."""
    spelled = _spelled(text)
    for view in views:
        # Few texts hold a view, and its pattern is long.
        if len(view) >= _SHORTEST and _spelled(view) in spelled:
            text = _pattern(view).sub(_GAP, text)
    for passage in (*_passage_patterns(task), _LIMIT):
        text = passage.sub(_GAP, text)
    for line in long_lines:
        text = text.replace(line, _GAP)
    lines = text.split("\n")
    return "\n".join(
        _GAP if _bare(line) in shown or _BULLET.sub("", _bare(line)) in shown else line
        for line in lines
    )


def _bare(line: str) -> str:
    return " ".join(_CITED.sub("", line).split())


def _longest_first(text: str) -> tuple[int, str]:
    return -len(text), text


def _spelled(text: str) -> str:
    return " ".join(_TOKEN.findall(text))


def _view_texts(task: PairTask[InstanceT, Any, Any], instance: InstanceT) -> list[str]:
    """List all views in all wordings, without markup, the longest first."""
    texts: set[str] = set()
    for shown in (*SEATS, None):
        facts = task.facts(instance, shown)
        for friction in FRICTIONS:
            for draw in (task.view_text, task.compact_view_text):
                texts.add(plain(draw(facts, shown or 1, friction)))
    return sorted(texts, key=_longest_first)


@cache
def _clause_lines() -> frozenset[str]:
    """List the lines of the rules of conversation, numbered as in each condition."""
    texts = (plain(clause_text(clauses)) for clauses in CLAUSE_CHOICES)
    return frozenset(_bare(line) for text in texts for line in text.split("\n"))


@cache
def _form_patterns(task: AnyTask) -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(form) for form in _forms(task))


@cache
def _passage_patterns(task: AnyTask) -> tuple[re.Pattern[str], ...]:
    """List forms, what they put into a field, the sentences around them; the longest first."""
    passages = set(_forms(task))
    for form in _forms(task):
        value = _VALUE.search(form)
        if value is not None and "..." in value[1] and re.search(r"\w", value[1]):
            passages.update((value[1], value[1][1:-1]))
    said = [task.rule, task.split, task.compact_rule, task.compact_split]
    for friction in FRICTIONS:
        said += [task.answer_note(friction), task.compact_note(friction)]
        passages.add(f"({task.compact_note(friction)})")
    for text in said:
        passages.update(part for part in _SENTENCE_END.split(text) if len(part) >= _SHORTEST)
    longest_first = sorted({plain(each) for each in passages - {"()"}}, key=_longest_first)
    return tuple(map(_pattern, longest_first))


def _forms(task: AnyTask) -> list[str]:
    """List the objects that the task gives as forms of its answer."""
    written = (task.answer_form(friction) for friction in FRICTIONS)
    return sorted({form for each in written for form in each.split(" or ")})


def _pattern(text: str) -> re.Pattern[str]:
    """Make a pattern of a text with any blanks and quotation marks between its words."""
    tokens = (_ELLIPSIS if t == "..." else re.escape(t) for t in _TOKEN.findall(text))
    return re.compile(_BETWEEN_TOKENS.join(tokens))
