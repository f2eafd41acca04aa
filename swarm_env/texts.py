"""Rendering: an agent's view as prose for chat models or as compact lines.

Both texts are made from the same facts (``View``), so neither says more than the other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.messages import Hearing
from coordgym.swarm_env.options import SwarmConfig
from coordgym.swarm_env.parsing import CUT_MARK, MAX_MESSAGE_CHARS
from coordgym.swarm_env.task import Task

OWN_CELL = "Y"


@dataclass(frozen=True, slots=True)
class Seen:
    """What an agent saw in a round, and what it then did.

    Attributes:
        round: Rounds played when it looked.
        row: Own row.
        column: Own column.
        top: Row number of the first row of cells.
        left: Column number of the first column of cells.
        cells: Rows of cell strings; the own cell is ``Y``.
        picture: The cells as text, with row and column numbers.
    """

    round: int
    row: int
    column: int
    top: int
    left: int
    cells: list[list[str]]
    picture: str

    def data(self) -> dict[str, Any]:
        """Return the facts as fresh JSON-able data."""
        return {
            "round": self.round,
            "position": [self.row, self.column],
            "top": self.top,
            "left": self.left,
            "cells": [row.copy() for row in self.cells],
        }


@dataclass(frozen=True, slots=True)
class Remembered:
    """An earlier round of an agent: what it saw, what it did, and both as text."""

    seen: Seen
    action: str
    message: str
    text: str

    def data(self) -> dict[str, Any]:
        """Return the facts as fresh JSON-able data."""
        return {**self.seen.data(), "action": self.action, "message": self.message}


_PADDED: dict[str, str] = {}
_HEADERS: dict[tuple[int, int], str] = {}
_LABELS = {number: f"{number:>4}:" for number in range(-64, 1064)}


def full_picture(cells: Sequence[Sequence[str]], top: int, left: int) -> str:
    """Write the cells in aligned columns, with the numbers of rows and columns."""
    size = len(cells[0])
    header = _HEADERS.get((left, size))
    if header is None:
        numbers = "".join(f" {left + j:>3}" for j in range(size))
        header = _HEADERS[left, size] = f"     {numbers}"
    lines = [header]
    for row, line in enumerate(cells, top):
        try:
            lines.append(_LABELS[row] + "".join([_PADDED[cell] for cell in line]))
        except KeyError:  # the first time that a cell string occurs
            _PADDED.update((cell, f" {cell:>3}") for cell in line)
            lines.append(_LABELS[row] + "".join([_PADDED[cell] for cell in line]))
    return "\n".join(lines)


def compact_picture(cells: Sequence[Sequence[str]], top: int, left: int) -> str:
    """Write the cells separated by spaces, under the numbers of the first row and column."""
    return f"from {top} {left}\n" + "\n".join([" ".join(line) for line in cells])


@dataclass(frozen=True, slots=True)
class Physics:
    """Which rules of motion can matter on a map.

    Attributes:
        loose: Whether anything but agents can be pushed.
        weighed: Whether something loose has more than one cell.
        open: Whether the edge of the map has a cell without a wall.
    """

    loose: bool
    weighed: bool
    open: bool

    @classmethod
    def of(cls, world: World) -> Self:
        """Look at a start."""
        shapes = [shape for shape in world.shapes if not shape.static]
        pieces = [piece for piece in world.task_state.pieces() if not piece.static]
        last_row, last_column = world.height - 1, world.width - 1
        edge = [(i, j) for i in range(world.height) for j in (0, last_column)]
        edge += [(i, j) for i in (0, last_row) for j in range(world.width)]
        return cls(
            loose=bool(shapes or pieces),
            weighed=bool(shapes),
            open=any(world.letter_at(i, j) != "W" for i, j in edge),
        )

    def full(self) -> str:
        """Tell them in prose."""
        thing = " or a loose object" if self.loose else ""
        weight = (
            " an object weighs the whole part of the square root of its number of cells unless "
            "the task says otherwise;"
            if self.weighed
            else ""
        )
        edge = " The edge of the map holds nobody back where there is no wall." if self.open else ""
        return (
            "All agents choose at the same time. Then all pushes upwards are carried out, after "
            f"them those down, left and right. Walking into an agent{thing} pushes it. One agent "
            "pushes with force 2; an agent weighs 1, or 3 if it has chosen the opposite direction "
            f"itself;{weight} walls never move. Agents that push in line add their force, and "
            "everything that is pushed moves one cell if the force covers the weight of all of "
            f"it, the pushing agents included; else nothing moves.{edge}"
        )

    def compact(self) -> str:
        """Tell them in few words."""
        weight = "object mass whole root of its cells unless told, " if self.weighed else ""
        edge = "; the edge is open where no wall is" if self.open else ""
        return (
            "passes UP DOWN LEFT RIGHT; push force 2, agent mass 1 (3 if it chose the opposite "
            f"direction), {weight}walls fixed; force adds up along a line{edge}"
        )


class Writer:
    """Writes the texts of one episode.

    Args:
        task: The task.
        config: Its sizes and rule set.
        hearing: Who hears whom.
        world: The start; the rules tell only of what occurs in it.
        target: The score of a success, if there is one.
        full: Prose, else compact.
    """

    def __init__(
        self,
        task: Task,
        config: SwarmConfig,
        hearing: Hearing,
        world: World,
        target: float | None,
        *,
        full: bool,
    ) -> None:
        self.task = task
        self.config = config
        self.hearing = hearing
        self.full = full
        self._rules = task.rules(config, world) if full else task.short_rules(config, world)
        self._physics = Physics.of(world)
        self._target = target
        self.picture = full_picture if full else compact_picture

    def instructions(self, agent: int) -> str:
        """Tell rules, physics, messages and the form of the answer; constant over an episode."""
        return self._full_instructions(agent) if self.full else self._compact_instructions(agent)

    def observation(
        self,
        seen: Seen,
        limit: int,
        score: float | None,
        status: Mapping[str, Any],
        heard: Sequence[str],
        memory: Iterable[Remembered],
    ) -> str:
        """Tell the remembered rounds, and what is new."""
        told = [item.text for item in memory]
        notes = [f"{name}={str(value).lower()}" for name, value in status.items()]
        if not self.full:
            head = [f"round {seen.round}/{limit} at {seen.row} {seen.column}"]
            if score is not None:
                head.append(f"score {score:g}")
            parts = [*told, " ".join([*head, *notes]), seen.picture]
            parts.extend(f"heard {text}" for text in heard)
            return "\n".join(parts)
        parts = []
        if told:
            parts.append("What you saw and did in your last rounds, oldest first:")
            parts.extend(told)
        parts.append(
            f"NOW: {seen.round} of {limit} rounds are played. You are at row {seen.row}, column "
            f"{seen.column}."
        )
        if score is not None:
            parts.append(f"The team's score: {score:g}.")
        if notes:
            parts.append(f"Your state: {', '.join(notes)}.")
        parts.append(f"You see:\n{seen.picture}")
        if heard:
            parts.append("Messages heard:")
            parts.extend([f"- {text}" for text in heard])
        else:
            parts.append("No messages heard.")
        return "\n".join(parts)

    def remembered(self, seen: Seen, action: str, message: str) -> Remembered:
        """Keep a round for the following observations."""
        return Remembered(seen, action, message, self._past(seen, action, message))

    def _past(self, seen: Seen, action: str, message: str) -> str:
        if not self.full:
            said = f" said {message}" if message else ""
            return (
                f"was {seen.round} at {seen.row} {seen.column} did {action}{said}\n{seen.picture}"
            )
        said = f", and said: {message}" if message else ""
        return (
            f"After {seen.round} rounds, at row {seen.row}, column {seen.column}, you saw\n"
            f"{seen.picture}\nand chose {action}{said}"
        )

    def _full_instructions(self, agent: int) -> str:
        config = self.config
        others = "".join(f"; {letter} {meaning}" for letter, meaning in self.task.legend().items())
        light = self.task.light_name
        dollar = f"; $number another agent {self.task.dark_words}" if light else ""
        success = ""
        if self._target is not None:
            success = f" The team succeeds if its score reaches {self._target:g}."
        parts = [
            f"You are agent {agent}, one of {config.n_agents} agents (0 to {config.n_agents - 1}) "
            f"on a grid of {config.height} rows and {config.width} columns. Rows are numbered "
            "from 0 at the top, columns from 0 at the left: UP lowers the row number, RIGHT "
            "raises the column number.",
            f"THE TASK\n{self._rules}{success}",
            f"WHAT YOU SEE\n{self._sight(agent)} Row numbers stand at the left, column numbers "
            f"above. {OWN_CELL} is you; a number another agent{dollar}; . an empty cell; W a "
            f"wall; * a place outside the map{others}.",
            f"HOW THINGS MOVE\n{self._physics.full()}",
            f"MESSAGES\n{self._hearing_rule(agent)}",
            f"YOUR ANSWER\nThink first if you like. Then write these lines, each on its own:\n"
            f"{self._answer_form(agent)}",
        ]
        return "\n\n".join(parts)

    def _sight(self, agent: int) -> str:
        if self.hearing.centralized and agent == 0:
            return "You see the whole map."
        size = self.config.view_size
        return f"You see the {size}×{size} cells around you."

    def _hearing_rule(self, agent: int) -> str:
        hearing = self.hearing
        low, high = (rounds + 1 for rounds in hearing.delay)
        when = "in the next round"
        if high > 1:
            when = f"{low} rounds later" if low == high else f"{low} to {high} rounds later"
        if hearing.centralized:
            who = "all other agents" if agent == 0 else "agent 0 alone"
            heard = f"A message of yours is heard {when} by {who}"
        else:
            near = (
                "when it arrives, the speaker included"
                if hearing.compat
                else "when it is spoken, before anybody moves"
            )
            heard = (
                f"A message is heard {when} by the agents that are at most {hearing.distance} "
                f"rows and {hearing.distance} columns away from the speaker {near}"
            )
        noise = ""
        if hearing.noise:
            noise = f" Each character is garbled with probability {hearing.noise:g}."
        return (
            f"{heard}; nobody is told who spoke. It may have {MAX_MESSAGE_CHARS} characters; "
            f'what exceeds them is replaced by "{CUT_MARK}".{noise}'
        )

    def _answer_form(self, agent: int) -> str:
        names = "|".join(self.task.actions)
        form = (
            f"ACTION: <{names}>\nMSG: <text>   (only if you want to say something; at most "
            f"{MAX_MESSAGE_CHARS} characters)"
        )
        if self.hearing.centralized and agent == 0:
            form += (
                f"\nAGENT <number>: <{names}>   (a command that this agent carries out in this "
                "round in place of its own choice; one line for each agent you command)"
            )
        if self.config.compat:
            return form + "\nThe first ACTION line counts, and in it the first of these names."
        return form + "\nThe last ACTION line counts; it must hold one of these names only."

    def _compact_instructions(self, agent: int) -> str:
        config, hearing = self.config, self.hearing
        legend = {OWN_CELL: "you", ".": "empty", "W": "wall", "*": "off map", "n": "agent n"}
        legend |= self.task.legend()
        if self.task.light_name:
            legend["$n"] = f"agent n {self.task.dark_words}"
        names = "|".join(self.task.actions)
        success = "" if self._target is None else f"; success from score {self._target:g} on"
        central = hearing.centralized
        size = config.view_size
        sight = "whole map," if central and agent == 0 else f"{size}x{size}"
        if central:
            heard = "agent 0 and each other agent hear each other"
        else:
            when_near = "on arrival, speaker included" if hearing.compat else "before the moves"
            heard = f"heard within {hearing.distance} rows and columns {when_near}"
        low, high = (rounds + 1 for rounds in hearing.delay)
        when = "next round" if high == 1 else f"{low}..{high} rounds later"
        noise = f", characters garbled with p={hearing.noise:g}" if hearing.noise else ""
        lines = [
            f"agent {agent} of 0..{config.n_agents - 1}, grid {config.height} rows x "
            f"{config.width} columns, row 0 top, column 0 left",
            f"task: {self._rules}{success}",
            f"sight: {sight} cells after 'from <first row> <first column>': "
            + ", ".join(f"{letter} {meaning}" for letter, meaning in legend.items()),
            f"physics: {self._physics.compact()}",
            f"messages: {heard}, {when}, unsigned, {MAX_MESSAGE_CHARS} chars, "
            f"rest becomes '{CUT_MARK}'{noise}",
            f"answer lines: ACTION: <{names}> and/or MSG: <text>",
        ]
        if central and agent == 0:
            lines[-1] += f" and/or AGENT <n>: <{names}> (binding command)"
        lines[-1] += (
            "; first ACTION line counts, first name in it"
            if config.compat
            else "; last ACTION line counts, one name only"
        )
        return "\n".join(lines)
