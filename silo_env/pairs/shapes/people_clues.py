"""Puzzles of clues whose answer puts people in order: what ``order`` and ``seating`` share."""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from coordgym.silo_env.pairs.facts.fact_checks import answer_list, require_names
from coordgym.silo_env.pairs.facts.instances import require_list
from coordgym.silo_env.pairs.facts.names import PEOPLE, choose
from coordgym.silo_env.pairs.facts.prose import name_run
from coordgym.silo_env.pairs.shapes.clues import ClueInstance, ClueTask
from coordgym.silo_env.pairs.task import Answer, ConfigT, Friction, Grade, Json, Seat


class PeopleClueTask(ClueTask[ConfigT]):
    """A task whose clues speak of people, and whose answer puts them in order.

    Attributes:
        fewest: Least number of people.
        most: Largest number of people.
        frame: What the heading of view 2 adds at friction 2 about its way of counting.
    """

    fewest: ClassVar[int]
    most: ClassVar[int]
    frame: ClassVar[str]

    @abstractmethod
    def arrangements(self, size: int) -> Sequence[Sequence[int]]:
        """For each column of the table the people in the order of the answer."""

    @abstractmethod
    def score(self, listed: object, truth: Sequence[str]) -> float:
        """How near a list of an answer comes to the true order, 0..1."""

    def subject(self, names: Sequence[str]) -> dict[str, Json]:
        """The people."""
        return {"names": list(names)}

    def read_subject(self, given: Mapping[str, object]) -> tuple[str, ...]:
        """The people."""
        return require_names(
            "names", require_list("names", given.get("names"), self.fewest, self.most)
        )

    def framed(self, heading: str, seat: Seat, friction: Friction) -> str:
        """A heading with the frame, where the view has one."""
        return heading + self.frame if seat == 2 and friction == 2 else heading

    def answer_of(self, names: Sequence[str], arrangement: int) -> Answer:
        """The names in order."""
        people = self.arrangements(len(names))[arrangement]
        return {self.answer_fields[0]: [names[person] for person in people]}

    def grade(
        self, instance: ClueInstance, answer: object, *, search_schemes: bool = True
    ) -> Grade:
        """How near the listed people come to the one solution."""
        people = self.arrangements(len(instance.names))[self.solution(instance)]
        truth = [instance.names[person] for person in people]
        return Grade(self.score(answer_list(answer, self.answer_fields[0]), truth))

    def answer_form(self, friction: Friction) -> str:
        """The names in order."""
        return f'{{"{self.answer_fields[0]}": [name, ...]}}'

    def read_heading(self, match: re.Match[str]) -> dict[str, Json]:
        """The people."""
        return {"names": [*match[2].split(", ")]}

    def free_text_answer(self, instance: ClueInstance, messages: Sequence[str]) -> Answer | None:
        """The longest run of names in the last message that has one."""
        run = name_run(messages, instance.names)
        return None if run is None else {self.answer_fields[0]: [*run]}

    def random_answer(self, rng: np.random.Generator) -> Answer:
        """Some people in random order."""
        return {self.answer_fields[0]: [*choose(PEOPLE, self.most, rng)]}


def draw_people(count: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Some people in alphabetical order."""
    return tuple(sorted(choose(PEOPLE, count, rng)))
