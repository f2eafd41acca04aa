"""What tasks share whose instance is a plain network: named nodes and dealt links, no more."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coordgym.silo_env.pairs.facts.fact_checks import names_fault
from coordgym.silo_env.pairs.facts.links import Link, draw_links, missing_pairs
from coordgym.silo_env.pairs.facts.owners import Owner
from coordgym.silo_env.pairs.shapes.dealt_facts import DealtFactsTask, Drawn
from coordgym.silo_env.pairs.task import ConfigT


@dataclass(frozen=True, slots=True)
class Network:
    """A network and its split.

    Attributes:
        nodes: The nodes.
        edges: The two ends of a link and the view that knows it.
    """

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str, Owner], ...]


@dataclass(frozen=True, slots=True)
class NetworkView:
    """The nodes and the links that one view knows, or both views together."""

    nodes: tuple[str, ...]
    edges: tuple[Link, ...]
    whole: bool = False


class NetworkTask(DealtFactsTask[Network, ConfigT, NetworkView]):
    """A task about a network whose links are dealt to the views.

    Attributes:
        least_nodes: Fewest nodes of an instance that is read.
    """

    instance_type = Network
    view_type = NetworkView
    least_nodes: ClassVar[int] = 2

    def bounds_fault(self, instance: Network) -> str | None:
        """Say what is no name, or too long or short."""
        fault = names_fault("nodes", instance.nodes, self.least_nodes)
        return fault or super().bounds_fault(instance)

    def draw_hidden(
        self, view: NetworkView, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw other undirected links."""
        drawn = draw_links(missing_pairs(view.nodes, view.edges), counts["edges"], rng)
        return None if drawn is None else {"edges": drawn}
