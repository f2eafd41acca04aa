"""Play a recorded episode again with the recorded actions, and compare everything."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from coordgym.episode import Episode, Turn, from_record
from coordgym.errors import EpisodeError
from coordgym.jsonl import dumps, loads
from coordgym.policy import Completion, Info
from coordgym.rollout import rollout, versions

_TURN_FIELDS = (
    "step",
    "round",
    "agent",
    "observation",
    "action",
    "valid",
    "error",
    "reward",
    "terminated",
    "truncated",
)
_END_FIELDS = ("instance", "final_observations", "returns", "metrics")
_SHOWN_CHARS = 60


class ReplayResult(NamedTuple):
    """What a replay found.

    Attributes:
        agrees: Whether every observation, reward, flag and metric was the same.
        difference: The first difference, in words; None if there is none.
        episode: The episode as it was played now; None if it could not be finished.
    """

    agrees: bool
    difference: str | None
    episode: Episode | None


def replay(episode: Episode, env: Any = None) -> ReplayResult:
    """Play ``episode`` again and report the first difference.

    A failed episode is replayed as far as it was recorded.

    Args:
        episode: The record.
        env: The environment to use; made from the record's id and kwargs if not given.

    Raises:
        EpisodeError: If the record does not say how to make its environment.
        CoordgymError: If the environment can't be made.
    """
    made = env is None
    world = _make(episode) if made else env
    player = _RecordedActions(episode)
    try:
        played = rollout(
            world,
            player,
            episode.seed,
            options=episode.options,
            policy_seed=episode.policy_seed,
            repeat=episode.repeat,
        )
    except _RecordEnded as end:
        return ReplayResult(end.difference is None, end.difference, None)
    finally:
        if made:
            world.close()
    difference = _first_difference(episode, _as_recorded(played))
    return ReplayResult(difference is None, difference, played)


def _make(episode: Episode) -> Any:
    from coordgym.plan import make_env

    if not episode.env_id:
        raise EpisodeError("the episode names no environment; pass env=")
    return make_env(episode.env_id, episode.kwargs)


class _RecordEnded(Exception):  # noqa: N818 - it is how a replay stops, not an error
    """The record has no more turns, which is right for a failed episode only."""

    def __init__(self, difference: str | None) -> None:
        super().__init__(difference)
        self.difference = difference


class _RecordedActions:
    """A policy that says again what was said, and compares what it is shown."""

    def __init__(self, episode: Episode) -> None:
        self.name = episode.policy
        self._episode = episode
        self._turns: dict[int, dict[str, Turn]] = {}
        for turn in episode.turns:
            self._turns.setdefault(turn.step, {})[turn.agent] = turn
        self._steps = iter(sorted(self._turns))

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        """Nothing to prepare."""

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> dict[str, str | Completion]:
        step = next(self._steps, None)
        if step is None:
            ended = self._episode.failure is not None
            raise _RecordEnded(
                None if ended else f"{sorted(observations)} must act, but the record has ended"
            )
        turns = self._turns[step]
        if set(turns) != set(observations):
            raise _RecordEnded(
                f"step {step}: recorded are turns of {sorted(turns)}, "
                f"but {sorted(observations)} must act"
            )
        for agent, turn in turns.items():
            if turn.observation != str(observations[agent]):
                shown = _contrast(turn.observation, str(observations[agent]))
                raise _RecordEnded(f"step {step}, {agent}: observation differs {shown}")
        return {agent: _answer(turn) for agent, turn in turns.items()}


def _answer(turn: Turn) -> str | Completion:
    if turn.usage is None:
        return turn.action
    usage = turn.usage
    return Completion(
        text=turn.action,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
    )


def _as_recorded(episode: Episode) -> Episode:
    """The episode after a round trip through JSON, in which tuples are lists."""
    return from_record(loads(episode.to_line()), "replayed episode")


def _first_difference(recorded: Episode, played: Episode) -> str | None:
    for old, new in zip(recorded.turns, played.turns, strict=False):
        for name in _TURN_FIELDS:
            if getattr(old, name) != getattr(new, name):
                shown = _contrast(getattr(old, name), getattr(new, name))
                return f"step {old.step}, {old.agent}: {name} differs {shown}"
    if len(recorded.turns) != len(played.turns):
        return f"{len(recorded.turns)} turns are recorded, {len(played.turns)} were played"
    for name in _END_FIELDS:
        old_end, new_end = getattr(recorded, name), getattr(played, name)
        if dumps(old_end) != dumps(new_end):
            return f"{name} differs {_difference_in(old_end, new_end)}"
    if recorded.failure is not None:
        return f"recorded is a failure ({recorded.failure.type}), but the episode was finished"
    return None


def _difference_in(old: Any, new: Any) -> str:
    """Name the first key that differs, if both are mappings."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            if dumps(old.get(key)) != dumps(new.get(key)):
                return f"at {key!r} {_contrast(old.get(key), new.get(key))}"
    return _contrast(old, new)


def _contrast(old: object, new: object) -> str:
    start = 0
    if isinstance(old, str) and isinstance(new, str):
        pairs = zip(old, new, strict=False)
        start = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))
        old, new = old[start:], new[start:]
    where = f"at character {start}" if start else ""
    before, now = f"{old!r:.{_SHOWN_CHARS}}", f"{new!r:.{_SHOWN_CHARS}}"
    return f"{where}: recorded {before}, played {now}".strip()
