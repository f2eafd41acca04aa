"""III-30 Matrix multiply: the product A · B, of which agents hold rows and columns.

Shard: ``{"type": "rows_and_full_B", "A_rows": …, "A_row_indices": …, "B_matrix": …}``: some rows of
A with their indices, and all of B; or ``{"type": "rows_and_columns", "A_rows": …,
"A_row_indices": …, "B_columns": …, "B_column_indices": …}``: columns of B as well. Extra: ``dim``,
the size of the square matrices, and ``b``, "full" (also if it is missing) or "sharded". Answer: the
product as a list of rows; partial credit is the longest common subsequence of rows, divided by the
longer length. Defined where every row (and column) is held by somebody; by several agents alike
too.
Source: Silo-Bench, level III (shuffle).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.errors import ConfigError, InstanceError, require_choice, require_int
from coordgym.silo_env.compute.answers.grading import Partial
from coordgym.silo_env.compute.answers.types import INTEGER, ListOf
from coordgym.silo_env.compute.task import (
    MAX_AGENTS,
    Extra,
    Instance,
    Task,
    configure,
    require_parameter,
)
from coordgym.silo_env.compute.tasks.exact import integer_array

FORMS = ("full", "sharded")
FULL_TYPE = "rows_and_full_B"
SHARDED_TYPE = "rows_and_columns"
MAX_ENTRY = 10**6

Matrix = list[list[int]]
Shard = dict[str, Any]


@dataclass(frozen=True, slots=True)
class MatrixMultiplyConfig:
    """Entries in [``low``, ``high``]; ``b`` says whether B is known to all or held by columns."""

    low: int = 1
    high: int = 10
    b: str = "full"

    def __post_init__(self) -> None:
        require_int("low", self.low, -MAX_ENTRY, MAX_ENTRY)
        require_int("high", self.high, -MAX_ENTRY, MAX_ENTRY)
        require_choice("b", self.b, FORMS)
        if self.low > self.high:
            raise ConfigError(f"low must not exceed high, got low={self.low}, high={self.high}")


class MatrixMultiply(Task[Shard, Matrix]):
    """The product of two square matrices."""

    id = "III-30"
    slug = "matrix-multiply"
    title = "Matrix multiply"
    answer_type = ListOf(ListOf(INTEGER))
    partial = Partial.SUBSEQUENCE
    copyable = True
    config = MatrixMultiplyConfig
    hint = (
        "This is a global reorganization: each row of the product needs one row of A and all "
        "columns of B, and everybody needs all rows of the product in their right order."
    )
    holds = "a row of A and all of B, both N × N"
    form = "a list of {dim} rows in their order, for example [[3, 14, …], …]"

    def generate(
        self, rng: np.random.Generator, n_agents: int, **params: Any
    ) -> Instance[Shard, Matrix]:
        """Draw both matrices, with one row (and column) per agent."""
        config = configure(MatrixMultiplyConfig, params)
        size = (n_agents, n_agents)
        a = rng.integers(config.low, config.high, size, endpoint=True)
        b = rng.integers(config.low, config.high, size, endpoint=True)
        rows, columns, whole = a.tolist(), b.T.tolist(), b.tolist()
        sharded = config.b == "sharded"
        shards = [
            {
                "type": SHARDED_TYPE if sharded else FULL_TYPE,
                "A_rows": [rows[i]],
                "A_row_indices": [i],
                **(
                    {"B_columns": [columns[i]], "B_column_indices": [i]}
                    if sharded
                    else {"B_matrix": whole}
                ),
            }
            for i in range(n_agents)
        ]
        extra = {"dim": n_agents, **({"b": config.b} if sharded else {})}
        return self.instance(shards, extra)

    def check(self, shards: Sequence[Any], extra: Extra) -> None:
        """Check rows and columns: their length, that all are there, and the same everywhere."""
        dim = require_parameter(extra, "dim", 1, MAX_AGENTS)
        if extra.get("b", "full") not in FORMS:
            raise InstanceError(f"extra['b'] must be one of {', '.join(FORMS)}")
        for agent, shard in enumerate(shards):
            _check_shard(agent, shard, dim, sharded=_is_sharded(extra))
        if not shards:
            raise InstanceError("there are no shards: the task has no answer then")
        _require_all("row of A", _indexed(shards, "A_rows", "A_row_indices"), dim)
        if _is_sharded(extra):
            _require_all("column of B", _indexed(shards, "B_columns", "B_column_indices"), dim)
        elif any(shard["B_matrix"] != shards[0]["B_matrix"] for shard in shards):
            raise InstanceError("all agents must hold the same B_matrix")

    def solve(self, shards: Sequence[Shard], extra: Extra) -> Matrix:
        """Return the exact product."""
        dim = extra["dim"]
        a = integer_array(_in_order(_indexed(shards, "A_rows", "A_row_indices")), dim)
        if _is_sharded(extra):
            columns = _in_order(_indexed(shards, "B_columns", "B_column_indices"))
            b = integer_array(columns, dim).T
        else:
            b = integer_array(shards[0]["B_matrix"], dim)
        product: Matrix = (a @ b).tolist()
        return product

    def private_part(self, shard: Shard) -> Any:
        """Leave out the matrix that all hold."""
        return {key: value for key, value in shard.items() if key != "B_matrix"}

    def whole_shard(self, part: Any, own: Shard) -> Shard:
        """Add the matrix that all hold."""
        return {**part, "B_matrix": own["B_matrix"]} if "B_matrix" in own else part

    def with_copies(self, shard: Shard, before: Shard, overlap: int) -> Shard:
        """Copy rows of A, and columns of B that are held with them."""
        lists = [key for key in shard if key.startswith(("A_", "B_column"))]
        return {**shard, **{key: before[key][-overlap:] + shard[key] for key in lists}}

    def published_extra(self, description: str, n_agents: int) -> dict[str, Any]:
        """Tell that there are as many rows as agents."""
        return {"dim": n_agents}

    def statement(self, extra: Extra) -> str:
        """State the task in full sentences."""
        dim = extra["dim"]
        held = (
            'Every agent holds some rows of A ("A_rows", with their indices, from 0, as '
            '"A_row_indices") and '
        )
        if _is_sharded(extra):
            held += 'some columns of B ("B_columns", with their indices as "B_column_indices").'
        else:
            held += 'the whole matrix B ("B_matrix", as a list of rows), which is the same for all.'
        return (
            f"A and B are {dim} x {dim} matrices of integers. {held} Compute the matrix product "
            "A · B, whose entry in row i and column j is the sum over all k of A[i][k] · B[k][j]. "
            "Every agent must submit the whole product."
        )

    def brief(self, extra: Extra) -> str:
        """State the task in few words."""
        dim = extra["dim"]
        b = "columns of B" if _is_sharded(extra) else "all of B"
        return (
            f"matrix product A*B ({dim}x{dim}); agents hold rows of A (by A_row_indices) and {b}; "
            "answer: list of all rows"
        )


def _is_sharded(extra: Extra) -> bool:
    return bool(extra.get("b") == "sharded")


def _indexed(shards: Iterable[Mapping[str, Any]], lines: str, indices: str) -> dict[int, list[int]]:
    """Return rows or columns by index.

    Raises:
        InstanceError: If an index has two different ones.
    """
    found: dict[int, list[int]] = {}
    for shard in shards:
        for index, line in zip(shard[indices], shard[lines], strict=True):
            if found.setdefault(index, line) != line:
                raise InstanceError(f"index {index} occurs in {indices} with different {lines}")
    return found


def _in_order(lines: Mapping[int, list[int]]) -> Matrix:
    return [lines[index] for index in sorted(lines)]


def _require_all(what: str, lines: Mapping[int, Any], dim: int) -> None:
    missing = sorted(set(range(dim)) - lines.keys())
    if missing:
        raise InstanceError(f"no agent holds {what} {missing[0]}: the task has no answer then")


def _check_shard(agent: int, shard: Any, dim: int, *, sharded: bool) -> None:
    name = f"shards[{agent}]"
    kind = SHARDED_TYPE if sharded else FULL_TYPE
    pairs = [("A_rows", "A_row_indices")]
    if sharded:
        pairs.append(("B_columns", "B_column_indices"))
    keys = {"type", *(key for pair in pairs for key in pair), *(() if sharded else ("B_matrix",))}
    if not isinstance(shard, dict) or shard.keys() != keys or shard["type"] != kind:
        raise InstanceError(
            f"{name} must be a dict with {', '.join(sorted(keys))} and the type {kind!r:.100}, "
            f"got {shard!r:.80}"
        )
    for lines, indices in pairs:
        _require_lines(f"{name}[{lines!r}]", shard[lines], dim)
        numbers = shard[indices]
        if not isinstance(numbers, list) or len(numbers) != len(shard[lines]):
            raise InstanceError(f"{name}[{indices!r:.100}] must be a list as long as {lines}")
        if any(type(number) is not int or not 0 <= number < dim for number in numbers):
            raise InstanceError(f"{name}[{indices!r:.100}] must hold indices 0..{dim - 1}")
    if not sharded:
        _require_lines(f"{name}['B_matrix']", shard["B_matrix"], dim)
        if len(shard["B_matrix"]) != dim:
            raise InstanceError(f"{name}['B_matrix'] must have {dim} rows")


def _require_lines(name: str, lines: Any, dim: int) -> None:
    if not isinstance(lines, list) or not all(
        isinstance(line, list) and len(line) == dim and all(type(x) is int for x in line)
        for line in lines
    ):
        raise InstanceError(f"{name} must be a list of lists of {dim} integers, got {lines!r:.80}")
