"""Maps of policies: who plays whom, and which maps are refused."""

import pytest

import coordgym
from coordgym.errors import ActionError, ConfigError
from coordgym.making import make_env
from coordgym.policies.named import RandomPolicy
from coordgym.policies.policy_map import PolicyMap
from coordgym.policies.protocol import Completion

INFOS = {f"agent_{i}": {"active": True, "view": {"own": i}} for i in range(3)}
OBSERVATIONS = {agent: f"hello {agent}" for agent in INFOS}


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


def test_an_empty_map_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one"):
        PolicyMap({})
