"""From plans over results to the tables of the tax, and the commands that do it."""

import csv
import re
import shutil
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from coordgym.cli.app import app
from coordgym.data.tables import Table
from coordgym.errors import ConfigError, EpisodeError, PlanError
from coordgym.policies.protocol import Completion
from coordgym.runs.evaluate import evaluate
from coordgym.runs.plan_file import load_plan, plan_of
from coordgym.runs.planned import PlannedSeat
from coordgym.runs.results import Results, load_results
from coordgym.silo_env.pairs.analysis import report
from coordgym.silo_env.pairs.analysis.failures.asking import CachedAsk
from coordgym.silo_env.pairs.analysis.plans import (
    TaxPlans,
    all_pairs,
    tax_plans,
    to_yaml,
    write_plans,
)
from coordgym.silo_env.pairs.analysis.report import Wanted, load_folders, tax_report
from coordgym.silo_env.pairs.analysis.scores.results import from_episodes, from_results
from coordgym.silo_env.pairs.analysis.scores.tables import tax_tables
from coordgym.silo_env.pairs.analysis.scores.tax import tax_cells
from coordgym.silo_env.pairs.table import TASKS
from coordgym.silo_env.pairs.task import find_task

MODELS = {"sharing": "pairs:share-and-solve", "guessing": "pairs:one-view"}
SMALL = {"config": {"n": 4}}


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tax")
    plans = tax_plans(
        MODELS,
        tasks=["maze"],
        seeds=range(3),
        pairs=[("sharing", "guessing")],
        clauses=["all"],
        one_view=True,
        kwargs=SMALL,
    )
    for path in write_plans(plans, folder):
        evaluate(path, folder / path.stem)
    return folder


class Mute:
    """A model that says nothing."""

    model, settings = "mute", ""

    def __call__(self, chats, *, temperature, seeds):
        return [Completion("") for _ in chats]


class TestPlans:
    def test_default_plan_covers_the_suite(self) -> None:
        plans = tax_plans(MODELS)
        assert plans.mixed is None
        assert len(plans.alike) == len(TASKS) * 2 * 2 * 50
        assert {env.kwargs["mode"] for env in plans.alike.envs} == {"pair", "solo_full"}

    def test_mixed_pairs_play_both_orders(self) -> None:
        models = {**MODELS, "noise": PlannedSeat("random")}
        plans = tax_plans(models, tasks=["maze"], seeds=[0], pairs=all_pairs(models))
        assert plans.mixed is not None
        seats = [
            [policy.seats[agent].policy for agent in ("agent_0", "agent_1")]
            for policy in plans.mixed.policies
        ]
        assert len(seats) == 6
        assert all([second, first] in seats for first, second in seats)
        assert {env.kwargs["mode"] for env in plans.mixed.envs} == {"pair"}

    def test_yaml_says_the_same(self) -> None:
        import yaml

        for plan in tax_plans(
            MODELS, seeds=range(2), pairs=[("sharing", "guessing")], clauses=["no_l1"]
        ):
            assert plan is not None
            assert plan_of(yaml.safe_load(to_yaml(plan))) == plan

    @pytest.mark.parametrize(
        ("changes", "error", "match"),
        [
            ({"tasks": ["mase"]}, ConfigError, "maze"),
            ({"clauses": ["no_l9"]}, ConfigError, "no_l9"),
            ({"pairs": [("sharing", "nobody")]}, PlanError, "nobody"),
            ({"pairs": [("sharing", "sharing")]}, PlanError, "twice"),
            ({"kwargs": {"mode": "pair"}}, PlanError, "mode"),
        ],
    )
    def test_mistakes_are_named(self, changes, error, match) -> None:
        with pytest.raises(error, match=match):
            tax_plans(MODELS, **changes)

    def test_other_plans_are_never_overwritten(self, tmp_path) -> None:
        def planned(seeds: range) -> TaxPlans:
            return tax_plans(MODELS, tasks=["maze"], seeds=seeds, pairs=all_pairs(MODELS))

        paths = write_plans(planned(range(2)), tmp_path)
        paths[0].write_text("# mine\n" + paths[0].read_text())
        before = [path.read_text() for path in paths]
        assert write_plans(planned(range(2)), tmp_path) == paths
        assert [path.read_text() for path in paths] == before
        for path in paths:
            others = [other for other in paths if other != path]
            for other in others:
                other.unlink()
            with pytest.raises(PlanError, match=rf"{path.name} holds another plan.*remove"):
                write_plans(planned(range(3)), tmp_path)
            assert not any(other.exists() for other in others)
            write_plans(planned(range(2)), tmp_path)
        paths[1].write_text("nonsense: [")
        with pytest.raises(PlanError, match="another plan"):
            write_plans(planned(range(2)), tmp_path)


