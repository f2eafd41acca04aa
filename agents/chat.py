"""The chat policy: every agent is one chat with a language model."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coordgym.agents.backend import Backend, ChatRequest, Message, SamplingParams
from coordgym.agents.memory import Conversation, PromptBound, count_characters
from coordgym.contract.base import Info
from coordgym.errors import ConfigError, require_bool, require_int
from coordgym.parsing.reasoning import split_reasoning
from coordgym.policies.protocol import Completion

DEFAULT_MAX_PROMPT_TOKENS = 4096
DEFAULT_MAX_PROMPT_CHARS = 100_000
MIN_CONTEXT_FOR_PROMPT = 16
EXAMPLE_REQUEST = "Show me a well-formed answer. It need not fit any situation."
EXAMPLE_STREAM = 1
REPAIR_REQUEST = (
    "That answer can't be used: {error}\nAnswer the same situation again, in the form that the "
    "instructions ask for."
)


class ChatPolicy:
    """Plays agents with a language model, all active ones in one batch.

    An agent's instructions are the system message; observations and replies alternate after
    it. Where observations stand alone (``repeat_instructions=True``: each begins with the
    instructions and retells earlier rounds itself), only the newest is sent. Prompts have a
    limit; how earlier rounds leave is described in ``coordgym.agents.memory``.

    Args:
        backend: The language model.
        name: The policy's name in records.
        params: How replies are drawn.
        max_prompt_tokens: Limit on a prompt in tokens, for backends that can count them.
            Default: 4096, or what the model's context leaves beside the reply, if less.
        max_prompt_chars: Limit on a prompt in characters, for backends that can't count
            tokens. Default: 100,000.
        conversation: False sends only instructions and the newest observation, always.
        hint: Text added to the instructions, a reminder of the answer's form for instance.
        examples: Pairs of an observation and a good reply, shown before the first round.
        grammar_examples: Number of legal actions, 0..10, that are drawn from the environment's
            grammar and shown before the first round: they teach small models the form of an
            answer and tell nothing about the situation.
        keep_reasoning: Whether the chat holds the reasoning that a model wrote into its earlier
            replies, such as ``<think> … </think>``; their makers ask to leave it out.
        repair: Whether an action that the environment's ``check_action`` refuses is asked for
            once more, with the reason; the second answer goes on in any case.

    Raises:
        ConfigError: If a value is not allowed, or the limit's unit doesn't fit the backend.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        name: str = "llm",
        params: SamplingParams | None = None,
        max_prompt_tokens: int | None = None,
        max_prompt_chars: int | None = None,
        conversation: bool = True,
        hint: str = "",
        examples: Sequence[Sequence[str]] = (),
        grammar_examples: int = 0,
        keep_reasoning: bool = False,
        repair: bool = False,
    ) -> None:
        self.name = name
        self.backend = backend
        self.params = params or SamplingParams()
        self.bound = _bound(backend, self.params, max_prompt_tokens, max_prompt_chars)
        self.conversation = require_bool("conversation", conversation)
        self.keep_reasoning = require_bool("keep_reasoning", keep_reasoning)
        self.repair = require_bool("repair", repair)
        if not isinstance(hint, str):
            raise ConfigError(f"hint must be a str, got {type(hint).__name__}")
        self.hint = hint
        self.examples = _pairs(examples)
        self.grammar_examples = require_int("grammar_examples", grammar_examples, 0, 10)
        self._env: Any = None
        self._seed = 0
        self._turns: Counter[str] = Counter()
        self._instructions: dict[str, str] = {}
        self._chats: dict[str, Conversation] = {}
        self._counts: Counter[str] = Counter()

    def bind(self, env: Any) -> None:
        """Take the environment, for its ``check_action`` and its grammar."""
        self._env = env.unwrapped

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        """Begin one chat per agent."""
        self.backend.reset()
        self._seed = seed
        self._turns.clear()
        self._counts.clear()
        self._instructions = {agent: infos[agent].get("instructions", "") for agent in agents}
        self._chats = {
            agent: Conversation(
                "\n\n".join(part for part in (self._instructions[agent], self.hint) if part),
                self.bound,
                (*self._drawn_examples(agent), *self.examples),
            )
            for agent in agents
        }

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> dict[str, str | Completion]:
        """Ask the model for the action of every agent given.

        Raises:
            ModelError: If the model fails for good, or a prompt can't be kept in its limit.
        """
        news = {agent: self._news(agent, text) for agent, text in observations.items()}
        prompts = {agent: self._chats[agent].prompt(text) for agent, text in news.items()}
        replies = self._ask(prompts, attempt=0)
        if self.repair:
            replies.update(self._repaired(news, replies))
        for agent, text in news.items():
            if self.conversation and not self._stands_alone(agent, observations[agent]):
                self._chats[agent].remember(text, self._said(replies[agent]))
            elif not self._stands_alone(agent, observations[agent]):
                self._chats[agent].skip()
            self._turns[agent] += 1
        return dict(replies)

    def notes(self) -> dict[str, int]:
        """Return figures of the episode so far, for its record.

        Over all agents: ``rounds_dropped`` counts the rounds played that prompts no longer
        hold; ``replies_cut`` the replies that ended at ``max_new_tokens``; ``repairs`` the
        actions asked for once more, ``repaired`` those that were valid then.
        """
        names = ("model_calls", "prompt_tokens", "completion_tokens", "replies_cut", "repairs")
        return {
            "rounds_dropped": sum(chat.dropped for chat in self._chats.values()),
            **{name: self._counts[name] for name in (*names, "repaired")},
        }

    def close(self) -> None:
        """Release the backend."""
        self.backend.close()

    def _drawn_examples(self, agent: str) -> tuple[tuple[str, str], ...]:
        """Draw different legal actions from the environment's grammar.

        Raises:
            ConfigError: If examples are wanted and the environment has no such grammar.
        """
        if not self.grammar_examples:
            return ()
        draw = getattr(self._env, "random_action", None)
        if draw is None:
            raise ConfigError("grammar_examples needs an environment with random_action, bound")
        seed = np.random.SeedSequence(self._seed, spawn_key=(EXAMPLE_STREAM, *agent.encode()))
        rng = np.random.default_rng(seed)
        drawn: dict[str, None] = {}
        # A grammar of few texts may have fewer different ones than are wanted.
        for _ in range(10 * self.grammar_examples):
            drawn.setdefault(draw(agent, rng))
            if len(drawn) == self.grammar_examples:
                break
        return tuple((EXAMPLE_REQUEST, text) for text in drawn)

    def _news(self, agent: str, observation: str) -> str:
        """Return the observation without the instructions, which the system message holds."""
        instructions = self._instructions[agent]
        text = str(observation)
        if instructions and text.startswith(instructions):
            return text[len(instructions) :].strip("\n") or text
        return text

    def _said(self, reply: Completion) -> str:
        """Return what the chat holds of a reply."""
        return reply.text if self.keep_reasoning else split_reasoning(reply.text).answer

    def _stands_alone(self, agent: str, observation: str) -> bool:
        """Tell whether the environment itself retells the earlier rounds."""
        instructions = self._instructions[agent]
        repeats = bool(getattr(self._env, "repeat_instructions", False))
        later = self._turns[agent] > 0
        return repeats or (later and bool(instructions) and observation.startswith(instructions))

    def _ask(
        self, prompts: Mapping[str, tuple[Message, ...]], attempt: int
    ) -> dict[str, Completion]:
        requests = [
            ChatRequest(messages, self._request_seed(agent, attempt))
            for agent, messages in prompts.items()
        ]
        completions = self.backend.generate(requests, self.params)
        for completion in completions:
            self._counts["model_calls"] += 1
            self._counts["prompt_tokens"] += completion.prompt_tokens or 0
            self._counts["completion_tokens"] += completion.completion_tokens or 0
            self._counts["replies_cut"] += completion.finish_reason == "length"
        return dict(zip(prompts, completions, strict=True))

    def _repaired(
        self, news: Mapping[str, str], replies: Mapping[str, Completion]
    ) -> dict[str, Completion]:
        """Ask once more for the actions that the environment would refuse."""
        check = getattr(self._env, "check_action", None)
        if check is None:
            return {}
        prompts: dict[str, tuple[Message, ...]] = {}
        for agent, reply in replies.items():
            error = check(agent, reply.text)
            if error is None:
                continue
            rejected = (self._said(reply), REPAIR_REQUEST.format(error=error))
            if self._chats[agent].fits(news[agent], rejected):
                prompts[agent] = self._chats[agent].prompt(news[agent], rejected)
        if not prompts:
            return {}
        second = self._ask(prompts, attempt=1)
        self._counts["repairs"] += len(second)
        self._counts["repaired"] += sum(
            check(agent, reply.text) is None for agent, reply in second.items()
        )
        return second

    def _request_seed(self, agent: str, attempt: int) -> int:
        """Derive a seed for one reply; other agents' presence doesn't change it."""
        key = (self._turns[agent], attempt, *agent.encode())
        state = np.random.SeedSequence(self._seed, spawn_key=key).generate_state(1)
        return int(state[0]) & 0x7FFF_FFFF


