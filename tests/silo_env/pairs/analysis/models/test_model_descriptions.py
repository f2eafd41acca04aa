"""Failures that a language model describes and groups that it names."""

import csv
import importlib.util
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from coordgym.cli.app import app
from coordgym.errors import ConfigError, EpisodeError, ModelError, PlanError
from coordgym.policies.protocol import Completion
from coordgym.runs.evaluate import evaluate
from coordgym.silo_env.pairs.analysis.conversations.conversation import make_conversation
from coordgym.silo_env.pairs.analysis.conversations.transcripts import LEGEND
from coordgym.silo_env.pairs.analysis.failures.asking import CachedAsk
from coordgym.silo_env.pairs.analysis.failures.cascade import STAGES, label
from coordgym.silo_env.pairs.analysis.failures.stages import Labelled
from coordgym.silo_env.pairs.analysis.models import cluster_names, model_descriptions
from coordgym.silo_env.pairs.analysis.models.cluster_names import (
    FORBIDDEN,
    MOST_TRIES,
    ask_names,
    forbidden_in,
    read_name,
)
from coordgym.silo_env.pairs.analysis.models.clusters import failure_table
from coordgym.silo_env.pairs.analysis.models.model_descriptions import (
    MAX_CHARS,
    ask_descriptions,
    description_question,
)
from coordgym.silo_env.pairs.analysis.plans import tax_plans
from coordgym.silo_env.pairs.dialogue.outcome import Message
from coordgym.silo_env.pairs.instance import views
from coordgym.silo_env.pairs.options import PairOptions

TESTS = Path(__file__).parents[4]
INSTANCES = {c["task"]: c["instance"] for c in cases("pair_cases", size="tiny")}
WRONG = "I give up. ACTI!"


class Writer:
    """Answers with what a function makes of a chat; None fails."""

    model, settings = "writer", ""

    def __init__(self, reply: Callable[[tuple[str, ...]], str | None]) -> None:
        self.reply = reply
        self.temperatures: set[float] = set()
        self.chats: list[tuple[str, ...]] = []

    def __call__(self, chats, *, temperature, seeds) -> list[Completion]:
        self.temperatures.add(temperature)
        self.chats += chats
        texts = [self.reply(chat) for chat in chats]
        if None in texts:
            raise ModelError("no luck")
        return [Completion(text) for text in texts if text is not None]


def failed_dialogue(task: str, number: int = 0, *, friction: int = 1) -> Labelled:
    messages = [Message(0, f"Hello {number}."), Message(1, WRONG)]
    dialogue = make_conversation(
        PairOptions(task=task, friction=friction),
        INSTANCES[task],
        messages,
        models=("a", "a"),
        seed=number,
    )
    return Labelled(dialogue, label(dialogue))


class TestDescriptions:
    @pytest.mark.parametrize("friction", [0, 1, 2])
    def test_the_question_shows_both_views_and_the_talk(self, friction) -> None:
        dialogue = failed_dialogue("maze", friction=friction).conversation
        (text,) = description_question(dialogue).chat
        for view in views("maze", INSTANCES["maze"], friction):
            assert view in text
        assert "[1] Agent 1:\n| Hello 0." in text
        assert "none was given" in text
        assert LEGEND in text

    def test_the_question_suggests_no_failure(self) -> None:
        asked = model_descriptions._REQUEST.lower()
        hints = (*FORBIDDEN, *STAGES, "ground", "quer", "integrat", "deriv", "check", "assum",
                 "confirm", "ask for", "invent", "hallucinat")  # fmt: skip
        assert not [hint for hint in hints if hint.lower() in asked]

    def test_replies_become_one_line_of_bounded_length(self, tmp_path) -> None:
        ask = Writer(lambda _: "They  talked.\n\n" + "x" * 5000)
        cached = CachedAsk(ask, tmp_path / "r.jsonl")
        (told,) = ask_descriptions([failed_dialogue("maze").conversation], cached)
        assert told.text is not None
        assert told.text.startswith("They talked. xxx")
        assert len(told.text) == MAX_CHARS
        assert ask.temperatures == {0.2}


