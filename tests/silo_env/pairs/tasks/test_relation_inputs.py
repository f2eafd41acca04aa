"""What comes to the relational tasks from outside: parameters, instances, views, prose."""

import numpy as np
import pytest
from cases import cases

from coordgym.errors import ConfigError, InstanceError
from coordgym.silo_env import pairs
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.task import find_task

DEALT = (
    "ancestorpath", "dagorder", "eulerpath", "graph", "graphattr", "graphpath", "noderanking",
    "relaquery", "treesum", "trianglecount",
)  # fmt: skip
"""The tasks whose facts are dealt to the views; aliasedtaxonomy names everything twice."""
TINY = {
    (case["task"], case["seed"]): case["instance"]
    for case in cases("pair_cases", size="tiny")
    if case["task"] in (*DEALT, "aliasedtaxonomy")
}


@pytest.mark.parametrize(
    ("name", "config", "message"),
    [
        ("aliasedtaxonomy", {"traits": 5}, "traits must be 1..4"),
        ("ancestorpath", {"n": 4}, "n must be 5..20"),
        ("dagorder", {"n": 4, "extra": 4}, "extra must be 0..3"),
        ("eulerpath", {"n": 5, "m": 11}, "m must be 4..10"),
        ("graph", {"max_weight": 0}, "max_weight must be 1..99"),
        ("graphattr", {"q": 9}, "q must be 1..8"),
        ("graphpath", {"n": 4, "m": 5, "min_length": 4}, "min_length must be 1..3"),
        ("noderanking", {"n": 3}, "n must be 4..16"),
        ("relaquery", {"p_two": 2}, "p_two must be a probability"),
        ("treesum", {"n": 6, "min_length": 7}, "min_length must be 2..6"),
        ("trianglecount", {"min_triangles": 4, "max_triangles": 3}, "at most max_triangles"),
    ],
)
def test_bad_configurations(name, config, message) -> None:
    with pytest.raises(ConfigError, match=message):
        make_config(find_task(name), config)


TWO_ROOTS = {"parent1": [None, 0, 1, None, 1]}


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("aliasedtaxonomy", TWO_ROOTS, "parent1 must make one tree"),
        ("aliasedtaxonomy", {"trait2": [None] * 5}, "exactly one matching"),
        ("aliasedtaxonomy", {"names1": ["thal", "b", "c", "d", "e"]}, "must not share a name"),
        ("ancestorpath", {"edges": [["Cy", "Max", 1], ["Max", "Cy", 2]]}, "queries must name"),
        ("ancestorpath", {"queries": ["Cy", "Cy"]}, "must not hold a name twice"),
        ("dagorder", {"edges": [["A", "B", 1], ["B", "A", 2]]}, "twice"),
        ("dagorder", {"edges": [["A", "B", 1]]}, "exactly one order"),
        ("eulerpath", {"edges": [["A", "B", 1], ["C", "D", 2]]}, "walk that uses each"),
        ("eulerpath", {"edges": [["A", "Z", 1]]}, "must join listed nodes"),
        ("graph", {"goal": "A"}, "start and goal must differ"),
        ("graph", {"edges": [["A", "B", 1, 1]]}, "must join start and goal"),
        ("graph", {"edges": [["A", "B", 0, 1]]}, "must take 1..999 minutes"),
        ("graph", {"nodes": {"A": [0, 1], "D": [0, 1]}}, "at different points"),
        ("graphattr", {"queries": [["degree", "red"]]}, "queries must be of"),
        ("graphattr", {"colors": [["A", "red", 1]]}, "each node one colour"),
        ("graphpath", {"edges": [["x y", "A", "E", 1]]}, "names of 1..20 letters"),
        ("graphpath", {"edges": [["Z", "A", "E", 1]]}, "names such as 'e12'"),
        ("noderanking", {"edges": [["A", "B", 1, 1]]}, "four largest totals"),
        ("relaquery", {"edges": [["Ivy", "Bo", 1], ["Bo", "Bo", 2]]}, "with itself"),
        ("relaquery", {"queries": [["Ivy", "Bo"], ["Bo", "Ivy"]]}, "two persons twice"),
        ("treesum", {"values": [["A", 1, 1]]}, "each node of the edges one value"),
        ("treesum", {"values": [["A", 10**9, 1]]}, "integers -1000000..1000000"),
        ("trianglecount", {"edges": [["A", "B", 1]]}, "form a triangle"),
        (
            "trianglecount",
            {"edges": [["A", "B", 3]]},
            "must be one of 1, 2, got 3",
        ),
    ],
)
def test_malformed_instances_are_refused(name, change, message) -> None:
    with pytest.raises(InstanceError, match=message):
        pairs.solve(name, {**TINY[name, 0], **change})


