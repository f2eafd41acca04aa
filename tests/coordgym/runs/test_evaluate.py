"""Plans are run to the end, whatever fails or is killed."""

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from relay_runs import HELPERS, RELAY, a_plan, wait_for_lines, wait_until_gone, workers_of

from coordgym.errors import CoordgymError, PlanError
from coordgym.runs.evaluate import evaluate
from coordgym.runs.plan_file import plan_of
from coordgym.runs.results import EPISODES_FILE, load_results


@pytest.mark.parametrize("workers", [1, 2])
def test_errors_and_hanging_policies_are_records(tmp_path: Path, workers: int) -> None:
    plan = a_plan(seeds=8, raises=[3], hangs=[7], log=str(tmp_path / "log"))
    results = evaluate(plan, tmp_path / "out", workers=workers, timeout=3)
    assert len(results.rows) == 16
    failures = {
        (row.cell.policy.name, row.cell.seed): row.failure
        for row in results.rows
        if row.failure is not None
    }
    assert failures == {("sayer", 3): "ZeroDivisionError", ("sayer", 7): "TimeoutError"}
    for episode in results.episodes():
        if episode.failure is None:
            assert len(episode.turns) == 4
            assert sum(episode.returns.values()) > 0 or episode.policy == "random"
        elif episode.seed == 3:
            assert episode.failure.message == "the model said 0"
        else:
            assert "after 3 s of playing" in episode.failure.message


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_run_goes_on(tmp_path: Path, workers: int) -> None:
    plan = tmp_path / "plan.yaml"
    log, out = tmp_path / "log", tmp_path / "out"
    plan.write_text(json.dumps(a_plan(seeds=10, slow=0.1, log=str(log))))
    command = [sys.executable, "-m", "coordgym.cli", "bench", str(plan), "--out", str(out)]
    command += ["--workers", str(workers)]
    environment = {**os.environ, "PYTHONPATH": str(HELPERS)}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    path = out / EPISODES_FILE
    wait_for_lines(path, 4, process)
    orphans = workers_of(process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_until_gone(orphans)
    data = path.read_bytes()
    whole = data[: data.rstrip(b"\n").rfind(b"\n") + 1]
    last = data[len(whole) :]
    path.write_bytes(whole + last[: len(last) // 2])
    finished = whole.count(b"\n")
    assert 3 <= finished < 20
    assert len(load_results(out).rows) == finished
    before = log.read_text().count("seed ")

    other = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert other.returncode == 0, other.stderr
    assert path.read_bytes().startswith(whole)
    results = load_results(out)
    assert results.missing == 0
    keys = [row.cell.key for row in results.rows]
    assert len(keys) == len(set(keys)) == 20
    logged = log.read_text().count("seed ") - before
    ours = sum(b'"policy": "sayer"' in line for line in whole.splitlines())
    assert logged == 10 - ours, "finished episodes must not be played again"
    with pytest.raises(PlanError, match="different: seeds"):
        evaluate(a_plan(seeds=11, slow=0.1, log=str(log)), out)


def test_a_second_call_plays_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log"
    plan = a_plan(log=str(log))
    first = evaluate(plan, tmp_path / "out")
    data = (tmp_path / "out" / EPISODES_FILE).read_bytes()
    played = log.read_text().count("seed")
    second = evaluate(plan_of(plan), tmp_path / "out", workers=2)
    assert (tmp_path / "out" / EPISODES_FILE).read_bytes() == data
    assert log.read_text().count("seed") == played == 4
    assert repr(second.rows) == repr(first.rows)
    with pytest.raises(PlanError, match="already holds episodes"):
        evaluate(plan, tmp_path / "out", resume=False)


def test_mistakes_raise_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="timeout must be > 0"):
        evaluate(a_plan(), tmp_path, timeout=0)
    for timeout in ("x", True, float("nan")):
        with pytest.raises(PlanError, match="timeout must be > 0"):
            evaluate(a_plan(), tmp_path, timeout=timeout)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="plan must be a mapping"):
        evaluate(5, tmp_path)  # type: ignore[arg-type]
    with pytest.raises(CoordgymError, match="workers must be"):
        evaluate(a_plan(), tmp_path, workers=0)
    with pytest.raises(CoordgymError, match="no environment"):
        evaluate(a_plan(envs=["coordgym/Nowhere-v0"]), tmp_path)
    assert not (tmp_path / EPISODES_FILE).exists()
    with pytest.raises(PlanError, match=r"plan\.json is missing"):
        load_results(tmp_path)


def test_a_policy_may_change_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    wanderer = {
        "name": "w",
        "policy": "import:toy_relay:Wanderer",
        "kwargs": {"folder": str(tmp_path / "elsewhere")},
    }
    results = evaluate({"envs": [RELAY], "policies": [wanderer, "random"], "seeds": 2}, "out")
    assert results.out_dir == tmp_path / "out"
    assert len(list(results.episodes())) == 4
    assert not any((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("timeout", [0, -1, math.inf, math.nan, True, "3"])
def test_a_time_limit_is_a_number_of_seconds(tmp_path: Path, timeout: Any) -> None:
    with pytest.raises(PlanError, match="timeout must be > 0 seconds or None"):
        evaluate(a_plan(), tmp_path, timeout=timeout)
