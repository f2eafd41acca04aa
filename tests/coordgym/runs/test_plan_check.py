"""What is wrong with a plan is told before its first episode."""

from typing import Any

import pytest
from relay_runs import RELAY

from coordgym.errors import CoordgymError, PlanError
from coordgym.runs.plan_file import plan_of


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"envs": ["coordgym/NoSuch-v0"]}, "no environment"),
        ({"envs": [{"id": RELAY, "kwargs": {"turns": 0}}]}, "turns must be 1..100, got 0"),
        ({"envs": ["import:toy_relay:Rely"]}, "can't be imported"),
        ({"envs": ["import:toy_relay"]}, "expected 'import:package.module:name'"),
        ({"policies": ["rondom"]}, "did you mean 'random'?"),
        ({"policies": [{"policy": "random", "kwargs": {"depth": 3}}]}, "depth"),
        ({"envs": ["import:os:getcwd"]}, "makes no parallel environment, but '"),
        ({"envs": ["import:os:sep"]}, "can't be made: TypeError"),
        ({"envs": ["import:math:sqrt"]}, "can't be made: TypeError"),
        ({"envs": ["import:no_such_module:x"]}, "can't be imported: ModuleNotFoundError"),
        ({"envs": ["SiloGlobalMax-v0"], "policies": ["import:os:sep"]}, "must be a function"),
        (
            {"policies": ["import:no_such.module:x"]},
            "in the current folder and in that of the plan",
        ),
        ({"policies": ["import:toy_relay:Relay"]}, "is no class of policies: it has no 'act'"),
        (
            {"policies": [{"policy": "import:toy_relay:Sayer", "kwargs": {"tokns": 3}}]},
            "unexpected keyword argument 'tokns'",
        ),
        ({"policies": ["llm:"]}, "no language-model policy 'llm:'"),
        ({"policies": ["llm:openai:m@notaurl"]}, "'notaurl' is no URL"),
        ({"policies": ["import:toy_relay:Foreigner"]}, "of the family 'toy'"),
        ({"policies": ["oracle"]}, "no oracle for the family 'toy'"),
        ({"policies": [{"name": "x", "agents": {"agent_7": "random", "*": "random"}}]}, "agent_7"),
        ({"policies": [{"name": "x", "agents": {"agent_0": "random"}}]}, "nobody plays agent_1"),
        (
            {"policies": [{"name": "x", "agents": {"*": "import:toy_relay:Foreigner"}}]},
            "policy 'x' plays the family 'graph', but import:toy_relay:Relay is of the",
        ),
        ({"envs": [{"id": "PairMaze-v0", "kwargs": {"config": 5}}]}, "config must be a dict"),
    ],
)
def test_check_makes_what_the_plan_names(change: dict[str, Any], words: str) -> None:
    plan = plan_of({"envs": [RELAY], "policies": ["random"], **change})
    with pytest.raises(CoordgymError) as caught:
        plan.check()
    assert words in str(caught.value)


def test_byzantine_seats_are_left_to_the_instance() -> None:
    policy = {"name": "x", "agents": {"byzantine": "random", "*": "random"}}
    kwargs = [{"inputs": True, "byzantine": count} for count in (0, 1)]
    consensus = {"id": "GraphConsensus-v0", "kwargs": kwargs}
    plan_of({"envs": [consensus], "policies": [policy]}).check()
    for env in (RELAY, "PairMaze-v0"):
        with pytest.raises(PlanError, match=r"policy 'x': 'byzantine' can play nobody: .* marks"):
            plan_of({"envs": [consensus, env], "policies": [policy]}).check()
