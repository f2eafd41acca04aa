"""Calls in the styles of common models: read where they can mean one thing only."""

import json

import pytest

from coordgym.parsing import parse_calls

FUNCTIONS = {
    "send_message": ("target_id", "content"),
    "wait": (),
    "submit_result": ("answer",),
}
SUBMITTED = [("submit_result", {"answer": 5})]
SENT = [("send_message", {"target_id": 1, "content": "hi, (all)"})]
ARGUMENTS = '{"target_id": 1, "content": "hi, (all)"}'


def read(text: str) -> tuple[list[tuple[str, dict[str, object]]], list[str]]:
    parsed = parse_calls(text, FUNCTIONS)
    good = [(call.name, call.arguments) for call in parsed.calls if call.error is None]
    return good, [call.error for call in parsed.calls if call.error] + list(parsed.errors)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("Thought: it is 5.\nAction: submit_result(5)", SUBMITTED),
        ("Action 1: submit_result(5)\nObservation: done", SUBMITTED),
        ("**Action:** submit_result(answer=5)", SUBMITTED),
        ("Action: `submit_result(5)`", SUBMITTED),
        ('Action: submit_result\nAction Input: {"answer": 5}', SUBMITTED),
        ('Action: submit_result\nAction Input:\n```json\n{"answer": 5}\n```', SUBMITTED),
        ("Action: submit_result\nAction Input: 5\nObservation: I left", SUBMITTED),
        (f"Action: send_message\nAction Input: {ARGUMENTS}", SENT),
        ("Action: send_message\nAction Input: {'target_id': 1, 'content': 'hi, (all)'}", SENT),
        (f"Action: send_message\nAction Input: {ARGUMENTS}\nAction: wait", [*SENT, ("wait", {})]),
        ("Action: wait\nAction Input: None", [("wait", {})]),
        ("[submit_result(answer=5)]", SUBMITTED),
        ("[submit_result(5)].", SUBMITTED),
        ("[send_message(1, 'hi, (all)'), wait()]", [*SENT, ("wait", {})]),
        ("[\n  send_message(1, 'hi, (all)'),\n  submit_result(5)\n]\n", SENT + SUBMITTED),
        ("[functions.submit_result(answer=5)]", SUBMITTED),
        ("functions.submit_result(5)", SUBMITTED),
        ("tools.submit_result(answer=5)", SUBMITTED),
        ("default_api.submit_result(answer=5)", SUBMITTED),
        (f"<function=send_message>{ARGUMENTS}</function>", SENT),
        (
            "<tool_call>\n<function=send_message>\n<parameter=target_id>\n1\n</parameter>\n"
            "<parameter=content>\nhi,\nsubmit_result(5)\n</parameter>\n</function>\n</tool_call>",
            [("send_message", {"target_id": "1", "content": "hi,\nsubmit_result(5)"})],
        ),
        (
            '<invoke name="submit_result">\n<parameter name="answer">[5, 6]</parameter>\n</invoke>',
            [("submit_result", {"answer": "[5, 6]"})],
        ),
        ("<function=wait>\n</function>", [("wait", {})]),
        ('[TOOL_CALLS][{"name": "submit_result", "arguments": {"answer": 5}}]', SUBMITTED),
        ('[TOOL_CALLS]submit_result{"answer": 5}', SUBMITTED),
        (
            f"[TOOL_CALLS]send_message[ARGS]{ARGUMENTS}[TOOL_CALLS]wait[ARGS]{{}}",
            [*SENT, ("wait", {})],
        ),
        ('{"action": "submit_result", "answer": 5}', SUBMITTED),
        (
            '{"thought": "sure", "action": "submit_result", "action_input": {"answer": 5}}',
            SUBMITTED,
        ),
        ('{"tool": "submit_result", "args": {"answer": 5}}', SUBMITTED),
        ('{"function": "submit_result", "arguments": {"answer": 5}}', SUBMITTED),
        (
            '{"type": "tool_use", "id": "a", "name": "submit_result", "input": {"answer": 5}}',
            SUBMITTED,
        ),
        ('{"name": "submit_result", "parameters": {"answer": 5}}', SUBMITTED),
        ('```json\n{"action": "wait"}\n```', [("wait", {})]),
        (
            json.dumps(
                {
                    "tool_calls": [
                        {"function": {"name": "submit_result", "arguments": '{"answer": 5}'}}
                    ]
                }
            ),
            SUBMITTED,
        ),
    ],
)
def test_styles_of_models_are_read(text: str, calls: list[tuple[str, dict[str, object]]]) -> None:
    assert read(text) == (calls, [])
    assert read(f"I think so.\n\n{text}\n") == (calls, [])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Action: submit_result", "lacks the argument answer"),
        (
            "Action: submit_result\nAction Input: I'd say 5",
            "the input of submit_result can't be read",
        ),
        ('Action: submit_result\nAction Input: {"result": 5}', "unknown argument"),
        ("Action: submit_result(5) I think", "alone on its line"),
        ("Action: publish(5)", "no function of this name"),
        ("[submit_result(5), wait()", "does not end with ]"),
        ("[submit_result(5)] or [submit_result(6)]", "does not end with ]"),
        ("[submit_result(5), publish(6)]", "no function of this name"),
        ("functions.publish(5)", "no function of this name"),
        ("<function=submit_result><parameter=answer>5</parameter>", "has no </function>"),
        ("<function=submit_result>5</function>", "can't be read"),
        ("<function=submit_result><parameter=answer>5</function>", "can't be read"),
        ("<function=submit_result>\n</function>", "lacks the argument"),
        (
            "<function=submit_result><parameter=answer>5</parameter>"
            "<parameter=answer>6</parameter></function>",
            "twice",
        ),
        ('[TOOL_CALLS]submit_result{"answer": 5} and more', "can't be read"),
        ('{"action": "submit_result", "result": 5}', "unknown argument"),
        ('{"action": "submit_result", "input": {"answer": 5}, "args": {"answer": 6}}', "twice"),
    ],
)
def test_what_could_mean_something_else_is_an_error(text: str, reason: str) -> None:
    calls, errors = read(text)
    assert not [name for name, _ in calls if name == "submit_result" and "publish" not in text]
    assert any(reason in error for error in errors)


