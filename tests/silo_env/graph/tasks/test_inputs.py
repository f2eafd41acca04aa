"""Consensus on the majority of private inputs: the rule, the draws, and what silence gets."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import networkx
import numpy as np
import pytest

from coordgym.episodes.rollout import rollout
from coordgym.errors import ConfigError, InstanceError
from coordgym.policies.named import make_policy
from coordgym.silo_env.graph import parallel_env, score, verify
from coordgym.silo_env.graph.instance import Instance

NAMES = ["Ada", "Bao", "Cleo", "Dov"]
INSTANCE = {"names": NAMES, "edges": [[0, 1], [1, 2], [2, 3]], "rounds": 1}


def judged(bits: str, answers: str, rule: str, byzantine: tuple[str, ...] = ()) -> bool:
    return score(
        "consensus",
        networkx.path_graph(NAMES),
        dict(zip(NAMES, answers, strict=True)),
        inputs=dict(zip(NAMES, bits, strict=True)),
        input_rule=rule,
        byzantine=byzantine,
    ).success


@pytest.mark.parametrize(
    ("bits", "answers", "majority", "somebodys"),
    [
        ("0111", "1111", True, True),
        ("0111", "0000", False, True),
        ("0111", "0111", False, False),
        ("0001", "0000", True, True),
        ("0011", "0000", True, True),  # equally frequent: 0
        ("0011", "1111", False, True),
        ("1111", "0000", False, False),
        ("1111", "1111", True, True),
    ],
)
def test_rules(bits: str, answers: str, majority: bool, somebodys: bool) -> None:
    assert judged(bits, answers, "majority") is majority
    assert judged(bits, answers, "any") is somebodys


def test_the_majority_is_of_all_inputs_and_byzantine_answers_do_not_matter() -> None:
    assert judged("0011", "0001", "majority", byzantine=("Dov",))
    assert not judged("0111", "0001", "majority", byzantine=("Dov",))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (True, "most agents of the whole network"),
        ("majority", "or 0 if 0 and 1 are equally frequent"),
        ("any", "the input of at least one agent"),
    ],
)
def test_agents_are_told_the_rule(rule: bool | str, words: str) -> None:
    name = "any" if rule == "any" else "majority"
    for text in ("full", "compact"):
        env = parallel_env("consensus", inputs=rule, text=text)
        observations, infos = env.reset(seed=0)
        assert infos["agent_0"]["view"]["input_rule"] == env.instance["input_rule"] == name
        told = observations["agent_0"]
        assert (words if text == "full" else {"any": "some", "majority": "most"}[name]) in told


def test_without_inputs_there_is_no_rule() -> None:
    env = parallel_env("consensus")
    _, infos = env.reset(seed=0)
    assert env.instance["inputs"] is env.instance["input_rule"] is None
    assert "input_rule" not in infos["agent_0"]["view"]


def test_instances_without_a_rule_keep_the_rule_that_was() -> None:
    given = {**INSTANCE, "task": "consensus", "inputs": list("0111")}
    outcome: dict[str, str | None] = dict.fromkeys(NAMES, "0")
    assert verify(given, outcome).success
    assert not verify({**given, "input_rule": "majority"}, outcome).success
    env = parallel_env("consensus", n_agents=4)
    env.reset(seed=0, options={"instance": given})
    assert env.instance["input_rule"] == "any"
    env = parallel_env("consensus", n_agents=4, inputs="majority")
    env.reset(seed=0, options={"instance": given})
    assert env.instance["input_rule"] == "majority"
    with pytest.raises(InstanceError, match="input_rule must be 'majority' or 'any', got 'most'"):
        env.reset(seed=0, options={"instance": {**given, "input_rule": "most"}})


def test_errors() -> None:
    with pytest.raises(ConfigError, match="inputs must be False, True, 'any', 'majority', got 1"):
        parallel_env("consensus", inputs=1)
    with pytest.raises(ConfigError, match=r"inputs must be .* got 'most'"):
        parallel_env("consensus", inputs="most")
    with pytest.raises(ConfigError, match="inputs='any' is a variant of consensus"):
        parallel_env("coloring", inputs="any")
    with pytest.raises(ConfigError, match="input_rule must be"):
        score("consensus", networkx.path_graph(NAMES), {}, input_rule="most")


@pytest.mark.parametrize("n_agents", [4, 5, 8, 16, 31])
def test_inputs_are_nearly_balanced_and_either_bit_wins(n_agents: int) -> None:
    leads, winners = set(), Counter()
    for seed in range(40):
        env = parallel_env("consensus", n_agents=n_agents, inputs=True, rounds=1)
        env.reset(seed=seed)
        ones = env.instance["inputs"].count("1")
        leads.add(abs(2 * ones - n_agents))
        winners[2 * ones > n_agents] += 1
    assert leads <= {1, 2, 3, 4}
    assert min(winners.values()) >= 10


def test_byzantine_agents_cannot_turn_the_majority_by_lying_about_their_inputs() -> None:
    for seed in range(20):
        env = parallel_env("consensus", n_agents=16, inputs=True, byzantine=2)
        env.reset(seed=seed)
        ones = env.instance["inputs"].count("1")
        assert abs(2 * ones - 16) > 4


SILENT: dict[str, Callable[[Instance, int, np.random.Generator], str]] = {
    "0": lambda world, i, rng: "0",
    "1": lambda world, i, rng: "1",
    "own input": lambda world, i, rng: own(world, i),
    "other input": lambda world, i, rng: "10"[int(own(world, i))],
    "coin": lambda world, i, rng: "01"[int(rng.integers(2))],
    "own input of agent 0": lambda world, i, rng: "1" if i else own(world, 0),
    "1 if few neighbours": lambda world, i, rng: "01"[len(world.network.neighbours[i]) < 4],
    "first of the names around": lambda world, i, rng: "01"[
        world.network.names[i] < min(world.network.names_around(i))
    ],
    "by number of agent": lambda world, i, rng: "01"[i % 2],
}


def own(world: Instance, agent: int) -> str:
    assert world.inputs is not None
    return world.inputs[agent]


@pytest.mark.parametrize("topology", ["ws", "ba", "dt"])
@pytest.mark.parametrize("n_agents", [4, 8, 16])
def test_silence_finds_the_majority_in_half_of_the_networks(n_agents: int, topology: str) -> None:
    right = dict.fromkeys(SILENT, 0)
    env = parallel_env("consensus", n_agents=n_agents, topology=topology, inputs=True)
    for seed in range(200):
        env.reset(seed=seed)
        for name, say in SILENT.items():
            rng = np.random.default_rng(seed)
            answers: dict[str, Any] = {
                who: say(env.world, i, rng) for i, who in enumerate(env.world.network.names)
            }
            right[name] += env.world.judge(answers).success
    assert max(right.values()) <= 0.6 * 200
    assert right["0"] + right["1"] == 200
    assert right["own input"] == right["other input"] == 0


@pytest.mark.parametrize("n_agents", [4, 8, 16, 40])
def test_words_find_the_majority(n_agents: int) -> None:
    for topology in ("ws", "ba", "dt"):
        env = parallel_env("consensus", n_agents=n_agents, topology=topology, inputs=True)
        for seed in range(3):
            assert rollout(env, make_policy("graph:flood"), seed=seed).metrics["success"]
