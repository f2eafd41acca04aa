"""A new task is four files: the task, a line of the table, its test, the generated docs.

A copy of the checkout gets a toy task in every family, by a new file in ``tasks/`` and a line in
``table.py``, and everything that works for all tasks has to work for it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
TOYS = Path(__file__).parent / "helpers" / "toy_tasks"
COPIED = ("coordgym", "silo_env", "swarm_env", "agents", "baselines", "scripts", "docs", "tests")
TABLE_BEGINS = "\nTASKS"


class Toy(NamedTuple):
    """A task that only tests have.

    Attributes:
        folder: The folder of its family.
        module: Its file in ``tasks/``.
        line: Its line in ``table.py``.
        env: The name of its environment.
        task: What the family calls it.
        cases: The file of known cases that must have one of each task, which a script adds.
        baselines: Policies that play it.
        tests: Tests of the family that every task has to pass.
    """

    folder: str
    module: str
    line: str
    env: str
    task: str
    cases: str | None
    baselines: tuple[str, ...]
    tests: tuple[str, ...]


FAMILIES = {
    "silo": Toy(
        folder="silo_env/compute",
        module="toy_minimum",
        line='TaskEntry("IV-31", "toy-minimum", "Smallest of all integers", AGGREGATION)',
        env="SiloToyMinimum",
        task="IV-31",
        cases="silo_cases",
        baselines=("silo:all-gather", "silo:optimal", "silo:local"),
        tests=("tests/silo_env/compute", "tests/baselines/silo"),
    ),
    "graph": Toy(
        folder="silo_env/graph",
        module="toy_lamps",
        line='TaskEntry("toy_lamps", "ToyLamps", "local", "A network lights lamps near all")',
        env="GraphToyLamps",
        task="toy_lamps",
        cases="graph_scoring",
        baselines=("graph:flood", "graph:small", "graph:greedy", "graph:constant"),
        tests=("tests/silo_env/graph", "tests/baselines/graph"),
    ),
    "pairs": Toy(
        folder="silo_env/pairs",
        module="toytotal",
        line='TaskEntry("ToyTotal", "csp", "Add up numbers of which each knows some")',
        env="PairToyTotal",
        task="toytotal",
        cases="pair_cases",
        baselines=("pairs:share-and-solve", "pairs:one-view"),
        tests=("tests/silo_env/pairs", "tests/baselines/pairs"),
    ),
    "swarm": Toy(
        folder="swarm_env",
        module="toystir",
        line="""TaskEntry(
        "toystir",
        "coordgym.swarm_env.tasks.toystir:ToyStir",
        "Move together",
    )""",
        env="SwarmToystir",
        task="toystir",
        cases=None,
        baselines=("swarm:reactive", "swarm:heuristic", "swarm:communicating", "swarm:strong"),
        tests=("tests/swarm_env", "tests/baselines/swarm"),
    ),
}


def add(toy: Toy, checkout: Path) -> None:
    """Add a toy to a checkout: a file and a line."""
    folder = checkout / toy.folder
    shutil.copy(TOYS / f"{toy.module}.py", folder / "tasks")
    table = folder / "table.py"
    head, begin, rest = table.read_text(encoding="utf-8").partition(TABLE_BEGINS)
    lines, end, tail = rest.partition("\n)\n")
    text = f"{head}{begin}{lines}\n    {toy.line},{end}{tail}"
    table.write_text(text, encoding="utf-8")


def run(checkout: Path, *arguments: str, timeout: int = 500) -> str:
    """Run Python in a checkout; return what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Copy the checkout, and add a toy to every family."""
    copy = tmp_path_factory.mktemp("four_files")
    for name in COPIED:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=ignored)
    for name in ("README.md", "CONTRIBUTING.md", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    for toy in FAMILIES.values():
        add(toy, copy)
    yield copy
    shutil.rmtree(copy)


MEASURE = """
import importlib, sys
from pathlib import Path

sys.path.insert(0, "scripts")
import measurements.play
from measurements.table import fill

play = measurements.play.play

def play_one(env_id, policy, seeds, **kwargs):
    # One episode of few agents counts as many: how good a toy's baselines are is no matter.
    few = {"n_agents": min(8, kwargs["n_agents"])} if "n_agents" in kwargs else {}
    return play(env_id, policy, seeds[:1], **{**kwargs, **few}) * len(seeds)

measurements.play.play = play_one
module = importlib.import_module(f"measurements.{sys.argv[1]}")
for table in module.TABLES:
    fill(table, Path("docs", "results"), workers=1, say=print)
"""
"""Measures what the results lack, in a moment."""


each_family = pytest.mark.parametrize("family", FAMILIES)


@pytest.mark.heavy
@each_family
def test_its_environment_conforms(family: str, checkout: Path) -> None:
    toy = FAMILIES[family]
    run(checkout, "-m", "pytest", "-q", "tests/coordgym/test_registry_suite.py", "-k", toy.env)


@pytest.mark.heavy
@each_family
def test_baselines_play_it(family: str, checkout: Path, tmp_path: Path) -> None:
    toy = FAMILIES[family]
    policies = ("oracle", "random", *toy.baselines)
    named = [part for policy in policies for part in ("--policy", policy)]
    out = ("--out", str(tmp_path))
    told = run(checkout, "-m", "coordgym", "run", f"{toy.env}-v0", "--seeds", "2", *out, *named)
    for policy in policies:
        assert policy in told
    assert "failed" not in told.lower()


@pytest.mark.heavy
@each_family
def test_the_tests_of_all_tasks_hold_for_it(family: str, checkout: Path) -> None:
    toy = FAMILIES[family]
    if toy.cases is not None:
        run(checkout, "scripts/make_cases.py", toy.cases, toy.task)
        run(checkout, "scripts/make_cases.py", "--check", toy.cases)
    run(checkout, "-m", "pytest", "-q", *toy.tests, "-k", toy.task)


@pytest.mark.heavy
def test_the_docs_show_them_all(checkout: Path) -> None:
    for family in FAMILIES:
        run(checkout, "-c", MEASURE, family)
    run(checkout, "scripts/generate_docs.py")
    for family, toy in FAMILIES.items():
        for page in (f"docs/{family}.md", f"docs/environments/{family}.md"):
            assert toy.env in (checkout / page).read_text(encoding="utf-8")
            assert toy.env not in (ROOT / page).read_text(encoding="utf-8")
    run(checkout, "scripts/generate_docs.py", "--check")
