"""What a long run tells while it is at it."""

import io
import sys
import threading

import pytest

import coordgym.runs.progress
from coordgym.runs.evaluate import evaluate
from coordgym.runs.planned import Cell, PlannedEnv, PlannedPolicy
from coordgym.runs.progress import Lines, shown_progress

RANDOM = PlannedPolicy("random", "random")


def a_cell(seed: int, repeat: int = 0) -> Cell:
    return Cell(PlannedEnv("coordgym/PairMaze-v0", {"text": "compact"}), RANDOM, seed, repeat)


def test_a_log_gets_a_line_at_once_and_then_when_there_is_news(monkeypatch, capsys) -> None:
    times = iter([0.0, 0.1, 20.1, 60.0, 80.0])
    monkeypatch.setattr(coordgym.runs.progress.time, "monotonic", lambda: next(times))
    lines = Lines(total=9, done=3)
    for seed in range(3):
        lines.began(a_cell(seed))
        lines.ended(a_cell(seed), "ModelError" if seed == 1 else None)
    lines.began(a_cell(3))
    lines.began(a_cell(3, repeat=1))
    lines.tell()
    lines.tell()
    lines.ended(a_cell(3), None)
    lines.tell()
    lines.ended(a_cell(3, repeat=1), None)
    lines.tell()
    assert capsys.readouterr().err.splitlines() == [
        "3 of 9 episodes, 0 s; now PairMaze-v0 text=compact, random, seed 0",
        "6 of 9 episodes, 1 failed, 20 s; now PairMaze-v0 text=compact, random, seed 3 and 1 more",
        "7 of 9 episodes, 1 failed, 60 s; now PairMaze-v0 text=compact, random, seed 3, repeat 1",
        "8 of 9 episodes, 1 failed, 80 s",
    ]


def test_a_long_episode_is_told_while_it_is_played(monkeypatch) -> None:
    told = threading.Event()

    class Log(io.StringIO):
        def write(self, text: str) -> int:
            if "seed 1" in text:
                told.set()
            return super().write(text)

    monkeypatch.setattr(coordgym.runs.progress, "SECONDS_BETWEEN_LINES", 0.01)
    monkeypatch.setattr(sys, "stderr", Log())
    with shown_progress(total=2, done=0) as progress:
        progress.began(a_cell(0))
        progress.ended(a_cell(0), None)
        progress.began(a_cell(1))
        assert told.wait(60), sys.stderr.getvalue()  # nothing else happens meanwhile
    assert "coordgym-progress" not in [thread.name for thread in threading.enumerate()]


def test_a_terminal_shows_a_bar_and_what_is_played(monkeypatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with shown_progress(total=2, done=0) as progress:
        progress.began(a_cell(0))
        progress.ended(a_cell(0), "ModelError")
        progress.began(a_cell(1))
    shown = screen.getvalue()
    assert "1/2" in shown
    assert "1 failed" in shown
    assert "now PairMaze-v0 text=compact, random, seed 1" in shown


@pytest.mark.parametrize("workers", [1, 2])
def test_every_run_says_at_once_what_it_plays(workers: int, tmp_path, capsys) -> None:
    plan = {"seeds": 2, "envs": ["PairMaze-v0"], "policies": ["random"]}
    evaluate(plan, tmp_path, workers=workers, progress=True)
    first = capsys.readouterr().err.splitlines()[0]
    assert first == "0 of 2 episodes, 0 s; now PairMaze-v0, random, seed 0"
