"""Attention states of earlier prompts, so that a growing chat is not read anew each round.

An agent's prompt of this round mostly begins with its prompt of the last round; the keys and
values of the common beginning are the same, so only what is new has to pass through the model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

TokenIds = NDArray[np.int64]
ROOM = 128  # positions by which a full buffer grows


class GrowingLayer(DynamicLayer):  # type: ignore[misc]  # transformers is not typed
    """Keys and values of one layer in buffers with room for the tokens to come.

    The base class concatenates, which copies all states once per token and takes a third of
    the decoding time of a small model.
    """

    keys: Any
    values: Any
    _buffers: tuple[Any, Any] | None = None

    def update(self, key_states: Any, value_states: Any, *args: Any, **kwargs: Any) -> Any:
        """Append states of shape ``(batch, heads, new, d)`` and return all of them."""
        used = self.get_seq_length()
        end = used + key_states.shape[-2]
        if self._buffers is None or self._buffers[0].shape[-2] < end:
            if not self.is_initialized:
                self.lazy_initialization(key_states, value_states)
            self._buffers = (
                _with_room(self.keys if used else None, key_states, end + ROOM),
                _with_room(self.values if used else None, value_states, end + ROOM),
            )
        keys, values = self._buffers
        keys[..., used:end, :] = key_states
        values[..., used:end, :] = value_states
        self.keys, self.values = keys[..., :end, :], values[..., :end, :]
        return self.keys, self.values

    def batch_select_indices(self, indices: Any) -> None:
        """Keep only these rows of the batch."""
        super().batch_select_indices(indices)
        self._buffers = None


@dataclass(frozen=True, slots=True, eq=False)
class _Prompt:
    """Token ids ``(T,)`` and per layer keys and values, each ``(heads, T, d)``."""

    ids: TokenIds
    states: tuple[tuple[Any, Any], ...]


class Assembled(NamedTuple):
    """The known beginnings of a batch of prompts, padded on the left to one length.

    ``cache`` holds the states, ``lengths[i]`` the number of known tokens of prompt ``i``,
    ``width`` the padded length.
    """

    cache: Any
    lengths: list[int]
    width: int


class PromptStates:
    """The states of the most recently used prompts, up to a number of tokens.

    Models with sliding windows or recurrent layers are served without: their states can't be
    cut at an arbitrary token.

    Args:
        config: The model's configuration, which decides what kind of cache it uses.
        max_tokens: Largest number of tokens kept; the least recently used prompts leave first.
            0 keeps nothing.
    """

    def __init__(self, config: Any, max_tokens: int) -> None:
        self._config = config
        layers = DynamicCache(config=config).layers
        self._plain = all(type(layer) is DynamicLayer for layer in layers)
        self.max_tokens = max_tokens if self._plain else 0
        self._kept: list[_Prompt] = []  # least recently used first

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()

    def assemble(self, prompts: Sequence[TokenIds]) -> Assembled:
        """Return what is known of each prompt; at least its last token is left to be read."""
        found = [self._find(prompt) for prompt in prompts]
        cache = DynamicCache(config=self._config)
        if self._plain:
            cache.layers = [GrowingLayer() for _ in cache.layers]
        lengths = [length for _, length in found]
        width = max(lengths)
        some = next((kept for kept, _ in found if kept is not None), None)
        if some is not None:
            for layer, like in enumerate(some.states):
                keys, values = (
                    _stacked([kept and kept.states[layer][i] for kept, _ in found], lengths, part)
                    for i, part in enumerate(like)
                )
                cache.update(keys, values, layer)
        return Assembled(cache, lengths, width)

    def known(self, prompt: TokenIds) -> int:
        """Return how many tokens at the beginning of a prompt are known."""
        return max((common_length(kept.ids, prompt) for kept in self._kept), default=0)

    def store(self, cache: Any, row: int, columns: Any, ids: TokenIds) -> None:
        """Keep one row of a cache.

        Args:
            cache: The cache after a forward pass.
            row: The row in it.
            columns: Bool tensor ``(width,)``: the positions that hold tokens, not padding.
            ids: The token ids at those positions, in order.
        """
        if len(ids) > self.max_tokens:
            return
        states = tuple(
            (layer.keys[row][:, columns], layer.values[row][:, columns]) for layer in cache.layers
        )
        # The prompts that this one continues are contained in it.
        self._kept = [kept for kept in self._kept if common_length(kept.ids, ids) < len(kept.ids)]
        self._kept.append(_Prompt(ids, states))
        total = sum(len(kept.ids) for kept in self._kept)
        while total > self.max_tokens:
            total -= len(self._kept.pop(0).ids)

    def _find(self, prompt: TokenIds) -> tuple[_Prompt | None, int]:
        """Return the kept prompt with the longest common beginning, and that length."""
        best, length = None, 0
        for kept in self._kept:
            common = min(common_length(kept.ids, prompt), len(prompt) - 1)
            if common > length:
                best, length = kept, common
        if best is not None:
            self._kept = [*(kept for kept in self._kept if kept is not best), best]
        return best, length


def common_length(first: TokenIds, second: TokenIds) -> int:
    """Return the length of the common beginning of two token sequences."""
    size = min(len(first), len(second))
    different = np.flatnonzero(first[:size] != second[:size])
    return int(different[0]) if len(different) else size


def _stacked(states: Sequence[Any], lengths: Sequence[int], like: Any) -> Any:
    """Stack the first ``lengths[i]`` positions of each row's states, padded on the left."""
    heads, _, size = like.shape
    width = max(lengths)
    batch = like.new_zeros(len(states), heads, width, size)
    for row, (known, length) in enumerate(zip(states, lengths, strict=True)):
        if length:
            batch[row, :, width - length :] = known[:, :length]
    return batch


def _with_room(old: Any, new: Any, capacity: int) -> Any:
    batch, heads, _, size = new.shape
    buffer = new.new_empty(batch, heads, capacity, size)
    if old is not None:
        buffer[..., : old.shape[-2], :] = old
    return buffer
