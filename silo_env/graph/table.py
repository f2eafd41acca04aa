"""The environments of this family."""

from coordgym.registry import EnvEntry

ENVS: tuple[EnvEntry, ...] = ()