class TestNames:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("moved_without_confirming_layout", "moved_without_confirming_layout"),
            ("**guessed_hidden_cells**", "guessed_hidden_cells"),
            ("The name: `guessed_hidden_cells`.", "guessed_hidden_cells"),
            ("a_b_c_d_e_f", "a_b_c_d_e_f"),
            ("walked_on_walls, yes: walked_on_walls", "walked_on_walls"),
        ],
    )
    def test_names_by_the_rules(self, text, name) -> None:
        assert read_name(text).name == name

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("", "no name"),
            ("Walking on walls", "no name"),
            ("walked_on_walls or left_too_early", "several names"),
            ("two_words", "3 to 6 words and has 2"),
            ("a_b_c_d_e_f_g", "3 to 6 words and has 7"),
            ("Walked_On_Walls", "lower-case"),
            ("walked_2_walls", "lower-case"),
            ("did_not_cross_check", "cross-check"),
            ("no_crosscheck_of_sums", "cross-check"),
            ("taken_by_another", "another group"),
            *((f"agents_{word.replace('-', '_')}ed_late", word) for word in FORBIDDEN),
        ],
    )
    def test_names_against_the_rules(self, text, problem) -> None:
        given = read_name(text, {"taken_by_another"})
        assert given.name is None
        assert problem in given.problem

    @given(st.text(max_size=80) | st.text(alphabet="ab_ -Zé9", max_size=40))
    def test_whatever_is_read_keeps_the_rules(self, text) -> None:
        name = read_name(text).name
        if name is not None:
            assert re.fullmatch(r"[a-z]+(_[a-z]+){2,5}", name)
            assert forbidden_in(name) is None
            assert name in text

    def test_a_refused_name_is_asked_for_again_with_the_reason(self, tmp_path) -> None:
        def reply(chat: tuple[str, ...]) -> str:
            return "they_share_too_late" if len(chat) == 1 else "told_walls_too_late"

        ask = Writer(reply)
        (given,) = ask_names([["They told."]], CachedAsk(ask, tmp_path / "r.jsonl"))
        assert given.name == "told_walls_too_late"
        first, second = ask.chats
        assert "1. They told." in first[0]
        assert all(word in first[0] for word in FORBIDDEN)
        assert second[:2] == (first[0], "they_share_too_late")
        assert 'forbidden "share"' in second[2]

    def test_it_is_asked_for_a_bounded_number_of_times(self, tmp_path) -> None:
        ask = Writer(lambda _: "no name at all")
        given = ask_names([["a"], ["b"]], CachedAsk(ask, tmp_path / "r.jsonl"))
        assert [each.name for each in given] == [None, None]
        assert len(ask.chats) == 2 * MOST_TRIES

    def test_no_two_groups_have_one_name(self, tmp_path) -> None:
        ask = Writer(lambda chat: "told_walls_too_late" if len(chat) < 3 else "left_the_talk_early")
        given = ask_names([["a"], ["b"]], CachedAsk(ask, tmp_path / "r.jsonl"))
        assert [each.name for each in given] == ["told_walls_too_late", "left_the_talk_early"]

    def test_the_style_shown_keeps_the_rules_itself(self) -> None:
        (name,) = [
            n for n in cluster_names._SNAKE.findall(cluster_names._REQUEST) if n.count("_") > 1
        ]
        assert read_name(name).name == name


THEMES = {
    "maze": ("walked through the wall", "told_walls_too_late"),
    "treesum": ("added a wrong node value", "added_a_wrong_value"),
    "binpack": ("overloaded the first crate", "overloaded_the_first_crate"),
}


RULES = {"maze": "A maze", "treesum": "of a tree", "binpack": "crate"}
NUMBERS = ("zero", "one", "two", "three", "four", "five")


