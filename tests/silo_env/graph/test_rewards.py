"""Rewards of networks: hacks earn no more than the floor, right answers 1, shaping sums to 0."""

import json
from collections.abc import Callable
from statistics import mean
from typing import Any

import networkx
import numpy as np
import pytest
from path_of_four import AGENT, CLASH, GOOD, PATH, answer, finish, path_env, step

import coordgym
from coordgym.contract.rewards import above_floor
from coordgym.errors import ConfigError
from coordgym.policies.named import make_policy
from coordgym.silo_env.graph import TASKS, GraphEnv, parallel_env
from coordgym.silo_env.graph.floors import floor_of
from coordgym.silo_env.graph.instance import Instance

NAMES = ("success", "partial", "shaped")
CREDITS = ("team", "seat")
GRADED = ("coloring", "matching", "vertex_cover")
"""Tasks of which a part may be right; in the others a guess is right or wrong as a whole."""
LUCK = {"coloring": 0.6, "leader_election": 0.5, "consensus": 1.0, "matching": 0.15}
"""What silence solves at most on 16 agents: see ``guess`` of the tasks; else 0.2."""

Hack = Callable[[Instance, int, np.random.Generator], str | None]


def returns(env: GraphEnv, texts: list[dict[str, str]], seed: int = 0) -> dict[str, float]:
    """Play the texts step by step, ``{}`` where there are none; return what agents earned."""
    env.reset(seed=seed)
    earned = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        now = texts[env.steps] if env.steps < len(texts) else {}
        _, rewards, *_ = env.step({agent: now.get(agent, "{}") for agent in env.agents})
        for agent, reward in rewards.items():
            earned[agent] += reward
    return earned


def played(env: GraphEnv, policy_name: str, seed: int) -> dict[str, float]:
    return dict(coordgym.rollout(env, make_policy(policy_name), seed=seed).returns)


# --- hacks -------------------------------------------------------------------------------


def coin(probability: float) -> Hack:
    return lambda world, i, rng: world.options(i)[int(rng.random() >= probability)]


def before(world: Instance, i: int) -> int:
    """Count the neighbours whose names come first."""
    names = world.network.names
    return sum(names[j] < names[i] for j in world.network.neighbours[i])


def scaled(world: Instance, i: int, rng: np.random.Generator) -> str:
    """Spread the options over the places among the neighbours."""
    options, others = world.options(i), world.network.neighbours[i]
    return options[int((before(world, i) + rng.random()) / (len(others) + 1) * len(options))]


def partner_by_id(world: Instance, i: int, rng: np.random.Generator) -> str:
    """Name the agent whose number differs in the last bit."""
    other = i ^ 1
    return world.network.names[other] if other in world.network.neighbours[i] else "None"


HACKS: dict[str, Hack] = {
    "first option": lambda world, i, rng: world.options(i)[0],
    "last option": lambda world, i, rng: world.options(i)[-1],
    "last but one": lambda world, i, rng: world.options(i)[-2],
    "any option": lambda world, i, rng: str(rng.choice(world.options(i))),
    "coin 0.6": coin(0.6),
    "coin 0.7": coin(0.7),
    "coin 0.8": coin(0.8),
    "coin 0.9": coin(0.9),
    "by number of agent": lambda world, i, rng: world.options(i)[i % len(world.options(i))],
    "by length of name": lambda world, i, rng: world.options(i)[
        len(world.network.names[i]) % len(world.options(i))
    ],
    "first of the names around": lambda world, i, rng: world.options(i)[before(world, i) > 0],
    "last of the names around": lambda world, i, rng: world.options(i)[before(world, i) == 0],
    "one name before": lambda world, i, rng: world.options(i)[before(world, i) <= 1],
    "place among the names around": scaled,
    "number of neighbours": lambda world, i, rng: world.options(i)[
        len(world.network.neighbours[i]) % len(world.options(i))
    ],
    "few neighbours": lambda world, i, rng: world.options(i)[len(world.network.neighbours[i]) <= 3],
    "partner by id": partner_by_id,
    "no answer": lambda world, i, rng: None,
    "half of the answers": lambda world, i, rng: world.options(i)[0] if i % 2 else None,
}


