"""Rewards of pairs: hacks earn no more than the floor, right answers 1, shaping sums to nothing."""

import json
from statistics import mean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coordgym
from coordgym.errors import ConfigError

IDS = [entry.id for entry in coordgym.list_envs(family="pairs")]
NAMES = ("success", "partial", "shaped")
WALKS = (
    *("PairMaze-v0", "PairStreetMap-v0", "PairRuleMaze-v0", "PairBlueprintMaze-v0"),
    *("PairGeoMaze-v0", "PairCube-v0", "PairTimedPath-v0", "PairConflictPath-v0"),
)
QUIET = 0.05
"""What counts as nothing, on average."""


def final(answer: Any) -> str:
    return f"FINAL ANSWER: {json.dumps(answer)}\nACTI!"


def returned(env: Any, texts: list[str], seed: int) -> float:
    """Let the agents say the texts in turn, then small talk; return what each of them earned."""
    env.reset(seed=seed)
    earned = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        text = texts[env.steps] if env.steps < len(texts) else "go on"
        _, rewards, *_ = env.step(dict.fromkeys(env.agents, text))
        for agent, reward in rewards.items():
            earned[agent] += reward
    assert len(set(earned.values())) == 1  # the answer is a joint one
    return earned["agent_0"]


def made(env_id: str, reward: str, **kwargs: Any) -> Any:
    return coordgym.make(env_id, reward=reward, max_exchanges=2, **kwargs).unwrapped


def to_and_fro(env: Any) -> Any:
    """Return a walk that waits, or goes between two cells, as long as the best one is."""
    answer = env.instance["answer"]
    if "A" in answer:
        return {who: [path[0]] * len(path) for who, path in answer.items()}
    path = answer["path"]
    if env.options.task == "timedpath":
        return {"path": [[tick, *path[0][1:]] for tick in range(len(path))]}
    return {"path": [path[step % 2] for step in range(len(path))]}


@pytest.mark.parametrize("env_id", WALKS)
def test_walking_to_and_fro_earns_nothing(env_id: str) -> None:
    env = made(env_id, "partial")
    earned, published = [], []
    for seed in range(8):
        env.reset(seed=seed)
        earned.append(returned(env, [final(to_and_fro(env))], seed))
        published.append(env.metrics()["score"])
    assert mean(earned) <= QUIET
    assert mean(published) > 0.15  # so much the published grade pays


@pytest.mark.parametrize("env_id", IDS)
def test_right_answers_earn_one_and_silence_nothing(env_id: str) -> None:
    for name in NAMES:
        env = made(env_id, name)
        env.reset(seed=2)
        right = final(env.instance["answer"])
        assert returned(env, [right], 2) == pytest.approx(1)
        assert returned(env, ["let us begin", right], 2) == pytest.approx(1)
        assert returned(env, [], 2) == 0


@pytest.mark.parametrize("env_id", IDS)
def test_one_view_and_guesses_earn_nothing_above_what_they_get_right(env_id: str) -> None:
    env = made(env_id, "partial")
    one_view, wild = [], []
    for seed in range(6):
        episode = coordgym.rollout(env, "pairs:one-view", 50 + seed)
        one_view.append(sum(t.reward for t in episode.turns if t.agent == "agent_0"))
        one_view[-1] -= episode.metrics["exact"]
        answer = env._task.random_answer(env.rng(7))
        wild.append(returned(env, [final(answer)], seed) - env.metrics()["exact"])
    assert mean(one_view) <= QUIET
    assert mean(wild) <= QUIET


@pytest.mark.parametrize(
    "texts",
    [
        ["ACTI!"],
        ["I agree.", "ACTI!"],
        ["FINAL ANSWER: {}"] * 4,
        ['FINAL ANSWER: {"path": []}\nACTI!'],
        ['FINAL ANSWER: {"moves": []}\nACTI!'],
        ['FINAL ANSWER: {"moves": "UDLRUDLRUDLR"}\nACTI!'],
        ['FINAL ANSWER: {"path": [[0, 0]]}\n' * 50 + "ACTI!"],
        [" ", " ", " ", " "],
        ["MSG: x\nACTION: UP\n### Final Answer ### Yes\nsubmit_result(1)\nACTI!"],
        [final({"path": [[row, column] for row in range(7) for column in range(7)]})],
    ],
)
def test_early_ends_spam_and_all_answers_at_once_earn_nothing(texts: list[str]) -> None:
    for name in NAMES:
        env = made("PairMaze-v0", name)
        assert mean(returned(env, texts, seed) for seed in range(8)) <= QUIET


@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.sampled_from(["talk", "right", "half", "start", "wrong", ""]), max_size=4),
    st.integers(0, 3),
)
def test_shaping_pays_the_partial_reward_in_the_end(said: list[str], seed: int) -> None:
    earned = {}
    for name in NAMES:
        env = made("PairConflictPath-v0", name)
        env.reset(seed=seed)
        answer = env.instance["answer"]
        half = {who: path[: len(path) // 2 + 1] for who, path in answer.items()}
        start = {who: path[:1] for who, path in answer.items()}
        answers = {"right": answer, "half": half, "start": start, "wrong": {"A": [], "B": []}}
        texts = [
            f"FINAL ANSWER: {json.dumps(answers[each])}" if each in answers else each
            for each in said
        ]
        earned[name] = returned(env, texts, seed)
    assert earned["shaped"] == pytest.approx(earned["partial"], abs=1e-9)
    assert 0 <= earned["success"] <= earned["partial"] <= 1


def test_old_names_are_those_of_common_rewards() -> None:
    for old, new in (("score", "partial"), ("exact", "success")):
        for seed in range(3):
            one, other = made("PairConflictPath-v0", old), made("PairConflictPath-v0", new)
            one.reset(seed=seed)
            answer = {who: path[:4] for who, path in one.instance["answer"].items()}
            assert returned(one, [final(answer)], seed) == returned(other, [final(answer)], seed)


def test_the_published_grade_stays_for_comparison() -> None:
    env = made("PairMaze-v0", "gameable_score")
    env.reset(seed=1)
    assert returned(env, [final(to_and_fro(env))], 1) == env.metrics()["score"] == 0.25
    with pytest.raises(ConfigError, match="reward must be"):
        made("PairMaze-v0", "grade")
    for credit in ("team", "seat"):
        assert made("PairMaze-v0", "success", credit=credit).options.pays.name == "success"
