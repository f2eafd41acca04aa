"""What models write to answer: applied or refused in words, never final and wrong.

``tests/data/natural_answers.*.jsonl`` holds one text a line: the family, the environment and its
arguments, what form it is in, and what must come of it. Each is played by ``step``, asked of
``check_action``, played through a seat, and read again from the record of a rollout.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

import coordgym
from coordgym.episodes.episode import Episode
from coordgym.episodes.seat import SeatEnv

FAMILIES = ("silo", "graph", "pairs", "swarm")
CASES = {family: cases(f"natural_answers.{family}") for family in FAMILIES}
ALL = [case for family in FAMILIES for case in CASES[family]]
FORMS = {"form", "reasoning", "markup", "decoration", "wrapper", "near-miss"}
SEED = 3
AGENT = "agent_0"
Env = Any


def with_quotes(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class Silo:
    """Two agents; the first submits at once."""

    id, kwargs, idle = "SiloGlobalMax-v0", {"n_agents": 2}, "wait()"
    steps_before = 0

    def words(self, env: Env) -> dict[str, str]:
        answer = env.instance["answer"]
        return {"{answer}": str(answer), "{json}": with_quotes(answer)}

    def plain(self, env: Env) -> str:
        return f"submit_result({with_quotes(env.instance['answer'])})"

    def applied(self, env: Env, expected: str) -> bool:
        return bool(env.outcome()[AGENT] == env.instance["answer"])

    def untouched(self, env: Env) -> bool:
        return env.outcome()[AGENT] is None


class Graph:
    """Four agents; after one silent round the first is asked for its answer."""

    id, kwargs, idle = "GraphVertexCover-v0", {"n_agents": 4, "rounds": 1}, "{}"
    steps_before = 1

    def _name(self, env: Env) -> str:
        return str(env.instance["names"][0])

    def words(self, env: Env) -> dict[str, str]:
        names, edges = env.instance["names"], env.instance["edges"]
        around = [names[b if a == 0 else a] for a, b in edges if 0 in (a, b)]
        return {"{neighbour}": around[0], "{other}": around[-1]}

    def plain(self, env: Env) -> str:
        return "### Final Answer ### Yes"

    def applied(self, env: Env, expected: str) -> bool:
        return bool(env.outcome()[self._name(env)] == expected)

    def untouched(self, env: Env) -> bool:
        return env.outcome()[self._name(env)] is None


class Messages(Graph):
    """Four agents; the first writes to its neighbours."""

    steps_before = 0

    def plain(self, env: Env) -> str:
        return json.dumps({self.words(env)["{neighbour}"]: "hi"})

    def applied(self, env: Env, expected: str) -> bool:
        return bool(env.metrics()["messages"] == int(expected))

    def untouched(self, env: Env) -> bool:
        return bool(env.metrics()["messages"] == 0)


class Pairs:
    """Two agents; the first ends the dialogue with its answer."""

    id, kwargs, idle = "PairMaze-v0", {}, "go on"
    steps_before = 0

    def words(self, env: Env) -> dict[str, str]:
        answer = env.instance["answer"]
        ((field, value),) = answer.items()
        return {
            "{answer}": with_quotes(answer),
            "{python}": repr(answer),
            "{field}": field,
            "{FIELD}": field.upper(),
            "{value}": with_quotes(value),
            "{cells}": with_quotes(_with_names(value)),
            "{measured}": with_quotes(_measured(value)),
            "{lower}": with_quotes(json.loads(json.dumps(value).lower())),
        }

    def plain(self, env: Env) -> str:
        return f"FINAL ANSWER: {json.dumps(env.instance['answer'])}\nACTI!"

    def applied(self, env: Env, expected: str) -> bool:
        metrics = env.metrics()
        return bool(metrics["success"] and metrics["ended_by"] == AGENT)

    def untouched(self, env: Env) -> bool:
        return bool(env.agents) and env.metrics()["ended_by"] is None


class Swarm:
    """Two agents; the first moves."""

    id, kwargs, idle = "SwarmPursuit-v0", {"n_agents": 2}, "ACTION: STAY"
    steps_before = 0

    def words(self, env: Env) -> dict[str, str]:
        return {}

    def plain(self, env: Env) -> str:
        return "ACTION: UP"

    def applied(self, env: Env, expected: str) -> bool:
        action, _, message = expected.partition(" | ")
        last = env.log[-1]
        return bool(last.actions[0] == action and last.messages.get(0, "") == message)

    def untouched(self, env: Env) -> bool:
        return bool(env.log[-1].actions[0] == "STAY" and not env.log[-1].messages)


STAGES: Mapping[str, Any] = {
    "silo": Silo(),
    "graph": Graph(),
    "messages": Messages(),
    "pairs": Pairs(),
    "swarm": Swarm(),
}


def _with_names(value: Any) -> Any:
    """Return cells as objects with named coordinates."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(x, int) for x in value):
        return {"row": value[0], "col": value[1]}
    return [_with_names(item) for item in value] if isinstance(value, list) else value


