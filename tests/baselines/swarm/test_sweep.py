"""``swarm:strong`` is the strongest of its family at any size: a few cells, the published sweep."""

import csv
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import coordgym

SWEEP = Path(__file__).parents[3] / "docs" / "results" / "swarm-sweep.csv"
OTHERS = ("random", "swarm:reactive", "swarm:heuristic", "swarm:communicating")


@pytest.mark.parametrize(
    ("task", "seeds", "kwargs"),
    [
        ("Pursuit", 2, {"n_agents": 8, "view_size": 3}),
        ("Pursuit", 2, {"n_agents": 16, "view_size": 7}),
        ("Pursuit", 3, {"n_agents": 14, "height": 9, "width": 6}),
        ("Foraging", 4, {"n_agents": 4, "height": 7, "width": 7, "max_cycles": 14}),
        ("Foraging", 2, {"n_agents": 7, "height": 9, "width": 13, "view_size": 3}),
        ("Transport", 6, {"n_agents": 8, "box": "square", "view_size": 3}),
        ("Transport", 3, {"n_agents": 12, "height": 14, "width": 12}),
        ("Flocking", 3, {"n_agents": 12, "height": 15, "width": 7, "view_size": 3}),
        ("Synchronization", 2, {"n_agents": 5, "height": 6, "width": 13, "max_cycles": 30}),
    ],
)
def test_no_other_baseline_is_better(task: str, seeds: int, kwargs: dict[str, Any]) -> None:
    env = coordgym.make(f"Swarm{task}-v0", text="compact", repeat_instructions=False, **kwargs)
    means = {
        policy: fmean(coordgym.rollout(env, policy, seed).metrics["score"] for seed in range(seeds))
        for policy in (*OTHERS, "swarm:strong")
    }
    assert max(means, key=lambda policy: (means[policy], policy)) == "swarm:strong", means


def test_in_the_published_sweep_no_other_baseline_is_significantly_better() -> None:
    with SWEEP.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 100
    for row in rows:
        assert int(row["episodes"]) == 20
        if row["bound"] == "0":
            assert float(row["ahead_high"]) >= 0, row
            assert int(row["compared"]) in (5, 20)
            assert int(row["compared"]) == 20 or float(row["ahead_low"]) > 0, row
