"""Options of the dialogue environment that change what agents are told or which instances come."""

import re
from dataclasses import fields
from typing import Any, get_type_hints

import numpy as np
import pytest

import coordgym
from coordgym import BaseOptions, per_agent
from coordgym.errors import ConfigError
from coordgym.silo_env.pairs import instance as pair_instance
from coordgym.silo_env.pairs import parallel_env
from coordgym.silo_env.pairs.analysis.conversations.conversation import (
    Conversation,
    conversation_of,
)
from coordgym.silo_env.pairs.dialogue.outcome import Message, end_of, judge
from coordgym.silo_env.pairs.instance import read_instance
from coordgym.silo_env.pairs.options import PairArguments, PairOptions
from coordgym.silo_env.pairs.table import TASK_CLASSES
from coordgym.silo_env.pairs.task import SEATS, find_task
from coordgym.silo_env.pairs.union import one_view_floor


@pytest.mark.parametrize("text", ["full", "compact"])
@pytest.mark.parametrize("mode", ["pair", "solo_view2"])
@pytest.mark.parametrize("friction", [0, 1, 2])
@pytest.mark.parametrize("task", ["maze", "streetmap", "floodfill", "rulemaze", "terrain"])
def test_hidden_cells_may_have_another_sign(task, friction, mode, text) -> None:
    def told(mask_char):
        env = parallel_env(task=task, friction=friction, mode=mode, text=text, mask_char=mask_char)
        _, infos = env.reset(seed=2)
        return env, infos[env.possible_agents[-1]]["instructions"]

    usual, marked = told("?")[1], told("_")[1]
    assert usual.count("?") > 10
    assert marked == usual.replace("?", "_")
    env, blank = told("")
    assert "?" not in blank + env._render_text()
    assert len(blank) - len(usual) == 4 * (blank.count("blank") - usual.count("blank"))
    # Cells keep their places: only the sign is gone.
    views = env._static_view(env.possible_agents[-1])["views"]
    rows = ["".join(str(row).split()) for row in views[0]["grid"]]
    assert any("?" in row for row in rows)


@pytest.mark.parametrize(
    ("task", "mask_char", "message"),
    [
        ("maze", "??", "one sign or ''"),
        ("maze", 3, "one sign or ''"),
        ("maze", "#", "a sign that drawings don't use"),
        ("maze", "v", "a sign that drawings don't use"),
        ("maze", "\n", "a sign that drawings don't use"),
        ("order", "_", "mask_char must be '\\?' for order"),
    ],
)
def test_bad_signs_for_hidden_cells(task, mask_char, message) -> None:
    with pytest.raises(ConfigError, match=message):
        parallel_env(task=task, mask_char=mask_char)


@pytest.mark.parametrize(("task", "most"), [("order", 0.65), ("maze", 0.45), ("treesum", 0.45)])
def test_a_largest_floor_keeps_instances_that_need_the_partner(task, most) -> None:
    rules, floors = find_task(task), {}
    for max_floor in (None, most):
        env = parallel_env(task=task, max_floor=max_floor)
        floors[max_floor] = []
        for seed in range(4):
            env.reset(seed=seed)
            truth = read_instance(task, env.instance)
            floors[max_floor] += [one_view_floor(rules, truth, seat) for seat in SEATS]
    assert max(floors[most]) <= most
    assert np.mean(floors[most]) <= np.mean(floors[None])
    if task != "treesum":
        assert max(floors[None]) > most


@pytest.mark.parametrize(("task", "schemes"), [("maze", "paper_table"), ("geomaze", "grid")])
def test_conventions_are_searched_where_the_table_of_schemes_says_so(task, schemes) -> None:
    def score(task, schemes):
        env = parallel_env(task=task, schemes=schemes)
        env.reset(seed=0)
        path = env.instance["answer"]["path"]
        shifted = [[row + 1, column + 1] for row, column in path]
        env.step({"agent_0": f'FINAL ANSWER: {{"path": {shifted}}} ACTI!'})
        return env.metrics()["score"], env.metrics()["scheme"]

    assert score(task, schemes) == (1.0, 1)
    assert score("geomaze", "paper_table") == (0.0, 0)


def test_floors_that_no_instance_has(monkeypatch) -> None:
    monkeypatch.setattr(pair_instance, "MAX_DRAWS", 20)
    with pytest.raises(ConfigError, match="max_floor must be a probability"):
        parallel_env(task="maze", max_floor=1.5)
    env = parallel_env(task="binpack", max_floor=0.0, config={"n": 3, "k": 2})
    with pytest.raises(ConfigError, match=r"max_floor 0\.0; choose easier"):
        env.reset(seed=0)


