"""YAML is read as version 1.2 has it, and mistakes are named."""

import math
from pathlib import Path

import pytest
from relay_runs import RELAY

from coordgym.cli.options import parse_pairs
from coordgym.errors import PlanError
from coordgym.runs.plan_file import load_plan


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
