"""Policies: decentralised brains, mixtures, and policy strings."""

import numpy as np
import pytest
from pettingzoo.test.example_envs import generated_agents_parallel_v0

import coordgym
from coordgym.errors import ActionError, ConfigError, UnknownKwargError, UnknownPolicyError
from coordgym.making import make_env
from coordgym.policies.named import RandomPolicy, list_policies, make_policy
from coordgym.policies.policy_map import PolicyMap
from coordgym.policies.protocol import POLICY_STREAM, Completion, agent_rng, per_agent

INFOS = {f"agent_{i}": {"active": True, "view": {"own": i}} for i in range(3)}
OBSERVATIONS = {agent: f"hello {agent}" for agent in INFOS}


class Counter:
    """Answers with its own number, what it saw and how often it was asked."""

    def __init__(self, agent: str, info: dict, rng: np.random.Generator) -> None:
        self.number = info["view"]["own"]
        self.luck = int(rng.integers(10**9))
        self.asked = 0

    def act(self, observation: str, info: dict) -> str:
        self.asked += 1
        return f"{self.number}|{observation}|{self.asked}|{self.luck}"


class Constant:
    """Says one word for all its agents at once and notes how often."""

    def __init__(self, word: str) -> None:
        self.name = word
        self.calls = 0

    def reset(self, agents, infos, seed: int) -> None:
        self.agents = list(agents)
        assert list(infos) == self.agents

    def act(self, observations, infos) -> dict[str, Completion]:
        self.calls += 1
        assert set(observations) <= set(self.agents)
        assert list(infos) == list(observations)
        return {agent: Completion(self.name) for agent in observations}

    def notes(self) -> dict[str, int]:
        return {"calls": self.calls}


def test_each_agent_has_its_own_brain_and_generator() -> None:
    policy = per_agent(Counter, "counter")
    policy.reset(list(INFOS), INFOS, seed=1)
    first = policy.act(OBSERVATIONS, INFOS)
    second = policy.act({"agent_1": "again"}, INFOS)
    assert first["agent_0"].startswith("0|hello agent_0|1|")
    assert second["agent_1"].startswith("1|again|2|")
    assert len({answer.rpartition("|")[2] for answer in first.values()}) == 3
    policy.reset(list(INFOS), INFOS, seed=1)
    assert policy.act(OBSERVATIONS, INFOS) == first
    policy.reset(list(INFOS), INFOS, seed=2)
    assert policy.act(OBSERVATIONS, INFOS) != first


def test_no_agent_draws_the_numbers_of_its_environment() -> None:
    """Else a seat that guesses at hidden facts would guess them right."""
    env = coordgym.make("PairMaze-v0")
    env.reset(seed=1)
    streams = {int(env.unwrapped.rng(stream).integers(10**9)) for stream in range(100)}
    policy = per_agent(Counter, "counter")
    policy.reset(list(INFOS), INFOS, seed=1)
    luck = {int(answer.rpartition("|")[2]) for answer in policy.act(OBSERVATIONS, INFOS).values()}
    assert not luck & streams


def test_a_map_asks_each_policy_once_for_its_own_agents() -> None:
    rest, special = Constant("rest"), Constant("special")
    policy = PolicyMap({"*": rest, "agent_1": special})
    policy.reset(list(INFOS), INFOS, seed=0)
    actions = policy.act(OBSERVATIONS, INFOS)
    assert {agent: c.text for agent, c in actions.items()} == {
        "agent_0": "rest",
        "agent_1": "special",
        "agent_2": "rest",
    }
    assert list(actions) == list(OBSERVATIONS)
    assert policy.notes() == {"*.calls": 1, "agent_1.calls": 1}
    assert policy.name == "*=rest,agent_1=special"