@pytest.mark.parametrize("topology", ["ws", "ba", "dt"])
@pytest.mark.parametrize("task", list(TASKS))
def test_hacks_earn_nothing_but_what_luck_solves(task: str, topology: str) -> None:
    env = parallel_env(task, n_agents=16, topology=topology)
    graded: dict[str, list[float]] = {name: [] for name in HACKS}
    solved: dict[str, list[float]] = {name: [] for name in HACKS}
    for seed in range(30):
        env.reset(seed=seed)
        world, floor = env.world, floor_of(env.world)
        for number, (name, hack) in enumerate(HACKS.items()):
            rng = np.random.default_rng([seed, number])
            answers = {who: hack(world, i, rng) for i, who in enumerate(world.network.names)}
            grade = world.grade(answers)
            solved[name].append(float(grade >= 1))
            graded[name].append(0.0 if grade >= 1 else above_floor(grade, floor))
    assert max(map(mean, graded.values())) <= 0.05
    assert max(map(mean, solved.values())) <= LUCK.get(task, 0.2)


@pytest.mark.parametrize("probability", [0.5, 0.7, 0.8, 0.9])
def test_coin_flips_earn_nothing_in_a_large_cover(probability: float) -> None:
    env = parallel_env("vertex_cover", n_agents=100, rounds=1, reward="partial")
    published, paid = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        flips = ["Yes" if rng.random() < probability else "No" for _ in range(100)]
        texts = {f"agent_{i}": answer(flip) for i, flip in enumerate(flips)}
        paid.append(mean(returns(env, [{}, texts], seed).values()))
        published.append(env.metrics()["score"])
    assert mean(published) >= 0.7  # the published score, for which it was 0.945
    assert mean(paid) == 0.0


def test_ids_tell_nothing_of_where_in_the_network_agents_are() -> None:
    """As drawn, nodes of a ring have numbers near their neighbours', hubs have small ones."""
    near, hubs = [], []
    for seed in range(40):
        ring = parallel_env("matching", n_agents=16, topology="ws")
        ring.reset(seed=seed)
        near.append(mean((b - a) % 16 in (1, 2, 14, 15) for a, b in ring.world.network.edges))
        grown = parallel_env("matching", n_agents=16, topology="ba")
        grown.reset(seed=seed)
        degrees = [len(around) for around in grown.world.network.neighbours]
        hubs.append(mean(degrees[:4]) / mean(degrees))
    assert mean(near) == pytest.approx(4 / 15, abs=0.05)
    assert mean(hubs) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("reward", NAMES)
@pytest.mark.parametrize("credit", CREDITS)
@pytest.mark.parametrize("task", list(TASKS))
def test_no_answers_earn_nothing(task: str, credit: str, reward: str) -> None:
    env = parallel_env(task, n_agents=6, rounds=2, reward=reward, credit=credit)
    junk = ["junk" * 50, "### Final Answer ###", '{"a": ' * 100, "{}" * 100]
    for text in junk:
        texts = dict.fromkeys(env.possible_agents, text)
        assert returns(env, [texts] * 3) == pytest.approx(dict.fromkeys(texts, 0.0))


def test_ending_early_earns_what_missing_answers_do() -> None:
    for reward in NAMES:
        env = parallel_env("coloring", n_agents=6, rounds=5, max_cycles=2, reward=reward)
        spam = {agent: everything(env, agent) for agent in env.possible_agents}
        assert set(returns(env, [spam] * 2).values()) == {0.0}


def everything(env: GraphEnv, agent: str) -> str:
    """Write a text to everybody there is, neighbours or not."""
    del agent
    env.reset(seed=0)
    return json.dumps(dict.fromkeys(env.world.network.names, "x"))


def test_spam_earns_nothing_and_costs_nothing() -> None:
    for reward in NAMES:
        env = parallel_env("matching", n_agents=6, rounds=4, reward=reward)
        spam = {agent: everything(env, agent) for agent in env.possible_agents}
        last = dict.fromkeys(spam, answer("None"))
        assert returns(env, [spam] * 4 + [last]) == pytest.approx(returns(env, [{}] * 4 + [last]))


# --- what is paid ------------------------------------------------------------------------


@pytest.mark.parametrize("reward", [*NAMES, "score", "gameable_score"])
@pytest.mark.parametrize("task", list(TASKS))
def test_right_play_earns_1(task: str, reward: str) -> None:
    for credit in CREDITS if reward in NAMES else (None,):
        env = parallel_env(task, n_agents=6, reward=reward, credit=credit)
        for seed in range(3):
            earned = played(env, "graph:flood", seed)
            assert earned == pytest.approx(dict.fromkeys(env.possible_agents, 1.0))


