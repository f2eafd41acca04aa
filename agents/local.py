"""Local models through transformers: any model folder, or the embedded model.

``coordgym.agents.decoding`` draws the tokens; here are loading, prompts and completions.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coordgym.agents.backend import ChatRequest, Message, SamplingParams
from coordgym.agents.embedded import (
    LoadedModel,
    import_transformers,
    load_embedded,
    missing_llm,
    without_progress_bars,
)
from coordgym.errors import ConfigError, ModelError, require_int
from coordgym.policy import Completion

try:
    import torch

    from coordgym.agents.attention_states import PromptStates, TokenIds
    from coordgym.agents.decoding import Row, Rules, decode
except ImportError as error:
    raise missing_llm(error) from error

DEFAULT_CACHED_TOKENS = 16_384  # 0.75 GB for the embedded model in float32


class TransformersBackend:
    """A causal language model in this process, batched over agents.

    With the same calls on the same machine the replies are the same. Texts that look like the
    tokenizer's special tokens lose that meaning inside messages, so that no agent can forge the
    end of a turn: a space is put after their first character.

    Args:
        loaded: The model and its tokenizer; the tokenizer needs a chat template.
        model: Name recorded in completions.
        max_batch: Largest number of chats that are decoded at once.
        cached_tokens: Largest number of prompt tokens whose attention states are kept from call
            to call within an episode; 0 reads every prompt anew.
        template_kwargs: Further variables of the chat template (``enable_thinking`` …).

    Raises:
        ConfigError: If the tokenizer has no chat template, or a number is out of range.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        model: str,
        *,
        max_batch: int = 16,
        cached_tokens: int = DEFAULT_CACHED_TOKENS,
        template_kwargs: Mapping[str, object] | None = None,
    ) -> None:
        self.model = model
        self.network, self.tokenizer = loaded
        self.max_batch = require_int("max_batch", max_batch, 1, 4096)
        require_int("cached_tokens", cached_tokens, 0, 100_000_000)
        self.template_kwargs = dict(template_kwargs or {})
        if not self.tokenizer.chat_template:
            raise ConfigError(f"{model} has no chat template; use a model tuned for chats")
        config = self.network.config.get_text_config(decoder=True)
        self.context_tokens: int | None = getattr(config, "max_position_embeddings", None)
        self._states = PromptStates(self.network.config, cached_tokens)
        self._ends = _end_ids(self.network, self.tokenizer)
        self._special = tuple(
            token.content for token in self.tokenizer.added_tokens_decoder.values() if token.special
        )
        self._system_role = True
        self._system_role = self._knows_system_role()

    @classmethod
    def embedded(cls, *, device: str = "auto", **options: Any) -> "TransformersBackend":
        """Load the embedded model; ``options`` are those of the constructor."""
        network, tokenizer = load_embedded()
        return cls(LoadedModel(network.to(pick_device(device)), tokenizer), "embedded", **options)

    @classmethod
    def from_folder(
        cls, folder: str | Path, *, device: str = "auto", dtype: str | None = None, **options: Any
    ) -> "TransformersBackend":
        """Load a model folder; nothing is downloaded.

        Args:
            folder: A folder as written by ``save_pretrained``.
            device: ``"auto"`` (a GPU if there is one), ``"cpu"``, ``"cuda"``, ``"cuda:1"`` …
            dtype: For example ``"bfloat16"``; default: float32 on the CPU, elsewhere the
                checkpoint's own.
            **options: Those of the constructor.

        Raises:
            ConfigError: If there is no such folder, or the device or dtype is unknown.
            ModelError: If the folder holds no model that transformers can load.
        """
        transformers = import_transformers()
        path = model_folder(folder)
        place = pick_device(device)
        dtype = dtype or ("float32" if place.type == "cpu" else "auto")
        if dtype != "auto" and not isinstance(getattr(torch, dtype, None), torch.dtype):
            raise ConfigError(f"dtype must be a torch dtype such as 'bfloat16', got {dtype!r}")
        try:
            with without_progress_bars():
                network = transformers.AutoModelForCausalLM.from_pretrained(
                    path, dtype=dtype, local_files_only=True
                )
            tokenizer = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"{path} can't be loaded: {error}") from error
        return cls(LoadedModel(network.to(place).eval(), tokenizer), path.name, **options)

    def generate(self, requests: Sequence[ChatRequest], params: SamplingParams) -> list[Completion]:
        """Answer all chats, ``max_batch`` at a time.

        In the completions ``completion_token_ids`` are all tokens drawn, the end token too;
        ``logprobs`` are the natural logarithms of their probabilities in the distribution they
        were drawn from (temperature and ``choices`` applied; temperature 1 for greedy replies).

        Raises:
            ModelError: If a prompt leaves no room for the reply in the model's context.
        """
        rows = [Row(self._encode(request.messages), request.seed) for request in requests]
        for row in rows:
            self._check_room(len(row.prompt), params.max_new_tokens)
        rules = self._rules(params)
        for start in range(0, len(rows), self.max_batch):
            decode(self.network, self._states, rows[start : start + self.max_batch], rules)
        return [self._completion(row, params) for row in rows]

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Return the length of the prompt that these messages become."""
        return len(self._encode(messages))

    def reset(self) -> None:
        """Forget the attention states of earlier prompts."""
        self._states.clear()

    def close(self) -> None:
        """Forget the attention states of earlier prompts."""
        self._states.clear()

    def _encode(self, messages: Sequence[Message]) -> TokenIds:
        text = self._render(
            [
                {"role": message["role"], "content": self._plain(message["content"])}
                for message in messages
            ]
        )
        return np.asarray(self.tokenizer(text, add_special_tokens=False)["input_ids"], np.int64)

    def _render(self, messages: Sequence[Mapping[str, str]]) -> str:
        if not self._system_role and messages[0]["role"] == "system":
            system, first, *rest = messages
            merged = {"role": "user", "content": f"{system['content']}\n\n{first['content']}"}
            messages = [merged, *rest]
        return str(
            self.tokenizer.apply_chat_template(
                list(messages), tokenize=False, add_generation_prompt=True, **self.template_kwargs
            )
        )

    def _plain(self, content: str) -> str:
        for token in self._special:
            if token in content:
                content = content.replace(token, f"{token[0]} {token[1:]}")
        return content

    def _rules(self, params: SamplingParams) -> Rules:
        ends = self._ends
        if params.choices and not ends:
            raise ConfigError(f"choices need a token that ends replies; {self.model} has none")
        choices = tuple(
            (*self.tokenizer(choice, add_special_tokens=False)["input_ids"], min(ends))
            for choice in params.choices
        )
        longest = max((len(choice) for choice in choices), default=params.max_new_tokens)

        def is_stopped(ids: Sequence[int]) -> bool:
            text = self._decode(ids)
            return any(stop in text for stop in params.stop)

        if not params.stop:
            return Rules(longest, params.temperature, ends, choices)
        return Rules(longest, params.temperature, ends, choices, is_stopped)

    def _knows_system_role(self) -> bool:
        """Tell whether the chat template takes a system message (some refuse it)."""
        messages = [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]
        try:
            self._render(messages)
        except Exception:  # templates raise jinja2's errors, which need not be installed to catch
            return False
        return True

    def _check_room(self, prompt_tokens: int, max_new_tokens: int) -> None:
        context = self.context_tokens
        if context is not None and prompt_tokens + max_new_tokens > context:
            raise ModelError(
                f"the prompt has {prompt_tokens} tokens, which leaves no room for "
                f"max_new_tokens={max_new_tokens} in the {context} tokens of {self.model}"
            )

    def _completion(self, row: Row, params: SamplingParams) -> Completion:
        text = self._decode(row.reply)
        ends = [at for at in (text.find(stop) for stop in params.stop) if at >= 0]
        return Completion(
            text=text[: min(ends)] if ends else text,
            prompt_token_ids=tuple(row.prompt.tolist()),
            completion_token_ids=tuple(row.reply),
            logprobs=tuple(row.logprobs),
            prompt_tokens=len(row.prompt),
            completion_tokens=len(row.reply),
            finish_reason=row.finish_reason,
            model=self.model,
            latency=row.seconds,
        )

    def _decode(self, ids: Sequence[int]) -> str:
        return str(
            self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        )


def model_folder(folder: str | Path) -> Path:
    """Return the path of a model folder.

    Raises:
        ConfigError: If there is no such folder.
    """
    path = Path(folder).expanduser()
    try:
        found = (path / "config.json").is_file()
    except (OSError, ValueError):  # a name that no file can have
        found = False
    if not found:
        raise ConfigError(f"{path} is no model folder: it has no config.json")
    return path


def pick_device(device: str) -> Any:
    """Return the torch device named; ``"auto"`` is a GPU if there is one.

    Raises:
        ConfigError: If torch knows no such device.
    """
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        place = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise ConfigError(f"device must be 'auto', 'cpu', 'cuda' …, got {device!r}") from error
    if place.type == "cuda" and not torch.cuda.is_available():
        raise ConfigError(f"device {device!r}: torch finds no CUDA device here")
    return place


def _end_ids(network: Any, tokenizer: Any) -> frozenset[int]:
    """Return the tokens that end a reply: those of the model and that of the tokenizer."""
    ends = network.generation_config.eos_token_id
    found = set(ends) if isinstance(ends, list | tuple) else {ends}
    found.add(tokenizer.eos_token_id)
    return frozenset(int(end) for end in found if end is not None)
