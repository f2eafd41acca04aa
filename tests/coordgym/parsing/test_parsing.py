"""Parsers of model text: what they accept, what they refuse, and that nothing breaks them."""

import contextlib
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coordgym.parsing import (
    Call,
    ParseError,
    find_objects,
    json_objects,
    loads_json,
    parse_calls,
    parse_literal,
    tagged_lines,
    valid_text,
)

FUNCTIONS = {
    "send_message": ("target_id", "content"),
    "wait": (),
    "submit_result": ("answer",),
}

plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


def calls_of(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(call.name, call.arguments) for call in parse_calls(text, FUNCTIONS).calls]


def errors_of(text: str) -> list[str]:
    parsed = parse_calls(text, FUNCTIONS)
    return [call.error for call in parsed.calls if call.error] + list(parsed.errors)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wait()", [("wait", {})]),
        ('send_message(1, "hi")', [("send_message", {"target_id": 1, "content": "hi"})]),
        (
            "send_message(1, 'say \"x\"')",
            [("send_message", {"target_id": 1, "content": 'say "x"'})],
        ),
        (
            "send_message('1', \"it's\")",
            [("send_message", {"target_id": "1", "content": "it's"})],
        ),
        (
            "send_message('1' '2', '''3''')",
            [("send_message", {"target_id": "12", "content": "3"})],
        ),
        (
            'send_message(content="a\\nb", target_id=2)',
            [("send_message", {"target_id": 2, "content": "a\nb"})],
        ),
        ("thinking…\n- wait()", [("wait", {})]),
        ("```python\nwait()\n```", [("wait", {})]),
        ("`wait()`", [("wait", {})]),
        ("wait(); submit_result(3)", [("wait", {}), ("submit_result", {"answer": 3})]),
        ("submit_result([1,\n 2])", [("submit_result", {"answer": [1, 2]})]),
        ("submit_result({1: (2, 3)})", [("submit_result", {"answer": {"1": [2, 3]}})]),
        ("submit_result(-2.5)  # sure", [("submit_result", {"answer": -2.5})]),
        ("submit_result(true)", [("submit_result", {"answer": True})]),
        (r'submit_result("C:\dir")', [("submit_result", {"answer": r"C:\dir"})]),
        (
            '{"name": "send_message", "arguments": {"target_id": 1, "content": "wait()"}}',
            [("send_message", {"target_id": 1, "content": "wait()"})],
        ),
        ('<tool_call>\n{"name": "wait", "arguments": {}}\n</tool_call>', [("wait", {})]),
        (
            '[{"type": "function", "function": {"name": "submit_result", '
            '"arguments": "{\\"answer\\": 7}"}}]',
            [("submit_result", {"answer": 7})],
        ),
        (
            '{"name": "submit_result", "arguments": {"answer": 1}}\nwait()\n'
            '{"name": "submit_result", "parameters": {"answer": 2}}',
            [("submit_result", {"answer": 1}), ("wait", {}), ("submit_result", {"answer": 2})],
        ),
        (
            'send_message(1, \'{"name": "wait", "arguments": {}}\')',
            [("send_message", {"target_id": 1, "content": '{"name": "wait", "arguments": {}}'})],
        ),
        ("I will call wait() and then submit_result(3).", []),
        ("", []),
    ],
)
def test_calls_are_read(text: str, expected: list[tuple[str, dict[str, object]]]) -> None:
    assert calls_of(text) == expected
    assert errors_of(text) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("send_message(1)", "lacks the argument content"),
        ("send_message(1, 2, 3)", "3 arguments"),
        ("send_message(1, 'a', content='b')", "twice"),
        ("send_message(1, content='a', content='b')", "twice"),
        ("send_message(1, text='b')", "unknown argument"),
        ("submit_result(-True)", "not a plain value"),
        ("submit_result(open('x'))", "not a plain value"),
        ("submit_result({1, 2})", "not a plain value"),
        ("submit_result(b'x')", "not a plain value"),
        ("submit_result(1j)", "not a plain value"),
        ("submit_result(1e999)", "not a plain value"),
        ("submit_result(**{})", "unpacks"),
        ("submit_result(3", "no closing"),
        ("submit_result(3]", "no closing"),
        ("submit_result(3}\n, [1)", "no closing"),
        ("submit_result(007)", "can't be read"),
        ("submit_result(\u0663)", "can't be read"),
        ("submit_result(\u00a03)", "can't be read"),
        ("submit_result(3) is my answer", "alone on its line"),
        ("publish_result(3)", "no function of this name"),
        ('{"name": "publish", "arguments": {}}', "no function of this name"),
        ('{"name": "wait", "arguments": [1]}', "must be a JSON object"),
        ("submit_result(" + "[" * 99 + "]" * 99 + ")", "nested too deep"),
    ],
)
def test_broken_calls_say_why_and_carry_no_arguments(text: str, reason: str) -> None:
    assert any(reason in error for error in errors_of(text))
    assert all(not arguments for _, arguments in calls_of(text))


