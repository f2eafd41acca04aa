"""Recorded episodes are played again, and the first difference is told."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from relay_runs import RELAY, played
from toy_relay import Sayer, Troublemaker

import coordgym
from coordgym.episodes.episode import Episode
from coordgym.episodes.replay import replay
from coordgym.episodes.rollout import attempt, rollout
from coordgym.making import make_env
from coordgym.policies.named import RandomPolicy


@pytest.mark.parametrize("policy", [Sayer(), Sayer(tokens=3), RandomPolicy()])
def test_a_replay_agrees_after_the_way_to_the_disk(policy: Any) -> None:
    episode = Episode.from_line(played(policy, turns=7).to_line())
    result = replay(episode)
    assert result.difference is None
    assert result.agrees
    assert repr(result.episode.without_timing()) == repr(
        replace(episode.without_timing(), notes={})
    )


def test_given_instances_are_replayed() -> None:
    env = make_env(RELAY, {})
    episode = rollout(env, Sayer(), 3, options={"instance": {"digit": 9}})
    assert episode.instance == {"digit": 9}
    assert replay(episode).agrees
    assert replay(episode, make_env(RELAY, {})).agrees


def test_a_record_of_another_version_is_named_before_it_is_compared(
    recwarn: pytest.WarningsRecorder,
) -> None:
    episode = played(turns=2)
    assert episode.versions["coordgym"] == coordgym.__version__
    assert replay(episode).agrees
    assert replay(replace(episode, versions={})).agrees
    assert not recwarn.list
    other = replace(episode, versions={**episode.versions, "coordgym": "0.0.9"})
    with pytest.warns(UserWarning, match=r"of coordgym 0\.0\.9, this is "):
        assert replay(other).agrees
    with pytest.warns(UserWarning, match="may be what the versions do differently"):
        assert not replay(replace(other, metrics={})).agrees


def _turn(episode: Episode, index: int, **changes: Any) -> Episode:
    turns = list(episode.turns)
    turns[index] = replace(turns[index], **changes)
    return replace(episode, turns=tuple(turns))


def test_a_replay_reports_the_first_difference() -> None:
    episode = played(turns=4)
    digit = (episode.instance or {})["digit"]
    cases = {
        "step 1, agent_1: observation differs": _turn(episode, 1, observation="The digit is X."),
        "step 2, agent_0: reward differs": _turn(_turn(episode, 2, reward=9.0), 3, reward=9.0),
        "step 0, agent_0: valid differs": _turn(episode, 0, action="say nothing"),
        "step 3, agent_1: terminated differs": _turn(episode, 3, terminated=False),
        "metrics differs at 'score'": replace(episode, metrics={**episode.metrics, "score": 2.0}),
        "instance differs at 'digit'": replace(episode, instance={"digit": digit + 1}),
        "returns differs at 'agent_1'": replace(
            episode, returns={**episode.returns, "agent_1": 0.0}
        ),
        "the record ends, but ['agent_1'] must act": replace(episode, turns=episode.turns[:3]),
        "step 1: recorded is ['agent_0'], but ['agent_1']": _turn(episode, 1, agent="agent_0"),
    }
    for words, changed in cases.items():
        assert words in str(replay(changed).difference)


def test_a_replay_notices_an_environment_that_is_not_deterministic() -> None:
    result = replay(played(flaw="unseeded"))
    assert not result.agrees
    assert "observation differs at character" in str(result.difference)


def test_a_failed_policy_leaves_a_record_that_can_be_replayed() -> None:
    episode = attempt(make_env(RELAY, {}), Troublemaker(raises=[5]), 5)
    assert episode.failure is not None
    assert replay(episode).agrees


@pytest.mark.parametrize("kind", [str, Path])
def test_a_kept_database_can_be_replayed_and_stays_as_it_is(tmp_path: Path, kind: Any) -> None:
    path = tmp_path / "kept.sqlite"
    env = coordgym.make("SiloGlobalMax-v0", n_agents=2, max_cycles=3, db_path=kind(path))
    episode = rollout(env, "random", 5)
    line = episode.to_line()
    read = Episode.from_line(line)
    assert read.kwargs["db_path"] == str(path)
    assert replay(read).difference is None  # while the environment still has the file
    env.close()
    before = path.read_bytes()
    for record in (episode, read):
        assert replay(record).difference is None
    assert path.read_bytes() == before