@pytest.mark.parametrize("name", DEALT)
def test_a_partner_that_repeats_or_contradicts_the_own_view_is_not_believed(name) -> None:
    task = find_task(name)
    instance = task.read_instance(TINY[name, 0])
    first, second = (task.facts(instance, seat) for seat in (1, 2))
    assert task.merge([first, first]) is None
    shared = next(key for key in ("nodes", "people", "queries", "u") if key in first)
    assert task.merge([first, {**second, shared: "Z"}]) is None
    assert task.merge([task.facts(instance, None), first, second]) is not None


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("name", DEALT)
def test_guesses_are_found_however_uneven_the_split(name, seat) -> None:
    """One view knows a single fact of each kind, or all but one."""
    task = find_task(name)
    instance = dict(TINY[name, 2])
    for field in {"edges", "colors", "values"} & set(instance):
        facts = [fact[:-1] for fact in instance[field]]
        instance[field] = [[*fact, 1 if k == 0 else 2] for k, fact in enumerate(facts)]
    facts = task.facts(task.read_instance(instance), seat)
    guess = task.guess(facts, np.random.default_rng(0))
    assert task.grade(guess, task.solve(guess)).exact


# --- prose ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message", "answer"),
    [
        ("dagorder", "Say A, C then B -> E => D it is", {"order": ["A", "C", "B", "E", "D"]}),
        ("noderanking", "A wins? No: D, A, E are on top", {"top": ["D", "A", "E"]}),
        ("eulerpath", "walk A-B, B-C, C-A now", {"edges": [["A", "B"], ["B", "C"], ["C", "A"]]}),
        ("eulerpath", "walk (A, B) -> (B, C)", {"edges": [["A", "B"], ["B", "C"]]}),
        ("eulerpath", "walk A, B, C, A then D", {"nodes": ["A", "B", "C", "A", "D"]}),
        ("graph", "take (3,2) -> (1,0) -> (0,3)", {"path": [[3, 2], [1, 0], [0, 3]]}),
        ("graph", "take A, then B, then D", {"path": ["A", "B", "D"]}),
        ("graphpath", "use e46, e35, e55 and e20", {"edges": ["e46", "e35", "e55", "e20"]}),
        ("graphattr", "1. it has 2\n2) 2\n4. I count 3 and 1", {"answers": [2, 2, None, 1]}),
        ("treesum", "14 + 6 = 20, so the sum is 27.", {"sum": 27}),
        ("treesum", "total: 14 + 13 = 27", {"sum": 27}),
        ("trianglecount", "I see (A, B, C), A-B-E", {"triangles": [[*"ABC"], [*"ABE"]]}),
        ("ancestorpath", "1. Cy, Lou\n3. Ada", {"answers": [["Cy", "Lou"], [], ["Ada"]]}),
        (
            "relaquery",
            "1. Ivy is the great-grandparent of Kit\n2. aunt uncle",
            {"answers": [["Ivy", "great_grandparent", "Kit"], ["Gus", "aunt_uncle", "Cy"]]},
        ),
        (
            "aliasedtaxonomy",
            "buce -> thal, lepa: clop, `tilu` = 'flam', tilu => brid, koru - grun",
            {"pairs": {"buce": "thal", "lepa": "clop", "tilu": "brid"}},
        ),
    ],
)  # fmt: skip
def test_answers_in_prose(name, message, answer) -> None:
    task = find_task(name)
    instance = task.read_instance(TINY[name, 0])
    assert task.free_text_answer(instance, ["nothing", message, "I agree!"]) == answer
    assert task.free_text_answer(instance, ["nothing", "I agree!"]) is None


@pytest.mark.parametrize(
    "lines",
    [
        ["- a: root class", "- b: root class"],
        ["- a: a kind of b", "- b: a kind of a"],
        ["- a: root class", "- b: a kind of c", "- c: a kind of b"],
        ["- a: root class", "- a: root class"],
        ["- a: a kind of z"],
        [],
    ],
)
def test_a_stated_taxonomy_that_is_no_tree_is_not_believed(lines) -> None:
    task = find_task("aliasedtaxonomy")
    own = task.facts(task.read_instance(TINY["aliasedtaxonomy", 0]), 1)
    text = "\n".join(["Agent 2's taxonomy (the other agent has the same):", *lines])
    stated = task.read_view(text)
    assert stated is None or task.merge([own, stated]) is None
