"""Finding the answer of a dialogue, and the word that ends it."""

import pytest
from cases import cases, first_case
from hypothesis import given, settings
from hypothesis import strategies as st

from coordgym.silo_env.pairs.dialogue.extraction import (
    balanced_object,
    ends_dialogue,
    final_answer,
    find_candidate,
)
from coordgym.silo_env.pairs.dialogue.outcome import Message, judge
from coordgym.silo_env.pairs.grids.walks_in_prose import agreed_moves, free_text_walk
from coordgym.silo_env.pairs.instance import read_instance
from coordgym.silo_env.pairs.options import PairOptions
from coordgym.silo_env.pairs.table import TASK_CLASSES
from coordgym.silo_env.pairs.task import find_task

TRANSCRIPTS = cases("pair_transcripts")
FIELDS = ("path", "moves")
MAZE = find_task("maze")
SOME_MAZE = read_instance("maze", first_case("pair_cases", task="maze")["instance"])


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=[item["id"] for item in TRANSCRIPTS])
def test_reference_transcripts(transcript) -> None:
    wanted = {"task": transcript["task"], "seed": transcript["instance_seed"], "size": "tiny"}
    given = first_case("pair_cases", **wanted)["instance"]
    messages = [Message(item["agent"] - 1, item["text"]) for item in transcript["messages"]]
    outcome = judge(
        PairOptions(task=transcript["task"]),
        read_instance(transcript["task"], given),
        messages,
        capped=False,
    )
    assert outcome.answer == transcript["candidate"]
    assert outcome.source == "json"
    assert outcome.grade.score == pytest.approx(transcript["score"], abs=1e-5)
    ends = [k for k, message in enumerate(messages) if ends_dialogue(message.text, "literal")]
    assert ends == [len(messages) - 1]
    assert messages[-1].agent == transcript["ended_by"] - 1


@pytest.mark.parametrize(
    ("message", "literal", "strict"),
    [
        ("ACTI!", True, True),
        ("We are done. ACTI!", True, True),
        ("ACTI! is what I would say now", True, False),
        ("done **ACTI!**\nbye", True, True),
        ('Shall I say "ACTI!"', True, False),
        ("Shall I say `ACTI!`", True, False),
        ("Shall I say 'ACTI!'", True, False),
        ("```\nACTI!\n```", True, False),
        ("acti!", False, False),
        ("ACTI", False, False),
        ("It's what you're saying: ACTI!", True, True),
    ],
)
def test_the_word_that_ends_a_dialogue(message, literal, strict) -> None:
    assert ends_dialogue(message, "literal") is literal
    assert ends_dialogue(message, "strict") is strict


@pytest.mark.parametrize(
    "message",
    [
        'FINAL ANSWER: {"path": [[0, 0]]}',
        'so **Final Answer:** ```json\n{"path": [[0, 0]]}\n``` ok',
        'FINAL ANSWER: {"path": [[0, 0]]} or FINAL ANSWER: {"sum": 3}',
        'FINAL ANSWER: {"path": [[1, 1]]}\nNo: FINAL ANSWER: {"path": [[0, 0]]}',
        'FINAL ANSWER: {"path": [[0, 0]]} FINAL ANSWER: {"path": ',
    ],
)
def test_final_answers(message) -> None:
    assert final_answer(message, FIELDS) == {"path": [[0, 0]]}


@pytest.mark.parametrize(
    "message",
    [
        "",
        'answer {"path": [[0, 0]]}',
        "FINAL ANSWER: [[0, 0]]",
        'FINAL ANSWER: {"path": NaN}',
        'FINAL ANSWER: {"sum": 3}',
        "FINAL ANSWER: " + "{" * 5000,
        'FINAL ANSWER: {"path": "}',
    ],
)
def test_what_is_no_final_answer(message) -> None:
    assert final_answer(message, FIELDS) is None


