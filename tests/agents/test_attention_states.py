"""Which prompts' attention states are kept, and how they are put together again."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import numpy as np
import torch
from transformers import DynamicCache, LlamaConfig, MistralConfig

from coordgym.agents.attention_states import PromptStates, TokenIds, common_length

CONFIG = LlamaConfig(
    vocab_size=99, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=8
)


def ids_of(*ids: int) -> TokenIds:
    return np.asarray(ids, np.int64)


def store(states: PromptStates, ids: TokenIds) -> None:
    """Keep a prompt whose state at each position is the token's number, in a batch of one."""
    cache = DynamicCache(config=CONFIG)
    values = torch.tensor(ids, dtype=torch.float32).view(1, 1, -1, 1).expand(1, 2, -1, 4)
    for layer in range(2):
        cache.update(values, -values, layer)
    states.store(cache, 0, torch.ones(len(ids), dtype=torch.bool), ids)


def test_the_least_recently_used_leave_first() -> None:
    states = PromptStates(CONFIG, max_tokens=8)
    first, second, third = ids_of(1, 2, 3, 4), ids_of(5, 6, 7, 8), ids_of(9, 10, 11)
    store(states, first)
    store(states, second)
    states.assemble([ids_of(*first, 20)])
    store(states, third)
    assert [states.known(prompt) for prompt in (first, second, third)] == [4, 0, 3]


def test_a_longer_prompt_takes_the_place_of_its_beginning() -> None:
    states = PromptStates(CONFIG, max_tokens=8)
    store(states, ids_of(1, 2, 3))
    store(states, ids_of(1, 2, 3, 4, 5))
    store(states, ids_of(7, 8, 9))
    assert states.known(ids_of(1, 2, 3, 4, 5)) == 5
    assert states.known(ids_of(7, 8, 9)) == 3


def test_beginnings_are_padded_on_the_left_and_leave_a_token_to_read() -> None:
    states = PromptStates(CONFIG, max_tokens=100)
    store(states, ids_of(1, 2, 3, 4))
    store(states, ids_of(5, 6))
    prompts = [ids_of(1, 2, 3, 4), ids_of(5, 6, 7), ids_of(1, 2, 9), ids_of(8)]
    cache, lengths, width = states.assemble(prompts)
    assert (lengths, width) == ([3, 2, 2, 0], 3)
    for layer in cache.layers:
        assert layer.keys[:, 0, :, 0].tolist() == [[1, 2, 3], [0, 5, 6], [0, 1, 2], [0, 0, 0]]
        assert torch.equal(layer.values, -layer.keys)


def test_what_is_too_long_or_can_not_be_cut_is_not_kept() -> None:
    states = PromptStates(CONFIG, max_tokens=3)
    store(states, ids_of(1, 2))
    store(states, ids_of(5, 6, 7, 8))
    assert [states.known(ids_of(1, 2)), states.known(ids_of(5, 6, 7, 8))] == [2, 0]
    windows = MistralConfig(num_hidden_layers=2, sliding_window=4)
    assert PromptStates(windows, max_tokens=100).max_tokens == 0
    states.clear()
    assert states.known(ids_of(1, 2)) == 0


def test_common_beginnings() -> None:
    assert common_length(ids_of(1, 2, 3), ids_of(1, 2, 4)) == 2
    assert common_length(ids_of(1, 2), ids_of(1, 2, 4)) == 2
    assert common_length(ids_of(), ids_of(1)) == common_length(ids_of(2), ids_of(1)) == 0
