"""The split-view pairs as plain data: importing this module imports no task."""

from typing import NamedTuple

from coordgym.registry import EnvEntry


class TaskEntry(NamedTuple):
    """What a task is called, its kind, and one line on what the pair does.

    Its module has the name, its class the title.
    """

    title: str
    category: str
    about: str

    @property
    def name(self) -> str:
        """The name in kwargs: the title in small letters."""
        return self.title.lower()


TASKS: tuple[TaskEntry, ...] = (
    TaskEntry("Maze", "spatial", "Walk a maze of which each sees half of the cells"),
    TaskEntry("BlueprintMaze", "spatial", "Walk a maze whose plan is torn in two"),
    TaskEntry("FloodFill", "spatial", "Find what water reaches on a half-seen site"),
    TaskEntry("ConflictPath", "spatial", "Steer two vehicles without collisions"),
    TaskEntry("Cube", "spatial", "Walk through a block, each knowing every other floor"),
    TaskEntry("GeoMaze", "spatial", "Cross a courtyard whose walls two people surveyed"),
    TaskEntry("NumberLink", "spatial", "Join wires of which each sees one end"),
    TaskEntry("RuleMaze", "spatial", "Walk over tiles with forbidden colour steps"),
    TaskEntry("StreetMap", "spatial", "Drive through a city with one-way cells"),
    TaskEntry("Terrain", "spatial", "Find the cheapest walk over half-known ground"),
    TaskEntry("TimedPath", "spatial", "Cross a floor whose cells close for a while"),
    TaskEntry("AliasedTaxonomy", "relational", "Match one taxonomy's names"),
    TaskEntry("AncestorPath", "relational", "Trace people back to the founder"),
    TaskEntry("DagOrder", "relational", "Find the one order of dependent tasks"),
    TaskEntry("EulerPath", "relational", "Cross every bridge exactly once"),
    TaskEntry("Graph", "relational", "Find the quickest route over half-known tracks"),
    TaskEntry("GraphAttr", "relational", "Count in a half-known coloured network"),
    TaskEntry("GraphPath", "relational", "Find the shortest route over named links"),
    TaskEntry("NodeRanking", "relational", "Rank nodes by their half-known links"),
    TaskEntry("RelaQuery", "relational", "Tell how members of a family are related"),
    TaskEntry("TreeSum", "relational", "Add up values along a path of a tree"),
    TaskEntry("TriangleCount", "relational", "List all triangles of a network"),
    TaskEntry("AttrCombo", "csp", "Answer queries on objects, two attributes each"),
    TaskEntry("BinPack", "csp", "Pack crates with half of the weights known to each"),
    TaskEntry("CipherDecode", "csp", "Decode a text with half of the code each"),
    TaskEntry("Crossword", "csp", "Fill a lattice, each with one direction's words"),
    TaskEntry("EventLog", "csp", "Merge the logs of two clocks and answer queries"),
    TaskEntry("Logic", "csp", "Solve a puzzle of houses from both agents' clues"),
    TaskEntry("MeetingMatrix", "csp", "Give meetings slots without clashes"),
    TaskEntry("Order", "csp", "Order a queue from both agents' clues"),
    TaskEntry("Schedule", "csp", "Find hours for people in several time zones"),
    TaskEntry("Seating", "csp", "Seat people round a table from both agents' clues"),
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
