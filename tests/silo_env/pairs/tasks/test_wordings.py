"""View 2 in its other frames and in few tokens, decoded by hand and compared with its facts.

The reference cases fix the wording of friction 1; these tests read friction 2 and compact texts.
"""

import re

import numpy as np
import pytest

from coordgym.silo_env.pairs import views
from coordgym.silo_env.pairs.instance import generate
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.task import find_task

SEEDS = range(3)
each_seed = pytest.mark.parametrize("seed", SEEDS)
UPSIDE_DOWN = str.maketrans("^v", "v^")


def second_view(name, seed):
    """The task, the facts of view 2, its text at friction 2, and a compact text by friction."""
    task = find_task(name)
    instance = generate(task, make_config(task, None), np.random.default_rng(seed))
    facts = task.facts(instance, 2)
    full = views(name, task.to_json(instance), 2)[1]
    return task, facts, full, {f: task.compact_view_text(facts, 2, f) for f in (0, 1, 2)}


@each_seed
@pytest.mark.parametrize("name", ["maze", "floodfill", "rulemaze", "streetmap", "blueprintmaze"])
def test_upside_down_drawings(name, seed) -> None:
    _, facts, full, compact = second_view(name, seed)
    rows = facts["grid"]
    turned = [row.translate(UPSIDE_DOWN) if name == "streetmap" else row for row in rows]
    height, width = len(rows), len(rows[0])
    drawn = dict(re.findall(r"^y=(\d+) +(.+)$", full, re.MULTILINE))
    assert [int(y) for y in drawn] == list(range(1, height + 1))
    for y, line in drawn.items():
        assert line.replace(" ", "") == turned[height - int(y)]
    assert re.search(r"^ +((?:\d ?)+) \(x\)$", full, re.MULTILINE)[1].split() == [
        str(x) for x in range(1, width + 1)
    ]
    for friction, expected in ((0, rows), (1, rows), (2, turned[::-1])):
        assert compact[friction].splitlines()[1 : height + 1] == expected
        assert ("bottom row first" in compact[friction]) == (friction == 2)


@each_seed
@pytest.mark.parametrize("name", ["conflictpath", "numberlink", "terrain"])
def test_the_second_drawing_is_the_first_upside_down(name, seed) -> None:
    _, facts, full, compact = second_view(name, seed)
    n = facts.get("n") or len(facts["grid"])
    usual, turned = (compact[friction].splitlines()[1 : n + 1] for friction in (1, 2))
    assert turned == usual[::-1]
    if name == "terrain":
        names = [line.split("|") for line in full.splitlines()[1 : n + 1]]
        price = dict(re.findall(r"(\w+)=(\d)", full))
        digits = ["".join(price.get(cell.strip(), "?") for cell in row) for row in names]
        assert digits == turned == facts["grid"][::-1]
        return
    lines = re.findall(r"^y=(\d+) +(.+)$", full, re.MULTILINE)
    assert [line.replace(" ", "") for _, line in lines] == turned
    if name == "conflictpath":
        at = {symbol: [r, c] for r, row in enumerate(usual) for c, symbol in enumerate(row)}
        assert [at["@"], at["*"]] == facts["route"]
    else:
        for label, ((row, column),) in facts["ends"].items():
            assert usual[row][column] == "ABCDE"[int(label) - 1]


@each_seed
@pytest.mark.parametrize("friction", [1, 2])
def test_compact_squares_count_from_the_bottom_left(seed, friction) -> None:
    _, facts, _, compact = second_view("geomaze", seed)
    listed = re.findall(r"(\d+),(\d+)", compact[friction].partition(" of: ")[2])
    n = facts["n"]
    assert [[n - int(y), int(x) - 1] for x, y in listed] == facts["walls"]
    _, facts, _, compact = second_view("timedpath", seed)
    n = facts["n"]
    listed = re.findall(r"(\d+),(\d+),(\d+),(\d+)", compact[friction])
    said = [[n - int(y), int(x) - 1, int(a), int(b) - 1] for x, y, a, b in listed]
    assert said == facts["blocks"]
    _, facts, _, compact = second_view("cube", seed)
    n = facts["n"]
    for number, floor in facts["layers"].items():
        line = re.search(rf"^level {int(number) + 1}: (.*)$", compact[friction], re.MULTILINE)[1]
        solid = {(n - int(y), int(x) - 1) for x, y in re.findall(r"(\d+),(\d+)", line)}
        assert solid == {(r, c) for r in range(n) for c in range(n) if floor[r][c] == "#"}


@each_seed
def test_compact_closures_and_floors_from_the_top_left(seed) -> None:
    _, facts, _, compact = second_view("timedpath", seed)
    listed = re.findall(r"(\d+),(\d+),(\d+),(\d+)", compact[0])
    assert [[int(part) for part in each] for each in listed] == facts["blocks"]
    _, facts, _, compact = second_view("geomaze", seed)
    listed = re.findall(r"(\d+),(\d+)", compact[0].partition(" of: ")[2])
    assert [[int(part) for part in each] for each in listed] == facts["walls"]


