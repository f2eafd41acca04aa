"""Decoding a batch of prompts: prefill what is new, then draw token by token.

A loop of our own rather than transformers' ``generate``: every row has its own seeded
generator, so that a reply doesn't depend on who else is in the batch; rows that are finished
leave the batch; the log-probabilities are those of the distribution drawn from; and prompts
start from the attention states of earlier ones.
"""

import inspect
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from coordgym.agents.attention_states import PromptStates, TokenIds, common_length

SMALLEST_TEMPERATURE = 1e-6  # below, float32 overflows; the likeliest token is drawn at this too
MIN_SHARED_TOKENS = 32  # a shorter common beginning isn't worth a forward pass of its own


@dataclass(slots=True)
class Row:
    """One prompt and the reply as it grows.

    Attributes:
        prompt: Token ids of the prompt.
        seed: Seed of this row's draws.
        reply: Token ids drawn so far, the end token too.
        logprobs: Their natural log-probabilities.
        finish_reason: ``"stop"`` or ``"length"`` once the reply is complete.
        seconds: Time from the start of decoding until then.
    """

    prompt: TokenIds
    seed: int
    reply: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    finish_reason: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Rules:
    """When replies end and what they may hold.

    Attributes:
        max_new_tokens: Longest reply.
        temperature: 0 = the most likely token.
        end_ids: Tokens that end a reply.
        choices: If not empty, the reply is one of these token sequences (each with an end
            token as its last).
        is_stopped: Tells of the ids of an unfinished reply whether a stop text ends it.
    """

    max_new_tokens: int
    temperature: float
    end_ids: frozenset[int]
    choices: tuple[tuple[int, ...], ...] = ()
    is_stopped: Callable[[Sequence[int]], bool] = lambda ids: False


def decode(network: Any, states: PromptStates, rows: Sequence[Row], rules: Rules) -> None:
    """Complete the replies of all rows, in place.

    Args:
        network: A transformers causal language model in evaluation mode.
        states: What is known of earlier prompts; learns these.
        rows: Prompts of at least one token, with empty replies.
        rules: When replies end and what they may hold.

    Raises:
        Exception: Whatever the model raises; also if its logits are no numbers.
    """
    with torch.inference_mode():
        _read_shared_beginning(network, states, rows)
        _Batch(network, states, rows, rules).run()


