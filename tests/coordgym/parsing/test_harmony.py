"""Calls in the harmony format reach the function that they are sent to, and no other."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordgym.parsing import parse_calls
from coordgym.parsing.reasoning import Reply, split_reasoning

THOUGHT = "<|channel|>analysis<|message|>submit_result(1)?<|end|><|start|>assistant"
ARGUMENTS = '{"answer": 42}'
CALL = f'{{"name": "submit_result", "arguments": {ARGUMENTS}}}'
FUNCTIONS = {"submit_result": ("answer",), "wait": (), "send_message": ("target_id", "content")}
NO_THOUGHT_ENDS = "<|end|><|start|>assistant<|channel|>final<|message|>"

HEADERS = [
    "<|channel|>commentary to=functions.submit_result <|constrain|>json<|message|>",
    "<|channel|>commentary to=functions.submit_result<|constrain|>json<|message|>",
    "<|channel|>commentary to=functions.submit_result json<|message|>",
    "<|channel|>commentary to=functions.submit_result code<|message|>",
    "<|channel|>commentary to=submit_result <|constrain|>json<|message|>",
    " to=functions.submit_result<|channel|>commentary <|constrain|>json<|message|>",
    " to=functions.submit_result<|channel|>commentary json<|message|>",
    " to=functions.submit_result<|channel|>analysis<|message|>",
    "<|channel|>analysis to=functions.submit_result code<|message|>",
    "<|channel|>final to=functions.submit_result <|constrain|>json<|message|>",
    "<|channel|>comment to=functions.submit_result <|constrain|>json<|message|>",
]


def read(text: str) -> list[tuple[str, dict[str, object], str | None]]:
    return [tuple(call) for call in parse_calls(split_reasoning(text).answer, FUNCTIONS).calls]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("end", ["<|call|>", ""])
@pytest.mark.parametrize("before", [THOUGHT, "", "<|start|>assistant"])
def test_a_function_called_in_any_channel_is_called(before: str, header: str, end: str) -> None:
    text = f"{before}{header}{ARGUMENTS}{end}"
    reply = split_reasoning(text)
    assert (reply.answer, reply.finished) == (CALL, True)
    assert reply.reasoning == len(text) - len(ARGUMENTS)
    assert text[reply.start :].startswith(ARGUMENTS)


@pytest.mark.parametrize(
    "text",
    [
        f"analysisWe know all.assistantcommentary to=functions.submit_result json{ARGUMENTS}",
        f"analysisWe know all.assistant to=functions.submit_resultcommentary json{ARGUMENTS}",
        f"analysis We know all. assistantcommentary to=functions.submit_result {ARGUMENTS}",
        f'analysis"Max"?assistantcommentary to=functions.wait json{{}}'
        f"assistantcommentary to=functions.submit_result code{ARGUMENTS}",
        f"commentary to=functions.submit_result json{ARGUMENTS}",
        f" to=functions.submit_resultcommentary json{ARGUMENTS}\n",
        f"to=functions.submit_result code{ARGUMENTS}",
    ],
)
def test_a_call_without_special_tokens_is_read_where_it_ends_the_reply(text: str) -> None:
    assert read(text) == [("submit_result", {"answer": 42}, None)]
    for longer in (f"{text} or not", f"Hm. {text}", f"{text}{ARGUMENTS}"):
        assert not any(name == "submit_result" for name, _, _ in read(longer))


@pytest.mark.parametrize(
    "text",
    [
        # Thoughts that somebody is told, but that end as no call does.
        f"<|channel|>analysis to=functions.submit_result<|message|>{ARGUMENTS}<|end|>",
        f"<|channel|>analysis to=submit_result<|message|>{ARGUMENTS}<|call|>",
        f"<|channel|>analysis<|message|>to=functions.submit_result {ARGUMENTS}<|call|>",
        "analysisI could call submit_result.assistantcommentary to=functions.submit_result",
        # What another says is not what the model says.
        f"<|start|>functions.submit_result to=assistant<|channel|>final<|message|>{ARGUMENTS}",
        f"<|start|>user<|channel|>commentary to=submit_result<|message|>{ARGUMENTS}<|call|>",
        f"<|start|>assistants to=functions.submit_result<|channel|>final<|message|>{ARGUMENTS}",
    ],
)
def test_thoughts_and_words_of_others_call_nothing(text: str) -> None:
    assert split_reasoning(text) == Reply("", len(text), False)
    assert split_reasoning(f"{text}{NO_THOUGHT_ENDS}wait()").answer == "wait()"


def test_a_result_that_the_model_invents_is_left_out() -> None:
    invented = (
        "<|start|>functions.wait to=assistant<|channel|>commentary<|message|>submit_result(1)"
    )
    text = f"{THOUGHT}{HEADERS[0]}{ARGUMENTS}<|call|>{invented}<|end|>"
    assert split_reasoning(text).answer == CALL


@pytest.mark.parametrize("after", ["<|call|>", "<|call|><|start|>assistant", "<|end|>", ""])
def test_each_call_has_its_own_function(after: str) -> None:
    wait = "<|channel|>commentary to=functions.wait<|constrain|>json<|message|>{}"
    waited = '{"name": "wait", "arguments": {}}'
    assert split_reasoning(f"{wait}{after}{HEADERS[0]}{ARGUMENTS}").answer == f"{waited}\n{CALL}"
    final = "<|channel|>final<|message|>Now it is sent."
    assert split_reasoning(f"{wait}{after}{final}").answer == f"{waited}\nNow it is sent."
    if after == "<|call|>":  # a mark forgotten
        forgotten = HEADERS[0].removeprefix("<|channel|>")
        assert split_reasoning(f"{wait}{after}{forgotten}{ARGUMENTS}").answer.endswith(CALL)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ('{"answer": 42', "can't be read"),
        ("{'answer': 42}", "can't be read"),
        ("42", "must be a JSON object"),
        ("[42]", "must be a JSON object"),
        ("submit_result(42)", "can't be read"),
        ("x = 1\nsubmit_result(42)\nwait()", "can't be read"),
        ('{"answer": 42}\nwait()', "can't be read"),
        ('{"result": 42}', "unknown argument"),
        ("", "lacks the argument"),
    ],
)
def test_arguments_that_are_none_are_refused_as_those_of_the_call(
    arguments: str, reason: str
) -> None:
    for header in HEADERS:
        (call,) = read(f"{THOUGHT}{header}{arguments}<|call|>")
        assert call[:2] == ("submit_result", {})
        assert reason in str(call[2])


def test_an_unknown_recipient_is_an_unknown_function() -> None:
    text = "<|channel|>commentary to=python code<|message|>import a\nsubmit_result(42)\n<|call|>"
    (call,) = read(text)
    assert call[:2] == ("python", {})
    assert "no function of this name" in str(call[2])


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner)),
    max_leaves=6,
)


@given(JSON, st.sampled_from(HEADERS), st.booleans())
def test_every_argument_arrives_as_it_was_written(
    answer: object, header: str, ascii_only: bool
) -> None:
    try:
        source = json.dumps({"answer": answer}, ensure_ascii=ascii_only)
        source.encode()
    except UnicodeEncodeError:
        return
    calls = read(f"{THOUGHT}{header}{source}<|call|>")
    assert calls == [("submit_result", {"answer": answer}, None)]


@pytest.mark.parametrize(
    "piece",
    [
        *(" to=functions.wait", "<|start|>assistant to=functions.wait", "<|call|>", " \t"),
        *("assistantcommentary to=functions.wait json{}", "assistant to=functions.", "commentary"),
        *(HEADERS[0], f"{HEADERS[0]}{{", f"{HEADERS[8]}{ARGUMENTS}<|call|>", "to=", "assistant "),
    ],
)
@pytest.mark.parametrize("before", ["<|channel|>", "analysisWe", "", "commentary to=functions."])
def test_time_grows_with_the_length_alone(before: str, piece: str) -> None:
    start = time.process_time()
    split_reasoning(before + piece * (300_000 // len(piece)))
    assert time.process_time() - start < 2
