"""Drawing the agents' cells."""

import numpy as np
import pytest

from coordgym.errors import ConfigError
from coordgym.swarm_env.grid.placement import place_agents


def test_each_try_draws_the_column_before_the_row_until_a_cell_is_free() -> None:
    rows, columns = range(1, 4), range(10, 13)
    placed = place_agents(6, rows, columns, [(1, 10)], np.random.default_rng(5))
    rng = np.random.default_rng(5)
    expected: list[tuple[int, int]] = []
    while len(expected) < 6:
        column = int(rng.integers(10, 13))
        row = int(rng.integers(1, 4))
        if (row, column) not in [(1, 10), *expected]:
            expected.append((row, column))
    assert placed == expected


def test_every_free_cell_can_be_filled_and_no_more() -> None:
    rows, columns = range(1, 3), range(5)
    taken = [(1, 0), (2, 4), (9, 9)]  # the last is not in the area
    cells = place_agents(8, rows, columns, taken, np.random.default_rng(0))
    assert sorted([*cells, *taken[:2]]) == [(i, j) for i in rows for j in columns]
    with pytest.raises(ConfigError, match="n_agents must be at most 8 on this map"):
        place_agents(9, rows, columns, taken, np.random.default_rng(0))
