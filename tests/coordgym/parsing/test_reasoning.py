"""A model's thoughts are parted from its answer, whatever its way of marking them."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordgym.parsing.reasoning import (
    ANSWER_TAGS,
    CHANNEL_MARKS,
    OTHER_TAGS,
    WORDS,
    Reply,
    escape_marks,
    is_mark,
    opened_thought,
    split_reasoning,
)

PAIRS = [*((f"<{word}>", f"</{word}>") for word in WORDS), *OTHER_TAGS]
CALL = 'send_message(1, "hello")'


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
class TestTags:
    def test_what_stands_between_them_is_no_answer(self, opening: str, closing: str) -> None:
        reply = split_reasoning(f"{opening}\nsubmit_result(1)?\n{closing}\n{CALL}")
        assert (reply.answer, reply.finished) == (CALL, True)
        assert reply.reasoning == len(f"{opening}\nsubmit_result(1)?\n{closing}\n")

    def test_the_opening_one_may_be_in_the_prompt(self, opening: str, closing: str) -> None:
        assert split_reasoning(f"submit_result(1)?{closing}\n\n{CALL}").answer == CALL

    def test_case_does_not_matter(self, opening: str, closing: str) -> None:
        assert split_reasoning(f"{opening.upper()}a{closing.title()}{CALL}").answer == CALL

    def test_one_without_an_end_is_an_unfinished_reply(self, opening: str, closing: str) -> None:
        text = f"{opening}\nFirst idea:\nsubmit_result(1)\nNo, that would"
        assert split_reasoning(text) == Reply("", len(text), False)
        again = f"{opening}a{closing}{CALL}\n{opening}but then"
        assert split_reasoning(again) == Reply("", len(again), False)

    def test_later_thoughts_are_taken_out_of_the_answer(self, opening: str, closing: str) -> None:
        text = f"{opening}a{closing}UP{opening}b{closing} AND{opening}c{closing}"
        assert split_reasoning(text).answer == "UP AND"

    def test_thoughts_within_thoughts_end_with_the_last(self, opening: str, closing: str) -> None:
        text = f"{opening}a{opening}b{closing}submit_result(1){closing}{CALL}"
        assert split_reasoning(text).answer == CALL


def test_text_before_the_first_thought_belongs_to_it() -> None:
    assert split_reasoning("submit_result(1) <think>or not?</think> submit_result(5)").answer == (
        "submit_result(5)"
    )


@pytest.mark.parametrize(
    "text",
    [
        "<|channel|>analysis<|message|>submit_result(1)?<|end|>"
        "<|start|>assistant<|channel|>final<|message|>UP<|return|>",
        # llama.cpp's server leaves some marks out, others leave out all of them.
        "<|channel|>analysis<|message|>Hm.<|start|>assistant<|channel|>final<|message|>UP",
        "Hm.<|end|><|start|>assistant<|channel|>final<|message|>UP",
        "<|channel|>final<|message|>UP",
        "<|channel|>final <|constrain|>json<|message|>UP",
        "<|channel|>analysis<|message|>a<|end|><|channel|>analysis<|message|>b<|end|>"
        "<|channel|>final<|message|>UP",
        "analysisThe others moved.assistantfinalUP",
        'analysis"Up" is free.assistantcommentaryHm.assistantfinalUP',
    ],
)
def test_harmony_answers_in_its_final_channel(text: str) -> None:
    reply = split_reasoning(text)
    assert (reply.answer, reply.finished) == ("UP", True)
    assert reply.reasoning == len(text) - len("UP")


def test_harmony_without_a_final_channel_is_an_unfinished_reply() -> None:
    text = "<|channel|>analysis<|message|>submit_result(1)"
    assert split_reasoning(text) == Reply("", len(text), False)


@pytest.mark.parametrize(
    "text", ["UP", " UP \n", "", "1 < 2 and 3 > 2", "analysis of the map", "I think <so>. [thinks]"]
)
def test_a_reply_without_reasoning_stays_as_it_is(text: str) -> None:
    assert split_reasoning(text) == Reply(text, 0, True, 0)


@pytest.mark.parametrize(
    "text",
    [
        "<|channel|>analysis<|message|>submit_result(1)",
        "<|channel|>analysis<|message|>submit_result(1)<|end|>",
        "<|channel|>analysis",
        "<|channel|>",
        "analysisWe could call submit_result(1)",
        "<|channel|>final<|message|><think>submit_result(1)",
    ],
)
def test_what_ends_in_a_channel_of_thoughts_is_unfinished(text: str) -> None:
    assert split_reasoning(text) == Reply("", len(text), False)


def test_a_function_called_in_a_channel_is_a_whole_call() -> None:
    thought = "<|channel|>analysis<|message|>wait()?<|end|><|start|>assistant"
    header = "<|channel|>commentary to=functions.send_message <|constrain|>json<|message|>"
    call = '{"recipient": 1, "message": "hello"}'
    reply = split_reasoning(f"{thought}{header}{call}<|call|>")
    assert reply.answer == f'{{"name": "send_message", "arguments": {call}}}'
    assert reply.reasoning == len(f"{thought}{header}<|call|>")
    preamble = "<|channel|>commentary<|message|>I will say hello.<|end|><|start|>assistant"
    assert split_reasoning(f"{thought}{preamble}{header}{call}<|call|>").answer == reply.answer
    assert split_reasoning(f"{thought}{preamble}").answer == "I will say hello."
    addressed = " to=functions.wait<|channel|>commentary<|message|>"
    for end in ("<|call|>", "{}<|call|>", ""):
        waits = split_reasoning(f"{thought}{addressed}{end}")
        assert waits.answer == '{"name": "wait", "arguments": {}}'


@pytest.mark.parametrize(("opening", "closing"), ANSWER_TAGS)
def test_tags_around_the_answer_are_taken_off(opening: str, closing: str) -> None:
    assert split_reasoning(f"a</think>\n{opening}\nUP\n{closing}\n").answer == "UP"
    assert split_reasoning(f"{opening}UP{closing}").answer == f"{opening}UP{closing}"


@pytest.mark.parametrize(
    "text",
    [
        "<think>a</think>\n UP",
        "a</think>UP<think>b</think>",
        "a</think><think>b</think>UP",
        "<think>a<think>b</think>c</think> UP",
        "<think>a</think><|START_RESPONSE|> UP<|END_RESPONSE|>",
        "<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|> UP<|return|>",
        "analysisHm.assistantfinal UP",
        "UP",
    ],
)
def test_calls_may_be_put_where_the_answer_begins(text: str) -> None:
    reply = split_reasoning(text)
    longer = split_reasoning(f"{text[: reply.start]}wait()\n{text[reply.start :]}")
    assert longer.answer.split() == ["wait()", "UP"]


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_a_prompt_may_open_the_thought(opening: str, closing: str) -> None:
    assert opened_thought(f"<|assistant|>{opening}\n") == f"{opening}\n"
    assert opened_thought(f"{'x' * 100}{opening}") == opening
    assert opened_thought(f"{opening}\n\n{closing}\n\n") == ""
    assert opened_thought(f"{opening} x") == ""


@pytest.mark.parametrize("mark", [*(tag for pair in PAIRS for tag in pair), *CHANNEL_MARKS])
def test_marks_can_be_escaped_in_json(mark: str) -> None:
    assert is_mark(mark)
    assert not is_mark(f"{mark}.")
    value = {"a": ["<b>", mark, f"x{mark.upper()}y"]}
    written = escape_marks(json.dumps(value, ensure_ascii=False))
    assert json.loads(written) == value
    assert split_reasoning(written) == Reply(written)


def test_only_marks_are_escaped() -> None:
    assert escape_marks('send_message(1, "1 < 2 [think]")') == (
        'send_message(1, "1 < 2 \\u005bthink]")'
    )
    assert not is_mark("<|im_end|>")


PIECES = st.sampled_from([*(tag for pair in PAIRS for tag in pair), "a", "\n", "<|channel|>final",
                          "<|message|>", "<|end|>", "analysis", "assistantfinal"])  # fmt: skip


@given(st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=30).map("".join))
def test_the_parts_add_up_and_the_answer_holds_no_tag(text: str) -> None:
    reply = split_reasoning(text)
    assert 0 <= reply.start <= len(text)
    assert 0 <= reply.reasoning <= len(text)
    assert reply.finished or not reply.answer
    if "<|channel|>" not in text:
        assert reply.reasoning + len(reply.answer) == len(text)
    if "analysis" not in text and "<|channel|>" not in text:
        again = split_reasoning(reply.answer)
        assert again.finished
        assert again.answer.split() == reply.answer.split()


@pytest.mark.parametrize(
    "piece",
    [
        *("<think>", "</think>", "<", "[THINK]", "<|channel|>", "analysis", "assistantfinal"),
        *("<|start|>", "<|message|>", "<|channel|>final<|message|>a", "<|", "</", "◁"),
    ],
)
def test_time_grows_with_the_length_alone(piece: str) -> None:
    start = time.process_time()
    split_reasoning(piece * (1_400_000 // len(piece)))
    opened_thought(piece * (1_400_000 // len(piece)))
    assert time.process_time() - start < 4
