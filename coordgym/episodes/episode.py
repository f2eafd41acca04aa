"""What one episode was: everything needed to read it, score it, train on it and replay it.

An episode is one JSON line (``to_line``, ``from_line``). A turn is one action of one active
agent. An agent that is inactive for a while has no turns there; what it earns meanwhile is
added to its last turn, and ``Episode.returns`` counts every reward of every agent.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from coordgym.data import jsonl
from coordgym.data.strict import build
from coordgym.errors import EpisodeError

FORMAT = 1
"""Version of the record; raised when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a language model spent on one action, as far as its backend told.

    Attributes:
        prompt_tokens: Tokens read.
        completion_tokens: Tokens written.
        latency: Seconds from request to reply.
        finish_reason: Why the model stopped, in the backend's words.
        model: Which model answered.
        prompt_token_ids: The tokens read.
        completion_token_ids: The tokens written.
        logprobs: Natural-log probability of each written token.
        reasoning: What the model thought, where its server returns that apart from the action.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency: float | None = None
    finish_reason: str | None = None
    model: str | None = None
    prompt_token_ids: tuple[int, ...] | None = None
    completion_token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One action of one agent.

    Attributes:
        step: Index of the environment step, from 0; more turns of one agent in it were asked
            again, and its last one counts.
        round: Rounds completed when the agent acted.
        agent: Who acted.
        observation: What it was shown.
        action: Its whole text, with the tool calls it made in this turn in front.
        valid: Whether the whole action was applied.
        error: What was wrong with it, as the agent was told.
        reward: What it earned from this step until its next turn.
        terminated: Whether its task was over before its next turn.
        truncated: Whether a limit ended it before its next turn.
        usage: What a language model spent on it; None for other policies.
        reasoning: How many characters of ``action`` are reasoning, which was not acted on.
    """

    step: int
    round: int
    agent: str
    observation: str
    action: str
    valid: bool
    error: str | None
    reward: float
    terminated: bool
    truncated: bool
    usage: Usage | None = None
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an episode was not finished.

    Attributes:
        type: Class name of the exception; ``TimeoutError`` and ``WorkerDied`` by the runner.
        message: Its text.
        traceback: Where it was raised, the last lines; empty if unknown.
    """

    type: str
    message: str
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """When and how long, in seconds of wall time.

    Attributes:
        started: Start in UTC, ISO 8601.
        seconds: The whole episode.
        policy_seconds: Inside the policy.
        env_seconds: Inside the environment's ``reset`` and ``step``.
    """

    started: str
    seconds: float
    policy_seconds: float = 0.0
    env_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode, finished or failed.

    Attributes:
        env_id: Id to make the environment with.
        kwargs: Its keyword arguments.
        seed: The environment's seed.
        policy: Name of the policy, as plans and reports call it.
        policies: Name of the policy of each agent.
        policy_seed: Seed that the policy was reset with.
        repeat: Index among the episodes of a plan that differ in nothing else.
        options: What ``reset`` got besides the seed.
        instance: The complete instance with its answer; never shown to an agent.
        turns: All actions in order; within a step, in the order of the agents.
        final_observations: The last observation of each agent.
        returns: Sum of all rewards of each agent.
        metrics: The environment's figures at the end.
        notes: What the policy reports about itself, such as what its memory dropped.
        timing: When and how long.
        versions: Versions of Python and of the packages that matter.
        failure: Why it was not finished; None if it was.
    """

    env_id: str
    kwargs: dict[str, Any]
    seed: int
    policy: str
    timing: Timing
    policies: dict[str, str] = field(default_factory=dict)
    policy_seed: int = 0
    repeat: int = 0
    options: dict[str, Any] | None = None
    instance: dict[str, Any] | None = None
    turns: tuple[Turn, ...] = ()
    final_observations: dict[str, str] = field(default_factory=dict)
    returns: dict[str, float] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    failure: Failure | None = None

    def to_line(self) -> str:
        """Return the episode as one line of JSON, without the line end.

        Raises:
            EpisodeError: If kwargs, instance, metrics or notes have no JSON form.
        """
        return jsonl.dumps({"format": FORMAT, **asdict(self)})

    @classmethod
    def from_line(cls, line: str, where: str = "episode") -> "Episode":
        """Read what ``to_line`` wrote; every field is checked.

        Raises:
            EpisodeError: If it is not such a record, naming ``where`` and the field.
        """
        return from_record(jsonl.loads(line), where)

    def totals(self) -> "Totals":
        """Return what the episode's language models spent in all."""
        return add_usage(turn.usage for turn in self.turns)

    def without_timing(self) -> "Episode":
        """Return a copy without what differs between two equal runs: times and versions."""
        turns = tuple(
            turn if turn.usage is None else replace(turn, usage=replace(turn.usage, latency=None))
            for turn in self.turns
        )
        return replace(self, turns=turns, timing=Timing("", 0.0), versions={})


class Totals(NamedTuple):
    """Sums over the turns of an episode.

    Attributes:
        prompt_tokens: Tokens read; None if no turn, or not every model turn, has a count.
        completion_tokens: Tokens written; likewise.
        latency: Seconds waited for models; likewise.
    """

    prompt_tokens: int | None
    completion_tokens: int | None
    latency: float | None


def add_usage(usages: Iterable[Usage | None]) -> Totals:
    """Add up usages, leaving out turns that no model was asked for."""
    known = [usage for usage in usages if usage is not None]

    def total(values: list[Any]) -> Any:
        return sum(values) if values and None not in values else None

    return Totals(
        prompt_tokens=total([usage.prompt_tokens for usage in known]),
        completion_tokens=total([usage.completion_tokens for usage in known]),
        latency=total([usage.latency for usage in known]),
    )


def from_record(data: object, where: str = "episode") -> Episode:
    """Return the episode in the decoded JSON object ``data``.

    Raises:
        EpisodeError: If it is not an episode of this format.
    """
    if not isinstance(data, Mapping) or "format" not in data:
        raise EpisodeError(f"{where} is not an episode: the key 'format' is missing")
    if data["format"] != FORMAT:
        raise EpisodeError(
            f"{where} has format {data['format']!r}; this version of coordgym reads {FORMAT}"
        )
    fields = {key: value for key, value in data.items() if key != "format"}
    return build(Episode, fields, where, EpisodeError)


def read_episodes(path: str | Path, *, torn: bool = False) -> Iterator[Episode]:
    """Yield the episodes of a JSON-lines file, compressed if its name ends in ``.gz``.

    Args:
        path: The file.
        torn: Leave out a last line that is not whole: the run may still be writing it.

    Raises:
        EpisodeError: If a line is not an episode, naming file, line and field; or if the file
            can't be read.
    """
    source = Path(path)
    try:
        for number, raw in enumerate(jsonl.read_lines(source, torn=torn), start=1):
            where = f"{source.name} line {number}"
            yield from_record(jsonl.loads_bytes(raw, where), where)
    except OSError as error:
        raise EpisodeError(f"{source} can't be read: {error.strerror}") from None


def write_episodes(path: str | Path, episodes: Iterable[Episode]) -> None:
    """Write episodes to a JSON-lines file, compressed if its name ends in ``.gz``.

    An old file is replaced when all are written, so they may be read from it meanwhile.
    """
    target = Path(path)
    temporary = target.with_name(f"{target.name}.new")
    with temporary.open("wb") as file:
        for episode in episodes:
            file.write(jsonl.as_written(episode.to_line(), target))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(target)
