"""Tries within a turn: granted by the environment, played by whoever plays, seen by nobody else."""

from typing import Any

import pytest
from countdown import CountdownEnv
from patient import PatientEnv, Stammerer

from coordgym.episodes.episode import Episode, read_episodes, write_episodes
from coordgym.episodes.replay import replay
from coordgym.episodes.rollout import rollout
from coordgym.episodes.seat import SeatEnv
from coordgym.errors import ActionError


def patient_env(**kwargs: Any) -> PatientEnv:
    return PatientEnv(**{"n_agents": 2, "max_cycles": 3, **kwargs})


def stammering_episode(env: PatientEnv) -> tuple[Episode, Stammerer]:
    policy = Stammerer(agent_0=["one", "two", "3", "4", "done"], agent_1=["1", "1", "done"])
    return rollout(env, policy, seed=2), policy


def test_by_default_nobody_is_asked_again() -> None:
    env = CountdownEnv(n_agents=2)
    env.reset(seed=0)
    assert env.ask_again("agent_0", "not a number") is None
    assert env.metrics()["invalid_actions"] == 0


def test_a_try_is_told_counted_and_forgotten_at_the_next_step() -> None:
    env = patient_env()
    env.reset(seed=0)
    for number in (2, 3):
        told = env.ask_again("agent_0", "one")
        assert told is not None
        text, info = told
        assert text == f"Your last action was not valid: a number, please\ntry {number}"
        assert info["view"] == {"try": number}
        assert (info["valid"], info["active"], info["round"]) == (False, True, 0)
    assert env.ask_again("agent_0", "one") is None
    assert env.metrics()["invalid_actions"] == 2
    _, _, _, _, infos = env.step({"agent_0": "1", "agent_1": "1"})
    assert infos["agent_0"]["valid"] is True
    assert env.metrics()["invalid_actions"] == 2


def test_unusable_texts_are_told_with_what_is_wrong_with_them() -> None:
    env = patient_env(max_action_chars=3)
    env.reset(seed=0)
    told = env.ask_again("agent_0", "12345")
    assert told is not None
    assert "characters" in told[1]["error"]


def test_an_observation_that_stands_alone_retells_the_tries() -> None:
    env = patient_env(repeat_instructions=True)
    env.reset(seed=0)
    told = env.ask_again("agent_0", "one")
    assert told is not None
    assert "You are agent_0" in told[0]
    assert "You answered: one" in told[0]


def test_only_who_plays_is_asked() -> None:
    env = patient_env(turns=True)
    env.reset(seed=0)
    with pytest.raises(ActionError, match="agent_7"):
        env.ask_again("agent_7", "one")
    with pytest.raises(ActionError, match="str"):
        env.ask_again("agent_0", 1)  # type: ignore[arg-type]
    env.step({"agent_0": "1", "agent_1": "1"})
    assert env.ask_again("agent_1", "one") is None  # it waits


def test_a_rollout_asks_again_and_records_every_try() -> None:
    episode, policy = stammering_episode(patient_env())
    both, one = ["agent_0", "agent_1"], ["agent_0"]
    assert policy.asked == [both, one, one, both, both]
    first = [(t.agent, t.action, t.valid) for t in episode.turns if t.step == 0]
    assert first == [
        ("agent_0", "one", False),
        ("agent_0", "two", False),
        ("agent_0", "3", True),
        ("agent_1", "1", True),
    ]
    assert episode.metrics["invalid_actions"] == 2
    assert episode.metrics["score"] == 3 + 1 + 4 + 1
    assert episode.returns == {"agent_0": 1.0, "agent_1": 1.0}


def test_a_record_with_tries_replays(tmp_path: Any) -> None:
    episode, _ = stammering_episode(patient_env())
    write_episodes(tmp_path / "episodes.jsonl", [episode])
    (read,) = read_episodes(tmp_path / "episodes.jsonl")
    result = replay(read, patient_env())
    assert result.difference is None
    assert result.agrees


def test_a_seat_is_asked_again_while_nobody_moves() -> None:
    partner = Stammerer(agent_1=["x", "1", "y", "2", "done"])
    env = SeatEnv(patient_env, partners=partner)
    env.reset(seed=0)
    text, reward, terminated, truncated, info = env.step("one")
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert "try 2" in text
    assert info["view"]["try"] == 2
    assert env.env.unwrapped.steps == 0
    assert partner.asked == []
    _, _, _, _, info = env.step("1")
    assert env.env.unwrapped.steps == 1
    assert partner.asked == [["agent_1"], ["agent_1"]]
    assert env.env.unwrapped.total == 1 + 1
    assert info["valid"] is True
