"""Results of a small plan, played once for all tests of reports."""

from typing import Any

import pytest
from relay_runs import RELAY

from coordgym.runs.evaluate import evaluate
from coordgym.runs.results import Results


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    trouble = {"raises": [1]}
    plan: dict[str, Any] = {
        "name": "toy",
        "seeds": 4,
        "repeats": 2,
        "envs": [{"id": RELAY, "kwargs": {"turns": 3}}],
        "policies": [
            "random",
            {"name": "a|b", "policy": "import:toy_relay:Troublemaker", "kwargs": trouble},
            {"name": "model", "policy": "import:toy_relay:Sayer", "kwargs": {"tokens": 5}},
        ],
    }
    return evaluate(plan, tmp_path_factory.mktemp("results"))