def test_braces_in_strings_do_not_count() -> None:
    assert balanced_object('x {"a": "}\\"}", "b": {}} y') == '{"a": "}\\"}", "b": {}}'


def test_the_latest_final_answer_of_either_agent_counts() -> None:
    messages = ['FINAL ANSWER: {"moves": ["R"]}', 'FINAL ANSWER: {"moves": ["D"]}', "I agree ACTI!"]
    candidate = find_candidate(MAZE, SOME_MAZE, messages, free_text=True)
    assert candidate == ({"moves": ["D"]}, "json")
    assert find_candidate(MAZE, SOME_MAZE, ["I agree ACTI!"], free_text=True) is None


def test_json_goes_before_later_prose() -> None:
    messages = ['FINAL ANSWER: {"moves": ["R"]}', "I walk (0,0) -> (0,1) -> (0,2)"]
    assert find_candidate(MAZE, SOME_MAZE, messages, free_text=True) == ({"moves": ["R"]}, "json")
    prose = messages[1:]
    assert find_candidate(MAZE, SOME_MAZE, prose, free_text=False) is None
    assert find_candidate(MAZE, SOME_MAZE, prose, free_text=True) == (
        {"path": [[0, 0], [0, 1], [0, 2]]},
        "free_text",
    )


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("wall at (3,3). Route: (0,0), (0,1) → (1,1) then (1,2)", [[0, 0], [0, 1], [1, 1], [1, 2]]),
        ("[0, 0] -> [0, 1]; later (5,5), (5,6), (5,7)", [[5, 5], [5, 6], [5, 7]]),
        ("(0,0), (1,0) is wrong; better (0,0), (0,1)", [[0, 0], [0, 1]]),
        ("(A,1), (A,2), (B,2)", [["A", 1], ["A", 2], ["B", 2]]),
        ("layers (0,0,0), (1,0,0)", [[0, 0, 0], [1, 0, 0]]),
    ],
)
def test_runs_of_coordinates(message, answer) -> None:
    assert free_text_walk(["ok", message, "fine, (0,0) it is"]) == {"path": answer}


def test_runs_of_directions() -> None:
    assert free_text_walk(["Go right, right, then down -> Left."]) == {
        "moves": ["right", "right", "down", "Left"]
    }
    assert free_text_walk(["R R D D"]) == {"moves": ["R", "R", "D", "D"]}
    assert free_text_walk(["a right turn, I see a wall on the left side"]) is None


def test_single_moves_that_both_agreed_on() -> None:
    """The shape of the paper's case E.3: one agreed move, then the end."""
    messages = [
        "I stand at (0,0) where the @ is. My first move: go right to (0,1). What do you see?",
        "Going right, to (0,1).",
        "Good, we both move right to (0,1). And now?",
        "ACTI!",
    ]
    assert free_text_walk(messages) is None
    assert agreed_moves(messages) == {"path": [[0, 1]]}
    maze = {
        "grid": ["@..", "##.", "..*"],
        "start": [0, 0],
        "goal": [2, 2],
        "owner": ["b12", "122", "12b"],
    }
    outcome = judge(
        PairOptions(),
        read_instance("maze", maze),
        [Message(k % 2, text) for k, text in enumerate(messages)],
        capped=True,
    )
    assert (outcome.source, outcome.grade.score) == ("free_text", 1 / 4)


