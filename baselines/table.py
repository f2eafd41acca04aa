"""The rule-based policies by name, as strings, so that listing them imports nothing."""

POLICIES: dict[str, str] = {}
"""``"module:factory"`` of each policy; ``factory()`` returns it."""

ORACLES: dict[str, str] = {}
"""The strongest policy of each family."""
