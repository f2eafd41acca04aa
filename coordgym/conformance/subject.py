"""What is checked: an environment that can be made again and again from an id or a factory."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pettingzoo import ParallelEnv

from coordgym.conformance.report import CheckSkipped
from coordgym.contract.base import TextParallelEnv
from coordgym.errors import ConfigError, UnknownEnvError
from coordgym.loading import imported, is_imported
from coordgym.registry import get_entry, make

EnvFactory = Callable[..., Any]
"""Makes a fresh PettingZoo parallel environment from keyword arguments."""


@dataclass(frozen=True, slots=True)
class Subject:
    """An environment under test.

    Attributes:
        name: What reports call it.
        factory: Makes a fresh environment; must pickle (with cloudpickle) for the checks that
            use other processes.
        kwargs: Keyword arguments of every environment made.
        is_text: It is a ``TextParallelEnv``, so that the contract of this package holds for it.
        from_id: It came from an id of the registry.
    """

    name: str
    factory: EnvFactory
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    is_text: bool = False
    from_id: bool = False

    def make(self, **overrides: Any) -> Any:
        """Make a fresh environment; ``overrides`` win over the subject's own kwargs."""
        return self.factory(**{**self.kwargs, **overrides})

    def make_limited(self, max_cycles: int) -> Any:
        """Make an environment that ends after ``max_cycles`` steps.

        Raises:
            CheckSkipped: If the environment takes no ``max_cycles`` argument.
        """
        try:
            return self.make(max_cycles=max_cycles)
        except TypeError as error:
            raise CheckSkipped(f"it takes no max_cycles argument ({error})") from error

    def need_text(self, feature: str) -> None:
        """Skip the running check unless the environment is a ``TextParallelEnv``.

        Raises:
            CheckSkipped: If it is a plain ParallelEnv, which has no such ``feature``.
        """
        if not self.is_text:
            raise CheckSkipped(f"a plain ParallelEnv has no {feature}")


def resolve(env: str | EnvFactory, kwargs: Mapping[str, Any]) -> Subject:
    """Find the environment that is meant, and make it once to see what it is.

    Args:
        env: An id of coordgym (any spelling that ``coordgym.make`` takes), ``import:module:Class``,
            the id of any parallel environment in PettingZoo's registry, or a callable that makes
            an environment.
        kwargs: Keyword arguments for it.

    Raises:
        ConfigError: If ``env`` is neither an id nor a callable, or makes no parallel environment.
        PlanError: If what ``import:module:Class`` names can't be imported.
        UnknownEnvError: If no environment is registered under this id.
    """
    if isinstance(env, str):
        factory, name = _factory_of(env), env
    elif callable(env):
        factory, name = env, getattr(env, "__name__", type(env).__name__)
    else:
        raise ConfigError(
            f"env must be an id or a callable that makes an environment, got {env!r}; "
            "give the class or a function, not an instance"
        )
    probe = factory(**kwargs)
    if not isinstance(probe, ParallelEnv):
        raise ConfigError(
            f"{name} makes {type(probe).__name__}, which is no PettingZoo ParallelEnv"
        )
    is_text = isinstance(probe.unwrapped, TextParallelEnv)
    probe.close()
    from_id = isinstance(env, str) and not is_imported(env)
    return Subject(name, factory, dict(kwargs), is_text, from_id)


def _factory_of(env_id: str) -> EnvFactory:
    """Give a factory for an id; one that holds the spec itself, so that it works elsewhere."""
    import pettingzoo
    from pettingzoo.env_registry.exceptions import PettingZooRegistryError
    from pettingzoo.env_registry.registration import spec

    if is_imported(env_id):
        factory: EnvFactory = imported(env_id)
        return factory
    try:
        get_entry(env_id)
        return partial(make, env_id)
    except UnknownEnvError as unknown:
        try:
            found = spec("parallel", env_id)
        except (PettingZooRegistryError, ValueError):
            raise unknown from None
        return partial(pettingzoo.make, "parallel", found)
