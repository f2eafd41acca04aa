"""The pairs baselines: full score through the text channel, and the floor."""

import json
import statistics

import numpy as np
import pytest

import coordgym
from coordgym.episodes.rollout import rollout
from coordgym.policies.named import make_policy
from coordgym.policies.policy_map import PolicyMap
from coordgym.silo_env.pairs.dialogue.extraction import final_answer
from coordgym.silo_env.pairs.instance import read_instance
from coordgym.silo_env.pairs.table import ENVS
from coordgym.silo_env.pairs.task import find_task

IDS = [entry.id for entry in ENVS]
SHARE, FLOOR = "pairs:share-and-solve", "pairs:one-view"


def scores(env_id: str, policy: str, seeds: int, **kwargs) -> list[float]:
    env = coordgym.make(env_id, **kwargs)
    return [rollout(env, make_policy(policy), seed).metrics["score"] for seed in range(seeds)]


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("friction", [0, 1, 2])
@pytest.mark.parametrize("text", ["full", "compact"])
def test_sharing_pays_no_tax(env_id, friction, text) -> None:
    assert scores(env_id, SHARE, 5, friction=friction, text=text) == [1.0] * 5


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("render", ["merged", "both_views"])
def test_a_solo_agent_that_sees_everything_solves_it(env_id, render) -> None:
    assert scores(env_id, SHARE, 4, mode="solo_full", solo_render=render) == [1.0] * 4
    assert scores(env_id, SHARE, 4, mode="solo_full", critic=False) == [1.0] * 4


@pytest.mark.parametrize("env_id", IDS)
def test_one_view_is_a_floor_and_random_lies_below_it(env_id) -> None:
    floor = statistics.mean(scores(env_id, FLOOR, 20))
    assert floor < 0.9
    # Where the score is 0 or 1, one lucky number in twenty episodes counts 0.05.
    assert statistics.mean(scores(env_id, "random", 20)) <= floor + 0.1
    for mode in ("solo_view1", "solo_view2"):
        assert statistics.mean(scores(env_id, FLOOR, 20, mode=mode)) < 0.9


@pytest.mark.parametrize("env_id", IDS)
def test_the_exchange_takes_three_messages_and_ends_with_a_check(env_id) -> None:
    episode = rollout(coordgym.make(env_id, clauses="all"), make_policy(SHARE), 0)
    texts = [turn.action for turn in episode.turns]
    assert len(texts) == 3
    assert "Please state" in texts[0]
    assert "Combined state from both views:" in texts[1]
    assert "ACTI!" not in texts[1]
    assert "derived it again" in texts[2]
    assert episode.metrics["ended_by"] == "agent_0"


class Deaf:
    """Relays between a sharing seat and a partner whose words are taken away."""

    name = "deaf"

    def __init__(self) -> None:
        self._seats = make_policy(SHARE)

    def reset(self, agents, infos, seed) -> None:
        self._seats.reset(agents, infos, seed)

    def act(self, observations, infos):
        muted = {
            agent: {**info, "view": {**info["view"], "message": None}}
            for agent, info in infos.items()
        }
        blank = dict.fromkeys(observations, "[other agent]: [no message]")
        return self._seats.act(blank, muted)


@pytest.mark.parametrize("env_id", IDS)
def test_without_the_channel_sharing_is_a_guess(env_id) -> None:
    """What a seat knows of the other view comes from the text channel alone."""
    env = coordgym.make(env_id)
    episodes = [rollout(env, Deaf(), seed) for seed in range(15)]
    assert statistics.mean(episode.metrics["score"] for episode in episodes) < 0.9
    assert all(episode.metrics["ended_by"] is not None for episode in episodes)


@pytest.mark.parametrize("partner", ["random", FLOOR])
@pytest.mark.parametrize("seat", ["agent_0", "agent_1"])
def test_sharing_copes_with_partners_that_do_not(partner, seat) -> None:
    env = coordgym.make(IDS[0])
    policy = PolicyMap({seat: make_policy(SHARE), "*": make_policy(partner)})
    for seed in range(6):
        episode = rollout(env, policy, seed)
        assert episode.metrics["capped"] is False
        assert episode.metrics["invalid_actions"] == 0


@pytest.mark.parametrize("env_id", IDS)
def test_a_wrong_proposal_is_answered_with_a_right_one(env_id) -> None:
    env = coordgym.make(env_id).unwrapped
    observations, infos = env.reset(seed=1)
    task = find_task(infos["agent_1"]["view"]["task"])
    stated = task.view_text(infos["agent_1"]["view"]["views"][0], 1, 0)
    wrong = json.dumps(task.random_answer(np.random.default_rng(0)))
    seats = make_policy(SHARE)
    seats.reset(env.possible_agents, infos, 0)
    for own in (None, f"{stated}\nFINAL ANSWER: {wrong}"):
        speaker = "agent_0" if own is None else "agent_1"
        said = (
            own or seats.act({speaker: observations[speaker]}, {speaker: infos[speaker]})[speaker]
        )
        observations, *_, infos = env.step({speaker: said})
    reply = seats.act({"agent_0": observations["agent_0"]}, {"agent_0": infos["agent_0"]})[
        "agent_0"
    ]
    assert "ACTI!" not in reply
    proposed = final_answer(reply, task.answer_fields)
    assert task.grade(read_instance(task.name, env.instance), proposed).exact


def test_episodes_are_reproducible() -> None:
    env = coordgym.make(IDS[0])
    first, second = (rollout(env, make_policy(FLOOR), 7) for _ in range(2))
    assert [t.action for t in first.turns] == [t.action for t in second.turns]
    assert json.dumps(first.metrics) == json.dumps(second.metrics)
