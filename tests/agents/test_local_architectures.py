"""The local backend with models of many kinds: a batch is what a plain forward pass says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
import transformers

from coordgym.agents.backend import ChatRequest, SamplingParams
from coordgym.agents.embedded import LoadedModel
from coordgym.agents.local import TransformersBackend
from coordgym.errors import ModelError

TOKENS: dict[str, Any] = {
    "vocab_size": 259,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
    "initializer_range": 0.4,
}
LLAMA: dict[str, Any] = {
    **TOKENS,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 2048,
}
CONFIGS: dict[str, Callable[[], Any]] = {
    "gpt2 (learned positions)": lambda: transformers.GPT2Config(
        n_embd=32, n_layer=2, n_head=4, n_positions=2048, **TOKENS
    ),
    "mistral (sliding window)": lambda: transformers.MistralConfig(sliding_window=16, **LLAMA),
    "gemma2 (some windows)": lambda: transformers.Gemma2Config(
        head_dim=8, sliding_window=16, **LLAMA
    ),
    "mixtral (experts)": lambda: transformers.MixtralConfig(num_local_experts=4, **LLAMA),
    "bloom (no positions)": lambda: transformers.BloomConfig(
        hidden_size=32, n_layer=2, n_head=4, **TOKENS
    ),
    "mpt (no positions)": lambda: transformers.MptConfig(
        d_model=32, n_layers=2, n_heads=4, vocab_size=259, initializer_range=0.4
    ),
    "mamba (recurrent)": lambda: transformers.MambaConfig(
        hidden_size=32, num_hidden_layers=2, state_size=8, **TOKENS
    ),
    "jamba (partly recurrent)": lambda: transformers.JambaConfig(
        attn_layer_period=2,
        attn_layer_offset=1,
        num_experts=2,
        mamba_d_state=8,
        use_mamba_kernels=False,
        **LLAMA,
    ),
}
RULES = "The rules of the world are long enough to be read once for all agents."
CHATS = [
    ChatRequest(
        ({"role": "system", "content": RULES}, {"role": "user", "content": "Go on. " * i}), seed=i
    )
    for i in range(1, 5)
]


def backend_of(config: Any, folder: Path, **options: Any) -> TransformersBackend:
    torch.manual_seed(0)
    network = transformers.AutoModelForCausalLM.from_config(config).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return TransformersBackend(LoadedModel(network, tokenizer), "m", **options)


@pytest.mark.parametrize("kind", CONFIGS)
def test_replies_are_those_of_a_plain_forward_pass(kind: str, tiny_folder: Path) -> None:
    backend = backend_of(CONFIGS[kind](), tiny_folder)
    for params in (
        SamplingParams(max_new_tokens=8),
        SamplingParams(max_new_tokens=8, temperature=1.0),
    ):
        batch = backend.generate(CHATS, params)
        again = backend.generate(CHATS, params)  # from kept states, where the kind allows it
        alone = [backend.generate([request], params)[0] for request in reversed(CHATS)][::-1]
        assert len({completion.completion_token_ids for completion in batch}) > 1 or not (
            params.temperature
        )
        for completions in zip(batch, again, alone, strict=True):
            assert len({completion.completion_token_ids for completion in completions}) == 1
            for completion in completions:
                prompt, reply = completion.prompt_token_ids, completion.completion_token_ids
                assert prompt is not None
                assert reply is not None
                with torch.no_grad():
                    logits = backend.network(torch.tensor([[*prompt, *reply]])).logits[0].float()
                logprobs = torch.log_softmax(logits[len(prompt) - 1 : -1], dim=-1)
                expected = [float(logprobs[i, token]) for i, token in enumerate(reply)]
                assert completion.logprobs == pytest.approx(expected, abs=1e-3)


def test_a_model_inside_an_adapter_is_batched_like_itself(tiny_folder: Path) -> None:
    class Adapter(torch.nn.Module):
        """Takes arguments by any name, as adapters of peft do."""

        def __init__(self, inner: Any) -> None:
            super().__init__()
            self.inner, self.config, self.device = inner, inner.config, inner.device
            self.generation_config = inner.generation_config

        def get_base_model(self) -> Any:
            return self.inner

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return self.inner(*args, **kwargs)

    plain = backend_of(transformers.LlamaConfig(**LLAMA), tiny_folder)
    wrapped = TransformersBackend(LoadedModel(Adapter(plain.network), plain.tokenizer), "m")
    params = SamplingParams(max_new_tokens=8, temperature=1.0)
    assert wrapped.max_batch == plain.max_batch > 1
    expected = [c.completion_token_ids for c in plain.generate(CHATS, params)]
    assert [c.completion_token_ids for c in wrapped.generate(CHATS, params)] == expected


def test_a_model_without_a_cache_is_refused(tiny_folder: Path) -> None:
    class Plain(transformers.LlamaForCausalLM):  # type: ignore[misc]
        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            raise NotImplementedError

    network = Plain(transformers.LlamaConfig(**LLAMA))
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_folder)
    backend = TransformersBackend(LoadedModel(network, tokenizer), "m")
    with pytest.raises(ModelError, match="takes no cache"):
        backend.generate(CHATS[:1], SamplingParams(max_new_tokens=2))
