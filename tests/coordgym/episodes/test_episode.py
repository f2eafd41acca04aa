"""Records of episodes are read as they were written, or refused with a reason."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from a_record import an_episode
from hypothesis import given
from hypothesis import strategies as st

from coordgym.data import jsonl
from coordgym.episodes.episode import (
    Episode,
    Usage,
    read_episodes,
    write_episodes,
)
from coordgym.errors import EpisodeError

SURROGATE_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=30)


def test_round_trip_is_exact_and_the_line_is_standard_json() -> None:
    line = an_episode().to_line()
    json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert "\n" not in line
    back = Episode.from_line(line)
    assert repr(back) == repr(an_episode())  # repr: NaN is not equal to itself


@given(action=SURROGATE_TEXT, key=st.text(max_size=5), value=st.floats())
def test_any_text_and_float_round_trips(action: str, key: str, value: float) -> None:
    turn = replace(an_episode().turns[0], action=action)
    episode = an_episode(turns=(turn,), metrics={key: value})
    back = Episode.from_line(episode.to_line().encode("utf-8").decode("utf-8"))
    assert back.turns == (turn,)
    assert repr(back.metrics) == repr({key: value})


def test_numpy_values_become_plain_ones() -> None:
    metrics = {"a": np.int64(3), "b": np.float32(0.5), "c": np.bool_(True), "d": np.eye(2)}
    back = Episode.from_line(an_episode(metrics=metrics).to_line())
    assert back.metrics == {"a": 3, "b": 0.5, "c": True, "d": [[1.0, 0.0], [0.0, 1.0]]}
    assert math.isnan(jsonl.loads(jsonl.dumps([np.float32("nan")]))[0])


def test_what_has_no_json_form_is_refused() -> None:
    with pytest.raises(EpisodeError, match="set"):
        an_episode(notes={"x": {1, 2}}).to_line()
    with pytest.raises(EpisodeError, match="Unicode"):
        an_episode(notes={"\ud800": 1}).to_line()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": "7"}, "seed must be a whole number, got '7'"),
        ({"seed": True}, "seed must be a whole number, got True"),
        ({"sede": 7}, "unknown key 'sede'; did you mean 'seed'"),
        ({"format": 99}, "has format 99"),
        ({"turns": {}}, "turns must be a list"),
        ({"timing": {"started": ""}}, "timing: 'seconds' is missing"),
        ({"returns": {"agent_0": "much"}}, "returns.agent_0 must be a number"),
        ({"kwargs": None}, "kwargs must be a mapping"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, object], words: str) -> None:
    data = json.loads(an_episode(metrics={}, turns=()).to_line())
    with pytest.raises(EpisodeError) as caught:
        Episode.from_line(json.dumps({**data, **change}), "here")
    assert words in str(caught.value)
    assert str(caught.value).startswith("here")


def test_a_missing_field_and_no_object_are_refused() -> None:
    data = json.loads(an_episode(metrics={}, turns=()).to_line())
    del data["env_id"]
    with pytest.raises(EpisodeError, match="'env_id' is missing"):
        Episode.from_line(json.dumps(data))
    for line in ("[]", "3", "{}", "", "{", "NaN", "[" * 100_000):
        with pytest.raises(EpisodeError):
            Episode.from_line(line)


def test_files_name_the_damaged_line_and_leave_a_torn_end_out(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    write_episodes(path, [an_episode(seed=1), an_episode(seed=2)])
    assert [episode.seed for episode in read_episodes(path)] == [1, 2]
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    with pytest.raises(EpisodeError, match=r"e\.jsonl line 2"):
        list(read_episodes(path))
    assert [episode.seed for episode in read_episodes(path, torn=True)] == [1]
    assert jsonl.drop_torn_end(path) == len(whole.split(b"\n")[1]) - 39
    assert [episode.seed for episode in read_episodes(path)] == [1]
    assert jsonl.drop_torn_end(path) == 0


def test_totals_need_every_model_turn_to_be_counted() -> None:
    turn = an_episode().turns[0]
    assert an_episode().totals().completion_tokens == 2
    uncounted = replace(turn, usage=Usage(prompt_tokens=1))
    totals = an_episode(turns=(turn, uncounted)).totals()
    assert (totals.prompt_tokens, totals.completion_tokens, totals.latency) == (4, None, None)
    assert an_episode(turns=()).totals().completion_tokens is None


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.jsonl", tmp_path / ("x" * 300)):
        with pytest.raises(EpisodeError, match="can't be read"):
            list(read_episodes(path))
