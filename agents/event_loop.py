"""An event loop in a thread of its own, for synchronous code that needs asynchronous clients.

``asyncio.run`` would start a new loop per call, which breaks the connections that a client
keeps open, and refuses to work where a loop is already running (notebooks, async servers).
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class EventLoopThread:
    """Runs coroutines from synchronous code, all on one loop; usable from several threads."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._process = os.getpid()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="coordgym-event-loop", daemon=True
        )
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread runs in this process (threads don't survive a fork)."""
        return self._process == os.getpid() and self._thread.is_alive()

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        """Wait for a coroutine's result; an interrupt of the caller cancels it."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """End the thread and the loop."""
        if not self.alive:
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
