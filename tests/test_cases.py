"""The known cases are what the package gives, and a wrong or missing one is told of."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from cases import DATA, cases, first_case

SCRIPT = Path(__file__).parent.parent / "scripts" / "make_cases.py"


def load_script() -> Any:
    spec = importlib.util.spec_from_file_location("make_cases", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = load_script()


def test_every_file_is_checked() -> None:
    # These have tests of their own: test_digest.py and test_natural_answers.py.
    families = ("silo", "graph", "pairs", "swarm")
    elsewhere = {"digest", *(f"natural_answers.{family}" for family in families)}
    assert {path.stem for path in DATA.glob("*.jsonl")} == {*script.FILES, *elsewhere}


@pytest.mark.parametrize("name", script.FILES)
def test_the_package_gives_every_case(name: str) -> None:
    assert script.check(name) == []


PLANTED: dict[str, tuple[str, Any]] = {
    "silo_cases": ("answer", "wrong"),
    "graph_scoring": ("strict", 2),
    "pair_cases": ("n_optimal", 99),
    "pair_transcripts": ("score", 0.5),
    "pair_schemes": ("written", [9, 9]),
    "pair_shapley": ("phi1", 0.5),
    "swarm_trajectories": ("rounds", [{"actions": {}, "grid": ["A"], "agents": {}, "score": 9}]),
    "swarm_views": ("views", {"3": {"0": {"observation": [], "prompt": []}}}),
}


@pytest.mark.parametrize("name", script.FILES)
def test_a_wrong_case_is_found(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    key, value = PLANTED[name]
    for path in DATA.glob("pair_cases.jsonl"):  # transcripts are about instances of this file
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    wrong = {**cases(name)[0], key: value}
    (tmp_path / f"{name}.jsonl").write_text(script.line_of(wrong) + "\n", encoding="utf-8")
    monkeypatch.setattr(script, "DATA", tmp_path)
    (fault,) = script.check(name)
    assert fault == f"{name}, line 1: the package gives another {key}"


def test_a_case_in_another_spelling_is_found(tmp_path: Path, monkeypatch: Any) -> None:
    compact = json.dumps(cases("pair_shapley")[0], separators=(",", ":"))
    (tmp_path / "pair_shapley.jsonl").write_text(compact + "\n")
    monkeypatch.setattr(script, "DATA", tmp_path)
    assert script.check("pair_shapley") == [
        "pair_shapley, line 1: not written as make_cases.py does"
    ]


@pytest.mark.parametrize(
    ("name", "task"),
    [("silo_cases", "II-18"), ("graph_scoring", "coloring"), ("pair_cases", "treesum")],
)
def test_a_new_case_is_drawn_solved_and_right(
    name: str, task: str, tmp_path: Path, monkeypatch: Any
) -> None:
    path = tmp_path / f"{name}.jsonl"
    path.write_text("")
    monkeypatch.setattr(script, "DATA", tmp_path)
    script.main(name, task)
    (case,) = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert case["task"] == task
    assert case.get("strict", 1) == 1
    assert case.get("optimal", {"score": 1})["score"] == 1
    assert script.check(name) == []


def test_what_can_not_be_drawn_is_refused() -> None:
    with pytest.raises(typer.BadParameter, match="no task 'nonsense'"):
        script.main("pair_cases", "nonsense")
    with pytest.raises(typer.BadParameter, match="write the line by hand"):
        script.main("swarm_views", "pursuit")
    with pytest.raises(typer.BadParameter, match="no cases 'nonsense'"):
        script.main("nonsense")


def test_a_missing_case_says_how_to_add_one() -> None:
    with pytest.raises(
        LookupError, match=r"no case with task 'new'; .*make_cases.py pair_cases TASK"
    ):
        first_case("pair_cases", task="new")
