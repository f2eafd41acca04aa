"""Dataclasses from JSON: every type is checked, no key is ignored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import pytest

from coordgym.data.strict import build
from coordgym.errors import InstanceError


class Closure(NamedTuple):
    """A cell and the last tick at which it is closed."""

    row: int
    tick: int


@dataclass(frozen=True)
class Shape:
    """A field of every kind."""

    ends: tuple[str, str, Literal[1, 2]]
    cells: tuple[tuple[int, int], ...]
    owner: Mapping[str, Literal["a", "b"]]
    closures: tuple[Closure, ...] = ()
    clue: tuple[str | int, ...] = ()


GIVEN: dict[str, Any] = {"ends": ["A", "B", 2], "cells": [[0, 1], [2, 3]], "owner": {"x": "a"}}


def built(**change: object) -> Shape:
    return build(Shape, {**GIVEN, **change}, "it", InstanceError)


def test_lists_become_tuples_of_the_declared_width() -> None:
    shape = built(closures=[[1, 2]], clue=["at", 3])
    assert shape.ends == ("A", "B", 2)
    assert shape.cells == ((0, 1), (2, 3))
    assert shape.owner == {"x": "a"}
    assert shape.closures == (Closure(1, 2),)
    assert isinstance(shape.closures[0], Closure)
    assert shape.clue == ("at", 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ends": ["A", "B"]}, r"it: ends must have 3 entries, got \['A', 'B'\]"),
        ({"ends": ["A", "B", 3]}, r"it: ends\[2\] must be one of 1, 2, got 3"),
        ({"ends": ["A", "B", True]}, r"it: ends\[2\] must be one of 1, 2, got True"),
        ({"ends": ["A", 1, 2]}, r"it: ends\[1\] must be a text, got 1"),
        ({"cells": [[0, 1], [2]]}, r"it: cells\[1\] must have 2 entries, got \[2\]"),
        ({"cells": [[0, 1.5]]}, r"it: cells\[0\]\[1\] must be a whole number, got 1.5"),
        ({"cells": "AB"}, "it: cells must be a list, got 'AB'"),
        ({"owner": {"x": "c"}}, "it: owner.x must be one of 'a', 'b', got 'c'"),
        ({"owner": [1]}, "it: owner must be a mapping with text keys"),
        ({"closures": [[1, 2, 3]]}, r"it: closures\[0\] must have 2 entries"),
        ({"clue": [True]}, r"it: clue\[0\] must be a whole number, got True"),
        ({"cell": []}, "it: unknown key 'cell'; did you mean 'cells'"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(change, message) -> None:
    with pytest.raises(InstanceError, match=message):
        built(**change)
