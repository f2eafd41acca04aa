"""Runs checks on an environment and turns what happens into results."""

import contextlib
import io
import time
import traceback
import warnings
from collections.abc import Iterable
from typing import Any

from coordgym.conformance.report import CheckResult, CheckSkipped, Report
from coordgym.conformance.subject import EnvFactory, Subject, resolve
from coordgym.conformance.table import CHECKS, GROUPS, Check
from coordgym.errors import ConfigError, suggest

ALL = "all"
MAX_NOTES = 10
MAX_NOTE_CHARS = 300
MAX_DETAIL_CHARS = 2000


def check(
    env_id_or_factory: str | EnvFactory,
    *,
    checks: str | Iterable[str] | None = None,
    **kwargs: Any,
) -> Report:
    """Check that an environment keeps the contract of PettingZoo and of this package.

    Works for any parallel environment: ours, third parties' in PettingZoo's registry, or one
    that is not registered. Checks of features that a plain ``ParallelEnv`` does not have, such
    as text errors or seats, are skipped for it with the reason.

    Args:
        env_id_or_factory: An id, ``import:module:Class``, or a class or function that makes a
            fresh environment.
        checks: Names of checks or groups to run; None = all but the slow ones, "all" = those
            too. Names are in ``coordgym.conformance.CHECKS`` and ``GROUPS``.
        **kwargs: Keyword arguments of the environment; small ones make the run fast.

    Returns:
        A result per check; ``report.ok`` tells whether none failed. Nothing that a check finds
        is raised.

    Raises:
        ConfigError: If there is no such check, or the factory makes no parallel environment.
        PlanError: If what ``import:module:Class`` names can't be imported.
        UnknownEnvError: If no environment is registered under this id.
    """
    chosen = choose(checks)
    subject = resolve(env_id_or_factory, kwargs)
    return Report(subject.name, tuple(run_check(each, subject) for each in chosen))


def choose(names: str | Iterable[str] | None) -> tuple[Check, ...]:
    """Find checks by their own or their group's names, in the table's order.

    Raises:
        ConfigError: If there is no check or group of that name.
    """
    if names is None:
        return tuple(each for each in CHECKS if not each.slow)
    wanted = {names} if isinstance(names, str) else set(names)
    known = {ALL, *GROUPS, *(each.name for each in CHECKS)}
    for name in sorted(wanted - known):
        raise ConfigError(
            f"no check or group {name!r}{suggest(name, known)}; groups: {', '.join(GROUPS)}"
        )
    return tuple(
        each
        for each in CHECKS
        if ALL in wanted or each.name in wanted or (each.group in wanted and not each.slow)
    )


def run_check(check: Check, subject: Subject) -> CheckResult:
    """Run one check; whatever it raises, prints or warns becomes part of the result."""
    started = time.perf_counter()
    skipped, ok = False, True
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            detail = check.run(subject)
        except CheckSkipped as reason:
            detail, skipped = str(reason), True
        except Exception as error:  # third-party environments can raise anything
            detail, ok = _describe(error), False
    return CheckResult(
        name=check.name,
        group=check.group,
        ok=ok,
        skipped=skipped,
        detail=detail[:MAX_DETAIL_CHARS],
        notes=_notes(caught),
        seconds=time.perf_counter() - started,
    )


def _describe(error: Exception) -> str:
    """Say what was raised; where, too, unless it is a finding in words."""
    if isinstance(error, AssertionError) and str(error):
        return str(error)
    place = traceback.extract_tb(error.__traceback__)[-1]
    line = f" ({place.line})" if place.line else ""
    return f"{type(error).__name__}: {error} - raised in {place.filename}:{place.lineno}{line}"


def _notes(caught: list[warnings.WarningMessage]) -> tuple[str, ...]:
    """Give each warning once, in order, shortened."""
    texts = dict.fromkeys(str(warning.message)[:MAX_NOTE_CHARS] for warning in caught)
    return tuple(texts)[:MAX_NOTES]
