"""Instances of default size: as many facts, as long walks and as even splits as each task says."""

from collections import Counter
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from coordgym.silo_env.pairs.instance import generate
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.table import TASK_CLASSES
from coordgym.silo_env.pairs.task import find_task

each_seed = pytest.mark.parametrize("seed", range(5))


@cache
def drawn(name, seed, config=()):
    """An instance in JSON, and all its optimal answers up to 400."""
    task = find_task(name)
    instance = generate(task, make_config(task, dict(config)), np.random.default_rng(seed))
    return task.to_json(instance), task.optimal_answers(instance, 400)


def is_even(owners, most=1) -> bool:
    count = Counter(str(owner) for owner in owners)
    return abs(count["1"] - count["2"]) <= most


GRID_WALKS = {  # cells per side, fewest moves, most optimal walks
    "maze": (7, 12, 6), "streetmap": (7, 12, 6), "rulemaze": (6, 10, 6),
    "blueprintmaze": (7, 5, 400), "geomaze": (5, 8, 400), "terrain": (6, 10, 400),
    "timedpath": (5, 10, 30),
}  # fmt: skip


@each_seed
@pytest.mark.parametrize("name", GRID_WALKS)
def test_walks(name, seed) -> None:
    given, optima = drawn(name, seed)
    side, moves, most = GRID_WALKS[name]
    assert [len(row) for row in given["grid"]] == [side] * side
    assert all(len(answer["path"]) - 1 >= moves for answer in optima)
    assert len(optima) <= most
    if name == "blueprintmaze":
        assert given["start"][1] < given["cut"] == 4 <= given["goal"][1]
    else:
        assert (given["start"], given["goal"]) == ([0, 0], [side - 1, side - 1])
    if name in ("maze", "rulemaze", "terrain"):
        owners = "".join(given["owner"])
        assert owners.count("b") == 2
        assert is_even(owners)


@each_seed
def test_what_grids_hold(seed) -> None:
    given, _ = drawn("streetmap", seed)
    cells = list(zip("".join(given["grid"]), "".join(given["owner"]), strict=True))
    assert {owner for symbol, owner in cells if symbol == "#"} == {"2"}
    arrows = [owner for symbol, owner in cells if symbol in "^v<>"]
    assert len(arrows) >= 2
    assert is_even(arrows)
    streets = {owner for symbol, owner in cells if symbol == "."}
    assert is_even(owner for _, owner in cells) or streets == {"1"}
    given, _ = drawn("rulemaze", seed)
    assert given["rule_owner"] == [1, 2, 1, 2, 1]
    assert set("".join(drawn("terrain", seed)[0]["grid"])) <= set("1279")
    given, _ = drawn("timedpath", seed)
    assert len({tuple(block[:2]) for block in given["blocks"]}) == len(given["blocks"]) == 8
    assert is_even(given["block_owner"])
    given, _ = drawn("geomaze", seed)
    assert given["hw"]
    assert given["vw"]
    given, optima = drawn("floodfill", seed)
    assert 8 <= len(optima[0]["cells"]) <= 20
    assert is_even("".join(given["owner"]))


@each_seed
@pytest.mark.parametrize("config", [(), (("min_ticks", 7), ("n", 6))])
def test_joint_plans(seed, config) -> None:
    given, optima = drawn("conflictpath", seed, config)
    side, ticks = (6, 7) if config else (5, 5)
    assert len(given["grid"]) == side
    assert all(len(plan["A"]) - 1 >= ticks for plan in optima)
    assert is_even("".join(given["owner"]))


@each_seed
def test_blocks_and_wires(seed) -> None:
    given, optima = drawn("cube", seed)
    assert given["layer_owner"] == [1, 2, 1, 2]
    assert len(optima) <= 8
    assert all(len(answer["path"]) - 1 >= 9 for answer in optima)
    given, _ = drawn("numberlink", seed)
    assert (given["n"], len(given["pairs"])) == (5, 3)
    assert len(given["blocked"]) >= 2
    assert given["block_owner"] == [1 + k % 2 for k in range(len(given["blocked"]))]
    assert all(sorted(sides) == [1, 2] for sides in given["end_owner"].values())


