"""Export and import in AgentsNet's result form."""

import json
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

import coordgym
from coordgym.episodes.rollout import rollout
from coordgym.errors import EpisodeError
from coordgym.policies.named import make_policy
from coordgym.silo_env.graph.published import (
    export_episode,
    file_name,
    import_run,
    read_run,
    write_run,
)


class Clumsy:
    """Writes what can't be parsed in the second round (twice) and as its first answer."""

    name = "clumsy/model:1"

    def reset(self, agents: Any, infos: Any, seed: int) -> None:
        self.tries = 0

    def act(self, observations: Any, infos: Any) -> dict[str, str]:
        return {agent: self.say(agent, infos[agent]) for agent in observations}

    def say(self, agent: str, info: Any) -> str:
        if agent == "agent_0" and info["round"] == 1:
            return "junk"
        if info["view"]["phase"] == "answer":
            if agent == "agent_0" and "repair" not in info["view"]:
                return "junk"
            return "### Final Answer ### 0"
        return "{}"


def clumsy_episode(seed: int = 3) -> Any:
    env = coordgym.make("coordgym/GraphConsensus-v0", n_agents=5, topology="ba", rounds=3)
    return rollout(env, Clumsy(), seed=seed)


def test_export_has_all_published_keys() -> None:
    episode = clumsy_episode()
    record = export_episode(episode)
    assert json.loads(json.dumps(record)) == record
    assert set(record) - {"coordgym"} == {
        "answers", "transcripts", "graph", "num_nodes", "diameter", "max_degree", "rounds",
        "model_name", "task", "score", "commit_hash", "graph_generator", "graph_index",
        "successful", "error_message", "chain_of_thought", "num_fallbacks",
        "num_failed_json_parsings_after_retry", "num_failed_answer_parsings_after_retry",
    }  # fmt: skip
    assert record["answers"] == ["0"] * 5
    assert record["num_fallbacks"] == [2, 0, 0, 0, 0]
    assert record["num_failed_json_parsings_after_retry"] == [1, 0, 0, 0, 0]
    assert record["num_failed_answer_parsings_after_retry"] == [0] * 5
    assert record["score"] == 1.0
    graph = networkx.node_link_graph(record["graph"], edges="links")
    assert networkx.diameter(graph) == record["diameter"]
    lines = record["transcripts"][episode.instance["names"][0]]
    assert [line["type"] for line in lines] == ["system", "ai"] + ["human", "ai"] * 5
    assert lines[1]["data"]["content"] == "{}"


def test_write_and_read(tmp_path: Path) -> None:
    path = write_run(tmp_path, clumsy_episode())
    run = read_run(path)
    assert run.judge().success
    assert run.score == run.judge().score == 1.0
    assert run.model_name == "clumsy/model:1"
    assert set(run.transcripts) == set(run.answers)
    assert "/" not in path.name
    assert ":" not in path.name
    assert write_run(tmp_path, clumsy_episode(4)) != path
    assert write_run(tmp_path, clumsy_episode()) == path


@pytest.mark.parametrize("task", ["Coloring", "Matching", "VertexCover", "LeaderElection"])
def test_scores_survive_the_round_trip(task: str) -> None:
    env = coordgym.make(f"coordgym/Graph{task}-v0", n_agents=8, byzantine=1)
    for policy in ("graph:flood", "random"):
        episode = rollout(env, make_policy(policy), seed=1)
        verdict = import_run(export_episode(episode)).judge()
        assert verdict.success == episode.metrics["success"]
        assert verdict.score == episode.metrics["score"]


