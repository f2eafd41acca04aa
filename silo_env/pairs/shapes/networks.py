"""What tasks share whose instance is a plain network: named nodes and dealt links, no more."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coordgym.silo_env.pairs.facts.fact_checks import require_facts, require_names
from coordgym.silo_env.pairs.facts.links import draw_links, ends, missing_pairs
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
    edges: tuple[tuple[str, str, int], ...]


class NetworkTask(DealtFactsTask[Network, ConfigT]):
    """A task about a network whose links are dealt to the views.

    Attributes:
        least_nodes: Fewest nodes of an instance that is read.
    """

    category = "relational"
    instance_type = Network
    least_nodes: ClassVar[int] = 2

    def read_instance(self, given: Mapping[str, object]) -> Network:
        """Check a network given as JSON: nodes, edges."""
        nodes = require_names("nodes", given.get("nodes"), self.least_nodes)
        return self.checked(Network(nodes, require_facts("edges", given.get("edges"), "nn")))

    def redraw(
        self, view: Network, counts: Mapping[str, int], rng: np.random.Generator
    ) -> Drawn | None:
        """Draw other undirected links."""
        drawn = draw_links(missing_pairs(view.nodes, ends(view.edges)), counts["edges"], rng)
        return None if drawn is None else {"edges": drawn}
