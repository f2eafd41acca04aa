"""Reading the published benchmark's own JSON files.

One file is one case; tuples are lists and integer keys are texts there. Task parameters that stand
only in the description are read from it by the task, and the file's answers must agree with the
reference solution. Source: the public Silo-Bench repository's case format.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coordgym.errors import InstanceError
from coordgym.silo_env.compute import table
from coordgym.silo_env.compute.answers.grading import equal
from coordgym.silo_env.compute.instance import as_instance, expected_answers
from coordgym.silo_env.compute.task import Task
from coordgym.silo_env.compute.tasks import TASKS

_PAPER_ID = re.compile(r"(?<![A-Za-z])(III|II|I)[-_](\d\d)(?!\d)")


@dataclass(frozen=True, slots=True)
class BenchmarkCase:
    """One published case.

    Attributes:
        case_id: Its id in the benchmark.
        task: The paper's id of its task.
        n_agents: Number of agents.
        instance: For ``env.reset(options={"instance": ...})``.
    """

    case_id: str
    task: str
    n_agents: int
    instance: dict[str, Any]


def load_benchmark(path: str | Path) -> BenchmarkCase:
    """Read one case of the published benchmark and check its answers.

    Raises:
        InstanceError: If the file has another form, is of a task that this package does not
            have, or holds an answer that is not the solution.
        OSError: If the file can't be read.
    """
    try:
        case = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InstanceError(f"{path} is not a JSON file: {error}") from error
    if not isinstance(case, Mapping):
        raise InstanceError(f"{path} must hold one JSON object, got a {type(case).__name__}")
    agents = _agents_of(case, path)
    task = _task_of(case, path)
    shards = [agent["input_shard"] for agent in agents]
    extra = task.published_extra(str(case.get("task_description", "")), len(agents))
    if _is_segmented(case):
        extra.update(task.published_segments())
    instance = as_instance(task, {"shards": shards, "extra": extra})
    solution = expected_answers(task, instance)
    for published in _published_answers(case, agents, path):
        for agent, (told, solved) in enumerate(zip(published, solution, strict=True)):
            if not equal(told, solved, task.tolerance):
                raise InstanceError(
                    f"{path}: the answer given for agent {agent} is {told!r:.80}, but the "
                    f"solution is {solved!r:.80}"
                )
    data = {"task": task.id, "shards": shards, "extra": dict(extra)}
    return BenchmarkCase(str(case.get("case_id", "")), task.id, len(agents), data)


def _agents_of(case: Mapping[str, Any], path: str | Path) -> list[Mapping[str, Any]]:
    """Return the agents' entries by ascending id; without ids they stand in their order."""
    agents = case.get("agent_configs")
    if not isinstance(agents, list) or len(agents) < 2:
        raise InstanceError(f"{path}: agent_configs must be a list of two or more agents")
    if any(not isinstance(a, Mapping) or "input_shard" not in a for a in agents):
        raise InstanceError(f"{path}: each of agent_configs needs an input_shard")
    metadata = case.get("metadata")
    told = metadata.get("num_agents", len(agents)) if isinstance(metadata, Mapping) else len(agents)
    if told != len(agents):
        raise InstanceError(
            f"{path}: metadata.num_agents is {told!r:.80}, but agent_configs has {len(agents)}"
        )
    ids = [agent.get("agent_id", place) for place, agent in enumerate(agents)]
    if any(type(i) is not int for i in ids) or sorted(ids) != list(range(len(agents))):
        raise InstanceError(
            f"{path}: the agent_id of agent_configs must be 0..{len(agents) - 1}, each once"
        )
    return [agents[ids.index(i)] for i in range(len(agents))]


def _task_of(case: Mapping[str, Any], path: str | Path) -> Task[Any, Any]:
    for key in ("case_id", "case_name", "task_id"):
        match = _PAPER_ID.search(str(case.get(key, "")))
        if match is not None and f"{match[1]}-{match[2]}" in TASKS:
            return TASKS[f"{match[1]}-{match[2]}"]
    name = re.sub(r"[^a-z0-9]+", "-", str(case.get("case_name", "")).lower()).strip("-")
    for entry in table.TASKS:
        if entry.slug == name:
            return TASKS[entry.paper_id]
    raise InstanceError(
        f"{path}: no task fits case_id {case.get('case_id')!r}, case_name "
        f"{case.get('case_name')!r}; known are {', '.join(TASKS)}"
    )


def _is_segmented(case: Mapping[str, Any]) -> bool:
    told = (case.get("metadata"), case.get("expected_output"))
    return any(isinstance(part, Mapping) and part.get("is_segmented") is True for part in told)


def _published_answers(
    case: Mapping[str, Any], agents: list[Mapping[str, Any]], path: str | Path
) -> list[list[Any]]:
    """Return the answers by agent, once for each of the two places that can tell them."""
    published = []
    if all("expected_output" in agent for agent in agents):
        published.append([agent["expected_output"] for agent in agents])
    told = case.get("expected_output")
    values = told.get("per_agent_values") if isinstance(told, Mapping) else None
    if isinstance(values, Mapping):
        values = [values.get(str(i)) for i in range(len(values))]
    if isinstance(values, list) and len(values) == len(agents):
        published.append(values)
    elif values is not None or not published:
        raise InstanceError(
            f"{path}: expected_output.per_agent_values must give one answer per agent"
        )
    return published
