"""The table of tasks: its lines are true, and a line and a class make a new task."""

from collections.abc import Mapping
from typing import Any

import networkx
import pytest
from toy_tasks.toy_lamps import ToyLamps

import coordgym
from coordgym import registry
from coordgym.conformance import CHECKS, Report, resolve, run_check
from coordgym.episodes.rollout import rollout
from coordgym.errors import ConfigError, InstanceError
from coordgym.loading import load
from coordgym.policies.named import make_policy
from coordgym.silo_env.graph import TASKS, parallel_env, score, table
from coordgym.silo_env.graph.task import Neighbourhoods

TOY = table.TaskEntry("toy", "Toy", "local", "Every agent has a lamp lit near it")


class Toy(ToyLamps):
    """The toy task of all tests, under the name of the line above."""

    name = "toy"


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> str:
    """Add a task by its class and its line alone; return the id of its environment."""
    entry = table.env_entry(TOY)
    monkeypatch.setitem(TASKS, TOY.name, Toy())
    monkeypatch.setattr(table, "TASKS", (*table.TASKS, TOY))
    monkeypatch.setitem(registry._entries, entry.id, entry)
    monkeypatch.setitem(registry._names, entry.id, entry.id)
    return entry.id


# --- the lines ---------------------------------------------------------------------------


@pytest.mark.parametrize("entry", table.TASKS, ids=lambda entry: entry.name)
def test_a_line_says_of_its_task_what_the_class_says(entry: table.TaskEntry) -> None:
    task = TASKS[entry.name]
    assert (task.name, type(task).__name__) == (entry.name, entry.title)
    assert type(task).__module__ == f"coordgym.silo_env.graph.tasks.{entry.name}"
    assert entry.reach == ("local" if task.local else "global")
    for place in (entry.small, entry.greedy, entry.solver):
        assert place is None or callable(load(place))
    if entry.constant is not None:
        assert entry.constant in task.options(("Ada", "Bao"), 2)


def test_every_task_has_a_line() -> None:
    assert list(TASKS) == [entry.name for entry in table.TASKS]
    with pytest.raises(KeyError):
        table.task_entry("sorting")


# --- a new task --------------------------------------------------------------------------


def test_general_baselines_play_a_new_task(toy: str) -> None:
    for policy in ("graph:flood", "graph:small", "graph:greedy", "graph:constant", "random"):
        for kwargs in ({}, {"inputs": True, "n_agents": 9, "topology": "ba"}):
            metrics = rollout(coordgym.make(toy, **kwargs), make_policy(policy), seed=1).metrics
            assert metrics["invalid_actions"] == 0
            if policy in ("graph:flood", "graph:small", "oracle"):
                assert metrics["success"] is True
            elif policy == "graph:constant":
                assert metrics["success"] is False


def test_flooding_knows_the_inputs_of_a_new_task(toy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    solved = []

    def solve(
        self: Toy, neighbours: Neighbourhoods, inputs: Mapping[str, str] | None
    ) -> dict[str, str]:
        solved.append((set(neighbours), inputs))
        return dict.fromkeys(neighbours, "Lit")

    monkeypatch.setattr(Toy, "solve", solve)
    env = coordgym.make(toy, n_agents=6, inputs=True)
    rollout(env, make_policy("graph:flood"), seed=2)
    names, inputs = env.unwrapped.instance["names"], env.unwrapped.instance["inputs"]
    assert set(inputs) <= set(Toy.input_values)
    assert solved[-1] == (set(names), dict(zip(names, inputs, strict=True)))


def test_a_new_task_keeps_the_contract_and_has_its_texts(toy: str) -> None:
    # All but the check that starts other processes, which don't know the task.
    here = [each for each in CHECKS if not each.slow and each.name != "hash_seed"]
    subject = resolve(lambda **kwargs: parallel_env("toy", **kwargs), {"n_agents": 5})
    report = Report("toy", tuple(run_check(each, subject) for each in here))
    assert report.ok, str(report)
    for text, words in (("full", "Your private input is "), ("compact", "; input ")):
        env = coordgym.make(toy, inputs=True, text=text)
        observations, infos = env.reset(seed=0)
        assert words + infos["agent_0"]["view"]["input"] in observations["agent_0"]
        assert "n_groups" not in infos["agent_0"]["view"]
        assert env.unwrapped.instance["groups"] is None


def test_errors_name_the_inputs_of_a_new_task(toy: str) -> None:
    ring = networkx.cycle_graph(["Ada", "Bao", "Cleo"])
    blue: Any = dict.fromkeys(ring.nodes, "blue")
    with pytest.raises(ConfigError, match="inputs must be 'red' or 'green' or '50% grey', got"):
        score("toy", ring, {}, inputs=blue)
    with pytest.raises(ConfigError, match=r"a variant of consensus .*or toy, not of coloring"):
        parallel_env("coloring", inputs=True)
    env = coordgym.make(toy, n_agents=4)
    env.reset(seed=0)
    broken = {**env.unwrapped.instance, "inputs": ["red"] * 3}
    with pytest.raises(InstanceError, match="inputs must be 4 strings 'red' or"):
        env.reset(options={"instance": broken})
