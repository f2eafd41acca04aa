"""The constraint tasks: brute force on tiny instances, equivalents, planted splits, generators."""

import itertools
import json

import numpy as np
import pytest
from cases import cases

from coordgym.errors import InstanceError
from coordgym.silo_env import pairs
from coordgym.silo_env.pairs.instance import generate
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.task import find_task

NAMES = (
    "attrcombo", "binpack", "cipherdecode", "crossword", "eventlog", "logic", "meetingmatrix",
    "order", "schedule", "seating",
)  # fmt: skip
TINY = {
    (case["task"], case["seed"]): case["instance"]
    for case in cases("pair_cases", size="tiny")
    if case["task"] in NAMES
}
seeds = pytest.mark.parametrize("seed", [0, 2])
each_name = pytest.mark.parametrize("name", NAMES)


# --- 1.0 for the optimum and nothing else --------------------------------------------------------


def check(name: str, seed: int, answers, is_true) -> None:
    """Exactly the answers for which ``is_true`` holds score 1.0, and there are some."""
    instance, found = TINY[name, seed], 0
    for answer in answers:
        true = is_true(answer)
        assert (pairs.grade(name, instance, answer).score == 1.0) == true, answer
        found += true
    assert found


def orders(names):
    """All orders of all of the names, and of all but one."""
    for count in (len(names), len(names) - 1):
        yield from map(list, itertools.permutations(names, count))


@seeds
def test_only_the_true_queue_is_perfect(seed) -> None:
    instance = TINY["order", seed]

    def is_true(answer) -> bool:
        place = {name: k for k, name in enumerate(answer["order"], 1)}
        return len(place) == len(instance["names"]) and all(
            {
                "at": lambda a, k: place[a] == k,
                "notat": lambda a, k: place[a] != k,
                "before": lambda a, b: place[a] < place[b],
                "imm": lambda a, b: place[b] - place[a] == 1,
                "gap": lambda a, b, k: abs(place[a] - place[b]) - 1 == k,
            }[kind](*about)
            for kind, *about in instance["clues"]
        )

    check("order", seed, ({"order": order} for order in orders(instance["names"])), is_true)


@seeds
def test_only_rotations_of_the_true_circle_are_perfect(seed) -> None:
    instance = TINY["seating", seed]
    n = len(instance["names"])

    def is_true(answer) -> bool:
        seat = {name: k for k, name in enumerate(answer["circle"])}
        if len(seat) < n:
            return False

        def turn(a, b):
            return (seat[b] - seat[a]) % n

        return all(
            {
                "next": lambda a, b: turn(a, b) in (1, n - 1),
                "notnext": lambda a, b: turn(a, b) not in (1, n - 1),
                "cw": lambda a, b: turn(a, b) == 1,
                "cwk": lambda a, b, k: turn(a, b) == k,
                "apart": lambda a, b, k: k in (turn(a, b), turn(b, a)) and 2 * k <= n,
            }[kind](*about)
            for kind, *about in instance["clues"]
        )

    check("seating", seed, ({"circle": order} for order in orders(instance["names"])), is_true)


@seeds
def test_only_the_true_houses_are_perfect(seed) -> None:
    instance = TINY["logic", seed]
    values = {
        "colour": ("red", "green", "blue"),
        "nation": ("Spanish", "Greek", "Irish"),
        "drink": ("tea", "milk", "juice"),
    }

    def is_true(answer) -> bool:
        house = {v: int(k) for k, cells in answer["assignment"].items() for v in cells.values()}
        return all(
            {
                "at": lambda a, k: house[a] == k,
                "notat": lambda a, k: house[a] != k,
                "same": lambda a, b: house[a] == house[b],
                "notsame": lambda a, b: house[a] != house[b],
                "left": lambda a, b: house[a] < house[b],
                "imm": lambda a, b: house[b] - house[a] == 1,
                "adj": lambda a, b: abs(house[a] - house[b]) == 1,
            }[kind](*about)
            for kind, *about in instance["clues"]
        )

    every = (
        {
            "assignment": {
                str(k + 1): {a: row[k] for a, row in zip(values, rows, strict=True)}
                for k in range(3)
            }
        }
        for rows in itertools.product(*(itertools.permutations(v) for v in values.values()))
    )
    check("logic", seed, every, is_true)


