"""Local models through transformers: any model folder, or the embedded model.

``coordgym.agents.decoding`` draws the tokens; here are loading, prompts and completions.
"""

import copy
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coordgym.agents.backend import ChatRequest, Message, SamplingParams, without_system_role
from coordgym.agents.embedded import (
    LoadedModel,
    import_transformers,
    load_embedded,
    missing_llm,
    without_progress_bars,
)
from coordgym.errors import ConfigError, ModelError, require_int
from coordgym.parsing.harmony import CHANNEL_MARKS
from coordgym.parsing.reasoning import is_mark, opened_thought
from coordgym.policies.protocol import Completion

try:
    import torch

    from coordgym.agents.attention_states import PromptStates, TokenIds
    from coordgym.agents.decoding import Row, Rules, decode, takes_positions
except ImportError as error:
    raise missing_llm(error) from error

PROMPT_END_TOKENS = 16
"""Where in a prompt a tag that opens a thought is looked for."""
SYSTEM_PROBE = "You are agent 0."
DEFAULT_CACHED_TOKENS = 16_384  # 0.75 GB for the embedded model in float32


_networks: "weakref.WeakValueDictionary[Any, Any]" = weakref.WeakValueDictionary()
"""Networks in use, by what they were loaded from and where to."""
_tokenizers: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()
_loading = threading.Lock()


class TransformersBackend:
    """A causal language model in this process, batched over agents.

    Backends made by ``embedded`` or ``from_folder`` with the same weights on the same device
    share one network in memory; to train one, load it yourself and give it to the constructor.
    Models that can't be told the positions of tokens (recurrent ones, some others) are decoded
    one chat at a time.

    With the same calls on the same machine the replies are the same. Texts that look like the
    tokenizer's special tokens lose that meaning inside messages, so that no agent can forge the
    end of a turn: a space is put after their first character.

    Replies keep the tokens that mark reasoning. Where the chat template ends in one that opens a
    thought, the text of the reply begins with it, though the prompt holds it.

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
        if not takes_positions(self.network):
            self.max_batch, cached_tokens = 1, 0
        self._states = PromptStates(self.network.config, cached_tokens)
        self._ends = _end_ids(self.network, self.tokenizer)
        self._special = tuple(
            token.content for token in self.tokenizer.added_tokens_decoder.values() if token.special
        )
        self._marks = _reasoning_marks(self.tokenizer)
        self._system_role = True
        self._system_role = self._knows_system_role()

    @classmethod
    def embedded(cls, *, device: str = "auto", **options: Any) -> "TransformersBackend":
        """Load the embedded model; ``options`` are those of the constructor."""
        place = pick_device(device)

        def load() -> LoadedModel:
            network, tokenizer = load_embedded()
            return LoadedModel(network.to(place), tokenizer)

        return cls(_shared(("embedded", place), load), "embedded", **options)

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
            ModelError: If the folder holds no model that transformers can load, or lacks some
                of its weights.
        """
        transformers = import_transformers()
        path = model_folder(folder)
        place = pick_device(device)
        dtype = dtype or ("float32" if place.type == "cpu" else "auto")
        if dtype != "auto" and not isinstance(getattr(torch, str(dtype), None), torch.dtype):
            raise ConfigError(f"dtype must be a torch dtype such as 'bfloat16', got {dtype!r}")

        def load() -> LoadedModel:
            with without_progress_bars():
                network, report = transformers.AutoModelForCausalLM.from_pretrained(
                    path, dtype=dtype, local_files_only=True, output_loading_info=True
                )
            if report["missing_keys"]:  # transformers would make them up
                raise ValueError(f"there are no weights for {sorted(report['missing_keys'])[:3]}")
            tokenizer = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
            return LoadedModel(network.to(place).eval(), tokenizer)

        try:
            files = sorted((file.name, file.stat().st_mtime_ns) for file in path.iterdir())
            loaded = _shared((path.resolve(), tuple(files), place, dtype), load)
        except Exception as error:  # each file format and architecture has its own errors
            raise ModelError(f"{path} can't be loaded: {error}") from error
        return cls(loaded, path.name, **options)

    def generate(self, requests: Sequence[ChatRequest], params: SamplingParams) -> list[Completion]:
        """Answer all chats, ``max_batch`` at a time.

        In the completions ``completion_token_ids`` are all tokens drawn, the end token too;
        ``logprobs`` are the natural logarithms of their probabilities in the distribution they
        were drawn from (temperature and ``choices`` applied; temperature 1 for greedy replies).

        Raises:
            ModelError: If a prompt leaves no room for the reply in the model's context, the
                chat template refuses the messages, or the model fails.
        """
        rows = [Row(self._encode(request.messages), request.seed) for request in requests]
        for row in rows:
            self._check_room(len(row.prompt), params.max_new_tokens)
        rules = self._rules(params)
        try:
            for start in range(0, len(rows), self.max_batch):
                decode(self.network, self._states, rows[start : start + self.max_batch], rules)
        except Exception as error:  # out of memory, logits that are no numbers …
            self._states.clear()
            raise ModelError(f"{self.model} failed ({type(error).__name__}: {error})") from error
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

    def _render(self, messages: Sequence[Message]) -> str:
        if not self._system_role:
            messages = without_system_role(messages)
        try:
            return str(
                self.tokenizer.apply_chat_template(
                    list(messages),
                    tokenize=False,
                    add_generation_prompt=True,
                    **self.template_kwargs,
                )
            )
        except Exception as error:  # jinja2's errors, and whatever an expression raises
            raise ModelError(
                f"the chat template of {self.model} can't be filled ({error})"
            ) from error

    def _plain(self, content: str) -> str:
        for token in self._special:
            if token in content:
                content = content.replace(token, f"{token[0]} {token[1:]}")
        return content

    def _rules(self, params: SamplingParams) -> Rules:
        ends = self._ends
        if params.choices and not ends:
            raise ConfigError(f"choices need a token that ends replies; {self.model} has none")
        # Chat models often have several tokens that end a reply, and use one of them.
        choices = tuple(
            (*self.tokenizer(choice, add_special_tokens=False)["input_ids"], end)
            for choice in params.choices
            for end in sorted(ends)
        )
        longest = max((len(choice) for choice in choices), default=params.max_new_tokens)

        def is_stopped(ids: Sequence[int]) -> bool:
            text = self._decode(ids)
            return any(stop in text for stop in params.stop)

        if not params.stop:
            return Rules(longest, params.temperature, ends, choices)
        return Rules(longest, params.temperature, ends, choices, is_stopped)

    def _knows_system_role(self) -> bool:
        """Tell whether the chat template takes a system message: some refuse or lose it."""
        try:
            return SYSTEM_PROBE in self._render(
                [{"role": "system", "content": SYSTEM_PROBE}, {"role": "user", "content": "Hello"}]
            )
        except ModelError:
            return False

    def _check_room(self, prompt_tokens: int, max_new_tokens: int) -> None:
        context = self.context_tokens
        if context is not None and prompt_tokens + max_new_tokens > context:
            raise ModelError(
                f"the prompt has {prompt_tokens} tokens, which leaves no room for "
                f"max_new_tokens={max_new_tokens} in the {context} tokens of {self.model}"
            )

    def _completion(self, row: Row, params: SamplingParams) -> Completion:
        # Where the template opens the thought, the reply alone would not show that it is one.
        text = self._opened(row.prompt) + self._decode(row.reply)
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

    def _opened(self, prompt: TokenIds) -> str:
        """Return the tag at the prompt's end that opens a thought."""
        end = prompt[-PROMPT_END_TOKENS:].tolist()
        return opened_thought(self.tokenizer.decode(end, skip_special_tokens=False))

    def _decode(self, ids: Sequence[int]) -> str:
        """Return the text of a reply, with the special tokens that mark reasoning."""
        marked = any(index in self._marks for index in ids)
        text = str(
            self.tokenizer.decode(
                ids, skip_special_tokens=not marked, clean_up_tokenization_spaces=False
            )
        )
        if marked:
            for token in self._special:
                text = text if token in self._marks.values() else text.replace(token, "")
        return text


