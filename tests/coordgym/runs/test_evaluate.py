"""Evaluations: errors are records, a killed run goes on, workers change nothing."""

import errno
import json
import math
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from coordgym.episodes.episode import read_episodes, write_episodes
from coordgym.errors import CoordgymError, PlanError
from coordgym.runs.evaluate import evaluate
from coordgym.runs.plan_file import plan_of
from coordgym.runs.report import markdown_report
from coordgym.runs.results import COMPRESSED_FILE, EPISODES_FILE, load_results
from coordgym.runs.workers import play_in_workers

RELAY = "import:toy_relay:Relay"
HELPERS = Path(__file__).parents[2] / "helpers"


def a_plan(seeds: Any = 4, envs: Any = (RELAY,), **trouble: Any) -> dict[str, Any]:
    policy = {"name": "sayer", "policy": "import:toy_relay:Troublemaker", "kwargs": trouble}
    return {"name": "toy", "seeds": seeds, "envs": list(envs), "policies": [policy, "random"]}


def recorded(folder: Path) -> list[str]:
    return sorted(repr(episode.without_timing()) for episode in load_results(folder).episodes())


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


def test_a_policy_that_kills_its_process_is_a_record(tmp_path: Path) -> None:
    results = evaluate(a_plan(dies=[1]), tmp_path, workers=2)
    failed = [row for row in results.rows if row.failure is not None]
    assert [(row.cell.seed, row.failure) for row in failed] == [(1, "WorkerDied")]
    assert len(results.rows) == 8
    message = next(e.failure.message for e in results.episodes() if e.failure is not None)
    assert "exit code 3" in message


def test_an_environment_that_breaks_is_a_record(tmp_path: Path) -> None:
    broken = {"id": RELAY, "kwargs": {"flaw": "raises"}}
    results = evaluate(a_plan(seeds=1, envs=[RELAY, broken]), tmp_path)
    assert [row.failure for row in results.rows] == [None, "RuntimeError"] * 2
    kept = [len(e.turns) for e in results.episodes() if e.failure is not None]
    assert kept == [2, 2]


def test_workers_change_nothing(tmp_path: Path) -> None:
    plan = a_plan(seeds=6, raises=[2])
    evaluate({**plan, "repeats": 2}, tmp_path / "one", workers=1)
    evaluate({**plan, "repeats": 2}, tmp_path / "two", workers=2)
    evaluate({**plan, "repeats": 2}, tmp_path / "limited", workers=1, timeout=60)
    one = recorded(tmp_path / "one")
    assert len(one) == 24
    assert _without_traceback(one) == _without_traceback(recorded(tmp_path / "two"))
    assert _without_traceback(one) == _without_traceback(recorded(tmp_path / "limited"))


def _without_traceback(records: list[str]) -> list[str]:
    return [record.partition("traceback=")[0] for record in records]


def test_a_policy_is_built_once_per_worker(tmp_path: Path) -> None:
    log = tmp_path / "log"
    plan = {**a_plan(seeds=10, log=str(log)), "policies": a_plan(log=str(log))["policies"][:1]}
    evaluate(plan, tmp_path / "out", workers=2)
    built = [line for line in log.read_text().splitlines() if line.startswith("built")]
    assert len(set(built)) == len(built) <= 2


