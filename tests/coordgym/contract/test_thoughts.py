"""No loop acts on what a model only thinks: steps, checks, seats, rollouts and retold rounds."""

from typing import Any

import pytest
from countdown import CountdownEnv

import coordgym
from coordgym.contract.replies import UNFINISHED
from coordgym.episodes.episode import Episode
from coordgym.episodes.replay import replay
from coordgym.episodes.rollout import rollout
from coordgym.episodes.seat import SeatEnv
from coordgym.errors import ConfigError
from coordgym.policies.protocol import Completion

THOUGHTS = {
    "tags": "<think>\nFirst idea:\n{thought}\n</think>\n{answer}",
    "opened by the prompt": "First idea:\n{thought}\n</think>\n{answer}",
    "another word": "<Thinking>{thought}</Thinking>{answer}",
    "square brackets": "[THINK]{thought}[/THINK]{answer}",
    "channels": "<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant"
    "<|channel|>final<|message|>{answer}<|return|>",
}
UNENDED = {
    "tags": "<think>\nFirst idea:\n{thought}\nNo, that would be",
    "channels": "<|channel|>analysis<|message|>{thought}",
    "a second thought": "<think>a</think>{thought}<think>{thought}",
}
FAMILIES = {
    "SiloGlobalMax-v0": ("submit_result(1)", 'send_message(1, "my largest is 8")'),
    "GraphColoring-v0": ('{"nobody": "a draft"}', "{}"),
    "SwarmPursuit-v0": ("ACTION: UP\nMSG: secret plan", "ACTION: DOWN"),
    "PairMaze-v0": ('ACTI! FINAL ANSWER: {"moves": ["U"]}', "What do you see?"),
}
CASES = [(env_id, form) for env_id in FAMILIES for form in THOUGHTS]


def stepped(env_id: str, text: str, **kwargs: Any) -> tuple[Any, ...]:
    """Step once with a text of agent_0 and legal texts of the others; return all that shows it."""
    env = coordgym.make(env_id, **kwargs)
    env.reset(seed=3)
    checked = env.check_action("agent_0", text)
    others = {}
    for agent in env.agents[1:]:
        env.action_space(agent).seed(1)
        others[agent] = env.action_space(agent).sample()
    returned = env.step({"agent_0": text, **others})
    shown = returned, env.state(), env.metrics()
    return checked, *shown


@pytest.mark.parametrize(("env_id", "form"), CASES)
def test_a_reply_is_applied_as_its_answer_alone(env_id: str, form: str) -> None:
    thought, answer = FAMILIES[env_id]
    text = THOUGHTS[form].format(thought=thought, answer=answer)
    assert stepped(env_id, text) == stepped(env_id, answer)
    assert stepped(env_id, text)[0] is None


@pytest.mark.parametrize("env_id", FAMILIES)
@pytest.mark.parametrize("form", UNENDED)
def test_a_reply_without_an_end_is_refused(env_id: str, form: str) -> None:
    thought, _ = FAMILIES[env_id]
    checked, returned, _, figures = stepped(env_id, UNENDED[form].format(thought=thought))
    observations, *_, infos = returned
    assert checked == UNFINISHED == infos["agent_0"]["error"]
    assert (infos["agent_0"]["valid"], figures["invalid_actions"]) == (False, 1)
    assert UNFINISHED in observations["agent_0"]
    assert not any(UNFINISHED in observations[agent] for agent in list(observations)[1:])


@pytest.mark.parametrize("env_id", FAMILIES)
def test_thoughts_can_be_kept(env_id: str) -> None:
    thought, answer = FAMILIES[env_id]
    unended = stepped(env_id, UNENDED["tags"].format(thought=thought), reasoning="keep")
    assert unended[0] != UNFINISHED
    if env_id != "GraphColoring-v0":  # where the last object of a text counts
        text = THOUGHTS["tags"].format(thought=thought, answer=answer)
        assert stepped(env_id, text, reasoning="keep")[1:] != stepped(env_id, answer)[1:]
    assert stepped(env_id, answer, reasoning="keep") == stepped(env_id, answer)
    with pytest.raises(ConfigError, match="reasoning must be one of"):
        coordgym.make(env_id, reasoning="drop")


@pytest.mark.parametrize(("env_id", "form"), CASES)
def test_seats_do_not_act_on_thoughts(env_id: str, form: str) -> None:
    thought, answer = FAMILIES[env_id]
    text = THOUGHTS[form].format(thought=thought, answer=answer)
    seen = []
    for reply in (text, answer):
        seat = SeatEnv(env_id, partners="random")
        seat.reset(seed=3)
        assert seat.check_action(reply) is None
        seen.append((seat.step(reply), seat.env.state()))
    assert seen[0] == seen[1]


class Thinker:
    """Says one text again and again."""

    name = "thinker"

    def __init__(self, text: str) -> None:
        self.text = text

    def reset(self, *_: Any) -> None:
        pass

    def act(self, observations: Any, infos: Any) -> dict[str, Completion]:
        return {agent: Completion(self.text, reasoning="apart") for agent in observations}


@pytest.mark.parametrize(("env_id", "form"), CASES)
def test_records_keep_the_whole_text_and_replay(env_id: str, form: str) -> None:
    thought, answer = FAMILIES[env_id]
    text = THOUGHTS[form].format(thought=thought, answer=answer)
    env = coordgym.make(env_id, max_cycles=2)
    policy = coordgym.PolicyMap({"agent_0": Thinker(text), "*": "random"})
    episode = rollout(env, policy, 3)
    turn = episode.turns[0]
    assert (turn.action, turn.reasoning) == (text, len(text) - len(answer))
    assert turn.usage is not None
    assert turn.usage.reasoning == "apart"
    assert turn.valid
    again = Episode.from_line(episode.to_line())
    assert again.turns[0].reasoning == turn.reasoning
    assert replay(again).difference is None
    assert not any(thought in each.observation for each in episode.turns)


def test_records_of_before_still_read() -> None:
    episode = rollout(CountdownEnv(n_agents=1), Thinker("1"), 0)
    old = episode.to_line().replace(', "reasoning": 0', "").replace(', "reasoning": "apart"', "")
    assert "reasoning" not in old
    again = Episode.from_line(old)
    assert again.turns[0].reasoning == 0
    assert again.turns[0].usage is not None
    assert again.turns[0].usage.reasoning is None


def test_the_limit_concerns_what_is_left() -> None:
    env = CountdownEnv(n_agents=1, max_action_chars=2)
    env.reset(seed=0)
    long = f"<think>{'hm ' * 1000}</think>"
    assert env.check_action("agent_0", f"{long}22") is None
    assert "at most 2" in str(env.check_action("agent_0", f"{long}222"))
    env.step({"agent_0": f"{long}22"})
    assert env.total == 22


def test_retold_rounds_are_without_thoughts() -> None:
    env = CountdownEnv(n_agents=1, repeat_instructions=True)
    env.reset(seed=0)
    observations, *_ = env.step({"agent_0": "<think>or 6?</think>\n5"})
    assert "You answered: 5" in observations["agent_0"]
    assert "or 6?" not in observations["agent_0"]
    observations, *_ = env.step({"agent_0": "<think>or 7?"})
    assert "[an unusable text]" in observations["agent_0"]
    assert "or 7?" not in observations["agent_0"]


class Whispering(CountdownEnv):
    """An agent may whisper a digit before the round's action, of which it is the beginning."""

    whispered = "1"

    def whole_action(self, agent: str, text: str) -> str:
        return self.whispered + text


@pytest.mark.parametrize(
    ("text", "kept", "reasoning"),
    [
        ("2", "12", 0),
        ("<think>or 6?</think>\n2", "<think>or 6?</think>\n12", 21),
        ("<think>or 6?</think>\n", "<think>or 6?</think>\n1", 21),
        ("<think>or 6?", "1<think>or 6?", 13),
        ("<|channel|>final<|message|>2", "<|channel|>final<|message|>12", 27),
        (
            '<|channel|>commentary to=f<|message|>{"a": 2}',
            '1{"name": "f", "arguments": {"a": 2}}',
            0,
        ),
    ],
)
def test_what_was_done_before_stands_where_the_answer_begins(
    text: str, kept: str, reasoning: int
) -> None:
    env = Whispering(n_agents=1)
    env.reset(seed=0)
    assert env.recorded_action("agent_0", text) == (kept, reasoning)
    as_it_is = Whispering(n_agents=1, reasoning="keep")
    as_it_is.reset(seed=0)
    assert as_it_is.recorded_action("agent_0", text) == (f"1{text}", 0)
