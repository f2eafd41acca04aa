"""The environment: texts, views, rewards, options, determinism, verification."""

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

import coordgym
from coordgym.errors import ConfigError, InstanceError
from coordgym.swarm_env import env as aec_env
from coordgym.swarm_env import parallel_env
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.instance import verify
from coordgym.swarm_env.records.published import export_episode

ID = "coordgym/SwarmPursuit-v0"


def answers(env: Any, rng: np.random.Generator) -> dict[str, str]:
    active = [agent for agent in env.agents if agent in env.unwrapped._active_now]
    return {agent: env.unwrapped.random_action(agent, rng) for agent in active}


def episode(env: Any, seed: int, rounds: int = 30) -> list[Any]:
    """All that an episode returns, with random answers."""
    rng = np.random.default_rng(seed)
    start = env.reset(seed=seed)
    return [start, *(env.step(answers(env, rng)) for _ in range(rounds))]


def still(env: Any, **texts: str) -> dict[str, str]:
    return {agent: texts.get(agent, "ACTION: STAY") for agent in env.agents}


@pytest.mark.parametrize("text", ["full", "compact"])
def test_episodes_depend_on_the_seed_alone(text: str) -> None:
    kwargs = {"text": text, "noise": 0.1, "delay": (0, 2)}
    one, two = coordgym.make(ID, **kwargs), coordgym.make(ID, **kwargs)
    episode(two, 1)  # an earlier episode leaves no trace
    assert episode(one, 7) == episode(two, 7)
    assert episode(one, 8) != episode(two, 7)


def test_snapshots_go_on_alike() -> None:
    env = coordgym.make(ID)
    episode(env, 0, rounds=10)
    state = env.unwrapped.get_state()
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    actions = [answers(env, np.random.default_rng(k)) for k in range(10)]
    expected = [env.step(a) for a in actions]
    for twin in twins:
        assert [twin.step(a) for a in actions] == expected
    env.unwrapped.set_state(state)
    assert [env.step(a) for a in actions] == expected


@pytest.mark.parametrize("text", ["full", "compact"])
@pytest.mark.parametrize("centralized", [False, True])
def test_observations_fit_their_space_and_tell_the_view(text: str, centralized: bool) -> None:
    env = coordgym.make(ID, text=text, centralized=centralized)
    for observations, *_, infos in episode(env, 3):
        for agent, observation in observations.items():
            view = infos[agent]["view"]
            assert env.observation_space(agent).contains(observation)
            assert json.loads(json.dumps(view)) == view
            for message in view["messages"]:
                assert message in observation
            row, column = view["position"]
            assert view["cells"][row - view["top"]][column - view["left"]] == "Y"
            for line in view["cells"]:
                if text == "compact":
                    assert " ".join(line) in observation
    assert env.state_space.contains(env.state())


def test_memory_holds_the_last_views_and_own_actions() -> None:
    env = coordgym.make(ID, memory=3)
    trace = episode(env, 0, rounds=6)
    memory = trace[-1][-1]["agent_4"]["view"]["memory"]
    assert [item["round"] for item in memory] == [3, 4, 5]
    assert memory[1]["cells"] == trace[4][-1]["agent_4"]["view"]["cells"]
    log = env.unwrapped.action_log
    assert [item["action"] for item in memory] == [log[k]["agent_4"] for k in (3, 4, 5)]


def test_the_target_itself_is_a_success() -> None:
    for target, success in ((2.0, True), (2.5, False)):
        env = coordgym.make(ID, n_agents=2, target=target)
        env.reset(seed=0, options={"instance": {**open_field(), "score": 2}})
        assert env.unwrapped.metrics()["success"] is success


def test_bad_answers_hurt_nobody_else() -> None:
    env = coordgym.make(ID)
    env.reset(seed=0)
    texts = still(env, agent_0="\ud800", agent_1="ACTION: FLY", agent_2="x" * 100_001)
    observations, *_, infos = env.step(texts)
    for agent in ("agent_0", "agent_1", "agent_2"):
        assert infos[agent]["valid"] is False
        assert infos[agent]["error"] in observations[agent]
    assert infos["agent_3"]["valid"] is True
    assert env.unwrapped.metrics()["invalid_actions"] == 3
    assert set(env.unwrapped.action_log[0].values()) == {"STAY"}
    assert env.unwrapped.check_action("agent_0", "ACTION: FLY") == infos["agent_1"]["error"]
    assert env.unwrapped.check_action("agent_0", "ACTION: UP") is None


