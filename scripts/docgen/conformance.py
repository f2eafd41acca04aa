"""Generated part of the page about the conformance suite."""

from coordgym.conformance import CHECKS
from coordgym.data.tables import markdown_table
from docgen.markdown import code


def checks() -> str:
    """List every check with what it proves."""
    rows = [
        (
            code(each.name),
            each.group,
            each.proves.replace("``", "`") + (" (slow)" if each.slow else ""),
        )
        for each in CHECKS
    ]
    return markdown_table(("check", "group", "proves"), rows)


PARTS = {"checks": checks}
