"""Check the known cases of ``tests/data``, or make one of a new task.

``python scripts/make_cases.py --check`` computes anew from every case what the package can, and
names the cases that disagree. ``python scripts/make_cases.py NAME TASK`` appends a case of a task
to a file: an instance that its environment draws, solved by the package. Whoever adds it reads it
as a reviewer would and adds by hand what only a person knows: wrong answers and what they earn.
``python scripts/make_cases.py NAME`` writes anew what the package computes, after a change of
wording.
"""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import networkx
import typer

import coordgym
from coordgym.errors import CoordgymError
from coordgym.silo_env import compute, graph, pairs
from coordgym.silo_env.compute import table
from coordgym.silo_env.pairs.analysis.conversations.conversation import make_conversation
from coordgym.silo_env.pairs.analysis.failures.cascade import label
from coordgym.silo_env.pairs.analysis.scores.games import shapley, violates_max_superadditivity
from coordgym.silo_env.pairs.dialogue.outcome import Message
from coordgym.silo_env.pairs.grids.schemes import SCHEMES, encode
from coordgym.silo_env.pairs.instance import read_instance
from coordgym.silo_env.pairs.options import PairOptions
from coordgym.silo_env.pairs.task import SEATS, find_task
from coordgym.silo_env.pairs.union import MAX_ANSWERS, surviving_answers
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.texts import OWN_CELL

DATA = Path(__file__).parent.parent / "tests" / "data"
TOLERANCE = 1e-5
"""How far a number of a case may be off: some are kept with six decimals."""
SORTED_IN_PIECES = "III-21"
"""A task whose cases want one piece of the answer from each agent, which is an option here."""

Case = dict[str, Any]


class File(NamedTuple):
    """What can be done with the cases of a file.

    Attributes:
        renew: gives a case with everything anew that the package can compute of it.
        draw: gives the beginning of a case of a task, which ``renew`` completes.
    """

    renew: Callable[[Case], Case]
    draw: Callable[[str], Case] | None = None


def settled(told: Any, now: Any) -> Any:
    """Return ``now``, but as told wherever the two only differ by rounding or by type."""
    if isinstance(told, dict) and isinstance(now, dict):
        return {key: settled(told.get(key), value) for key, value in now.items()}
    if isinstance(told, list) and isinstance(now, list | tuple) and len(told) == len(now):
        return [settled(one, other) for one, other in zip(told, now, strict=True)]
    numbers = isinstance(told, int | float) and isinstance(now, int | float)
    return told if numbers and abs(told - now) <= TOLERANCE * max(1.0, abs(told)) else now


def drawn(family: str, task: str, **kwargs: Any) -> tuple[coordgym.EnvEntry, Case]:
    """Return the environment of a task and an instance that it draws, with its solution."""
    entries = [e for e in coordgym.list_envs(family=family) if e.kwargs.get("task") == task]
    if not entries:
        known = ", ".join(str(e.kwargs["task"]) for e in coordgym.list_envs(family=family))
        raise typer.BadParameter(f"the {family} family has no task {task!r} (known: {known})")
    env = coordgym.make(entries[0].id, **kwargs)
    env.reset(seed=0)
    instance: Case = json.loads(json.dumps(env.unwrapped.instance))
    return entries[0], instance


# --- silo ---------------------------------------------------------------------------------


def draw_silo(task: str) -> Case:
    """Draw a small instance for three agents."""
    entry, instance = drawn("silo", task, n_agents=3)
    rules, extra = compute.TASKS[task], instance["extra"]
    level = next(line.level for line in table.TASKS if line.paper_id == task)
    return {
        "id": f"{task}#0", "task": task, "name": entry.title, "level": level.number,
        "kind": "random", "n_agents": 3, "segmented": rules.is_segmented(extra),
        "shards": instance["shards"], "extra": extra, "answer": instance["answer"],
        "wrong_answers": [], "tolerance": rules.tolerance, "equivalents": [],
    }  # fmt: skip


def renew_silo(case: Case) -> Case:
    """Judge the answer, its other spellings and the wrong ones."""
    agents = [f"agent_{i}" for i in range(case["n_agents"])]
    extra = case["extra"] | ({"answer": "segment"} if case["task"] == SORTED_IN_PIECES else {})
    instance = {"task": case["task"], "shards": case["shards"], "extra": extra}

    def judged(answer: Any) -> compute.Verdict:
        answers = answer if case["segmented"] else [answer] * len(agents)
        return compute.verify(instance, dict(zip(agents, answers, strict=True)))

    wrong = []
    for told in case["wrong_answers"]:
        verdict = judged(told["answer"])
        score = {"S_recommended": verdict.score} if "S_recommended" in told else {}
        wrong.append({**told, "partial_recommended": verdict.partial, **score})
    right = [answer for answer in case["equivalents"] if judged(answer).success]
    answer = case["answer"] if judged(case["answer"]).success else "not the solution"
    return {**case, "answer": answer, "wrong_answers": wrong, "equivalents": right}


