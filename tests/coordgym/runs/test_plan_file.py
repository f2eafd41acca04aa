"""Plan files say what they mean, or what is wrong with them."""

from pathlib import Path
from typing import Any

import pytest
from relay_runs import RELAY

from coordgym.errors import PlanError
from coordgym.runs.plan import Plan
from coordgym.runs.plan_file import load_plan, packaged_plans, parse_seeds, plan_of
from coordgym.runs.planned import PlannedEnv, PlannedPolicy, PlannedSeat

YAML = f"""
name: two
seeds: 5..7
repeats: 2
envs:
  - id: {RELAY}
    kwargs: [{{turns: 2}}, {{turns: 3}}]
  - {RELAY}
policies:
  - random
  - name: mixed
    agents: {{agent_0: random, "*": {{policy: "import:toy_relay:Sayer", kwargs: {{tokens: 3}}}}}}
"""


def test_a_file_is_spelt_out(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(YAML)
    plan = load_plan(path)
    assert plan == Plan(
        envs=(PlannedEnv(RELAY, {"turns": 2}), PlannedEnv(RELAY, {"turns": 3}), PlannedEnv(RELAY)),
        policies=(
            PlannedPolicy("random", "random"),
            PlannedPolicy(
                "mixed",
                agents={
                    "agent_0": PlannedSeat("random"),
                    "*": PlannedSeat("import:toy_relay:Sayer", {"tokens": 3}),
                },
            ),
        ),
        seeds=(5, 6, 7),
        repeats=2,
        name="two",
    )
    plan.check()
    cells = list(plan.cells())
    assert len(cells) == len(plan) == 3 * 2 * 3 * 2
    assert len({cell.key for cell in cells}) == len(cells)
    assert [cell.policy.name for cell in cells] == ["random"] * 18 + ["mixed"] * 18
    assert plan_of(plan.to_data()) == plan


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sedes": 3}, "unknown key 'sedes'; did you mean 'seeds'?"),
        ({"envs": [{"id": RELAY, "kwarg": {}}]}, "unknown key 'kwarg'; did you mean 'kwargs'?"),
        ({"envs": []}, "envs must not be empty"),
        ({"envs": [RELAY, RELAY]}, "is given twice"),
        ({"envs": ["PairMaze-v0", "coordgym/PairMaze-v0"]}, "is given twice"),
        ({"envs": ["I-01", "SiloGlobalMax-v0"]}, "SiloGlobalMax-v0"),
        (
            {"envs": [{"id": "I-01", "kwargs": {"n_agents": n}} for n in (2, 3, 2)]},
            "is given twice",
        ),
        ({"policies": [{"name": "", "policy": "random"}]}, "'name' must not be empty, got ''"),
        ({"policies": [{"name": " ", "agents": {"*": "random"}}]}, "'name' must not be empty"),
        ({"policies": [""]}, "'name' must not be empty"),
        ({"envs": RELAY}, "envs must be a list"),
        ({"policies": ["random", {"name": "random", "policy": "oracle"}]}, "'random' is given twi"),
        ({"policies": [{"name": "x"}]}, "'x' needs either 'policy' or 'agents'"),
        ({"policies": [{"agents": {"*": "random"}}]}, "needs a 'name'"),
        ({"seeds": [1, 1]}, "1 is given twice"),
        ({"seeds": -1}, "seeds must be a count"),
        ({"seeds": [-1]}, "≥ 0"),
        ({"seeds": [True]}, "whole number"),
        ({"repeats": 0}, "repeats must be ≥ 1"),
        ({"seeds": "9..5"}, "is empty"),
        ({"seeds": "a..b"}, "seeds must be like"),
    ],
)
def test_mistakes_are_named(change: dict[str, Any], words: str) -> None:
    data = {"envs": [RELAY], "policies": ["random"], "seeds": 2}
    with pytest.raises(PlanError) as caught:
        plan_of({**data, **change})
    assert words in str(caught.value)


def test_seeds_have_short_forms() -> None:
    assert parse_seeds(3) == parse_seeds("3") == (0, 1, 2)
    assert parse_seeds("3,") == (3,)
    assert parse_seeds("5..7") == (5, 6, 7)
    assert parse_seeds("1, 4,7..9") == (1, 4, 7, 8, 9)
    assert parse_seeds([4, 2]) == (4, 2)


def test_packaged_plans_can_be_read() -> None:
    assert "demo" in packaged_plans()
    for name in packaged_plans():
        assert len(load_plan(name)) > 0
