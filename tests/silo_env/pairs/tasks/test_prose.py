"""Right answers as chat models write them: in markdown, LaTeX, tables, lists and arrows."""

import json
import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from coordgym.silo_env.pairs.dialogue.extraction import find_candidate
from coordgym.silo_env.pairs.dialogue.markup import plain
from coordgym.silo_env.pairs.facts.prose import any_of, last_number, longest_run, numbered_values
from coordgym.silo_env.pairs.instance import generate, read_instance
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.table import TASK_CLASSES
from coordgym.silo_env.pairs.task import find_task

FULL_WIDTH = str.maketrans("0123456789(),:=", "０１２３４５６７８９（），：＝")


@cache
def solved(name):
    """A task, an instance of default size, and its solution."""
    task = find_task(name)
    instance = generate(task, make_config(task, None), np.random.default_rng(7))
    return task, instance, task.solve(instance)


def outcome(name, *messages):
    """Where the answer of a dialogue was found, and its score."""
    task, instance, _ = solved(name)
    found = find_candidate(task, instance, ["What do you see?", *messages], free_text=True)
    return None if found is None else (found.source, task.grade(instance, found.answer).score)


# --- objects -------------------------------------------------------------------------------


def pretty(answer) -> str:
    return json.dumps(answer, indent=2)


OBJECT_STYLES = {
    "heading": lambda a, t: f"### Final Answer\n\n```json\n{pretty(a)}\n```\nACTI!",
    "bold": lambda a, t: f"**FINAL ANSWER**\n{json.dumps(a)}\nACTI!",
    "full-width colon": lambda a, t: f"FINAL ANSWER：{json.dumps(a)}",
    "box": lambda a, t: f"FINAL ANSWER: $\\boxed{{{json.dumps(a)}}}$ ACTI!",
    "named format": lambda a, t: f"FINAL ANSWER (JSON): {json.dumps(a)}",
    "dash": lambda a, t: f"FINAL ANSWER - {json.dumps(a)}",
    "python": lambda a, t: f"FINAL ANSWER: {a!r}",
    "trailing comma": lambda a, t: f"FINAL ANSWER: {json.dumps(a)[:-1]},}}",
    "windows": lambda a, t: f"FINAL ANSWER:\n{pretty(a)}\nACTI!\n".replace("\n", "\r\n"),
    "form after": lambda a, t: (
        f"FINAL ANSWER: {json.dumps(a)} not FINAL ANSWER: {t.answer_form(1)}"
    ),
    "correction": lambda a, t: (
        f"> FINAL ANSWER: {json.dumps(t.random_answer(np.random.default_rng(3)))}\n\n"
        f"You have that wrong. FINAL ANSWER: {json.dumps(a)} ACTI!"
    ),
}


@pytest.mark.parametrize("name", TASK_CLASSES)
@pytest.mark.parametrize("style", OBJECT_STYLES)
def test_final_answers_in_many_styles(name, style) -> None:
    task, _, answer = solved(name)
    assert outcome(name, OBJECT_STYLES[style](answer, task), "ACTI!") == ("json", 1.0)


@pytest.mark.parametrize("name", TASK_CLASSES)
def test_an_object_without_a_marker_counts_as_prose(name) -> None:
    task, instance, answer = solved(name)
    for text in (f"So:\n```json\n{pretty(answer)}\n```", f'{{"answer": {json.dumps(answer)}}}'):
        assert outcome(name, text, "I agree. ACTI!") == ("free_text", 1.0)
        assert find_candidate(task, instance, [text], free_text=False) is None


@pytest.mark.parametrize("name", TASK_CLASSES)
def test_repeating_the_form_is_no_answer(name) -> None:
    task, instance, _ = solved(name)
    for message in (task.answer_form(1), f"FINAL ANSWER: {task.answer_form(1)}"):
        found = find_candidate(task, instance, [message], free_text=False)
        assert found is None


@pytest.mark.parametrize(
    "message",
    [
        "the final answer is not {1, 2} yet",
        "I have no final answer. My view: {'a': 1}",
        'FINAL ANSWER: {"moves": ["R"], **{}}',
        "FINAL ANSWER: {'moves': [R]}",
        "FINAL ANSWER: {'moves': open('x')}",
    ],
)
def test_objects_that_are_no_answers(message) -> None:
    task, instance, _ = solved("maze")
    assert find_candidate(task, instance, [message], free_text=False) is None


