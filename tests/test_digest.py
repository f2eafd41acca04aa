"""What every environment draws, tells and pays stays the same unless a change renews the digest."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "digest_episodes.py"


@pytest.mark.heavy
@pytest.mark.parametrize("family", ["silo", "graph", "pairs", "swarm"])
def test_every_environment_does_what_the_digest_holds(family: str) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--check", family], capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stdout + done.stderr