def test_the_commander_sees_all_and_its_commands_are_binding() -> None:
    env = coordgym.make(ID, centralized=True)
    _, infos = env.reset(seed=0)
    world = env.unwrapped.world
    letters = [
        [str(n) if (n := world.agent_at(i, j)) else letter for j, letter in enumerate(row)]
        for i, row in enumerate(world.grid())
    ]
    row, column = world.positions[0]
    letters[row][column] = "Y"
    assert infos["agent_0"]["view"]["cells"] == letters
    assert len(infos["agent_1"]["view"]["cells"]) == 5
    texts = still(
        env, agent_0="AGENT 1: LEFT\nACTION: UP", agent_1="ACTION: DOWN", agent_2="MSG: a"
    )
    infos = env.step(texts)[-1]
    done = env.unwrapped.action_log[0]
    assert (done["agent_0"], done["agent_1"], done["agent_3"]) == ("UP", "LEFT", "STAY")
    assert infos["agent_0"]["view"]["messages"] == ["a"]
    assert infos["agent_1"]["view"]["messages"] == []


def test_commands_to_the_escaped_are_an_error_of_the_commander() -> None:
    env = coordgym.make(ID, n_agents=3, centralized=True)
    agents = {**open_field()["agents"], "2": {"pos": [-1, 5]}}
    env.reset(seed=0, options={"instance": {**open_field(), "agents": agents}})
    assert env.unwrapped.check_action("agent_0", "AGENT 1: UP") is None
    text = "AGENT 2: UP\nAGENT 1: UP"
    error = env.unwrapped.check_action("agent_0", text)
    assert error == "there is no agent 2 on the map that you can command"
    assert env.unwrapped.check_action("agent_1", "AGENT 2: UP\nMSG: prose to me") is None
    infos = env.step({"agent_0": text, "agent_1": "ACTION: DOWN"})[-1]
    assert infos["agent_0"]["error"] == error
    assert env.unwrapped.action_log[0] == {"agent_0": "STAY", "agent_1": "UP"}


def test_an_episode_goes_on_from_a_state_in_its_middle() -> None:
    env = coordgym.make("SwarmTransport-v0", max_cycles=6)
    env.reset(seed=0)
    for _ in range(4):
        env.step(still(env))
    middle = {**env.unwrapped.world.to_dict(), "score": 2.0}
    observations, infos = env.reset(seed=0, options={"instance": middle})
    instance = env.unwrapped.instance
    assert infos["agent_0"]["round"] == 4
    assert "NOW: 4 of 6 rounds" in observations["agent_0"]
    env.step(still(env))
    observations, _, _, truncations, infos = env.step(still(env))
    assert all(truncations.values())
    assert "NOW: 6 of 6 rounds" in observations["agent_0"]
    assert infos["agent_0"]["metrics"]["rounds"] == 6
    log = env.unwrapped.action_log
    assert len(log) == 2
    # What is played after the limit does not count: there (T - t) / T would be below 0.
    agents = {**instance["agents"], "0": {"pos": [0, 3]}}
    out = {**instance, "agents": agents, "objects": [{"pos": [0, 9], "shape": ["B"]}]}
    del out["grid"]
    up = dict.fromkeys(log[0], "STAY") | {"agent_0": "UP"}
    assert verify(out, [up]) == (False, 2 + 2 / 6)
    assert verify(out, [log[0], log[0], up]) == verify(out, [log[0], log[0]]) == (False, 2.0)
    with pytest.raises(InstanceError, match="after round 6, but max_cycles ends it at 6"):
        env.reset(seed=0, options={"instance": env.unwrapped.world.to_dict()})


def test_episodes_from_the_middle_are_recorded_and_replayed() -> None:
    env = coordgym.make(ID, max_cycles=8)
    episode(env, 3, rounds=5)
    middle = {k: v for k, v in env.unwrapped.world.to_dict().items() if k != "grid"}
    record = coordgym.rollout(env, "swarm:reactive", 1, options={"instance": middle})
    assert record.metrics["rounds"] == 8
    assert coordgym.replay(record).agrees
    assert [item["round"] for item in export_episode(record).game_log] == [5, 6, 7, 8]