class TestResults:
    def test_seats_are_called_like_the_models_of_the_plans(self, played) -> None:
        results = from_results(load_folders(played))
        pairs = {result.models for result in results if result.mode == "pair"}
        assert pairs == {(a, b) for a in MODELS for b in MODELS}
        assert {result.clauses for result in results} == {"none", "all"}
        assert len({result.setting for result in results}) == 1

    def test_share_and_solve_pays_no_tax_and_guessing_does(self, played) -> None:
        cells = {cell.models: cell for cell in tax_cells(from_results(load_folders(played)))}
        assert cells["sharing", "sharing"].tax.value == 0
        assert cells["guessing", "guessing"].solo == (1.0, 1.0)
        assert cells["guessing", "guessing"].tax.value > 0
        assert all(cell.paired and cell.seeds == 3 for cell in cells.values())

    def test_episodes_tell_the_same_as_folders(self, played) -> None:
        folders = load_folders(played)
        episodes = [episode for folder in folders for episode in folder.episodes()]
        named = {policy: name for name, policy in MODELS.items()}
        told = {
            (r.mode, r.clauses, tuple(named[m] for m in r.models), r.seed, r.score)
            for r in from_episodes(episodes)
        }
        assert told == {
            (r.mode, r.clauses, r.models, r.seed, r.score) for r in from_results(folders)
        }

    def test_no_episode_counts_twice(self, played) -> None:
        folder = load_results(played / "alike")
        with pytest.raises(EpisodeError, match="alike"):
            from_results([folder, folder])

    def test_a_folder_without_results(self, tmp_path) -> None:
        with pytest.raises(PlanError, match="no results"):
            load_folders(tmp_path)


class TestTables:
    def test_all_tables_are_made(self, played) -> None:
        tables = tax_tables(from_results(load_folders(played)))
        assert [table.name for table in tables] == [
            "tax-models",
            "tax-tasks",
            "tax-games",
            "tax-mixed",
            "tax-additive-null",
            "tax-clauses",
        ]
        games = next(table for table in tables if table.name == "tax-games")
        assert {row[0] for row in games.rows} == {f"{a} × {b}" for a in MODELS for b in MODELS}

    def test_settings_have_tables_of_their_own(self, played) -> None:
        from dataclasses import replace

        results = from_results(load_folders(played))
        others = [replace(result, setting='{"friction": 2}') for result in results]
        names = [table.name for table in tax_tables([*results, *others])]
        assert "tax-models-1" in names
        assert "tax-models-2" in names


