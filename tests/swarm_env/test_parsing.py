"""Reading answers, and who hears which message when."""

from string import ascii_letters, digits

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordgym.swarm_env.messages import Hearing, Mailbox
from coordgym.swarm_env.parsing import CUT_MARK, MAX_MESSAGE_CHARS, parse_answer

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
        ("ACTION: **UP**", ("UP", "", True)),
        ("**ACTION: UP**", ("UP", "", True)),
        ("**ACTION:** UP\n**MSG:** come *here*", ("UP", "come *here*", True)),
        ("**Action**: `up`.", ("UP", "", True)),
        ("- ACTION: UP\n- MSG: hi", ("UP", "hi", True)),
        ("1. `ACTION: UP`\n2. `MSG: hi`", ("UP", "hi", True)),
        ("“ACTION: UP.”\n'MSG: \"hi\"'", ("UP", '"hi"', True)),
        ("MSG: **hi**", ("STAY", "**hi**", True)),
        ("MSG: hi.\nACTION: UP.", ("UP", "hi.", True)),
        ("**MSG: hi** you", ("STAY", "**hi** you", True)),
    ],
)
def test_strict_reading(text: str, expected: tuple[str, str, bool]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "**ACTION: UP** or so",
        "ACTION: UP, then DOWN",
        "ACTION: `UP` `DOWN`",
        "ACTION: UP or DOWN",
        "ACTION: UP/DOWN",
        "ACTION: UP | DOWN",
        "ACTION: up (or down)",
        "ACTION: UP then LEFT",
        "ACTION: LEFT is blocked, so RIGHT",
        "ACTION: LEFT is blocked so I go up",
        "ACTION: <UP|DOWN|LEFT|RIGHT|STAY>",
        "ACTION: UP - no, DOWN",
        "ACTION: MOVE UP",
        "ACTION: UPWARDS",
        '{"action": "UP or DOWN"}',
        '{"action": 1}',
        '{"move": "UP"}',
        "My next **ACTION: UP**",
        "> ACTION: UP",
        "-ACTION: UP",
        "ACTION UP",
        "**ACTION: UP**\n**ACTION: DOWN** or so",
        "ACTION: UP\n- ACTION: up or down",
    ],
)
def test_what_is_unclear_is_refused(text: str) -> None:
    assert read(text) == ("STAY", "", False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ACTION: **UP", ""),
        ("**ACTION: UP", ""),
        ("**ACTION: UP*", ""),
        ("ACTION: UP..", ""),
        ("ACTION: **UP.**.", ""),
        ("ACTION: UP!", ""),
        ("ACTION: <UP>", ""),
        ("ACTION: [up]", ""),
        ("ACTION: ****************UP****************", ""),
        ("ACTION: UP (to P)", ""),
        ("ACTION: UP - because DOWN is blocked", ""),
        ("ACTION: UP, since the wall is right of me", ""),
        ("ACTION: UP — towards the prey\nMSG: hi", "hi"),
        ("ACTION: UP # comment", ""),
        ("ACTION: $\\boxed{UP}$", ""),
        ("ACTION: UP | MSG: go", "go"),
        ("ACTION: UP, MSG: left is free", "left is free"),
        ("ACTION:UP MSG:go", "go"),
        ('{"action": "UP", "message": "go"}', "go"),
        ('```json\n{"Action": "up", "msg": "go\nnow"}\n```', "go now"),
        ('{"action": "DOWN"} or better {"action": "UP"}', ""),
        ('ACTION: UP\n{"action": "DOWN"}', ""),
        ('{"thought": "x", "action": "<UP>"}', ""),
    ],
)
def test_what_stands_around_one_name_does_not_hide_it(text: str, message: str) -> None:
    assert read(text) == ("UP", message, True)


@given(
    st.sampled_from(NAMES),
    st.sampled_from(["{}", "<{}>", "[{}]", "**{}**", "`{}`", "{}!", "\\boxed{{{}}}", "→ {}"]),
    st.sampled_from(["", " (to P)", " - go on", ", because it is near", " # yes", "; done", "."]),
)
def test_a_decorated_name_is_read(name: str, decoration: str, remark: str) -> None:
    for form in (name, name.lower(), name.title()):
        assert read(f"ACTION: {decoration.format(form)}{remark}") == (name, "", True)


@given(
    st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True),
    st.sampled_from(["/", ", ", " or ", " | ", " and ", " then ", " - "]),
)
def test_two_names_are_no_choice(names: list[str], joint: str) -> None:
    assert read(f"ACTION: {joint.join(names)}") == ("STAY", "", False)
    assert read(f"ACTION: {joint.join(names).lower()}") == ("STAY", "", False)


@pytest.mark.parametrize("text", ["**ACTION: UP**", "- ACTION: UP", "`ACTION: UP`"])
def test_compat_reads_no_decorated_lines(text: str) -> None:
    assert read(text, compat=True) == ("STAY", "", False)