def _shared(key: object, load: Callable[[], LoadedModel]) -> LoadedModel:
    """Load a model, unless the network of one that was loaded alike is still in use."""
    with _loading:
        network = _networks.get(key)
        if network is None:
            network, tokenizer = load()
            _networks[key], _tokenizers[network] = network, tokenizer
        return LoadedModel(network, copy.deepcopy(_tokenizers[network]))  # those are small


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
    if place.type == "cuda" and (place.index or 0) >= torch.cuda.device_count():
        raise ConfigError(
            f"device {device!r}: torch finds {torch.cuda.device_count()} CUDA devices here"
        )
    return place


def _reasoning_marks(tokenizer: Any) -> dict[int, str]:
    """Return the special tokens that mark reasoning, by their ids."""
    marks = {
        index: token.content
        for index, token in tokenizer.added_tokens_decoder.items()
        if token.special and is_mark(token.content)
    }
    if "<|channel|>" in marks.values():
        return marks
    # Many templates end turns with tokens of these names, without channels.
    return {index: mark for index, mark in marks.items() if mark not in CHANNEL_MARKS}


def _end_ids(network: Any, tokenizer: Any) -> frozenset[int]:
    """Return the tokens that end a reply: those of the model and that of the tokenizer."""
    ends = network.generation_config.eos_token_id
    found = set(ends) if isinstance(ends, list | tuple) else {ends}
    found.add(tokenizer.eos_token_id)
    return frozenset(int(end) for end in found if end is not None)