# --- runs ----------------------------------------------------------------------------------

RUN_STYLES = {
    "arrows": lambda e: " → ".join(e),
    "long arrows": lambda e: " --> ".join(e) + ".",
    "rare arrows": lambda e: " ⟶ ".join(e),
    "latex": lambda e: "$" + r" \to ".join(e) + "$",
    "display": lambda e: r"\[" + r" \rightarrow ".join(e) + r"\]",
    "greater": lambda e: " > ".join(e),
    "semicolons": lambda e: "; ".join(e),
    "and": lambda e: f"{', '.join(e[:-1])} and {e[-1]}",
    "oxford": lambda e: f"{', '.join(e[:-1])}, and finally {e[-1]}.",
    "numbers": lambda e: "\n".join(f"{k}. {x}" for k, x in enumerate(e, 1)),
    "bold numbers": lambda e: "\n".join(f"**{k}.** {x}" for k, x in enumerate(e, 1)),
    "steps": lambda e: "\n".join(f"Step {k}: {x}" for k, x in enumerate(e)),
    "bullets": lambda e: "\n".join(f"* **{x}**" for x in e),
    "table": lambda e: "|k|it|\n|-|-|\n" + "\n".join(f"| {k} | {x} |" for k, x in enumerate(e)),
    "backticks": lambda e: " → ".join(f"`{x}`" for x in e),
    "quoted": lambda e: str(e),
}  # fmt: skip
RUN_TASKS = {
    **dict.fromkeys(("maze", "streetmap", "cube", "terrain", "timedpath", "graph"), "path"),
    "floodfill": "cells", "dagorder": "order", "order": "order", "seating": "circle",
    "noderanking": "top", "graphpath": "edges", "eulerpath": "nodes",
}  # fmt: skip


def elements(answer) -> list[str]:
    return [x if isinstance(x, str) else f"({', '.join(map(str, x))})" for x in answer]


@pytest.mark.parametrize("name", RUN_TASKS)
@pytest.mark.parametrize("style", RUN_STYLES)
def test_runs_in_many_styles(name, style) -> None:
    run = RUN_STYLES[style](elements(solved(name)[2][RUN_TASKS[name]]))
    assert outcome(name, f"The answer:\n{run}\nDone.", "ACTI!") == ("free_text", 1.0)


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("A, B and C, D", "ABC"),
        ("A and B, then C and D and E", "BCD"),
        ("A and B", "B"),
        ("A, B; C → D > E then F", "ABCDEF"),
        ("A>B>C", "C"),
        ("1. A\n2. B\n\n3. C\nSo D, E", "ABC"),
        ("- A\n- B\n- C is last", "AB"),
        ("A, B\n- C -> D, E", "CDE"),
    ],
)
def test_where_runs_end(text, run) -> None:
    assert "".join(longest_run(text, re.compile(any_of("ABCDEF")))) == run


@pytest.mark.parametrize("name", ["maze", "graph", "cube"])
def test_full_width_runs(name) -> None:
    run = " → ".join(elements(solved(name)[2]["path"])).translate(FULL_WIDTH)
    assert outcome(name, run) == ("free_text", 1.0)


def test_walks_as_arrows_letters_and_words() -> None:
    path = solved("maze")[2]["path"]
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(path)]
    for signs in ("↑↓←→", "⬆⬇⬅➡", "UDLR", ("up", "down", "left", "right")):
        way = dict(zip([(-1, 0), (1, 0), (0, -1), (0, 1)], signs, strict=True))
        said = [way[step] for step in steps]
        joined = ("" if len(said[0]) == 1 else ", ").join(said)
        assert outcome("maze", f"Moves: {joined}") == ("free_text", 1.0)
        assert outcome("maze", f"Moves: {' '.join(said)}") == ("free_text", 1.0)
    words = {"up": "upwards", "down": "downward", "left": "W", "right": "→"}
    moves = [words[word] for word in said]
    assert outcome("maze", "FINAL ANSWER: " + json.dumps({"moves": moves})) == ("json", 1.0)
    letters = "".join(word[0].upper() for word in said)
    assert outcome("maze", "FINAL ANSWER: " + json.dumps({"moves": letters})) == ("json", 1.0)


@pytest.mark.parametrize("name", ["maze", "cube", "timedpath", "terrain", "graph"])
def test_cells_of_answers_may_be_texts(name) -> None:
    path = solved(name)[2]["path"]
    for form in ("({})", "[{}]", "{}"):
        texts = [form.format(", ".join(map(str, cell))) for cell in path]
        assert outcome(name, "FINAL ANSWER: " + json.dumps({"path": texts})) == ("json", 1.0)