class Careless:
    """Draws texts that can be read, can't, are too long, are no Unicode or are sent in part."""

    name = "careless"

    def reset(self, agents: Any, infos: Any, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.options = {agent: infos[agent]["view"]["options"] for agent in agents}
        self.neighbours = {agent: infos[agent]["view"]["neighbours"] for agent in agents}

    def act(self, observations: Any, infos: Any) -> dict[str, str]:
        return {agent: self.say(agent) for agent in observations}

    def say(self, agent: str) -> str:
        whole: dict[str, Any] = dict.fromkeys(self.neighbours[agent], "hi")
        text = [whole, {**whole, "Zed": "?"}, dict.fromkeys(whole, 3)][self.rng.integers(3)]
        good = f"{json.dumps(text)}\n### Final Answer ### {self.rng.choice(self.options[agent])}"
        return [good, good, "junk", good + "x" * 2_000, "\ud800" + good][self.rng.integers(5)]


@pytest.mark.parametrize("retries", [0, 1, 3])
@pytest.mark.parametrize("task", ["Coloring", "Matching", "Consensus"])
def test_exports_tell_what_the_environment_counted(task: str, retries: int) -> None:
    graph = networkx.cycle_graph(["Ada", "Bao", "Cleo"])
    graph.add_node("Dov")  # never has to repeat messages
    for seed in range(8):
        env = coordgym.make(
            f"coordgym/Graph{task}-v0",
            graph=networkx.node_link_data(graph, edges="links"),
            rounds=3,
            retries=retries,
            max_action_chars=1_000,
        )
        episode = rollout(env, Careless(), seed)
        record = export_episode(episode)
        figures = episode.metrics
        assert record["answers"] == list(env.unwrapped.answers.values())
        failed = record["num_failed_json_parsings_after_retry"]
        assert (sum(failed), failed[3]) == (figures["failed_messages"], 0)
        failed = record["num_failed_answer_parsings_after_retry"]
        assert sum(failed) == figures["failed_answers"]
        assert sum(record["num_fallbacks"]) == figures["parse_failures"] - (
            figures["failed_messages"] + figures["failed_answers"]
        )
        verdict = import_run(record).judge()
        assert (verdict.success, verdict.score) == (figures["success"], figures["score"])


def test_inputs_survive_the_round_trip() -> None:
    env = coordgym.make("coordgym/GraphConsensus-v0", n_agents=4, inputs=True)
    record = export_episode(rollout(env, make_policy("graph:flood"), seed=1))
    for bit, other in ("01", "10"):
        alike = {**record, "answers": [other] * 4}
        alike["coordgym"] = {**record["coordgym"], "inputs": [bit] * 4}
        assert not import_run(alike).judge().success
        assert import_run({**alike, "answers": [bit] * 4}).judge().success


def test_file_names_differ_with_the_content() -> None:
    assert file_name(export_episode(clumsy_episode(1))) != file_name(
        export_episode(clumsy_episode(2))
    )


def test_foreign_records_need_no_key_of_ours() -> None:
    record = export_episode(clumsy_episode())
    del record["coordgym"], record["score"], record["transcripts"]
    run = import_run(record)
    assert run.score is None
    assert run.judge().success


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answers": ["0"]}, "must have 5 answers"),
        ({"task": "sorting"}, "got 'sorting'"),
        ({"coordgym": [1]}, "'coordgym' must be an object"),
        ({"coordgym": {"byzantine": [9]}}, "indices 0..4"),
        ({"rounds": None}, "rounds"),
        ({"graph": {"nodes": [{"id": 0}, {"id": 1}], "links": []}}, "without names"),
        ({"graph": 3}, "malformed"),
        ({"transcripts": {"Ada": [3]}}, "malformed transcripts"),
    ],
)
def test_malformed_records_are_refused(change: dict[str, Any], message: str) -> None:
    record = export_episode(clumsy_episode())
    with pytest.raises(EpisodeError, match=message):
        import_run({**record, **change})
    with pytest.raises(EpisodeError, match="lacks 'graph'"):
        import_run({key: value for key, value in record.items() if key != "graph"})


def test_other_families_are_refused() -> None:
    episode = clumsy_episode()
    object.__setattr__(episode, "instance", {"task": "sorting"})
    with pytest.raises(EpisodeError, match="graph family"):
        export_episode(episode)


def test_files_that_are_no_json_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(EpisodeError, match=r"x\.json is not JSON"):
        read_run(tmp_path / "x.json")
