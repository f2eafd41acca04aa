"""The table of the computation family: one line per task; imports nothing heavy."""

from collections.abc import Mapping
from typing import NamedTuple

from coordgym.registry import EnvEntry


class Row(NamedTuple):
    """One task: the paper's id, the slug, a title, and its class in ``tasks/``."""

    paper_id: str
    slug: str
    title: str
    class_name: str


ROWS = (Row("I-01", "global-max", "Largest of all integers", "GlobalMax"),)

LEVEL_TAGS = {"I": "aggregation", "II": "mesh", "III": "shuffle"}

TASK_CLASSES: Mapping[str, tuple[str, str]] = {
    row.paper_id: (row.slug.replace("-", "_"), row.class_name) for row in ROWS
}
"""Module below ``tasks`` and class name, by the paper's id."""


def _entry(row: Row) -> EnvEntry:
    level = row.paper_id.partition("-")[0]
    name = "".join(part.capitalize() for part in row.slug.split("-"))
    return EnvEntry(
        id=f"coordgym/Silo{name}-v0",
        entry_point="coordgym.silo_env.compute.environment:SiloEnv",
        kwargs={"task": row.paper_id},
        family="silo",
        title=row.title,
        aliases=(row.paper_id,),
        tags=("silo", LEVEL_TAGS[level], f"level-{level}"),
    )


ENVS: tuple[EnvEntry, ...] = tuple(_entry(row) for row in ROWS)
