"""Small pieces of Markdown."""

from collections.abc import Iterable, Sequence


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, numbers_from: int = 99) -> str:
    """Write a table; columns from ``numbers_from`` on are aligned to the right."""
    rule = ["---:" if i >= numbers_from else "---" for i in range(len(headers))]
    lines = [headers, rule, *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def fenced(text: str) -> str:
    """Write a block of plain text; a fence inside it would end the block."""
    return f"```text\n{text.replace('```', chr(39) * 3)}\n```"


def folded(summary: str, content: str) -> str:
    """Write content that readers open by a click."""
    return f"<details><summary>{summary}</summary>\n\n{content}\n\n</details>"


def code(text: object) -> str:
    """Write inline code."""
    return f"`{text}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