def test_format_bonus_is_the_share_of_valid_turns_paid_at_the_end() -> None:
    env = coordgym.make(ID, format_bonus=0.2, max_cycles=2)
    env.reset(seed=0)
    texts = still(env, agent_0="ACTION: STAY\nMSG: a", agent_1="MSG: a", agent_2="?")
    assert set(env.step(texts)[1].values()) == {0.0}
    rewards = env.step(still(env, agent_2="?"))[1]
    assert rewards["agent_0"] == rewards["agent_3"] == pytest.approx(0.2)
    assert rewards["agent_1"] == pytest.approx(0.1)
    assert rewards["agent_2"] == 0.0


def open_field() -> dict[str, Any]:
    """Two agents next to an edge without walls, a prey far away."""
    agents = {"0": {"pos": [0, 1]}, "1": {"pos": [3, 3]}}
    return {"width": 8, "height": 8, "agents": agents, "objects": [], "prey": [6, 6]}


def test_escaped_agents_stay_and_are_paid_with_a_team_reward() -> None:
    env = coordgym.make(ID, n_agents=2, max_cycles=4)
    env.reset(seed=0, options={"instance": open_field()})
    *_, terminations, truncations, infos = env.step({"agent_0": "ACTION: UP", "agent_1": "MSG: a"})
    assert env.agents == ["agent_0", "agent_1"]
    assert not any({**terminations, **truncations}.values())
    assert infos["agent_0"]["active"] is False
    env.step({"agent_1": "ACTION: STAY"})
    env.step({"agent_1": "ACTION: STAY", "agent_0": ""})
    *_, terminations, truncations, _ = env.step({"agent_1": "ACTION: STAY"})
    assert terminations == {"agent_0": False, "agent_1": False}
    assert truncations == {"agent_0": True, "agent_1": True}


def test_escaped_agents_terminate_with_an_individual_reward() -> None:
    env = coordgym.make(ID, n_agents=2, reward="gameable_individual")
    env.reset(seed=0, options={"instance": open_field()})
    *_, terminations, _, _ = env.step({"agent_0": "ACTION: UP", "agent_1": "ACTION: STAY"})
    assert terminations == {"agent_0": True, "agent_1": False}
    assert env.agents == ["agent_1"]


def test_the_instance_replays_the_episode_and_its_verdict() -> None:
    env = coordgym.make(ID, target=1, max_cycles=60)
    policy = coordgym.make_policy("swarm:strong")
    observations, infos = env.reset(seed=0)
    policy.reset(env.agents, infos, 0)
    instance = json.loads(json.dumps(env.unwrapped.instance))
    texts = []
    while env.agents:
        texts.append(dict(policy.act(observations, infos)))
        observations, *_, infos = env.step(texts[-1])
    metrics, log = env.unwrapped.metrics(), env.unwrapped.action_log
    assert metrics["success"]
    assert verify(instance, log) == (True, metrics["score"])
    assert verify(instance, log) == verify(instance, log)
    assert verify(instance, log[:5]) == (False, 0.0)
    env.reset(seed=99, options={"instance": instance})
    for actions in texts:
        env.step(actions)
    assert env.unwrapped.metrics()["score"] == metrics["score"]


def test_verify_names_what_is_wrong() -> None:
    env = coordgym.make(ID)
    env.reset(seed=0)
    instance = env.unwrapped.instance
    with pytest.raises(InstanceError, match="lacks 'task'"):
        verify({k: v for k, v in instance.items() if k != "task"}, [])
    with pytest.raises(ConfigError, match="round 0 of the log"):
        verify(instance, [{"agent_0": "FLY"}])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prey": None}, "needs prey"),
        ({"prey": [20, 20]}, "prey must be on the map"),
        ({"prev_state": -1}, "no field 'prev_state'"),
        ({"task": "transport"}, "the instance's task"),
        ({"compat": "swarmbench"}, "the instance's compat"),
        ({"dynamics_seed": -1}, "dynamics_seed must be"),
        ({"pray": [1, 1]}, "did you mean 'prey'"),
    ],
)
def test_bad_instances_are_refused(change: dict[str, Any], message: str) -> None:
    env = coordgym.make(ID, n_agents=2)
    with pytest.raises(InstanceError, match=message):
        env.reset(seed=0, options={"instance": {**open_field(), **change}})


def test_the_number_of_agents_must_fit() -> None:
    with pytest.raises(InstanceError, match="make it with n_agents=2"):
        coordgym.make(ID).reset(seed=0, options={"instance": open_field()})