# --- graph --------------------------------------------------------------------------------


def draw_graph(task: str) -> Case:
    """Draw a small network whose agents answer as its solution does."""
    _, instance = drawn("graph", task, n_agents=5)
    names = instance["names"]
    solution = dict(zip(names, instance["solution"], strict=True))
    edges = [[names[a], names[b]] for a, b in instance["edges"]]
    return {
        "id": f"{task}-001", "task": task, "graph_kind": instance["topology"], "nodes": names,
        "edges": edges, "answers": solution, "strict": None, "graded": 0.0, "note": "its solution",
    }  # fmt: skip


def renew_graph(case: Case) -> Case:
    """Judge the answers; where the published functions raise, only success is told."""
    network: networkx.Graph[str] = networkx.Graph()
    network.add_nodes_from(case["nodes"])
    network.add_edges_from(case["edges"])
    verdict = graph.score(case["task"], network, case["answers"])
    graded = None if case["graded"] is None else verdict.score
    return {**case, "strict": int(verdict.success), "graded": graded}


# --- pairs --------------------------------------------------------------------------------


def draw_pair(task: str) -> Case:
    """Draw an instance of default size."""
    entry, instance = drawn("pairs", task)
    fields = {key: value for key, value in instance.items() if key not in ("task", "answer")}
    junk = [{"answer": {}, "note": "no fields"}, {"answer": None, "note": "null answer"},
            {"answer": "junk", "note": "not an object"}]  # fmt: skip
    optimal = {"answer": instance["answer"]}
    return {
        "task": task, "family": entry.tags[0], "seed": 0, "size": "tiny", "params": {},
        "instance": fields, "optimal": optimal, "imperfect": [], "equivalent": [], "edge": junk,
    }  # fmt: skip


def renew_pair(case: Case) -> Case:
    """Say the views, count the optima and grade the answers."""
    name, task = case["task"], find_task(case["task"])
    instance = read_instance(name, case["instance"])
    views = {}
    for seat, text in zip(SEATS, pairs.views(name, case["instance"]), strict=True):
        facts: Mapping[str, Any] = task.facts(instance, seat)
        # Ours may say more than the reference, such as whose view it is.
        kept = case.get(f"view{seat}", {"facts": facts})["facts"]
        views[f"view{seat}"] = {"facts": {key: facts.get(key) for key in kept}, "text": text}

    def graded(told: Case) -> Case:
        return {**told, "score": pairs.grade(name, case["instance"], told["answer"]).score}

    found = len(task.optimal_answers(instance, MAX_ANSWERS))
    needed = {f"view{s}_insufficient": not surviving_answers(task, instance, s) for s in SEATS}
    return {
        **case,
        **views,
        "optimal": graded(case["optimal"]),
        # A reference may have counted beyond the most that are listed here.
        "n_optimal": max(found, case.get("n_optimal", 0)) if found == MAX_ANSWERS else found,
        **{kind: list(map(graded, case[kind])) for kind in ("imperfect", "equivalent", "edge")},
        "union_check": {**case.get("union_check", {}), **needed},
    }