def _measured(value: Any) -> Any:
    """Return numbers with words around them."""
    if isinstance(value, dict):
        return {key: f"slot {item}" for key, item in value.items()}
    return f"{value} points"


def stage_of(case: Mapping[str, Any]) -> Any:
    return STAGES[case.get("stage", case["family"])]


def opened(case: Mapping[str, Any]) -> tuple[Env, str]:
    """Return an environment at the moment when the answer is asked for, and the text."""
    stage = stage_of(case)
    env = coordgym.make(case.get("env", stage.id), **{**stage.kwargs, **case.get("kwargs", {})})
    env.reset(seed=SEED)
    for _ in range(stage.steps_before):
        env.step(dict.fromkeys(env.agents, stage.idle))
    text = case["text"]
    for word, value in stage.words(env.unwrapped).items():
        text = text.replace(word, value)
    return env.unwrapped, text


def actions(env: Env, text: str, idle: str) -> dict[str, str]:
    return {**dict.fromkeys(env.agents, idle), AGENT: text}


class Scripted:
    """Says its texts in turn as the first agent; the others idle."""

    name = "scripted"

    def __init__(self, texts: list[str], idle: str) -> None:
        self.texts, self.idle = list(texts), idle

    def reset(self, agents: Any, infos: Any, seed: int) -> None:
        self.left = list(self.texts)

    def act(self, observations: Mapping[str, str], infos: Any) -> dict[str, str]:
        return {
            agent: self.left.pop(0) if agent == AGENT and self.left else self.idle
            for agent in observations
        }


def test_there_are_enough_texts_of_every_form_in_every_family() -> None:
    assert len(ALL) >= 300
    for family, found in CASES.items():
        assert len(found) >= 80, family
        assert {case["form"] for case in found} == FORMS
        assert {case["family"] for case in found} == {family}
        assert len({case["case"] for case in found}) == len(found)
        told = {(case["text"], case.get("env"), case.get("stage")) for case in found}
        assert len(told) == len(found)
        refused = [case for case in found if "refused" in case["expect"]]
        assert 20 <= len(refused) <= len(found) - 40
        for form in FORMS - {"near-miss"}:
            assert any(case["form"] == form and "applied" in case["expect"] for case in found)


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case['family']}: {case['case']}")
def test_a_natural_answer_is_applied_or_refused(case: dict[str, Any]) -> None:
    stage = stage_of(case)
    env, text = opened(case)
    said = env.check_action(AGENT, text)
    asked_again = case["family"] == "graph" and said is not None and "not all of your" not in said
    if asked_again:  # within the turn: what is partly sent is not asked for again
        told = env.ask_again(AGENT, text)
        assert told is not None
        assert told[1]["error"] == said
        assert env.metrics()["invalid_actions"] == 1
        assert env.check_action(AGENT, stage.plain(env)) is None or "env" in case
    *_, infos = env.step(actions(env, text, stage.idle))
    assert infos[AGENT]["error"] == said
    assert infos[AGENT]["valid"] is (said is None)
    if "refused" in case["expect"]:
        assert said is not None
        assert case["expect"]["refused"] in said
        assert len(said) <= 200
        assert stage.untouched(env)
        refusals = sum(info["valid"] is False for info in infos.values())
        assert env.metrics()["invalid_actions"] == refusals + asked_again
        assert AGENT in env.agents or case["family"] == "graph"  # it can answer again
    else:
        assert said is None
        assert stage.applied(env, case["expect"]["applied"])


@pytest.mark.parametrize("family", FAMILIES)
def test_seats_and_records_say_the_same(family: str) -> None:
    for case in CASES[family]:
        stage = stage_of(case)
        env, text = opened(case)
        said = env.check_action(AGENT, text)
        before = [stage.idle] * stage.steps_before
        episode = rolled(case, [*before, text])
        turn = [turn for turn in episode.turns if turn.agent == AGENT][stage.steps_before]
        assert (turn.action, turn.valid, turn.error) == (text, said is None, said), case["case"]
        assert (turn.reasoning > 0) == (case["form"] == "reasoning"), case["case"]
        seat = SeatEnv(lambda made=env: made, seat=AGENT, partners=Scripted([], stage.idle))
        _, info = seat.reset(seed=SEED)
        for action in [*before, text]:
            *_, info = seat.step(action)
        if family != "pairs" and AGENT in env.agents:  # a partner's turn follows in pairs
            assert (info["valid"], info["error"]) == (said is None, said), case["case"]


