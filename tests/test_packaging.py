"""The folders, the list of packages, the committed links and what a wheel holds."""

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import coordgym

ROOT = Path(__file__).parent.parent
MAPPED = ("silo_env", "swarm_env", "agents", "baselines")
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def package_folders() -> set[str]:
    """Name every folder that holds modules, as it is imported."""
    names = set()
    for top in ("coordgym", *MAPPED):
        prefix = "" if top == "coordgym" else "coordgym."
        for init in (ROOT / top).rglob("__init__.py"):
            parts = init.parent.relative_to(ROOT).parts
            if top == "coordgym" and len(parts) > 1 and parts[1] in MAPPED:
                continue  # reached through a link
            names.add(prefix + ".".join(parts))
    return names


def test_all_folders_are_listed_as_packages() -> None:
    assert set(CONFIG["packages"]) == package_folders()


def test_the_version_is_one_and_the_changes_begin_with_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == coordgym.__version__
    changes = (ROOT / "CHANGELOG.md").read_text().split("\n## ")
    assert changes[1].split()[0] == coordgym.__version__


def test_the_links_show_the_mapped_folders() -> None:
    for name in MAPPED:
        link = ROOT / "coordgym" / name
        assert link.is_symlink()
        assert str(link.readlink()) == f"../{name}"
        assert CONFIG["package-dir"][f"coordgym.{name}"] == name


@pytest.mark.parametrize("name", MAPPED)
def test_importing_a_folder_by_its_own_name_says_what_to_import(name: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", f"import {name}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode != 0
    assert f"import coordgym.{name}, not {name}" in result.stderr


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution and, from it, the wheel."""
    out = tmp_path_factory.mktemp("dist")
    clone = tmp_path_factory.mktemp("source") / "coordgym"
    files = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    for file in files:
        source, target = ROOT / file, clone / file
        if source.is_symlink() or source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_symlink():
                target.symlink_to(source.readlink())
            else:
                target.write_bytes(source.read_bytes())
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(out), str(clone)],
        check=True, capture_output=True,
    )  # fmt: skip
    return out


@pytest.mark.slow
def test_the_wheel_holds_one_import_root_and_every_package(distributions: Path) -> None:
    (wheel,) = distributions.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"coordgym"}
    assert "coordgym/py.typed" in names
    for package in CONFIG["packages"]:
        assert f"{package.replace('.', '/')}/__init__.py" in names
    assert not [name for name in names if "test" in Path(name).name.lower().split("_")[0]]


@pytest.mark.slow
def test_the_source_distribution_builds_without_the_repository(distributions: Path) -> None:
    (sdist,) = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
    root = names[0].split("/")[0]
    for needed in (
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "silo_env/__init__.py",
        "agents/__init__.py",
    ):
        assert f"{root}/{needed}" in names