@pytest.mark.parametrize(
    "kwargs",
    [
        {"compat": "swarm-bench"},
        {"reward": "team"},
        {"memory": -1},
        {"noise": 2},
        {"delay": (3, 1)},
        {"delay": 3},
        {"target": -1},
        {"centralized": 1},
        {"view_size": 2},
        {"width": 2000},
        {"n_agents": 1000},
        {"n_agents": 10**12},
    ],
)
def test_bad_arguments_are_refused(kwargs: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(kwargs))):
        coordgym.make(ID, **kwargs)


def test_the_family_makes_both_forms() -> None:
    assert parallel_env(task="pursuit", n_agents=4).possible_agents == [
        f"agent_{n}" for n in range(4)
    ]
    form = aec_env(task="pursuit")
    form.reset(seed=0)
    assert form.agent_selection == "agent_0"
    with pytest.raises(ConfigError, match="task must be one of"):
        parallel_env(task="pursuits")


def test_drawings() -> None:
    env = coordgym.make(ID, render_mode="ansi")
    env.reset(seed=0)
    assert "  P" in env.render()
    picture = coordgym.make(ID, render_mode="rgb_array", height=12)
    picture.reset(seed=0)
    image = picture.render()
    assert image.shape == (12 * 24, 10 * 24, 3)
    assert image.dtype == np.uint8


def test_the_world_of_an_environment_is_its_instance() -> None:
    env = coordgym.make(ID)
    env.reset(seed=4)
    state = env.unwrapped.world.to_dict()
    assert {k: env.unwrapped.instance[k] for k in state} == state
    assert World.from_dict(state).to_dict() == state


def played(env: Any) -> dict[str, Any]:
    """Plays on to the end, at random, and returns the metrics."""
    rng = np.random.default_rng(0)
    while env.agents:
        env.step(answers(env, rng))
    metrics: dict[str, Any] = env.unwrapped.metrics()
    return metrics


@pytest.mark.parametrize("target", [0.0, 1.0, 57.0])
@pytest.mark.parametrize("limit", [3, 9])
def test_the_instances_limit_and_target_are_those_of_the_episode(limit: int, target: float) -> None:
    sync = "coordgym/SwarmSynchronization-v0"
    env, own = coordgym.make(sync, n_agents=2), coordgym.make(sync, n_agents=2)
    source = coordgym.make(sync, n_agents=2, max_cycles=limit, target=target)
    source.reset(seed=4)
    original = json.loads(json.dumps(source.unwrapped.instance))
    infos = env.reset(seed=0, options={"instance": original})[1]
    assert env.unwrapped.instance == original
    assert infos["agent_0"]["max_cycles"] == limit
    metrics = played(env)
    assert len(env.unwrapped.action_log) == limit
    assert verify(original, env.unwrapped.action_log) == (metrics["success"], metrics["score"])
    assert metrics["success"] == (metrics["score"] >= target)
    env.reset(seed=0)
    own.reset(seed=0)
    assert env.unwrapped.instance == own.unwrapped.instance
    assert env.unwrapped.limit == 100


@pytest.mark.parametrize(("name", "other"), [("max_cycles", 7), ("target", 2.0)])
def test_a_limit_or_target_other_than_the_environments_is_refused(name: str, other: float) -> None:
    env = coordgym.make(ID, n_agents=3)
    env.reset(seed=1)
    instance = env.unwrapped.instance
    strict = coordgym.make(ID, n_agents=3, **{name: other})
    with pytest.raises(InstanceError, match=rf"{instance[name]}, .* {name}={other}"):
        strict.reset(seed=1, options={"instance": instance})
    same = coordgym.make(ID, n_agents=3, **{name: instance[name]})
    same.reset(seed=1, options={"instance": instance})
    assert same.unwrapped.instance == instance


@pytest.mark.parametrize(
    ("instance", "message"),
    [
        ({}, "no world"),
        ({"task": "pursuit"}, "no world"),
        ({"max_cycles": 5, "dynamics_seed": 1}, "no world"),
        ({**open_field(), "max_cycles": 0}, "max_cycles must be"),
        ({**open_field(), "max_cycles": True}, "max_cycles must be"),
        ({**open_field(), "target": "many"}, "target must be"),
        ({**open_field(), "target": -1}, "target must be"),
        ({**open_field(), "dynamics_seed": None}, "dynamics_seed must be"),
    ],
)
def test_instances_with_unusable_parts_are_refused(instance: Any, message: str) -> None:
    env = coordgym.make(ID, n_agents=len(open_field()["agents"]))
    with pytest.raises(InstanceError, match=message):
        env.reset(seed=0, options={"instance": instance})