@pytest.mark.parametrize("task", TASK_CLASSES)
def test_no_floor_at_all_is_kept_or_refused_soon(task, monkeypatch) -> None:
    """Before all draws are used up, and with the floor that can be had."""
    monkeypatch.setattr(pair_instance, "MAX_ABOVE_FLOOR", 3)
    env = parallel_env(task=task, max_floor=0)
    refusal = ""
    try:
        env.reset(seed=0)
    except ConfigError as error:
        refusal = str(error)
    if refusal:
        least = re.search(r"in each of 3 .* was worth (\d\.\d\d) or more", refusal)
        assert least is not None, refusal
        assert 0 < float(least[1]) < 1
    else:
        truth = read_instance(task, env.instance)
        assert {one_view_floor(find_task(task), truth, seat) for seat in SEATS} == {0.0}


COMPACT_FACTS = {
    "conflictpath": "entry 0 = start",
    "timedpath": "from tick 0",
    "numberlink": "both terminals",
    "order": "front first",
    "seating": "clockwise",
    "logic": "1 = leftmost house",
    "crossword": ". = no letter",
    "eventlog": "minutes between",
    "graphattr": "common neighbours",
    "noderanking": "largest first",
}


@pytest.mark.parametrize("task", COMPACT_FACTS)
def test_few_tokens_still_tell_how_answers_are_read(task) -> None:
    env = parallel_env(task=task, text="compact")
    _, infos = env.reset(seed=0)
    for agent in env.agents:
        assert COMPACT_FACTS[task] in infos[agent]["instructions"]


@pytest.mark.parametrize("task", TASK_CLASSES)
def test_few_tokens_name_one_convention_where_it_is_open(task) -> None:
    for friction in (0, 1):
        env = parallel_env(task=task, text="compact", friction=friction)
        _, infos = env.reset(seed=0)
        told = "one convention" in infos["agent_0"]["instructions"]
        assert told == (friction == 1 and find_task(task).uses_schemes)


def test_arguments_for_type_checkers_are_the_options() -> None:
    hints = get_type_hints(PairArguments)
    shared = set(get_type_hints(BaseOptions))
    options = get_type_hints(PairOptions)
    arguments = {field.name: options[field.name] for field in fields(PairOptions) if field.init}
    assert {name: hints[name] for name in hints if name not in shared} == arguments


class Hasty:
    """Ends the dialogue where one only looks for the word."""

    def __init__(self, agent: str, info: Any, rng: np.random.Generator) -> None:
        pass

    def act(self, observation: str, info: Any) -> str:
        return "ACTI! is what I say."


def test_defaults_stand_in_one_place(monkeypatch) -> None:
    """What the environment and the analysis take for an argument that is not given is the same."""
    assert PairOptions.__init__.__kwdefaults__ is not None
    defaults = {**PairOptions.__init__.__kwdefaults__, "acti_mode": "strict", "cap_zero": True}

    def played_and_read() -> tuple[dict[str, Any], Conversation]:
        env = coordgym.make("coordgym/PairMaze-v0", max_cycles=1)
        episode = coordgym.rollout(env, per_agent(Hasty, "hasty"), seed=0)
        dialogue = conversation_of(episode)
        assert dialogue is not None
        return episode.metrics, dialogue

    metrics, dialogue = played_and_read()
    assert not metrics["capped"]
    assert not dialogue.outcome.capped
    monkeypatch.setattr(PairOptions.__init__, "__kwdefaults__", defaults)
    metrics, dialogue = played_and_read()
    assert metrics["capped"]
    assert dialogue.outcome.capped
    assert dialogue.options == coordgym.make("coordgym/PairMaze-v0").options


@pytest.mark.parametrize("mode", ["pair", "solo_full", "solo_view1"])
@pytest.mark.parametrize("max_cycles", [1, 2, None])
def test_a_recorded_dialogue_is_judged_as_when_it_was_played(mode, max_cycles) -> None:
    kwargs = {"mode": mode, "cap_zero": True, "max_cycles": max_cycles}
    env = coordgym.make("coordgym/PairMaze-v0", **kwargs)
    episode = coordgym.rollout(env, "oracle", seed=0)
    options = PairOptions.from_kwargs({**episode.kwargs, "task": "maze"})
    messages = [
        Message(env.possible_agents.index(turn.agent), turn.action) for turn in episode.turns
    ]
    capped = end_of(options, messages) is None
    outcome = judge(options, read_instance("maze", episode.instance), messages, capped=capped)
    assert (
        outcome.capped
        == episode.metrics["capped"]
        == (max_cycles == 1 or (mode == "pair" and max_cycles == 2))
    )
    assert outcome.grade.score == episode.metrics["score"]
