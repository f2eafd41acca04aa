"""The command line: what it prints, what it writes and how it fails."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from coordgym.cli import main
from coordgym.episode import read_episodes, write_episodes
from coordgym.evaluate import load_results

MAZE = "coordgym/PairMaze-v0"


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Cli = Callable[..., Ran]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Cli:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["coordgym", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Ran(0 if code is None else int(code), *capsys.readouterr())

    return call


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
    ],
)
def test_mistakes_are_one_line(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    ran = cli(*arguments)
    assert ran.code == 2
    assert words in ran.err
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1


def test_the_entry_point_starts_and_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom coordgym.cli import main\nsys.argv = ['coordgym', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('torch', 'scipy', 'networkx', 'yaml') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "[]", ran.stderr
    assert "bench" in ran.stdout