WRAPPINGS = ("", "*", "**", "***", "`", "``", '"', "'", "**`", '"**')
MARKS = st.sampled_from(WRAPPINGS)
BULLETS = st.sampled_from(["", "- ", "* ", "+ ", "• ", "1. ", "12) ", "  - ", "\t"])
WORDS = st.text(alphabet="abc d?!,(0)é", max_size=30).map(str.strip)


@given(BULLETS, MARKS, MARKS, st.sampled_from(["line", "head", "tag"]), st.booleans(), st.data())
def test_a_decorated_line_means_what_the_bare_one_means(
    bullet: str, marks: str, inner: str, around: str, stop: bool, data: st.DataObject
) -> None:
    def decorated(tag: str, rest: str) -> str:
        closing = marks[::-1]
        if around == "tag":
            return f"{bullet}{marks}{tag}{closing}: {rest}"
        if around == "head":
            return f"{bullet}{marks}{tag}:{closing} {rest}"
        return f"{bullet}{marks}{tag}: {rest}{closing}"

    name = data.draw(st.sampled_from([*NAMES, *map(str.lower, NAMES)]))
    other, words = data.draw(st.sampled_from(NAMES)), data.draw(WORDS)
    value = lambda word: f"{inner}{word}{'.' * stop}{inner[::-1]}"  # noqa: E731
    bare = f"ACTION: {name}\nMSG: {words}\nAGENT 2: {other}"
    lines = [
        decorated("ACTION", value(name)),
        decorated("MSG", words),
        decorated("AGENT 2", value(other)),
    ]
    expected = parse_answer(bare, NAMES, max_chars=10_000, commanded=range(1, 5))
    found = parse_answer("\n".join(lines), NAMES, max_chars=10_000, commanded=range(1, 5))
    assert found == expected
    assert expected.given
    assert expected.commands == {2: other}


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


def streams(round_: int, speaker: int) -> np.random.Generator:
    return np.random.default_rng((round_, speaker))


def heard(hearing: Hearing, before: list[tuple[int, int]], after: list[tuple[int, int]]) -> str:
    """Who hears agent 0, as a string of numbers."""
    box = Mailbox(hearing, streams)
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
    box = Mailbox(hearing, streams)
    box.speak(0, {1: "hi"}, CELLS)
    assert box.deliver(1, CELLS) == [["hi"], [], [], []]


def test_the_order_of_messages_does_not_tell_who_spoke() -> None:
    for texts in ({0: "a", 1: "b"}, {0: "b", 1: "a"}):
        box = Mailbox(Hearing(9), streams)
        box.speak(0, texts, CELLS)
        assert box.deliver(1, CELLS)[2] == ["a", "b"]


def test_delay() -> None:
    box = Mailbox(Hearing(9, delay=(1, 3)), streams)
    arrivals = []
    for round_ in range(60):
        arrivals += [round_ - int(text) for text in box.deliver(round_, CELLS)[1]]
        if round_ < 50:
            box.speak(round_, {0: str(round_)}, CELLS)
    assert len(arrivals) == 50
    assert set(arrivals) == {2, 3, 4}


@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize("others", [{}, {0: "a"}, {0: "abc", 3: "d" * 120}])
def test_nobody_decides_how_messages_of_others_arrive(compat: bool, others: dict[int, str]) -> None:
    def arrivals(said: dict[int, str]) -> set[tuple[int, int, str]]:
        box = Mailbox(Hearing(9, compat=compat, noise=0.3, delay=(0, 3)), streams)
        found: list[tuple[int, int, str]] = []
        for round_ in range(9):
            spoken = dict(sorted({**said, 2: f"{round_} hello there"}.items()))
            box.speak(round_, spoken if round_ < 5 else {}, CELLS)
            for hearer, texts in enumerate(box.deliver(round_ + 1, CELLS)):
                found.extend((round_, hearer, text) for text in texts)
        return {each for each in found if len(each[2]) == len("0 hello there")}

    alone = arrivals({})
    assert len({text for _, _, text in alone}) > 10, "every hearer has its own noise"
    assert arrivals(others) == alone


def test_noise_corrupts_characters_with_its_probability() -> None:
    text = "." * 1000
    for noise, low, high in ((0.2, 120, 280), (1.0, 1000, 1000)):
        box = Mailbox(Hearing(9, noise=noise), streams)
        box.speak(0, {0: text}, CELLS)
        received = box.deliver(1, CELLS)[1][0]
        assert len(received) == len(text)
        assert low <= sum(c != "." for c in received) <= high


@pytest.mark.parametrize("character", ["a", "z", "Z", "9", "?"])
def test_a_corrupted_character_is_always_another_letter_or_digit(character: str) -> None:
    box = Mailbox(Hearing(9, noise=1.0), streams)
    box.speak(0, {0: character * 5000}, CELLS)
    received = set(box.deliver(1, CELLS)[1][0])
    assert received == set(ascii_letters + digits) - {character}
