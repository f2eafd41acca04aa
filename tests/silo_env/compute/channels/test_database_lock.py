"""The database in a file: which names are allowed, and who may write there."""

import copy
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from coordgym.errors import ConfigError
from coordgym.silo_env.compute import parallel_env


@pytest.mark.parametrize(
    "path", [5, [], True, b"x", "a\0b", "\ud800.db", "", {}, 2.5, Path("."), "/", object()]
)
def test_what_is_no_name_of_a_file_is_refused_when_the_environment_is_made(path):
    with pytest.raises(ConfigError, match="db_path must be"):
        parallel_env(n_agents=2, db_path=path)


def test_what_can_not_be_opened_is_refused_at_the_reset(tmp_path):
    for path in (tmp_path / "no folder" / "x.db", tmp_path / ("x" * 400)):
        env = parallel_env(n_agents=2, db_path=path)
        with pytest.raises(ConfigError, match="db_path"):
            env.reset(seed=1)


def test_two_environments_never_write_into_one_file(tmp_path):
    path = tmp_path / "x.db"
    first, second = (parallel_env(n_agents=2, db_path=name) for name in (path, str(path)))
    first.reset(seed=1)
    os.symlink(path, tmp_path / "link.db")
    for other in (second, parallel_env(n_agents=2, db_path=tmp_path / "link.db")):
        with pytest.raises(ConfigError, match="in use by another environment"):
            other.reset(seed=1)
    first.step({"agent_0": 'send_message(1, "still here")', "agent_1": "wait()"})
    first.reset(seed=2)
    first.step({"agent_0": 'send_message(1, "again")', "agent_1": "wait()"})
    with sqlite3.connect(path) as reader:
        assert reader.execute("SELECT content FROM messages").fetchall() == [("again",)]
    # A copy lives in memory, and takes neither file nor lock.
    twin = copy.deepcopy(first)
    twin.step({"agent_0": 'send_message(1, "twin")', "agent_1": "wait()"})
    first.close()
    second.reset(seed=1)
    with pytest.raises(ConfigError, match="in use"):
        first.reset(seed=1)
    second.close()


def test_an_environment_that_is_gone_leaves_no_lock(tmp_path):
    path = tmp_path / "x.db"
    code = (
        "import os; from coordgym.silo_env.compute import parallel_env\n"
        f"env = parallel_env(n_agents=2, db_path={str(path)!r}); env.reset(seed=1); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    env = parallel_env(n_agents=2, db_path=path)
    env.reset(seed=1)
    del env
    parallel_env(n_agents=2, db_path=path).reset(seed=1)
