"""Small pieces of Markdown."""


def fenced(text: str) -> str:
    """Write a block of plain text; a fence inside it would end the block."""
    return f"```text\n{text.replace('```', chr(39) * 3)}\n```"


def folded(summary: str, content: str) -> str:
    """Write content that readers open by a click."""
    return f"<details><summary>{summary}</summary>\n\n{content}\n\n</details>"


def code(text: object) -> str:
    """Write inline code."""
    return f"`{text}`"
