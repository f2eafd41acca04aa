"""The local backend where models, folders and templates are broken or odd."""

import functools
import gc
import json
import shutil
import weakref
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

import coordgym
from coordgym.agents.backend import ChatRequest, Message, SamplingParams
from coordgym.agents.embedded import LoadedModel
from coordgym.agents.factory import make_llm_policy
from coordgym.agents.local import TransformersBackend
from coordgym.episodes.rollout import attempt
from coordgym.errors import ConfigError, ModelError

MESSAGES: tuple[Message, ...] = (
    {"role": "system", "content": "Rules."},
    {"role": "user", "content": "Go."},
)
REQUEST = ChatRequest(MESSAGES, seed=3)
FEW = SamplingParams(max_new_tokens=4)


def load(folder: Path, **options: Any) -> TransformersBackend:
    return TransformersBackend.from_folder(folder, device="cpu", **options)


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    """A private copy of the tiny model's folder."""
    return Path(shutil.copytree(tiny_folder, tmp_path / "model"))


def test_backends_of_one_folder_share_the_network_while_it_is_in_use(folder: Path) -> None:
    first, second = load(folder), load(folder, max_batch=2)
    assert first.network is second.network
    assert first.tokenizer is not second.tokenizer
    assert load(folder, dtype="bfloat16").network is not first.network
    game = coordgym.PolicyMap(
        {
            "agent_0": make_llm_policy(f"llm:hf:{folder}", device="cpu"),
            "*": make_llm_policy(f"llm:hf:{folder}", device="cpu", temperature=1.0),
        }
    )
    assert len({id(policy.backend.network) for policy in game.policies.values()}) == 1  # type: ignore[attr-defined]
    gone = weakref.ref(first.network)
    del first, second, game
    gc.collect()
    assert gone() is None


def test_a_folder_with_new_weights_is_read_anew(folder: Path) -> None:
    old = load(folder)
    changed = load(folder, dtype="bfloat16").network.float()
    with torch.no_grad():
        changed.model.embed_tokens.weight += 1
    changed.save_pretrained(folder)
    new = load(folder)
    assert new.network is not old.network
    assert not torch.equal(
        new.network.model.embed_tokens.weight, old.network.model.embed_tokens.weight
    )


def test_folders_that_lack_weights_or_hold_rubbish_are_refused(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 3}))
    with pytest.raises(ModelError, match=r"no weights for \['model\.layers\.2"):
        load(folder)
    (folder / "config.json").write_text(json.dumps({**config, "hidden_size": 64}))
    with pytest.raises(ModelError, match="can't be loaded"):
        load(folder)
    (folder / "config.json").write_text(json.dumps(config))
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ModelError, match="can't be loaded"):
        load(folder)
    (folder / "config.json").write_text("[]")
    with pytest.raises(ModelError, match="can't be loaded"):
        load(folder)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_logits_that_are_no_numbers_become_a_model_error(folder: Path, temperature: float) -> None:
    backend = load(folder)
    with torch.no_grad():
        backend.network.model.norm.weight.fill_(float("nan"))
    with pytest.raises(ModelError, match=r"nan|NaN"):
        backend.generate([REQUEST], SamplingParams(temperature=temperature))


