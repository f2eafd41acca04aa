"""The table of environments, kept in PettingZoo's and Gymnasium's own registries.

Each family lists its environments as plain data in a light module; third parties add
theirs through the entry-point group ``coordgym.envs`` (an object that is a sequence of
``EnvEntry``), which is read on ``import coordgym``. Entry points
are strings, so that nothing heavy is imported before ``make``.
"""

import contextlib
import copy
import functools
import inspect
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any

import gymnasium
import pettingzoo
from pettingzoo.utils.conversions import parallel_to_aec

from coordgym.contract.spec import Spec
from coordgym.errors import (
    ConfigError,
    MissingExtraError,
    UnknownEnvError,
    UnknownKwargError,
    shown,
    suggest,
)
from coordgym.loading import load

BUILTIN_TABLES = (
    "coordgym.silo_env.compute.table:ENVS",
    "coordgym.silo_env.graph.table:ENVS",
    "coordgym.silo_env.pairs.table:ENVS",
    "coordgym.swarm_env.table:ENVS",
)
ENTRY_POINT_GROUP = "coordgym.envs"
_ID = re.compile(r"(?:[\w:.-]+/)?[\w:.-]+-v\d+\Z")


@dataclass(frozen=True, slots=True)
class EnvEntry:
    """One registered environment.

    Attributes:
        id: ``namespace/NameInCamelCase-vN``.
        entry_point: ``"module:Class"`` of a PettingZoo ``ParallelEnv``.
        family: ``"silo"``, ``"graph"``, ``"pairs"``, ``"swarm"`` or a third party's word.
        title: One line that says what the agents do.
        kwargs: Fixed keyword arguments of the class; users can't change them.
        aliases: Other names that ``make`` takes, such as a paper's id.
        tags: Words to filter ``list_envs`` by.
        file_kwargs: Keyword arguments that name a file to which one environment at a time writes
            what happens; a replay leaves them out.
        team_kwargs: Keyword arguments that leave the problem as it is for an agent that has all
            of the data and needs nobody.
    """

    id: str
    entry_point: str
    family: str
    title: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    file_kwargs: tuple[str, ...] = ()
    team_kwargs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The id without namespace and version."""
        return self.id.rpartition("/")[2].rpartition("-v")[0]

    @property
    def seat_id(self) -> str:
        """The id of the single-seat form in Gymnasium's registry."""
        head, _, version = self.id.rpartition("-v")
        return f"{head}-Seat-v{version}"


_entries: dict[str, EnvEntry] = {}
_names: dict[str, str] = {}


def register_envs(entries: Iterable[EnvEntry]) -> None:
    """Add environments to the registries; an id that is there already must be the same.

    Raises:
        ValueError: If an id is malformed or taken by another environment.
    """
    for entry in entries:
        if not _ID.match(entry.id):
            raise ValueError(f"an id looks like 'namespace/NameInCamelCase-v0', got {entry.id!r}")
        if not isinstance(entry.entry_point, str) or entry.entry_point.count(":") != 1:
            raise ValueError(
                f"the entry point of {entry.id} is a text 'module:Class', got {entry.entry_point!r}"
            )
        known = _entries.get(entry.id)
        if known == entry:
            continue
        if known is not None:
            raise ValueError(f"{entry.id!r} is already registered by {known.entry_point}")
        _entries[entry.id] = entry
        for name in (entry.id, entry.id.rpartition("/")[2], *entry.aliases):
            _names.setdefault(name, entry.id)
        fixed = dict(entry.kwargs)
        pettingzoo.register("parallel", entry.id, entry_point=entry.entry_point, kwargs=fixed)
        pettingzoo.register(
            "aec",
            entry.id,
            entry_point="coordgym.registry:make_aec",
            kwargs={"env_id": entry.id},
        )
        gymnasium.register(
            entry.seat_id,
            entry_point="coordgym.episodes.seat:SeatEnv",
            kwargs={"env_id": entry.id},
            # Gymnasium's wrappers would hide the seat and warn about text on every step.
            order_enforce=False,
            disable_env_checker=True,
        )


def _builtin_entries() -> Iterator[EnvEntry]:
    for table in BUILTIN_TABLES:
        yield from load(table)


@functools.cache
def load_registry() -> None:
    """Register our environments and third parties'; done once, on ``import coordgym``."""
    register_envs(_builtin_entries())
    for point in entry_points(group=ENTRY_POINT_GROUP):
        # What fails may be the very module that imports coordgym now: it is tried again later.
        with contextlib.suppress(Exception):
            register_envs(point.load())


@functools.cache
def _retry_third_parties() -> None:
    """Register what failed on import, or warn; done once, at the first look-up that needs it."""
    for point in entry_points(group=ENTRY_POINT_GROUP):
        try:
            register_envs(point.load())
        except Exception as error:  # another package's mistake must not disable ours
            warnings.warn(
                f"the entry point {point.name} = {point.value} of {ENTRY_POINT_GROUP} fails: "
                f"{type(error).__name__}: {error}",
                stacklevel=2,
            )