@seeds
def test_only_timetables_without_clashes_are_perfect(seed) -> None:
    instance = TINY["meetingmatrix", seed]

    def is_true(answer) -> bool:
        slot = answer["slots"]
        return all(x in (1, 2) for x in slot.values()) and all(
            slot[a] != (slot[b] if kind == "conflict" else b)
            for kind, a, b in instance["constraints"]
        )

    every = (
        {"slots": dict(zip(instance["meetings"], slots, strict=True))}
        for slots in itertools.product(range(4), repeat=4)
    )
    check("meetingmatrix", seed, every, is_true)


@seeds
def test_only_slots_that_suit_everybody_are_perfect(seed) -> None:
    instance = TINY["schedule", seed]

    def is_free(name, slot) -> bool:
        return any(a <= slot <= b for a, b in instance["people"][name]["windows"])

    def is_true(answer) -> bool:
        return all(
            is_free(name, slot)
            for event, slot in answer["slots"].items()
            for name in instance["events"][event]
        )

    every = (
        {"slots": dict(zip(instance["events"], slots, strict=True))}
        for slots in itertools.product(range(7), repeat=3)
    )
    check("schedule", seed, every, is_true)


@seeds
def test_only_packings_that_fit_are_perfect(seed) -> None:
    instance = TINY["binpack", seed]

    def is_true(answer) -> bool:
        packed = answer["assign"]
        return set(packed.values()) <= set(instance["bins"]) and all(
            sum(instance["items"][item] for item, crate in packed.items() if crate == each) <= limit
            for each, limit in instance["bins"].items()
        )

    every = (
        {"assign": dict(zip(instance["items"], crates, strict=True))}
        for crates in itertools.product(("b1", "b2", "b3"), repeat=4)
    )
    check("binpack", seed, every, is_true)


@seeds
def test_only_the_plain_text_is_perfect(seed) -> None:
    plain = TINY["cipherdecode", seed]["plain"]
    every = ({"text": "".join(t)} for t in itertools.product(sorted(set(plain)), repeat=6))
    check("cipherdecode", seed, every, lambda answer: answer["text"] == plain)


@seeds
def test_only_the_filling_in_which_all_words_appear_is_perfect(seed) -> None:
    instance = TINY["crossword", seed]
    middles = sorted({word[1] for word in instance["down_words"]})

    def is_true(answer) -> bool:
        rows = answer["grid"]
        down = sorted("".join(line[column] for line in rows) for column in (0, 2))
        return sorted(rows[::2]) == instance["across_words"] and down == instance["down_words"]

    every = (
        {"grid": [top, f"{left}.{right}", bottom]}
        for top, bottom in itertools.product(instance["across_words"], repeat=2)
        for left, right in itertools.product(middles, repeat=2)
    )
    check("crossword", seed, every, is_true)


@seeds
def test_only_true_answers_about_objects_are_perfect(seed) -> None:
    instance = TINY["attrcombo", seed]
    names = list(instance["items"])
    expected, options = [], []
    for query in instance["queries"]:
        where = query["where"].items()
        hits = [n for n in names if all(instance["items"][n][a] == v for a, v in where)]
        expected.append(hits if query["ask"] == "list" else len(hits))
        lists = [list(c) for k in range(3) for c in itertools.combinations(names, k)]
        options.append(lists if query["ask"] == "list" else range(6))
    every = ({"answers": list(answers)} for answers in itertools.product(*options))
    check("attrcombo", seed, every, lambda answer: answer["answers"] == expected)


@seeds
def test_only_true_answers_about_logs_are_perfect(seed) -> None:
    instance = TINY["eventlog", seed]
    minute = {name: at for name, at, _ in instance["events"]}
    order = sorted(minute, key=minute.get)
    expected, options = [], []
    for kind, *about in instance["queries"]:
        if kind == "nth":
            expected.append(order[about[0] - 1])
        elif kind == "first":
            expected.append(min(about, key=minute.get))
        elif kind == "gap":
            expected.append(abs(minute[about[0]] - minute[about[1]]))
        else:
            low, high = sorted(minute[name] for name in about)
            expected.append(sum(low < at < high for at in minute.values()))
        options.append(order if kind in ("nth", "first") else range(180))
    every = ({"answers": list(answers)} for answers in itertools.product(*options))
    check("eventlog", seed, every, lambda answer: answer["answers"] == expected)


# --- other ways of writing an answer -------------------------------------------------------------

