"""Reading answers, and who hears which message when."""

from string import ascii_letters, digits

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordgym.swarm_env.actions import CUT_MARK, MAX_MESSAGE_CHARS, parse_answer
from coordgym.swarm_env.messages import Hearing, Mailbox

NAMES = ("UP", "DOWN", "LEFT", "RIGHT", "STAY")


def read(text: str, **kwargs: object) -> tuple[str, str, bool]:
    parsed = parse_answer(text, NAMES, max_chars=10_000, **kwargs)  # type: ignore[arg-type]
    return parsed.action, parsed.message, parsed.error is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ACTION: UP", ("UP", "", True)),
        ("I go up.\n  action : up  \nMSG: come: here", ("UP", "come: here", True)),
        ("ACTION: UP\nno, better\nACTION: DOWN", ("DOWN", "", True)),
        ("MSG: hello", ("STAY", "hello", True)),
        ("ACTION: UP\nMSG:", ("UP", "", True)),
        ("MSG: no\nMSG: yes: so\nACTION: UP", ("UP", "yes: so", True)),
        ("ACTION: UP\nACTION: up or down", ("STAY", "", False)),
        ("ACTION: SWITCH\nMSG: hi", ("STAY", "hi", False)),
        ("I would go UP", ("STAY", "", False)),
        ("", ("STAY", "", False)),
        ("ACTION: **UP**", ("STAY", "", False)),
    ],
)
def test_strict_reading(text: str, expected: tuple[str, str, bool]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ACTION: UP\nACTION: DOWN", ("UP", "", True)),
        ("ACTION: **move right**, then up", ("RIGHT", "", True)),
        ("ACTION: jump\nACTION: UP", ("STAY", "", False)),
    ],
)
def test_compat_reading(text: str, expected: tuple[str, str, bool]) -> None:
    assert read(text, compat=True) == expected


def test_commands_of_the_commander() -> None:
    text = "AGENT 2: left\nAGENT 3: sideways\nAGENT 9: UP\nACTION: UP"
    parsed = parse_answer(text, NAMES, max_chars=1000, commanded=range(1, 5))
    assert parsed.commands == {2: "LEFT"}
    assert parsed.action == "UP"
    assert parsed.error is not None
    assert "AGENT 3" in parsed.error
    for commander_of in (None, ()):
        parsed = parse_answer(text, NAMES, max_chars=1000, commanded=commander_of)
        assert (parsed.commands, parsed.error is None) == ({}, commander_of is None)


@pytest.mark.parametrize("number", ["0", "5", "9", "123456789"])
def test_commands_to_nobody_are_told_and_the_others_count(number: str) -> None:
    text = f"AGENT {number}: UP\nAGENT 4: DOWN"
    parsed = parse_answer(text, NAMES, max_chars=1000, commanded=range(1, 5))
    assert parsed.commands == {4: "DOWN"}
    assert parsed.error == f"there is no agent {number} on the map that you can command"


def test_the_last_command_to_an_agent_counts_in_any_spelling() -> None:
    text = "  agent 02 : up\r\nAGENT 2: down \r\n"
    parsed = parse_answer(text, NAMES, max_chars=1000, commanded=range(1, 5))
    assert (parsed.commands, parsed.error) == ({2: "DOWN"}, None)
    assert parse_answer(text, NAMES, max_chars=5, commanded=range(1, 5)).commands == {}


def test_long_messages_are_cut() -> None:
    assert read("MSG: " + "x" * 120)[1] == "x" * 120
    assert read("MSG: " + "x" * 121)[1] == "x" * MAX_MESSAGE_CHARS + CUT_MARK


@given(st.text(max_size=300), st.booleans())
def test_any_text_is_survived(text: str, compat: bool) -> None:
    parsed = parse_answer(text, NAMES, max_chars=200, compat=compat, commanded=range(3))
    assert parsed.action in NAMES
    assert len(parsed.message) <= MAX_MESSAGE_CHARS + len(CUT_MARK)
    assert parsed.message.isprintable()
    assert parsed.given or parsed.action == "STAY"
    assert parsed.error is None or len(parsed.error) <= 200


@given(
    st.sampled_from(NAMES),
    st.text(alphabet=st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=100),
    st.text(alphabet="abc .,\n", max_size=100),
)
def test_what_is_written_is_read(name: str, message: str, thought: str) -> None:
    action, heard, fine = read(f"{thought}\nACTION: {name}\nMSG: {message}\n")
    assert (action, fine) == (name, True)
    assert heard == message.strip() or not message.isprintable()


CELLS = [(1, 1), (3, 3), (4, 1), (1, 2)]


def heard(hearing: Hearing, before: list[tuple[int, int]], after: list[tuple[int, int]]) -> str:
    """Who hears agent 0, as a string of numbers."""
    box = Mailbox(hearing, np.random.default_rng(0))
    box.speak(0, {0: "hi", 1: ""}, before)
    assert box.count == 1
    return "".join(str(n) for n, texts in enumerate(box.deliver(1, after)) if texts)


def test_default_hearing_is_by_the_distance_when_spoken() -> None:
    far = [(9, 9)] * 4
    assert heard(Hearing(2), CELLS, far) == "13"
    assert heard(Hearing(2), [(1, 1), *far[1:]], CELLS) == ""


def test_compat_hearing_is_by_the_distance_at_delivery_and_includes_the_speaker() -> None:
    assert heard(Hearing(2, compat=True), [(9, 9)] * 4, CELLS) == "013"


def test_centralized_hearing_joins_the_commander_and_the_others() -> None:
    hearing = Hearing(2, centralized=True)
    assert heard(hearing, [(0, 0), (99, 99), (50, 50), (1, 1)], CELLS) == "123"
    box = Mailbox(hearing, np.random.default_rng(0))
    box.speak(0, {1: "hi"}, CELLS)
    assert box.deliver(1, CELLS) == [["hi"], [], [], []]


def test_the_order_of_messages_does_not_tell_who_spoke() -> None:
    for texts in ({0: "a", 1: "b"}, {0: "b", 1: "a"}):
        box = Mailbox(Hearing(9), np.random.default_rng(0))
        box.speak(0, texts, CELLS)
        assert box.deliver(1, CELLS)[2] == ["a", "b"]


def test_delay() -> None:
    box = Mailbox(Hearing(9, delay=(1, 3)), np.random.default_rng(0))
    arrivals = []
    for round_ in range(60):
        arrivals += [round_ - int(text) for text in box.deliver(round_, CELLS)[1]]
        if round_ < 50:
            box.speak(round_, {0: str(round_)}, CELLS)
    assert len(arrivals) == 50
    assert set(arrivals) == {2, 3, 4}


def test_noise_corrupts_characters_with_its_probability() -> None:
    text = "." * 1000
    for noise, low, high in ((0.2, 120, 280), (1.0, 1000, 1000)):
        box = Mailbox(Hearing(9, noise=noise), np.random.default_rng(0))
        box.speak(0, {0: text}, CELLS)
        received = box.deliver(1, CELLS)[1][0]
        assert len(received) == len(text)
        assert low <= sum(c != "." for c in received) <= high


@pytest.mark.parametrize("character", ["a", "z", "Z", "9", "?"])
def test_a_corrupted_character_is_always_another_letter_or_digit(character: str) -> None:
    box = Mailbox(Hearing(9, noise=1.0), np.random.default_rng(0))
    box.speak(0, {0: character * 5000}, CELLS)
    received = set(box.deliver(1, CELLS)[1][0])
    assert received == set(ascii_letters + digits) - {character}
