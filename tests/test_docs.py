"""The documentation keeps its word: marked code blocks run, links lead somewhere."""

import re
import sys
import types
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from coordgym.runs.plan_file import plan_of

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
BLOCK = re.compile(r"<!-- runnable -->\n```(\w+)\n(.*?)\n```", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
TEXT_BLOCK = re.compile(r"```.*?```", re.DOTALL)


class Block(NamedTuple):
    """One marked block: where it stands, its language, its text."""

    place: str
    language: str
    text: str


def blocks() -> list[Block]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 3
            found.append(Block(f"{page.relative_to(ROOT)}:{line}", match[1], match[2]))
    return found


def cases(language: str) -> list[object]:
    return [pytest.param(each, id=each.place) for each in blocks() if each.language == language]


def test_the_readme_and_every_written_page_with_python_are_covered() -> None:
    places = {each.place.partition(":")[0] for each in blocks()}
    assert {"README.md", "docs/policies.md", "docs/runs.md"} <= places
    assert {each.language for each in blocks()} == {"python", "yaml"}
    # A marker whose block the pattern misses would go untested.
    marked = sum(page.read_text(encoding="utf-8").count("<!-- runnable -->\n") for page in PAGES)
    assert marked == len(blocks())


@pytest.mark.parametrize("block", cases("python"))
def test_python_blocks_run(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = compile(block.text, block.place, "exec")
    # A module that can be found, so that what it defines pickles.
    module = types.ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)
    exec(code, vars(module))  # noqa: S102  our own documentation


@pytest.mark.parametrize("block", cases("yaml"))
def test_yaml_blocks_are_plans_that_can_be_run(block: Block) -> None:
    plan_of(yaml.safe_load(block.text), block.place).check()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    text = TEXT_BLOCK.sub("", page.read_text(encoding="utf-8"))
    targets = [target for target in LINK.findall(text) if "://" not in target]
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing
