"""What the swarm's agents are told: views, memory, messages, and the facts of the instructions."""

from typing import Any

import pytest
from cases import cases

import coordgym

VIEWS = cases("swarm_views")
ID = "coordgym/SwarmPursuit-v0"


def still(env: Any, **texts: str) -> dict[str, str]:
    return {agent: texts.get(agent, "ACTION: STAY") for agent in env.agents}


@pytest.mark.parametrize("case", [case for case in VIEWS if case["prey"]])
def test_prompts_show_the_reference_views(case: dict[str, Any]) -> None:
    for size, by_agent in case["views"].items():
        env = coordgym.make(ID, n_agents=case["num_agents"], view_size=int(size))
        state = {k: case[k] for k in ("width", "height", "grid", "agents", "prey")}
        observations, infos = env.reset(seed=0, options={"instance": state})
        for number, expected in by_agent.items():
            agent = f"agent_{number}"
            assert infos[agent]["view"]["cells"] == expected["prompt"]
            for line in expected["prompt"]:
                assert ": " + " ".join(f"{cell:>3}" for cell in line) in observations[agent]


@pytest.mark.parametrize("case", [case for case in VIEWS if case["prey"]])
def test_compat_hearing_equals_the_reference(case: dict[str, Any]) -> None:
    env = coordgym.make(ID, n_agents=case["num_agents"], compat="swarmbench")
    state = {k: case[k] for k in ("width", "height", "grid", "agents", "prey")}
    env.reset(seed=0, options={"instance": state})
    texts = {agent: f"MSG: {agent}" for agent in env.agents}
    infos = env.step(texts)[-1]
    heard = {
        agent.removeprefix("agent_"): [m.removeprefix("agent_") for m in info["view"]["messages"]]
        for agent, info in infos.items()
    }
    assert heard == case["hears_k5"]


@pytest.mark.parametrize("text", ["full", "compact"])
def test_texts_tell_the_remembered_rounds_in_order_with_what_was_said(text: str) -> None:
    env = coordgym.make(ID, text=text)
    env.reset(seed=0)
    for name in ("one", "two"):
        texts = still(env, agent_4=f"ACTION: STAY\nMSG: I say {name}")
        observations, *_, infos = env.step(texts)
    told = observations["agent_4"]
    now = told.index("NOW: 2" if text == "full" else "round 2/100")
    assert told.index("I say one") < told.index("I say two") < now
    assert [item["message"] for item in infos["agent_4"]["view"]["memory"]] == [
        "I say one",
        "I say two",
    ]


@pytest.mark.parametrize("text", ["full", "compact"])
def test_every_message_is_told(text: str) -> None:
    env = coordgym.make(ID, text=text, view_size=21)
    env.reset(seed=0)
    observations, *_, infos = env.step({agent: f"MSG: this is {agent}." for agent in env.agents})
    for agent, told in observations.items():
        others = sorted(f"this is {other}." for other in env.agents if other != agent)
        assert infos[agent]["view"]["messages"] == others
        assert all(message in told for message in others)


@pytest.mark.parametrize(("compat", "heard"), [(None, ["hi"]), ("swarmbench", [])])
def test_who_hears_is_decided_where_the_rule_set_says(compat: str | None, heard: list[str]) -> None:
    # Two columns apart when agent 0 speaks, three when the message arrives.
    agents = {"0": {"pos": [3, 2]}, "1": {"pos": [3, 4]}}
    state = {"width": 8, "height": 8, "agents": agents, "objects": [], "prey": [6, 6]}
    env = coordgym.make(ID, n_agents=2, compat=compat)
    env.reset(seed=0, options={"instance": state})
    infos = env.step({"agent_0": "MSG: hi", "agent_1": "ACTION: RIGHT"})[-1]
    assert infos["agent_1"]["view"]["messages"] == heard


def test_only_news_without_repetition() -> None:
    env = coordgym.make(ID, repeat_instructions=False)
    observations, infos = env.reset(seed=0)
    assert infos["agent_0"]["instructions"] in observations["agent_0"]
    observations, *_, infos = env.step(still(env))
    assert "THE TASK" not in observations["agent_0"]
    assert "memory" not in infos["agent_0"]["view"]


@pytest.mark.parametrize("text", ["full", "compact"])
@pytest.mark.parametrize(
    ("delay", "full", "compact"),
    [
        ((0, 0), "heard in the next round by", " next round,"),
        ((0, 4), "heard 1 to 5 rounds later by", " 1..5 rounds later,"),
        ((2, 2), "heard 3 rounds later by", " 3..3 rounds later,"),
    ],
)
def test_texts_and_views_tell_when_and_how_messages_arrive(
    text: str, delay: tuple[int, int], full: str, compact: str
) -> None:
    env = coordgym.make(ID, delay=delay, noise=0.2, text=text)
    _, infos = env.reset(seed=0)
    told = infos["agent_3"]["instructions"]
    assert (full if text == "full" else compact) in told
    assert "0.2" in told
    view = infos["agent_3"]["view"]
    assert (view["delay"], view["noise"], view["compat"]) == (list(delay), 0.2, False)


@pytest.mark.parametrize("text", ["full", "compact"])
@pytest.mark.parametrize("compat", [None, "swarmbench"])
def test_the_texts_tell_which_action_line_counts(text: str, compat: str | None) -> None:
    env = coordgym.make(ID, text=text, compat=compat)
    observations, infos = env.reset(seed=0)
    word = "first" if compat else "last"
    assert f"{word} ACTION line counts" in observations["agent_0"].replace("The ", "")
    assert infos["agent_0"]["view"]["compat"] is (compat is not None)
    env.step(still(env, agent_0="ACTION: UP\nACTION: STAY"))
    assert env.unwrapped.action_log[0]["agent_0"] == ("UP" if compat else "STAY")


@pytest.mark.parametrize("text", ["full", "compact"])
@pytest.mark.parametrize("length", [119, 120, 121, 500])
def test_long_messages_are_heard_as_the_texts_tell(text: str, length: int) -> None:
    env = coordgym.make(ID, text=text, n_agents=2, centralized=True)
    _, infos = env.reset(seed=0)
    told = infos["agent_1"]["instructions"]
    assert "120 char" in told
    assert ('replaced by "..."' if text == "full" else "rest becomes '...'") in told
    infos = env.step(still(env, agent_0="MSG: " + "x" * length))[-1]
    heard = "x" * length if length <= 120 else "x" * 120 + "..."
    assert infos["agent_1"]["view"]["messages"] == [heard]