@given(
    st.sampled_from(["", "- ", "* ", "+ ", "• ", "1. ", "12) ", "\t", "  * "]),
    st.sampled_from(["", "*", "**", "***", "`", "``", '"', "'", "**`", "“"]),
    st.sampled_from(["{}{}", "{}.{}", "{}{}."]),
    plain_values,
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_decorated_call_means_what_the_bare_one_means(
    bullet: str, marks: str, form: str, value: object, end: str
) -> None:
    closing = marks[::-1].replace("“", "”")
    for call in (f"submit_result({json.dumps(value)})", "wait()", "send_message(1, 'it (is)')"):
        line = bullet + marks + form.format(call, closing)
        text = f"I am sure.{end}{line}{end}wait()"
        assert parse_calls(text, FUNCTIONS) == parse_calls(f"{call}\nwait()", FUNCTIONS)


@pytest.mark.parametrize(
    "text",
    [
        "**submit_result(5)",
        "**submit_result(5)*",
        "**submit_result(5)** is my answer",
        "submit_result(5)**",
        '"submit_result(5)",',
        "******submit_result(5)******",
        "I choose **submit_result(5)**",
        "> submit_result(5)",
        "**submit_result(5); wait()**",
    ],
)
def test_what_is_no_known_decoration_makes_no_call(text: str) -> None:
    assert all(error for _, _, error in parse_calls(text, FUNCTIONS).calls)


def test_a_misspelt_call_is_told_in_bold_too() -> None:
    for text in ("sumbit_result(5)", "**sumbit_result(5)**", "`sumbit_result(5)`."):
        assert ["no function of this name" in error for error in errors_of(text)] == [True]


def test_a_string_inside_a_tool_call_is_no_call() -> None:
    inner = '["a",\n"wait()"\n]'
    text = f'{{"name": "submit_result", "arguments": {{"answer": {inner}}}}}'
    assert calls_of(text) == [("submit_result", {"answer": ["a", "wait()"]})]


def test_parameters_with_a_default_may_be_left_out() -> None:
    functions = {"list_files": ("prefix",), "read_file": ("path",)}
    for text in ("list_files()", '{"name": "list_files", "arguments": {}}'):
        parsed = parse_calls(text, functions, defaults={"prefix": ""})
        assert parsed.calls == (Call("list_files", {"prefix": ""}),)
    assert parse_calls("read_file()", functions, defaults={"prefix": ""}).calls[0].error


@pytest.mark.parametrize(
    "content",
    ["a) b", "it's (", 'say "hi")', "tail\\", "a\nb)", '"""', "''')", "[{(", "\"'" + "[" * 99],
)
def test_brackets_and_quotes_inside_strings_do_not_close_a_call(content: str) -> None:
    for form in (repr(content), json.dumps(content)):
        expected = [("send_message", {"target_id": 1, "content": content})]
        assert calls_of(f"send_message(1, {form})\nok") == expected


def test_triple_quoted_strings_may_span_lines() -> None:
    assert calls_of('send_message(1, """a ) \n "b" """)') == [
        ("send_message", {"target_id": 1, "content": 'a ) \n "b" '})
    ]


def test_good_calls_survive_a_broken_one_between_them() -> None:
    text = "send_message(1, 'a')\nsend_message(2\nwait()"
    parsed = parse_calls(text, FUNCTIONS)
    assert [call.error is None for call in parsed.calls] == [True, False, True]


@pytest.mark.parametrize("escape", [r"\ud800", r"\udc00x", r"\uDBFF"])
def test_escaped_lone_surrogates_are_refused_in_every_form(escape: str) -> None:
    as_json = f'{{"name": "submit_result", "arguments": {{"answer": "{escape}"}}}}'
    assert calls_of(as_json) == []
    assert calls_of(f'submit_result("{escape}")') == [("submit_result", {})]
    assert json_objects(f'{{"a": "{escape}"}}') == ()
    for parse in (loads_json, parse_literal):
        with pytest.raises(ParseError, match="surrogate"):
            parse(f'"{escape}"')


def test_after_five_calls_that_nothing_closes_the_rest_is_not_read() -> None:
    for broken, stops in ((4, False), (5, True), (9, True)):
        parsed = parse_calls("wait(\n" * broken + "wait()", FUNCTIONS)
        assert [call.error is None for call in parsed.calls].count(False) == min(broken, 5)
        assert parsed.calls[-1].error is None or stops
        assert bool(parsed.errors) is stops


def test_surplus_calls_are_left_out_with_an_error() -> None:
    parsed = parse_calls("wait()\n" * 9, FUNCTIONS, max_calls=4)
    assert len(parsed.calls) == 4
    assert "only the first 4" in parsed.errors[0]


def test_a_text_that_is_too_long_is_not_read() -> None:
    assert parse_calls("wait()\n" * 100, FUNCTIONS, max_chars=50).calls == ()


@given(plain_values)
def test_any_json_value_travels_through_a_call(value: object) -> None:
    as_line = f"submit_result({json.dumps(value)})"
    assert calls_of(as_line) == [("submit_result", {"answer": value})]
    as_json = json.dumps({"name": "submit_result", "arguments": {"answer": value}})
    assert calls_of(as_json) == [("submit_result", {"answer": value})]


@given(
    st.lists(
        plain_values.map(json.dumps)
        | plain_values.map(repr)
        | st.text("1 ,[]'\"e.-", max_size=6)
        | st.text("01'\"\\\t\r\0\f\xa0\u0661)]", max_size=6)
        | st.text(max_size=3).map(lambda text: f"'{text}'"),
        max_size=3,
    )
)
def test_arguments_mean_the_same_as_json_and_as_literals(arguments: list[str]) -> None:
    """Only a literal may end with a comma, so the second call never takes the fast way."""
    joined = ", ".join(arguments).strip()
    assume(joined and not joined.endswith(","))
    for name in ("send_message", "submit_result"):
        assert calls_of(f"{name}({joined})") == calls_of(f"{name}({joined},)")


@given(st.integers(0, 99), st.text())
def test_content_is_passed_on_to_the_letter(target: int, content: str) -> None:
    expected = [("send_message", {"target_id": target, "content": content})]
    assert calls_of(f"send_message({target}, {content!r})") == expected
    assert calls_of(f"send_message({target}, {json.dumps(content)})") == expected


@given(st.text("a1\u00e9\\\r\n\0\t'\"d"))
def test_content_is_passed_on_to_the_letter_between_all_kinds_of_quotes(content: str) -> None:
    quotes = ['"""', "'''"] + ["'", '"'] * ("\n" not in content)
    quotes = [q for q in quotes if q[0] not in content]
    raw = [f"{prefix}{q}{content}{q}" for prefix in "rR" for q in quotes]
    escaped = content.replace("\\", "\\\\")
    plain = [f"{prefix}{q}{escaped}{q}" for prefix in ("", "u") for q in quotes]
    assume(not content.endswith("\\"))
    for literal in raw + plain:
        expected = [("send_message", {"target_id": 1, "content": content})]
        assert calls_of(f"send_message(1, {literal})") == expected
        assert calls_of(f"send_message(content={literal}, target_id=1)") == expected
        assert parse_literal(literal) == content


hostile = (
    st.text()
    | st.text(alphabet="(){}[]\"'\\,:;\n nw{a1-")
    | st.binary().map(lambda data: data.decode("utf-8", errors="surrogateescape"))
)


@given(hostile)
def test_no_text_breaks_a_parser(text: str) -> None:
    parse_calls("wait(" + text, FUNCTIONS)
    parse_calls(text, FUNCTIONS)
    json_objects(text)
    tagged_lines(text, ["ACTION"])
    valid_text(text, 10)
    for parse in (loads_json, parse_literal):
        with contextlib.suppress(ParseError):
            json.dumps(parse(text), ensure_ascii=False).encode()


HOSTILE = {
    "braces": "{",
    "brackets": "submit_result(" + "[" * 90_000,
    "nested objects": '{"a":',
    "nested in full": '{"name":' * 780 + "[" + "1," * 40_000 + "1]" + "}" * 780,
    "open calls": "wait(\n",
    "open strings": 'submit_result("',
    "open triple quotes": "submit_result(" + '"""' * 33_000,
    "signs": "submit_result(" + "-" * 90_000 + "1)",
    "digits": "submit_result(" + "9" * 90_000 + ")",
    "hexadecimal digits": "submit_result({1: [0x" + "f" * 90_000 + "]})",
    "sums": "submit_result(" + "1+" * 40_000 + "1)",
    "escaped quotes": 'submit_result({1: "' + '\\\\"' * 45_000,
    "quotes of both kinds": "submit_result({1: '\"" + "'\"\\\\" * 30_000,
    "raw strings": "submit_result({1: " + "r'\\\\" * 25_000,
    "letters": "submit_result(" + "r" * 90_000 + ")",
    "backslashes": "submit_result('" + "\\" * 99_000,
    "half an object": '{"name":[1,',
    "blanks": " " * 99_000 + "x",
    "tabs": "\t" * 99_000 + "x",
    "blanks after a call": "wait()" + " " * 90_000 + "x",
    "blanks in a call": "send_message(1" + " " * 90_000,
    "ticks and blanks": "submit_result(1)" + "`" * 40_000 + " " * 40_000 + "x",
    "closing": "wait()" + ")" * 90_000,
    "numbered": "1. ",
    "not numbers": '{"a":NaN}',
    "half characters": '{"a":"\\ud800"}',
    "unknown calls": "foo(" + "x)" * 49_000 + "y",
}


# The time limit is far above what linear work takes and far below what quadratic work does.
@pytest.mark.timeout(30)
@pytest.mark.parametrize("pattern", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_of_full_length_carry_nothing_and_take_no_time(pattern: str) -> None:
    text = (pattern * (100_000 // len(pattern) + 1))[:100_000]
    answers = [args for name, args in calls_of(text) if name != "wait"]
    assert not any(answers)
    json_objects(text)
    tagged_lines(text, ["ACTION"])
    with pytest.raises(ParseError):
        parse_literal(text)


def test_objects_that_are_not_sought_are_searched_inside() -> None:
    text = 'see {"example": {"name": "wait", "arguments": {}}} and {"x": [{"y": 1}]}'
    assert calls_of(text) == [("wait", {})]
    found = find_objects(text, lambda value: "y" in value)
    assert [item.value for item in found] == [{"y": 1}]
    assert text[found[0].start : found[0].end] == '{"y": 1}'


def test_the_search_for_objects_has_a_budget() -> None:
    tried = []
    nested = '{"a":' * 200 + "[" + "1," * 25_000 + "1]" + "}" * 200
    find_objects(nested, lambda value: bool(tried.append(value)), max_depth=1000)
    assert 1 <= len(tried) < 10


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "-Infinity", "1e999", '{"a": NaN}'])
def test_numbers_beyond_json_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        loads_json(text)
    with pytest.raises(ParseError):
        parse_literal(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 2]", [1, 2]),
        ("(1, 2)", [1, 2]),
        ("{'a': True, 2: None}", {"a": True, "2": None}),
        ("'x'", "x"),
        (" 3.50 ", 3.5),
    ],
)
def test_literals(text: str, value: object) -> None:
    assert parse_literal(text) == value


