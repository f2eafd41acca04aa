"""Questions to a language model outside of any episode, for the analysis of recorded ones."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Protocol, runtime_checkable

from coordgym.agents.backend import Backend, ChatRequest, Message, SamplingParams
from coordgym.agents.factory import make_llm_policy
from coordgym.data import jsonl
from coordgym.errors import ConfigError, ModelError
from coordgym.policies.protocol import Completion

DEFAULT_MAX_NEW_TOKENS = 2048
"""Room for a long answer, and for the thoughts of a model that thinks first."""


@runtime_checkable
class _AnswersEach(Protocol):
    """A backend that answers the other chats where one fails."""

    def generate_each(
        self, requests: Sequence[ChatRequest], params: SamplingParams
    ) -> list[Completion | ModelError]: ...


class BackendAsk:
    """Asks a model backend: the ``Ask`` of the analysis of pairs.

    Args:
        backend: The model.
        params: How replies are drawn; the temperature comes with the questions.

    Attributes:
        model: The backend's name for its model.
        settings: The parameters, and the request options of an endpoint or the variables of a
            local model's chat template.
    """

    def __init__(self, backend: Backend, params: SamplingParams | None = None) -> None:
        self.backend = backend
        self.params = params or SamplingParams(max_new_tokens=DEFAULT_MAX_NEW_TOKENS)
        self.model = backend.model
        options: dict[str, Any] = {
            **getattr(backend, "request_options", {}),
            **getattr(backend, "template_kwargs", {}),
        }
        self.settings = jsonl.dumps(
            [asdict(replace(self.params, temperature=0.0)), dict(sorted(options.items()))]
        )

    def __call__(
        self, chats: Sequence[Sequence[str]], *, temperature: float, seeds: Sequence[int]
    ) -> list[Completion | ModelError]:
        """Return one completion per chat, in order; an endpoint's failure in its chat's place.

        Args:
            chats: Messages of user and assistant in turn, the first and the last the user's.
            temperature: Of the sampling.
            seeds: Seeds of the replies, ``0..2**31 - 1``.

        Raises:
            ModelError: If a local model fails at one of the chats, and so at all of them.
        """
        requests = [
            ChatRequest(_messages(chat), seed) for chat, seed in zip(chats, seeds, strict=True)
        ]
        params = replace(self.params, temperature=temperature)
        if isinstance(self.backend, _AnswersEach):
            return self.backend.generate_each(requests, params)
        return list(self.backend.generate(requests, params))

    def close(self) -> None:
        """Release the backend."""
        self.backend.close()


def make_ask(spec: str, **kwargs: Any) -> BackendAsk:
    """Make a model to be asked from its string.

    Args:
        spec: ``llm:openai:MODEL@URL``, ``llm:hf:DIR`` or ``llm:embedded``.
        **kwargs: As for ``make_llm_policy``, without ``temperature``.

    Raises:
        ConfigError: If a value is not allowed.
        CoordgymError: As ``make_llm_policy``.
    """
    if "temperature" in kwargs:
        raise ConfigError("temperature must not be given: each kind of question has its own")
    policy = make_llm_policy(spec, **{"max_new_tokens": DEFAULT_MAX_NEW_TOKENS, **kwargs})
    return BackendAsk(policy.backend, policy.params)


def _messages(chat: Sequence[str]) -> tuple[Message, ...]:
    return tuple(
        Message(role="assistant" if index % 2 else "user", content=text)
        for index, text in enumerate(chat)
    )