def rolled(case: Mapping[str, Any], texts: list[str]) -> Episode:
    stage = stage_of(case)
    kwargs = {**stage.kwargs, **case.get("kwargs", {}), "max_cycles": len(texts) + 1}
    env = coordgym.make(case.get("env", stage.id), **kwargs)
    return coordgym.rollout(env, Scripted(texts, stage.idle), SEED)


# --- any decoration of a right answer ----------------------------------------------------

THOUGHTS = st.sampled_from(
    [
        "{}",
        "<think>{wrong}</think>{}",
        "<thinking>\n{wrong}\n</thinking>\n\n{}",
        "{wrong}? No.</think>\n{}",
        "[THINK]{wrong}[/THINK]{}",
        "◁think▷{wrong}◁/think▷{}",
        "<seed:think>{wrong}</seed:think>{}",
        "<|START_THINKING|>{wrong}<|END_THINKING|>{}",
        "<|channel|>analysis<|message|>{wrong}<|end|><|start|>assistant<|channel|>final<|message|>{}",
        "<REASONING>{wrong}</REASONING>\n{}",
    ]
)
LINES = st.sampled_from(
    ["{}", "{}\n", "\n\n{}", "I am sure.\n\n{}", "**{}**", "`{}`", "```\n{}\n```", "- {}", '"{}"']
)
VALUES = st.sampled_from(
    [
        *("{}", "**{}**", "`{}`", "<{}>", "[{}]", "({})", "{}.", "$\\boxed{{{}}}$", "_{}_"),
        *("Answer: {}", "答案：{}", "Antwort: {}", "{} (sure)", "{}, because it fits", "→ {}"),
        *("{} or so", "not {}", "{}/{}", "maybe {}", "{}?"),
    ]
)
ANSWERS: dict[str, tuple[str, Callable[[str, str], str]]] = {
    # What is wrong, and how a right value (or a decorated one) becomes an action.
    "silo": ("submit_result(0)", lambda value, _: f"submit_result({json.dumps(value)})"),
    "graph": ("### Final Answer ### No", lambda value, _: f"### Final Answer ### {value}"),
    "swarm": ("ACTION: DOWN", lambda value, _: f"ACTION: {value}"),
    "pairs": (
        'FINAL ANSWER: {"path": [[0, 0]]} ACTI!',
        lambda value, field: f'FINAL ANSWER: {{"{field}": {value}}} ACTI!',
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
@given(thoughts=THOUGHTS, line=LINES, values=st.lists(VALUES, max_size=2))
def test_a_decorated_right_answer_is_never_final_and_wrong(
    family: str, thoughts: str, line: str, values: list[str]
) -> None:
    stage = STAGES[family]
    env, _ = opened({"family": family, "text": ""})
    words = stage.words(env)
    right = {"silo": words.get("{answer}"), "graph": "Yes", "swarm": "UP"}.get(family)
    value = right or words["{value}"]
    for decoration in values if family != "pairs" else ():
        value = decoration.replace("{}", value).replace("{{", "{").replace("}}", "}")
    wrong, written = ANSWERS[family]
    text = line.replace("{}", written(value, words.get("{field}", "")))
    text = thoughts.replace("{wrong}", wrong).replace("{}", text)
    said = env.check_action(AGENT, text)
    *_, infos = env.step(actions(env, text, stage.idle))
    assert infos[AGENT]["error"] == said
    applied = {"graph": "Yes", "swarm": "UP"}.get(family, "")
    if said is None and not stage.untouched(env):
        assert stage.applied(env, applied), text
    if not values and line in ("{}", "{}\n", "\n\n{}"):
        assert said is None, text


@pytest.mark.parametrize(
    "task", [entry.kwargs["task"] for entry in coordgym.list_envs(family="silo")]
)
def test_right_answers_of_every_type_are_submitted_as_texts_too(task: str) -> None:
    env_id = next(e.id for e in coordgym.list_envs(family="silo") if e.kwargs["task"] == task)
    for form in ("{}", '{{"answer": {}}}', "Answer: {}", "**{}**", "```json\n{}\n```"):
        env = coordgym.make(env_id, n_agents=3).unwrapped
        env.reset(seed=SEED)
        right = env.instance["answer"]
        value = right[0] if env.task.segmented else right
        spelled = value if isinstance(value, str) else json.dumps(value)
        text = f"submit_result({json.dumps(form.format(spelled), ensure_ascii=False)})"
        said = env.check_action(AGENT, text)
        _, rewards, *_ = env.step(actions(env, text, "wait()"))
        assert (rewards[AGENT] == 1.0) == (said is None), (form, text[:80], said)
