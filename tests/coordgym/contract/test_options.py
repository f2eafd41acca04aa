"""The options that environments share: declared once, seen by name wherever one looks."""

import inspect
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack, get_type_hints

import pytest
from countdown import CountdownEnv

import coordgym
from coordgym import BaseOptions, TextParallelEnv
from coordgym.contract.options import CommonOptions
from coordgym.errors import UnknownKwargError
from coordgym.registry import env_kwargs

FAMILIES = {
    "silo": "SiloGlobalMax-v0",
    "graph": "GraphColoring-v0",
    "pairs": "PairMaze-v0",
    "swarm": "SwarmPursuit-v0",
}
DEFAULTS = {
    "max_cycles": None,
    "render_mode": None,
    "text": "full",
    "repeat_instructions": False,
    "history": None,
    "max_action_chars": 100_000,
    "reasoning": "strip",
}
NOT_OF_A_SWARM = {"history", "repeat_instructions"}


class OwnOptions(TypedDict, total=False):
    spice: int


class Spelled(CountdownEnv):
    def __init__(self, *, n_agents: int = 2, **base: Unpack[BaseOptions]) -> None:
        super().__init__(n_agents=n_agents, **base)


class Written(CountdownEnv):
    def __init__(self, **base: "Unpack[CommonOptions]") -> None:
        super().__init__(n_agents=2, **base)


class Unresolved(CountdownEnv):
    def __init__(self, **base: "Unpack[Nowhere]") -> None:  # type: ignore[name-defined]  # noqa: F821
        super().__init__(n_agents=2, **base)


class Spiced(CountdownEnv):
    def __init__(self, **own: Unpack[OwnOptions]) -> None:
        super().__init__(n_agents=own.get("spice", 2))


class Heir(Spelled):
    pass


@dataclass
class Spices:
    spice: int = 7


class SpicedOptions(CommonOptions, total=False):
    spice: int


class Declared(CountdownEnv):
    options_type = Spices

    def __init__(self, **options: Unpack[SpicedOptions]) -> None:
        super().__init__(n_agents=options.get("spice", 2))


@dataclass
class CompactSpices(Spices):
    text: str = "compact"


class Listed(Declared):
    options_type = CompactSpices

    @classmethod
    def extra_parameters(cls) -> list[inspect.Parameter]:
        return [inspect.Parameter("herb", inspect.Parameter.KEYWORD_ONLY, default=None)]


def test_types_and_defaults_of_the_shared_options_agree():
    parameters = dict(inspect.signature(TextParallelEnv).parameters)
    parameters.pop("n_agents")
    assert {name: p.annotation for name, p in parameters.items()} == get_type_hints(BaseOptions)
    assert {name: p.default for name, p in parameters.items()} == DEFAULTS


def test_every_shared_option_is_described_at_the_base():
    told = inspect.getdoc(TextParallelEnv) or ""
    for name in get_type_hints(BaseOptions):
        assert f"\n    {name}: " in told


@pytest.mark.parametrize(("family", "env_id"), FAMILIES.items())
def test_families_take_the_shared_options_by_name(family, env_id):
    parameters = env_kwargs(env_id)
    shared = {name: parameters[name].default for name in DEFAULTS if name in parameters}
    if family == "swarm":  # it stands alone by default and retells views, not rounds
        assert shared.pop("repeat_instructions") is True
        assert shared == {k: v for k, v in DEFAULTS.items() if k not in NOT_OF_A_SWARM}
    else:
        assert shared == DEFAULTS
    assert all(p.kind is not p.VAR_KEYWORD for p in parameters.values())


@pytest.mark.parametrize("env_id", FAMILIES.values())
def test_a_slip_in_a_shared_option_is_answered_with_its_name(env_id):
    with pytest.raises(UnknownKwargError, match="did you mean 'max_action_chars'"):
        coordgym.make(env_id, max_action_char=5)


@pytest.mark.parametrize("env_id", FAMILIES.values())
def test_the_class_itself_refuses_what_it_does_not_know(env_id):
    made = type(coordgym.make(env_id))
    with pytest.raises(TypeError, match="tax"):
        made(tax=5)


@pytest.mark.parametrize(
    ("environment", "names"),
    [
        (Spelled, ["n_agents", *DEFAULTS]),
        (Heir, ["n_agents", *DEFAULTS]),
        (Written, [name for name in DEFAULTS if name not in NOT_OF_A_SWARM]),
        (Unresolved, ["base"]),
        (Spiced, ["own"]),
        (CountdownEnv, ["turns", "kwargs"]),
    ],
)
def test_only_options_declared_as_shared_are_spelled_out(environment: Any, names: list[str]):
    assert list(inspect.signature(environment).parameters) == names


def test_own_options_are_spelled_out_with_the_defaults_of_their_type():
    parameters = inspect.signature(Declared).parameters
    assert list(parameters) == ["spice", *(name for name in DEFAULTS if name not in NOT_OF_A_SWARM)]
    assert (parameters["spice"].default, parameters["spice"].annotation) == (7, int)


def test_options_that_no_type_declares_stand_behind_the_own_ones():
    parameters = inspect.signature(Listed).parameters
    shared = [name for name in DEFAULTS if name not in NOT_OF_A_SWARM | {"text"}]
    assert list(parameters) == ["spice", "text", "herb", *shared]
    assert parameters["text"].default == "compact"


def test_the_base_class_is_called_with_what_the_signature_says():
    env = Spelled(text="compact", history=3)
    assert (env.n_agents, env.text, env.history) == (2, "compact", 3)
