"""The conformance suite over every registered environment.

Failures name the environment and the group of checks; the assertion shows the findings.
"""

import functools
from typing import Any

import pytest

import coordgym
from coordgym.conformance import GROUPS, Report, choose, resolve, run_check
from coordgym.conformance.play import Play
from coordgym.conformance.processes import compare_processes, play_in_processes
from coordgym.registry import get_entry

SMALL: dict[str, dict[str, Any]] = {
    "silo": {"n_agents": 4, "max_cycles": 16},
    "graph": {"n_agents": 6},
    "pairs": {"max_exchanges": 8},
    "swarm": {"n_agents": 5, "max_cycles": 16},
}
"""Keyword arguments that make episodes of a family short; other families play as they come."""

SOLVABLE: dict[str, dict[str, Any]] = {
    **SMALL,
    "swarm": {},
}
"""Keyword arguments with which the family's strongest baseline can do its work."""

VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("SiloGlobalMax-v0", {"protocol": "broadcast", "reward": "team"}),
    ("SiloGlobalMax-v0", {"protocol": "shared_files", "repeat_instructions": True}),
    ("SiloGlobalMax-v0", {"delivery": "pull", "message_loss": 0.3, "corruption": 0.3}),
    ("SiloGlobalMax-v0", {"oracle": True, "text": "compact"}),
    ("GraphConsensus-v0", {"byzantine": 1, "inputs": True, "loss": 0.3, "retries": 0}),
    ("GraphColoring-v0", {"topology": "ba", "rounds": 1, "reward": "score", "text": "compact"}),
    ("PairMaze-v0", {"mode": "solo_full"}),
    ("PairMaze-v0", {"friction": 2, "move_by_move": True, "clauses": "all"}),
    ("SwarmPursuit-v0", {"centralized": True, "delay": (1, 3), "noise": 0.3}),
    ("SwarmPursuit-v0", {"compat": "swarmbench", "repeat_instructions": False}),
    ("SwarmTransport-v0", {"box": "square", "reward": "individual"}),
    ("SwarmFlocking-v0", {"translations": "independent", "distance_scale": 0.5}),
)
"""Other modes of play, each of which changes how a family steps, asks or tells."""

ENTRIES = coordgym.list_envs()
SHARED = "hash_seed"
"""This check starts processes: one pair of them plays all environments of a family."""


def test_every_family_has_environments() -> None:
    assert {entry.family for entry in ENTRIES} >= set(SMALL)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_environment_conforms(entry: coordgym.EnvEntry, group: str) -> None:
    kwargs = SOLVABLE if group == "baselines" else SMALL
    subject = resolve(entry.id, kwargs.get(entry.family, {}))
    checks = [each for each in choose(group) if each.name != SHARED]
    report = Report(entry.id, tuple(run_check(each, subject) for each in checks))
    assert report.ok, str(report)
    if all(result.skipped for result in report):
        pytest.skip(report.results[0].detail)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_hash_order_does_not_matter(entry: coordgym.EnvEntry) -> None:
    subject = resolve(entry.id, SMALL.get(entry.family, {}))
    compare_processes(subject, played_elsewhere(entry.family)[entry.id])


@pytest.mark.parametrize(("env_id", "kwargs"), VARIANTS, ids=lambda part: str(part))
def test_variant_conforms(env_id: str, kwargs: dict[str, Any]) -> None:
    """Solvability is left out: noise, loss and liars are there to take it away."""
    small = SMALL[get_entry(env_id).family]
    subject = resolve(env_id, {**small, **kwargs})
    checks = [each for each in choose(None) if each.name not in (SHARED, "baselines")]
    report = Report(env_id, tuple(run_check(each, subject) for each in checks))
    assert report.ok, str(report)


@pytest.mark.slow
@pytest.mark.parametrize("family", SMALL)
def test_garbage_does_not_pile_up_in_memory(family: str) -> None:
    entry = next(entry for entry in ENTRIES if entry.family == family)
    (check,) = choose("memory")
    result = run_check(check, resolve(entry.id, {}))
    assert result.ok, result


@functools.cache
def played_elsewhere(family: str) -> dict[str, list[Play]]:
    """Play all environments of a family in processes with other hash seeds."""
    entries = [entry for entry in ENTRIES if entry.family == family]
    subjects = [resolve(entry.id, SMALL.get(family, {})) for entry in entries]
    episodes = play_in_processes(subjects)
    return {entry.id: [plays[i] for plays in episodes] for i, entry in enumerate(entries)}
