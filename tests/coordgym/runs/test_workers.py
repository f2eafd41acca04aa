"""Worker processes change nothing, die alone, and leave with their parent."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from relay_runs import (
    HELPERS,
    RELAY,
    a_plan,
    recorded,
    wait_for_lines,
    wait_until_gone,
    without_traceback,
    workers_of,
)

from coordgym.errors import PlanError
from coordgym.runs.evaluate import evaluate
from coordgym.runs.plan_file import plan_of
from coordgym.runs.workers import play_in_workers


def test_a_policy_that_kills_its_process_is_a_record(tmp_path: Path) -> None:
    results = evaluate(a_plan(dies=[1]), tmp_path, workers=2)
    failed = [row for row in results.rows if row.failure is not None]
    assert [(row.cell.seed, row.failure) for row in failed] == [(1, "WorkerDied")]
    assert len(results.rows) == 8
    message = next(e.failure.message for e in results.episodes() if e.failure is not None)
    assert "exit code 3" in message


def test_workers_change_nothing(tmp_path: Path) -> None:
    plan = a_plan(seeds=6, raises=[2])
    evaluate({**plan, "repeats": 2}, tmp_path / "one", workers=1)
    evaluate({**plan, "repeats": 2}, tmp_path / "two", workers=2)
    evaluate({**plan, "repeats": 2}, tmp_path / "limited", workers=1, timeout=60)
    one = recorded(tmp_path / "one")
    assert len(one) == 24
    assert without_traceback(one) == without_traceback(recorded(tmp_path / "two"))
    assert without_traceback(one) == without_traceback(recorded(tmp_path / "limited"))


def test_a_policy_is_built_once_per_worker(tmp_path: Path) -> None:
    log = tmp_path / "log"
    plan = {**a_plan(seeds=10, log=str(log)), "policies": a_plan(log=str(log))["policies"][:1]}
    evaluate(plan, tmp_path / "out", workers=2)
    built = [line for line in log.read_text().splitlines() if line.startswith("built")]
    assert len(set(built)) == len(built) <= 2


def test_workers_that_cannot_start_are_an_error_with_advice(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from coordgym.runs.evaluate import evaluate\n"
        f"evaluate({{'envs': [{RELAY!r}], 'policies': ['random']}}, {str(tmp_path)!r}, workers=2)\n"
    )
    process = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(HELPERS)},
    )
    assert process.returncode != 0
    assert "if __name__ == '__main__'" in process.stderr.splitlines()[-1]


def test_a_stopped_iteration_leaves_no_process(tmp_path: Path) -> None:
    import multiprocessing

    cells = list(plan_of(a_plan(hangs=[1, 2, 3])).cells())
    begun: list[Any] = []
    played: Iterator[Any] = play_in_workers(cells, 2, None, begun.append)
    assert next(played).failure is None
    assert begun == cells[: len(begun)]
    assert len(begun) >= 2
    assert multiprocessing.active_children()
    played.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children()


def test_workers_of_a_killed_run_leave_even_if_their_policy_hangs(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    log = tmp_path / "log"
    plan.write_text(json.dumps(a_plan(seeds=2, hangs=[0, 1], log=str(log))))
    command = [sys.executable, "-m", "coordgym.cli", "bench", str(plan), "--workers", "2"]
    process = subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(HELPERS)}, cwd=tmp_path, text=True
    )
    wait_for_lines(log, 4, process)  # both workers have built their policy and begun
    workers = workers_of(process)
    assert len(workers) == 2
    process.kill()
    process.wait()
    wait_until_gone(workers)


def test_one_database_file_is_not_shared_by_workers(tmp_path: Path) -> None:
    env = {"id": "SiloGlobalMax-v0", "kwargs": {"n_agents": 2, "db_path": str(tmp_path / "x.db")}}
    plan = {"envs": [env], "policies": ["random"], "seeds": 2}
    with pytest.raises(PlanError, match="db_path names one file, to which 2 workers would write"):
        evaluate(plan, tmp_path / "out", workers=2)
    assert [row.failure for row in evaluate(plan, tmp_path / "out").rows] == [None, None]
