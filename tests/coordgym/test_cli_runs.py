"""What the commands about runs say."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from coordgym.cli import main

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


@pytest.mark.parametrize("form", ["--no-compress", "--compress"])
def test_replay_says_that_a_torn_end_was_left_out(cli: Cli, tmp_path: Path, form: str) -> None:
    cli("run", MAZE, "-p", "random", "--seeds", "2", "--out", "out", form)
    (path,) = (tmp_path / "out").glob("episodes*")
    assert cli("replay", "out") == (0, "2 episodes replayed, 0 differ\n", "")
    with path.open("ab") as file:
        file.write(path.read_bytes()[:50])
    ran = cli("replay", "out")
    assert (ran.code, ran.out) == (0, "2 episodes replayed, 0 differ\n")
    assert f"{path.name}: 50 bytes at its end" in ran.err


def test_names_are_never_cut_in_a_report_that_is_piped(cli: Cli, tmp_path: Path) -> None:
    name = "a name " * 30
    plan = {"envs": [MAZE], "policies": [{"name": name, "policy": "random"}], "seeds": 1}
    (tmp_path / "plan.yaml").write_text(json.dumps(plan))
    lines = cli("bench", "plan.yaml", "--out", "out").out.splitlines()
    (row,) = [line for line in lines if line.startswith("PairMaze-v0")]
    assert name.strip() in row
    assert "seconds" in "".join(lines)
