"""The relative coordination cost: teams against one agent with all the data, in reports."""

import csv
import io
import math

import pytest

from coordgym.runs.coordination_cost import alone_in, relative_cost
from coordgym.runs.evaluate import evaluate
from coordgym.runs.planned import PlannedEnv
from coordgym.runs.report import csv_report, markdown_report

PROBLEM = {"n_agents": 4, "params": {"items": 5}}


def planned(**kwargs):
    return PlannedEnv("coordgym/SiloGlobalMax-v0", {**PROBLEM, **kwargs})


def test_the_cost_is_the_share_that_a_team_loses():
    assert relative_cost(0.25, 1.0) == 0.75
    assert relative_cost(0.5, 0.5) == 0.0
    assert relative_cost(0.6, 0.5) == pytest.approx(-0.2)
    assert math.isnan(relative_cost(0.0, 0.0))
    assert math.isnan(relative_cost(0.5, math.nan))


def test_the_reference_has_the_same_problems_whatever_the_protocol():
    alone = planned(oracle=True, protocol="p2p")
    envs = [planned(oracle=True, n_agents=5), planned(oracle=True, params={}), alone, planned()]
    for team in (planned(), planned(protocol="broadcast", topology="ring", message_loss=0.1)):
        assert alone_in(team, envs) is alone
    for other in (planned(n_agents=6), planned(overlap=2), PlannedEnv("coordgym/SiloMedian-v0")):
        assert alone_in(other, envs) is None
    assert alone_in(alone, envs) is None


def test_the_same_problems_may_be_written_in_other_words():
    alone = PlannedEnv("I-01", {"oracle": True})
    for kwargs in ({}, {"n_agents": 10}, {"params": None, "oracle": False, "text": "full"}):
        for name in ("I-01", "SiloGlobalMax-v0", "coordgym/SiloGlobalMax-v0"):
            assert alone_in(PlannedEnv(name, kwargs), [alone]) is alone
    for other in ({"n_agents": 4}, {"text": "compact"}, {"overlap": 1}):
        assert alone_in(PlannedEnv("I-01", other), [alone]) is None
    elsewhere = PlannedEnv("import:somewhere.else:Env", {"oracle": True})
    assert alone_in(PlannedEnv("import:somewhere.else:Env", {}), [elsewhere]) is elsewhere
    assert alone_in(PlannedEnv("import:somewhere.else:Other", {}), [elsewhere]) is None


def test_families_name_the_arguments_that_only_teams_meet():
    def at(env_id, **kwargs):
        return PlannedEnv(env_id, kwargs)

    # A graph's topology is its problem; the topology of a computation's network is not.
    for name, given, same in (
        ("I-01", {"topology": "ring"}, True),
        ("I-01", {"db_path": "x.db"}, True),
        ("I-01", {"text": "compact"}, False),
        ("GraphColoring-v0", {"topology": "ring"}, False),
        ("GraphColoring-v0", {"render_mode": "ansi", "max_cycles": 7}, True),
        ("import:somewhere.else:Env", {"max_cycles": 7}, True),
    ):
        alone = at(name, oracle=True)
        assert (alone_in(at(name, **given), [alone]) is alone) is same, (name, given)


def test_reports_tell_the_cost_of_each_team(tmp_path):
    plan = {
        "envs": [
            {"id": "I-01", "kwargs": {"n_agents": 4}},
            {"id": "I-01", "kwargs": {"n_agents": 4, "protocol": "broadcast"}},
            {"id": "I-01", "kwargs": {"n_agents": 4, "oracle": True}},
            {"id": "I-01", "kwargs": {"n_agents": 3}},
        ],
        "policies": ["random", "silo:local", "silo:all-gather"],
        "seeds": 8,
    }
    results = evaluate(plan, tmp_path)
    summaries = results.summaries()
    alone = {s.policy: s.figure("S").mean for s in summaries if "oracle" in s.env}
    assert alone == {"random": 0.0, "silo:local": 1.0, "silo:all-gather": 1.0}
    for summary in summaries:
        cost = summary.figure("RCC")
        if not alone[summary.policy] or "oracle" in summary.env or "n_agents=3" in summary.env:
            assert cost.n == 0
        else:
            assert cost.n == 8
            assert cost.mean == 1 - summary.figure("S").mean
    local = [s.figure("RCC").mean for s in summaries if s.policy == "silo:local"]
    assert local[0] == local[1] > 0.5  # one agent in four or so holds the maximum
    assert [s.figure("RCC").mean for s in summaries if s.policy == "silo:all-gather"][:2] == [
        0.0,
        0.0,
    ]
    assert markdown_report(results).count("Relative coordination cost of") == 4
    rows = list(csv.DictReader(io.StringIO(csv_report(results))))
    assert [row["RCC_mean"] != "" for row in rows].count(True) == 4
