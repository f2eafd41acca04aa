"""Episodes in the log form of the public SwarmBench dataset (arXiv 2505.04364, appendix K).

A folder holds one ``meta_log.json`` for all runs, and for each run ``agent_log_<run>.json`` with
one record per answer and ``game_log_<run>.json`` with one per state: the start and after each
round. Cells are x (column) and y (row). What an episode does not tell is null: the time and the
tokens of answers that no model gave. All records of a run carry the time at which it started,
since single answers have none.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from coordgym.episodes.episode import Episode, Turn
from coordgym.errors import EpisodeError
from coordgym.swarm_env.environment import SwarmEnv
from coordgym.swarm_env.metrics import RoundLog
from coordgym.swarm_env.records.playback import play_back

META_FILE: Final = "meta_log.json"


@dataclass(frozen=True, slots=True)
class RunLogs:
    """The three logs of one run, JSON-able.

    Attributes:
        run_id: Its name, which is also part of the names of its files.
        meta: model, task, num_agents, max_round, width, height, seed and view_size.
        agent_log: Per answer: timestamp, task, round, agent_id, view, prompt, response, action,
            message, api_call_time (s), action_success (whether the agent was displaced) and
            total_llm_tokens.
        game_log: Per state: timestamp, task, round, grid, agents (id, x, y of those on the map),
            score and messages (agent_id and message, spoken in the round before it).
    """

    run_id: str
    meta: dict[str, Any]
    agent_log: list[dict[str, Any]]
    game_log: list[dict[str, Any]]


def export_episode(episode: Episode) -> RunLogs:
    """Return an episode in the published form; it is played again to see its states.

    Raises:
        EpisodeError: If it is of another family, or does not play as it was recorded.
    """
    agent_log: list[dict[str, Any]] = []
    game_log: list[dict[str, Any]] = []
    played: dict[int, Turn] = {}
    views: dict[int, list[list[str]]] = {}
    head: dict[str, Any] = {}
    meta: dict[str, Any] = {}
    for env, turns, seen in play_back(episode):
        world = env.world
        if not meta:
            meta = _meta(episode, env)
            head = {"timestamp": episode.timing.started, "task": meta["task"]}
        last = env.log[-1] if env.log else None
        if last is not None:
            agent_log.extend(
                {**head, **_agent_record(number, turn, views[number], last)}
                for number, turn in played.items()
            )
        spoken = last.messages if last is not None else {}
        game_log.append(
            {
                **head,
                "round": world.round,
                "grid": world.grid(),
                "agents": [
                    {"id": number, "x": column, "y": row}
                    for number, (row, column) in enumerate(world.positions)
                    if not world.escaped[number]
                ],
                "score": world.score,
                "messages": [{"agent_id": n, "message": text} for n, text in spoken.items()],
            }
        )
        played, views = turns, seen
    return RunLogs(_run_id(episode, meta), meta, agent_log, game_log)


def _meta(episode: Episode, env: SwarmEnv) -> dict[str, Any]:
    return {
        "model": episode.policy,
        "task": env.task.name.capitalize(),
        "num_agents": env.n_agents,
        "max_round": env.limit,
        "width": env.world.width,
        "height": env.world.height,
        "seed": episode.seed,
        "view_size": env.config.view_size,
    }


def _agent_record(
    number: int, turn: Turn, view: list[list[str]], happened: RoundLog
) -> dict[str, Any]:
    usage = turn.usage
    tokens = None
    if usage is not None and None not in (usage.prompt_tokens, usage.completion_tokens):
        tokens = (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)
    return {
        "round": turn.round,
        "agent_id": number,
        "view": view,
        "prompt": turn.observation,
        "response": turn.action,
        "action": happened.actions[number],
        "message": happened.messages.get(number, ""),
        "api_call_time": None if usage is None else usage.latency,
        "action_success": happened.before[number] != happened.after[number],
        "total_llm_tokens": tokens,
    }


def _run_id(episode: Episode, meta: Mapping[str, Any]) -> str:
    """Make a readable name; its last part is a hash of all that an episode depends on."""
    facts = (episode.env_id, episode.kwargs, episode.options, episode.policy_seed)
    turns = [(turn.agent, turn.action) for turn in episode.turns]
    digest = hashlib.sha256(json.dumps((facts, turns), sort_keys=True).encode()).hexdigest()[:8]
    parts = (meta["task"], meta["model"], f"seed{episode.seed}", episode.repeat, digest)
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", "_".join(map(str, parts)))


def write_logs(folder: str | Path, episodes: Iterable[Episode]) -> list[Path]:
    """Write episodes into a folder and return the paths, the meta log first.

    Runs that the folder holds already stay; the same run is written over.

    Raises:
        EpisodeError: If an episode can't be exported, or the folder's meta log is not one.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    meta_path = target / META_FILE
    metas = _read_metas(meta_path)
    paths = [meta_path]
    for episode in episodes:
        logs = export_episode(episode)
        metas[logs.run_id] = logs.meta
        for kind, records in (("agent", logs.agent_log), ("game", logs.game_log)):
            path = target / f"{kind}_log_{logs.run_id}.json"
            path.write_text(_dumps(records), encoding="utf-8")
            paths.append(path)
        meta_path.write_text(_dumps(metas), encoding="utf-8")
    return paths


def _read_metas(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        metas = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise EpisodeError(f"{path} is not JSON: {error}") from None
    if not isinstance(metas, dict):
        raise EpisodeError(f"{path} must be an object of runs by their ids")
    return metas


def _dumps(data: object) -> str:
    # Answers may hold any character, lone surrogates included, which only \u escapes can carry.
    return json.dumps(data, ensure_ascii=True, indent=1)
