"""The task ``cipherdecode``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.cipherdecode.task import CipherDecode

__all__ = ["CipherDecode"]
