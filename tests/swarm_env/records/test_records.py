"""What is made of recorded episodes: logs in the published form, films; and the drawings."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coordgym
from coordgym.contract.base import Info
from coordgym.episodes.episode import Episode
from coordgym.episodes.rollout import attempt, rollout
from coordgym.errors import ConfigError, EpisodeError
from coordgym.policies.protocol import Completion
from coordgym.swarm_env.drawing import CELL, draw, terminal_text
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.records.film import frames, save_film
from coordgym.swarm_env.records.published import export_episode, write_logs
from coordgym.swarm_env.table import TASKS

STATE = {
    "width": 7,
    "height": 4,
    "agents": {
        "0": {"pos": [1, 1], "state": True},
        "1": {"pos": [1, 2], "state": True},
        "2": {"pos": [0, 3], "state": False},
    },
    "objects": [
        {"pos": [3, 0], "shape": ["F"], "static": True},
        {"pos": [3, 6], "shape": ["N"], "static": True},
        {"pos": [1, 5], "shape": ["W"], "static": True},
    ],
}
"""Three agents on a field without a border."""


class Script:
    """A policy that does what is written, as a language model that counts its tokens."""

    name = "llm:test/model v1"

    def __init__(self, *rounds: Mapping[str, str]) -> None:
        self.rounds = rounds
        self.at = 0

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        self.at = 0

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> dict[str, str | Completion]:
        texts = self.rounds[self.at]
        self.at += 1
        return {
            agent: Completion(
                texts.get(agent, "ACTION: STAY"), prompt_tokens=100, completion_tokens=5
            )
            for agent in observations
        }


ROUNDS = (
    {"agent_0": "I push.\nACTION: RIGHT\nMSG: off we go", "agent_2": "ACTION: UP"},
    {"agent_0": "ACTION: LEFT", "agent_1": "nonsense"},
)


def played(**kwargs: Any) -> Episode:
    env = coordgym.make("SwarmForaging-v0", n_agents=3, max_cycles=2, **kwargs)
    return rollout(env, Script(*ROUNDS), 7, options={"instance": STATE})


def test_meta_log() -> None:
    logs = export_episode(played())
    assert logs.meta == {
        "model": "llm:test/model v1",
        "task": "Foraging",
        "num_agents": 3,
        "max_round": 2,
        "width": 7,
        "height": 4,
        "seed": 7,
        "view_size": 5,
    }
    assert re.fullmatch(r"Foraging_llm-test-model-v1_seed7_0_[0-9a-f]{8}", logs.run_id)


def test_agent_log() -> None:
    episode = played()
    log = export_episode(episode).agent_log
    assert [(item["round"], item["agent_id"]) for item in log] == [
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 1),
    ]  # fmt: skip
    first = log[0]
    assert set(first) == {
        "timestamp", "task", "round", "agent_id", "view", "prompt", "response", "action",
        "message", "api_call_time", "action_success", "total_llm_tokens",
    }  # fmt: skip
    assert first["timestamp"] == episode.timing.started
    assert first["task"] == "Foraging"
    assert first["prompt"] == episode.turns[0].observation
    assert first["response"] == "I push.\nACTION: RIGHT\nMSG: off we go"
    assert (first["action"], first["message"]) == ("RIGHT", "off we go")
    assert first["total_llm_tokens"] == 105
    assert first["view"][1] == ["*", ".", ".", ".", "$2"]
    assert first["view"][2] == ["*", ".", "Y", "1", "."]
    # Pushed agents are displaced though they stayed; who cannot be read stayed.
    assert [item["action_success"] for item in log] == [True, True, True, True, False]
    assert log[1]["action"] == log[4]["action"] == "STAY"
    assert log[4]["message"] == ""


def test_game_log() -> None:
    log = export_episode(played()).game_log
    assert [item["round"] for item in log] == [0, 1, 2]
    assert log[0]["grid"] == ["...a...", ".AA..W.", ".......", "F.....N"]
    assert log[1]["grid"] == [".......", "..AA.W.", ".......", "F.....N"]
    assert log[0]["agents"][2] == {"id": 2, "x": 3, "y": 0}
    assert log[1]["agents"] == [{"id": 0, "x": 2, "y": 1}, {"id": 1, "x": 3, "y": 1}]
    assert [item["messages"] for item in log] == [
        [], [{"agent_id": 0, "message": "off we go"}], [],
    ]  # fmt: skip
    assert log[2]["score"] == 0.0


@pytest.mark.parametrize("line", TASKS, ids=lambda line: line.name)
def test_the_logs_of_every_task_show_its_states(line: Any) -> None:
    name = line.name.capitalize()
    env = coordgym.make(f"Swarm{name}-v0", max_cycles=4, text="compact")
    logs = export_episode(rollout(env, coordgym.make_policy("random"), 0))
    assert logs.meta["task"] == name
    assert logs.game_log[-1]["grid"] == env.unwrapped.world.grid()
    assert logs.game_log[-1]["score"] == env.unwrapped.metrics()["score"]
    done = [{f"agent_{n}": None for n in range(10)} for _ in range(4)]
    for item in logs.agent_log:
        done[item["round"]][f"agent_{item['agent_id']}"] = item["action"]
        assert item["api_call_time"] is None
        assert item["total_llm_tokens"] is None
    assert done == env.unwrapped.action_log


def test_files(tmp_path: Path) -> None:
    one, two = played(), played(text="compact")
    paths = write_logs(tmp_path / "logs", [one])
    assert write_logs(tmp_path / "logs", [two])[0] == paths[0]
    metas = json.loads(paths[0].read_text())
    assert len(metas) == 2
    assert {path.name for path in (tmp_path / "logs").iterdir()} == {
        "meta_log.json",
        *(f"{kind}_log_{run}.json" for kind in ("agent", "game") for run in metas),
    }
    logs = export_episode(one)
    assert json.loads(paths[1].read_text()) == logs.agent_log
    assert json.loads(paths[2].read_text()) == logs.game_log
    paths[0].write_text("[]")
    with pytest.raises(EpisodeError, match="must be an object of runs"):
        write_logs(tmp_path / "logs", [one])


def test_records_that_do_not_play_as_recorded_are_refused() -> None:
    episode = played()
    changed = replace(episode.turns[0], observation="Once upon a time")
    with pytest.raises(EpisodeError, match="step 0: agent_0 observes something else"):
        export_episode(replace(episode, turns=(changed, *episode.turns[1:])))
    with pytest.raises(EpisodeError, match="does not name its environment"):
        export_episode(replace(episode, env_id=""))
    with pytest.raises(EpisodeError, match="not an environment of the swarm family"):
        export_episode(replace(episode, env_id="coordgym/GraphColoring-v0", kwargs={}))


@pytest.mark.parametrize("env_id", ["PairMaze-v0", "SiloGlobalMax-v0", "GraphColoring-v0"])
def test_a_film_of_another_family_is_refused_and_leaves_no_file(
    env_id: str, tmp_path: Path
) -> None:
    pytest.importorskip("imageio")
    episode = replace(played(), env_id=f"coordgym/{env_id}", kwargs={})
    with pytest.raises(EpisodeError, match=f"{env_id} is not .* made of swarm episodes only"):
        save_film(episode, tmp_path / "films" / "episode.gif")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_episode_is_shown_as_far_as_it_went() -> None:
    env = coordgym.make("SwarmForaging-v0", n_agents=3, max_cycles=5)
    episode = attempt(env, Script(*ROUNDS), 7, options={"instance": STATE})
    assert episode.failure is not None
    assert [item["round"] for item in export_episode(episode).game_log] == [0, 1, 2]


def test_pictures_show_every_cell_in_its_colour_and_agents_by_number() -> None:
    image = draw(World.from_dict(STATE))
    assert image.shape == (4 * CELL, 7 * CELL, 3)
    assert image.dtype == np.uint8

    def colours(row: int, column: int) -> set[tuple[int, ...]]:
        cell = image[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]
        return {tuple(int(part) for part in pixel) for pixel in cell.reshape(-1, 3)}

    floor = colours(2, 2)
    assert colours(2, 5) == floor
    kinds = [colours(*cell) for cell in ((3, 0), (3, 6), (1, 5))]
    assert all(len(colour - floor) == 1 for colour in kinds)
    assert len({frozenset(colour) for colour in kinds}) == 3
    assert colours(1, 1) == colours(1, 2)  # two lit agents …
    assert colours(1, 1) != colours(0, 3)  # … and a dark one
    cells = [image[CELL : 2 * CELL, j * CELL : (j + 1) * CELL] for j in (1, 2)]
    assert not np.array_equal(cells[0], cells[1])  # their numbers differ


def test_numbers_are_dark_on_the_pale_discs_of_unlit_agents_and_bright_on_the_others() -> None:
    image = draw(World.from_dict(STATE)).astype(int).sum(axis=2)
    for (row, column), dark in (((1, 1), False), ((0, 3), True)):
        cell = image[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]
        disc = cell[CELL // 2 - 9, CELL // 2 - 1]  # above the number
        number = cell[6 : CELL - 6, 6 : CELL - 6]
        assert bool(number.min() < disc - 200) is dark
        assert bool(number.max() > disc + 200) is not dark


def test_coloured_text_is_the_map() -> None:
    text = terminal_text(World.from_dict(STATE))
    assert "\x1b[" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n")
    assert plain[0].split() == list("0123456")
    assert plain[2].split() == ["1:", ".", "0", "1", ".", ".", "W", "."]
    assert plain[1].split() == ["0:", ".", ".", ".", "$2", ".", ".", "."]
    assert len({len(line) for line in plain}) == 1


def test_films(tmp_path: Path) -> None:
    imageio = pytest.importorskip("imageio")
    episode = played()
    pictures = list(frames(episode))
    assert len(pictures) == 3
    assert not np.array_equal(pictures[0], pictures[1])
    path = save_film(episode, tmp_path / "films" / "episode.gif", fps=2)
    shown = imageio.mimread(path)
    assert imageio.get_reader(path).get_meta_data()["duration"] == 500  # ms: two rounds a second
    assert len(shown) == 3
    for picture, original in zip(shown, pictures, strict=True):
        # A GIF has a palette of its own: colours may be off by a little.
        assert np.abs(picture[..., :3].astype(int) - original.astype(int)).max() < 16
    with pytest.raises(ConfigError, match=r"must be one of '\.gif', '\.mp4'"):
        save_film(episode, tmp_path / "episode.avi")
    with pytest.raises(ConfigError, match="fps must be"):
        save_film(episode, tmp_path / "episode.gif", fps=0)


def test_mp4(tmp_path: Path) -> None:
    imageio = pytest.importorskip("imageio")
    pytest.importorskip("imageio_ffmpeg")
    path = save_film(played(), tmp_path / "episode.mp4")
    with imageio.get_reader(path) as reader:
        assert [picture.shape for picture in reader] == [(4 * CELL, 7 * CELL, 3)] * 3
