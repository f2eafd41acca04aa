"""Parameters of the generators: each changes the instances as its description says."""

import numpy as np
import pytest

from coordgym.silo_env.pairs.instance import generate
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.task import find_task


def drawn(name, seed, config):
    """An instance in JSON, and all its optimal answers up to 400."""
    task = find_task(name)
    instance = generate(task, make_config(task, dict(config)), np.random.default_rng(seed))
    return task.to_json(instance), task.optimal_answers(instance, 400)


def kinds(given) -> set[str]:
    return {clue[0] for clue in given["clues"]}


def moves(optima) -> int:
    return len(optima[0]["path"]) - 1


KNOBS = {
    "maze": [({"n": 5, "min_length": 10, "max_optimal": 1},
              lambda g, o: len(o) == 1 and moves(o) >= 10)],
    "streetmap": [
        ({"max_optimal": 1}, lambda g, o: len(o) == 1),
    ],
    "rulemaze": [
        ({"colours": "RGB", "n_rules": 3}, lambda g, o: "Y" not in "".join(g["grid"])),
        ({"n_rules": 7}, lambda g, o: len(g["forbidden"]) == 7),
    ],
    "blueprintmaze": [({"min_length": 9}, lambda g, o: moves(o) >= 9)],
    "geomaze": [({"min_length": 10}, lambda g, o: moves(o) >= 10)],
    "terrain": [({"palette": "38"}, lambda g, o: set("".join(g["grid"])) == set("38"))],
    "timedpath": [
        ({"n_closures": 4, "min_length": 9, "max_optimal": 40},
         lambda g, o: len(g["blocks"]) == 4 and moves(o) >= 9 and len(o) <= 40),
    ],
    "cube": [({"n": 3, "min_length": 8, "max_optimal": 1},
              lambda g, o: len(o) == 1 and moves(o) >= 8)],
    "floodfill": [
        ({"least_cells": 12, "most_cells": 13}, lambda g, o: 12 <= len(o[0]["cells"]) <= 13),
    ],
    "numberlink": [({"k": 2, "min_cells": 5}, lambda g, o: len(g["pairs"]) == 2)],
    "aliasedtaxonomy": [({"n": 7, "traits": 1}, lambda g, o: set(g["trait1"]) == {None, 0})],
    "ancestorpath": [
        ({"reach": 1}, lambda g, o: len({a for a, *_ in g["edges"]}) == len(g["edges"])),
    ],
    "dagorder": [({"extra": 0}, lambda g, o: len(g["edges"]) == 7)],
    "graph": [({"max_weight": 2}, lambda g, o: all(1 <= e[2] <= 2 for e in g["edges"]))],
    "graphpath": [({"min_length": 5}, lambda g, o: len(o[0]["edges"]) >= 5)],
    "noderanking": [({"max_weight": 3}, lambda g, o: all(1 <= e[2] <= 3 for e in g["edges"]))],
    "relaquery": [
        ({"p_two": 0.0}, lambda g, o: len({e[1] for e in g["edges"]}) == len(g["edges"])),
        ({"p_two": 1.0}, lambda g, o: len(g["edges"]) == 2 * len({e[1] for e in g["edges"]})),
    ],
    "treesum": [({"reach": 1, "n": 6}, lambda g, o: len({a for a, *_ in g["edges"]}) == 5)],
    "trianglecount": [
        ({"min_triangles": 4, "max_triangles": 4}, lambda g, o: len(o[0]["triangles"]) == 4),
    ],
    "attrcombo": [({"attributes": 3},
                   lambda g, o: all(len(q["where"]) == 3 for q in g["queries"]))],
    "binpack": [
        ({"slack": 0}, lambda g, o: sum(g["bins"].values()) == sum(g["items"].values())),
        ({"slack": 5}, lambda g, o: sum(g["bins"].values()) <= sum(g["items"].values()) + 15),
    ],
    "cipherdecode": [
        ({"words": 3, "consonants": 2}, lambda g, o: len({*g["map"]} - set("AEIOU")) <= 2),
    ],
    "crossword": [({"k": 2}, lambda g, o: len(g["across_words"]) == 2)],
    "eventlog": [({"offsets": (100,)}, lambda g, o: g["offset"] == 100)],
    "logic": [
        ({"weak_percent": 0}, lambda g, o: not kinds(g) & {"notat", "notsame", "adj"}),
        ({"clues_each": 8}, lambda g, o: len(g["clues"]) == 16),
    ],
    "meetingmatrix": [({"m": 5, "s": 3, "conflicts": 6, "forbidden": 2}, lambda g, o: len(o) >= 1)],
    "order": [
        ({"gap_rate": 0.0, "notat_rate": 0.0}, lambda g, o: not kinds(g) & {"gap", "notat"}),
        ({"n": 5, "clues_each": 3}, lambda g, o: len(g["clues"]) == 6),
    ],
    "schedule": [
        ({"window": 2}, lambda g, o: all(b - a < 2 for p in g["people"].values()
                                         for a, b in p["windows"])),
        ({"people": 6}, lambda g, o: len(g["people"]) == 6),
    ],
}  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "index"), [(n, k) for n in KNOBS for k in range(len(KNOBS[n]))])
def test_parameters_do_what_they_say(name, index, seed) -> None:
    config, holds = KNOBS[name][index]
    assert holds(*drawn(name, seed, tuple(config.items())))


@pytest.mark.parametrize(
    ("name", "few", "many", "count"),
    [
        ("seating", {"directed": 0.3}, {},
         lambda g: sum(c[0] in ("cw", "cwk") for c in g["clues"])),
        ("order", {}, {"notat_rate": 1.0}, lambda g: sum(c[0] == "notat" for c in g["clues"])),
        ("logic", {}, {"weak_percent": 200}, lambda g: sum(c[0] == "notat" for c in g["clues"])),
        ("binpack", {}, {"slack": 5}, lambda g: sum(g["bins"].values()) - sum(g["items"].values())),
        ("schedule", {}, {"window": 6},
         lambda g: max(b - a for p in g["people"].values() for a, b in p["windows"])),
        ("conflictpath", {"p_wall": 0.1}, {"p_wall": 0.3}, lambda g: "".join(g["grid"]).count("#")),
        ("maze", {"p_wall": 0.25}, {"p_wall": 0.4}, lambda g: "".join(g["grid"]).count("#")),
        ("geomaze", {"p_wall": 0.25}, {"p_wall": 0.45}, lambda g: len(g["hw"]) + len(g["vw"])),
    ],
)  # fmt: skip
def test_rates_move_what_they_say(name, few, many, count) -> None:
    low, high = (
        sum(count(drawn(name, seed, tuple(config.items()))[0]) for seed in range(15))
        for config in (few, many)
    )
    assert low < high