REWRITTEN = {
    "attrcombo": lambda a: {
        "answers": [[x.lower() for x in v[::-1] + v] if isinstance(v, list) else f" {v}" for v in a]
    },
    "binpack": lambda a: {"assign": {k.upper(): f" {v.upper()} " for k, v in a.items()}},
    "cipherdecode": lambda a: {"text": "\n".join(a.lower())},
    "crossword": lambda a: {"grid": [[*row.lower(), "x"] for row in a]},
    "eventlog": lambda a: {
        "answers": [v.upper() if isinstance(v, str) else float(v) for v in a] + [None]
    },
    "logic": lambda a: {
        "assignment": {k: {x.upper(): f" {y.upper()}" for x, y in v.items()} for k, v in a.items()}
    },
    "meetingmatrix": lambda a: {"slots": {"m99": 1, **{k.lower(): f"{v}" for k, v in a.items()}}},
    "order": lambda a: {"order": [x for name in a for x in (name.upper(), a[0], "Nobody", 7)]},
    "schedule": lambda a: {"slots": {f" {k} ": float(v) for k, v in a.items()}},
    "seating": lambda a: {"circle": [*a[2:], *a[:2], a[3]]},
}


@pytest.mark.parametrize("run", range(3))
@each_name
def test_equivalent_answers_score_the_same(name, run) -> None:
    task = find_task(name)
    instance = generate(task, make_config(task, None), np.random.default_rng(run))
    (solution,) = task.solve(instance).values()
    assert task.grade(instance, REWRITTEN[name](solution)).exact


# --- planted splits ------------------------------------------------------------------------------


def owned_by(instance, owner):
    """An instance of which one view knows everything."""
    planted = dict(instance)
    for field in ("owner", "item_owner", "bin_owner"):
        old = instance.get(field)
        if isinstance(old, list):
            planted[field] = [owner] * len(old)
        elif old is not None:
            planted[field] = dict.fromkeys(old, owner)
    if "people" in instance:
        people = instance["people"].items()
        planted["people"] = {name: {**person, "owner": owner} for name, person in people}
    if "events" in instance and "offset" in instance:
        first, *rest = instance["events"]
        planted["events"] = [first, *([name, at, owner] for name, at, _ in rest)]
    return planted


@pytest.mark.parametrize("owner", [1, 2])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("attrcombo", "crossword")])
def test_a_view_that_knows_everything_fails_the_union_check(name, owner) -> None:
    assert not pairs.is_union_necessary(name, owned_by(TINY[name, 0], owner))


def test_a_view_that_knows_enough_fails_the_union_check() -> None:
    """What is hidden here can't change the answer."""
    asked = [{"ask": "count", "where": {"colour": "red", "size": "small"}}]
    assert not pairs.is_union_necessary("attrcombo", {**TINY["attrcombo", 0], "queries": asked})
    queue = {
        "names": ["Bo", "Gus", "Jo"],
        "clues": [["imm", "Bo", "Gus"], ["before", "Bo", "Gus"], ["at", "Jo", 3]],
        "owner": [1, 2, 1],
    }
    assert not pairs.is_union_necessary("order", queue)
    roomy = {
        "items": {"i1": 3, "i2": 4},
        "bins": {"b1": 9, "b2": 9},
        "item_owner": {"i1": 1, "i2": 1},
        "bin_owner": {"b1": 1, "b2": 2},
    }
    assert not pairs.is_union_necessary("binpack", roomy)
    apart = {
        "slots": 3,
        "people": {
            "Ada": {"tz": 0, "windows": [[2, 2]], "owner": 1},
            "Bo": {"tz": 5, "windows": [[1, 3]], "owner": 2},
        },
        "events": {"E1": ["Ada", "Bo"]},
    }
    assert not pairs.is_union_necessary("schedule", apart)


@each_name
def test_a_partner_that_repeats_or_contradicts_the_own_view_is_not_believed(name) -> None:
    task = find_task(name)
    first, second = (task.facts(task.read_instance(TINY[name, 0]), seat) for seat in (1, 2))
    other = task.facts(task.read_instance(TINY[name, 2]), 2)
    assert task.merge([first, first]) is None
    assert task.merge([second, second]) is None
    assert task.merge([first, other]) is None
    whole = task.facts(task.read_instance(TINY[name, 0]), None)
    assert task.merge([whole, first, second]) is not None


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("attrcombo", "crossword")])
def test_guesses_are_found_however_uneven_the_split(name, seat) -> None:
    """One view knows almost nothing, the other almost everything."""
    task = find_task(name)
    instance = owned_by(TINY[name, 2], 2)
    for field in ("owner", "item_owner"):
        if isinstance(instance.get(field), list):
            instance[field][0] = 1
        elif field in instance:
            instance[field][next(iter(instance[field]))] = 1
    facts = task.facts(task.read_instance(instance), seat)
    guess = task.guess(facts, np.random.default_rng(0))
    assert task.grade(guess, task.solve(guess)).exact