def renew_transcript(case: Case) -> Case:
    """Find the answer of a dialogue and label its stages."""
    lines = (DATA / "pair_cases.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = (case["task"], case["instance_seed"], "tiny")
    (about,) = (c for c in map(json.loads, lines) if (c["task"], c["seed"], c["size"]) == wanted)
    messages = [Message(item["agent"] - 1, item["text"]) for item in case["messages"]]
    dialogue = make_conversation(PairOptions(task=case["task"]), about["instance"], messages)
    return {
        **case,
        "capped": dialogue.outcome.capped,
        "decisive_message": dialogue.decisive,
        "candidate": dialogue.outcome.answer,
        "score": pairs.grade(case["task"], about["instance"], dialogue.outcome.answer).score,
        "labels": {stage: int(value) for stage, value in label(dialogue).labels.items()},
    }


def renew_scheme(case: Case) -> Case:
    """Write the cell in the scheme."""
    scheme = SCHEMES[case["index"]]
    first, second = case["cell"]
    written = encode((first, second), scheme, case["height"], case["width"])
    return {**case, "origin": scheme.origin, "axes": scheme.axes, "written": list(written)}


def renew_shapley(case: Case) -> Case:
    """Share out what two agents are worth together."""
    values = case["v1"], case["v2"], case["v12"]
    first, second = shapley(*values)
    violates = violates_max_superadditivity(*values)
    return {**case, "phi1": first, "phi2": second, "violates_max_superadditivity": violates}


# --- swarm --------------------------------------------------------------------------------


def renew_trajectory(case: Case) -> Case:
    """Play the rounds again, up to the first that draws a new place for the prey."""
    state = {**case["initial"], "width": case["width"], "height": case["height"]}
    if case["task"] is None:
        world, rounds = World.from_dict(state), []
        for record in case["rounds"]:
            moved = world.push({int(n): action for n, action in record["actions"].items()})
            rounds.append({**record, "moved": moved, "grid": world.grid()})
        return {**case, "rounds": rounds}
    env = coordgym.make(
        f"Swarm{case['task']}-v0",
        n_agents=case["num_agents"],
        max_cycles=case["max_round"],
        compat="swarmbench",
    )
    env.reset(seed=0, options={"instance": state})
    rounds = []
    for record in case["rounds"]:
        texts = {a: f"ACTION: {record['actions'].get(a[6:], 'STAY')}" for a in env.agents}
        env.step(texts)
        if record.get("captured"):
            break
        world = env.unwrapped.world
        agents = world.to_dict()["agents"]
        rounds.append({**record, "grid": world.grid(), "agents": agents, "score": world.score})
    return {**case, "rounds": [*rounds, *case["rounds"][len(rounds) :]]}


def renew_views(case: Case) -> Case:
    """See the state with each size of view."""
    world = World.from_dict({k: case[k] for k in ("width", "height", "grid", "agents", "prey")})
    views: dict[str, Case] = {}
    for size, by_agent in case["views"].items():
        views[size] = {}
        for agent in by_agent:
            seen = world.view(int(agent), int(size))
            prompt = [list(row) for row in seen]
            prompt[int(size) // 2][int(size) // 2] = OWN_CELL
            views[size][agent] = {"observation": seen, "prompt": prompt}
    return {**case, "views": views}


FILES = {
    "silo_cases": File(renew_silo, draw_silo),
    "graph_scoring": File(renew_graph, draw_graph),
    "pair_cases": File(renew_pair, draw_pair),
    "pair_transcripts": File(renew_transcript),
    "pair_schemes": File(renew_scheme),
    "pair_shapley": File(renew_shapley),
    "swarm_trajectories": File(renew_trajectory),
    "swarm_views": File(renew_views),
}


def line_of(case: Case) -> str:
    """Return the line of a case."""
    return json.dumps(case, ensure_ascii=False)


def check(name: str) -> list[str]:
    """Return what is wrong with a file, in plain words."""
    faults = []
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        case = json.loads(line)
        try:
            now = settled(case, FILES[name].renew(case))
        except CoordgymError as error:
            faults.append(f"{name}, line {number}: {error}")
            continue
        keys = [key for key in now if now[key] != case.get(key)]
        if keys:
            faults.append(f"{name}, line {number}: the package gives another {', '.join(keys)}")
        elif line_of(case) != line:
            faults.append(f"{name}, line {number}: not written as {Path(__file__).name} does")
    return faults


def main(
    name: Annotated[str | None, typer.Argument(help=f"One of {', '.join(FILES)}.")] = None,
    task: Annotated[str | None, typer.Argument(help="A task that gets a case.")] = None,
    checking: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail where the package disagrees.")
    ] = False,
) -> None:
    """Check the known cases, write what the package computes of them anew, or add one."""
    if name is not None and name not in FILES:
        raise typer.BadParameter(f"there are no cases {name!r} (known: {', '.join(FILES)})")
    if checking or name is None:
        faults = [fault for each in ([name] if name else FILES) for fault in check(each)]
        for fault in faults:
            typer.echo(fault)
        sys.exit(1 if faults else 0)
    file, path = FILES[name], DATA / f"{name}.jsonl"
    cases = list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
    if task is not None:
        if file.draw is None:
            raise typer.BadParameter(f"cases of {name} can't be drawn; write the line by hand")
        cases.append(file.draw(task))
    made = [settled(case, file.renew(case)) for case in cases]
    path.write_text("".join(line_of(case) + "\n" for case in made), encoding="utf-8")
    typer.echo(f"wrote {len(made)} cases to {path}")


if __name__ == "__main__":
    typer.run(main)
