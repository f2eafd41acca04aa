"""Streams of random numbers: what a seed means in an environment.

A stream is a pure function of the seed, the name of the task and the number of the purpose, on any
machine: equal seeds of different tasks give independent instances.
"""

import functools
import hashlib
import struct

import numpy as np

__all__ = ["INSTANCES", "stream_rng"]

INSTANCES = 2
"""Version of the instances: it grows whenever a seed gives another instance than before."""


def stream_rng(seed: int, name: str, *key: int) -> np.random.Generator:
    """Return a fresh generator for one purpose of an episode.

    Args:
        seed: The episode's seed, ≥ 0.
        name: What is drawn for, such as ``"silo/I-05"``.
        *key: Numbers of the purpose, each ≥ 0.
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*_words(name), *key)))


@functools.cache
def _words(name: str) -> tuple[int, ...]:
    """Return a name as four numbers of 32 bits: always four, so that no two keys run together."""
    return struct.unpack("<4I", hashlib.sha256(name.encode()).digest()[:16])
