"""The options of a computation environment, checked once when it is made."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from coordgym.contract.rewards import Credit, Reward
from coordgym.errors import (
    ConfigError,
    require_bool,
    require_choice,
    require_int,
    require_probability,
)
from coordgym.parsing import valid_text
from coordgym.silo_env.compute.channels.channel import MAX_PATH_CHARS, MESSAGE_HEADER_CHARS
from coordgym.silo_env.compute.channels.faults import FaultRates
from coordgym.silo_env.compute.channels.topology import neighbour_lists
from coordgym.silo_env.compute.channels.turns import Limits
from coordgym.silo_env.compute.task import MAX_AGENTS

PROTOCOLS = ("p2p", "broadcast", "shared_files")
DELIVERIES = ("push", "pull")
ALIASES = {"correct": Reward("success", "seat"), "team": Reward("partial", "team")}
"""Other names of common rewards."""
GAMEABLE: dict[str, Credit] = {"gameable_partial": "seat", "gameable_team": "team"}
"""Published rewards that can be had without the work: for comparison only."""
PROMPT_STYLES = ("guided", "minimal")


@dataclass(frozen=True, slots=True)
class Options:
    """Checked options; the meaning of each is told at ``SiloEnv``."""

    n_agents: int
    protocol: str
    delivery: str
    reward: str
    credit: str | None
    prompt_style: str
    topology: Any
    overlap: int
    message_loss: float
    corruption: float
    oracle: bool
    max_calls: int | None
    max_message_chars: int
    max_inbox_chars: int
    db_path: str | Path | None
    params: Mapping[str, Any] | None
    pays: Reward = field(init=False)

    def __post_init__(self) -> None:
        keep = partial(object.__setattr__, self)  # numbers as Python's own
        if type(self.n_agents) is int and self.n_agents == 1:
            raise ConfigError(
                f"n_agents must be 2..{MAX_AGENTS}, got 1; one agent with all the data of N is "
                "made with n_agents=N and oracle=True"
            )
        keep("n_agents", require_int("n_agents", self.n_agents, 2, MAX_AGENTS))
        require_choice("protocol", self.protocol, PROTOCOLS)
        require_choice("delivery", self.delivery, DELIVERIES)
        pays = Reward.chosen(
            self.reward, self.credit, default_credit="seat", aliases=ALIASES, others=GAMEABLE
        )
        keep("pays", pays)
        require_choice("prompt_style", self.prompt_style, PROMPT_STYLES)
        keep("overlap", require_int("overlap", self.overlap, 0))
        keep("message_loss", require_probability("message_loss", self.message_loss))
        keep("corruption", require_probability("corruption", self.corruption))
        require_bool("oracle", self.oracle)
        if self.max_calls is not None:
            keep("max_calls", require_int("max_calls", self.max_calls, 1, 100_000))
        keep("max_message_chars", require_int("max_message_chars", self.max_message_chars, 1))
        least = self.max_message_chars + MAX_PATH_CHARS + MESSAGE_HEADER_CHARS
        keep("max_inbox_chars", require_int("max_inbox_chars", self.max_inbox_chars, least))
        _require_path(self.db_path)
        if self.params is not None and not isinstance(self.params, Mapping):
            raise ConfigError(f"params must be a dict of task parameters, got {self.params!r:.100}")
        if self.protocol == "shared_files" and self.topology != "complete":
            raise ConfigError(
                "topology must be 'complete' with protocol='shared_files': all agents share one "
                f"name space; got {self.topology!r:.100}"
            )

    @property
    def players(self) -> int:
        """Number of agents that act."""
        return 1 if self.oracle else self.n_agents

    @property
    def limits(self) -> Limits:
        """The bounds on a turn."""
        most = max(32, self.n_agents + 8) if self.max_calls is None else self.max_calls
        return Limits(most, self.max_message_chars, self.max_inbox_chars)

    @property
    def rates(self) -> FaultRates:
        """Probabilities of faults."""
        return FaultRates(self.message_loss, self.corruption)

    def links(self) -> Sequence[Sequence[int]] | None:
        """Return neighbours by agent; None if everybody reaches everybody.

        Raises:
            ConfigError: If the topology is not usable.
        """
        return None if self.oracle else neighbour_lists(self.topology, self.n_agents)


def _require_path(path: object) -> None:
    """Check the name of a file; whether it can be opened shows at the reset.

    Raises:
        ConfigError: If it is no name that a file can have, or a folder.
    """
    if path is None:
        return
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else path
    if not isinstance(name, str) or not name or "\0" in name or not _is_unicode(name):
        raise ConfigError(f"db_path must be the path of a file or None, got {path!r:.100}")
    if os.path.isdir(name):
        raise ConfigError(f"db_path must be a file, got the folder {name!r:.100}")


def _is_unicode(text: str) -> bool:
    return valid_text(text, len(text)) is None


def everybody(n_agents: int) -> tuple[tuple[int, ...], ...]:
    """Return the neighbours in the complete topology."""
    return tuple(tuple(j for j in range(n_agents) if j != i) for i in range(n_agents))