def describing(chat: tuple[str, ...]) -> str:
    """Describe by the task whose rule is shown; name by what the descriptions say."""
    text = chat[0]
    if "What went wrong" not in text:
        said = next(name for theme, name in THEMES.values() if theme in text)
        return f"{said}_{'a' * text.count('number')}"  # groups of one theme differ in size
    rule = text.split("What agent 1 saw")[0]
    task = next(task for task, words in RULES.items() if words in rule)
    number = re.search(r"Hello (\d)", text)
    assert number is not None
    return f"The pair {THEMES[task][0]} number {NUMBERS[int(number[1])]}."


LABELLED = [failed_dialogue(task, number) for task in THEMES for number in range(6)]


class TestTable:
    def test_a_model_describes_and_names(self, tmp_path) -> None:
        table = failure_table(LABELLED, CachedAsk(Writer(describing), tmp_path / "r.jsonl"))
        assert table.columns[-1] == "named by"
        assert sum(int(str(row[2])) for row in table.rows) == len(LABELLED)
        assert "Described and named by writer." in table.note
        by_model = [row for row in table.rows if row[-1] == "model"]
        assert by_model
        for row in by_model:
            assert str(row[1]).startswith(THEMES[str(row[3])][1])

    def test_the_table_says_which_names_are_not_the_models(self, tmp_path) -> None:
        def reply(chat: tuple[str, ...]) -> str:
            return describing(chat) if "What went wrong" in chat[0] else "verify_all_the_things"

        table = failure_table(LABELLED, CachedAsk(Writer(reply), tmp_path / "r.jsonl"))
        assert {row[-1] for row in table.rows} == {"terms"}
        assert f"{len(table.rows)} groups are named by their heaviest terms" in table.note
        assert 'forbidden "verify"' in table.note

    def test_dialogues_without_description_are_left_out_and_counted(self, tmp_path) -> None:
        def reply(chat: tuple[str, ...]) -> str | None:
            return None if "Hello 3" in chat[0] else describing(chat)

        table = failure_table(LABELLED, CachedAsk(Writer(reply), tmp_path / "r.jsonl"))
        assert sum(int(str(row[2])) for row in table.rows) == len(LABELLED) - 3
        assert "3 of 18 dialogues are left out" in table.note
        assert "no luck" in table.note

    def test_too_few_descriptions(self, tmp_path) -> None:
        cached = CachedAsk(Writer(lambda _: None), tmp_path / "r.jsonl")
        with pytest.raises(EpisodeError, match=r"more than 4 descriptions, got 0\..*no luck"):
            failure_table(LABELLED, cached)

    def test_nothing_is_asked_where_there_are_too_few_failures(self, tmp_path) -> None:
        ask = Writer(describing)
        with pytest.raises(EpisodeError, match="got 2"):
            failure_table(LABELLED[:2], CachedAsk(ask, tmp_path / "r.jsonl"))
        assert not ask.chats

    def test_rules_need_no_model(self) -> None:
        table = failure_table(LABELLED)
        assert "named by" not in table.columns
        assert "Described" not in table.note


