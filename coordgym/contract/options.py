"""The options that all environments share, declared once.

An environment takes them as ``**base: Unpack[BaseOptions]`` and hands them to its base class,
which checks them; type checkers, editors and ``inspect.signature`` see each by its name.
``TextParallelEnv`` says what they mean and what they are by default.
"""

import functools
import inspect
import typing
from typing import TypedDict


class CommonOptions(TypedDict, total=False):
    """Options that mean the same in every environment."""

    max_cycles: int | None
    render_mode: str | None
    text: str
    max_action_chars: int
    reasoning: str


class BaseOptions(CommonOptions, total=False):
    """The common options and those of how much an observation retells."""

    repeat_instructions: bool
    history: int | None


class SpelledOut:
    """The signature of a class, with its options named one by one.

    As the attribute ``__signature__`` of a class it is what ``inspect.signature`` reports of
    the class and of each of its subclasses. A class with options of its own may list more of
    them, which no type can declare, by a class method ``extra_parameters``.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._base = owner

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        extra: tuple[inspect.Parameter, ...] = tuple(getattr(owner, "extra_parameters", tuple)())
        return _spelled_out(owner, self._base, extra)


@functools.cache
def _spelled_out(
    owner: type, base: type, extra: tuple[inspect.Parameter, ...]
) -> inspect.Signature:
    """Return the signature of a class's ``__init__``, its keyword options replaced by names."""
    own = _parameters(owner)
    if not own or own[-1].kind is not inspect.Parameter.VAR_KEYWORD:
        return inspect.Signature(own)
    names = _option_names(owner, own[-1])
    options_type = getattr(owner, "options_type", None)
    declared = [] if options_type is None else _parameters(options_type)
    own_options = {each.name: each for each in declared if each.name in names}
    shared = [e for e in _parameters(base) if e.name in names and e.name not in own_options]
    found = len(own_options) + len(shared)
    rest = [] if found and found == len(names) else own[-1:]
    listed = [*own_options.values(), *extra] if own_options else []
    return inspect.Signature([*own[:-1], *listed, *shared, *rest])


def _parameters(owner: type) -> list[inspect.Parameter]:
    """List the parameters of a class's ``__init__`` without ``self``."""
    return list(inspect.signature(owner.__init__).parameters.values())[1:]  # type: ignore[misc]


def _option_names(owner: type, keywords: inspect.Parameter) -> frozenset[str]:
    """Name the options that ``**base: Unpack[…]`` stands for; none if it is declared otherwise."""
    hint = keywords.annotation
    if isinstance(hint, str):
        try:
            hints = typing.get_type_hints(owner.__init__)  # type: ignore[misc]
        except NameError:  # imported for type checkers only
            return frozenset()
        hint = hints[keywords.name]
    options = typing.get_args(hint)
    if len(options) != 1 or not typing.is_typeddict(options[0]):
        return frozenset()
    return frozenset(options[0].__annotations__)
