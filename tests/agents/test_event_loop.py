"""The event loop in a thread: results, errors, interrupts, forks, the end."""

import asyncio
import concurrent.futures
import os
import threading

import pytest

from coordgym.agents.event_loop import EventLoopThread


async def answer() -> int:
    await asyncio.sleep(0)
    return 7


async def fail() -> None:
    raise LookupError("lost")


def test_results_and_errors_come_back_and_the_end_is_one() -> None:
    loop = EventLoopThread()
    assert loop.alive
    assert loop.run(answer()) == 7
    with pytest.raises(LookupError, match="lost"):
        loop.run(fail())
    assert loop.run(answer()) == 7
    loop.stop()
    loop.stop()
    assert not loop.alive


def test_an_interrupt_of_the_caller_cancels_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = EventLoopThread()
    started, cancelled = threading.Event(), threading.Event()

    async def endless() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def interrupted(future: object, timeout: float | None = None) -> None:
        started.wait(30)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(concurrent.futures.Future, "result", interrupted)
        with pytest.raises(KeyboardInterrupt):
            loop.run(endless())
    assert cancelled.wait(30)
    loop.stop()


def test_it_is_not_alive_in_a_forked_process(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = EventLoopThread()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: -1)
        assert not loop.alive
        loop.stop()  # leaves the parent's loop alone
    assert loop.run(answer()) == 7
    loop.stop()
