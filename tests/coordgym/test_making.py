"""Environments and policies are made from every kind of name."""

import inspect

import pytest

import coordgym
from coordgym.errors import PlanError, UnknownPolicyError
from coordgym.making import build_policy, close_policy, entry_of, env_parameters, make_env

RELAY = "import:toy_relay:Relay"


def test_registered_and_imported_environments_are_made() -> None:
    assert make_env("I-01", {"n_agents": 3}).unwrapped.spec.id == "coordgym/SiloGlobalMax-v0"
    relay = make_env(RELAY, {"turns": 3})
    assert (relay.unwrapped.spec.id, relay.unwrapped.spec.kwargs) == (RELAY, {"turns": 3})
    with pytest.raises(PlanError, match="makes no parallel environment"):
        make_env("import:os:getcwd", {})


def test_an_environment_has_one_entry_whatever_it_is_called() -> None:
    first, second = (entry_of(name) for name in ("I-01", "coordgym/SiloGlobalMax-v0"))
    assert first is second
    assert first is not None
    assert first.file_kwargs == ("db_path",)
    assert entry_of(RELAY) is None
    assert entry_of("SiloGlobalMaxx-v0") is None


def test_parameters_are_those_that_users_can_set() -> None:
    assert "task" not in env_parameters("I-01")
    assert env_parameters("I-01")["n_agents"].default is not inspect.Parameter.empty
    assert "turns" in env_parameters(RELAY)


def test_policies_are_built_from_every_kind_of_name() -> None:
    assert build_policy("random", {}).name == "random"
    assert build_policy("import:toy_relay:Sayer", {"tokens": 3}).name == "sayer"
    with pytest.raises(UnknownPolicyError):
        build_policy("randm", {})
    with pytest.raises(PlanError, match="makes no policy"):
        build_policy("import:os:getcwd", {})


def test_a_policy_is_closed_once_wherever_it_plays() -> None:
    class Closing:
        name = "closing"
        closed = 0

        def reset(self, agents: object, infos: object, seed: int) -> None:
            """Nothing to prepare."""

        def act(self, observations: dict[str, str], infos: object) -> dict[str, str]:
            return observations

        def close(self) -> None:
            self.closed += 1

    policy = Closing()
    close_policy(coordgym.PolicyMap({"agent_0": policy, "*": policy, "agent_1": "random"}))
    assert policy.closed == 1
    close_policy(policy)
    assert policy.closed == 2