def test_a_task_without_a_target_takes_none_from_an_instance() -> None:
    env = coordgym.make("coordgym/SwarmTransport-v0")
    env.reset(seed=0)
    instance = {**env.unwrapped.instance, "target": 3.0}
    with pytest.raises(InstanceError, match="target must be None"):
        env.reset(seed=0, options={"instance": instance})


def judged(task: str, **kwargs: Any) -> tuple[float | None, bool | None]:
    """Returns an episode's target and its verdict after one round."""
    env = coordgym.make(f"coordgym/Swarm{task}-v0", **kwargs)
    env.reset(seed=1)
    env.step(dict.fromkeys(env.agents, "ACTION: STAY"))
    instance = json.loads(json.dumps(env.unwrapped.instance))
    verdict = env.unwrapped.metrics()["success"]
    assert verify(instance, env.unwrapped.action_log).success is verdict
    assert env.unwrapped.target == instance["target"]
    return instance["target"], verdict


def test_the_published_size_has_the_published_targets() -> None:
    assert judged("Pursuit") == (57, False)
    assert judged("Synchronization") == (100, False)
    assert judged("Foraging", view_size=3) == (30, False)
    assert judged("Transport") == judged("Flocking") == (None, False)


@pytest.mark.parametrize(
    "size", [{"n_agents": 9}, {"height": 11}, {"width": 9}, {"max_cycles": 99}]
)
def test_pursuit_is_not_judged_at_other_sizes(size: dict[str, int]) -> None:
    assert judged("Pursuit", **size) == (None, None)
    assert judged("Pursuit", **size, target=0) == (0, True)
    for reward in ("success", "partial", "shaped", "individual"):
        with pytest.raises(ConfigError, match="needs target="):
            coordgym.make(ID, reward=reward, **size)
        coordgym.make(ID, reward=reward, target=3, **size).reset(seed=0)


def test_an_instance_without_a_target_is_not_judged_and_refused_where_one_is_paid() -> None:
    source = coordgym.make(ID, max_cycles=9)
    source.reset(seed=0)
    instance = source.unwrapped.instance
    assert instance["target"] is None
    env = coordgym.make(ID)
    env.reset(seed=0, options={"instance": instance})
    assert env.unwrapped.metrics()["success"] is None
    with pytest.raises(ConfigError, match="needs target="):
        coordgym.make(ID, reward="partial").reset(seed=0, options={"instance": instance})


@pytest.mark.parametrize(("n_agents", "rounds"), [(2, 7), (10, 50)])
def test_a_point_in_every_round_is_a_success_in_synchronization(n_agents: int, rounds: int) -> None:
    env = coordgym.make("SwarmSynchronization-v0", n_agents=n_agents, max_cycles=rounds)
    metrics = coordgym.rollout(env, "swarm:strong", 1).metrics
    assert (metrics["score"], metrics["success"]) == (rounds, True)
    assert judged("Synchronization", n_agents=n_agents, max_cycles=rounds)[0] == rounds


def test_targets_of_foraging_follow_from_the_lengths_of_the_ways() -> None:
    small = {"height": 7, "width": 7, "n_agents": 2}
    one, two = (judged("Foraging", **small, max_cycles=rounds)[0] for rounds in (50, 100))
    assert one is not None
    assert two is not None
    assert 1.8 * one < two < 2.2 * one
    episode = coordgym.rollout(coordgym.make("SwarmForaging-v0", **small), "swarm:strong", 1)
    assert episode.metrics["success"] is True
    assert judged("Foraging", height=7, width=7) == (None, None)  # ten would crowd
    assert judged("Foraging", height=20, width=20, max_cycles=3) == (None, None)


@pytest.mark.parametrize(
    "text", ["", "?", "ACTION: JUMP", "x" * 100_001, "ACTION: UP\nACTION: a|b"]
)
@pytest.mark.parametrize("reward", ["score", "shaped"])
def test_nobody_else_learns_of_an_answer_that_is_invalid(text: str, reward: str) -> None:
    def others_see(answer: str) -> list[Any]:
        env = coordgym.make(ID, reward=reward)
        env.reset(seed=2)
        found = []
        for _ in range(2):
            *step, infos = env.step(still(env, agent_1=answer))
            found.append([*step, infos])
        return [
            {name: value for name, value in part.items() if name != "agent_1"}
            for step in found
            for part in step
        ]

    assert others_see(text) == others_see("ACTION: STAY")
