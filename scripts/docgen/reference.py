"""What the registry tells: tables of environments, arguments, first observations."""

import inspect
import re
from collections.abc import Iterator, Mapping

import coordgym
from coordgym.contract.base import TextParallelEnv
from coordgym.data.tables import markdown_table
from coordgym.registry import EnvEntry, env_kwargs
from docgen.markdown import code, fenced, folded

FAMILIES = {
    "silo": ("Silo computation", "compute an exact global answer from one shard each"),
    "graph": ("Graph coordination", "solve a network problem by talking to neighbours only"),
    "pairs": ("Split-view pairs", "solve a puzzle of which each sees one half"),
    "swarm": ("Grid swarm", "move on a grid with force physics and local views"),
}
"""What a family is called and what its agents do, in the order of the docs."""
SHOWN_IDS = 3
"""Environments of each family that the README names."""
_MODULE = re.compile(r"\b(?:[a-z_]+\.)+(?=[A-Z])")
_ARGUMENT = re.compile(r" {4}(\*{0,2}\w+(?:, \w+)*): (.*)")


def family_table() -> str:
    """Write the README's table of families."""
    rows = []
    for family, (title, purpose) in FAMILIES.items():
        entries = coordgym.list_envs(family=family)
        shown = [code(entry.name) for entry in entries[:SHOWN_IDS]]
        more = ["…"] if len(entries) > SHOWN_IDS else []
        rows.append(
            (
                f"[{title}](docs/{family}.md)",
                purpose,
                str(len(entries)),
                ", ".join([*shown, *more]),
            )
        )
    total = sum(len(coordgym.list_envs(family=family)) for family in FAMILIES)
    note = f"{total} environments in all; each id begins with `coordgym/` and ends with `-v0`."
    return markdown_table(("family", "agents …", "environments", "such as"), rows) + f"\n\n{note}"


def arguments(family: str, more: Mapping[str, str] | None = None) -> str:
    """Write the table of the keyword arguments that the environments of a family take.

    Args:
        family: The family.
        more: What those arguments mean that the environment's docstring does not describe.
    """
    entry = coordgym.list_envs(family=family)[0]
    told = _described(entry) | dict(more or {})
    rows = []
    for name, parameter in env_kwargs(entry.id).items():
        # Without modules, whose names change between versions of Python.
        annotation = _MODULE.sub("", inspect.formatannotation(parameter.annotation))
        default = "required" if parameter.default is parameter.empty else repr(parameter.default)
        if name not in told:
            raise SystemExit(f"the docstring of {entry.entry_point} does not describe {name!r}")
        rows.append((code(name), code(annotation), code(default), told[name]))
    return markdown_table(("argument", "type", "default", "meaning"), rows)


def gallery(family: str) -> str:
    """Write a whole page: the first observation of every environment of a family."""
    title, _ = FAMILIES[family]
    head = (
        f"# {title}: environments\n\nEvery environment of the [family](../{family}.md) with what "
        "its first agent is told at first, with all arguments at their defaults and seed 0. "
        "Written by `scripts/generate_docs.py`."
    )
    sections = [_first_observation(entry) for entry in coordgym.list_envs(family=family)]
    return "\n\n".join([head, *sections]) + "\n"


def _first_observation(entry: EnvEntry) -> str:
    env = coordgym.make(entry.id)
    observations, infos = env.reset(seed=0)
    first = next(agent for agent in env.agents if infos[agent]["active"])
    names = ", ".join(map(code, (entry.id, *entry.aliases)))
    facts = (
        f"{names}. {entry.title}. Agents by default: {env.n_agents}; "
        f"steps at most: {infos[first]['max_cycles']}."
    )
    env.close()
    shown = folded("First observation", fenced(str(observations[first])))
    return f"## {entry.name}\n\n{facts}\n\n{shown}"


# --- docstrings --------------------------------------------------------------------------------


def _described(entry: EnvEntry) -> dict[str, str]:
    """Return what the docstrings of an environment's class and of its base say of each argument."""
    environment = type(coordgym.make(entry.id))
    return dict(described(TextParallelEnv)) | dict(described(environment))


def described(cls: type, section: str = "Args") -> Iterator[tuple[str, str]]:
    """Read a section of a class's Google-style docstring: names, and what each means."""
    text = inspect.getdoc(cls) or ""
    lines = text.partition(f"\n{section}:\n")[2]
    names: list[str] = []
    words: list[str] = []
    for line in lines.splitlines():
        if not line.startswith("    "):
            break
        start = _ARGUMENT.fullmatch(line)
        if start is not None:
            yield from ((name, _sentence(words)) for name in names)
            names, words = start[1].split(", "), []
            line = start[2]
        words.append(line.strip())
    yield from ((name, _sentence(words)) for name in names)


def _sentence(words: list[str]) -> str:
    text = " ".join(words).replace("``", "`")
    return text[:1].upper() + text[1:]
