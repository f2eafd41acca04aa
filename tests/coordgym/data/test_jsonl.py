"""Lines of JSON on the disk: whole whenever a writer is killed, plain or compressed."""

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from a_record import an_episode
from hypothesis import example, given
from hypothesis import strategies as st

from coordgym.data import jsonl
from coordgym.episodes.episode import (
    read_episodes,
    write_episodes,
)
from coordgym.errors import EpisodeError


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