# --- what generators promise ---------------------------------------------------------------------

CONFIGS = {
    "attrcombo": ({"n": 5, "q": 3}, {"n": 15, "q": 6, "attributes": 3}),
    "binpack": ({"n": 4, "k": 2, "slack": 0}, {"n": 10, "k": 4}),
    "cipherdecode": ({"words": 1, "length": 6}, {"words": 4, "length": 9, "consonants": 5}),
    "crossword": ({"k": 2}, {"k": 4}),
    "eventlog": ({"n": 5, "q": 3}, {"n": 16, "q": 8, "offsets": [-170, 170]}),
    "logic": ({"n": 3, "clues_each": 4}, {"n": 4, "clues_each": 8, "weak_percent": 200}),
    "meetingmatrix": (
        {"m": 4, "s": 2, "conflicts": 3, "forbidden": 2},
        {"m": 8, "s": 4, "conflicts": 18, "forbidden": 8},
    ),
    "order": ({"n": 4, "clues_each": 2}, {"n": 8, "clues_each": 6, "notat_rate": 0.6}),
    "schedule": ({"m": 3, "slots": 5}, {"m": 6, "people": 6, "slots": 12, "window": 6}),
    "seating": ({"n": 5, "clues_each": 3}, {"n": 8, "clues_each": 6, "directed": 0.5}),
}


@pytest.mark.parametrize(
    ("name", "config"), [(name, config) for name, both in CONFIGS.items() for config in both]
)
def test_generated_instances_keep_to_their_configuration(name, config) -> None:
    task = find_task(name)
    instance = task.to_json(generate(task, make_config(task, config), np.random.default_rng(3)))
    task.read_instance(json.loads(json.dumps(instance)))
    counted = {
        "n": ("items", "names", "events", "n"), "q": ("queries",), "k": ("bins", "k"),
        "m": ("meetings", "events"), "s": ("slots",), "slots": ("slots",), "people": ("people",),
    }  # fmt: skip
    for key, fields in counted.items():
        value = next((instance[field] for field in fields if field in instance), None)
        if key in config:
            assert (value if isinstance(value, int) else len(value)) == config[key]
    if "clues_each" in config:
        assert instance["owner"] == [1, 2] * config["clues_each"]
    if "conflicts" in config:
        kinds = [kind for kind, _, _ in instance["constraints"]]
        assert (kinds.count("conflict"), kinds.count("not")) == (
            config["conflicts"],
            config["forbidden"],
        )
    for owners in (instance.get("owner"), instance.get("item_owner"), instance.get("bin_owner")):
        dealt = list(owners.values()) if isinstance(owners, dict) else owners or []
        assert abs(dealt.count(1) - dealt.count(2)) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_clues_of_either_half_leave_several_solutions(seed) -> None:
    for name in ("order", "seating", "logic"):
        task = find_task(name)
        instance = task.to_json(
            generate(task, make_config(task, None), np.random.default_rng(seed))
        )
        for half in (0, 1):
            clues = instance["clues"][half::2]
            with pytest.raises(InstanceError, match="leave one solution, they leave"):
                pairs.solve(name, {**instance, "clues": clues, "owner": [1] * len(clues)})


def test_free_times_may_overlap() -> None:
    people = {
        "Ada": {"tz": 0, "windows": [[1, 3], [2, 4]], "owner": 1},
        "Bo": {"tz": 0, "windows": [[1, 5], [1, 5]], "owner": 2},
    }
    instance = {"slots": 5, "people": people, "events": {"E1": ["Ada", "Bo"]}}
    scores = [pairs.grade("schedule", instance, {"slots": {"E1": s}}).score for s in range(1, 6)]
    assert scores == [1.0, 1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize("seed", range(5))
def test_events_have_few_slots_and_people_of_both_views(seed) -> None:
    task = find_task("schedule")
    instance = task.to_json(generate(task, make_config(task, None), np.random.default_rng(seed)))
    for event, names in instance["events"].items():
        assert {instance["people"][name]["owner"] for name in names} == {1, 2}
        solution = pairs.solve("schedule", instance)["slots"]
        suits = [
            slot
            for slot in range(1, 9)
            if pairs.grade("schedule", instance, {"slots": {**solution, event: slot}}).exact
        ]
        assert 1 <= len(suits) <= 2
