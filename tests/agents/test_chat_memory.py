"""Bounded memory of a chat: what leaves, what stays, what the prompt says about it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordgym.agents.memory import NO_REPLY, Conversation, PromptBound, count_characters
from coordgym.errors import ModelError

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="["), max_size=60)


def bound(limit: int) -> PromptBound:
    return PromptBound(limit, count_characters, "characters", "raise max_prompt_chars")


@given(
    instructions=TEXTS,
    # Most lists are longer than most limits, so that rounds have to leave.
    rounds=st.lists(st.tuples(TEXTS, TEXTS), max_size=10).map(lambda some: some * 4)
    | st.lists(st.integers(30, 60).map(lambda size: ("o" * size, "r" * size)), min_size=15),
    limit=st.integers(250, 700),
)
def test_prompts_keep_their_bound_and_lose_only_the_oldest(
    instructions: str, rounds: list[tuple[str, str]], limit: int
) -> None:
    chat = Conversation(instructions, bound(limit))
    for done, (observation, reply) in enumerate(rounds):
        messages = chat.prompt(observation)
        assert count_characters(messages) <= limit
        contents = [message["content"] for message in messages]
        if instructions:
            assert contents.pop(0) == instructions
        notice = re.match(r"\[(\d+) of the earlier rounds are left out.*?\]\n\n", contents[0])
        dropped = int(notice.group(1)) if notice else 0
        assert dropped == chat.dropped == done - chat.rounds
        if notice:
            contents[0] = contents[0][notice.end() :]
        kept = rounds[dropped:done]
        expected = [text for past in kept for text in (past[0], past[1] or NO_REPLY)]
        assert contents == [*expected, observation]
        roles = [message["role"] for message in messages if message["role"] != "system"]
        assert roles == ["user", "assistant"] * len(kept) + ["user"]
        chat.remember(observation, reply)


def test_the_newest_rounds_stay_and_are_told_apart() -> None:
    chat = Conversation("rules", bound(400))
    for i in range(30):
        messages = chat.prompt(f"observation {i:02}")
        kept = [message["content"][-2:] for message in messages[1:-1:2]]
        assert kept == [f"{past:02}" for past in range(chat.dropped, i)]
        assert count_characters(messages) <= 400
        chat.remember(f"observation {i:02}", f"reply {i:02}")
    assert 10 < chat.dropped < 30


def test_a_prompt_of_exactly_the_limit_loses_nothing() -> None:
    earlier, newest = "e" * 100, "n" * 100
    size = len("rules") + len(earlier) + len("go") + len(newest)
    for limit, dropped in ((size, 0), (size - 1, 1)):
        chat = Conversation("rules", bound(limit))
        chat.remember(earlier, "go")
        chat.prompt(newest)
        assert chat.dropped == dropped


def test_nothing_leaves_while_everything_fits() -> None:
    chat = Conversation("rules", bound(1000))
    for i in range(10):
        chat.prompt(f"round {i}")
        chat.remember(f"round {i}", "go")
    assert (chat.dropped, chat.rounds) == (0, 10)


def test_more_leave_than_must_so_that_prompts_begin_alike() -> None:
    chat = Conversation("rules", bound(1000))
    beginnings = []
    for i in range(40):
        messages = chat.prompt(f"round {i:02} {'x' * 40}")
        beginnings.append(messages[1]["content"])
        chat.remember(f"round {i:02} {'x' * 40}", "go")
    # Rounds leave several at a time: the first message changes in few of the 40 rounds.
    assert chat.dropped > 0
    assert len(set(beginnings)) <= 9


def test_too_long_newest_observation_is_refused_and_explained() -> None:
    chat = Conversation("rules", bound(300))
    with pytest.raises(ModelError, match="505 characters, more than the prompt's limit of 300"):
        chat.prompt("x" * 500)
    assert chat.prompt("short")


def test_examples_come_first_and_never_leave() -> None:
    chat = Conversation("rules", bound(400), examples=[("see", "do")])
    for _ in range(20):
        messages = chat.prompt("y" * 60)
        assert [message["content"] for message in messages[:3]] == ["rules", "see", "do"]
        chat.remember("y" * 60, "go")
    assert chat.dropped > 0