def test_facts_that_are_listed_are_no_longer_runs() -> None:
    """The links that an agent restates don't join up to an order or a walk."""
    task, instance, answer = solved("dagorder")
    links = "\n".join(f"- {a} -> {b}" for a, b, _ in instance.edges)
    assert outcome("dagorder", f"All I know:\n{links}\nSo {' -> '.join(answer['order'])}") == (
        "free_text",
        1.0,
    )
    task, instance, answer = solved("eulerpath")
    links = "\n".join(f"- {a}-{b}" for a, b, _ in instance.edges)
    assert find_candidate(task, instance, [links], free_text=True) is None
    task, instance, _ = solved("trianglecount")
    links = "\n".join(f"- {a}-{b}" for a, b, _ in instance.edges)
    assert find_candidate(task, instance, [links], free_text=True) is None


def test_a_walk_over_bridges_may_be_one_chain() -> None:
    _, instance, answer = solved("eulerpath")
    links = "\n".join(f"- {a}-{b}" for a, b, _ in instance.edges)
    for walk in ("-".join(answer["nodes"]), " – ".join(answer["nodes"])):
        assert outcome("eulerpath", f"{links}\nWalk: {walk}") == ("free_text", 1.0)


# --- assignments, numbers, numbered lines ----------------------------------------------------

PAIR_STYLES = [
    "- **{}:** {}", "- `{}` -> `{}`", "| {} | {} |", "{} --> {}", "{} ↔ {}", r"${} \to {}$",
    "{}：{}",
]  # fmt: skip
PAIR_TASKS = {"binpack": "assign", "meetingmatrix": "slots", "schedule": "slots"}
PAIR_TASKS["aliasedtaxonomy"] = "pairs"


@pytest.mark.parametrize("name", PAIR_TASKS)
@pytest.mark.parametrize("style", PAIR_STYLES)
def test_assignments_in_many_styles(name, style) -> None:
    pairs = solved(name)[2][PAIR_TASKS[name]].items()
    text = "\n".join(style.format(key, value) for key, value in pairs)
    assert outcome(name, text, "I agree. ACTI!") == ("free_text", 1.0)


LINE_STYLES = [
    "{}. {}", "**{}.** {}", "{}) **{}**", "Q{}: {}", "Query {}: {}", "- {}: {}", "({}) {}",
    "| {} | {} |", "### {}. {}", "{}. The answer is {}.",
]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["graphattr", "attrcombo", "eventlog", "ancestorpath", "relaquery"]
)
@pytest.mark.parametrize("style", LINE_STYLES)
def test_numbered_answers_in_many_styles(name, style) -> None:
    answers = solved(name)[2]["answers"]
    if name == "relaquery":
        answers = [word for _, word, _ in answers]
    glue = " → " if name == "ancestorpath" else ", "
    said = [glue.join(each) if isinstance(each, list) else each for each in answers]
    lines = [style.format(number, each) for number, each in enumerate(said, 1)]
    assert outcome(name, "\n".join(lines), "ACTI!") == ("free_text", 1.0)


def test_numbered_answers_on_one_line() -> None:
    assert numbered_values("1. 5; 2. 7; 3. T1, T2", 3) == {1: "5", 2: "7", 3: "T1, T2"}
    assert numbered_values("- 10:42 pump started\n- 9:05 mail sent", 12) == {}


@pytest.mark.parametrize(
    "message",
    [
        "The sum is 27.", "The total is **27**.", "**Sum:** 27", r"$14 + 13 = \boxed{27}$",
        r"\boxed{27}", "The sum of the 5 values is 27", "Total 27, over 5 nodes",
        "总和＝２７", "14 + 13 = 27",
    ],
)  # fmt: skip
def test_sums(message) -> None:
    assert last_number(["= 3", plain(message), "I agree"]) == 27


LOGIC_STYLES = [
    "House {}: {}, {}, {}", "- **House {}**: {}, {}, {}", "**House {}:** {}, {}, {}",
    "| {} | {} | {} | {} |", "House {}:\n- Colour: {}\n- Nation: {}\n- Drink: {}",
    "House {} (from the left): {}, {}, {}",
    "H{} = {}/{}/{}", "House {} - {}, {}, {}",
]  # fmt: skip