class _Batch:
    """Rows that are decoded together; all tensors have one row per unfinished reply."""

    def __init__(
        self, network: Any, states: PromptStates, rows: Sequence[Row], rules: Rules
    ) -> None:
        self.forward = _forward(network)
        self.device = network.device
        self.states = states
        self.rows = list(rows)
        self.rules = rules
        self.start = time.perf_counter()
        self.generators = [torch.Generator().manual_seed(row.seed) for row in rows]
        self.mask = torch.zeros(0)

    def run(self) -> None:
        """Decode until every reply is complete."""
        logits, cache = self._prefill()
        while True:
            for i, row in enumerate(self.rows):
                self._draw(row, logits[i], self.generators[i])
            going = []
            for i, row in enumerate(self.rows):
                if row.finish_reason is None:
                    going.append(i)
                else:
                    row.seconds = time.perf_counter() - self.start
                    read = np.append(row.prompt, np.asarray(row.reply[:-1], np.int64))
                    self.states.store(cache, i, self.mask[i].bool(), read)
            if not going:
                return
            if len(going) < len(self.rows):
                self._keep(going, cache)
            self.mask = torch.cat([self.mask, self.mask.new_ones(len(going), 1)], dim=1)
            last = torch.tensor([[row.reply[-1]] for row in self.rows], device=self.device)
            positions = torch.tensor(
                [[len(row.prompt) + len(row.reply) - 1] for row in self.rows], device=self.device
            )
            logits = self.forward(last, self.mask, positions, cache)

    def _prefill(self) -> tuple[Any, Any]:
        """Read the unknown ends of all prompts: ``[padding, known, padding, unknown]``."""
        cache, lengths, width = self.states.assemble([row.prompt for row in self.rows])
        unknown = [row.prompt[n:] for row, n in zip(self.rows, lengths, strict=True)]
        longest = max(len(ids) for ids in unknown)
        shape = (len(self.rows), longest)
        ids, positions = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        mask = np.zeros((len(self.rows), width + longest), np.int64)
        for i, (part, known) in enumerate(zip(unknown, lengths, strict=True)):
            ids[i, longest - len(part) :] = part
            positions[i, longest - len(part) :] = np.arange(known, known + len(part))
            mask[i, width - known : width] = 1
            mask[i, width + longest - len(part) :] = 1
        self.mask = torch.from_numpy(mask).to(self.device)
        logits = self.forward(
            torch.from_numpy(ids).to(self.device),
            self.mask,
            torch.from_numpy(positions).to(self.device),
            cache,
        )
        return logits, cache

    def _draw(self, row: Row, logits: Any, generator: Any) -> None:
        """Append the next token of a row and note if the reply is complete."""
        rules = self.rules
        if rules.choices:
            allowed = sorted(_next_ids(rules.choices, row.reply))
            barred = torch.ones_like(logits, dtype=torch.bool)
            barred[allowed] = False
            logits = logits.masked_fill(barred, -torch.inf)
        logits = logits.float() - logits.max()
        if rules.temperature:
            logits = logits / max(rules.temperature, SMALLEST_TEMPERATURE)
        logprobs = torch.log_softmax(logits, dim=-1)
        if rules.temperature:
            # On the CPU, where a seeded generator draws the same on every machine.
            token = int(torch.multinomial(logprobs.exp().cpu(), 1, generator=generator))
        else:
            token = int(logprobs.argmax())
        logprob = float(logprobs[token])
        if math.isnan(logprob):
            raise ArithmeticError("the logits are no numbers (NaN)")
        row.reply.append(token)
        row.logprobs.append(logprob)
        if token in rules.end_ids or rules.is_stopped(row.reply):
            row.finish_reason = "stop"
        elif len(row.reply) >= rules.max_new_tokens:
            row.finish_reason = "length"

    def _keep(self, going: list[int], cache: Any) -> None:
        """Drop the finished rows."""
        indices = torch.tensor(going, device=self.device)
        cache.batch_select_indices(indices)
        self.mask = self.mask[indices]
        self.rows = [self.rows[i] for i in going]
        self.generators = [self.generators[i] for i in going]


def _read_shared_beginning(network: Any, states: PromptStates, rows: Sequence[Row]) -> None:
    """Read what all prompts begin with once, rather than once per row."""
    if len(rows) < 2 or not states.max_tokens:
        return
    first = rows[0].prompt
    shared = min(common_length(first, row.prompt) for row in rows)
    known = min(states.known(row.prompt) for row in rows)
    if shared - known >= MIN_SHARED_TOKENS:
        _Batch(network, states, [Row(first[:shared], 0)], Rules(1, 0.0, frozenset())).run()


def _next_ids(choices: Sequence[tuple[int, ...]], reply: Sequence[int]) -> set[int]:
    """Return the tokens that continue a reply towards one of the choices."""
    size = len(reply)
    return {choice[size] for choice in choices if choice[:size] == tuple(reply)}


def takes_positions(network: Any) -> bool:
    """Tell whether a model can be told where in its text each token stands.

    One that can't counts columns: padding, and a gap between known and new tokens, would
    shift what it reads.
    """
    return "position_ids" in _parameters(network)


def _parameters(network: Any) -> frozenset[str]:
    """Return the names that a model's forward pass takes, also if an adapter wraps it."""
    inner = network.get_base_model() if hasattr(network, "get_base_model") else network
    return frozenset(inspect.signature(inner.forward).parameters)


def _forward(network: Any) -> Callable[[Any, Any, Any, Any], Any]:
    """Wrap a model: ids, mask, positions, cache → logits ``(rows, vocabulary)`` at the end.

    Raises:
        TypeError: If the model takes no cache.
    """
    names = _parameters(network)
    # transformers renamed the argument in version 5.
    cache_name = next((name for name in ("cache", "past_key_values") if name in names), None)
    if cache_name is None:
        raise TypeError(f"{type(network).__name__}.forward takes no cache")

    def forward(ids: Any, mask: Any, positions: Any, cache: Any) -> Any:
        placed = {"attention_mask": mask, "position_ids": positions}
        output = network(
            input_ids=ids,
            use_cache=True,
            logits_to_keep=1,
            **(placed if "position_ids" in names else {}),
            **{cache_name: cache},
        )
        return output.logits[:, -1]

    return forward