def _bound(
    backend: Backend,
    params: SamplingParams,
    max_prompt_tokens: int | None,
    max_prompt_chars: int | None,
) -> PromptBound:
    """Choose how prompts are measured, and the limit."""
    for name, value in (
        ("max_prompt_tokens", max_prompt_tokens),
        ("max_prompt_chars", max_prompt_chars),
    ):
        if value is not None:
            require_int(name, value, MIN_CONTEXT_FOR_PROMPT, 100_000_000)
    if backend.count_tokens([{"role": "user", "content": "hello"}]) is None:
        if max_prompt_tokens is not None:
            raise ConfigError(
                f"{backend.model} can't count tokens before a call; give max_prompt_chars"
            )
        limit = DEFAULT_MAX_PROMPT_CHARS if max_prompt_chars is None else max_prompt_chars
        return PromptBound(
            limit, count_characters, "characters", "raise max_prompt_chars or use text='compact'"
        )
    if max_prompt_chars is not None:
        raise ConfigError(f"{backend.model} counts tokens; give max_prompt_tokens")
    limit = DEFAULT_MAX_PROMPT_TOKENS if max_prompt_tokens is None else max_prompt_tokens
    if backend.context_tokens is not None:
        room = backend.context_tokens - params.max_new_tokens
        if room < MIN_CONTEXT_FOR_PROMPT or (max_prompt_tokens or 0) > room:
            raise ConfigError(
                f"max_prompt_tokens + max_new_tokens must be at most {backend.context_tokens}, "
                f"the context of {backend.model}, got {limit} + {params.max_new_tokens}"
            )
        limit = min(limit, room)

    def measure(messages: Sequence[Message]) -> int:
        return backend.count_tokens(messages) or 0

    return PromptBound(limit, measure, "tokens", "raise max_prompt_tokens or use text='compact'")


def _pairs(examples: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for example in examples:
        match example:
            case [str() as observation, str() as reply]:
                pairs.append((observation, reply))
            case _:
                raise ConfigError(f"examples must be pairs of texts, got {example!r:.100}")
    return tuple(pairs)