@pytest.mark.parametrize("style", LOGIC_STYLES)
def test_houses_in_many_styles(style) -> None:
    houses = solved("logic")[2]["assignment"].items()
    text = "\n".join(style.format(house, *cells.values()) for house, cells in houses)
    assert outcome("logic", text, "ACTI!") == ("free_text", 1.0)


@pytest.mark.parametrize("style", ["{}", "`{}`", "Row 1: {}", "2. {}", "| {} |"])
def test_lattices_in_many_styles(style) -> None:
    rows = solved("crossword")[2]["grid"]
    glue = " | " if "|" in style else ""
    text = "\n".join(style.format(glue.join(row)) for row in rows)
    assert outcome("crossword", text) == outcome("crossword", str(rows)) == ("free_text", 1.0)


@pytest.mark.parametrize(
    "style",
    ["The plain text is {}.", "Plain text: **{}**", "Plain text:\n{}", "It decodes to {}.",
     r"\boxed{{\text{{{}}}}}", "the message reads `{}`"],
)  # fmt: skip
def test_decoded_texts_in_many_styles(style) -> None:
    assert outcome("cipherdecode", style.format(solved("cipherdecode")[2]["text"])) == (
        "free_text",
        1.0,
    )


@pytest.mark.parametrize("style", ["({})", "[{}]", "{{{}}}", r"\{{{}\}}"])
def test_triangles_in_many_styles(style) -> None:
    triangles = solved("trianglecount")[2]["triangles"]
    said = [style.format(", ".join(three)) for three in triangles]
    for glue in (", ", "; ", "\n"):
        assert outcome("trianglecount", glue.join(said)) == ("free_text", 1.0)
    assert outcome("trianglecount", "\n".join(f"- {text}" for text in said))[1] == 1.0
    assert outcome("trianglecount", str(triangles)) == ("free_text", 1.0)


@pytest.mark.parametrize(
    ("a", "b"), [("A:", "B:"), ("**A**:", "**B**:"), ("Robot A's route:", "Cart B's route =")]
)
def test_plans_in_many_styles(a, b) -> None:
    plan = solved("conflictpath")[2]
    first, second = (" → ".join(elements(plan[vehicle])) for vehicle in "AB")
    assert outcome("conflictpath", f"{a} {first}\n{b} {second}") == ("free_text", 1.0)
    assert outcome("conflictpath", "A: (0,0) and B: (1,1) is where we are") is None


@pytest.mark.parametrize(
    "style", ["Wire {}: {}", "- **Wire {}:** {}", "{}: {}", '"{}": {}', "| {} | {} |"]
)
@pytest.mark.parametrize("labels", ["123", "ABC", "abc"])
def test_wires_in_many_styles(style, labels) -> None:
    paths = solved("numberlink")[2]["paths"].values()
    said = [style.format(x, ", ".join(elements(p))) for x, p in zip(labels, paths, strict=True)]
    assert outcome("numberlink", "\n".join(said)) == ("free_text", 1.0)


# --- moves that both agreed on ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["maze", "cube", "terrain", "timedpath"])
def test_walks_that_were_agreed_move_by_move(name) -> None:
    task, instance, answer = solved(name)
    moves = elements(answer["path"][1:])
    messages = [text for move in moves for text in (f"Next I'd step to {move}.", "Yes, agreed.")]
    assert task.takes_moves
    found = find_candidate(task, instance, messages, free_text=True)
    assert task.grade(instance, found.answer).score == 1.0


@pytest.mark.parametrize("scheme", ["0 (0, 0)", "1 from the bottom left"])
def test_an_agreed_timed_walk_begins_at_the_start(scheme) -> None:
    floor = {
        "grid": ["@.#", "#..", "##*"],
        "start": [0, 0],
        "goal": [2, 2],
        "blocks": [[2, 2, 9, 9]],
    }
    instance = read_instance("timedpath", {**floor, "block_owner": [1]})
    moves = ["(0,1)", "(1,1)", "(1,2)", "(2,2)"]
    if scheme.startswith("1"):
        moves = ["(2,3)", "(2,2)", "(3,2)", "(3,1)"]
    messages = [text for move in moves for text in (f"Move to {move}?", "Okay.")]
    task = find_task("timedpath")
    answer = find_candidate(task, instance, messages, free_text=True).answer
    assert len(answer["path"]) == 5
    assert task.grade(instance, answer).score == 1.0
