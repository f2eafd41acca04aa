"""What a conformance run says: one result per check, and the report that holds them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal


class CheckFailed(AssertionError):
    """An environment does not do what a check asks; the message says where and how."""


class CheckSkipped(Exception):
    """A check does not apply to this environment; the message gives the reason."""


def expect(condition: bool, message: str) -> None:
    """Fail the running check with ``message`` unless ``condition`` holds.

    Raises:
        CheckFailed: The condition does not hold. (Not ``assert``: it would vanish under -O.)
    """
    if not condition:
        raise CheckFailed(message)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of one check on one environment.

    Attributes:
        name: The check's name, such as "determinism".
        group: The group it belongs to, such as "contract".
        ok: False only where the environment broke the check; a skipped check is ok.
        skipped: The check does not apply; ``detail`` says why.
        detail: Why it failed or was skipped, else what was looked at.
        notes: Warnings that the environment or PettingZoo's tests gave on the way.
        seconds: How long the check took.
    """

    name: str
    group: str
    ok: bool
    skipped: bool
    detail: str
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def verdict(self) -> Literal["ok", "skipped", "FAILED"]:
        """The outcome in one word."""
        if not self.ok:
            return "FAILED"
        return "skipped" if self.skipped else "ok"

    def __str__(self) -> str:
        """Give ``name: verdict - detail``."""
        return f"{self.name}: {self.verdict}" + (f" - {self.detail}" if self.detail else "")


@dataclass(frozen=True, slots=True)
class Report:
    """The results of all checks that were run on one environment.

    Attributes:
        subject: The environment's id, or the name of the factory.
        results: One result per check, in the order of the table.
    """

    subject: str
    results: tuple[CheckResult, ...]

    @property
    def ok(self) -> bool:
        """True if no check failed."""
        return all(result.ok for result in self.results)

    @property
    def failures(self) -> tuple[CheckResult, ...]:
        """The results of the checks that failed."""
        return tuple(result for result in self.results if not result.ok)

    def __iter__(self) -> Iterator[CheckResult]:
        """Iterate over the results."""
        return iter(self.results)

    def __getitem__(self, name: str) -> CheckResult:
        """Give the result of the check called ``name``.

        Raises:
            KeyError: If no check of that name was run.
        """
        for result in self.results:
            if result.name == name:
                return result
        raise KeyError(f"no check {name!r} was run; run were {[r.name for r in self.results]}")

    def __str__(self) -> str:
        """Give a table: a headline, then one line per check, failures with their detail."""
        skipped = sum(result.skipped for result in self.results)
        passed = len(self.results) - skipped - len(self.failures)
        lines = [
            f"{self.subject}: {passed} passed, {skipped} skipped, {len(self.failures)} failed",
        ]
        lines += [
            f"  {result.verdict:<8} {result.group}/{result.name} ({result.seconds:.2f} s)"
            + (f"\n           {result.detail}" if result.detail else "")
            for result in self.results
        ]
        return "\n".join(lines)
