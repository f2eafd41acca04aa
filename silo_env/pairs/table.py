"""The split-view pairs as plain data: importing this module imports no task."""

from typing import NamedTuple

from coordgym.registry import EnvEntry


class TaskEntry(NamedTuple):
    """Where a task is found, and one line on what the pair does."""

    name: str
    title: str
    category: str
    about: str


TASKS: tuple[TaskEntry, ...] = (
    TaskEntry("maze", "Maze", "spatial", "Walk a maze of which each sees half of the cells"),
    TaskEntry("blueprintmaze", "BlueprintMaze", "spatial", "Walk a maze whose plan is torn in two"),
    TaskEntry("floodfill", "FloodFill", "spatial", "Find what water reaches on a half-seen site"),
    TaskEntry("conflictpath", "ConflictPath", "spatial", "Steer two vehicles without collisions"),
    TaskEntry("cube", "Cube", "spatial", "Walk through a block, each knowing every other floor"),
    TaskEntry("geomaze", "GeoMaze", "spatial", "Cross a courtyard whose walls two people surveyed"),
    TaskEntry("numberlink", "NumberLink", "spatial", "Join wires of which each sees one end"),
    TaskEntry("rulemaze", "RuleMaze", "spatial", "Walk over tiles with forbidden colour steps"),
    TaskEntry("streetmap", "StreetMap", "spatial", "Drive through a city with one-way cells"),
    TaskEntry("terrain", "Terrain", "spatial", "Find the cheapest walk over half-known ground"),
    TaskEntry("timedpath", "TimedPath", "spatial", "Cross a floor whose cells close for a while"),
    TaskEntry("aliasedtaxonomy", "AliasedTaxonomy", "relational", "Match one taxonomy's names"),
    TaskEntry("ancestorpath", "AncestorPath", "relational", "Trace people back to the founder"),
    TaskEntry("dagorder", "DagOrder", "relational", "Find the one order of dependent tasks"),
    TaskEntry("eulerpath", "EulerPath", "relational", "Cross every bridge exactly once"),
    TaskEntry("graph", "Graph", "relational", "Find the quickest route over half-known tracks"),
    TaskEntry("graphattr", "GraphAttr", "relational", "Count in a half-known coloured network"),
    TaskEntry("graphpath", "GraphPath", "relational", "Find the shortest route over named links"),
    TaskEntry("noderanking", "NodeRanking", "relational", "Rank nodes by their half-known links"),
    TaskEntry("relaquery", "RelaQuery", "relational", "Tell how members of a family are related"),
    TaskEntry("treesum", "TreeSum", "relational", "Add up values along a path of a tree"),
    TaskEntry("trianglecount", "TriangleCount", "relational", "List all triangles of a network"),
    TaskEntry("attrcombo", "AttrCombo", "csp", "Answer queries on objects, two attributes each"),
    TaskEntry("binpack", "BinPack", "csp", "Pack crates with half of the weights known to each"),
    TaskEntry("cipherdecode", "CipherDecode", "csp", "Decode a text with half of the code each"),
    TaskEntry("crossword", "Crossword", "csp", "Fill a lattice, each with one direction's words"),
    TaskEntry("eventlog", "EventLog", "csp", "Merge the logs of two clocks and answer queries"),
    TaskEntry("logic", "Logic", "csp", "Solve a puzzle of houses from both agents' clues"),
    TaskEntry("meetingmatrix", "MeetingMatrix", "csp", "Give meetings slots without clashes"),
    TaskEntry("order", "Order", "csp", "Order a queue from both agents' clues"),
    TaskEntry("schedule", "Schedule", "csp", "Find hours for people in several time zones"),
    TaskEntry("seating", "Seating", "csp", "Seat people round a table from both agents' clues"),
)

TASK_CLASSES: dict[str, str] = {
    entry.name: f"coordgym.silo_env.pairs.tasks.{entry.name}:{entry.title}" for entry in TASKS
}
"""``"module:Class"`` of each task by its name."""

ENVS: tuple[EnvEntry, ...] = tuple(
    EnvEntry(
        id=f"coordgym/Pair{entry.title}-v0",
        entry_point="coordgym.silo_env.pairs.environment:PairEnv",
        kwargs={"task": entry.name},
        family="pairs",
        title=entry.about,
        tags=("pairs", entry.category),
    )
    for entry in TASKS
)
