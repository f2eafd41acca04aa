"""The command line: what it prints, what it writes and how it fails."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from command import Cli

import coordgym
from coordgym import registry
from coordgym.episodes.episode import read_episodes, write_episodes
from coordgym.registry import EnvEntry
from coordgym.runs.results import load_results

HELPERS = Path(__file__).parents[2] / "helpers"
MAZE = "coordgym/PairMaze-v0"


def test_list_can_be_filtered(cli: Cli) -> None:
    ids = cli("list", "--ids").out.split()
    assert MAZE in ids
    pairs = cli("list", "--ids", "--family", "pairs").out.split()
    assert MAZE in pairs
    assert set(pairs) < set(ids)
    table = cli("list", "--family", "pairs").out
    assert "Walk a maze" in table
    unknown = cli("list", "--family", "paris")
    assert unknown.code == 2
    assert "did you mean 'pairs'?" in unknown.err


def test_show_tells_rules_kwargs_and_an_observation(cli: Cli) -> None:
    ran = cli("show", "PairMaze-v0", "--kwargs", "max_exchanges=7", "--seed", "3")
    assert ran.code == 0
    assert "max_exchanges" in ran.out
    assert "at most 7 exchanges" in ran.out
    assert "Legend: @ start" in ran.out
    assert ran.out == cli("show", "PairMaze-v0", "-k", "max_exchanges=7", "--seed", "3").out


def test_run_writes_results_and_goes_on(cli: Cli, tmp_path: Path) -> None:
    command = ("run", MAZE, "-p", "random", "-p", "oracle", "--seeds", "4..6", "--out", "out")
    ran = cli(*command)
    assert ran.code == 0, ran.err
    assert "oracle" in ran.out
    results = load_results(tmp_path / "out")
    assert [row.cell.seed for row in results.rows] == [4, 5, 6] * 2
    data = (tmp_path / "out" / "episodes.jsonl").read_bytes()
    assert cli(*command).code == 0
    assert (tmp_path / "out" / "episodes.jsonl").read_bytes() == data
    assert cli(*command, "--repeats", "2").code == 2
    assert cli("report", "out").out == ran.out
    assert cli("report", "nowhere").code == 2
    default = cli("run", MAZE, "-p", "random", "--seeds", "1")
    assert default.code == 0
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_bench_runs_a_plan(cli: Cli, tmp_path: Path) -> None:
    plan = {"name": "small", "envs": [MAZE], "policies": ["random"], "seeds": 2}
    (tmp_path / "small.yaml").write_text(json.dumps(plan))
    assert cli("bench", "small.yaml").code == 0
    assert len(load_results(tmp_path / "runs" / "small").rows) == 2
    (tmp_path / "small.yaml").write_text(json.dumps({**plan, "seeds": 3}))
    refused = cli("bench", "small.yaml")
    assert refused.code == 2
    assert "holds results of another plan (different: seeds)" in refused.err
    assert cli("bench", "small.yaml", "--fresh").code == 0
    assert len(load_results(tmp_path / "runs" / "small").rows) == 3
    unknown = cli("bench", "dmo")
    assert (unknown.code, "did you mean 'demo'?" in unknown.err) == (2, True)


def test_results_can_be_kept_compressed(cli: Cli, tmp_path: Path) -> None:
    plan = {"envs": [MAZE], "policies": ["random"], "seeds": 2, "compress": True}
    (tmp_path / "small.yaml").write_text(json.dumps(plan))
    assert cli("bench", "small.yaml").code == 0
    assert cli("bench", "small.yaml", "--out", "plain", "--no-compress").code == 0
    assert cli("run", MAZE, "-p", "random", "--seeds", "2", "--compress", "--out", "run").code == 0
    plain = list(read_episodes(tmp_path / "plain" / "episodes.jsonl"))
    for folder in (tmp_path / "runs" / "small", tmp_path / "run"):
        path = folder / "episodes.jsonl.gz"
        assert not (folder / "episodes.jsonl").exists()
        assert [e.without_timing() for e in read_episodes(path)] == [
            e.without_timing() for e in plain
        ]
        for source in (folder, path):
            assert cli("replay", str(source)).out == "2 episodes replayed, 0 differ\n"
        assert cli("report", str(folder)).code == 0
    assert cli("bench", "small.yaml", "--fresh", "--no-compress").code == 0
    assert [path.name for path in (tmp_path / "runs" / "small").glob("episodes*")] == [
        "episodes.jsonl"
    ]


def test_replay_reports_differences(cli: Cli, tmp_path: Path) -> None:
    cli("run", MAZE, "-p", "random", "--seeds", "2", "--out", "out")
    assert cli("replay", "out").out == "2 episodes replayed, 0 differ\n"
    path = tmp_path / "out" / "episodes.jsonl"
    first, second = read_episodes(path)
    second.metrics["score"] = 123.0
    write_episodes(path, [first, second])
    ran = cli("replay", str(path))
    assert ran.code == 1
    assert "seed 1: metrics differs at 'score': recorded 123.0" in ran.out
    assert cli("replay", str(path), "--limit", "1").code == 0
    assert cli("replay", "nothing.jsonl").code == 2


def test_replay_names_another_version_once_before_it_compares(cli: Cli, tmp_path: Path) -> None:
    cli("run", MAZE, "-p", "random", "--seeds", "2", "--out", "out")
    path = tmp_path / "out" / "episodes.jsonl"
    older = [replace(each, versions={"coordgym": "0.0.9"}) for each in read_episodes(path)]
    write_episodes(path, older)
    ran = cli("replay", "out")
    assert (ran.code, ran.out) == (0, "2 episodes replayed, 0 differ\n")
    assert ran.err.count("the record is of coordgym 0.0.9, this is") == 1


def test_play_seats_a_person_beside_a_partner(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = iter(["let us start", "", "ACTI!", ""])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    ran = cli("play", MAZE, "--partners", "random", "--out", "played.jsonl")
    assert ran.code == 0, ran.err
    assert "Legend: @ start" in ran.out
    assert "success: False" in ran.out
    (episode,) = read_episodes(tmp_path / "played.jsonl")
    assert episode.policies == {"agent_0": "human", "agent_1": "random"}
    assert episode.turns[0].action == "let us start"


def test_play_says_when_the_input_ends(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", end)
    assert cli("play", MAZE).code == 2


def test_check_runs_the_conformance_suite(cli: Cli) -> None:
    ran = cli("check", MAZE, "--only", "contract")
    assert ran.code == 0, ran.out
    assert "0 failed" in ran.out
    assert cli("check", MAZE, "--only", "no-such-check").code == 2


def test_check_fails_where_an_environment_does(cli: Cli) -> None:
    flaw = {"flaw": "unseeded"}
    entry = EnvEntry("toys/Unseeded-v0", "toy_relay:Relay", "toy", "Unseeded", flaw)
    registry.register_envs([entry])
    try:
        ran = cli("check", entry.id, "--only", "determinism")
    finally:  # other tests visit whatever is registered
        registry._entries.pop(entry.id)
    assert ran.code == 1
    assert "FAILED   determinism/determinism" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "PairMazes-v0"), "did you mean 'PairMaze-v0'?"),
        (("run", MAZE, "-k", "max_exchange=3"), "did you mean 'max_exchanges'?"),
        (("run", MAZE, "-k", "max_exchanges"), "--kwargs must be like key=value"),
        (("run", MAZE, "-k", "a=1", "-k", "a=2"), "'a' is given twice"),
        (("run", MAZE, "-k", "a=["), "is not YAML"),
        (("run", MAZE, "-p", "rondom"), "did you mean 'random'?"),
        (("run", MAZE, "--seeds", "x"), "seeds must be like"),
        (("run", MAZE, "-p", "a", "-p", "b", "--policy-kwargs", "x=1"), "with one --policy"),
        (("show", "Nothing-v0"), "no environment 'Nothing-v0'"),
        (("run", MAZE, "-k", "config=5"), "config must be a dict or None, got 5"),
        (("run", "import:os:getcwd"), "makes no parallel environment"),
        (("run", MAZE, "-p", "llm:"), "no language-model policy"),
        (("run", MAZE, "-p", "llm:openai:m@notaurl"), "is no URL"),
        (("bench", "x" * 300), "File name too long"),
        (("replay", "x" * 300), "File name too long"),
    ],
)
def test_mistakes_are_one_line(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    ran = cli(*arguments)
    assert ran.code == 2
    assert words in ran.err
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "out", ["a-file", "a-file/below", os.devnull, "taken", "/proc/nothing", "x" * 300]
)
def test_a_folder_that_cannot_hold_results_is_one_line(cli: Cli, tmp_path: Path, out: str) -> None:
    (tmp_path / "a-file").write_text("")
    (tmp_path / "taken" / "episodes.jsonl").mkdir(parents=True)
    for ran in (
        cli("run", MAZE, "-p", "random", "--seeds", "1", "--out", out),
        cli("report", out),
    ):
        assert ran.code == 2
        assert ran.err.startswith("error: ")
        assert ran.err.count("\n") == 1


def test_a_file_that_cannot_be_written_is_named_before_the_game(cli: Cli, tmp_path: Path) -> None:
    ran = cli("play", MAZE, "--out", str(tmp_path))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"error: {tmp_path}: Is a directory\n"


@pytest.mark.parametrize("name", ["plan.json", "episodes.jsonl", "report.md"])
def test_a_damaged_folder_of_results_is_one_line(cli: Cli, tmp_path: Path, name: str) -> None:
    assert cli("run", MAZE, "-p", "random", "--seeds", "1", "--out", "out").code == 0
    (tmp_path / "out" / name).unlink()
    (tmp_path / "out" / name).mkdir()
    for ran in (
        cli("report", "out"),
        cli("run", MAZE, "-p", "random", "--seeds", "1", "--out", "out"),
        cli("bench", "demo", "--fresh", "--out", "out"),
    ):
        assert ran.code == 2
        assert ran.err.startswith("error: ")
        assert ran.err.count("\n") == 1


def test_failed_episodes_make_a_run_fail(cli: Cli, tmp_path: Path) -> None:
    plan = {
        "envs": ["import:toy_relay:Relay"],
        "policies": [{"policy": "import:toy_relay:Troublemaker", "kwargs": {"raises": [1]}}],
        "seeds": 3,
    }
    (tmp_path / "plan.yaml").write_text(json.dumps(plan))
    begin = (
        "0 of 3 episodes, 0 s; now import:toy_relay:Relay, import:toy_relay:Troublemaker, seed 0\n"
    )
    for told in (begin, ""):  # also if nothing is left to play
        ran = cli("bench", "plan.yaml", "--out", "out")
        assert ran.code == 1
        where = Path("out") / "episodes.jsonl"
        assert ran.err == (
            f"{told}1 of 3 episodes failed, the first with ZeroDivisionError: the model said 0; "
            f"{where} has all\n"
        )
        assert "1 ZeroDivisionError" in ran.out
    run = ("run", "import:toy_relay:Relay", "-p", "import:os:getcwd", "--seeds", "2")
    ran = cli(*run, "--out", "other")
    assert (ran.code, "2 of 2 episodes failed" in ran.err) == (1, True)
    assert cli("report", "out").code == 0


def _coordgym(*arguments: str, **variables: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "coordgym.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(HELPERS), **variables},
        start_new_session=True,
        # Whoever runs the tests in the background may have them ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_a_reader_that_stops_reading_is_no_error() -> None:
    process = _coordgym("list")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.wait()


@pytest.mark.parametrize("arguments", [("list",), ("show", "II-11"), ("show", "Nø-v0")])
def test_a_narrow_encoding_is_no_error(arguments: tuple[str, ...]) -> None:
    process = _coordgym(*arguments, PYTHONIOENCODING="ascii")
    out, err = process.communicate()
    assert process.returncode == (2 if arguments[1:] == ("Nø-v0",) else 0), err
    assert (out + err).isascii()
    assert b"?" in out or arguments != ("show", "II-11")
    assert b"Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal to a group of processes")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupt_stops_a_run_with_one_line(tmp_path: Path, workers: str) -> None:
    log = tmp_path / "log"
    slow = {"slow": 60, "log": str(log)}
    plan = {
        "envs": ["import:toy_relay:Relay"],
        "policies": [{"policy": "import:toy_relay:Troublemaker", "kwargs": slow}],
        "seeds": 3,
    }
    (tmp_path / "plan.yaml").write_text(json.dumps(plan))
    process = _coordgym(
        "bench", str(tmp_path / "plan.yaml"), "--out", str(tmp_path / "out"), "--workers", workers
    )
    while not log.exists() or log.read_text().count("seed") < int(workers):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to parent and workers
    _, err = process.communicate(timeout=60)
    told, stopped = err.decode().splitlines()
    assert told.startswith("0 of 3 episodes, 0 s; now ")
    assert stopped.startswith("stopped; ")
    assert process.returncode == 130


def test_the_entry_point_starts_and_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom coordgym.cli import main\nsys.argv = ['coordgym', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('torch', 'scipy', 'networkx', 'yaml') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "[]", ran.stderr
    assert "bench" in ran.stdout


RELAY = "import:toy_relay:Relay"


def test_environments_that_are_not_registered_can_be_shown(cli: Cli) -> None:
    ran = cli("show", RELAY, "-k", "turns=5")
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"{RELAY}\nThe relay; ``turns`` digits are said in all.\n")
    assert "family: toy; not registered" in ran.out
    assert "turns" in ran.out
    assert "base" not in ran.out.partition("What agent_0")[0]
    assert "What agent_0 of 2 is told first" in ran.out
    wrong = cli("show", "import:toy_relay:Rely")
    assert (wrong.code, "can't be imported" in wrong.err) == (2, True)


def test_environments_that_are_not_registered_can_be_checked(cli: Cli) -> None:
    ran = cli("check", RELAY, "--only", "hash_seed", "--only", "api_misuse", "-k", "turns=5")
    assert ran.code == 0, ran.out
    assert ran.out.startswith(f"{RELAY}: 2 passed, 0 skipped, 0 failed")
    for wrong in ("import:toy_relay:Rely", "import:toy_relay", "import:os:getcwd"):
        ran = cli("check", wrong)
        assert (ran.code, ran.err.count("\n")) == (2, 1)


def test_environments_that_are_not_registered_can_be_played(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = itertools.cycle(["say 1", ""])
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    ran = cli("play", RELAY, "--partners", "random", "--out", "played.jsonl")
    assert ran.code == 0, ran.err
    (episode,) = read_episodes(tmp_path / "played.jsonl")
    assert episode.env_id == RELAY
    assert cli("replay", "played.jsonl").out == "1 episodes replayed, 0 differ\n"


def test_folders_of_results_have_names_without_colons(cli: Cli, tmp_path: Path) -> None:
    ran = cli("run", RELAY, "-p", "random", "--seeds", "1")
    assert ran.code == 0, ran.err
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("toy_relay.Relay-")
    assert ":" not in folder.name


def test_the_version_is_that_of_the_package(cli: Cli) -> None:
    assert cli("--version") == (0, f"{coordgym.__version__}\n", "")
