"""What a model backend is: chats go in, completions come out, in the same order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypedDict

from coordgym.errors import ConfigError, require_bool, require_int
from coordgym.policies.protocol import Completion

DEFAULT_MAX_NEW_TOKENS = 256


class Message(TypedDict):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A chat to be continued by the assistant.

    Attributes:
        messages: The chat so far; the last message is the user's.
        seed: Seed of this reply's sampling, ``0..2**31 - 1``, independent of the other requests.
    """

    messages: tuple[Message, ...]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How replies are drawn.

    Attributes:
        max_new_tokens: Longest reply, in tokens.
        temperature: 0 = the most likely token each time.
        stop: Texts at which a reply ends; they are not part of its text.
        choices: If given, the reply is exactly one of these texts (local backend only).
        logprobs: Whether an endpoint is asked for log-probabilities (the local backend always
            fills them in).

    Raises:
        ConfigError: If a value is out of range.
    """

    max_new_tokens: int = DEFAULT_MAX_NEW_TOKENS
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    logprobs: bool = False

    def __post_init__(self) -> None:
        require_int("max_new_tokens", self.max_new_tokens, 1, 1_000_000)
        temperature = self.temperature
        if (
            isinstance(temperature, bool)
            or not isinstance(temperature, int | float)
            or not 0 <= temperature <= 10
        ):
            raise ConfigError(f"temperature must be a number in [0, 10], got {temperature!r}")
        require_bool("logprobs", self.logprobs)
        for name, texts in (("stop", self.stop), ("choices", self.choices)):
            if isinstance(texts, str) or any(not isinstance(t, str) or not t for t in texts):
                raise ConfigError(f"{name} must be a tuple of non-empty strings, got {texts!r}")
            object.__setattr__(self, name, tuple(texts))


def without_system_role(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Put the system message, if there is one, in front of the user message after it."""
    if messages[0]["role"] != "system":
        return tuple(messages)
    system, first, *rest = messages
    return ({"role": "user", "content": f"{system['content']}\n\n{first['content']}"}, *rest)


class Backend(Protocol):
    """A language model that answers chats.

    Attributes:
        model: The model's name, as recorded in completions.
        context_tokens: Largest number of prompt and reply tokens together; None = not known.
    """

    model: str
    context_tokens: int | None

    def generate(self, requests: Sequence[ChatRequest], params: SamplingParams) -> list[Completion]:
        """Return one completion per request, in order.

        Raises:
            ModelError: If the model or its server fails for good.
        """
        ...

    def count_tokens(self, messages: Sequence[Message]) -> int | None:
        """Return the length of a prompt in tokens; None if the backend can't tell."""
        ...

    def reset(self) -> None:
        """Forget what was kept to speed up the current episode."""
        ...

    def close(self) -> None:
        """Release connections and memory; the backend isn't used afterwards."""
        ...