@pytest.mark.parametrize("credit", CREDITS)
@pytest.mark.parametrize("task", list(TASKS))
def test_returns_are_shares_and_shaping_sums_to_nothing(task: str, credit: str) -> None:
    kwargs = {"n_agents": 9, "credit": credit, "byzantine": 1, "loss": 0.2, "inputs": False}
    kwargs["inputs"] = task == "consensus"
    envs = {name: parallel_env(task, reward=name, **kwargs) for name in NAMES}  # type: ignore[arg-type]
    for seed in range(6):
        for policy in ("random", "graph:greedy"):
            earned = {name: played(env, policy, seed) for name, env in envs.items()}
            assert earned["shaped"] == pytest.approx(earned["partial"])
            for each in earned.values():
                assert all(0 <= value <= 1 + 1e-9 for value in each.values())


def test_a_seat_is_paid_for_its_own_part() -> None:
    env = path_env(reward="success", credit="seat")
    step(env)
    step(env)
    _, rewards, *_ = finish(env, *CLASH)  # Ada and Bao are in one group
    assert [rewards[AGENT[name]] for name in AGENT] == [0.0, 0.0, 1.0, 1.0]


def test_partial_pays_a_seat_what_the_team_gets_if_its_part_is_right() -> None:
    """A ring of 200 with one clash: far above what silence reaches."""
    ring = networkx.cycle_graph([f"N{i:03}" for i in range(200)])
    groups = [answer(f"Group {1 + i % 2}") for i in range(200)]
    groups[7] = answer("Group 1")  # as its two neighbours
    texts = {f"agent_{i}": text for i, text in enumerate(groups)}
    team, seat = (
        returns(parallel_env(graph=ring, rounds=1, reward="partial", credit=credit), [{}, texts])
        for credit in CREDITS
    )
    value = team["agent_0"]
    assert 0 < value < 1
    wrong = {"agent_6", "agent_7", "agent_8"}
    assert seat == {agent: 0.0 if agent in wrong else value for agent in team}


@pytest.mark.parametrize(
    ("task", "options", "right"),
    [
        ("coloring", ("Group 1", "Group 2", None, "Group 3"), (1, 1, 0, 1)),
        ("matching", ("Bao", "Ada", "None", "None"), (1, 1, 0, 0)),
        ("matching", ("Bao", "Cleo", "Bao", "None"), (0, 1, 1, 1)),
        ("vertex_cover", ("No", "Yes", "Yes", "No"), (1, 1, 1, 1)),
        ("vertex_cover", ("Yes", "Yes", "Yes", "No"), (0, 0, 1, 1)),
        ("vertex_cover", ("No", "Yes", "No", "No"), (1, 1, 0, 0)),
        ("vertex_cover", ("No", "Yes", None, "No"), (1, 1, 0, 0)),
    ],
)
def test_who_is_right(task: str, options: tuple[str | None, ...], right: tuple[int, ...]) -> None:
    env = path_env(task=task)
    found = env.world.seats_right(dict(zip(AGENT, options, strict=True)))
    assert found is not None
    assert tuple(map(int, found.values())) == right


def test_a_byzantine_seat_earns_nothing() -> None:
    env = parallel_env("coloring", n_agents=6, byzantine=2, reward="success", credit="seat")
    earned = played(env, "graph:flood", 1)
    assert {agent for agent, value in earned.items() if not value} == set(env.byzantine_agents)


def test_a_cover_is_graded_without_the_idle_while_links_are_open() -> None:
    env = parallel_env("vertex_cover", graph=PATH, rounds=1)
    env.reset(seed=0)
    one_open = dict(zip(AGENT, ("Yes", "Yes", "No", "No"), strict=True))
    # Two of three links are covered; Bao is needed, Ada is not.
    assert env.world.grade(one_open) == pytest.approx(2 / 3 * 1 / 2)
    assert env.world.judge(one_open).score == pytest.approx(2 / 3)


@pytest.mark.parametrize("task", list(TASKS))
def test_only_a_success_has_the_full_grade(task: str) -> None:
    rng = np.random.default_rng(7)
    for seed in range(60):
        env = parallel_env(task, n_agents=4, byzantine=seed % 2, inputs=task == "consensus")
        env.reset(seed=seed)
        world = env.world
        for _ in range(5):
            answers: dict[str, str | None] = {
                name: str(rng.choice(world.options(i))) if rng.random() < 0.95 else None
                for i, name in enumerate(world.network.names)
            }
            success = world.judge(answers).success
            assert (world.grade(answers) == 1) is success
            right = world.seats_right(answers)
            assert right is None or all(right.values()) is success


# --- the potential -----------------------------------------------------------------------


