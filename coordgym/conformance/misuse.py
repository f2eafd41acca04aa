"""Checks that wrong use of the API, unlike a wrong text, raises at once and changes nothing."""

from collections.abc import Callable
from functools import partial
from typing import Any

from coordgym.conformance.play import episode_difference, play, resume, start
from coordgym.conformance.report import CheckFailed, expect
from coordgym.conformance.subject import Subject
from coordgym.errors import CoordgymError

SEED = 5


def check_api_misuse(subject: Subject) -> str:
    """Check that wrong use raises at once, says what was wrong and changes nothing."""
    subject.need_text("errors of the contract")
    fresh = subject.make()
    _expect_raises(lambda: fresh.step({}), "step before reset", CoordgymError)
    env, twin = subject.make(), subject.make()
    frame = start(env, SEED)
    start(twin, SEED)
    active = [agent for agent, info in frame.infos.items() if info["active"]]
    agent = active[0]
    good = dict.fromkeys(active, "")
    missing = {name: "" for name in active if name != agent}
    misuses: list[tuple[str, Any, str]] = [
        ("an unknown agent", {**good, "agent_x": ""}, "agent_x"),
        ("a missing active agent", missing, agent),
        ("the action 123", {**good, agent: 123}, "int"),
        ("the action None", {**good, agent: None}, "None"),
        ("bytes as action", {**good, agent: b"ok"}, "bytes"),
        ("a list of actions", list(good.values()), "list"),
    ]
    for what, actions, named in misuses:
        _expect_raises(partial(env.step, actions), what, CoordgymError, named)
    _expect_raises(
        lambda: subject.make().reset(seed=SEED, options={"instance": "nonsense"}),
        "options={'instance': 'nonsense'}",
        CoordgymError,
    )
    _expect_raises(
        lambda: subject.make().reset(seed=SEED, options={"instanse": {}}),
        "options={'instanse': {}}",
        CoordgymError,
        "instance",
    )
    if subject.from_id:
        _expect_raises(lambda: subject.make(max_cicles=3), "max_cicles=3", TypeError, "max_cycles")
    one, other = (resume(e, frame, stream=3, max_steps=20) for e in (env, twin))
    found = episode_difference(one, other)
    expect(found is None, f"refused calls left a trace: {found}")
    _expect_step_after_end(subject)
    return f"{len(misuses) + 5} misuses"


def _expect_step_after_end(subject: Subject) -> None:
    env = subject.make(max_cycles=1)
    episode = play(env, SEED)
    expect(episode.ended, "with max_cycles=1 the episode does not end at the first step")
    _expect_raises(lambda: env.step({}), "step after the end", CoordgymError)


def _expect_raises(
    call: Callable[[], Any], what: str, kind: type[Exception], named: str = ""
) -> None:
    try:
        call()
    except kind as error:
        message = str(error)
        expect(bool(message), f"{what} raises {type(error).__name__} without a message")
        expect(named in message, f"{what}: the error does not name {named!r}: {message}")
    except Exception as error:
        raise CheckFailed(
            f"{what} raises {type(error).__name__} ({error}), not {kind.__name__}"
        ) from error
    else:
        raise CheckFailed(f"{what} is accepted")