def test_moves_without_consent_do_not_count() -> None:
    assert agreed_moves(["move to (0,1)", "No, that is a wall, I disagree."]) is None
    assert agreed_moves(["move to (0,1)", "Okay, I looked: you can't, that is wrong."]) is None
    assert agreed_moves(["move to (0,1)", "Yes, I see. But I don't agree."]) is None
    assert agreed_moves(["move to (0,1)"]) is None
    assert agreed_moves(["I can't go to (1,0). Let's move to (0,1)", "(0,1), fine"]) == {
        "path": [[0, 1]]
    }
    assert agreed_moves(["move to (0,1)", "I'd rather go to (1,0)"]) is None
    assert agreed_moves(["move to (0,1)", "Okay.", "step to (0,2)", "yes"]) == {
        "path": [[0, 1], [0, 2]]
    }


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.text(max_size=60)
        | st.sampled_from(["FINAL ANSWER:", "{", '"', "(0,1)", "move ", "ACTI!", "->", "R "]),
        max_size=30,
    )
)
def test_no_text_breaks_the_search(parts) -> None:
    text = "".join(parts)
    for mode in ("literal", "strict"):
        assert ends_dialogue(text, mode) in (True, False)
    find_candidate(MAZE, SOME_MAZE, [text, text], free_text=True)


@pytest.mark.parametrize(
    "piece", ["FINAL ANSWER: {", "(1,", "move (1,", "`", '"', "R ", "(0,1) ", "“", " "]
)
def test_hostile_repetition_stays_cheap(piece) -> None:
    """A quadratic scan of these would take minutes and hit the test timeout."""
    text = piece * (200_000 // len(piece))
    find_candidate(MAZE, SOME_MAZE, [text] * 3, free_text=True)
    ends_dialogue(text + "ACTI!", "strict")


def test_quotation_marks_that_nothing_closes_quote_nothing() -> None:
    assert ends_dialogue("“ “ so: ACTI!", "strict")
    assert ends_dialogue("“say ACTI!\nand “this” too", "strict")
    assert not ends_dialogue("“you say “ACTI!”", "strict")


ENTRIES = [
    "1{}?", "({}1,{}2{}?", "A{}-{}?", "A{}B{}C{}D", "{}?", "1{}:{}2{}?", "A{}–{}", "_{}-{}_",
]  # fmt: skip


@pytest.mark.parametrize("name", TASK_CLASSES)
def test_wide_entries_of_answers_stay_cheap(name) -> None:
    """A quadratic scan of so many blanks would hit the test timeout."""
    given = first_case("pair_cases", task=name)["instance"]
    task, instance = find_task(name), read_instance(name, given)
    for entry in ENTRIES:
        wide = entry.replace("{}", " " * 300_000)
        for value in (wide, [wide], [[wide, wide]], {wide: wide}, {"A": [wide], "1": wide}):
            for field in task.answer_fields:
                assert task.grade(instance, {field: value}).score < 1


PROSE_OF_TASKS = [
    ("cube", "Route: (0,0,0), (0,0,1), (1,0,1)", {"path": [[0, 0, 0], [0, 0, 1], [1, 0, 1]]}),
    ("floodfill", "Flooded: (1,1), (1,2) and that's all", {"cells": [[1, 1], [1, 2]]}),
    ("terrain", "(0,0) -> (0,1) -> (1,1)", {"path": [[0, 0], [0, 1], [1, 1]]}),
    ("timedpath", "(0,0), (0,0), (0,1)", {"path": [[0, 0], [0, 0], [0, 1]]}),
    (
        "conflictpath",
        "Plan. A: (0,0), (0,1) and B: (2,2) -> (2,1)",
        {"A": [[0, 0], [0, 1]], "B": [[2, 2], [2, 1]]},
    ),
    (
        "numberlink",
        "Wire 1: (0,0), (0,1), (0,2). Wire 2: (2,0), (2,1)",
        {"paths": {"1": [[0, 0], [0, 1], [0, 2]], "2": [[2, 0], [2, 1]]}},
    ),
]


@pytest.mark.parametrize(("name", "message", "answer"), PROSE_OF_TASKS)
def test_prose_answers_of_the_other_grid_tasks(name, message, answer) -> None:
    given = first_case("pair_cases", task=name)["instance"]
    task, instance = find_task(name), read_instance(name, given)
    candidate = find_candidate(task, instance, [message, "I agree. ACTI!"], free_text=True)
    assert candidate == (answer, "free_text")
