"""Instances: the network, its names and everything else that a seed decides.

Each part has its own random stream, so that options such as inputs don't change the network. All
tasks see the same network for one seed, topology and size; what is their own they draw apart.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.data.plain import json_copy, require_outcome
from coordgym.errors import ConfigError, InstanceError, suggest
from coordgym.silo_env.graph.networks.names import draw_names
from coordgym.silo_env.graph.networks.network import Network, find_diameter, make_network
from coordgym.silo_env.graph.networks.rounds import check_rounds, count_rounds
from coordgym.silo_env.graph.networks.topologies import TOPOLOGIES, draw_edges
from coordgym.silo_env.graph.options import GraphOptions
from coordgym.silo_env.graph.task import Answers, GraphTask, Score
from coordgym.silo_env.graph.tasks import TASKS, names_with_inputs

EDGES_STREAM = 0
NAMES_STREAM = 2
INPUTS_STREAM = 3
BYZANTINE_STREAM = 4
LOSS_STREAM = 5
SEATS_STREAM = 6

NETWORKS = "graph"
"""What the streams of networks are named after, in all tasks."""
GIVEN = "given"
"""The topology of a graph that the user gave."""
REQUIRED_KEYS = ("names", "edges")
KEYS = (
    "task",
    "topology",
    *REQUIRED_KEYS,
    "rounds",
    "inputs",
    "input_rule",
    "byzantine",
    "diameter",
    "groups",
    "solution",
)

StreamRng = Callable[..., np.random.Generator]
"""``rng(stream, *more)``: a fresh generator for one purpose."""


@dataclass(frozen=True)
class Instance:
    """One world of the graph family.

    Attributes:
        task: The task.
        topology: ``ws``, ``ba``, ``dt`` or ``given``.
        network: Names and edges.
        rounds: Rounds of messages R before the answers.
        diameter: Diameter in hops; None if infinite or not computed.
        inputs: Each agent's private input, or None.
        input_rule: What the inputs say of a right answer, where a task knows several rules.
        byzantine: Indices of the agents that the verdict leaves out, sorted.
    """

    task: GraphTask
    topology: str
    network: Network
    rounds: int
    diameter: int | None
    inputs: tuple[str, ...] | None
    input_rule: str | None
    byzantine: tuple[int, ...]

    def options(self, agent: int) -> tuple[str, ...]:
        """Return the valid answers of the agent with this index."""
        return self.task.options(self.network.names_around(agent), self.network.max_degree)

    def groups(self) -> tuple[str, ...] | None:
        """Return the groups to join, or None in tasks without groups."""
        return self.task.groups(self.network.max_degree)

    def inputs_by_name(self) -> dict[str, str] | None:
        """Return the private inputs by name."""
        if self.inputs is None:
            return None
        return dict(zip(self.network.names, self.inputs, strict=True))

    def judge(self, answers: Mapping[str, str | None]) -> Score:
        """Judge the answers, given by name."""
        return self.task.judge(self._read(answers))

    def grade(self, answers: Mapping[str, str | None]) -> float:
        """Return how much of the task the answers solve, in [0, 1], as rewards count it."""
        return self.task.grade(self._read(answers))

    def seats_right(self, answers: Mapping[str, str | None]) -> dict[str, bool] | None:
        """Tell by name whose own part is right, or None where one can't tell."""
        return self.task.seats_right(self._read(answers))

    def _read(self, answers: Mapping[str, str | None]) -> Answers:
        byzantine = frozenset(self.network.names[i] for i in self.byzantine)
        return Answers(
            self.network.by_name(), answers, byzantine, self.inputs_by_name(), self.input_rule
        )

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON-able data, with one valid solution (by agent)."""
        solution = self.task.solve(self.network.by_name(), self.inputs_by_name())
        groups = self.groups()
        return {
            "task": self.task.name,
            "topology": self.topology,
            "names": list(self.network.names),
            "edges": [list(edge) for edge in self.network.edges],
            "rounds": self.rounds,
            "inputs": None if self.inputs is None else list(self.inputs),
            "input_rule": self.input_rule,
            "byzantine": list(self.byzantine),
            "diameter": self.diameter,
            "groups": None if groups is None else list(groups),
            "solution": [solution[name] for name in self.network.names],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Instance":
        """Read a complete instance, such as ``env.unwrapped.instance``.

        Raises:
            InstanceError: If it is malformed.
        """
        for key in ("task", "rounds"):
            if key not in data:
                raise InstanceError(f"the instance lacks {key!r:.100}")
        return read_instance(data, str(data["task"]), data["rounds"])


def draw_instance(options: GraphOptions, network_rng: StreamRng, rng: StreamRng) -> Instance:
    """Draw an instance from the streams of a seed.

    Args:
        options: The environment's options.
        network_rng: Draws the network and its names, alike in all tasks.
        rng: Draws what is the task's own.

    Raises:
        ConfigError: If the rule for rounds needs a diameter and there is none.
    """
    count = options.size
    names: Sequence[str]
    if options.given is None:
        topology = options.topology
        place = TOPOLOGIES.index(topology)
        edges = draw_edges(topology, count, network_rng(EDGES_STREAM, place, count))
        names = draw_names(count, network_rng(NAMES_STREAM, place, count))
        seats = network_rng(SEATS_STREAM, place, count).permutation(count).tolist()
        edges, names = _seated(edges, names, seats)
    else:
        topology = GIVEN
        edges = options.given.edges
        names = options.given.names or draw_names(count, network_rng(NAMES_STREAM, 0, count))
    network = make_network(names, edges)
    task = TASKS[options.task]
    rule = options.input_rule
    inputs = None
    if options.inputs:
        inputs = task.draw_inputs(count, rule, options.byzantine, rng(INPUTS_STREAM, count))
    order = rng(BYZANTINE_STREAM, count).permutation(count)[: options.byzantine]
    byzantine = tuple(sorted(int(i) for i in order))
    diameter = find_diameter(network)
    rounds = count_rounds(options.rounds, count, diameter, task.local)
    return Instance(task, topology, network, rounds, diameter, inputs, rule, byzantine)


def _seated(
    edges: Sequence[tuple[int, int]], names: Sequence[str], seats: Sequence[int]
) -> tuple[list[tuple[int, int]], tuple[str, ...]]:
    """Give the nodes, with their names, to the agents in a drawn order.

    Networks grow from node to node: by ids alone agents would know hubs and near ones.

    Args:
        edges: Pairs of nodes.
        names: Name of each node.
        seats: Index of the agent of each node.
    """
    by_agent = dict(zip(seats, names, strict=True))
    return [(seats[a], seats[b]) for a, b in edges], tuple(by_agent[i] for i in range(len(names)))


def read_instance(
    data: Mapping[str, Any],
    task: str,
    rounds: int | str,
    n_agents: int | None = None,
    input_rule: str | None = None,
) -> Instance:
    """Check an instance given by the user and compute what follows from it.

    Args:
        data: ``names`` and ``edges`` (pairs of indices) at least; the other keys of an
            instance are optional; ``diameter``, ``groups`` and ``solution`` follow from the
            rest and are not read.
        task: The environment's task; ``data["task"]`` must be the same if present.
        rounds: Rule for the rounds if ``data["rounds"]`` is missing.
        n_agents: The size that the network must have; None = any.
        input_rule: The rule of private inputs if ``data["input_rule"]`` is missing; None = the
            one that stood alone before there were several.

    Raises:
        InstanceError: If it is malformed.
    """
    _check_keys(data, task)
    try:
        network = make_network(_names_of(data, n_agents), _list_of(data, "edges"))
        diameter = find_diameter(network)
        rule = check_rounds(data.get("rounds", rounds))
        count = count_rounds(rule, len(network.names), diameter, TASKS[task].local)
    except ConfigError as error:
        raise InstanceError(f"the instance is wrong: {error}") from error
    topology = data.get("topology", GIVEN)
    if topology not in (*TOPOLOGIES, GIVEN):
        raise InstanceError(f"topology must be ws, ba, dt or given, got {topology!r:.100}")
    inputs = _read_inputs(data, TASKS[task], len(network.names))
    return Instance(
        TASKS[task],
        topology,
        network,
        count,
        diameter,
        inputs,
        _read_input_rule(data, TASKS[task], input_rule) if inputs else None,
        _read_byzantine(data, len(network.names)),
    )


def _check_keys(data: Mapping[str, Any], task: str) -> None:
    for key in data:
        if key not in KEYS:
            near = suggest(str(key)[:100], KEYS)
            raise InstanceError(f"the instance has an unknown key {key!r:.100}{near}")
    for key in REQUIRED_KEYS:
        if key not in data:
            raise InstanceError(f"the instance lacks {key!r:.100}")
    if task not in TASKS:
        raise InstanceError(f"task must be one of {', '.join(TASKS)}, got {task!r:.100}")
    if data.get("task", task) != task:
        raise InstanceError(f"the instance is for {data['task']!r:.100}, not for {task!r:.100}")


def _names_of(data: Mapping[str, Any], n_agents: int | None) -> list[Any]:
    names = _list_of(data, "names")
    if n_agents is not None and len(names) != n_agents:
        raise InstanceError(
            f"the instance has {len(names)} agents, the environment {n_agents}; make the "
            "environment with n_agents to match"
        )
    return names


def _list_of(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data[key]
    if not isinstance(value, list | tuple):
        raise InstanceError(f"{key} must be a list, got {type(value).__name__}")
    return list(value)


def _read_inputs(data: Mapping[str, Any], task: GraphTask, count: int) -> tuple[str, ...] | None:
    if data.get("inputs") is None:
        return None
    inputs = tuple(_list_of(data, "inputs"))
    known = task.input_values
    if not known:
        raise InstanceError(f"inputs belong to {names_with_inputs()}, not to {task.name}")
    if len(inputs) != count or not all(own in known for own in inputs):
        raise InstanceError(
            f"inputs must be {count} strings {' or '.join(map(repr, known))}, got {inputs!r:.100}"
        )
    return inputs


def _read_input_rule(data: Mapping[str, Any], task: GraphTask, default: str | None) -> str | None:
    rule = data.get("input_rule")
    if rule is None:
        return default or task.oldest_input_rule
    if rule not in task.input_rules:
        raise InstanceError(
            f"input_rule must be {' or '.join(map(repr, task.input_rules)) or None}, "
            f"got {rule!r:.100}"
        )
    return str(rule)


def _read_byzantine(data: Mapping[str, Any], count: int) -> tuple[int, ...]:
    if data.get("byzantine") is None:
        return ()
    agents = _list_of(data, "byzantine")
    for agent in agents:
        if isinstance(agent, bool) or not isinstance(agent, int) or not 0 <= agent < count:
            raise InstanceError(f"byzantine must hold indices 0..{count - 1}, got {agent!r:.100}")
    if len(set(agents)) == count:
        raise InstanceError("byzantine must leave at least one honest agent")
    return tuple(sorted(set(agents)))


def verify(instance: Mapping[str, Any], outcome: Mapping[str, str | None]) -> Score:
    """Judge an episode again, from its instance and its answers.

    Args:
        instance: ``env.unwrapped.instance``.
        outcome: Answer by agent's name, as ``env.unwrapped.outcome()`` has them.

    Raises:
        InstanceError: If the instance is malformed.
        ConfigError: If the outcome is no dict, or an answer is by nobody in the instance.
    """
    world = Instance.from_json(json_copy(instance, "instance"))
    require_outcome(outcome, frozenset(world.network.names))
    return world.judge(outcome)
