"""The published files of the shuffle tasks: parameters that stand only in descriptions."""

import json
from pathlib import Path

import pytest

import coordgym
from coordgym.errors import InstanceError
from coordgym.policy import make_policy
from coordgym.rollouts import rollout
from coordgym.silo_env.compute import TASKS, load_benchmark

CASES = json.loads((Path(__file__).parents[2] / "data" / "silo_cases.json").read_text())


def description(case):
    """Where the published files tell what no shard holds."""
    extra = case["extra"]
    if "initial_centroids" in extra:
        pairs = ", ".join(f"({x}, {y})" for x, y in extra["initial_centroids"])
        return f"In round 1 use the 3 initial centroids: [{pairs}]. Agents 0 to 9 form a star."
    if "num_nodes" in extra:
        n_nodes = extra["num_nodes"]
        return f"A graph with {n_nodes} nodes (0 to {n_nodes - 1}). Talk to 2 neighbors."
    if case["task"] == "III-22":
        return f"Find the median of a total of {sum(map(len, case['shards']))} numbers."
    return "Work all-to-all in 7 steps."


@pytest.mark.parametrize("case", [c for c in CASES if c["level"] == "III"], ids=lambda c: c["id"])
def test_published_files_load_and_play(case, tmp_path):
    """The reference cases in the form of the benchmark's files."""
    n_agents, segmented = case["n_agents"], case["segmented"]
    answers = case["answer"] if segmented else [case["answer"]] * n_agents
    published = {
        "case_id": f"{case['task']}_{n_agents}",
        "case_name": case["name"],
        "paradigm": "III",
        "metadata": {"num_agents": n_agents, "is_segmented": segmented},
        "task_description": description(case),
        "agent_configs": [
            {"agent_id": i, "input_shard": shard, "expected_output": answer}
            for i, (shard, answer) in enumerate(zip(case["shards"], answers, strict=True))
        ],
        "expected_output": {"per_agent_values": answers, "is_segmented": segmented},
    }
    path = tmp_path / "case.json"
    path.write_text(json.dumps(published))
    loaded = load_benchmark(path)
    assert loaded.task == case["task"]
    for key, value in case["extra"].items():
        assert loaded.instance["extra"][key] == value
    env = coordgym.make(loaded.task, n_agents=n_agents)
    for policy in ("silo:all-gather", "silo:optimal"):
        episode = rollout(env, make_policy(policy), 0, options={"instance": loaded.instance})
        assert episode.metrics["S"] == 1.0


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The graph has 20 nodes.", 20),
        ("A 20-node graph; nodes 0-19.", 20),
        ("num_nodes = 20, 40 edges", 20),
        ("Number of nodes: 20", 20),
        ("Nodes are labelled 0 to 19.", 20),
        ("vertices 0..19", 20),
        ("20 nodes in all; each of the 20 nodes has an id", 20),
    ],
)
def test_node_counts_are_read_from_descriptions(text, count):
    for task in ("III-23", "III-24", "III-28"):
        assert TASKS[task].published_extra(text, 2)["num_nodes"] == count


@pytest.mark.parametrize("text", ["", "A graph.", "either 20 nodes or 30 nodes"])
def test_descriptions_that_do_not_tell_the_nodes_are_refused(text):
    with pytest.raises(InstanceError, match="number of nodes"):
        TASKS["III-23"].published_extra(text, 2)


@pytest.mark.parametrize(
    "text",
    [
        "Points (x, y) in [0, 100]. Initial centroids: [[1.5, -2.0], [3, 4e1]]. Answer [[1, 2]].",
        "k=2 centroids are C0: (1.5, -2.0), C1: (3, 4e1). Do one step.",
        "centroids:\n  0: (1.5, -2)\n  1: (3.0, 40.0)",
    ],
)
def test_centroids_are_read_from_descriptions(text):
    told = TASKS["III-25"].published_extra(text, 2)
    assert told["initial_centroids"] == [[1.5, -2.0], [3.0, 40.0]]
    assert told["k"] == 2
    with pytest.raises(InstanceError, match="centroids"):
        TASKS["III-25"].published_extra(text.replace("entroid", "luster"), 2)


def test_other_totals_are_no_sizes():
    read = TASKS["III-22"].published_extra
    assert read("a total of 10 agents and 3 rounds", 10) == {}
    assert read("Total size: 250.", 10) == read("a total of 250 numbers", 10) == {"total": 250}
