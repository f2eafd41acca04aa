"""Things that are named by where they are: ``"module:attribute"``.

The package names its own environments, tasks and policies so, in tables that import nothing
heavy. Users name theirs, which are not registered, with a prefix: ``import:package.module:name``.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from coordgym.errors import PlanError

_PREFIX = "import:"
_WHERE_MODULES_ARE_FOUND = (
    "a module must be installed or in a folder of PYTHONPATH; the coordgym command also looks in "
    "the current folder and in that of the plan"
)


def load(place: str) -> Any:
    """Return what ``"module:attribute"`` names.

    Raises:
        ImportError: If the module can't be imported.
        AttributeError: If the module has no such attribute.
    """
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Write the ``__getattr__`` of a package whose names are loaded on first use.

    Args:
        package: Name of the package.
        homes: The module inside the package that holds each name.
    """

    def __getattr__(name: str) -> Any:
        if name in homes:
            return load(f"{package}.{homes[name]}:{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return __getattr__


def is_imported(name: str) -> bool:
    """Tell whether a name says where to import something from: it begins with ``import:``."""
    return name.startswith(_PREFIX)


def imported(name: str) -> Any:
    """Return what ``import:package.module:name`` names.

    Raises:
        PlanError: If it has another form or can't be imported.
    """
    place = without_prefix(name)
    module, _, attribute = place.partition(":")
    if not module or not attribute:
        raise PlanError(f"expected 'import:package.module:name', got {name!r}")
    try:
        return load(place)
    except Exception as error:  # an import runs code
        missing = isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]
        where = f"; {_WHERE_MODULES_ARE_FOUND}" if missing else ""
        raise PlanError(
            f"{name!r} can't be imported: {type(error).__name__}: {error}{where}"
        ) from error


def without_prefix(name: str) -> str:
    """Return a name without the ``import:`` that it may begin with."""
    return name.removeprefix(_PREFIX)
