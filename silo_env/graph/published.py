"""Episodes in the result form of AgentsNet (arXiv 2507.08616): one JSON object per run.

Ours can be read by tools for that form, and its published runs can be scored here. What the
form has no place for stands under the key ``coordgym``.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coordgym.episodes.episode import Episode, Turn
from coordgym.errors import ConfigError, EpisodeError, InstanceError
from coordgym.silo_env.graph.instance import Instance, read_instance
from coordgym.silo_env.graph.networks.given import GivenGraph
from coordgym.silo_env.graph.parsing import NOT_ALL_SENT, parse_answer
from coordgym.silo_env.graph.task import Score
from coordgym.silo_env.graph.tasks import TASKS

OUR_KEY = "coordgym"
REQUIRED = ("answers", "graph", "task", "rounds")


@dataclass(frozen=True)
class Run:
    """One run in the published form, read.

    Attributes:
        instance: The network and the task.
        answers: Answer by name; None = none.
        transcripts: For each name the messages ("system", "human" or "ai", text) in order.
        model_name: Who played.
        score: The score that the record gives, or None.
    """

    instance: Instance
    answers: dict[str, str | None]
    transcripts: dict[str, tuple[tuple[str, str], ...]]
    model_name: str
    score: float | None

    def judge(self) -> Score:
        """Score the answers anew."""
        return self.instance.judge(self.answers)


class _Seat:
    """What one agent did in an episode, found in its turns.

    Whether a text could be read is what the environment said then: it may have been too long or
    no Unicode although there is an answer in it.
    """

    def __init__(self, instance: Instance, index: int, turns: list[Turn]) -> None:
        neighbours = instance.network.neighbours[index]
        options = instance.options(index)
        self.answer: str | None = None
        self.turns = turns
        self.repeats = 0
        failed_rounds = set()
        for turn, later in zip(turns, [*turns[1:], None], strict=True):
            failed = not turn.valid
            if turn.round >= instance.rounds:
                self.answer = None if failed else parse_answer(turn.action, options).answer
            elif not neighbours or (turn.error or "").startswith(NOT_ALL_SENT):
                failed = False
            asked_again = later is not None and later.round == turn.round
            self.repeats += asked_again
            if failed and not asked_again:
                failed_rounds.add(turn.round)
        self.failed_answers = int(instance.rounds in failed_rounds)
        self.failed_messages = len(failed_rounds) - self.failed_answers

    def transcript(self) -> list[dict[str, Any]]:
        """Return the dialogue: the first observation is what the form calls system."""
        lines = []
        for i, turn in enumerate(self.turns):
            lines.append(_message("human" if i else "system", turn.observation))
            lines.append(_message("ai", turn.action))
        return lines


def _message(kind: str, content: str) -> dict[str, Any]:
    return {"type": kind, "data": {"content": content}}


def export_episode(episode: Episode) -> dict[str, Any]:
    """Return an episode of the graph family in the published form, JSON-able.

    ``num_fallbacks`` counts how often each agent was asked again.

    Raises:
        EpisodeError: If the episode has no instance or is of another family.
        InstanceError: If its instance is malformed.
    """
    if not episode.instance or episode.instance.get("task") not in TASKS:
        raise EpisodeError(f"the episode of {episode.env_id} has no instance of the graph family")
    instance = Instance.from_json(episode.instance)
    network = instance.network
    turns: dict[str, list[Turn]] = {f"agent_{i}": [] for i in range(len(network.names))}
    for turn in episode.turns:
        turns[turn.agent].append(turn)
    seats = [_Seat(instance, i, own) for i, own in enumerate(turns.values())]
    return {
        "answers": [seat.answer for seat in seats],
        "transcripts": {
            name: seat.transcript() for name, seat in zip(network.names, seats, strict=True)
        },
        "graph": {
            "directed": False,
            "multigraph": False,
            "graph": {},
            "nodes": [{"id": i, "name": name} for i, name in enumerate(network.names)],
            "links": [{"source": i, "target": j} for i, j in network.edges],
        },
        "num_nodes": len(network.names),
        "diameter": instance.diameter,
        "max_degree": network.max_degree,
        "rounds": instance.rounds,
        "model_name": episode.policy,
        "task": instance.task.name,
        "score": episode.metrics.get("score"),
        "commit_hash": "",
        "graph_generator": instance.topology,
        "graph_index": episode.seed,
        "successful": episode.failure is None,
        "error_message": None if episode.failure is None else episode.failure.message,
        "chain_of_thought": True,
        "num_fallbacks": [seat.repeats for seat in seats],
        "num_failed_json_parsings_after_retry": [seat.failed_messages for seat in seats],
        "num_failed_answer_parsings_after_retry": [seat.failed_answers for seat in seats],
        OUR_KEY: {
            "env_id": episode.env_id,
            "seed": episode.seed,
            "policy_seed": episode.policy_seed,
            "repeat": episode.repeat,
            "policies": dict(episode.policies),
            "inputs": list(instance.inputs) if instance.inputs else None,
            "input_rule": instance.input_rule,
            "byzantine": list(instance.byzantine),
            "metrics": dict(episode.metrics),
            "versions": dict(episode.versions),
        },
    }


def file_name(record: Mapping[str, Any]) -> str:
    """Return a file name that says what the run is; only an equal record has the same.

    Its last part is a hash of the whole record.
    """
    digest = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]
    parts = (record[key] for key in ("task", "graph_generator", "num_nodes", "graph_index"))
    stem = "_".join(map(str, (*parts, record["model_name"])))
    return f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', stem)[:120]}_{digest}.json"


def write_run(folder: str | Path, episode: Episode) -> Path:
    """Write an episode in the published form into a folder and return the file's path."""
    record = export_episode(episode)
    target = Path(folder) / file_name(record)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
    return target


