"""Fixtures of the tests of language-model policies."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def load_helper(name: str) -> ModuleType:
    """Load a helper module beside this file, once (tests are no package in importlib mode)."""
    full_name = f"coordgym_test_{name}"
    if full_name not in sys.modules:
        path = Path(__file__).with_name(f"{name}.py")
        spec = importlib.util.spec_from_file_location(full_name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[full_name] = module
        spec.loader.exec_module(module)
    return sys.modules[full_name]


@pytest.fixture(scope="session", autouse=True)
def _one_torch_thread() -> None:
    """Test processes share the cores; torch's threads would wait for each other."""
    if importlib.util.find_spec("torch") is not None:
        import torch

        torch.set_num_threads(1)


@pytest.fixture
def fake_server() -> Iterator[Any]:
    """A fake OpenAI-compatible endpoint on the loopback interface."""
    with load_helper("fake_endpoint").FakeEndpoint() as server:
        yield server


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random two-layer Llama and a tokenizer of bytes."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("tiny-model")
    load_helper("tiny_model").save_tiny_model(folder)
    return folder
