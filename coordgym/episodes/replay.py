"""Play a recorded episode again and compare."""

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from coordgym.contract.base import Info
from coordgym.data.jsonl import loads
from coordgym.episodes.episode import Episode, Turn, from_record
from coordgym.episodes.rollout import attempt
from coordgym.making import entry_of, make_env
from coordgym.policies.protocol import Completion
from coordgym.version import VERSION

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
_LATER_FIELDS = ("reward", "terminated", "truncated")
_END_FIELDS = ("instance", "final_observations", "returns", "metrics")
_SHOWN_CHARS = 60


class ReplayResult(NamedTuple):
    """What a replay found.

    Attributes:
        agrees: Whether every observation, reward, flag and metric was the same.
        difference: The first difference, in words; None if there is none.
        episode: The episode as it was played now.
    """

    agrees: bool
    difference: str | None
    episode: Episode


def replay(episode: Episode, env: Any = None) -> ReplayResult:
    """Play ``episode`` again and report the first difference.

    A failed episode is replayed as far as it was recorded.

    Args:
        episode: The record.
        env: The environment to use; made from the record's id and kwargs if not given,
            without files that the episode was kept in.

    Raises:
        CoordgymError: If the environment can't be made; then pass one.

    Warns:
        UserWarning: Before it is played, if another version of coordgym made the record.
    """
    notice = version_notice(episode)
    if notice is not None:
        warnings.warn(notice, stacklevel=2)
    made = env is None
    world = _made(episode) if made else env
    player = _RecordedActions(episode)
    try:
        played = attempt(
            world,
            player,
            episode.seed,
            options=episode.options,
            policy_seed=episode.policy_seed,
            repeat=episode.repeat,
        )
    finally:
        if made:
            world.close()
    played, recorded = _as_recorded(played), _as_recorded(episode)
    difference = _in_turns(recorded, played, cut=player.complaint is not None)
    if difference is None:
        difference = player.complaint if player.ended else _at_the_end(recorded, played)
    return ReplayResult(difference is None, difference, played)


def version_notice(episode: Episode) -> str | None:
    """Say that another version of coordgym made a record; None if this one did."""
    recorded = episode.versions.get("coordgym", VERSION)
    if recorded == VERSION:
        return None
    return (
        f"the record is of coordgym {recorded}, this is {VERSION}: what differs may "
        "be what the versions do differently"
    )


def _made(episode: Episode) -> Any:
    """Make the environment of a record, without the files that its episode was kept in."""
    entry = entry_of(episode.env_id)
    files = () if entry is None else entry.file_kwargs
    kwargs = {key: value for key, value in episode.kwargs.items() if key not in files}
    return make_env(episode.env_id, kwargs)


class _RecordEndedError(Exception):
    """The record has no actions for this step; stops the replay."""


class _RecordedActions:
    """A policy that says again what was said.

    Attributes:
        ended: Whether it was asked for more than the record has.
        complaint: Why that is a difference; None if the record is of a failed episode.
    """

    def __init__(self, episode: Episode) -> None:
        self.name = episode.policy
        self.ended = False
        self.complaint: str | None = None
        self._failed = episode.failure is not None
        self._asked = iter(_asked_together(episode.turns))

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        """Nothing to prepare."""

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> dict[str, str | Completion]:
        asked = sorted(observations)
        turns = next(self._asked, None)
        if turns is None:
            raise self._end(None if self._failed else f"the record ends, but {asked} must act")
        if sorted(turns) != asked:
            step = next(iter(turns.values())).step
            raise self._end(f"step {step}: recorded is {sorted(turns)}, but {asked} must act")
        return {agent: _answer(turn) for agent, turn in turns.items()}

    def _end(self, complaint: str | None) -> _RecordEndedError:
        self.ended = True
        self.complaint = complaint
        return _RecordEndedError(complaint)


def _asked_together(turns: Sequence[Turn]) -> list[dict[str, Turn]]:
    """Part turns into those whose agents were asked at once.

    That is each agent's first turn of a step; then, where some were asked again, their second.
    """
    parts: dict[tuple[int, int], dict[str, Turn]] = {}
    tries: dict[tuple[int, str], int] = {}
    for turn in turns:
        before = tries.get((turn.step, turn.agent), 0)
        tries[turn.step, turn.agent] = before + 1
        parts.setdefault((turn.step, before), {})[turn.agent] = turn
    return [parts[key] for key in sorted(parts)]


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
    """Send an episode through JSON and back, which makes lists of tuples."""
    return from_record(loads(episode.to_line()), "episode")


def _in_turns(recorded: Episode, played: Episode, *, cut: bool) -> str | None:
    last = {turn.agent: turn.step for turn in played.turns} if cut else {}
    for old, new in zip(recorded.turns, played.turns, strict=False):
        for name in _TURN_FIELDS:
            if name in _LATER_FIELDS and last.get(new.agent) == new.step:
                continue  # the replay stopped before this turn's consequences were complete
            if not _same(getattr(old, name), getattr(new, name)):
                shown = _contrast(getattr(old, name), getattr(new, name))
                return f"step {old.step}, {old.agent}: {name} differs{shown}"
    return None


def _at_the_end(recorded: Episode, played: Episode) -> str | None:
    if played.failure is not None:
        return f"the replay failed with {played.failure.type}: {played.failure.message}"
    if recorded.failure is not None:
        return f"the record is of a failure ({recorded.failure.type}); the replay was finished"
    if len(recorded.turns) != len(played.turns):
        return f"{len(recorded.turns)} turns are recorded, {len(played.turns)} were played"
    for name in _END_FIELDS:
        old, new = getattr(recorded, name), getattr(played, name)
        if not _same(old, new):
            return f"{name} differs{_difference_in(old, new)}"
    return None


def _same(old: object, new: object) -> bool:
    """Compare so that NaN equals NaN and the order of keys does not matter."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return old.keys() == new.keys() and all(_same(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_same, old, new))
    if isinstance(old, float) and isinstance(new, float) and math.isnan(old):
        return math.isnan(new)
    return type(old) is type(new) and old == new


def _difference_in(old: Any, new: Any) -> str:
    """Name the first key that differs, if both are mappings."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            if key not in old or key not in new or not _same(old[key], new[key]):
                return f" at {key!r}{_contrast(old.get(key), new.get(key))}"
    return _contrast(old, new)


def _contrast(old: object, new: object) -> str:
    start = 0
    if isinstance(old, str) and isinstance(new, str):
        pairs = zip(old, new, strict=False)
        start = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))
        old, new = old[start:], new[start:]
    where = f" at character {start}" if start else ""
    before, now = f"{old!r:.{_SHOWN_CHARS}}", f"{new!r:.{_SHOWN_CHARS}}"
    return f"{where}: recorded {before}, played {now}"
