"""The measured figures in docs/results, written by ``measure_baselines.py``."""

import csv
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

Figures = Mapping[str, float]
Setting = tuple[str, ...]
RESULTS = Path(__file__).parent.parent.parent / "docs" / "results"


class Results:
    """One file of results.

    Args:
        name: File name without ``.csv``.
        columns: The columns that name a setting; all others are figures.

    Raises:
        SystemExit: If the file was not measured.
    """

    def __init__(self, name: str, *columns: str) -> None:
        path = RESULTS / f"{name}.csv"
        if not path.exists():
            raise SystemExit(f"{path.name} is missing; run scripts/measure_baselines.py")
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.name = name
        self._figures: dict[Setting, Figures] = {
            tuple(row[column] for column in columns): {
                key: float(value) for key, value in row.items() if key not in columns
            }
            for row in rows
        }

    def __getitem__(self, setting: tuple[str | int, ...]) -> Figures:
        """Return the figures of a setting.

        Raises:
            SystemExit: If it was not measured.
        """
        key = tuple(map(str, setting))
        if key not in self._figures:
            raise SystemExit(
                f"{self.name}.csv lacks {', '.join(key)}; run scripts/measure_baselines.py"
            )
        return self._figures[key]

    def all(self, settings: Iterable[tuple[str | int, ...]]) -> list[Figures]:
        """Return the figures of several settings."""
        return [self[setting] for setting in settings]

    def common(self, figure: str, where: Callable[[Setting], bool] = lambda _: True) -> int:
        """Return the one value that all measurements share, such as the number of episodes.

        Args:
            figure: Which figure.
            where: Which settings count; all by default.

        Raises:
            SystemExit: If they differ, so that a sentence about them would be wrong.
        """
        values = {figures[figure] for key, figures in self._figures.items() if where(key)}
        if len(values) != 1:
            raise SystemExit(f"{figure} differs within {self.name}.csv: {sorted(values)}")
        return int(values.pop())


def percent(share: float) -> str:
    """Write a share in per cent, with a decimal where it would otherwise read 0 or 100 wrongly."""
    rounded = f"{100 * share:.0f} %"
    misleading = rounded in ("0 %", "100 %") and share not in (0, 1)
    return f"{100 * share:.1f} %" if misleading else rounded
