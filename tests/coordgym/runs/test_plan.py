"""Plans as data."""

import subprocess
import sys
from typing import Any

from relay_runs import RELAY

from coordgym.runs.plan_file import plan_of


def test_the_fingerprint_depends_on_the_content_alone() -> None:
    def fingerprint(**changes: Any) -> str:
        kwargs = {"turns": 2, "n_agents": 3}
        data = {"envs": [{"id": RELAY, "kwargs": kwargs}], "policies": ["random"], "seeds": 3}
        return plan_of({**data, **changes}).fingerprint()

    assert fingerprint() == fingerprint(name="other") == fingerprint(compress=True)
    swapped = {"n_agents": 3, "turns": 2}
    assert fingerprint() == fingerprint(envs=[{"id": RELAY, "kwargs": swapped}])
    others = [fingerprint(seeds=4), fingerprint(repeats=2), fingerprint(policies=["oracle"])]
    others.append(fingerprint(envs=[{"id": RELAY, "kwargs": {"turns": 2}}]))
    assert len({fingerprint(), *others}) == 5
    code = (
        "from coordgym.runs.plan_file import plan_of\n"
        f"print(plan_of({{'envs': [{{'id': {RELAY!r}, 'kwargs': {swapped!r}}}],"
        " 'policies': ['random'], 'seeds': 3}).fingerprint())"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stdout.strip() == fingerprint(), process.stderr
