"""How many rounds of messages a network gets before the answers.

R rounds are R sends and R deliveries: an agent's answer may depend on what is at most R hops
away, and an episode takes R + 1 steps besides repair steps. The rules are those of AgentsNet
(arXiv 2507.08616): 2D + 1 for tasks that concern the whole network (D is the diameter), 4, 5
and 6 for local tasks on 4, 8 and 16 agents, and 2D + 1 for every task beyond 16 agents.
"""

from coordgym.errors import ConfigError, require_choice, require_int

ROUND_RULES = ("paper", "log")
MAX_ROUNDS = 100_000
LARGEST_SMALL_NETWORK = 16
"""Up to this many agents, local tasks get logarithmically many rounds."""


def check_rounds(rounds: object) -> int | str:
    """Return ``rounds`` if it is a rule or a number of rounds.

    Raises:
        ConfigError: If it is neither.
    """
    if isinstance(rounds, str):
        return require_choice("rounds", rounds, ROUND_RULES)
    return require_int("rounds", rounds, 1, MAX_ROUNDS)


def log_rounds(n_agents: int) -> int:
    """Return ceil(log2 n) + 2: 4, 5 and 6 rounds for 4, 8 and 16 agents."""
    return (n_agents - 1).bit_length() + 2


def count_rounds(rounds: int | str, n_agents: int, diameter: int | None, local: bool) -> int:
    """Return the number of rounds R for a network.

    Args:
        rounds: ``"paper"``, ``"log"`` (ceil(log2 n) + 2 whatever the task) or a number.
        n_agents: Number of agents n.
        diameter: Diameter D in hops; None if it is infinite or was not computed.
        local: Whether the task can be solved by looking at near agents only.

    Raises:
        ConfigError: If the paper's rule is asked for and the network has no known diameter.
    """
    if isinstance(rounds, int):
        return rounds
    if rounds == "log":
        return log_rounds(n_agents)
    if diameter is None:
        raise ConfigError(
            "rounds='paper' needs a connected network of at most 2,000 agents (it depends on "
            "the diameter); give rounds as a number or 'log'"
        )
    if local and n_agents <= LARGEST_SMALL_NETWORK:
        return log_rounds(n_agents)
    return 2 * diameter + 1