NETWORKS = {  # nodes, links
    "eulerpath": (6, 9), "graph": (7, 11), "graphattr": (7, 10), "graphpath": (8, 13),
    "noderanking": (7, 12), "trianglecount": (7, 12), "dagorder": (8, 11),
}  # fmt: skip


@each_seed
@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name, seed) -> None:
    given, optima = drawn(name, seed)
    edges = given["edges"]
    assert (len(given["nodes"]), len(edges)) == NETWORKS[name]
    assert is_even([edge[-1] for edge in edges], 2 if name == "dagorder" else 1)
    if name in ("graph", "noderanking"):
        assert all(1 <= edge[2] <= 9 for edge in edges)
    if name == "graph":
        assert len(optima) == 1
        assert len(optima[0]["path"]) >= 3
        assert all(x != y for x, y in given["nodes"].values())
    if name == "graphpath":
        assert len(optima[0]["edges"]) >= 3
    if name == "trianglecount":
        assert 2 <= len(optima[0]["triangles"]) <= 6
    if name == "graphattr":
        assert [owner for *_, owner in given["colors"]] == [1, 2, 1, 2, 1, 2, 1]
        assert max(Counter(query[0] for query in given["queries"]).values()) <= 2
        assert all(count > 0 for count in optima[0]["answers"])
        assert len(given["queries"]) == 4
    if name == "dagorder":
        steps = set(pairwise(optima[0]["order"]))
        kinds = [
            [e[-1] for e in edges if ((e[0], e[1]) in steps) == step] for step in (True, False)
        ]
        assert [len(owners) for owners in kinds] == [7, 4]
        assert all(is_even(owners) for owners in kinds)


@each_seed
def test_trees_and_families(seed) -> None:
    given, optima = drawn("aliasedtaxonomy", seed)
    assert len(given["names1"]) == len(optima[0]["pairs"]) == 9
    parents = given["parent1"]
    assert all(above is None or 1 <= node - above <= 3 for node, above in enumerate(parents))
    leaves = [node not in parents for node in range(9)]
    assert [trait is not None for trait in given["trait1"]] == leaves
    given, optima = drawn("ancestorpath", seed)
    owner = {child: view for _, child, view in given["edges"]}
    assert (len(owner), len(given["queries"])) == (11, 4)
    assert is_even(owner.values())
    for chain in optima[0]["answers"]:
        assert len(chain) >= 3
        assert {owner[person] for person in chain[:-1]} == {1, 2}
    given, optima = drawn("relaquery", seed)
    assert (len(given["people"]), len(given["queries"])) == (12, 5)
    assert is_even(edge[-1] for edge in given["edges"])
    assert all(word != "none" for _, word, _ in optima[0]["answers"])
    given, optima = drawn("treesum", seed)
    assert len(given["edges"]) == 10
    assert is_even(edge[-1] for edge in given["edges"])
    assert is_even(value[-1] for value in given["values"])
    assert all(1 <= value <= 19 for _, value, _ in given["values"])


@pytest.mark.parametrize("seed", range(25))
def test_paths_of_sums_need_links_and_values_of_both_views(seed) -> None:
    given, _ = drawn("treesum", seed, (("n", 8), ("min_length", 3)))
    near: dict[str, list[str]] = {}
    for a, b, _ in given["edges"]:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    paths = [[given["u"]]]
    while paths[-1][-1] != given["v"]:
        path = paths.pop()
        paths += [[*path, node] for node in near[path[-1]] if node not in path]
        paths.sort(key=lambda p: p[-1] == given["v"])
    path = paths[-1]
    assert len(path) >= 3
    links = {frozenset(edge[:2]): edge[2] for edge in given["edges"]}
    values = {node: view for node, _, view in given["values"]}
    assert {links[frozenset(step)] for step in pairwise(path)} == {1, 2}
    assert {values[node] for node in path} == {1, 2}


