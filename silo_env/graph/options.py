"""Settings of the graph family, checked once when an environment is made."""

from dataclasses import dataclass, field
from functools import partial

from coordgym.contract.rewards import Credit, Reward
from coordgym.errors import (
    ConfigError,
    require_bool,
    require_choice,
    require_int,
    require_probability,
)
from coordgym.silo_env.graph.networks.given import GivenGraph
from coordgym.silo_env.graph.networks.network import MAX_AGENTS
from coordgym.silo_env.graph.networks.rounds import check_rounds
from coordgym.silo_env.graph.networks.topologies import MIN_AGENTS, TOPOLOGIES
from coordgym.silo_env.graph.task import GraphTask
from coordgym.silo_env.graph.tasks import TASKS, names_with_inputs

DEFAULT_AGENTS = 8
GAMEABLE = "gameable_score"
ALIASES = {"score": Reward("partial", "team")}
OTHERS: dict[str, Credit] = {GAMEABLE: "team"}
MAX_RETRIES = 10
MAX_MESSAGE_CHARS = 100_000


@dataclass(frozen=True)
class GraphOptions:
    """Keyword arguments of ``GraphEnv`` that belong to this family; it explains them.

    Raises:
        ConfigError: If a value is not allowed, or two contradict each other.
    """

    task: str
    n_agents: int | None
    topology: str
    graph: object
    rounds: int | str
    know_n: bool
    retries: int
    max_message_chars: int
    byzantine: int
    loss: float
    inputs: bool | str
    reward: str
    credit: str | None
    given: GivenGraph | None = field(init=False)
    paid: Reward = field(init=False)

    def __post_init__(self) -> None:
        require_choice("task", self.task, tuple(TASKS))
        require_choice("topology", self.topology, TOPOLOGIES)
        keep = partial(object.__setattr__, self)  # numbers as Python's own
        paid = Reward.chosen(
            self.reward, self.credit, default_credit="team", aliases=ALIASES, others=OTHERS
        )
        keep("paid", paid)
        keep("rounds", check_rounds(self.rounds))
        require_bool("know_n", self.know_n)
        keep("retries", require_int("retries", self.retries, 0, MAX_RETRIES))
        longest = require_int("max_message_chars", self.max_message_chars, 1, MAX_MESSAGE_CHARS)
        keep("max_message_chars", longest)
        keep("loss", require_probability("loss", self.loss))
        given = None if self.graph is None else GivenGraph(self.graph)
        keep("given", given)
        keep("n_agents", self._count_agents(given))
        keep("byzantine", require_int("byzantine", self.byzantine, 0, self.size - 1))
        self._check_inputs(TASKS[self.task])

    @property
    def size(self) -> int:
        """Number of agents."""
        return self.n_agents or DEFAULT_AGENTS

    @property
    def input_rule(self) -> str | None:
        """What private inputs say of a right answer; None = nothing is named."""
        if isinstance(self.inputs, str):
            return self.inputs
        rules = TASKS[self.task].input_rules
        return rules[0] if self.inputs and rules else None

    def _check_inputs(self, task: GraphTask) -> None:
        rules = {rule for each in TASKS.values() for rule in each.input_rules}
        if not isinstance(self.inputs, bool) and self.inputs not in rules:
            allowed = ", ".join(map(repr, sorted(rules)))
            raise ConfigError(f"inputs must be False, True, {allowed}, got {self.inputs!r:.100}")
        fits = task.input_rules if isinstance(self.inputs, str) else task.input_values
        if self.inputs and not fits:
            raise ConfigError(
                f"inputs={self.inputs!r} is a variant of {names_with_inputs()}, not of {self.task}"
            )

    def _count_agents(self, given: GivenGraph | None) -> int:
        if given is None:
            wanted = DEFAULT_AGENTS if self.n_agents is None else self.n_agents
            return require_int("n_agents", wanted, MIN_AGENTS, MAX_AGENTS)
        if self.n_agents is not None and self.n_agents != given.n_agents:
            raise ConfigError(
                f"graph has {given.n_agents} nodes, so n_agents must be that or left out, "
                f"got {self.n_agents!r:.100}"
            )
        return given.n_agents
