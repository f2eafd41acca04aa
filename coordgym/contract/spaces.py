"""Spaces of free text: any Unicode up to a length, sampled from a grammar.

``gymnasium.spaces.Text`` checks each character against a charset; a charset of all Unicode
costs seconds and hundreds of megabytes. ``FreeText`` checks type and length only.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, Self

import numpy as np
from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Text
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory

Sampler = Callable[[np.random.Generator], str]
"""Draws one text; a module-level function or dataclass, so that it pickles."""

DEFAULT_SAMPLES = ("", "ok", "I have nothing to say.")


@dataclass(frozen=True, slots=True)
class OneOf:
    """Draws one of some texts, all equally likely."""

    texts: tuple[str, ...]

    def __call__(self, rng: np.random.Generator) -> str:
        """Draw a text."""
        return self.texts[int(rng.integers(len(self.texts)))]


class TextObs(str):
    """A text observation: a plain ``str`` that also has a ``dtype``.

    PettingZoo's ``api_test`` reads ``observation.dtype``; everything else sees a string.
    """

    __slots__ = ()
    dtype = np.dtype(str)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class FreeText(Text):
    """All strings of ``min_length`` to ``max_length`` code points.

    Args:
        max_length: Largest number of code points, inclusive.
        min_length: Smallest number of code points, inclusive.
        sampler: Draws the samples, from the space's own generator; without one, samples come
            from three short sentences. Set anew by an environment at each reset.
        seed: Seed of the space's generator.
    """

    def __init__(
        self,
        max_length: int,
        *,
        min_length: int = 0,
        sampler: Sampler | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        # The charset must not be empty; it plays no part in what this space contains.
        super().__init__(max_length, min_length=min_length, charset=" ", seed=seed)
        self.sampler = sampler

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Draw a text from the sampler; a mask or probability is refused.

        Raises:
            ValueError: If a mask or probability is given.
        """
        if mask is not None or probability is not None:
            raise ValueError("FreeText draws from a grammar: it takes no mask and no probability")
        if self.sampler is not None:
            return self.sampler(self.np_random)
        fitting = [s for s in DEFAULT_SAMPLES if self.min_length <= len(s) <= self.max_length]
        return OneOf(tuple(fitting or ["." * self.min_length]))(self.np_random)

    def contains(self, x: Any) -> bool:
        """Tell whether ``x`` is a string of an allowed length."""
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length

    @property
    def is_np_flattenable(self) -> bool:
        """False: a text of any Unicode has no array of fixed size."""
        return False

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # The sampler is immutable and may be large; vector environments copy spaces n times.
        memo[id(self.sampler)] = self.sampler
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        for name, value in self.__dict__.items():
            twin.__dict__[name] = copy.deepcopy(value, memo)
        return twin

    def __repr__(self) -> str:
        return f"FreeText({self.min_length}..{self.max_length})"

    def __eq__(self, other: object, /) -> bool:
        return (
            isinstance(other, FreeText)
            and self.min_length == other.min_length
            and self.max_length == other.max_length
        )


def _refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
    raise CustomSpaceError(
        "FreeText holds any Unicode text and has no fixed-size array form: keep it as str "
        "(in AsyncVectorEnv pass shared_memory=False)"
    )


for _function in (
    flatdim,
    flatten,
    flatten_space,
    unflatten,
    create_shared_memory,
    read_from_shared_memory,
):
    _function.register(FreeText, _refuse)