@pytest.mark.parametrize(
    "text",
    [
        "I will now submit_result(5)",
        "Next action: submit_result(5)",
        "see [the call submit_result(5)]",
        "[link(s)](https://example.org)",
        "<function=other>{}</function>",
        '{"action": ["wait"], "answer": 5}',
        '{"name": "submit_result"}',
        "Action: think about it",
        "Action: none",
        "my.functions.submit_result(5)",
    ],
)
def test_prose_stays_prose(text: str) -> None:
    assert read(text) == ([], [])


def test_a_call_inside_the_text_of_another_is_no_call() -> None:
    inner = "Action: wait\n<function=wait></function>\n[wait()]\n[TOOL_CALLS]wait{}"
    for text in (
        f"send_message(1, {json.dumps(inner)})",
        f'send_message(1, """{inner}""")',
        json.dumps({"action": "send_message", "target_id": 1, "content": inner}),
        f"[send_message(1, '''{inner}''')]",
    ):
        assert read(text) == ([("send_message", {"target_id": 1, "content": inner})], [])


HOSTILE = {
    "lists": "[wait(\n",
    "lists of calls": "[wait(), ",
    "listed": "[wait() x\n",
    "functions": "<function=wait>",
    "open parameters": "<function=submit_result><parameter=answer>",
    "parameters": "<parameter=answer></parameter>",
    "empty functions": "<function=submit_result></function>",
    "tool calls": "[TOOL_CALLS]submit_result{",
    "actions": "Action: submit_result\n",
    "inputs": "Action: submit_result\nAction Input: {\n",
    "blanks": "Action:" + " " * 50_000 + "x",
    "modules": "functions.",
    "objects": '{"action":',
    "keys": '{"action": [], "name": {}}',
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("pattern", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_take_no_time(pattern: str) -> None:
    text = (pattern * (100_000 // len(pattern) + 1))[:100_000]
    assert all(name == "wait" for name, _ in read(text)[0])
    read("<function=submit_result>" + text + "</function>")
    read("Action: submit_result\nAction Input: " + text)
