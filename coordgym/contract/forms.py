"""The two functions by which PettingZoo's users make an environment: in parallel and in turns."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from coordgym.loading import load

if TYPE_CHECKING:
    from pettingzoo import AECEnv


def parallel_form(package: str, environment: str) -> Callable[..., Any]:
    """Write ``parallel_env`` of a package; its environment is imported at the first call.

    Args:
        package: Name of the package that the function belongs to.
        environment: ``"module:Class"`` inside the package.
    """
    name = environment.partition(":")[2]

    def parallel_env(*args: Any, **kwargs: Any) -> Any:
        return load(f"{package}.{environment}")(*args, **kwargs)

    parallel_env.__doc__ = f"Make the environment; the arguments are those of ``{name}``."
    return _of(package, parallel_env)


def turn_form(parallel_env: Callable[..., Any]) -> "Callable[..., AECEnv[str, Any, Any]]":
    """Write ``env`` of a package, the turn-based (AEC) form of its ``parallel_env``."""

    def env(*args: Any, **kwargs: Any) -> "AECEnv[str, Any, Any]":
        """Make the environment in PettingZoo's turn-based (AEC) form; see ``parallel_env``."""
        from pettingzoo.utils.conversions import parallel_to_aec

        turns: AECEnv[str, Any, Any] = parallel_to_aec(parallel_env(*args, **kwargs))
        return turns

    return _of(parallel_env.__module__, env)


def _of(package: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function belong to a package, so that it pickles and is shown as written there."""
    function.__module__, function.__qualname__ = package, function.__name__
    return function
