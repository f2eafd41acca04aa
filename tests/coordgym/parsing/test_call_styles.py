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
GLM = "<tool_call>submit_result\n<arg_key>answer</arg_key>\n<arg_value>5</arg_value>\n</tool_call>"
DEEPSEEK = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>{}<|tool_call_end|><|tool_calls_section_end|>"
)
DSML = '<｜DSML｜invoke name="submit_result">{}</｜DSML｜invoke>'


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
        (GLM, [("submit_result", {"answer": "5"})]),
        (GLM.replace("\n", ""), [("submit_result", {"answer": "5"})]),
        (GLM.replace("\n", " "), [("submit_result", {"answer": "5"})]),
        (
            "<tool_call>send_message\n<arg_key>target_id</arg_key>\n<arg_value>1</arg_value>\n"
            "<arg_key>content</arg_key>\n<arg_value>hi,\nsubmit_result(5)</arg_value>\n</tool_call>"
            "\n<tool_call>wait\n</tool_call>",
            [
                ("send_message", {"target_id": "1", "content": "hi,\nsubmit_result(5)"}),
                ("wait", {}),
            ],
        ),
        ("<tool_call>wait</tool_call>", [("wait", {})]),
        ('<tool_call>submit_result\n{"answer": 5}\n</tool_call>', SUBMITTED),
        ("<tool_call>submit_result(5)</tool_call>", SUBMITTED),
        ("<tool_call>functions.submit_result(answer=5)\n</tool_call>", SUBMITTED),
        ("<tool_call>\nsend_message(1, 'hi, (all)')\nwait()\n</tool_call>", [*SENT, ("wait", {})]),
        ("<action>submit_result(5)</action>", SUBMITTED),
        ("<tool_code>`submit_result(5)`.</tool_code>", SUBMITTED),
        ("<|python_tag|>submit_result(5)", SUBMITTED),
        ("<|tool_call_start|>[submit_result(answer=5)]<|tool_call_end|>", SUBMITTED),
        (
            "<|tool_call|>[send_message(1, 'hi, (all)'), wait()]<|/tool_call|>",
            [*SENT, ("wait", {})],
        ),
        (DEEPSEEK.format(f"function<｜tool▁sep｜>send_message\n```json\n{ARGUMENTS}\n```"), SENT),
        (DEEPSEEK.format(f"send_message<｜tool▁sep｜>{ARGUMENTS}"), SENT),
        (
            DEEPSEEK.format(
                f"send_message<｜tool▁sep｜>{ARGUMENTS}<｜tool▁call▁end｜>"
                "<｜tool▁call▁begin｜>wait<｜tool▁sep｜>{}"
            ),
            [*SENT, ("wait", {})],
        ),
        (DEEPSEEK.format("wait<｜tool▁sep｜>"), [("wait", {})]),
        ('<｜tool▁call▁begin｜>submit_result<｜tool▁sep｜>{"answer": 5}', SUBMITTED),
        (
            DEEPSEEK.format('submit_result<｜tool▁sep｜>{"answer": 5}')
            + "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>done<｜tool▁output▁end｜>",
            SUBMITTED,
        ),
        ('<|tool_call_begin|>submit_result<|tool_sep|>{"answer": 5}<|tool_call_end|>', SUBMITTED),
        (KIMI.format(f"functions.send_message:0<|tool_call_argument_begin|>{ARGUMENTS}"), SENT),
        (DSML.format("{}").format('{"answer": 5}'), SUBMITTED),
        (
            DSML.format('<｜DSML｜parameter name="answer" string="false">5</｜DSML｜parameter>'),
            [("submit_result", {"answer": "5"})],
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
        (GLM.replace("</tool_call>", ""), "has no </tool_call>"),
        (GLM.replace("</arg_value>", ""), "can't be read"),
        (GLM.replace("\n</tool", " or 6</tool"), "can't be read"),
        (GLM.replace("</tool_call>", GLM[25:]), "twice"),
        (GLM.replace("answer", "result"), "unknown argument"),
        (GLM.replace("5", "</tool_call>"), "can't be read"),
        (GLM.replace("submit_result", "publish"), "no function of this name"),
        ("<tool_call>submit_result</tool_call>", "lacks the argument"),
        ("<tool_call>submit_result(5) I think</tool_call>", "alone on its line"),
        ("<tool_call>submit_result(5)</tool_call> or 6", "alone on its line"),
        ("<tool_call>submit_result(5)</tool_call><tool_call>wait()</tool_call>", "alone on its"),
        ("<|tool_call|>[submit_result(5)] or 6", "does not end with ]"),
        (DEEPSEEK.format("submit_result<｜tool▁sep｜>"), "lacks the argument"),
        (DEEPSEEK.format("submit_result<｜tool▁sep｜>5"), "no JSON object"),
        (DEEPSEEK.format('submit_result<｜tool▁sep｜>{"answer": 5} or 6'), "not valid JSON"),
        (DEEPSEEK.format('submit_result<｜tool▁sep｜>{"answer": 5'), "not valid JSON"),
        (
            DEEPSEEK.format('submit_result<｜tool▁sep｜>{"answer": 5}{"answer": 6}'),
            "not valid JSON",
        ),
        (DEEPSEEK.format("publish<｜tool▁sep｜>{}"), "no function of this name"),
        (KIMI.format("functions.submit_result:0"), "lacks the argument"),
        (DSML.format('<parameter name="answer">5</｜DSML｜parameter>'), "can't be read"),
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
        "<tool_call>wait for the others</tool_call>",
        "<tool_call>",
        "<tool_call></tool_call>",
        "use <arg_key>answer</arg_key>",
        GLM.replace("<arg_key>", "and <arg_key>"),
        "I call <tool_call>: submit_result(5)",
        "<div>submit_result(5)</div>",
    ],
)
def test_prose_stays_prose(text: str) -> None:
    assert read(text) == ([], [])


def test_a_call_inside_the_text_of_another_is_no_call() -> None:
    inner = "Action: wait\n<function=wait></function>\n[wait()]\n[TOOL_CALLS]wait{}\n"
    inner += "<tool_call>wait</tool_call>\n" + DEEPSEEK.format("wait<｜tool▁sep｜>{}")
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
    "GLM calls": "<tool_call>submit_result<arg_key>answer</arg_key><arg_value>",
    "GLM heads": "<tool_call>submit_result<arg_key>",
    "GLM keys": "<arg_key>answer</arg_key><arg_value></arg_value>",
    "GLM blanks": "<tool_call>submit_result" + " " * 40_000,
    "GLM waits": "<tool_call>wait</tool_call>",
    "call tags": "<tool_call>" * 3 + "\n",
    "tags and blanks": "<tool_call>" + " " * 40_000,
    "tokens": "<｜tool▁call▁begin｜>submit_result<｜tool▁sep｜>",
    "token calls": "<｜tool▁call▁begin｜>submit_result<｜tool▁sep｜>{<｜tool▁call▁end｜>",
    "kinds": "<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
    "tokens and blanks": "<｜tool▁call▁begin｜>submit_result" + " " * 40_000,
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
    read(GLM.replace("5", text))
    read("<tool_call>submit_result" + text + "</tool_call>")
    read(DEEPSEEK.format("submit_result<｜tool▁sep｜>" + text))