DEALT = {
    "ancestorpath": r"- (\w+) is a child of (\w+)",
    "dagorder": r"- (\w+) requires (\w+)",
    "eulerpath": r"- island (\w+) is joined to island (\w+)",
    "noderanking": r"- (\w+) and (\w+) share a link of strength (\d+)",
    "relaquery": r"- (\w+) was born to (\w+)",
    "treesum": r"- (\w+) hangs below (\w+)",
    "trianglecount": r"(\d+) knows (\d+)",
    "graphattr": r"(\w+) touches (\w+)",
}


@each_seed
@pytest.mark.parametrize("name", DEALT)
def test_names_as_numbers(name, seed) -> None:
    _, facts, full, compact = second_view(name, seed)
    text, _, key = full.partition("\nYour facts write the ")
    names = dict(re.findall(r"(\d+)=(\w+)", key))
    said = [(names[b], names[a], *rest) for a, b, *rest in re.findall(DEALT[name], text)]
    assert said == [(str(a), str(b), *map(str, rest)) for a, b, *rest in facts["edges"]]
    assert key in compact[2]
    short = re.findall(r"(\d+)[>-](\d+)", compact[2].partition("\n")[0])
    assert [[names[a], names[b]] for a, b in short] == [edge[:2] for edge in facts["edges"]]
    assert "Your facts write" not in compact[0] + compact[1]


@each_seed
def test_links_with_names_and_points(seed) -> None:
    _, facts, full, _ = second_view("graphpath", seed)
    names = dict(re.findall(r"(\d+)=(\w+)", full))
    said = re.findall(r"- (\w+) is reached from (\w+) by (e\d+)", full)
    assert [[label, names[a], names[b]] for b, a, label in said] == facts["edges"]
    _, facts, full, compact = second_view("graph", seed)
    at = {tuple(point): name for name, point in facts["nodes"].items()}
    pattern = r"\((\d+),(\d+)\) to \((\d+),(\d+)\) takes (\d+)"
    for found, turned in (
        (re.findall(pattern, full), True),
        (re.findall(r"\((\d+),(\d+)\)-\((\d+),(\d+)\):(\d+)", compact[2]), False),
    ):
        numbers = [[int(part) for part in each] for each in found]
        ends = [(at[b - 1, a - 1], at[d - 1, c - 1], w) for a, b, c, d, w in numbers]
        assert [[b, a, w] if turned else [a, b, w] for a, b, w in ends] == facts["edges"]


@each_seed
def test_queues_from_the_back(seed) -> None:
    _, facts, full, compact = second_view("order", seed)
    n = len(facts["names"])
    for text in (full, compact[2]):
        assert "from the back, where the last person is in place 0" in text
        said = [line.removeprefix("- ") for line in text.splitlines()]
        clues = []
        for line in said:
            if m := re.fullmatch(r"(\w+) is (not )?in place (\d)", line):
                clues.append(["notat" if m[2] else "at", m[1], n - int(m[3])])
            elif m := re.fullmatch(r"(\w+) stands (right )?behind (\w+)", line):
                clues.append(["imm" if m[2] else "before", m[3], m[1]])
            elif m := re.fullmatch(r"exactly (\d) \w+ stands? between (\w+) and (\w+)", line):
                clues.append(["gap", m[2], m[3], int(m[1])])
        assert clues == facts["clues"]


@each_seed
def test_tables_as_people_see_them(seed) -> None:
    _, facts, full, compact = second_view("seating", seed)
    for text in (full, compact[2]):
        right = re.findall(r"(\w+) sits (\d) to the right of (\w+)", text)
        directed = [c for c in facts["clues"] if c[0] in ("cw", "cwk")]
        # What lies clockwise of a person is to its left, seen from a seat that faces the middle.
        assert [(a, int(k), b) for a, k, b in right] == [
            (a, *(rest or [1]), b) for _, a, b, *rest in directed
        ]
    anti = re.findall(r"going anticlockwise, (\w+) comes directly after (\w+)", compact[1])
    assert [[a, b] for a, b in anti] == [c[1:] for c in facts["clues"] if c[0] == "cw"]


@each_seed
def test_houses_with_letters_from_the_right(seed) -> None:
    _, facts, full, compact = second_view("logic", seed)
    for text in (full, compact[2]):
        said = re.findall(r"(\w+) is (not )?in house ([A-D])\b", text)
        clues = [["notat" if no else "at", v, 4 - "ABCD".index(h)] for v, no, h in said]
        assert clues == [c for c in facts["clues"] if c[0] in ("at", "notat")]
        right = re.findall(r"(\w+) is (directly|somewhere to the) right of (\w+)", text)
        assert [["imm" if how == "directly" else "left", a, b] for b, how, a in right] == [
            c for c in facts["clues"] if c[0] in ("imm", "left")
        ]


