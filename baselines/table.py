"""The rule-based policies by name, as strings, so that listing them imports nothing."""

POLICIES: dict[str, str] = {
    "pairs:share-and-solve": "coordgym.baselines.pairs.seats:share_and_solve",
    "pairs:one-view": "coordgym.baselines.pairs.seats:one_view",
}
"""``"module:factory"`` of each policy; ``factory()`` returns it."""

ORACLES: dict[str, str] = {
    "pairs": "pairs:share-and-solve",
}
"""The strongest policy of each family."""