def test_a_model_that_fails_ends_the_episode_as_a_record_and_goes_on(folder: Path) -> None:
    policy = make_llm_policy(f"llm:hf:{folder}", device="cpu", max_new_tokens=4)
    network = policy.backend.network  # type: ignore[attr-defined]
    forward, calls = network.forward, 0

    @functools.wraps(forward)
    def failing(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 6:
            raise torch.OutOfMemoryError("no memory is left")
        return forward(*args, **kwargs)

    network.forward = failing
    env = coordgym.make("SwarmPursuit-v0", n_agents=2, max_cycles=4, text="compact")
    episode = attempt(env, policy, seed=0)
    assert episode.failure is not None
    assert episode.failure.type == "ModelError"
    assert "OutOfMemoryError: no memory is left" in episode.failure.message
    network.forward = forward
    assert attempt(env, policy, seed=0).failure is None


def backend_with_template(folder: Path, template: str) -> TransformersBackend:
    loaded = load(folder)
    loaded.tokenizer.chat_template = template
    return TransformersBackend(LoadedModel(loaded.network, loaded.tokenizer), "m")


def test_templates_that_lose_the_system_message_get_it_from_the_user(folder: Path) -> None:
    losing = (
        "{% for m in messages %}{% if m['role'] != 'system' %}{{ m['role'] }}: {{ m['content'] }}\n"
        "{% endif %}{% endfor %}"
    )
    backend = backend_with_template(folder, losing)
    (completion,) = backend.generate([REQUEST], FEW)
    assert backend.tokenizer.decode(completion.prompt_token_ids) == "user: Rules.\n\nGo.\n"


@pytest.mark.parametrize(
    "template", ["{{ raise_exception('never') }}", "{{ messages[9].content }}"]
)
def test_templates_that_fail_become_model_errors(folder: Path, template: str) -> None:
    backend = backend_with_template(folder, template)
    with pytest.raises(ModelError, match="chat template of m"):
        backend.generate([REQUEST], FEW)


def test_template_kwargs_reach_the_template(folder: Path) -> None:
    template = "{{ messages[-1]['content'] }}{% if thinking %} Think.{% endif %}"
    loaded = load(folder)
    loaded.tokenizer.chat_template = template
    model = LoadedModel(loaded.network, loaded.tokenizer)
    for options, prompt in (({}, "Go."), ({"thinking": True}, "Go. Think.")):
        backend = TransformersBackend(model, "m", template_kwargs=options)
        (completion,) = backend.generate([ChatRequest(MESSAGES[1:])], FEW)
        assert backend.tokenizer.decode(completion.prompt_token_ids) == prompt


def test_choices_may_end_by_any_of_the_end_tokens(folder: Path) -> None:
    """The model's favourite among them is drawn, not the one with the smallest number."""
    backend = load(folder)
    backend.network.generation_config.eos_token_id = [0, 2]
    backend = TransformersBackend(LoadedModel(backend.network, backend.tokenizer), "m")
    requests = [ChatRequest(MESSAGES, seed) for seed in range(30)]
    params = SamplingParams(temperature=5.0, choices=("UP", "UPWARDS"))
    completions = backend.generate(requests, params)
    assert {completion.text for completion in completions} == {"UP", "UPWARDS"}
    ends = [completion.completion_token_ids[-1] for completion in completions]  # type: ignore[index]
    assert set(ends) == {0, 2}
    assert all(completion.finish_reason == "stop" for completion in completions)


def test_the_next_prompt_continues_the_tokens_of_the_last_reply(folder: Path) -> None:
    """So that a trainer can join the rounds of an episode to one sequence."""
    backend = load(folder)
    params = SamplingParams(choices=("ACTION: UP",))
    (first,) = backend.generate([REQUEST], params)
    assert first.completion_token_ids is not None
    assert first.completion_token_ids[-1] == backend.tokenizer.eos_token_id
    messages = (
        *MESSAGES,
        {"role": "assistant", "content": first.text},
        {"role": "user", "content": "Next."},
    )
    (second,) = backend.generate([ChatRequest(messages)], params)  # type: ignore[arg-type]
    joined = (*first.prompt_token_ids, *first.completion_token_ids)  # type: ignore[misc]
    assert second.prompt_token_ids[: len(joined)] == joined  # type: ignore[index]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_smallest_temperatures_draw_the_likeliest_token(folder: Path, dtype: str) -> None:
    backend = load(folder, dtype=dtype)
    (greedy,) = backend.generate([REQUEST], FEW)
    for temperature in (5e-324, 1e-30, 1e-6):
        (drawn,) = backend.generate(
            [REQUEST], SamplingParams(max_new_tokens=4, temperature=temperature)
        )
        assert drawn.completion_token_ids == greedy.completion_token_ids
        assert drawn.logprobs == pytest.approx([0.0] * 4, abs=1e-3)


@pytest.mark.parametrize("options", [{"device": "cuda:99"}, {"dtype": 32}, {"dtype": "Tensor"}])
def test_devices_and_dtypes_that_do_not_exist_are_refused(
    folder: Path, options: dict[str, Any]
) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        TransformersBackend.from_folder(folder, **options)