def _wait_for_lines(path: Path, count: int, process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 120
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "the run does not get on"
        time.sleep(0.01)


def _workers_of(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    children = psutil.Process(process.pid).children()
    return [child for child in children if "spawn_main" in str(child.cmdline())]


def _wait_until_gone(workers: list[psutil.Process]) -> None:
    """Orphaned workers leave by themselves."""
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert not alive


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
    _wait_for_lines(path, 4, process)
    orphans = _workers_of(process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    _wait_until_gone(orphans)
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
    alike = _without_traceback(recorded(out))
    assert alike == _without_traceback(recorded(tmp_path / "plain"))
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
    assert _without_traceback(recorded(out)) == alike
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


def test_a_folder_with_both_forms_is_refused(tmp_path: Path) -> None:
    evaluate(a_plan(), tmp_path)
    (tmp_path / COMPRESSED_FILE).write_bytes(b"something")
    for call in (evaluate, lambda plan, out: load_results(out)):
        with pytest.raises(PlanError, match=r"holds episodes\.jsonl and episodes\.jsonl\.gz"):
            call(a_plan(), tmp_path)
    (tmp_path / COMPRESSED_FILE).write_bytes(b"")
    assert len(load_results(tmp_path).rows) == 8


def test_another_plan_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    evaluate(a_plan(), tmp_path)
    data = (tmp_path / EPISODES_FILE).read_bytes()
    with pytest.raises(PlanError, match=r"another plan \(different: envs, policies\)"):
        evaluate(a_plan(envs=[{"id": RELAY, "kwargs": {"turns": 2}}], raises=[1]), tmp_path)
    assert (tmp_path / EPISODES_FILE).read_bytes() == data
    evaluate({**a_plan(), "name": "other name"}, tmp_path)


def test_a_damaged_record_that_is_not_the_last_is_refused(tmp_path: Path) -> None:
    evaluate(a_plan(), tmp_path)
    path = tmp_path / EPISODES_FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:30] + b"\n" + b"".join(lines[2:]))
    with pytest.raises(CoordgymError, match="line 2"):
        evaluate(a_plan(), tmp_path)
    path.write_bytes(b"".join([*lines, lines[0]]))
    with pytest.raises(PlanError, match="twice"):
        evaluate(a_plan(), tmp_path)


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
    _wait_for_lines(log, 4, process)  # both workers have built their policy and begun
    workers = _workers_of(process)
    assert len(workers) == 2
    process.kill()
    process.wait()
    _wait_until_gone(workers)


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


def test_results_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    evaluate(a_plan(), tmp_path)
    plan = (tmp_path / "plan.json").read_bytes()
    (tmp_path / "plan.json").write_bytes(b"\xff" + plan)
    with pytest.raises(CoordgymError, match=r"plan\.json: 'utf-8' codec"):
        load_results(tmp_path)
    (tmp_path / "plan.json").write_bytes(plan)
    (tmp_path / EPISODES_FILE).unlink()
    (tmp_path / EPISODES_FILE).mkdir()
    with pytest.raises(CoordgymError, match=r"episodes\.jsonl can't be read: Is a directory"):
        load_results(tmp_path)


def test_one_database_file_is_not_shared_by_workers(tmp_path: Path) -> None:
    env = {"id": "SiloGlobalMax-v0", "kwargs": {"n_agents": 2, "db_path": str(tmp_path / "x.db")}}
    plan = {"envs": [env], "policies": ["random"], "seeds": 2}
    with pytest.raises(PlanError, match="db_path names one file, to which 2 workers would write"):
        evaluate(plan, tmp_path / "out", workers=2)
    assert [row.failure for row in evaluate(plan, tmp_path / "out").rows] == [None, None]


def _recorded_by(path: Path, version: str | None, keep: int) -> None:
    """Keep the first episodes, as another version has recorded them."""
    versions: dict[str, str] = {} if version is None else {"coordgym": version}
    episodes = list(read_episodes(path))[:keep]
    write_episodes(path, [replace(episode, versions=versions) for episode in episodes])


@pytest.mark.parametrize(("version", "named"), [("0.0.1", "0.0.1"), (None, "unknown")])
@pytest.mark.parametrize("name", [EPISODES_FILE, COMPRESSED_FILE])
def test_results_of_several_versions_are_told(
    tmp_path: Path, name: str, version: str | None, named: str
) -> None:
    plan = {**a_plan(), "compress": name == COMPRESSED_FILE}
    results = evaluate(plan, tmp_path)
    current = results.rows[0].version
    assert "different versions" not in markdown_report(results)
    _recorded_by(tmp_path / name, version, keep=3)
    assert "different versions" not in markdown_report(load_results(tmp_path))
    with pytest.warns(UserWarning, match=rf"by coordgym {named}, the others will be by {current}"):
        results = evaluate(plan, tmp_path)
    report = markdown_report(results)
    assert "Recorded by different versions of coordgym: " in report
    assert f"{named if version else 'an unknown version'} (3)" in report
    assert f"{current} (5)" in report
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is added, so nothing is mixed
        evaluate(plan, tmp_path)


@pytest.mark.parametrize("reader", [load_results, lambda out: evaluate(a_plan(), out)])
def test_records_that_are_not_the_plans_are_refused_by_all_readers(
    tmp_path: Path, reader: Any
) -> None:
    evaluate(a_plan(), tmp_path)
    path = tmp_path / EPISODES_FILE
    episodes = list(read_episodes(path))
    for extra, words in (
        (episodes[0], "holds an episode twice"),
        (replace(episodes[0], seed=99), "holds an episode that is not in its plan"),
        (replace(episodes[0], policy="someone"), "holds an episode that is not in its plan"),
    ):
        write_episodes(path, [*episodes, extra])
        with pytest.raises(PlanError, match=words):
            reader(tmp_path)


@pytest.mark.parametrize("timeout", [0, -1, math.inf, math.nan, True, "3"])
def test_a_time_limit_is_a_number_of_seconds(tmp_path: Path, timeout: Any) -> None:
    with pytest.raises(PlanError, match="timeout must be > 0 seconds or None"):
        evaluate(a_plan(), tmp_path, timeout=timeout)


def test_a_full_disk_is_told_with_the_file_of_episodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as raised:
        evaluate(a_plan(), tmp_path)
    assert raised.value.filename == str(tmp_path / EPISODES_FILE)