@each_seed
def test_grams_on_a_scale_that_shows_too_much(seed) -> None:
    _, facts, full, compact = second_view("binpack", seed)
    for friction, text in ((2, full), (2, compact[2]), (1, compact[1])):
        tare = 500 if friction == 2 else 0
        assert ("500 g too much" in text) == bool(tare)
        said = {name: int(grams) for name, grams in re.findall(r"\b([ib]\d) (\d+) g\b", text)}
        known = {i: 1000 * w + tare for i, w in facts["items"].items() if w is not None}
        known |= {b: 1000 * limit for b, limit in facts["bins"].items() if limit is not None}
        assert said == known


@each_seed
def test_minutes_before_midnight_and_after(seed) -> None:
    _, facts, full, compact = second_view("eventlog", seed)
    for text in (full, compact[2]):
        said = re.findall(r"([a-z ]+), (\d+) minutes before midnight", text)
        assert {name.strip(): 1440 - int(minutes) for name, minutes in said} == dict(
            facts["events"]
        )
    _, facts, full, compact = second_view("schedule", seed)
    for text in (full, compact[2]):
        for name, person in facts["people"].items():
            line = re.search(rf"{name}'s clock shows UTC([+-]\d+); available (.*) minutes", text)
            assert int(line[1]) == person["tz"]
            hours = [[int(m) // 60 for m in part.split("-")] for part in line[2].split(" and ")]
            assert [
                [(a - person["tz"] - 9) % 24 + 1, (b - person["tz"] - 9) % 24] for a, b in hours
            ] == person["windows"]


@pytest.mark.parametrize(
    ("minute", "said"), [(0, "12:00 am"), (59, "12:59 am"), (715, "11:55 am"), (720, "12:00 pm"),
                         (785, "1:05 pm"), (1439, "11:59 pm")],
)  # fmt: skip
def test_noon_and_midnight(minute, said) -> None:
    task = find_task("eventlog")
    facts = {"events": [["mail sent", minute]], "sync": "mail sent", "queries": [["nth", 1]]}
    assert f"- mail sent at {said}\n" in task.view_text(facts, 2, 1)


@each_seed
def test_clocks_codes_and_labels(seed) -> None:
    _, facts, full, compact = second_view("meetingmatrix", seed)
    for friction, text in ((1, compact[1]), (2, compact[2]), (2, full)):
        hours = re.findall(r"\b(\d+):00", text.splitlines()[0])
        assert hours == [str(9 + 2 * (friction == 2) + k) for k in range(3)]
        said = re.findall(r"(M\d) is impossible at (\d+):00", text)
        assert [["not", m, 1 + hours.index(h)] for m, h in said] == [
            c for c in facts["constraints"] if c[0] == "not"
        ]
        marks = {
            row[0]: row[1:]
            for line in text.splitlines()
            if (row := line.split())[1:2] in (["x"], ["."])
        }
        clashes = {
            (a, f"M{k}") for a, row in marks.items() for k, mark in enumerate(row, 1) if mark == "x"
        }
        known = {(a, b) for kind, a, b in facts["constraints"] if kind == "conflict"}
        assert clashes == known | {(b, a) for a, b in known}
    _, facts, full, compact = second_view("cipherdecode", seed)
    for text in (full, compact[2]):
        pairs = re.findall(r"(\d+) = (\d+)", text)
        assert {chr(64 + int(p)): chr(64 + int(c)) for c, p in pairs} == facts["map"]
    _, facts, full, compact = second_view("attrcombo", seed)
    for text in (full, compact[2]):
        label = dict(re.findall(r"(O\d) = (T\d)", text))
        said = re.findall(r"(Ana|Ben)'s (\w+) object: (O\d)", text)
        kind = {"wooden": "wood", "metallic": "metal", "glassy": "glass"}
        assert {label[o]: {"material": kind[m], "owner": who} for who, m, o in said} == facts[
            "items"
        ]
    _, facts, full, compact = second_view("crossword", seed)
    upwards = sorted(word[::-1] for word in facts["words"])
    assert f"find: {', '.join(upwards)}." in full
    assert "columns 0, 2, 4 (columns counted from the right, starting at 0)" in full
    assert compact[2].endswith(f"down, written upwards: {' '.join(upwards)}")
    _, facts, full, compact = second_view("aliasedtaxonomy", seed)
    parents = dict(zip(facts["names"], facts["parent"], strict=True))
    above = {a: None if p is None else facts["names"][p] for a, p in parents.items()}
    trait = {a: t for a, t in zip(facts["names"], facts["trait"], strict=True) if t is not None}
    assert {b: a for a, b in re.findall(r"- (\w+) contains (\w+)", full)} == {
        b: a for b, a in above.items() if a is not None
    }
    letters = re.findall(r"contains (\w+); known for: ([PQRS])$", full, re.MULTILINE)
    assert {name: "PQRS".index(letter) for name, letter in letters} == trait
    letters = re.findall(r"(\w+)\[([PQRS])\]", compact[2])
    assert {name: "PQRS".index(letter) for name, letter in letters} == trait
