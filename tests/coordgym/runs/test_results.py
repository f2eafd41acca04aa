"""What folders of results hold is read, or refused with a reason."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from relay_runs import a_plan

from coordgym.episodes.episode import read_episodes, write_episodes
from coordgym.errors import CoordgymError, PlanError
from coordgym.runs.evaluate import evaluate
from coordgym.runs.report import markdown_report
from coordgym.runs.results import COMPRESSED_FILE, EPISODES_FILE, load_results


def test_a_folder_with_both_forms_is_refused(tmp_path: Path) -> None:
    evaluate(a_plan(), tmp_path)
    (tmp_path / COMPRESSED_FILE).write_bytes(b"something")
    for call in (evaluate, lambda plan, out: load_results(out)):
        with pytest.raises(PlanError, match=r"holds episodes\.jsonl and episodes\.jsonl\.gz"):
            call(a_plan(), tmp_path)
    (tmp_path / COMPRESSED_FILE).write_bytes(b"")
    assert len(load_results(tmp_path).rows) == 8


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
