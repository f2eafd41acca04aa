"""The rules of the house that a reader would else have to check by eye."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ("coordgym", "silo_env", "swarm_env", "agents", "baselines", "scripts")
LINKED = ("silo_env", "swarm_env", "agents", "baselines")
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_FILES = 15
"""Files of a folder beside ``__init__.py``; folders of tasks grow with the tasks."""

AT_THE_DOOR = {
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "pyproject.toml",
}
"""What a visitor sees beside the folders."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def files(*tops: str) -> list[Path]:
    """Name the Python files below folders of the checkout, without those behind links."""
    found = [path.relative_to(ROOT) for top in tops for path in (ROOT / top).rglob("*.py")]
    return sorted(path for path in found if path.parts[:2] not in {("coordgym", n) for n in LINKED})


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, Function):
            yield node


# --- sizes --------------------------------------------------------------------------------


@pytest.mark.parametrize("top", [*SOURCE, "tests", "benchmarks"])
def test_files_are_short(top: str) -> None:
    lines = {str(p): len((ROOT / p).read_text(encoding="utf-8").splitlines()) for p in files(top)}
    assert {p: n for p, n in lines.items() if n > MAX_FILE_LINES} == {}


@pytest.mark.parametrize("top", [*SOURCE, "tests", "benchmarks"])
def test_functions_are_short(top: str) -> None:
    long = {
        f"{path}:{function.name}": (function.end_lineno or 0) - function.lineno + 1
        for path in files(top)
        for function in functions(path)
    }
    assert {name: n for name, n in long.items() if n > MAX_FUNCTION_LINES} == {}


def test_folders_show_their_rooms() -> None:
    folders = Counter(path.parent.as_posix() for path in files(*SOURCE))
    full = {folder: n for folder, n in folders.items() if n - 1 > MAX_FILES}
    assert {folder for folder in full if not folder.endswith("/tasks")} == set()


def test_nothing_lies_about_at_the_door() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--", ":(glob)*"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert {name for name in listed if not name.startswith(".")} == AT_THE_DOOR


# --- imports ------------------------------------------------------------------------------

LAZY = {
    "agents/factory.py": "a backend loads torch or openai, which need not be installed",
    "coordgym/cli": "a command loads what it runs, so that `coordgym --help` answers at once",
}
"""Where functions may import modules of the package, by file or folder, and why."""


