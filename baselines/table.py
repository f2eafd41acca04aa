"""The rule-based policies by name, as strings, so that listing them imports nothing."""

POLICIES: dict[str, str] = {
    "silo:all-gather": "coordgym.baselines.silo.policies:all_gather",
    "silo:optimal": "coordgym.baselines.silo.policies:optimal",
    "silo:local": "coordgym.baselines.silo.policies:local",
    "graph:flood": "coordgym.baselines.graph.policies:flood",
    "graph:small": "coordgym.baselines.graph.policies:small",
    "graph:greedy": "coordgym.baselines.graph.policies:greedy",
    "graph:constant": "coordgym.baselines.graph.policies:constant",
    "graph:silent": "coordgym.baselines.graph.policies:silent",
    "graph:liar": "coordgym.baselines.graph.policies:liar",
    "pairs:share-and-solve": "coordgym.baselines.pairs.policies:share_and_solve",
    "pairs:one-view": "coordgym.baselines.pairs.policies:one_view",
    "swarm:reactive": "coordgym.baselines.swarm.policies:reactive",
    "swarm:heuristic": "coordgym.baselines.swarm.policies:heuristic",
    "swarm:communicating": "coordgym.baselines.swarm.policies:communicating",
    "swarm:strong": "coordgym.baselines.swarm.policies:strong",
}
"""``"module:factory"`` of each policy; ``factory()`` returns it."""

ORACLES: dict[str, str] = {
    "silo": "silo:all-gather",
    "graph": "graph:flood",
    "pairs": "pairs:share-and-solve",
    "swarm": "swarm:strong",
}
"""The strongest policy of each family."""
