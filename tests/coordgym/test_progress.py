"""What a long run tells on a stderr that is no terminal."""

import coordgym.progress
from coordgym.progress import progress_bar


def test_a_log_gets_a_line_now_and_then(monkeypatch, capsys) -> None:
    times = iter([0.0, 5.0, 25.0, 30.0, 50.0])
    monkeypatch.setattr(coordgym.progress.time, "monotonic", lambda: next(times))
    with progress_bar(total=9, done=3) as advance:
        for failure in (None, None, "ModelError", None):
            advance(failure)
    assert capsys.readouterr().err.splitlines() == [
        "5 of 9 episodes, 25 s",
        "7 of 9 episodes, 1 failed, 50 s",
    ]
