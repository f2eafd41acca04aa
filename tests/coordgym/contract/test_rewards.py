"""The rewards that all families share: what is paid above a floor, and shaping that sums to 0."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordgym.contract.rewards import REWARDS, Reward, Shaping, above_floor
from coordgym.errors import ConfigError

SHARES = st.floats(0, 1)
POTENTIALS = st.dictionaries(st.sampled_from(["agent_0", "agent_1", "agent_2"]), SHARES)
ALIASES = {"correct": Reward("success", "seat"), "score": Reward("partial", "team")}


def chosen(reward: object, credit: object = None) -> Reward:
    return Reward.chosen(
        reward, credit, default_credit="team", aliases=ALIASES, others={"gameable_share": "team"}
    )


@given(SHARES, SHARES)
def test_nothing_is_paid_up_to_the_floor_and_all_for_what_is_right(
    score: float, floor: float
) -> None:
    paid = above_floor(score, floor)
    assert 0 <= paid <= 1
    assert (paid == 0) == (score <= floor and score < 1)
    assert above_floor(1.0, floor) == 1


@given(SHARES, SHARES, SHARES)
def test_more_is_never_paid_less(low: float, high: float, floor: float) -> None:
    low, high = sorted((low, high))
    assert above_floor(low, floor) <= above_floor(high, floor)


@given(st.lists(POTENTIALS, min_size=1, max_size=20))
def test_whatever_is_done_shaping_sums_to_nothing(path: list[dict[str, float]]) -> None:
    shaping = Shaping()
    returns: dict[str, float] = {}
    for step, potentials in enumerate(path):
        for agent, paid in shaping.paid(potentials, over=step == len(path) - 1).items():
            returns[agent] = returns.get(agent, 0.0) + paid
    assert all(math.isclose(total, 0, abs_tol=1e-12) for total in returns.values())


def test_a_cycle_is_paid_nothing() -> None:
    shaping = Shaping()
    shaping.paid({"agent_0": 0.25}, over=False)
    away = shaping.paid({"agent_0": 0.75}, over=False)
    back = shaping.paid({"agent_0": 0.25}, over=False)
    assert away == {"agent_0": 0.5}
    assert back == {"agent_0": -0.5}


@pytest.mark.parametrize("name", REWARDS)
def test_common_rewards_pay_whom_they_are_told_to(name: str) -> None:
    assert chosen(name) == (name, "team")
    assert chosen(name, "seat") == (name, "seat")


def test_other_names_say_themselves_for_whom() -> None:
    assert chosen("correct") == chosen("correct", "seat") == ("success", "seat")
    assert chosen("score") == ("partial", "team")
    assert chosen("gameable_share") == ("gameable_share", "team")


@pytest.mark.parametrize(
    ("reward", "credit", "words"),
    [
        ("succes", None, "reward must be"),
        (1, None, "reward must be"),
        ("success", "everybody", "credit must be"),
        ("correct", "team", "credit must be 'seat' or None with reward='correct'"),
    ],
)
def test_wrong_choices_are_refused(reward: object, credit: object, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        chosen(reward, credit)
