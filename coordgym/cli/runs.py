"""Commands about runs: run, bench, report, replay."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coordgym.cli.options import (
    INTERRUPTED,
    EnvId,
    Kwargs,
    RetryFailed,
    Timeout,
    Workers,
    console,
    find_modules_in,
    folder_name,
    parse_pairs,
    shown,
)
from coordgym.errors import PlanError

if TYPE_CHECKING:
    from coordgym.runs.plan import Plan
    from coordgym.runs.results import Results

Out = Annotated[Path | None, typer.Option(help="Folder of the results; in runs/ by default.")]
Compress = Annotated[
    bool | None,
    typer.Option("--compress/--no-compress", help="Keep the episodes as episodes.jsonl.gz."),
]
_RUNS = Path("runs")


def run(
    env_id: EnvId,
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", "-p", help="Can be given several times; default: oracle."),
    ] = None,
    seeds: Annotated[str, typer.Option(help="'20' = 0..19, '5..9', '3,' or '1,4,7..9'.")] = "5",
    repeats: Annotated[int, typer.Option(min=1, help="Episodes per seed.")] = 1,
    kwargs: Kwargs = None,
    policy_kwargs: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Argument of the policy (with one --policy)."),
    ] = None,
    out: Out = None,
    workers: Workers = 1,
    timeout: Timeout = None,
    retry_failed: RetryFailed = False,
    compress: Compress = None,
) -> None:
    """Play episodes of one environment; the same command again goes on where it stopped.

    The exit code is 1 if an episode failed.
    """
    from coordgym.runs.plan import Plan
    from coordgym.runs.plan_file import parse_seeds
    from coordgym.runs.planned import PlannedEnv, PlannedPolicy

    names = policy or ["oracle"]
    arguments = parse_pairs(policy_kwargs, "--policy-kwargs")
    if arguments and len(names) > 1:
        raise PlanError("--policy-kwargs goes with one --policy; write a plan for several")
    env = PlannedEnv(env_id, parse_pairs(kwargs, "--kwargs"))
    plan = Plan(
        envs=(env,),
        policies=tuple(PlannedPolicy(name, name, arguments) for name in names),
        seeds=parse_seeds(seeds),
        repeats=repeats,
        name=env.label,
        compress=bool(compress),
    )
    folder = out or _RUNS / f"{folder_name(env_id)}-{plan.fingerprint()[:8]}"
    _evaluate(plan, folder, workers, timeout, retry_failed)


def bench(
    plan: Annotated[
        str,
        typer.Argument(help="A YAML file, or a plan of the package: demo, graph-27 or graph-81."),
    ],
    seeds: Annotated[
        str | None,
        typer.Option(help="Other seeds than the plan's: '20' = 0..19, '5..9', '3,' or '1,4,7..9'."),
    ] = None,
    out: Out = None,
    workers: Workers = 1,
    timeout: Timeout = None,
    retry_failed: RetryFailed = False,
    compress: Compress = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Delete the results in the folder first.")
    ] = False,
) -> None:
    """Run a plan; the same command again goes on where it stopped.

    The exit code is 1 if an episode failed.
    """
    from dataclasses import replace

    from coordgym.runs.plan_file import load_plan, parse_seeds
    from coordgym.runs.store import discard_results

    find_modules_in(Path(plan).parent)
    loaded = load_plan(plan)
    if seeds is not None:
        loaded = replace(loaded, seeds=parse_seeds(seeds))
    if compress is not None:
        loaded = replace(loaded, compress=compress)
    folder = out or _RUNS / Path(plan).stem
    if fresh:
        discard_results(folder)
    _evaluate(loaded, folder, workers, timeout, retry_failed)


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the results.")],
) -> None:
    """Print the table of a folder of results and write report.md and report.csv into it."""
    from coordgym.runs.results import load_results

    _show(load_results(folder))


def replay(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="File of episodes, or folder of results.")
    ],
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many.")] = None,
) -> None:
    """Play recorded episodes again; exit code 1 if anything differs from the record."""
    import warnings
    from itertools import islice

    from coordgym.data.jsonl import torn_bytes
    from coordgym.episodes.episode import read_episodes
    from coordgym.episodes.replay import replay as replay_episode
    from coordgym.episodes.replay import version_notice
    from coordgym.runs.results import episodes_path

    path = episodes_path(source) if source.is_dir() else source
    played = different = failed = 0
    noticed: set[str] = set()
    for episode in islice(read_episodes(path, torn=True), limit):
        played += 1
        failed += episode.failure is not None
        if (notice := version_notice(episode)) is not None and notice not in noticed:
            noticed.add(notice)
            print(notice, file=sys.stderr)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the record is of coordgym", UserWarning)
            difference = replay_episode(episode).difference
        if difference is not None:
            different += 1
            print(f"{episode.env_id} {episode.policy} seed {episode.seed}: {difference}")
    broken = f" ({failed} of them as far as they got before they failed)" if failed else ""
    print(f"{played} episodes replayed{broken}, {different} differ")
    if limit is None and (torn := torn_bytes(path)):
        left_out = f"{torn} bytes at its end, which are no whole episode, were left out"
        print(f"{shown(path)}: {left_out}", file=sys.stderr)
    if different:
        raise typer.Exit(1)


def _evaluate(
    plan: "Plan", folder: Path, workers: int, timeout: float | None, retry_failed: bool
) -> None:
    from coordgym.episodes.episode import read_episodes
    from coordgym.runs.evaluate import evaluate
    from coordgym.runs.results import episodes_path

    try:
        results = evaluate(
            plan,
            folder,
            workers=workers,
            timeout=timeout,
            retry_failed=retry_failed,
            progress=True,
        )
    except KeyboardInterrupt:
        kept = f"{shown(folder)} keeps what was finished"
        print(f"stopped; {kept}, and the same command goes on from there", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    _show(results)
    failed = sum(row.failure is not None for row in results.rows)
    if failed:
        records = episodes_path(results.out_dir)
        first = next(e.failure for e in read_episodes(records, torn=True) if e.failure)
        print(
            f"{failed} of {len(results.rows)} episodes failed, the first with {first.type}: "
            f"{first.message:.300}; {shown(records)} has all",
            file=sys.stderr,
        )
        raise typer.Exit(1)


def _show(results: "Results") -> None:
    from coordgym.runs.report import write_report
    from coordgym.runs.report_table import terminal_table

    screen = console()
    width = screen.width if screen.is_terminal else sys.maxsize
    screen.print(terminal_table(results, width), soft_wrap=not screen.is_terminal)
    written = write_report(results)
    print(f"wrote {', '.join(map(shown, written))}")
