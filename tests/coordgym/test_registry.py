"""Ids, look-up and the registries of PettingZoo and Gymnasium."""

import json
import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import networkx
import pettingzoo
import pytest

import coordgym
from coordgym import registry
from coordgym.errors import (
    ConfigError,
    CoordgymError,
    MissingExtraError,
    UnknownEnvError,
    UnknownKwargError,
)
from coordgym.registry import EnvEntry, env_kwargs, get_entry, register_envs

ID = "coordgym/SiloGlobalMax-v0"


@pytest.mark.parametrize("name", [ID, "SiloGlobalMax-v0", "I-01"])
def test_an_environment_has_several_names(name: str) -> None:
    env = coordgym.make(name, n_agents=3)
    assert env.spec.id == ID
    assert env.spec.kwargs == {"n_agents": 3}


def test_every_environment_is_in_both_registries_and_has_a_seat() -> None:
    for entry in coordgym.list_envs():
        assert pettingzoo.spec("parallel", entry.id).entry_point == entry.entry_point
        assert pettingzoo.spec("aec", entry.id)
        assert gymnasium.spec(entry.seat_id).kwargs["env_id"] == entry.id
        assert entry.title


def test_pettingzoo_makes_the_same_environment() -> None:
    parallel = pettingzoo.make("parallel", ID, n_agents=3)
    turn_based = pettingzoo.make("aec", ID, n_agents=3)
    assert (
        parallel.possible_agents
        == turn_based.possible_agents
        == coordgym.make(ID, n_agents=3).possible_agents
    )
    observations, _ = parallel.reset(seed=1)
    turn_based.reset(seed=1)
    assert turn_based.observe("agent_0") == observations["agent_0"]


@pytest.mark.parametrize(
    "name", ["SiloGlobalMaxx-v0", "siloglobalmax-v0", "coordgym/SiloGlobalMax-v1"]
)
def test_unknown_ids_name_the_nearest(name: str) -> None:
    with pytest.raises(UnknownEnvError, match=r"did you mean '.*SiloGlobalMax-v0'"):
        coordgym.make(name)


def test_names_that_are_refused_are_not_shown_at_length() -> None:
    long = "x" * 10_000
    for use in (
        lambda: coordgym.make(long),
        lambda: coordgym.make(ID, **{long: 1}),
        lambda: coordgym.list_envs(family=long),
        lambda: coordgym.list_envs(tag=long),
        lambda: coordgym.make_policy(long),
        lambda: coordgym.SeatEnv(ID, seat=long),
        lambda: coordgym.PolicyMap({long: "random"}).reset(["agent_0"], {}, 0),
    ):
        with pytest.raises(CoordgymError) as caught:
            use()
        assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize("env_id", [None, 5, ["x"], {}])
def test_ids_must_be_texts(env_id) -> None:
    with pytest.raises(UnknownEnvError, match="is a str"):
        coordgym.make(env_id)
    with pytest.raises(UnknownEnvError, match="no family"):
        coordgym.list_envs(family=env_id if env_id is not None else 5)


def test_the_record_of_arguments_is_a_copy() -> None:
    edges = [[0, 1], [1, 2]]
    env = coordgym.make(ID, n_agents=3, topology=edges)
    edges.append([0, 2])
    assert env.spec.kwargs["topology"] == [[0, 1], [1, 2]]


def test_unknown_arguments_name_the_nearest() -> None:
    with pytest.raises(UnknownKwargError, match="did you mean 'n_agents'"):
        coordgym.make(ID, num_agents=3)
    with pytest.raises(UnknownKwargError, match="fixes task"):
        coordgym.make(ID, task="I-02")


def test_listing_filters_by_family_and_tag() -> None:
    everything = coordgym.list_envs()
    families = {entry.family for entry in everything}
    assert families >= {"silo", "graph", "pairs", "swarm"}
    for family in families:
        listed = coordgym.list_envs(family=family)
        assert listed
        assert {entry.family for entry in listed} == {family}
    with pytest.raises(UnknownEnvError, match="did you mean 'silo'"):
        coordgym.list_envs(family="sillo")
    with pytest.raises(UnknownEnvError, match="no tag"):
        coordgym.list_envs(tag="nothing")


def test_settable_arguments_leave_out_the_fixed_ones() -> None:
    names = env_kwargs(ID)
    assert "task" not in names
    assert {"n_agents", "max_cycles", "render_mode", "text"} <= set(names)


@pytest.mark.parametrize(
    ("name", "argument"), [("SiloGlobalMax-v0", "topology"), ("GraphColoring-v0", "graph")]
)
def test_graphs_given_as_arguments_are_kept_in_a_form_that_can_be_written(name, argument) -> None:
    kwargs = {"rounds": 4} if argument == "graph" else {}
    env = coordgym.make(name, n_agents=4, **{argument: networkx.path_graph(4)}, **kwargs)
    again = coordgym.make(name, **json.loads(json.dumps(env.spec.kwargs)))
    assert again.reset(seed=1) == env.reset(seed=1)