@each_seed
def test_objects_crates_and_codes(seed) -> None:
    given, _ = drawn("attrcombo", seed)
    assert len(given["items"]) == 8
    assert [query["ask"] for query in given["queries"]] == ["list", "count"] * 2
    for query in given["queries"]:
        assert [len(set(query["where"]) & set(pair)) for pair in
                (("colour", "size"), ("material", "owner"))] == [1, 1]  # fmt: skip
    assert len({str(query["where"]) for query in given["queries"]}) == 4
    given, _ = drawn("binpack", seed)
    assert (len(given["items"]), len(given["bins"])) == (6, 3)
    assert all(2 <= weight <= 12 for weight in given["items"].values())
    assert 0 <= sum(given["bins"].values()) - sum(given["items"].values()) <= 3
    assert is_even(given["item_owner"].values())
    assert is_even(given["bin_owner"].values())
    given, _ = drawn("cipherdecode", seed)
    assert [len(word) for word in given["plain"].split()] == [6, 6]
    assert {letter for word in given["plain"].split() for letter in word[1::2]} <= set("AEIOU")
    assert len(given["map"]) >= 4
    assert is_even(given["owner"].values())
    given, _ = drawn("crossword", seed)
    words = given["across_words"] + given["down_words"]
    assert [len(word) for word in words] == [5] * 6
    assert len(set(words)) == 6
    for listed in (given["across_words"], given["down_words"]):
        assert listed == sorted(listed)


@pytest.mark.parametrize("seed", range(25))
def test_queries_that_some_objects_meet_but_not_nearly_all(seed) -> None:
    _, optima = drawn("attrcombo", seed, (("n", 4), ("q", 3)))
    hits = [len(each) if isinstance(each, list) else each for each in optima[0]["answers"]]
    assert all(1 <= count <= 2 for count in hits)


@each_seed
def test_logs_clues_and_calendars(seed) -> None:
    given, _ = drawn("eventlog", seed)
    events = given["events"]
    owner = {name: view for name, _, view in events}
    assert (len(owner), events[0][2], len(given["queries"])) == (8, 0, 4)
    assert len({minute for _, minute, _ in events}) == 8
    assert all(480 <= minute <= 660 for _, minute, _ in events)
    assert is_even(view for _, _, view in events)
    assert given["offset"] in (-47, -25, -13, 17, 33, 52)
    for kind, *about in given["queries"]:
        assert kind == "nth" or {owner[name] for name in about} == {1, 2}
    for name, each in (("logic", 6), ("order", 4), ("seating", 4)):
        assert drawn(name, seed)[0]["owner"] == [1, 2] * each
    given, _ = drawn("meetingmatrix", seed)
    kinds = Counter(constraint[0] for constraint in given["constraints"])
    assert (len(given["meetings"]), given["slots"], kinds) == (6, 3, {"conflict": 9, "not": 3})
    assert is_even(given["owner"])
    given, optima = drawn("schedule", seed)
    people = given["people"]
    assert (len(people), given["slots"], len(given["events"])) == (4, 8, 5)
    assert is_even([person["owner"] for person in people.values()], 0)
    assert all(1 <= len(person["windows"]) <= 2 for person in people.values())
    for event, group in given["events"].items():
        assert {people[name]["owner"] for name in group} == {1, 2}
        assert 1 <= len({answer["slots"][event] for answer in optima}) <= 2


def test_every_task_is_looked_at() -> None:
    looked_at = {*GRID_WALKS, *NETWORKS, "floodfill", "conflictpath", "cube", "numberlink"}
    looked_at |= {"aliasedtaxonomy", "ancestorpath", "relaquery", "treesum", "attrcombo", "binpack"}
    looked_at |= {"cipherdecode", "crossword", "eventlog", "logic", "order", "seating"}
    assert looked_at | {"meetingmatrix", "schedule"} == set(TASK_CLASSES)