def get_entry(env_id: str) -> EnvEntry:
    """Look an environment up by id (with or without namespace) or by a paper's id.

    Raises:
        UnknownEnvError: If there is none, with the nearest name.
    """
    load_registry()
    if not isinstance(env_id, str):
        raise UnknownEnvError(f"an environment's id is a str, got {shown(env_id)}")
    if env_id not in _names:
        _retry_third_parties()
    if env_id not in _names:
        near = suggest(env_id, _names)
        raise UnknownEnvError(f"no environment {shown(env_id)}{near}; see coordgym.list_envs()")
    return _entries[_names[env_id]]


def list_envs(family: str | None = None, tag: str | None = None) -> list[EnvEntry]:
    """List the registered environments, filtered by family and tag, in registration order.

    Raises:
        UnknownEnvError: If the family or the tag has no environment at all.
    """
    load_registry()
    _retry_third_parties()
    entries = list(_entries.values())
    families = dict.fromkeys(entry.family for entry in entries)
    tags = dict.fromkeys(word for entry in entries for word in entry.tags)
    if family is not None and family not in list(families):
        raise UnknownEnvError(
            f"no family {shown(family)}; families: {', '.join(families)}{suggest(family, families)}"
        )
    if tag is not None and tag not in list(tags):
        raise UnknownEnvError(f"no tag {shown(tag)}; tags: {', '.join(tags)}{suggest(tag, tags)}")
    return [
        entry
        for entry in entries
        if family in (None, entry.family) and (tag is None or tag in entry.tags)
    ]


def make(env_id: str, **kwargs: Any) -> Any:
    """Make a parallel environment.

    Args:
        env_id: Such as ``"coordgym/SiloGlobalMax-v0"``, ``"SiloGlobalMax-v0"`` or ``"I-01"``.
        **kwargs: Keyword arguments of the environment; ``coordgym show ID`` lists them.

    Returns:
        A ``TextParallelEnv``, or whatever ``ParallelEnv`` a third party registered; its
        attribute ``spec`` holds id and kwargs.

    Raises:
        UnknownEnvError: If no environment has this id.
        UnknownKwargError: If the environment has no such keyword argument.
        MissingExtraError: If the module of the environment can't be imported.
    """
    entry = get_entry(env_id)
    factory = _load(entry)
    _check_kwargs(entry, factory, kwargs)
    env = factory(**entry.kwargs, **kwargs)
    env.spec = Spec(entry.id, {name: _recordable(value) for name, value in kwargs.items()})
    return env


def _recordable(value: Any) -> Any:
    """Copy an argument for the record; a networkx graph becomes node-link JSON."""
    if hasattr(value, "adjacency") and hasattr(value, "nodes"):
        import networkx

        return networkx.node_link_data(value, edges="links")
    return copy.deepcopy(value)


def make_aec(env_id: str, **kwargs: Any) -> Any:
    """Make the environment in PettingZoo's turn-based (AEC) form; arguments as ``make``."""
    return parallel_to_aec(make(env_id, **kwargs))


def env_kwargs(env_id: str) -> dict[str, inspect.Parameter]:
    """Return the keyword arguments that users can set, with defaults and annotations.

    Raises:
        UnknownEnvError: If no environment has this id.
    """
    entry = get_entry(env_id)
    return settable(_load(entry), entry.kwargs)


def _load(entry: EnvEntry) -> Any:
    module, _, attribute = entry.entry_point.partition(":")
    try:
        return load(entry.entry_point)
    except ImportError as error:
        raise MissingExtraError(
            f"{entry.id}: its module {module} can't be imported ({error})"
        ) from error
    except AttributeError as error:
        raise UnknownEnvError(f"{entry.id}: {module} has no {attribute!r}") from error


def settable(factory: Any, fixed: Collection[str] = ()) -> dict[str, inspect.Parameter]:
    """Return the keyword arguments of a class or function, without those that are fixed."""
    return {
        name: parameter
        for name, parameter in inspect.signature(factory).parameters.items()
        if name not in fixed
        and parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    }


def _check_kwargs(entry: EnvEntry, factory: Any, kwargs: Mapping[str, Any]) -> None:
    parameters = inspect.signature(factory).parameters.values()
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    known = settable(factory, entry.kwargs)
    for name, parameter in known.items():
        if parameter.default is parameter.empty and name not in kwargs:
            raise ConfigError(f"{entry.id} needs the keyword argument {name!r}")
    for name in kwargs:
        if name in entry.kwargs:
            raise UnknownKwargError(f"{entry.id} fixes {name}={entry.kwargs[name]!r}")
        if name not in known and not takes_any:
            raise UnknownKwargError(
                f"{entry.id} has no keyword argument {shown(name)}{suggest(name, known)}"
                f"; it takes {', '.join(known)}"
            )
