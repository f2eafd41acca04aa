"""Commands about environments: list, show, play, check."""

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coordgym.cli.options import EnvId, Kwargs, Seed, console, parse_pairs

if TYPE_CHECKING:
    from rich.table import Table


def list_environments(
    family: Annotated[str | None, typer.Option(help="Only this family.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only environments with this tag.")] = None,
    ids: Annotated[bool, typer.Option("--ids", help="Print ids alone, one a line.")] = False,
) -> None:
    """List the environments."""
    from coordgym.registry import list_envs

    entries = list_envs(family, tag)
    if ids:
        for entry in entries:
            print(entry.id)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for header in ("id", "also", "family", "task", "tags"):
        table.add_column(header, no_wrap=header == "id")
    for entry in entries:
        cells = (entry.id, ", ".join(entry.aliases), entry.family, entry.title)
        table.add_row(*map(Text, cells), Text(", ".join(entry.tags)))
    console().print(table)


def show(env_id: EnvId, kwargs: Kwargs = None, seed: Seed = 0) -> None:
    """Show an environment: its keyword arguments and what its first agent is told."""
    import numpy as np
    from rich.text import Text

    from coordgym.making import make_env

    env = make_env(env_id, parse_pairs(kwargs, "--kwargs"))
    observations, infos = env.reset(seed=seed)
    agents = list(env.agents)
    first = next((a for a in agents if infos[a].get("active", True)), agents[0])
    screen = console()
    name, *about = _about(env_id, env)
    screen.print(Text(name, style="bold"))
    _lines(*about)
    screen.print("\n[bold]Keyword arguments[/bold]")
    screen.print(_kwargs_table(env_id))
    screen.print(f"\n[bold]What {first} of {len(agents)} is told first[/bold] (seed {seed})\n")
    _lines(observations[first])
    if hasattr(env.unwrapped, "random_action"):
        screen.print("\n[bold]A legal action[/bold], drawn at random\n")
        _lines(env.unwrapped.random_action(first, np.random.default_rng(seed)))
    env.close()


def play(
    env_id: EnvId,
    kwargs: Kwargs = None,
    seed: Seed = 0,
    seat: Annotated[
        list[str] | None, typer.Option(help="Agent that you play; can be given again.")
    ] = None,
    everyone: Annotated[bool, typer.Option("--all", help="Play all agents.")] = False,
    partners: Annotated[str, typer.Option(help="Policy of the other agents.")] = "oracle",
    out: Annotated[
        Path | None, typer.Option(help="Append the episode to this file of JSON lines.")
    ] = None,
) -> None:
    """Play an episode yourself, with policies for the other agents."""
    from coordgym.data import jsonl
    from coordgym.episodes.rollout import rollout
    from coordgym.making import make_env
    from coordgym.policies.named import make_policy
    from coordgym.policies.policy_map import PolicyMap
    from coordgym.policies.protocol import Policy

    env = make_env(env_id, parse_pairs(kwargs, "--kwargs"))
    human = make_policy("human")
    policy: Policy = human
    if not everyone:
        seats: dict[str, Policy] = dict.fromkeys(seat or env.possible_agents[:1], human)
        if len(seats) < len(env.possible_agents):
            seats["*"] = make_policy(partners)
        policy = PolicyMap(seats)
    if out is not None:
        out.open("ab").close()  # to fail before the game, not after it
    episode = rollout(env, policy, seed)
    env.close()
    for agent, text in episode.final_observations.items():
        if everyone or agent in (seat or env.possible_agents[:1]):
            _lines(f"{agent}: {text}")
    _lines(*_figures(episode.metrics))
    if out is not None:
        with out.open("ab") as file:
            jsonl.append_line(file, episode.to_line())


def check(
    env_id: EnvId,
    kwargs: Kwargs = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Check or group of checks to run; 'all' = the slow ones too."),
    ] = None,
) -> None:
    """Check that an environment keeps the contract; exit code 1 if it does not."""
    from coordgym.conformance import check as run_checks

    chosen: Any = "all" if only == ["all"] else only
    report = run_checks(env_id, checks=chosen, **parse_pairs(kwargs, "--kwargs"))
    _lines(str(report))
    if not report.ok:
        raise typer.Exit(1)


def _about(env_id: str, env: Any) -> list[str]:
    """Give an environment's name, and what its entry or else its class says of it."""
    from coordgym.loading import is_imported
    from coordgym.registry import get_entry

    if is_imported(env_id):
        title = (inspect.getdoc(type(env.unwrapped)) or "").partition("\n")[0]
        family = getattr(env.unwrapped, "family", "") or "none"
        return [env_id, *([title] if title else []), f"family: {family}; not registered"]
    entry = get_entry(env_id)
    return [
        entry.id,
        entry.title,
        f"family: {entry.family}; tags: {', '.join(entry.tags) or 'none'}; "
        f"also called: {', '.join(entry.aliases) or 'nothing else'}",
    ]


def _kwargs_table(env_id: str) -> "Table":
    from rich.table import Table
    from rich.text import Text

    from coordgym.making import env_parameters

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2))
    for header in ("name", "default", "type"):
        table.add_column(header)
    for name, parameter in env_parameters(env_id).items():
        needed = parameter.default is inspect.Parameter.empty
        hint = parameter.annotation
        kind = "" if hint is inspect.Parameter.empty else inspect.formatannotation(hint)
        default = "must be given" if needed else repr(parameter.default)
        table.add_row(*map(Text, (name, default, kind)))
    return table


def _figures(metrics: dict[str, Any]) -> list[str]:
    return [f"{name}: {value}" for name, value in metrics.items()]


def _lines(*texts: str) -> None:
    """Print texts of environments as they are: their brackets are not markup."""
    for text in texts:
        print(text.encode("utf-8", "replace").decode("utf-8"))