def steps_paid(credit: str, rounds: int, *said: dict[str, str]) -> list[list[float]]:
    """Play on four agents in a row and return what they are paid step by step."""
    env = path_env(reward="shaped", credit=credit, rounds=rounds)
    paid = []
    for texts in said:
        _, rewards, *_ = step(env, **texts)
        paid.append([rewards[AGENT[name]] for name in AGENT])
    _, rewards, *_ = finish(env, *GOOD)
    return [*paid, [rewards[AGENT[name]] for name in AGENT]]


def test_the_potential_is_who_has_heard_of_whom() -> None:
    hi, on = {"Ada": '{"Bao": "hi"}'}, {"Bao": '{"Cleo": "hm"}'}
    first, second, last = steps_paid("team", 2, hi, on)
    # Within 2 links there are 10 ordered pairs. Bao hears of Ada, then Cleo of Bao and of Ada.
    assert first == pytest.approx([0.1] * 4)
    assert second == pytest.approx([0.2] * 4)
    assert last == pytest.approx([0.7] * 4)
    first, second, last = steps_paid("seat", 2, hi, on)
    assert first == pytest.approx([1 / 2, 0, 0, 0])
    assert second == pytest.approx([1 / 2, 1 / 3, 0, 0])
    assert last == pytest.approx([0, 2 / 3, 1, 1])


def test_telling_the_same_again_pays_nothing() -> None:
    both = {"Ada": '{"Bao": "hi"}', "Bao": '{"Ada": "hi"}'}
    paid = steps_paid("team", 4, both, both, both, both)
    assert paid[0] == pytest.approx([2 / 12] * 4)
    assert paid[1:4] == [[0.0] * 4] * 3


def test_what_is_lost_is_not_heard() -> None:
    env = path_env(reward="shaped", loss=1.0)
    assert set(step(env, Ada='{"Bao": "hi"}')[1].values()) == {0.0}


def test_agents_without_neighbours_have_no_potential() -> None:
    graph = networkx.Graph()
    graph.add_nodes_from(["Ada", "Bao"])
    for credit in CREDITS:
        env = parallel_env(graph=graph, rounds=1, reward="shaped", credit=credit)
        group = dict.fromkeys(env.possible_agents, answer("Group 1"))
        assert set(returns(env, [{}, group]).values()) == {1.0}


# --- floors and options ------------------------------------------------------------------


def test_the_floor_is_a_function_of_the_instance() -> None:
    env = parallel_env("matching", n_agents=12)
    env.reset(seed=3)
    floor, instance = floor_of(env.world), env.instance
    env.reset(seed=4, options={"instance": instance})
    assert floor_of(env.world) == floor
    assert 0.5 < floor < 1


def test_only_rewards_that_need_a_floor_compute_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(world: Any) -> float:
        raise AssertionError("a floor was computed")

    monkeypatch.setattr("coordgym.silo_env.graph.rewards.floor_of", refuse)
    clash = [{}, {}, dict(zip(AGENT.values(), map(answer, CLASH), strict=True))]
    for reward in ("success", "gameable_score"):
        returns(path_env(reward=reward), clash)
    for reward in ("partial", "shaped", "score"):
        with pytest.raises(AssertionError, match="computed"):
            returns(path_env(reward=reward), clash)


def test_names_of_rewards() -> None:
    clash = [{}, {}, dict(zip(AGENT.values(), map(answer, CLASH), strict=True))]

    def paid(**kwargs: Any) -> dict[str, float]:
        return returns(path_env(task="coloring", **kwargs), clash)

    assert paid() == paid(reward="success") == paid(reward="success", credit="team")
    assert paid(reward="score") == paid(reward="partial")
    assert paid(reward="gameable_score") == pytest.approx(dict.fromkeys(AGENT.values(), 2 / 3))
    with pytest.raises(ConfigError, match=r"reward must be .*success.*gameable_score"):
        parallel_env(reward="points")
    with pytest.raises(ConfigError, match="credit must be"):
        parallel_env(credit="everybody")
    with pytest.raises(ConfigError, match="credit must be 'team' or None with reward='score'"):
        parallel_env(reward="score", credit="seat")


@pytest.mark.parametrize("task", GRADED)
def test_the_silent_baseline_earns_the_floor_and_no_more(task: str) -> None:
    env = parallel_env(task, n_agents=16, topology="ws", reward="partial")
    beyond = []
    for seed in range(20):
        value = mean(played(env, "graph:silent", seed).values())
        assert env.metrics()["messages"] == 0
        beyond.append(0.0 if env.metrics()["success"] else value)
    assert mean(beyond) <= 0.05
