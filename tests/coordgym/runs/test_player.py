"""Whatever goes wrong in an episode is part of its record."""

from pathlib import Path
from typing import Any

import pytest
from relay_runs import RELAY, a_plan
from toy_relay import Relay

from coordgym.runs.evaluate import evaluate
from coordgym.runs.planned import Cell, PlannedEnv, PlannedPolicy
from coordgym.runs.player import Player
from coordgym.runs.results import load_results


def test_an_environment_that_breaks_is_a_record(tmp_path: Path) -> None:
    broken = {"id": RELAY, "kwargs": {"flaw": "raises"}}
    results = evaluate(a_plan(seeds=1, envs=[RELAY, broken]), tmp_path)
    assert [row.failure for row in results.rows] == [None, "RuntimeError"] * 2
    kept = [len(e.turns) for e in results.episodes() if e.failure is not None]
    assert kept == [2, 2]


FAULTS = {
    "notes raise": ("KeyError", "the notes are gone"),
    "notes are none": ("ConfigError", "must return a dict with text keys, got None"),
    "notes are no data": ("EpisodeError", "a record has no JSON form"),
    "notes have numbers as keys": ("ConfigError", "text keys"),
    "name": ("ConfigError", "a policy's name must be a str, got 5"),
    "unprintable": ("UnprintableError", "its text can't be had: RuntimeError"),
    "base exception": ("GeneratorExit", "a policy may raise anything"),
    "exit": ("SystemExit", "5"),
    "text=5": ("ActionError", "agent_0: the text must be a str, got 5"),
    "finish_reason=5": ("ActionError", "agent_0: finish_reason must be a text, got 5"),
    "prompt_tokens=1.5": ("ActionError", "prompt_tokens must be a whole number, got 1.5"),
    "completion_tokens='a'": ("ActionError", "completion_tokens must be a whole number, got 'a'"),
    "prompt_tokens=-5": ("ActionError", "prompt_tokens must be a number ≥ 0 or None, got -5"),
    "latency='x'": ("ActionError", "latency must be a number, got 'x'"),
    "latency=1e999": ("ActionError", "latency must be a number ≥ 0 or None, got inf"),
    "logprobs=[None]": ("ActionError", "logprobs[0] must be a number, got None"),
    "completion_token_ids=[0.5]": ("ActionError", "completion_token_ids[0] must be a whole"),
    "model=3": ("ActionError", "model must be a text, got 3"),
}


def _faulty_plan(faults: list[str]) -> dict[str, Any]:
    policies = [
        {"name": fault, "policy": "import:toy_relay:Faulty", "kwargs": {"fault": fault}}
        for fault in faults
    ]
    policies.append({"name": "unnamed", "policy": "import:toy_relay:Unnamed"})
    return {"seeds": 2, "envs": [RELAY], "policies": [*policies, "random"]}


@pytest.mark.parametrize("workers", [1, 2])
def test_whatever_a_policy_does_wrong_is_a_record_and_the_run_goes_on(
    tmp_path: Path, workers: int
) -> None:
    expected = dict(FAULTS)
    if workers > 1:  # in this process it would be the user's interrupt
        expected["interrupt"] = ("KeyboardInterrupt", "the policy's own")
    plan = _faulty_plan(list(expected))
    results = evaluate(plan, tmp_path, workers=workers)
    assert results.missing == 0
    by_cell = {(episode.policy, episode.seed): episode for episode in results.episodes()}
    assert len(by_cell) == len(results.rows)
    for fault, (kind, words) in expected.items():
        failure = by_cell[fault, 1].failure
        assert failure is not None, fault
        assert (failure.type, words in failure.message) == (kind, True), failure
        assert (by_cell[fault, 0].failure is None) == (fault != "name"), fault
    unnamed = by_cell["unnamed", 0].failure
    assert unnamed is not None
    assert "an object with name, reset and act" in unnamed.message
    assert by_cell["random", 0].failure is by_cell["random", 1].failure is None
    # The folder is not locked by what it holds: reading, resuming and reporting work.
    assert len(evaluate(plan, tmp_path, workers=workers).rows) == len(by_cell)
    assert len(load_results(tmp_path).summaries()) == len(plan["policies"])


def test_failed_episodes_keep_turns_and_notes(tmp_path: Path) -> None:
    results = evaluate(_faulty_plan(["notes raise", "unprintable"]), tmp_path)
    failed = {e.policy: e for e in results.episodes() if e.seed == 1 and e.failure is not None}
    assert (len(failed["notes raise"].turns), failed["notes raise"].notes) == (4, {})
    assert (len(failed["unprintable"].turns), failed["unprintable"].notes) == (0, {"dropped": 7})


def test_an_environment_whose_figures_have_no_json_form_is_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toy_relay.Relay._metrics", lambda self: {"success": {1: {object()}}})
    results = evaluate({"envs": [RELAY], "policies": ["random"]}, tmp_path)
    assert [row.failure for row in results.rows] == ["EpisodeError"]


@pytest.mark.parametrize("workers", [1, 2])
def test_every_policy_that_was_built_is_closed(tmp_path: Path, workers: int) -> None:
    log = tmp_path / "log"
    policies = [
        {
            "name": name,
            "policy": "import:toy_relay:Wanderer",
            "kwargs": {"folder": str(Path.cwd()), "log": str(log)},
        }
        for name in ("a", "b")
    ]
    policies[1] = {"name": "b", "agents": {"*": {k: policies[1][k] for k in ("policy", "kwargs")}}}
    plan = {"envs": [RELAY], "policies": policies, "seeds": 3}
    evaluate(plan, tmp_path / "out", workers=workers)
    lines = log.read_text().splitlines()
    built = [line.split()[-1] for line in lines if line.startswith("built")]
    closed = [line.split()[-1] for line in lines if line.startswith("closed")]
    assert sorted(built) == sorted(closed)
    assert len(built) >= 2


def test_a_policy_that_cannot_be_closed_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toy_relay.Sayer.close", lambda self: 1 / 0, raising=False)
    plan = {"envs": [RELAY], "policies": ["import:toy_relay:Sayer", "random"]}
    with pytest.warns(UserWarning, match="a policy can't be closed: ZeroDivisionError"):
        assert [row.failure for row in evaluate(plan, tmp_path).rows] == [None, None]


@pytest.mark.parametrize(
    ("flaw", "failure"), [("", "ZeroDivisionError"), ("raises", "RuntimeError")]
)
def test_an_environment_that_can_not_be_closed_hides_no_other_failure(
    monkeypatch: pytest.MonkeyPatch, flaw: str, failure: str
) -> None:
    monkeypatch.setattr(Relay, "close", lambda self: 1 / 0)
    env = PlannedEnv(RELAY, {"flaw": flaw})
    policy = PlannedPolicy("sayer", "import:toy_relay:Sayer")
    played = Player().play(Cell(env, policy, seed=0, repeat=0))
    assert played.failure == failure
    assert f'"type": "{failure}"' in played.line