def import_run(record: Mapping[str, Any], where: str = "the record") -> Run:
    """Read a run in the published form, ours or not.

    Args:
        record: The decoded JSON object.
        where: How errors call it.

    Raises:
        EpisodeError: If a part is missing or malformed.
    """
    for key in REQUIRED:
        if key not in record:
            raise EpisodeError(f"{where} lacks {key!r:.100}")
    ours = record.get(OUR_KEY) or {}
    if not isinstance(ours, Mapping):
        raise EpisodeError(f"{where} is malformed: {OUR_KEY!r} must be an object, got {ours!r:.80}")
    try:
        graph = GivenGraph(record["graph"])
        if graph.names is None:
            raise EpisodeError(f"{where} has a graph without names")
        data = {
            "names": list(graph.names),
            "edges": graph.edges,
            "rounds": record["rounds"],
            "inputs": ours.get("inputs"),
            "input_rule": ours.get("input_rule"),
            "byzantine": ours.get("byzantine"),
        }
        instance = read_instance(data, str(record["task"]), "paper")
    except (ConfigError, InstanceError) as error:
        raise EpisodeError(f"{where} is malformed: {error}") from error
    given = record["answers"]
    if not isinstance(given, list) or len(given) != len(graph.names):
        raise EpisodeError(f"{where} must have {len(graph.names)} answers, got {given!r:.80}")
    answers = {
        name: answer if isinstance(answer, str) else None
        for name, answer in zip(graph.names, given, strict=True)
    }
    score = record.get("score")
    return Run(
        instance=instance,
        answers=answers,
        transcripts=_read_transcripts(record.get("transcripts") or {}, where),
        model_name=str(record.get("model_name", "")),
        score=float(score) if isinstance(score, int | float) else None,
    )


def read_run(path: str | Path) -> Run:
    """Read a file in the published form.

    Raises:
        EpisodeError: If it is not JSON, or a part is missing or malformed.
    """
    source = Path(path)
    try:
        record = json.loads(source.read_text(encoding="utf-8"))
    except ValueError as error:
        raise EpisodeError(f"{source.name} is not JSON: {error}") from error
    if not isinstance(record, dict):
        raise EpisodeError(f"{source.name} must hold a JSON object, got {type(record).__name__}")
    return import_run(record, source.name)


def _read_transcripts(data: object, where: str) -> dict[str, tuple[tuple[str, str], ...]]:
    transcripts = {}
    try:
        for name, lines in dict(data).items():  # type: ignore[call-overload]
            transcripts[str(name)] = tuple(
                (str(line["type"]), str(line["data"]["content"])) for line in lines
            )
    except (KeyError, TypeError, ValueError) as error:
        raise EpisodeError(f"{where} has malformed transcripts: {error!r:.100}") from error
    return transcripts
