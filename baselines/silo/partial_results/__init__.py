"""How shards are boiled down to what the whole needs of them, for tasks that allow it."""

from collections.abc import Mapping

from coordgym.baselines.silo.partial_results.aggregation import AGGREGATION
from coordgym.baselines.silo.partial_results.forms import Reduction
from coordgym.baselines.silo.partial_results.mesh import MESH
from coordgym.baselines.silo.partial_results.shuffle import SHUFFLE

REDUCTIONS: Mapping[str, Reduction] = {**AGGREGATION, **MESH, **SHUFFLE}
"""By the paper's ids; where a task has none, the private parts of the shards travel."""
