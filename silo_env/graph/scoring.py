"""Score the answers on any graph: a pure function for users and tests."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from coordgym.errors import ConfigError, require_choice
from coordgym.silo_env.graph.task import Answers, Score
from coordgym.silo_env.graph.tasks import TASKS

if TYPE_CHECKING:
    import networkx


def score(
    task: str,
    graph: "networkx.Graph[Any]",
    answers: Mapping[str, str | None],
    *,
    byzantine: Collection[str] = (),
    inputs: Mapping[str, str] | None = None,
    input_rule: str | None = None,
) -> Score:
    """Score the final answers of a network.

    Args:
        task: A name in ``TASKS``, such as ``"coloring"``.
        graph: Undirected simple graph whose nodes are the agents' names.
        answers: Answer by name, exactly as the options are written; None or missing = none.
        byzantine: Names of agents that the verdict leaves out.
        inputs: In consensus, each agent's private bit ("0" or "1"); None = no inputs. Tasks
            without private inputs don't look at them.
        input_rule: What the inputs say of a right answer: in consensus ``"any"`` (the agreed
            value is some honest agent's bit; None means this) or ``"majority"``.

    Raises:
        ConfigError: If the task is unknown, the graph is of another kind, an answer, input or
            byzantine agent isn't in it, an agent has no input, or nobody is honest.
    """
    require_choice("task", task, tuple(TASKS))
    if graph.is_directed() or graph.is_multigraph():
        raise ConfigError("graph must be undirected and without parallel edges")
    neighbours = {name: tuple(graph.adj[name]) for name in graph.nodes}
    for name, around in neighbours.items():
        if not isinstance(name, str):
            raise ConfigError(f"the nodes of graph must be agents' names (str), got {name!r:.100}")
        if name in around:
            raise ConfigError(f"an agent can't be its own neighbour, but {name!r:.100} is")
    for what, names in (("answers", answers), ("byzantine", byzantine), ("inputs", inputs or ())):
        strangers = [name for name in names if name not in neighbours]
        if strangers:
            raise ConfigError(f"{what} name {strangers[0]!r:.100}, which is no node of the graph")
    if inputs is not None and len(inputs) < len(neighbours):
        raise ConfigError(f"inputs must have all {len(neighbours)} agents, got {len(inputs)}")
    known = TASKS[task].input_values
    for own in (inputs or {}).values() if known else ():
        if own not in known:
            raise ConfigError(f"inputs must be {' or '.join(map(repr, known))}, got {own!r:.100}")
    if input_rule is not None:
        require_choice("input_rule", input_rule, TASKS[task].input_rules)
    if not set(neighbours) - set(byzantine):
        raise ConfigError("graph must have at least one agent that is not byzantine")
    return TASKS[task].judge(Answers(neighbours, answers, frozenset(byzantine), inputs, input_rule))
