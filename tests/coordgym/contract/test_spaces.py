"""Free-text spaces: membership by length, sampling from a grammar, clear refusals."""

import copy
import json
import pickle
from dataclasses import dataclass

import gymnasium
import numpy as np
import pytest
from gymnasium.error import CustomSpaceError
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory
from hypothesis import given
from hypothesis import strategies as st

from coordgym.contract.spaces import FreeText, TextObs


@dataclass(frozen=True)
class Dice:
    sides: int

    def __call__(self, rng: np.random.Generator) -> str:
        return f"roll {rng.integers(self.sides)}"


@given(st.text(max_size=20))
def test_membership_is_by_length_for_any_unicode(text: str) -> None:
    assert (text in FreeText(10)) == (len(text) <= 10)
    assert (text in FreeText(10, min_length=3)) == (3 <= len(text) <= 10)
    assert TextObs(text) in FreeText(20)


@pytest.mark.parametrize("value", [b"x", 1, None, ["x"]])
def test_only_strings_belong(value: object) -> None:
    assert value not in FreeText(10)


def test_samples_come_from_the_grammar_and_the_seed() -> None:
    first, second = (FreeText(10, sampler=Dice(6), seed=3) for _ in range(2))
    drawn = [first.sample() for _ in range(20)]
    assert drawn == [second.sample() for _ in range(20)]
    assert set(drawn) <= {f"roll {i}" for i in range(6)}
    assert len(set(drawn)) > 1


def test_samples_without_a_grammar_fit() -> None:
    for space in (FreeText(0), FreeText(3), FreeText(50, min_length=40)):
        assert space.sample() in space


def test_masks_are_refused() -> None:
    with pytest.raises(ValueError, match="no mask"):
        FreeText(5).sample(mask=(3, None))


@pytest.mark.parametrize(
    "use",
    [
        flatdim,
        flatten_space,
        lambda space: read_from_shared_memory(space, None, 2),
        lambda space: flatten(space, "x"),
        lambda space: unflatten(space, np.zeros(1)),
        lambda space: create_shared_memory(space, 2),
    ],
)
def test_array_forms_are_refused_with_the_fix(use) -> None:
    with pytest.raises(CustomSpaceError, match="shared_memory=False"):
        use(FreeText(5))


def test_copies_keep_bounds_grammar_and_generator() -> None:
    space = FreeText(10, sampler=Dice(1000), seed=1)
    space.sample()
    twins = [copy.deepcopy(space), pickle.loads(pickle.dumps(space))]
    expected = [space.sample() for _ in range(5)]
    for twin in twins:
        assert twin == space
        assert [twin.sample() for _ in range(5)] == expected


def test_spaces_are_equal_if_they_hold_the_same_texts() -> None:
    spaces = [FreeText(5), FreeText(6), FreeText(5, min_length=1), gymnasium.spaces.Text(5)]
    for i, one in enumerate(spaces):
        assert [one == other for other in spaces] == [i == k for k in range(len(spaces))]
    assert FreeText(5, sampler=Dice(6), seed=1) == FreeText(5)


def test_repr_is_short_and_batching_works() -> None:
    assert repr(FreeText(10)) == "FreeText(0..10)"
    batch = gymnasium.vector.utils.batch_space(FreeText(10, sampler=Dice(6), seed=1), 3)
    assert len(batch.sample()) == 3


def test_an_observation_is_a_string_with_a_dtype() -> None:
    observation = TextObs("héllo")
    assert observation == "héllo"
    assert observation.dtype == np.dtype(str)
    assert json.loads(json.dumps(observation)) == "héllo"
    assert copy.deepcopy(observation) is observation
    assert isinstance(pickle.loads(pickle.dumps(observation)), TextObs)