def test_third_parties_register_and_ids_stay_unique() -> None:
    entry = EnvEntry(
        "thirdparty/Copy-v0", get_entry(ID).entry_point, "copies", "A copy", {"task": "I-01"}
    )
    register_envs([entry, entry])
    assert coordgym.make("thirdparty/Copy-v0").spec.id == "thirdparty/Copy-v0"
    with pytest.raises(ValueError, match="already registered"):
        register_envs([EnvEntry(ID, "other:Class", "copies", "Another")])
    with pytest.raises(ValueError, match="NameInCamelCase"):
        register_envs([EnvEntry("no version", "other:Class", "copies", "Another")])


ENTRY_POINTS = {
    "good": "ENVS = [EnvEntry('good/Copy-v3', 'good_envs:make_copy', 'copies', 'A copy')]",
    "broken": "raise RuntimeError('half installed')",
    "greedy": f"ENVS = [EnvEntry({ID!r}, 'other:Class', 'copies', 'Another')]",
    "wrong": "ENVS = 5",
}
"""Modules of packages that declare environments."""


def install(tmp_path: Path) -> dict[str, str]:
    """Put the packages where a process with the variables that are returned finds them."""
    for name, lines in ENTRY_POINTS.items():
        head = "from coordgym import EnvEntry, make\nmake_copy = lambda: make('I-01', n_agents=2)\n"
        (tmp_path / f"{name}_envs.py").write_text(head + lines)
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[coordgym.envs]\n{name} = {name}_envs:ENVS\n")
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


def test_packages_add_environments_through_entry_points(tmp_path: Path) -> None:
    code = """if True:
        import warnings, coordgym
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            coordgym.make("I-01")
            assert not caught  # others' mistakes are told where they may matter
            env = coordgym.make("Copy-v3")
            ids = [entry.id for entry in coordgym.list_envs()]
        assert env.spec.id == "good/Copy-v3"
        assert ids.count("good/Copy-v3") == 1
        assert len(coordgym.list_envs(family="copies")) == 1
        print(*(warning.message for warning in caught), sep="\\n")
    """
    told = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=install(tmp_path),
    ).stdout
    lines = [line for line in told.splitlines() if "entry point" in line]
    assert len(lines) == 3
    for name, words in (("broken", "half installed"), ("greedy", "already"), ("wrong", "int")):
        assert any(f"{name} = {name}_envs:ENVS" in line and words in line for line in lines)


@pytest.mark.parametrize("first", ["import coordgym", "import good_envs, coordgym"])
def test_other_registries_know_environments_of_packages_at_once(tmp_path: Path, first) -> None:
    known = """
        env = pettingzoo.make("parallel", "good/Copy-v3")
        turns = pettingzoo.make("aec", "good/Copy-v3")
        seat = gymnasium.make("good/Copy-Seat-v3", partners="random")
        assert env.possible_agents == turns.possible_agents == seat.unwrapped.env.possible_agents
    """
    # A module that is itself being imported when it imports coordgym is met at a look-up.
    look_up = "" if first == "import coordgym" else "coordgym.list_envs('copies')"
    code = (
        f"if True:\n        {first}\n        import gymnasium, pettingzoo\n        {look_up}{known}"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=install(tmp_path))


def test_nobody_takes_a_name_that_another_environment_has() -> None:
    thief = EnvEntry(
        "thief/SiloGlobalMax-v0", get_entry("I-02").entry_point, "copies", "A thief",
        {"task": "I-02"}, aliases=("I-01",),
    )  # fmt: skip
    register_envs([thief])
    try:
        for name in (ID, "SiloGlobalMax-v0", "I-01"):
            assert get_entry(name).id == ID
        assert coordgym.make(thief.id).spec.id == thief.id
    finally:
        registry._entries.pop(thief.id)
        registry._names.pop(thief.id)


def test_entries_that_can_not_be_made_say_what_is_wrong() -> None:
    class_itself = EnvEntry("thirdparty/Class-v0", EnvEntry, "copies", "A class")
    with pytest.raises(ValueError, match="a text 'module:Class'"):
        register_envs([class_itself])
    register_envs(
        [
            EnvEntry("thirdparty/NoModule-v0", "no_such_module:Env", "copies", "Missing"),
            EnvEntry("thirdparty/NoClass-v0", "json:Env", "copies", "Missing"),
            EnvEntry(
                "thirdparty/Bare-v0", "coordgym.contract.base:TextParallelEnv", "copies", "Bare"
            ),
        ]
    )
    try:
        with pytest.raises(MissingExtraError, match="no_such_module can't be imported"):
            coordgym.make("NoModule-v0")
        with pytest.raises(UnknownEnvError, match="json has no 'Env'"):
            coordgym.make("NoClass-v0")
        with pytest.raises(ConfigError, match="needs the keyword argument 'n_agents'"):
            coordgym.make("Bare-v0")
    finally:  # other tests visit whatever is registered
        for name in ("NoModule", "NoClass", "Bare"):
            registry._entries.pop(f"thirdparty/{name}-v0")


def test_lazy_names_are_listed() -> None:
    assert set(coordgym.__all__) <= set(dir(coordgym))


@pytest.mark.parametrize(
    "heavy", ["torch", "networkx", "scipy", "typer", "rich", "yaml", "matplotlib"]
)
def test_importing_the_package_imports_nothing_heavy(heavy: str) -> None:
    code = f"import sys, coordgym; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
