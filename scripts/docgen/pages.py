"""Which pages hold generated parts, and how these are put between their markers."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from docgen import conformance, episodes, graph, metrics, pairs, policies, reference, silo, swarm

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
Part = Callable[[], str]
_OWN_PARTS: Mapping[str, Mapping[str, Part]] = {
    "silo": silo.PARTS,
    "graph": graph.PARTS,
    "pairs": pairs.PARTS,
    "swarm": swarm.PARTS,
}
_PART = re.compile(
    r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end of generated part -->)", re.DOTALL
)


def wanted_files() -> dict[Path, str]:
    """Return what every file with generated parts must hold.

    Raises:
        SystemExit: If a page lacks a part or has an unknown one, or figures are missing.
    """
    pages: dict[Path, Mapping[str, Part]] = {
        ROOT / "README.md": {"families": reference.family_table},
        DOCS / "policies.md": policies.PARTS,
        DOCS / "conformance.md": conformance.PARTS,
    }
    for family in reference.FAMILIES:
        pages[DOCS / f"{family}.md"] = {
            "arguments": partial(reference.arguments, family),
            "metrics": partial(metrics.metrics, family),
            "episode": partial(episodes.example, family),
            **_OWN_PARTS[family],
        }
    wanted = {path: _filled(path, parts) for path, parts in pages.items()}
    for family in reference.FAMILIES:
        wanted[DOCS / "environments" / f"{family}.md"] = reference.gallery(family)
    return wanted


def _filled(path: Path, parts: Mapping[str, Part]) -> str:
    """Return a page with its generated parts written anew."""
    text = path.read_text(encoding="utf-8")
    names = [match[2] for match in _PART.finditer(text)]
    if sorted(names) != sorted(parts):
        raise SystemExit(
            f"{path.name} must hold the generated parts {', '.join(sorted(parts))}, each once "
            f"between its markers; it holds {', '.join(sorted(names)) or 'none'}"
        )
    return _PART.sub(lambda match: f"{match[1]}{parts[match[2]]()}\n{match[3]}", text)
