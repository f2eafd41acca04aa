"""Parsers of messages and answers: known defects of other parsers, and any text at all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordgym.silo_env.graph.parsing import (
    ANSWER_MARK,
    STRANGER,
    Dropped,
    dropped_error,
    parse_answer,
    parse_messages,
)

NEIGHBOURS = ("Ada", "Bao", "Jose", "Joseph")
GROUPS = tuple(f"Group {i}" for i in range(1, 13))


def messages(text: str) -> dict[str, str] | None:
    found = parse_messages(text, NEIGHBOURS, 4_000)
    return None if found.error else found.messages


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"Ada": "hi"}', {"Ada": "hi"}),
        ('I think.\n```json\n{"Ada": "hi", "Bao": "yo"}\n```\nDone.', {"Ada": "hi", "Bao": "yo"}),
        ("{}", {}),
        ("I have nothing to say: {}", {}),
        ('{"Ada": "line 1\\nline 2"}', {"Ada": "line 1\nline 2"}),
        ('{"Ada": "line 1\nline 2"}', {"Ada": "line 1\nline 2"}),
        ('{"Ada": "hi"}}', {"Ada": "hi"}),
        ('{"Ada": "hi"} }} ]', {"Ada": "hi"}),
        ('{{"Ada": "hi"}', {"Ada": "hi"}),
        ('Say {"Ada": "draft"} or better {"Ada": "final"}', {"Ada": "final"}),
        ('{"Ada": "hi"} The form was {"name": "text"}.', {"Ada": "hi"}),
        ('{"Ada": "hi"} {}', {"Ada": "hi"}),
        ('{"messages": {"Ada": "hi"}}', {"Ada": "hi"}),
        ('{"Ada": "look: {\\"Bao\\": \\"trap\\"}"}', {"Ada": 'look: {"Bao": "trap"}'}),
        ('{"Ada": {"Bao": "trap"}, "Bao": "yo"}', {"Bao": "yo"}),
        ('{"Joseph": "a", "Jose": "b"}', {"Joseph": "a", "Jose": "b"}),
        ('{"Ada": ""}', {"Ada": ""}),
        ("", None),
        ("Ada: hi", None),
        ('{"Zed": "hi"}', None),
        ('{"Ada": "hi"', None),
        ("{'Ada': 'hi'}", {"Ada": "hi"}),
        ('{"Ada": "hi",}', {"Ada": "hi"}),
        ("So:\n```python\n{'Ada': 'it\\'s me', 'Bao': None,}\n```\n{draft}", {"Ada": "it's me"}),
        ("{} {'Ada': 'hi'}", {"Ada": "hi"}),
        ("{'Ada': open('x')}", None),
        ("{'ada': 'hi'}", None),
        ('["Ada"]', None),
        ('{"ada": "hi"}', None),
        ("{" * 50_000, None),
        ('{"a":' * 15_000, None),
    ],
)
def test_messages(text: str, expected: dict[str, str] | None) -> None:
    assert messages(text) == expected


def test_entries_that_are_not_sent_are_named() -> None:
    text = json.dumps({"Ada": "hi", "Zed": "?", "Bao": 3, "Jose": "x" * 11, "Joseph": "\ud800"})
    found = parse_messages(text, NEIGHBOURS, 10)
    assert found.messages == {"Ada": "hi"}
    assert [entry.key for entry in found.dropped] == ["Zed", "Bao", "Jose", "Joseph"]
    assert [entry.reason for entry in found.dropped] == [
        "not the name of a neighbour",
        "not a text",
        "longer than 10 characters",
        "not valid Unicode",
    ]
    error = dropped_error(found.dropped, NEIGHBOURS)
    assert error is not None
    assert "Zed" not in error
    assert error.endswith("your neighbours: Ada, Bao, Jose, Joseph")


def test_neighbours_are_named_only_where_a_name_was_wrong() -> None:
    dropped = parse_messages('{"Ada": 3}', NEIGHBOURS, 10).dropped
    assert "neighbours" not in str(dropped_error(dropped, NEIGHBOURS))


@pytest.mark.parametrize(
    "text", ['{"Bob": "x"}', 'So:\n{"Bob": "x", "Zoe": {"Cy": "y"}}', '{"ada": "x"}']
)
def test_who_writes_to_strangers_alone_is_told_the_neighbours(text: str) -> None:
    found = parse_messages(text, NEIGHBOURS, 10)
    assert found.messages == {}
    assert found.error is not None
    assert "no key" in found.error
    assert found.error.endswith("your neighbours: Ada, Bao, Jose, Joseph")
    assert "could not be parsed" in str(parse_messages("Bob: x", NEIGHBOURS, 10).error)


@given(st.lists(st.text(st.characters(codec="ascii"), min_size=1, max_size=100), min_size=1))
def test_errors_stay_short_however_many_and_long_the_neighbours_are(names: list[str]) -> None:
    reasons = ["not a text", "not valid Unicode", "longer than 9999 characters", STRANGER]
    dropped = [Dropped("key", reason) for reason in reasons * 3]
    neighbours = tuple(dict.fromkeys(names))
    for error in (
        dropped_error(dropped, neighbours),
        parse_messages('{"": 1}', neighbours, 10).error,
        parse_messages("", neighbours, 10).error,
    ):
        assert error is not None
        assert len(error) <= 200


def test_limits_count_characters() -> None:
    longest = "ü🙂" * 5
    assert parse_messages(json.dumps({"Ada": longest}), NEIGHBOURS, 10).messages == {"Ada": longest}
    assert not parse_messages(json.dumps({"Ada": longest + "x"}), NEIGHBOURS, 10).messages


def test_dropped_keys_are_shortened_and_printable() -> None:
    text = json.dumps({"Ada": "hi", "\ud800" + "k" * 500: "x"})
    (entry,) = parse_messages(text, NEIGHBOURS, 10).dropped
    assert len(entry.key) == 40
    entry.key.encode("utf-8")


def test_without_neighbours_everything_is_valid() -> None:
    assert parse_messages("whatever", (), 10).error is None


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (" Group 1", "Group 1"),
        (" Group 12", "Group 12"),
        ("\nGroup 2\nbecause …", "Group 2"),
        (": **Group 3**", "Group 3"),
        (' "Group 4".', "Group 4"),
        (" `Group 5`, I hope", "Group 5"),
        (" Group 13", None),
        (" Group 123", None),
        (" Group 1.5", None),
        (" Group", None),
        (" group 1", "Group 1"),
        (" Group: 3", "Group 3"),
        (" 12", "Group 12"),
        (" 13", None),
        ("\nAnswer: **Group 4**", "Group 4"),
        ("\n[Group 5]", "Group 5"),
        ('\n{"answer": "Group 6"}', "Group 6"),
        ("\n$\\boxed{\\text{Group 7}}$", "Group 7"),
        (" Group 8\n### Final Answer ###", "Group 8"),
        (" Group 9 (two neighbours have it not)", "Group 9"),
        (" Group 9, because Group 1 and Group 2 are taken", "Group 9"),
        (" Group 1, Group 2", None),
        (" Group 1/Group 2: Group 2", None),
        (" Group 1 or 2", None),
        (" Group 1\nGroup 2", None),
        (" Group 1.\nWait, Group 2 is better.", None),
        (" Group 1 is taken, so Group 2", None),
        (" I choose Group 1", None),
        ("", None),
        (" Group 1 … no wait.\n### Final Answer ### Group 2", "Group 2"),
        (" Group 1 … no wait.\n### Final Answer ### Group 99", None),
    ],
)
def test_answers(after: str, expected: str | None) -> None:
    found = parse_answer(f"Let me think. {ANSWER_MARK}{after}", GROUPS)
    assert found.answer == expected
    assert (found.error is None) == (expected is not None)


def test_names_that_begin_alike() -> None:
    options = ("Jose", "Joseph", "Ana", "Ana Maria", "None")
    for name in options:
        assert parse_answer(f"{ANSWER_MARK} {name}", options).answer == name
        assert parse_answer(f"{ANSWER_MARK} {name}, of course", options).answer == name
    assert parse_answer(f"{ANSWER_MARK} Josephine", options).answer is None
    assert parse_answer(f"{ANSWER_MARK} Jose-Luis", options).answer is None
    assert parse_answer(f"{ANSWER_MARK} Nonesuch", options).answer is None


def test_a_heading_may_lack_what_closes_it() -> None:
    for heading in (
        "### Final Answer",
        "## Final answer:",
        "**### Final Answer**",
        "# FINAL ANSWER #",
    ):
        assert parse_answer(f"So.\n{heading}\nGroup 2", GROUPS).answer == "Group 2"
    assert parse_answer("the ### Final Answer Group 2", GROUPS).answer is None


YES_NO = ("Yes", "No")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (YES_NO, "Yes/No: No"),
        (YES_NO, "Yes or No? No"),
        (YES_NO, "[Yes/No]"),
        (YES_NO, "Yes | No"),
        (YES_NO, "**Yes** or **No**"),
        (YES_NO, "yes, no"),
        (YES_NO, "- Yes\n- No"),
        (YES_NO, "Yes.\n\nActually, No."),
        (YES_NO, "No neighbour leads, so Yes"),
        (YES_NO, "Yes?\nNo"),
        (("Ada", "Bo", "None"), "None of my neighbours is free except Ada, so: Ada"),
        (("Ada", "Bo", "None"), "None, Ada"),
        (("Ada", "Bo", "None"), "Ada and Bo"),
        (("0", "1"), "0 or 1"),
        (("0", "1"), "0,1"),
        (("0", "1"), "0/1: 1"),
        (("0", "1"), "0.1"),
        (("0", "1"), "-1"),
        (("0", "1"), "10"),
    ],
)
def test_two_readings_are_none(options: tuple[str, ...], text: str) -> None:
    found = parse_answer(f"{ANSWER_MARK}\n{text}", options)
    assert found.answer is None
    assert found.error is not None


DECORATIONS = st.sampled_from(
    [
        "{}", "**{}**", "`{}`", '"{}"', "[{}]", "({})", "<{}>", "- {}", "> {}", "1. {}", "→ {}",
        "{}.",
        "Answer: {}", "**Answer:** {}", "Option: {}", "\\boxed{{{}}}", "$\\boxed{{\\text{{{}}}}}$",
        "```\n{}\n```", '{{"answer": "{}"}}', "{} (I am sure)", "{}, because they said so",
        "{}\nThat is all.", "_{}_", "{} - final", "Antwort: {}", "答案：{}",
    ]
)  # fmt: skip
LISTS = (
    YES_NO,
    ("0", "1"),
    GROUPS,
    ("Ada", "Ada Lu", "Jose", "Joseph", "Anna-Lena", "Will", "None"),
)


@given(st.sampled_from(LISTS), st.data())
def test_a_decorated_option_is_read_or_refused_and_never_another_one(
    options: tuple[str, ...], data: st.DataObject
) -> None:
    chosen = data.draw(st.sampled_from(options))
    text = chosen
    for decoration in data.draw(st.lists(DECORATIONS, max_size=3)):
        text = decoration.format(text)
    assert parse_answer(f"{ANSWER_MARK} {text}", options).answer in (chosen, None)
    once = data.draw(DECORATIONS).format(chosen)
    assert parse_answer(f"{ANSWER_MARK}\n{once}", options).answer == chosen


@given(
    st.sampled_from(LISTS), st.data(), st.sampled_from(["/", ", ", " or ", " | ", " and ", "\n"])
)
def test_lists_of_options_choose_none(
    options: tuple[str, ...], data: st.DataObject, joint: str
) -> None:
    listed = data.draw(st.lists(st.sampled_from(options), min_size=2, max_size=4, unique=True))
    text = joint.join(listed) + data.draw(st.sampled_from(["", ": " + listed[-1], "?"]))
    assert parse_answer(f"{ANSWER_MARK} {text}", options).answer is None


def test_no_mark_no_answer() -> None:
    assert parse_answer("Group 1", GROUPS).answer is None
    assert parse_answer("Final Answer: Group 1", GROUPS).answer is None


def test_a_json_example_in_the_reasoning_is_no_message() -> None:
    text = 'The rules say {"NAME": "text"} so I write\n{"Bao": "I take group 1"}\nas agreed {x}.'
    assert messages(text) == {"Bao": "I take group 1"}


@given(st.text())
def test_any_text_is_survived(text: str) -> None:
    for candidate in (text, "{" + text, f'{{"Ada": {text}}}', f"{ANSWER_MARK}{text}"):
        found = parse_messages(candidate, NEIGHBOURS, 100)
        assert set(found.messages) <= set(NEIGHBOURS)
        answer = parse_answer(candidate, GROUPS).answer
        assert answer is None or answer in GROUPS


@given(
    st.dictionaries(st.sampled_from(NEIGHBOURS), st.text(max_size=50), min_size=1),
    st.text(alphabet=st.characters(exclude_characters="{}", exclude_categories=["Cs"])),
    st.text(alphabet=st.characters(exclude_characters="{}", exclude_categories=["Cs"])),
    st.booleans(),
)
def test_what_was_written_is_read(
    written: dict[str, str], before: str, behind: str, ascii_only: bool
) -> None:
    text = before + json.dumps(written, ensure_ascii=ascii_only) + behind
    assert messages(text) == written


@pytest.mark.parametrize(
    "hostile",
    [
        '{"a":' * 195 + "[" + "1," * 20_000 + "1]" + "}" * 195,
        '{"a":' * 15_000,
        '{"a": "' * 12_000,
        "{" * 90_000,
    ],
    ids=["nested", "open", "open texts", "braces"],
)
def test_the_work_is_bounded_and_plain_messages_still_get_through(
    hostile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = []
    plain = json.JSONDecoder.raw_decode

    def counting(decoder: json.JSONDecoder, s: str, idx: int = 0) -> tuple[object, int]:
        try:
            value, end = plain(decoder, s, idx)
        except json.JSONDecodeError as error:
            decoded.append(error.pos - idx)
            raise
        decoded.append(end - idx)
        return value, end

    monkeypatch.setattr(json.JSONDecoder, "raw_decode", counting)
    assert parse_messages(hostile, NEIGHBOURS, 100).messages == {}
    # A few times the text's length in all, where one try from each brace would be hundreds.
    assert sum(decoded) <= 6 * len(hostile)
    assert parse_messages('{"Ada": "hi"}', NEIGHBOURS, 100).messages == {"Ada": "hi"}
