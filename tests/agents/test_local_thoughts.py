"""Local models that think: the tokens and templates that mark their thoughts."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from coordgym.agents.backend import ChatRequest, SamplingParams
from coordgym.agents.embedded import LoadedModel
from coordgym.agents.local import TransformersBackend
from coordgym.parsing.reasoning import split_reasoning

REQUEST = ChatRequest(({"role": "user", "content": "Go."},))
HARMONY = ["<|channel|>", "<|message|>", "<|return|>"]


def backend(folder: Path, special: list[str], template: str = "{{ messages[0].content }}") -> Any:
    """Load the tiny model with further special tokens and another template."""
    loaded = TransformersBackend.from_folder(folder, device="cpu")
    tokenizer = loaded.tokenizer
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    tokenizer.chat_template = template
    return TransformersBackend(LoadedModel(loaded.network, tokenizer), "m")


def decoded(made: Any, text: str) -> str:
    reply: str = made._decode(made.tokenizer(text, add_special_tokens=False)["input_ids"])
    return reply


@pytest.mark.parametrize(
    ("special", "text", "answer"),
    [
        (["[THINK]", "[/THINK]"], "[THINK]go up?[/THINK]UP<|end|>", "UP"),
        (["<|START_THINKING|>", "<|END_THINKING|>"], "<|START_THINKING|>a<|END_THINKING|>UP", "UP"),
        (HARMONY, "<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>UP", "UP"),
    ],
)
def test_special_tokens_that_mark_thoughts_stay(
    tiny_folder: Path, special: list[str], text: str, answer: str
) -> None:
    made = backend(tiny_folder, special)
    assert split_reasoning(decoded(made, text)).answer == answer
    assert decoded(made, "UP<|end|>") == ("UP" if special != HARMONY else "UP<|end|>")


@pytest.mark.parametrize("opening", ["<think>\n", "[THINK]", ""])
def test_a_thought_that_the_template_opens_is_one(tiny_folder: Path, opening: str) -> None:
    template = "{{ messages[0].content }} " + opening.replace("\n", "{{ '\\n' }}")
    made = backend(tiny_folder, [], template)
    (completion,) = made.generate([REQUEST], SamplingParams(max_new_tokens=3))
    assert completion.text == opening + made._decode(completion.completion_token_ids)
    assert split_reasoning(completion.text).finished is (not opening)
    assert len(completion.completion_token_ids) == completion.completion_tokens
