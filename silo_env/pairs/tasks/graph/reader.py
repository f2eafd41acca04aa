"""What agents claim of tracks between stations."""

from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.fact_atoms import (
    FactReader,
    wordings_of,
)
from coordgym.silo_env.pairs.dialogue.readers.relations import LOOSE, field_atoms
from coordgym.silo_env.pairs.task import AnyTask, Friction, Views
from coordgym.silo_env.pairs.tasks.graph.task import turned_point, written_point


def make_reader(task: AnyTask, views: Views, friction: Friction) -> FactReader:
    """Read tracks with their minutes; stations have letters and points, also turned ones."""
    nodes = cast("dict[str, list[int]]", views[0]["nodes"])
    names = {name: name for name in nodes}
    table = {written_point((x, y)): name for name, (x, y) in nodes.items()}
    turned = {turned_point((x, y)): name for name, (x, y) in nodes.items()}
    return FactReader(
        field_atoms({"edges": "edge"}),
        wordings_of("edge", (), loose=LOOSE["weighted"]),
        {**names, **table},
        renamed={**names, **turned} if friction == 2 else None,
        symmetric=("edge",),
        dropped=("stations?",),
    )
