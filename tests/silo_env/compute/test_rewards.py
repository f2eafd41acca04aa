"""Rewards of silo: hacks earn no more than the floor, right answers 1, shaping sums to nothing."""

import json
from statistics import mean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coordgym
from coordgym.errors import ConfigError
from coordgym.silo_env.compute import parallel_env

TASKS = [entry.kwargs["task"] for entry in coordgym.list_envs(family="silo")]
NAMES = ("success", "partial", "shaped")


def returns(env: Any, texts: list[dict[str, str]], seed: int = 0) -> dict[str, float]:
    """Play the texts, then wait to the end; return what each agent earned."""
    env.reset(seed=seed)
    earned = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        now = texts[env.steps] if env.steps < len(texts) else {}
        active = [agent for agent in env.agents if agent in env._active_now]
        _, rewards, *_ = env.step({agent: now.get(agent, "wait()") for agent in active})
        for agent, reward in rewards.items():
            earned[agent] += reward
    return earned


def everybody(env: Any, text: str) -> dict[str, str]:
    return dict.fromkeys(env.possible_agents, text)


@pytest.mark.parametrize("constant", [990, 995, 999, 1000, 0])
@pytest.mark.parametrize("n_agents", [2, 10, 50])
def test_constants_earn_nothing_near_a_maximum(n_agents: int, constant: int) -> None:
    env = parallel_env(task="I-01", n_agents=n_agents, reward="partial", max_cycles=1)
    earned = []
    for seed in range(40):
        right = returns(env, [everybody(env, f"submit_result({constant})")], seed)
        grade = env.metrics()["S"]
        earned.append(mean(right.values()) - grade)
    assert mean(earned) <= 0.05


@pytest.mark.parametrize("task", TASKS)
def test_answers_of_other_instances_earn_the_floor(task: str) -> None:
    env = parallel_env(task=task, n_agents=4, reward="partial", max_cycles=1)
    others = []
    for seed in range(100, 106):
        env.reset(seed=seed)
        others.append(env.instance["answer"])
    segmented = env.task.is_segmented(env.instance["extra"])
    above = []
    for seed in range(20):
        other = others[seed % len(others)]
        texts = {
            agent: f"submit_result({json.dumps(other[i] if segmented else other)})"
            for i, agent in enumerate(env.possible_agents)
        }
        earned = returns(env, [texts], seed)
        above.append(mean(earned.values()) - env.metrics()["S"])
    assert mean(above) <= 0.05


@pytest.mark.parametrize(
    ("task", "constant"),
    [("II-14", "[0] * n"), ("II-14", "[1] * n"), ("I-10", "28.9"), ("I-08", "149"), ("I-05", "40")],
)
def test_known_constants_earn_no_more_than_by_luck(task: str, constant: str) -> None:
    env = parallel_env(task=task, n_agents=10, reward="partial", max_cycles=1)
    above = []
    for seed in range(30):
        env.reset(seed=seed)
        length = len(env.instance["answer"][0]) if "n" in constant else 0
        value = [int(constant[1])] * length if length else json.loads(constant)
        earned = returns(env, [everybody(env, f"submit_result({json.dumps(value)})")], seed)
        above.append(mean(earned.values()) - env.metrics()["S"])
    assert mean(above) <= 0.05


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("credit", ["seat", "team"])
def test_right_answers_earn_one_and_silence_nothing(task: str, credit: str) -> None:
    for name in NAMES:
        env = parallel_env(task=task, n_agents=3, reward=name, credit=credit, max_cycles=2)
        assert returns(env, []) == pytest.approx(dict.fromkeys(env.possible_agents, 0.0))
        env.reset(seed=0)
        answer = env.instance["answer"]
        segmented = env.task.is_segmented(env.instance["extra"])
        texts = {
            agent: f"submit_result({json.dumps(answer[i] if segmented else answer)})"
            for i, agent in enumerate(env.possible_agents)
        }
        assert returns(env, [texts]) == pytest.approx(dict.fromkeys(env.possible_agents, 1.0))


def test_who_listens_only_is_paid_with_the_seat_and_not_without_the_team() -> None:
    right = "submit_result({})"
    for credit, paid in (("seat", (1.0, 0.0)), ("team", (0.0, 0.0))):
        env = parallel_env(task="I-01", n_agents=2, reward="success", credit=credit, max_cycles=2)
        env.reset(seed=1)
        text = right.format(env.instance["answer"])
        earned = returns(env, [{"agent_0": text, "agent_1": "submit_result(-1)"}], 1)
        assert tuple(earned.values()) == paid


TURNS = st.lists(
    st.sampled_from(
        [
            "wait()",
            'send_message(1, "7")',
            'send_message(0, "x")\nsend_message(2, "y")',
            "receive_messages()",
            "submit_result(5)",
            "submit_result(990)",
            "submit_result(null)",
            "nonsense",
            "",
        ]
    ),
    min_size=3,
    max_size=3,
)


@settings(deadline=None, max_examples=40)
@given(st.lists(TURNS, max_size=5), st.sampled_from(["seat", "team"]), st.integers(0, 5))
def test_shaping_pays_the_partial_reward_in_the_end(
    rounds: list[list[str]], credit: str, seed: int
) -> None:
    totals = {}
    for name in NAMES:
        env = parallel_env(task="I-01", n_agents=3, reward=name, credit=credit, max_cycles=6)
        texts = [dict(zip(env.possible_agents, turn, strict=True)) for turn in rounds]
        totals[name] = returns(env, texts, seed)
        assert all(-1e-9 <= total <= 1 + 1e-9 for total in totals[name].values())
    assert totals["shaped"] == pytest.approx(totals["partial"], abs=1e-9)
    assert all(
        totals["success"][agent] <= totals["partial"][agent] + 1e-9 for agent in env.possible_agents
    )


@pytest.mark.parametrize("spam", ["submit_result(990)\n" * 200, 'send_message(1, "990")\n' * 8])
def test_spam_and_early_ends_earn_what_their_first_answer_earns(spam: str) -> None:
    env = parallel_env(task="I-01", n_agents=2, reward="shaped", max_cycles=3)
    earned = [returns(env, [everybody(env, spam)] * 3, seed) for seed in range(20)]
    assert mean(mean(each.values()) for each in earned) <= 0.05


def test_old_names_are_those_of_common_rewards() -> None:
    for old, (name, credit) in {
        "correct": ("success", "seat"),
        "team": ("partial", "team"),
    }.items():
        one = parallel_env(task="I-01", n_agents=2, reward=old, max_cycles=2)
        other = parallel_env(task="I-01", n_agents=2, reward=name, credit=credit, max_cycles=2)
        for value in (990, 5):
            texts = [everybody(one, f"submit_result({value})")]
            assert returns(one, texts, 3) == returns(other, texts, 3)


def test_what_is_no_reward_is_refused() -> None:
    with pytest.raises(ConfigError, match="reward must be"):
        parallel_env(task="I-01", reward="shares")
    with pytest.raises(ConfigError, match="credit must be 'team'"):
        parallel_env(task="I-01", reward="team", credit="seat")


def test_the_published_rewards_stay_for_comparison() -> None:
    env = parallel_env(task="I-01", n_agents=20, reward="gameable_partial", max_cycles=1)
    earned = [
        mean(returns(env, [everybody(env, "submit_result(990)")], s).values()) for s in range(10)
    ]
    assert mean(earned) > 0.9
