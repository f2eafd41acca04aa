"""Puzzles of clues whose answer puts people in order: what ``order`` and ``seating`` share."""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coordgym.silo_env.pairs.facts.fact_checks import answer_list, length_fault, names_fault
from coordgym.silo_env.pairs.facts.names import PEOPLE, choose
from coordgym.silo_env.pairs.facts.owners import Owner
from coordgym.silo_env.pairs.facts.prose import name_run
from coordgym.silo_env.pairs.shapes.clues import Clue, ClueTask, Puzzle
from coordgym.silo_env.pairs.task import Answer, ConfigT, Friction, Grade, Seat


@dataclass(frozen=True, slots=True)
class PeopleInstance:
    """A puzzle and its split.

    Attributes:
        names: The people that the clues speak of.
        clues: True clues that leave one arrangement.
        owner: For each clue the view that shows it, 1 or 2.
    """

    names: tuple[str, ...]
    clues: tuple[Clue, ...]
    owner: tuple[Owner, ...]


@dataclass(frozen=True, slots=True)
class PeopleView:
    """The people, and the clues of one view or both."""

    names: tuple[str, ...]
    clues: tuple[Clue, ...] = ()
    whole: bool = False


class PeopleClueTask(ClueTask[PeopleInstance, ConfigT, PeopleView]):
    """A task whose clues speak of people, and whose answer puts them in order.

    Attributes:
        fewest: Least number of people.
        most: Largest number of people.
        frame: What the heading of view 2 adds at friction 2 about its way of counting.
    """

    instance_type = PeopleInstance
    view_type = PeopleView
    fewest: ClassVar[int]
    most: ClassVar[int]
    frame: ClassVar[str]

    @abstractmethod
    def arrangements(self, size: int) -> Sequence[Sequence[int]]:
        """Return for each column of the table the people in the order of the answer."""

    @abstractmethod
    def nearness(self, listed: object, truth: Sequence[str]) -> float:
        """Say how near a list of an answer comes to the true order, 0..1."""

    def subject_fault(self, puzzle: Puzzle) -> str | None:
        """Say that people are too few or too many, or not all different."""
        fault = length_fault("names", puzzle.names, self.fewest, self.most)
        return fault or names_fault("names", puzzle.names)

    def framed(self, heading: str, seat: Seat, friction: Friction) -> str:
        """Return a heading with the frame, where the view has one."""
        return heading + self.frame if seat == 2 and friction == 2 else heading

    def answer_of(self, names: Sequence[str], arrangement: int) -> Answer:
        """Return the names in order."""
        people = self.arrangements(len(names))[arrangement]
        return {self.answer_fields[0]: [names[person] for person in people]}

    def score(self, instance: PeopleInstance, answer: Mapping[str, object]) -> Grade:
        """Say how near the listed people come to the one solution."""
        people = self.arrangements(len(instance.names))[self.solution(instance)]
        truth = [instance.names[person] for person in people]
        return Grade(self.nearness(answer_list(answer, self.answer_fields[0]), truth))

    def answer_form(self, friction: Friction) -> str:
        """Return the names in order."""
        return f'{{"{self.answer_fields[0]}": [name, ...]}}'

    def read_heading(self, match: re.Match[str]) -> PeopleView:
        """Return the people."""
        return PeopleView(tuple(match[2].split(", ")))

    def free_text_answer(self, instance: PeopleInstance, messages: Sequence[str]) -> Answer | None:
        """Read the longest run of names in the last message that has one."""
        run = name_run(messages, instance.names)
        return None if run is None else {self.answer_fields[0]: [*run]}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Draw some people in random order."""
        return {self.answer_fields[0]: [*choose(PEOPLE, self.most, rng)]}


def draw_people(count: int, rng: np.random.Generator) -> PeopleView:
    """Draw some people; in alphabetical order, without clues."""
    return PeopleView(tuple(sorted(choose(PEOPLE, count, rng))))
