"""The parts of a plan."""

import pytest
from relay_runs import RELAY

from coordgym.errors import PlanError
from coordgym.runs.plan import Plan
from coordgym.runs.planned import PlannedEnv, PlannedPolicy


def test_repeats_have_their_own_policy_seeds() -> None:
    plan = Plan((PlannedEnv(RELAY),), (PlannedPolicy("random", "random"),), (0, 1), repeats=3)
    seeds = [cell.policy_seed for cell in plan.cells()]
    assert (seeds[0], seeds[3]) == (0, 1)
    assert len(set(seeds)) == 6


def test_imported_things_are_checked_again_when_they_are_made() -> None:
    with pytest.raises(PlanError, match=r"'import:os:getcwd' makes no policy .* but '"):
        PlannedPolicy("x", "import:os:getcwd").build()
    assert PlannedPolicy("x", "import:toy_relay:Sayer", {"tokens": 3}).build().name == "sayer"
