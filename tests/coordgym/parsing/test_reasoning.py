"""A model's thoughts are parted from its answer, whatever its way of marking them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordgym.parsing.reasoning import OTHER_TAGS, WORDS, split_reasoning

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
        assert split_reasoning(text) == ("", len(text), False)
        again = f"{opening}a{closing}{CALL}\n{opening}but then"
        assert split_reasoning(again) == ("", len(again), False)

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
    assert split_reasoning(text) == ("", len(text), False)


@pytest.mark.parametrize(
    "text", ["UP", " UP \n", "", "1 < 2 and 3 > 2", "analysis of the map", "I think <so>. [thinks]"]
)
def test_a_reply_without_reasoning_stays_as_it_is(text: str) -> None:
    assert split_reasoning(text) == (text, 0, True)


PIECES = st.sampled_from([*(tag for pair in PAIRS for tag in pair), "a", "\n", "<|channel|>final",
                          "<|message|>", "<|end|>", "analysis", "assistantfinal"])  # fmt: skip


@given(st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=30).map("".join))
def test_the_parts_add_up_and_the_answer_holds_no_tag(text: str) -> None:
    reply = split_reasoning(text)
    assert reply.reasoning + len(reply.answer) == len(text)
    assert reply.finished or not reply.answer
    again = split_reasoning(reply.answer)
    assert again.finished
    assert again.answer.split() == reply.answer.split()


@pytest.mark.parametrize(
    "piece", ["<think>", "</think>", "<", "[THINK]", "<|channel|>", "analysis"]
)
def test_time_grows_with_the_length_alone(piece: str) -> None:
    start = time.process_time()
    split_reasoning(piece * 200_000)
    assert time.process_time() - start < 2