def load_endpoint() -> ModuleType:
    path = TESTS / "agents" / "fake_endpoint.py"
    spec = importlib.util.spec_from_file_location("coordgym_test_fake_endpoint_of_pairs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("asked")
    plans = tax_plans({"guessing": "pairs:one-view"}, tasks=["maze", "order"], seeds=range(5))
    evaluate(plans.alike, folder)
    return folder


class TestCommand:
    def test_tables_by_an_endpoint_and_what_is_missing_later(self, played, monkeypatch) -> None:
        pytest.importorskip("openai")
        module = load_endpoint()

        def reply_text(request: dict[str, object]) -> str:
            messages = request["messages"]
            assert isinstance(messages, list)
            text = messages[-1]["content"]
            if "Write down the answer" in text:
                assert request["temperature"] == 0.5
                return '{"answer": null}'
            assert request["temperature"] == 0.2
            if "What went wrong" in text:
                lengths = " ".join(f"long{len(text) % prime}" for prime in (2, 3, 5))
                kind = "walked into walls" if "maze" in text else "mixed the queue up"
                return f"They {kind}, {lengths}."
            return "they_talked_past_each_other"

        monkeypatch.setattr(module, "reply_text", reply_text)
        with module.FakeEndpoint() as server:
            model = f"llm:openai:some-model@{server.url}"
            options = ["--failures", "--describe-with", model, "--extract-with", model]
            options += ["--model-kwargs", "max_new_tokens=99"]
            server.script.extend(["status:400"] * 2)
            shown = CliRunner().invoke(app, ["tax", str(played), *options])
            assert shown.exit_code == 0, shown.output
            assert {request["max_tokens"] for request in server.requests} == {99}
            rows = list(csv.DictReader((played / "tax-extraction.csv").open()))
            assert {row["mode"] for row in rows} == {"pair", "solo_full"}
            totals = [row for row in rows if row["category"] == "all"]
            assert sum(int(row["n"]) for row in totals) == 20
            assert sum(int(row["no reply"]) for row in totals) == 2
            assert all(float(row["read score"]) == 0.0 for row in rows)
            failed = list(csv.DictReader((played / "tax-failures.csv").open()))
            assert "they_talked_past_each_other" in [row["name"] for row in failed]
            assert {row["named by"] for row in failed} <= {"model", "terms"}
            assert "read by a model" in (played / "tax.md").read_text()
            asked = len(server.requests)
            again = CliRunner().invoke(app, ["tax", str(played), *options])
            assert again.exit_code == 0, again.output
            assert len(server.requests) == asked + 2  # the two without a reply
        kept = [json.loads(line) for line in (played / "replies.jsonl").open()]
        assert {line["purpose"] for line in kept} == {
            "extract the answer", "describe the failure", "name the group",
        }  # fmt: skip

    def test_what_a_silent_endpoint_keeps_is_told(self, played, monkeypatch, tmp_path) -> None:
        pytest.importorskip("openai")
        monkeypatch.setattr("coordgym.cli.pairs.SECONDS_BETWEEN_LINES", 0.05)
        folder = shutil.copytree(played, tmp_path / "copy", ignore=lambda *_: ["replies.jsonl"])
        with load_endpoint().FakeEndpoint() as server:
            server.script.append("slow:0.5")
            options = ["--extract-with", f"llm:openai:some-model@{server.url}"]
            shown = CliRunner().invoke(app, ["tax", str(folder), *options])
        lines = shown.stderr.splitlines()
        assert lines[0] == "asked some-model 0 of 20 questions"
        assert lines[-1] == "asked some-model 20 of 20 questions"
        assert re.fullmatch(r"waiting for some-model for 0\.05 s \(20 questions\)", lines[1])
        assert "waiting" not in shown.stdout

    def test_a_dead_endpoint_loses_no_table(self, played) -> None:
        pytest.importorskip("openai")
        model = "llm:openai:gone@http://127.0.0.1:9/v1"
        options = ["--failures", "--describe-with", model, "--model-kwargs", "max_attempts=1"]
        for name in ("tax-failures.csv", "tax-tasks.csv"):
            (played / name).unlink(missing_ok=True)
        shown = CliRunner().invoke(app, ["tax", str(played), *options])
        assert shown.exit_code == 1
        note = (played / "tax.md").read_text().partition("## Kinds of failed dialogues")[2]
        assert "Not made" in note
        assert "refused" in note
        assert "Tax by task" in shown.output
        assert (played / "tax-tasks.csv").exists()
        assert not (played / "tax-failures.csv").exists()

    @pytest.mark.parametrize(
        ("options", "error", "match"),
        [
            (["--describe-with", "llm:embedded"], PlanError, "--failures"),
            (["--model-kwargs", "stop=[x]"], PlanError, "--extract-with"),
            (
                ["--extract-with", "llm:openai:m@http://h/v1", "--model-kwargs", "temperature=1"],
                ConfigError,
                "temperature",
            ),
        ],
    )
    def test_mistakes_are_named(self, played, options, error, match) -> None:
        shown = CliRunner().invoke(app, ["tax", str(played), *options])
        assert isinstance(shown.exception, error)
        assert match in str(shown.exception)
