"""The swarm's rule-based policies: strength, order, independence of what they must not see."""

from typing import Any

import numpy as np
import pytest

import coordgym
from coordgym.baselines.swarm.formations.plan import formation, plan

ID = "coordgym/SwarmPursuit-v0"


def score(name: str, seed: int, **kwargs: Any) -> float:
    env = coordgym.make(ID, text="compact", **kwargs)
    policy = coordgym.make_policy(name)
    observations, infos = env.reset(seed=seed)
    policy.reset(env.agents, infos, seed)
    while env.agents:
        observations, *_, infos = env.step(dict(policy.act(observations, infos)))
        assert all(info["valid"] for info in infos.values())
    return float(env.unwrapped.metrics()["score"])


@pytest.mark.heavy
def test_the_rules_grow_in_strength_and_the_strong_one_reaches_its_aim() -> None:
    names = ("reactive", "heuristic", "communicating", "strong")
    means = [np.mean([score(f"swarm:{name}", seed) for seed in range(20)]) for name in names]
    assert means == sorted(means), means
    assert means[-1] >= 60, means  # 13 is asked for; about 73 is usual


def test_the_strong_policy_beats_the_published_rules_under_the_published_rule_set() -> None:
    scores = [score("swarm:strong", seed, compat="swarmbench") for seed in range(6)]
    assert np.mean(scores) > 9.15, scores


@pytest.mark.parametrize("name", ["reactive", "heuristic", "communicating", "strong"])
def test_policies_repeat_themselves(name: str) -> None:
    one, two = (score(f"swarm:{name}", 5, max_cycles=30) for _ in range(2))
    assert one == two


@pytest.mark.parametrize(("height", "width", "n_agents"), [(6, 6, 3), (8, 11, 6), (7, 7, 23)])
def test_the_strong_policy_plays_other_sizes(height: int, width: int, n_agents: int) -> None:
    kwargs = {"height": height, "width": width, "n_agents": n_agents, "max_cycles": 10}
    assert score("swarm:strong", 0, **kwargs) >= 0


def test_on_the_published_map_the_prey_runs_into_a_trap_from_nearly_everywhere() -> None:
    team = plan(10, 10, 10, 2)
    assert team is not None
    for parity in (0, 1):
        able = [team.formations[at] for at in team.against(parity)]
        assert max(each.worth.coverage for each in able) > 0.9
    assert team.formations[0].worth.rounds < 1.1  # then it mostly reappears in the trap
    for each, slots in zip(team.formations, team.slots, strict=True):
        assert len(set(each.slots)) == 10
        assert sorted(slots) == list(range(10))


def test_traps_are_closed_by_different_agents_in_one_step() -> None:
    pinwheel = ((4, 4), (4, 6), (6, 6), (6, 4))
    found = formation(pinwheel, 10, 10, sight=2, parity=0).closers
    assert set(found) == {(5, 5)}
    assert sorted(found[5, 5]) == [0, 1, 2, 3]
    assert set(found[5, 5].values()) == {(4, 5), (6, 5), (5, 4), (5, 6)}
    corner = formation(((1, 7), (2, 7)), 10, 10, sight=2, parity=1).closers
    assert corner[1, 8] == {1: (2, 8)}  # one side held


def test_agents_that_see_less_close_fewer_traps() -> None:
    slots = ((3, 5), (5, 3), (5, 7), (7, 5))  # two cells from the trap, straight on
    assert (5, 5) in formation(slots, 10, 10, sight=2, parity=0).closers
    assert not formation(slots, 10, 10, sight=1, parity=0).closers


@pytest.mark.parametrize("seed", [12, 122, 206])
def test_agents_that_walk_in_step_do_not_keep_each_other_from_their_slots(seed: int) -> None:
    assert score("swarm:strong", seed) >= 13  # 0 with agents that never wait


def test_where_no_formation_works_all_give_up_in_the_same_round_and_hunt() -> None:
    size = {"height": 14, "width": 18, "n_agents": 9}
    env = coordgym.make(ID, text="compact", **size)
    policy = coordgym.make_policy("swarm:strong")
    observations, infos = env.reset(seed=0)
    policy.reset(env.agents, infos, 0)
    told: set[int] = set()
    while env.agents:
        texts = policy.act(observations, infos)
        # A hunter tells where it saw the prey, a trapper which parity it has.
        hunting = [" at " in str(text) for text in texts.values() if "MSG" in str(text)]
        if hunting:
            assert len(set(hunting)) == 1
            told.add(hunting[0])
        observations, *_, infos = env.step(dict(texts))
    assert told == {False, True}


@pytest.mark.parametrize(
    ("least", "kwargs"),
    [
        (30, {"height": 12, "width": 9}),  # 2 when all gave up there
        (20, {"n_agents": 8}),
        (60, {"n_agents": 12, "view_size": 7}),
        (50, {"n_agents": 16, "view_size": 3}),
        (50, {"n_agents": 20, "height": 15, "width": 15}),
        (20, {"n_agents": 30, "height": 20, "width": 20}),
        (90, {"n_agents": 20, "height": 7, "width": 7}),
    ],
)
def test_the_strong_policy_is_strong_at_other_sizes(least: int, kwargs: dict[str, int]) -> None:
    """All other rules score less than 20 there, but in the crowd, where all are good."""
    assert np.mean([score("swarm:strong", seed, **kwargs) for seed in range(2)]) >= least


def test_without_room_for_formations_or_with_few_agents_all_hunt() -> None:
    assert plan(100, 100, 10, 2) is None
    assert plan(20, 20, 10, 2) is None
    assert score("swarm:strong", 0, height=40, width=40, max_cycles=3) == 0
    assert score("swarm:strong", 0, n_agents=1, max_cycles=3) == 0
