"""Generated parts of the page about policies."""

import inspect

from coordgym.baselines.table import ORACLES, POLICIES
from coordgym.data.tables import markdown_table
from coordgym.loading import load
from docgen.markdown import code


def baselines() -> str:
    """List every rule-based policy with what its factory says of it."""
    oracles = set(ORACLES.values())
    rows = []
    for name, entry_point in POLICIES.items():
        told = inspect.getdoc(load(entry_point)) or ""
        oracle = " This is `oracle` in its family." if name in oracles else ""
        rows.append((code(name), told.partition("\n")[0].replace("``", "`") + oracle))
    return markdown_table(("policy", "what it does"), rows)


PARTS = {"baselines": baselines}