@pytest.mark.parametrize("form", ["{}", "-{}", "[{}]", "{{{}: 1}}", "0x{}", "0o{}", "0b{}"])
def test_integers_have_a_bounded_number_of_digits(form: str) -> None:
    """What is read can be written again, also where Python's own literals have no bound."""
    json.dumps(parse_literal(form.format("1" * 3_000)))
    with pytest.raises(ParseError):
        parse_literal(form.format("1" * 50_000))


def test_depth_is_bounded() -> None:
    assert loads_json("[" * 64 + "]" * 64)
    assert loads_json(json.dumps(["[{" * 100])) == ["[{" * 100]
    for text in ("[" * 65 + "]" * 65, "(" * 65 + "1," + ")" * 65):
        with pytest.raises(ParseError, match="nested"):
            parse_literal(text)


def test_objects_in_prose() -> None:
    text = 'For example {"a": 1} or {broken. Finally:\n```json\n{"b": {"c": 2}}}\n```'
    assert json_objects(text) == ({"a": 1}, {"b": {"c": 2}})


def test_only_the_last_braces_are_tried() -> None:
    text = '{"first": 1} ' + "{ " * 500 + '{"last": 2}'
    assert json_objects(text) == ({"last": 2},)


def test_tagged_lines() -> None:
    text = "I think ACTION: UP would do\n  action : LEFT \nMSG: a: b\r\nACTIONS: no"
    assert tagged_lines(text, ["ACTION", "MSG"]) == (("ACTION", "LEFT"), ("MSG", "a: b"))


def test_valid_text() -> None:
    assert valid_text("héllo 😀", 10) is None
    assert "at most 3" in str(valid_text("four", 3))
    assert "surrogates" in str(valid_text("a\ud800", 10))
