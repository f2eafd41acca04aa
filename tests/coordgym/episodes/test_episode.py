"""Episodes survive the way to the disk and back, and damaged ones are refused."""

import gzip
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coordgym.data import jsonl
from coordgym.episodes.episode import (
    Episode,
    Failure,
    Timing,
    Turn,
    Usage,
    read_episodes,
    write_episodes,
)
from coordgym.errors import EpisodeError

SURROGATE_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=30)


def an_episode(**changes: object) -> Episode:
    turn = Turn(
        step=0,
        round=0,
        agent="agent_0",
        observation="Sag ü.\u2028 \x85",
        action="ü\n😀",
        valid=False,
        error="wrong",
        reward=0.5,
        terminated=True,
        truncated=False,
        usage=Usage(3, 2, 0.25, "stop", "m", (1, 2, 3), (4, 5), (-0.5, -math.inf)),
    )
    episode = Episode(
        env_id="coordgym/X-v0",
        kwargs={"n_agents": 2},
        seed=7,
        policy="p",
        timing=Timing("2026-01-01T00:00:00+00:00", 1.5),
        turns=(turn, replace(turn, step=1, usage=None)),
        returns={"agent_0": 1.0},
        metrics={"success": True, "C": math.nan, "score": 1.0},
        failure=Failure("ValueError", "no"),
    )
    return replace(episode, **changes)  # type: ignore[arg-type]


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


def lines_of(path: Path) -> list[bytes]:
    return list(jsonl.read_lines(path))


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz"])
def test_wherever_a_writer_is_killed_whole_lines_stay(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    written, ends = [b"one\n", "zwölf\n".encode(), b"{}\n"], [0]
    for line in written:
        with path.open("ab") as file:
            jsonl.append_line(file, line.decode().rstrip("\n"))
        ends.append(path.stat().st_size)
    data = path.read_bytes()
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        whole = sum(end <= cut for end in ends[1:])
        assert list(jsonl.read_lines(path, torn=True)) == written[:whole]
        assert jsonl.drop_torn_end(path) == cut - ends[whole]
        assert path.read_bytes() == data[: ends[whole]]
        with path.open("ab") as file:
            jsonl.append_line(file, "next")
        assert lines_of(path) == [*written[:whole], b"next\n"]


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz"])
@pytest.mark.parametrize("zeros", [1, 2, 70_000])
def test_blocks_that_a_power_failure_left_unwritten_are_a_torn_end(
    tmp_path: Path, name: str, zeros: int
) -> None:
    path = tmp_path / name
    with path.open("ab") as file:
        jsonl.append_line(file, "one")
        file.write(bytes(zeros))
    assert list(jsonl.read_lines(path, torn=True)) == [b"one\n"]
    assert jsonl.drop_torn_end(path) == zeros
    assert lines_of(path) == [b"one\n"]


@pytest.mark.parametrize("seed", range(20))
def test_garbage_after_the_last_whole_line_is_a_torn_end(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    path = tmp_path / "r.jsonl.gz"
    torn = jsonl.as_written("x" * 300, path)[: int(rng.integers(20))]
    garbage = torn + rng.bytes(int(rng.integers(1, 90_000))) + b"\x1f\x8b\x08" * (seed % 3)
    for name, whole in (("one", 1), ("two", 2)):
        with path.open("ab") as file:
            jsonl.append_line(file, name)
        kept = path.read_bytes()
        path.write_bytes(kept + garbage)
        assert len(list(jsonl.read_lines(path, torn=True))) == whole
        with pytest.raises(EpisodeError, match="ends within a compressed line"):
            lines_of(path)
        assert jsonl.drop_torn_end(path) == len(garbage)
        assert path.read_bytes() == kept
    # A whole line behind it shows that it is damage, of which nothing may be cut off.
    path.write_bytes(kept + garbage + jsonl.as_written("three", path))
    with pytest.raises(EpisodeError, match="is damaged after byte"):
        jsonl.drop_torn_end(path)
    path.write_bytes(garbage)  # and without a whole line it may be any file
    if not torn:
        with pytest.raises(EpisodeError, match="is damaged after byte 0"):
            jsonl.drop_torn_end(path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told_with_the_name_of_the_file() -> None:
    with (
        pytest.raises(OSError, match="No space left on device: '/dev/full'"),
        jsonl.appending(Path("/dev/full")) as file,
    ):
        jsonl.append_line(file, "one")


LOOK_ALIKE = st.sampled_from(["$float", "$utf8", "$$utf8", "$$$float", "$", "$$", "utf8", "a$utf8"])
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | LOOK_ALIKE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(LOOK_ALIKE | st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=8,
)


@given(JSON_VALUES)
@example({"b": {"$utf8": "!!"}})
@example({"$float": "nan"})
@example({"$$float": float("nan")})
@example({"$utf8": "\ud800"})
def test_data_that_look_like_tags_read_back_as_they_were(value: object) -> None:
    assert repr(jsonl.loads(jsonl.dumps(value))) == repr(value)


def test_paths_are_written_as_texts() -> None:
    data = {"db_path": Path("a/b.sqlite"), "x": math.nan}
    assert jsonl.loads(jsonl.dumps(data))["db_path"] == str(Path("a/b.sqlite"))
    assert jsonl.dumps({"p": Path("c")}) == '{"p": "c"}'


def test_the_end_of_long_lines_is_found(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    long = b"x" * 200_000
    cases = [(b"a\n" + long, 2), (long + b"\n" + long, 200_001), (long, 0)]
    # The line's end is the last byte of a block, the first, or in the middle.
    cases += [(b"a\n" + long[:size], 2) for size in range(2**16 - 3, 2**16 + 3)]
    for data, kept in cases:
        path.write_bytes(data)
        assert jsonl.drop_torn_end(path) == len(data) - kept
        assert path.read_bytes() == data[:kept]


def test_compressed_files_are_plain_gzip(tmp_path: Path) -> None:
    plain, compressed = tmp_path / "e.jsonl", tmp_path / "e.jsonl.gz"
    episodes = [an_episode(seed=seed) for seed in range(30)]
    for path in (plain, compressed):
        write_episodes(path, episodes)
    assert gzip.decompress(compressed.read_bytes()) == plain.read_bytes()
    assert lines_of(compressed) == lines_of(plain)
    assert compressed.read_bytes()[4:8] == bytes(4)  # no time: the same text, the same bytes
    assert repr(list(read_episodes(compressed))) == repr(episodes)
    # Somebody else's file is one member, not one a line.
    compressed.write_bytes(gzip.compress(plain.read_bytes()))
    assert jsonl.drop_torn_end(compressed) == 0
    with compressed.open("ab") as file:
        jsonl.append_line(file, an_episode(seed=30).to_line())
    assert [episode.seed for episode in read_episodes(compressed)] == list(range(31))


def test_damage_to_a_compressed_file_is_refused_and_nothing_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl.gz"
    write_episodes(path, [an_episode(seed=1), an_episode(seed=2)])
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(EpisodeError, match=r"gz ends within a compressed line, after byte \d+"):
        list(read_episodes(path))
    for place in (0, 20, 40):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        for torn in (False, True):
            with pytest.raises(EpisodeError, match=r"gz is damaged after byte 0"):
                list(read_episodes(path, torn=torn))
        with pytest.raises(EpisodeError, match=r"gz is damaged after byte 0"):
            jsonl.drop_torn_end(path)
        assert path.stat().st_size == len(data)


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
