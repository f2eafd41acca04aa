"""What the commands about runs say."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from command import Cli

from coordgym.episodes.episode import read_episodes, write_episodes
from coordgym.runs.plan_file import packaged_plans

COMMAND = Path(sys.executable).with_name("coordgym")
MAZE = "coordgym/PairMaze-v0"


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


POLICY = """
import coordgym


class Teller:
    def act(self, observation, info):
        return "ACTI!"


def teller():
    return coordgym.per_agent(lambda agent, info, rng: Teller(), "teller")


ready = teller()
"""


@pytest.mark.parametrize("folder", [".", "plans"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_policies_are_found_beside_the_plan_and_in_the_current_folder(
    tmp_path: Path, folder: str, workers: str
) -> None:
    where = tmp_path / folder
    where.mkdir(exist_ok=True)
    name = f"mypol_{folder.strip('.')}_{workers}"
    (where / f"{name}.py").write_text(POLICY)
    plan = {"envs": [MAZE], "policies": [f"import:{name}:teller"], "seeds": 2}
    (where / "plan.yaml").write_text(json.dumps(plan))
    command = [str(COMMAND), "bench", f"{folder}/plan.yaml"]
    command += ["--out", "out", "--workers", workers]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert f"import:{name}:teller" in ran.stdout


def test_a_policy_that_is_ready_made_is_refused_with_what_it_must_be(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "mypol_ready.py").write_text(POLICY)
    ran = cli("run", MAZE, "-p", "import:mypol_ready:ready", "--seeds", "1")
    assert ran.code == 2
    assert "must be a function (or class) that makes a policy when it is called" in ran.err
    ran = cli("run", MAZE, "-p", "import:mypol_missing:ready", "--seeds", "1")
    assert "also looks in the current folder and in that of the plan" in ran.err


def test_modules_of_the_current_folder_hide_no_others(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise RuntimeError('not this one')")
    (tmp_path / "colorsys.py").write_text("raise RuntimeError('not this one')")
    ran = cli("run", MAZE, "-p", "import:colorsys:nothing", "--seeds", "1")
    assert "has no attribute 'nothing'" in ran.err


@pytest.mark.parametrize("name", packaged_plans())
def test_the_help_of_bench_names_the_plans_of_the_package(cli: Cli, name: str) -> None:
    assert name in cli("bench", "--help").out


def test_warnings_are_one_line(cli: Cli, tmp_path: Path) -> None:
    cli("run", MAZE, "-p", "random", "--seeds", "2", "--out", "out")
    path = tmp_path / "out" / "episodes.jsonl"
    first = next(read_episodes(path))
    write_episodes(path, [replace(first, versions={"coordgym": "0.0.1"})])
    command = [str(COMMAND), "run", MAZE, "-p", "random", "--seeds", "2", "--out", "out"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    warning, begin = ran.stderr.splitlines()
    assert warning.startswith("warning: the episodes until now were recorded by coordgym 0.0.1, ")
    assert begin == "1 of 2 episodes, 0 s; now PairMaze-v0, random, seed 1"