class TestCommands:
    @pytest.mark.parametrize("terminal", [True, False])
    @pytest.mark.parametrize("columns", ["50", "80", "100"])
    def test_the_command_cuts_nothing(self, played, terminal, columns) -> None:
        environment = {"COLUMNS": columns, "FORCE_COLOR": "1" if terminal else None}
        shown = CliRunner().invoke(app, ["tax", str(played)], env=environment)
        assert shown.exit_code == 0, shown.output
        assert "…" not in shown.output
        for table in tax_tables(from_results(load_folders(played))):
            assert all(cell in shown.output for row in table.texts() for cell in row)

    def test_plan_run_and_report(self, tmp_path) -> None:
        runner = CliRunner()
        folder = tmp_path / "out"
        models = ["-p", "pairs:one-view", "-p", "random", "--mixed"]
        options = [*models, "--task", "maze", "--seeds", "2"]
        made = runner.invoke(app, ["tax-plan", str(folder), *options, "-k", "config={n: 4}"])
        assert made.exit_code == 0, made.output
        assert "coordgym bench" in made.output
        assert runner.invoke(app, ["tax-plan", str(folder), *options, "-k", "friction=2"]).exception
        for name in ("alike", "mixed"):
            evaluate(load_plan(folder / f"{name}.yaml"), folder / name)
        shown = runner.invoke(app, ["tax", str(folder)])
        assert shown.exit_code == 0, shown.output
        assert "Tax by task" in shown.output
        assert (folder / "tax.md").read_text().startswith("# Collaboration tax")
        assert (folder / "tax-tasks.csv").exists()

    def test_conversations_are_analysed_on_demand(self, tmp_path) -> None:
        plans = tax_plans(MODELS, tasks=["maze", "order"], seeds=range(4))
        evaluate(plans.alike, tmp_path)
        options = ["--stages", "--ridge", "--failures"]
        shown = CliRunner().invoke(app, ["tax", str(tmp_path), *options])
        assert shown.exit_code == 0, shown.output
        for name in ("stages", "stages-overlap", "ridge", "ridge-weights", "failures"):
            assert (tmp_path / f"tax-{name}.csv").exists()
        failed = list(csv.DictReader((tmp_path / "tax-failures.csv").open()))
        assert {row["top task"] for row in failed} <= {"maze", "order"}

    def test_pairs_alone_have_no_tax(self, tmp_path) -> None:
        plan = {
            "envs": [{"id": "coordgym/PairMaze-v0", "kwargs": SMALL}],
            "policies": ["pairs:one-view"],
        }
        evaluate(plan, tmp_path)
        result = CliRunner().invoke(app, ["tax", str(tmp_path)])
        assert isinstance(result.exception, EpisodeError)

    def test_exact_figures_go_into_all_tables_and_files_of_their_own(self, tmp_path) -> None:
        plans = tax_plans(MODELS, tasks=["maze", "order", "graph"], seeds=range(4))
        evaluate(plans.alike, tmp_path)
        run = partial(CliRunner().invoke, app)
        for options in ([], ["--exact"]):
            shown = run(["tax", str(tmp_path), "--ridge", *options])
            assert shown.exit_code == 0, shown.output
        score, exact = ({path.name: path.read_text() for path in tmp_path.glob(f"{prefix}*")
                         if ("exact" in path.name) == (prefix != "tax")}
                        for prefix in ("tax", "tax-exact"))  # fmt: skip
        assert {name.replace("tax-exact", "tax") for name in exact} == set(score)
        for kind in ("-models.csv", "-tasks.csv", "-ridge.csv", "-ridge-weights.csv"):
            assert exact[f"tax-exact{kind}"] != score[f"tax{kind}"]
        assert "(exact, " in exact["tax-exact.md"]
        assert "(score" not in exact["tax-exact.md"]
        assert "(exact" not in score["tax.md"]

    def test_tables_of_an_earlier_run_go_and_nothing_else(self, played, tmp_path) -> None:
        folder = shutil.copytree(played, tmp_path / "copy")
        others = [folder / name for name in ("tax-mine.csv", "tax-exact-games.csv", "tax.csv")]
        older = [folder / name for name in ("tax-models-2.csv", "tax-stages-fired.csv")]
        for path in (*others, *older):
            path.write_text("x")
        shown = CliRunner().invoke(app, ["tax", str(folder)])
        assert shown.exit_code == 0, shown.output
        assert all(path.read_text() == "x" for path in others)
        assert not any(path.exists() for path in older)
        assert f"removed {', '.join(map(str, older))}" in shown.output

    def test_every_file_is_known_to_be_removed_later(self) -> None:
        source = Path(report.__file__).parent
        names = {
            name
            for path in source.rglob("*.py")
            for name in re.findall(r'"(tax-[a-z-]+[a-z])"', path.read_text())
        } - set(report._PREFIXES.values())
        assert len(names) > 10
        assert all(report._OWN_FILE.fullmatch(name[4:] + ".csv") for name in names)

    def test_folders_and_instances_are_read_once(self, played, tmp_path, monkeypatch) -> None:
        """Whatever is asked of the conversations, which keep instance and solution."""
        calls: Counter[str] = Counter()

        def count(owner: type, name: str) -> None:
            wrapped = getattr(owner, name)

            def counted(*args: Any) -> Any:
                calls[name] += 1
                return wrapped(*args)

            monkeypatch.setattr(owner, name, counted)

        folder = shutil.copytree(played, tmp_path / "copy")
        for name in ("read_instance", "solve"):
            count(type(find_task("maze")), name)
        count(Results, "episodes")
        tax_report(
            folder,
            Wanted(stages=True, ridge=True, failures=True, extract_with="m", describe_with="m"),
            lambda name: CachedAsk(Mute(), tmp_path / "replies.jsonl"),
            lambda report: None,
        )
        played_in_all = sum(len(results.rows) for results in load_folders(folder))
        assert calls == {"episodes": 2, "read_instance": played_in_all, "solve": played_in_all}

    def test_an_impossible_option_leaves_a_note_and_the_rest(self, played, tmp_path) -> None:
        folder = shutil.copytree(played, tmp_path / "copy")
        older = folder / "tax-failures.csv"
        older.write_text("x")
        options = ["--ridge", "--failures", "--stages"]
        shown = CliRunner().invoke(app, ["tax", str(folder), *options])
        assert shown.exit_code == 1
        assert isinstance(shown.exception, SystemExit)
        for text in (shown.stdout, (folder / "tax.md").read_text()):
            assert "Ratios predicted from the shape of conversations" in text
            assert "Not made: holding out needs two tasks or more, got 1" in text
            assert "Dialogues that ground, query, integrate and re-derive" in text
            assert "Kinds of failed dialogues" in text
        assert "not made: Ratios predicted" in shown.stderr
        assert (folder / "tax-stages.csv").exists()
        assert not (folder / "tax-ridge.csv").exists()
        assert older.exists()

    def test_files_are_written_before_anything_is_printed(
        self, played, tmp_path, monkeypatch
    ) -> None:
        folder = shutil.copytree(played, tmp_path / "copy")

        def closed(_: Table) -> None:
            raise BrokenPipeError

        monkeypatch.setattr("coordgym.cli.pairs._print", closed)
        CliRunner().invoke(app, ["tax", str(folder)])
        assert (folder / "tax.md").exists()
        assert (folder / "tax-tasks.csv").exists()
