"""Folders of results: one plan, one run at a time, nothing lost."""

import errno
import os
from pathlib import Path

import pytest
from relay_runs import RELAY, a_plan, recorded, without_traceback

from coordgym.errors import PlanError
from coordgym.runs.evaluate import evaluate
from coordgym.runs.results import COMPRESSED_FILE, EPISODES_FILE, load_results


@pytest.mark.parametrize("workers", [1, 2])
def test_compressed_results_are_the_same_and_go_on(tmp_path: Path, workers: int) -> None:
    log = tmp_path / "log"
    plan = a_plan(log=str(log), raises=[2])
    evaluate(plan, tmp_path / "plain")
    out = tmp_path / "out"
    results = evaluate({**plan, "compress": True}, out, workers=workers)
    assert sorted(path.name for path in out.iterdir() if path.name[0] != ".") == [
        COMPRESSED_FILE,
        "plan.json",
    ]
    alike = without_traceback(recorded(out))
    assert alike == without_traceback(recorded(tmp_path / "plain"))
    path = out / COMPRESSED_FILE
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    assert len(load_results(out).rows) == 7
    assert load_results(out).plan.compress
    log.write_text("")
    # The folder keeps its form, whatever the plan says now.
    results = evaluate({**plan, "compress": False}, out, workers=workers)
    assert results.missing == 0
    assert not (out / EPISODES_FILE).exists()
    assert without_traceback(recorded(out)) == alike
    assert path.read_bytes()[: len(data) // 2] == data[: len(data) // 2]
    assert log.read_text().count("seed ") <= 1, "finished episodes must not be played again"


def test_failed_episodes_of_compressed_results_are_played_again(tmp_path: Path) -> None:
    plan = {**a_plan(raises=[1], log=str(tmp_path / "log")), "compress": True}
    evaluate(plan, tmp_path / "out")
    (tmp_path / "log").write_text("")
    results = evaluate(plan, tmp_path / "out", retry_failed=True)
    assert (tmp_path / "log").read_text().count("seed ") == 1
    assert len(list(results.episodes())) == 8
    assert [row.failure for row in results.rows].count("ZeroDivisionError") == 1


def test_another_plan_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    evaluate(a_plan(), tmp_path)
    data = (tmp_path / EPISODES_FILE).read_bytes()
    with pytest.raises(PlanError, match=r"another plan \(different: envs, policies\)"):
        evaluate(a_plan(envs=[{"id": RELAY, "kwargs": {"turns": 2}}], raises=[1]), tmp_path)
    assert (tmp_path / EPISODES_FILE).read_bytes() == data
    evaluate({**a_plan(), "name": "other name"}, tmp_path)


def test_failed_episodes_can_be_played_again(tmp_path: Path) -> None:
    log, out = tmp_path / "log", tmp_path / "out"
    plan = a_plan(raises=[2], log=str(log))
    evaluate(plan, out)
    evaluate(plan, out)
    assert log.read_text().count("seed 2\n") == 1
    results = evaluate(plan, out, retry_failed=True)
    assert log.read_text().count("seed 2\n") == 2
    assert log.read_text().count("seed 1\n") == 1
    assert (len(results.rows), results.missing) == (8, 0)


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    with (tmp_path / ".lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(PlanError, match="another run is writing"):
            evaluate(a_plan(), tmp_path)
    evaluate(a_plan(), tmp_path)


@pytest.mark.parametrize("taken", ["", "plan.json.new", EPISODES_FILE, ".lock"])
def test_a_folder_that_cannot_hold_results_is_named(tmp_path: Path, taken: str) -> None:
    folder = tmp_path / "out"
    if taken:
        (folder / taken).mkdir(parents=True)
    else:
        folder.write_text("a file")
    with pytest.raises(PlanError, match="out can't hold results"):
        evaluate(a_plan(), folder)
    with pytest.raises(PlanError, match="holds no results"):
        load_results(folder)


def test_a_full_disk_is_told_with_the_file_of_episodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as raised:
        evaluate(a_plan(), tmp_path)
    assert raised.value.filename == str(tmp_path / EPISODES_FILE)
