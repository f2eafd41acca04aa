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


@functools.cache
def played_elsewhere(family: str) -> dict[str, list[Play]]:
    """Play all environments of a family in processes with other hash seeds."""
    entries = [entry for entry in ENTRIES if entry.family == family]
    subjects = [resolve(entry.id, SMALL.get(family, {})) for entry in entries]
    episodes = play_in_processes(subjects)
    return {entry.id: [plays[i] for plays in episodes] for i, entry in enumerate(entries)}
