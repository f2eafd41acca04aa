"""A conformance suite for parallel environments, ours and anybody's.

``check(id_or_factory, **kwargs)`` runs the checks of ``CHECKS`` and gives a ``Report``. It builds
on PettingZoo's own test functions and adds what they leave out: determinism of whole episodes,
also between processes, fresh objects, types, bounds, garbage texts, secrets, snapshots, and the
Gymnasium form.
"""

from coordgym.conformance.report import CheckFailed, CheckResult, CheckSkipped, Report
from coordgym.conformance.run import check, choose, run_check
from coordgym.conformance.subject import Subject, resolve
from coordgym.conformance.table import CHECKS, GROUPS, Check

__all__ = [
    "CHECKS",
    "GROUPS",
    "Check",
    "CheckFailed",
    "CheckResult",
    "CheckSkipped",
    "Report",
    "Subject",
    "check",
    "choose",
    "resolve",
    "run_check",
]
