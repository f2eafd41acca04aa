"""Plans: every key checked, every short form spelt out, a fingerprint that does not move."""

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from coordgym.cli.options import parse_pairs
from coordgym.errors import CoordgymError, PlanError
from coordgym.runs.plan import Plan
from coordgym.runs.plan_file import load_plan, packaged_plans, parse_seeds, plan_of
from coordgym.runs.planned import PlannedEnv, PlannedPolicy, PlannedSeat

RELAY = "import:toy_relay:Relay"
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


def test_repeats_have_their_own_policy_seeds() -> None:
    plan = Plan((PlannedEnv(RELAY),), (PlannedPolicy("random", "random"),), (0, 1), repeats=3)
    seeds = [cell.policy_seed for cell in plan.cells()]
    assert (seeds[0], seeds[3]) == (0, 1)
    assert len(set(seeds)) == 6


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


def test_imported_things_are_checked_again_when_they_are_made() -> None:
    with pytest.raises(PlanError, match=r"'import:os:getcwd' makes no policy .* but '"):
        PlannedPolicy("x", "import:os:getcwd").build()
    assert PlannedPolicy("x", "import:toy_relay:Sayer", {"tokens": 3}).build().name == "sayer"


def test_byzantine_seats_are_left_to_the_instance() -> None:
    policy = {"name": "x", "agents": {"byzantine": "random", "*": "random"}}
    kwargs = [{"inputs": True, "byzantine": count} for count in (0, 1)]
    consensus = {"id": "GraphConsensus-v0", "kwargs": kwargs}
    plan_of({"envs": [consensus], "policies": [policy]}).check()
    for env in (RELAY, "PairMaze-v0"):
        with pytest.raises(PlanError, match=r"policy 'x': 'byzantine' can play nobody: .* marks"):
            plan_of({"envs": [consensus, env], "policies": [policy]}).check()


def test_seeds_have_short_forms() -> None:
    assert parse_seeds(3) == parse_seeds("3") == (0, 1, 2)
    assert parse_seeds("3,") == (3,)
    assert parse_seeds("5..7") == (5, 6, 7)
    assert parse_seeds("1, 4,7..9") == (1, 4, 7, 8, 9)
    assert parse_seeds([4, 2]) == (4, 2)


def test_yaml_that_gives_a_key_twice_or_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(f"envs: [{RELAY}]\npolicies: [random]\nseeds: 1\nseeds: 2\n")
    with pytest.raises(PlanError, match=r"'seeds' is given twice"):
        load_plan(path)
    for text in ("envs: [", "- 1", "", "!!python/object/apply:os.getcwd []"):
        path.write_text(text)
        with pytest.raises(PlanError):
            load_plan(path)
    with pytest.raises(PlanError, match="did you mean 'demo'"):
        load_plan("dmo")
    with pytest.raises(PlanError, match="plan file 'xxx"):
        load_plan("x" * 300)
    with pytest.raises(PlanError, match="can't be read"):
        load_plan(tmp_path)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("-3", -3),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("3.", 3.0),
        (".inf", math.inf),
        ("yes", "yes"),
        ("no", "no"),
        ("off", "off"),
        ("true", True),
        ("2024-01-01", "2024-01-01"),
        ("~", None),
        ("", None),
        ("[1, 010, a]", [1, 10, "a"]),
        ("{a: null}", {"a": None}),
        ("0b11", "0b11"),
        ("'010'", "010"),
        ("=", "="),
    ],
)
def test_scalars_are_those_of_yaml_1_2(tmp_path: Path, text: str, value: object) -> None:
    (read,) = parse_pairs([f"key={text}"], "--kwargs").values()
    assert (type(read), read) == (type(value), value)
    path = tmp_path / "p.yaml"
    path.write_text(f"envs: [{{id: {RELAY}, kwargs: {{key: {text}}}}}]\npolicies: [random]\n")
    kept = load_plan(path).envs[0].kwargs["key"]
    assert (type(kept), kept) == (type(value), value)


@pytest.mark.parametrize("text", ["[", "{a: 1, a: 2}", "a: b: c", "9" * 5000, "[" * 3000])
def test_arguments_that_are_not_yaml_are_refused(text: str) -> None:
    with pytest.raises(PlanError, match="--kwargs: the value of key, "):
        parse_pairs([f"key={text}"], "--kwargs")


def test_packaged_plans_can_be_read() -> None:
    assert "demo" in packaged_plans()
    for name in packaged_plans():
        assert len(load_plan(name)) > 0


def test_the_fingerprint_depends_on_the_content_alone() -> None:
    def fingerprint(**changes: Any) -> str:
        kwargs = {"turns": 2, "n_agents": 3}
        data = {"envs": [{"id": RELAY, "kwargs": kwargs}], "policies": ["random"], "seeds": 3}
        return plan_of({**data, **changes}).fingerprint()

    assert fingerprint() == fingerprint(name="other") == fingerprint(compress=True)
    swapped = {"n_agents": 3, "turns": 2}
    assert fingerprint() == fingerprint(envs=[{"id": RELAY, "kwargs": swapped}])
    others = [fingerprint(seeds=4), fingerprint(repeats=2), fingerprint(policies=["oracle"])]
    others.append(fingerprint(envs=[{"id": RELAY, "kwargs": {"turns": 2}}]))
    assert len({fingerprint(), *others}) == 5
    code = (
        "from coordgym.runs.plan_file import plan_of\n"
        f"print(plan_of({{'envs': [{{'id': {RELAY!r}, 'kwargs': {swapped!r}}}],"
        " 'policies': ['random'], 'seeds': 3}).fingerprint())"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stdout.strip() == fingerprint(), process.stderr