@pytest.mark.parametrize(
    ("policies", "reason"),
    [
        ({"agent_0": Constant("a")}, "no policy plays agent_1"),
        ({"*": Constant("a"), "agent_7": Constant("b")}, "no agent 'agent_7'"),
    ],
)
def test_a_map_must_fit_the_agents(policies, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        PolicyMap(policies).reset(list(INFOS), INFOS, seed=0)


def test_one_policy_under_several_keys_is_asked_once_for_all_its_agents() -> None:
    both = Constant("both")
    policy = PolicyMap({"agent_0": both, "*": both})
    policy.reset(list(INFOS), INFOS, seed=0)
    assert set(policy.act(OBSERVATIONS, INFOS)) == set(INFOS)
    assert both.calls == 1


def test_a_policy_for_byzantine_agents_needs_an_environment_that_can_have_them() -> None:
    policy = PolicyMap({"*": Constant("honest"), "byzantine": Constant("liar")})
    with pytest.raises(ConfigError, match=r"'byzantine' can play nobody: call bind\(env\)"):
        policy.reset(list(INFOS), INFOS, seed=0)
    env = coordgym.make("SwarmForaging-v0", n_agents=2)
    with pytest.raises(ConfigError, match=r"'byzantine' can play nobody: .* marks no agents so"):
        coordgym.rollout(env, policy, seed=0)


def test_any_group_that_an_environment_marks_may_have_a_policy(monkeypatch) -> None:
    marked = {"leaders": ("agent_0", "agent_2"), "nobody": ()}
    monkeypatch.setattr("toy_relay.Relay.groups", lambda self: marked)
    lead, rest = Constant("lead"), Constant("rest")
    policy = PolicyMap({"leaders": lead, "nobody": "random", "agent_2": "random", "*": rest})
    env = make_env("import:toy_relay:Relay", {"n_agents": 3, "turns": 3})
    coordgym.rollout(env, policy, seed=0)
    assert [policy.playing(agent).name for agent in env.possible_agents] == [
        lead.name, rest.name, lead.name,
    ]  # fmt: skip
    with pytest.raises(ConfigError, match="'followers' can play nobody: Relay marks no agents so"):
        coordgym.rollout(env, PolicyMap({"*": rest, "followers": lead}), seed=0)
    with pytest.raises(ConfigError, match="there is no agent 'agent_9'"):
        coordgym.rollout(env, PolicyMap({"*": rest, "agent_9": lead}), seed=0)


@pytest.mark.parametrize("byzantine", [0, 1])
def test_one_map_serves_instances_with_and_without_byzantine_agents(byzantine: int) -> None:
    liar = Constant("liar")
    policy = PolicyMap({"*": Constant("honest"), "byzantine": liar})
    env = coordgym.make("GraphConsensus-v0", n_agents=4, inputs=True, byzantine=byzantine)
    coordgym.rollout(env, policy, seed=0)
    assert (liar.calls > 0) is bool(byzantine)


def test_a_map_binds_each_policy_once_and_finds_the_byzantine_agents() -> None:
    class Bound(Constant):
        def __init__(self, word: str) -> None:
            super().__init__(word)
            self.bound = 0

        def bind(self, env) -> None:
            self.bound += 1

    honest, liar = Bound("honest"), Bound("liar")
    env = coordgym.make("GraphConsensus-v0", n_agents=4, inputs=True, byzantine=1)
    _, infos = env.reset(seed=1)
    policy = PolicyMap({"*": honest, "agent_0": honest, "byzantine": liar})
    policy.bind(env)
    policy.reset(env.agents, infos, seed=0)
    assert (honest.bound, liar.bound) == (1, 1)
    assert liar.agents == list(env.unwrapped.byzantine_agents)
    assert len(honest.agents) == 3
    assert PolicyMap({"*": honest}).name == "*=honest"


def test_outside_of_text_environments_samples_are_a_function_of_the_seed() -> None:
    env = generated_agents_parallel_v0.parallel_env()
    policy, drawn = RandomPolicy(), []
    for seed in (1, 1, 2):
        observations, infos = env.reset(seed=0)
        policy.bind(env)
        policy.reset(env.agents, infos, seed)
        drawn.append([policy.act(observations, infos) for _ in range(9)])
    assert drawn[0] == drawn[1] != drawn[2]


def test_random_agents_differ_whoever_plays_the_others() -> None:
    apart = PolicyMap({agent: RandomPolicy() for agent in ("agent_0", "agent_1", "*")})
    together = RandomPolicy()
    drawn = []
    for policy in (apart, together):
        env = coordgym.make("SwarmPursuit-v0", n_agents=3, max_cycles=9)
        episode = coordgym.rollout(env, policy, seed=3)
        drawn.append([(turn.agent, turn.action) for turn in episode.turns])
    assert drawn[0] == drawn[1]
    by_agent = {agent: [a for who, a in drawn[0] if who == agent] for agent in env.possible_agents}
    assert len({tuple(actions) for actions in by_agent.values()}) == 3


def test_agents_of_every_name_draw_their_own_numbers() -> None:
    names = ["agent_1", "agent_11", "adversary_1", "prey_1", "1", "agent", "agent_01", "Agent_1"]
    drawn = {int(agent_rng(name, 7).integers(10**12)) for name in names}
    assert len(drawn) == len(names)
    key = (POLICY_STREAM, 11)
    known = np.random.default_rng(np.random.SeedSequence(7, spawn_key=key)).integers(10**12)
    assert known == agent_rng("agent_11", 7).integers(10**12)


class Answering:
    """Answers with a given dict."""

    name = "answering"

    def __init__(self, answers) -> None:
        self.answers = answers

    def reset(self, agents, infos, seed: int) -> None:
        pass

    def act(self, observations, infos):
        return self.answers


@pytest.mark.parametrize(
    "answers", [{}, {"agent_1": "a", "agent_0": "b"}, {"agent_2": "c"}, "agent_1", None]
)
@pytest.mark.parametrize("last", [True, False])
def test_no_part_of_a_map_speaks_for_others_or_leaves_agents_out(answers, last: bool) -> None:
    parts = [("*", Constant("rest")), ("agent_1", Answering(answers))]
    policy = PolicyMap(dict(parts if last else reversed(parts)))
    policy.reset(list(INFOS), INFOS, seed=0)
    with pytest.raises(ActionError, match="'answering'"):
        policy.act(OBSERVATIONS, INFOS)


def test_a_map_takes_names_of_policies() -> None:
    assert PolicyMap({"agent_0": "random", "*": "oracle"}).name == "agent_0=random,*=oracle"


@pytest.mark.parametrize(
    "policies", [{5: "random"}, {"*": None}, {"*": RandomPolicy}, {"*": 5}, ["random"], {}]
)
def test_a_map_refuses_what_is_no_policy(policies) -> None:
    with pytest.raises(ConfigError):
        PolicyMap(policies)


def test_a_policy_of_one_family_refuses_environments_of_others() -> None:
    policy = per_agent(Counter, "counter", family="graph")
    policy.bind(coordgym.make("GraphColoring-v0", n_agents=4))
    with pytest.raises(ConfigError, match="'counter' plays the family 'graph', not 'swarm'"):
        policy.bind(coordgym.make("SwarmPursuit-v0"))


def test_an_empty_map_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one"):
        PolicyMap({})


def test_the_random_policy_is_a_function_of_its_seed() -> None:
    env = coordgym.make("SwarmPursuit-v0")
    observations, infos = env.reset(seed=0)
    policy = RandomPolicy()
    with pytest.raises(ConfigError, match="bind"):
        policy.reset(env.agents, infos, 1)
    policy.bind(env)
    drawn = []
    for seed in (1, 1, 2):
        policy.reset(env.agents, infos, seed)
        drawn.append(policy.act(observations, infos))
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(env.check_action(agent, text) is None for agent, text in drawn[0].items())


@pytest.mark.parametrize("spec", list_policies())
def test_every_listed_policy_can_be_made(spec: str) -> None:
    assert make_policy(spec).name


@pytest.mark.parametrize(
    ("spec", "near"),
    [
        ("silo:allgather", "silo:all-gather"),
        ("orakle", "oracle"),
        ("Random", "random"),
        ("ORACLE", "oracle"),
    ],
)
def test_unknown_policies_name_the_nearest(spec: str, near: str) -> None:
    with pytest.raises(UnknownPolicyError, match=f"did you mean '{near}'"):
        make_policy(spec)


def test_unknown_arguments_of_policies_are_refused() -> None:
    with pytest.raises(UnknownKwargError, match="random"):
        make_policy("random", temperature=1)
