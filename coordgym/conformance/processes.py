"""Plays episodes in processes of their own, each with another PYTHONHASHSEED."""

import base64
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence

import cloudpickle

from coordgym.conformance.play import Play, episode_difference, play
from coordgym.conformance.report import CheckFailed, CheckSkipped, expect
from coordgym.conformance.subject import Subject

SEED = 7
HASH_SEEDS = ("1", "2")
STEPS = 60
"""Steps played in each process: the frames travel through a pipe."""
SECONDS = 300
"""After this many seconds a process is taken to hang."""


def play_in_processes(subjects: Sequence[Subject]) -> list[list[Play]]:
    """Play a short episode of each environment in one process per hash seed, all at once.

    Returns:
        The episodes of all subjects, for each of ``HASH_SEEDS``.

    Raises:
        CheckSkipped: If a factory can't be pickled, so no other process can make it.
        CheckFailed: A process failed; the message ends with what it printed.
    """
    try:
        task = base64.b64encode(cloudpickle.dumps((list(subjects), SEED, STEPS)))
    except Exception as error:  # pickling runs the factory's own code: anything can be raised
        raise CheckSkipped(f"the factory can't be pickled for another process: {error}") from error
    processes = [_start_process(hash_seed) for hash_seed in HASH_SEEDS]
    try:
        outputs = [process.communicate(task, SECONDS) for process in processes]
    except subprocess.TimeoutExpired as error:
        raise CheckFailed(f"a process did not finish within {SECONDS} s") from error
    finally:
        for process in processes:
            process.kill()
    for process, (_, errors) in zip(processes, outputs, strict=True):
        tail = errors.decode(errors="replace").strip()[-500:]
        expect(process.returncode == 0, f"a process could not play the episode: {tail}")
    return [pickle.loads(base64.b64decode(answer)) for answer, _ in outputs]


def compare_processes(subject: Subject, plays: Sequence[Play]) -> str:
    """Fail unless this process plays the episode as those of ``play_in_processes`` did.

    Returns:
        What was compared.
    """
    here = play(subject.make(), SEED, max_steps=STEPS)
    for hash_seed, there in zip(HASH_SEEDS, plays, strict=True):
        found = episode_difference(here, there)
        expect(
            found is None,
            f"this process and one with PYTHONHASHSEED={hash_seed} differ {found}",
        )
    return f"{len(here.actions)} steps in {1 + len(HASH_SEEDS)} processes"


def _start_process(hash_seed: str) -> "subprocess.Popen[bytes]":
    """Start a worker that finds the same modules as this process."""
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    return subprocess.Popen(
        [sys.executable, "-m", "coordgym.conformance.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path},
    )
