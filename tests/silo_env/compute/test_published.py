"""The published benchmark's own files: read, checked and played."""

import json

import pytest
from cases import cases

import coordgym
from coordgym.episodes.rollout import rollout
from coordgym.errors import InstanceError
from coordgym.silo_env.compute import TASKS, load_benchmark

CASES = [case for case in cases("silo_cases") if case["id"].startswith(("I-", "II-", "III-"))]
"""The known cases of the published tasks."""
SHARDS = [[3, 1], [17, -4], [5]]


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
    return "Work all-to-all in 7 steps. Exchange 3 values."


def published(shards, answer):
    return {
        "case_id": "I-01_case_3",
        "case_name": "Global Max",
        "paradigm": "I",
        "metadata": {"num_agents": len(shards), "is_segmented": False},
        "task_description": "ignored",
        "agent_configs": [
            {"agent_id": i, "input_shard": shard, "expected_output": answer}
            for i, shard in enumerate(shards)
        ],
        "expected_output": {"per_agent_values": [answer] * len(shards), "is_segmented": False},
    }


def test_published_cases_load_and_play(tmp_path):
    path = tmp_path / "case.json"
    path.write_text(json.dumps(published(SHARDS, 17)))
    case = load_benchmark(path)
    assert (case.case_id, case.task, case.n_agents) == ("I-01_case_3", "I-01", 3)
    env = coordgym.make(case.task, n_agents=case.n_agents)
    env.reset(seed=0, options={"instance": case.instance})
    assert env.unwrapped.instance["answer"] == 17


def test_published_cases_with_wrong_answers_or_form_are_refused(tmp_path):
    path = tmp_path / "case.json"
    path.write_text(json.dumps(published(SHARDS, 16)))
    with pytest.raises(InstanceError, match="agent 0 is 16"):
        load_benchmark(path)
    path.write_text(json.dumps({**published(SHARDS, 17), "case_id": "x", "case_name": "y"}))
    with pytest.raises(InstanceError, match="no task fits"):
        load_benchmark(path)
    path.write_text("[1]")
    with pytest.raises(InstanceError, match="one JSON object"):
        load_benchmark(path)


def test_agents_are_taken_by_their_ids(tmp_path):
    path = tmp_path / "case.json"
    file = published([[1, 2], [3], [4]], 4)
    file["agent_configs"].reverse()
    path.write_text(json.dumps(file))
    assert load_benchmark(path).instance["shards"] == [[1, 2], [3], [4]]
    for agent in file["agent_configs"]:
        del agent["agent_id"]
    path.write_text(json.dumps(file))
    assert load_benchmark(path).instance["shards"] == [[4], [3], [1, 2]]


@pytest.mark.parametrize("values", [[17] * 3, {"2": 17, "0": 17, "1": 17}])
def test_answers_may_stand_in_either_place(tmp_path, values):
    path = tmp_path / "case.json"
    file = published(SHARDS, 17)
    file["expected_output"]["per_agent_values"] = values
    for agent in file["agent_configs"]:
        del agent["expected_output"]
    path.write_text(json.dumps(file))
    assert load_benchmark(path).instance["shards"] == SHARDS


def changed(file, *place, value):
    target = file
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = value
    return file


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("agent_configs", 1, "agent_id"), 0, "each once"),
        (("agent_configs", 1, "agent_id"), [1], "each once"),
        (("agent_configs", 1, "agent_id"), "agent_1", "each once"),
        (("agent_configs", 1), {"agent_id": 1}, "input_shard"),
        (("agent_configs",), [{"input_shard": [1]}], "two or more"),
        (("metadata", "num_agents"), 4, "num_agents is 4"),
        (("expected_output", "per_agent_values"), [17, 17], "one answer per agent"),
        (("expected_output", "per_agent_values"), {"a": 1, "b": 2, "c": 3}, "agent 0 is None"),
        (("expected_output", "per_agent_values"), [17, 16, 17], "agent 1 is 16"),
        (("agent_configs", 2, "expected_output"), 16, "agent 2 is 16"),
        (("agent_configs", 2, "input_shard"), ["x"], "list of integers"),
    ],
    ids=range(11),
)
def test_files_that_contradict_themselves_are_refused(tmp_path, place, value, reason):
    path = tmp_path / "case.json"
    path.write_text(json.dumps(changed(published(SHARDS, 17), *place, value=value)))
    with pytest.raises(InstanceError, match=reason):
        load_benchmark(path)


def test_files_without_answers_are_refused(tmp_path):
    path = tmp_path / "case.json"
    file = published(SHARDS, 17)
    del file["expected_output"], file["agent_configs"][0]["expected_output"]
    path.write_text(json.dumps(file))
    with pytest.raises(InstanceError, match="one answer per agent"):
        load_benchmark(path)
    path.write_text("{not JSON")
    with pytest.raises(InstanceError, match="not a JSON file"):
        load_benchmark(path)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_reference_cases_load_in_the_form_of_the_benchmark(case, tmp_path):
    n_agents, segmented = case["n_agents"], case["segmented"]
    answers = case["answer"] if segmented else [case["answer"]] * n_agents
    file = published(case["shards"], None)
    file |= {"case_id": f"{case['task']}_{n_agents}", "task_description": description(case)}
    file["metadata"]["is_segmented"] = file["expected_output"]["is_segmented"] = segmented
    file["expected_output"]["per_agent_values"] = answers
    for agent, answer in zip(file["agent_configs"], answers, strict=True):
        agent["expected_output"] = answer
    path = tmp_path / "case.json"
    path.write_text(json.dumps(file))
    if case["extra"].get("steps", 5) != 5:  # no published file takes another number of steps
        with pytest.raises(InstanceError, match="the answer given for agent"):
            load_benchmark(path)
        return
    loaded = load_benchmark(path)
    assert loaded.task == case["task"]
    for key, value in case["extra"].items():
        assert loaded.instance["extra"][key] == value
    env = coordgym.make(loaded.task, n_agents=n_agents)
    for policy in ("silo:all-gather", "silo:optimal"):
        episode = rollout(env, policy, 0, options={"instance": loaded.instance})
        assert episode.metrics["S"] == 1.0


# --- parameters that stand only in descriptions ---


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