def imports_of_the_package(node: ast.AST) -> Iterator[str]:
    """Name the modules of the package that are imported below a node."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.ImportFrom):
            modules = [inner.module or ""]
        elif isinstance(inner, ast.Import):
            modules = [alias.name for alias in inner.names]
        else:
            continue
        yield from (name for name in modules if name.partition(".")[0] == "coordgym")


def test_functions_import_the_package_only_where_there_is_a_reason() -> None:
    lazy = {
        path.as_posix()
        for path in files(*SOURCE)
        for function in functions(path)
        if any(imports_of_the_package(function))
    }
    unlisted = {p for p in lazy if not any(p == k or p.startswith(f"{k}/") for k in LAZY)}
    unused = {k for k in LAZY if not any(p == k or p.startswith(f"{k}/") for p in lazy)}
    assert (unlisted, unused) == (set(), set())


def test_nothing_in_the_package_imports_its_front_door() -> None:
    """The front door imports the rest; who imports it back stands in a circle."""
    inside = [path for path in files(*SOURCE) if path.parts[0] != "scripts"]
    callers = {
        path.as_posix()
        for path in inside
        if "coordgym"
        in imports_of_the_package(ast.parse((ROOT / path).read_text(encoding="utf-8")))
    }
    assert callers == set()


def lint_imports(checkout: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts on imports of a checkout."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    return subprocess.run(
        [*command, "--no-cache"], cwd=checkout, env={"PYTHONPATH": str(checkout)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_imports_keep_their_directions() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("path", "imported", "contract"),
    [
        ("coordgym/contract/spaces.py", "coordgym.swarm_env", "Rooms are built one upon another"),
        ("agents/factory.py", "coordgym.baselines", "Rooms are built one upon another"),
        ("silo_env/graph/texts.py", "coordgym.silo_env.pairs", "families don't know each other"),
        ("baselines/graph/__init__.py", "coordgym.baselines.pairs", "baselines of a family"),
        ("coordgym/contract/spaces.py", "coordgym.contract.base", "No circles"),
        ("swarm_env/table.py", "docgen.pages", "without its scripts and tests"),
    ],
)
def test_a_wrong_import_is_found(path: str, imported: str, contract: str, tmp_path: Path) -> None:
    names = [name for name in SOURCE if name != "scripts"]
    for name in names:
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    planted = tmp_path / path
    planted.write_text(f"{planted.read_text(encoding='utf-8')}\nimport {imported}\n")
    done = lint_imports(tmp_path)
    assert done.returncode == 1, done.stderr
    assert re.search(rf"{contract}.* BROKEN", done.stdout)


# --- docs/architecture.md -----------------------------------------------------------------

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def drawn_rooms() -> set[str]:
    """Name the rooms of the tree that the page draws, by their place in the checkout."""
    tree = ARCHITECTURE.partition("```text\n")[2].partition("```")[0]
    places: set[str] = set()
    above: dict[int, str] = {}
    for line in tree.splitlines():
        indent, name = len(line) - len(line.lstrip()), line.split()[0]
        depth = indent // 2
        above[depth] = f"{above[depth - 1] if depth else ''}{name}"
        beside = re.findall(r"\b[a-z]+/", line.lstrip().removeprefix(name))
        places |= {above[depth], *(above[depth] + other for other in beside if depth == 1)}
    return places


def test_the_page_draws_what_is_there() -> None:
    rooms = drawn_rooms()
    assert {room for room in rooms if not (ROOT / room).exists()} == set()


def test_the_page_draws_every_room() -> None:
    hidden = {"__pycache__", "__init__.py", "__main__.py", "py.typed", *LINKED}
    core = {p.name + "/" * p.is_dir() for p in (ROOT / "coordgym").iterdir()}
    wanted = {f"coordgym/{name}" for name in core if name.rstrip("/") not in hidden}
    assert wanted <= drawn_rooms()


def test_files_that_the_page_names_are_there() -> None:
    named = set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)`", ARCHITECTURE))
    known = {path.as_posix() for path in files(*SOURCE, "tests")}
    missing = {name for name in named if not any(f"/{p}".endswith(f"/{name}") for p in known)}
    assert missing == set()


def test_the_page_tells_the_directions_that_are_checked() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (
        each for each in config["tool"]["importlinter"]["contracts"] if each["type"] == "layers"
    )
    checked = [set(layer.split(" | ")) for layer in reversed(contract["layers"])]
    section = ARCHITECTURE.partition("## Who may import whom")[2].partition("Rooms separated")[0]
    told = [set(re.findall(r"`(\w+)`", step)) for step in section.split("→")]
    assert [*told, {"__main__"}] == checked


# --- words --------------------------------------------------------------------------------

SINGLE_BACKTICKS = re.compile(r"(?<![`:\w])`[^`\n]+`(?!`)")
NOUN_PHRASE = re.compile(
    r"(The|A|An|How|Whether|What|Where|Which|Who|One|Each|All|Every|Everything|This|If|As|In|No)\b"
)
"""First words that no imperative sentence begins with; ``ruff`` finds the others (D401)."""


def docstrings(path: Path) -> Iterator[tuple[str, str, bool]]:
    """Yield where each docstring of a file stands, its text, and whether it tells an act."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | Function):
            text = ast.get_docstring(node)
            name = getattr(node, "name", "")
            if text is not None:
                yield f"{path}:{name}", text, isinstance(node, Function) and not is_value(node)


def is_value(function: Function) -> bool:
    """Tell whether a function is read like an attribute, so that its docstring names it."""
    decorators = {ast.unparse(each) for each in function.decorator_list}
    return bool(decorators & {"property", "cached_property", "functools.cached_property"})


def test_code_in_docstrings_stands_in_double_backticks() -> None:
    single = [
        where
        for path in files(*SOURCE)
        for where, text, _ in docstrings(path)
        if SINGLE_BACKTICKS.search(text)
    ]
    assert single == []


def test_docstrings_of_functions_tell_what_they_do() -> None:
    phrases = [
        where
        for path in files(*SOURCE)
        for where, text, tells_an_act in docstrings(path)
        if tells_an_act and NOUN_PHRASE.match(text)
    ]
    assert phrases == []
