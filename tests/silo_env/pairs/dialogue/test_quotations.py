"""What an agent repeats of its prompt is never an answer, and hides none that was given."""

import json
from functools import cache

import numpy as np
import pytest

from coordgym.silo_env.pairs import parallel_env
from coordgym.silo_env.pairs.dialogue.extraction import find_candidate
from coordgym.silo_env.pairs.instance import generate, read_instance
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.table import TASK_CLASSES
from coordgym.silo_env.pairs.task import FRICTIONS, find_task

ANSWERS = {
    "marked": lambda answer: f"FINAL ANSWER: {json.dumps(answer)}",
    "unmarked": lambda answer: f"I have got {json.dumps(answer)}",
}


@cache
def solved(name):
    """A task, an instance of default size, and its solution."""
    task = find_task(name)
    instance = generate(task, make_config(task, None), np.random.default_rng(7))
    return task, instance, task.solve(instance)


def in_prose(answer) -> str:
    """An answer without any object, as an agent may put it."""
    field, value = next(iter(answer.items()))
    if "A" in answer:
        return "\n".join(f"{vehicle}: {joined(answer[vehicle])}" for vehicle in "AB")
    if field == "paths":
        return "\n".join(f"Wire {label}: {joined(path)}" for label, path in value.items())
    if field == "assignment":
        return "\n".join(f"House {k}: {', '.join(cells.values())}" for k, cells in value.items())
    if isinstance(value, dict):
        return "\n".join(f"{key} -> {entry}" for key, entry in value.items())
    if field == "answers":
        return "\n".join(f"{k}. {entry_in_prose(entry)}" for k, entry in enumerate(value, 1))
    if field == "grid":
        return "\n".join(value)
    return f"The {field} is {joined(value) if isinstance(value, list) else value}"


def entry_in_prose(entry) -> str:
    if not isinstance(entry, list):
        return str(entry)
    return entry[1] if len(entry) == 3 and "of" in entry[1] else ", ".join(entry)


def joined(items) -> str:
    return ", ".join(x if isinstance(x, str) else f"({', '.join(map(str, x))})" for x in items)


def forms(task):
    """Everything that shows the form of an answer, as agents may repeat it."""
    for friction in FRICTIONS:
        form, note = task.answer_form(friction), task.answer_note(friction)
        spaced = form.replace("{", "{\n  ").replace(":", " :").replace("[", "[ ")
        yield from (
            form,
            spaced,
            form.replace('"', "'"),
            form.replace("...", "…"),
            f"```json\n{form}\n```",
            f"FINAL ANSWER: {form}",
            f"**Final answer:** ```json\n{spaced}\n```",
            f"Agreed. Remember the form {form}. {note}",
            note,
            *(f"FINAL ANSWER: {each}" for each in form.split(" or ")),
            *(each.partition(":")[2].strip(" }") for each in form.split(" or ") if "..." in each),
        )


def prompts(name, friction, text):
    """The instance of an episode, and what each agent is told first."""
    env = parallel_env(task=name, friction=friction, text=text, clauses="all")
    observations, _ = env.reset(seed=5)
    return read_instance(name, env.instance), list(observations.values())


@pytest.mark.parametrize("name", TASK_CLASSES)
def test_the_form_of_an_answer_is_none(name) -> None:
    task, instance, answer = solved(name)
    for form in forms(task):
        message = f"{form}\nACTI!"
        assert find_candidate(task, instance, [message], free_text=True) is None, form
        for given in ANSWERS.values():
            found = find_candidate(task, instance, [given(answer), message], free_text=True)
            assert found is not None
            assert found.answer == answer
            found = find_candidate(task, instance, [f"{given(answer)}\n{form}"], free_text=True)
            assert found is not None
            assert found.answer == answer


@pytest.mark.parametrize("name", TASK_CLASSES)
@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("text", ["full", "compact"])
def test_a_repeated_prompt_is_no_answer(name, friction, text) -> None:
    task = find_task(name)
    instance, told = prompts(name, friction, text)
    for prompt in told:
        cited = "\n".join(f"> {line}" for line in prompt.split("\n"))
        lines = prompt.split("\n")
        echoes = [
            prompt,
            cited,
            f"I was told this: {prompt}",
            f"**{prompt}**",
            f"```\n{prompt}\n```",
            "\n".join(f"- {line}" for line in lines),
            " ".join(prompt.split()),
            *prompt.split("\n\n"),
            *(f'You said "{line}" at first.' for line in lines if len(line) >= 20),
        ]
        for echo in [*echoes, *lines]:
            assert find_candidate(task, instance, [echo, "ACTI!"], free_text=True) is None, echo


@pytest.mark.parametrize("text", ["full", "compact"])
@pytest.mark.parametrize("name", TASK_CLASSES)
def test_a_repeated_prompt_overrides_no_answer(name, text) -> None:
    task = find_task(name)
    instance, (first, second) = prompts(name, 1, text)
    answer = task.solve(instance)
    for given in ANSWERS.values():
        messages = [f"{first}\n{given(answer)}", f"{second}\nACTI!"]
        found = find_candidate(task, instance, messages, free_text=True)
        assert found is not None
        assert found.answer == answer


@pytest.mark.parametrize("name", TASK_CLASSES)
def test_what_is_repeated_overrides_no_prose(name) -> None:
    """The true answer in prose, then the form or the prompt with the word that ends it."""
    task = find_task(name)
    for text in ("full", "compact"):
        for friction in FRICTIONS:
            instance, told = prompts(name, friction, text)
            said = in_prose(task.solve(instance))
            for echo in (*dict.fromkeys(forms(task)), *told):
                for messages in ([said, f"{echo} ACTI!"], [f"{said}\n\n{echo}", "ACTI!"]):
                    found = find_candidate(task, instance, messages, free_text=True)
                    assert found is not None, echo
                    assert task.grade(instance, found.answer).score == 1.0, messages


@pytest.mark.parametrize("name", TASK_CLASSES)
def test_no_true_answer_passes_for_a_repeated_line(name) -> None:
    task = find_task(name)
    config = make_config(task, None)
    for seed in range(10):
        instance = task.draw(config, np.random.default_rng(seed))
        if instance is not None:
            messages = [in_prose(task.solve(instance)), "ACTI!"]
            found = find_candidate(task, instance, messages, free_text=True)
            assert found is not None
            assert task.grade(instance, found.answer).score == 1.0


@pytest.mark.parametrize("name", TASK_CLASSES)
def test_long_dialogues_of_repeated_passages_stay_cheap(name) -> None:
    """A quadratic search would hit the test timeout."""
    task = find_task(name)
    instance, told = prompts(name, 1, "full")
    begun = task.answer_form(1)[:-1]
    for piece in (told[0], begun, begun[:2], f"{begun[:3]}{' ' * 50}", told[0][-200:-100]):
        message = (piece * (100_000 // len(piece) + 1))[:100_000]
        find_candidate(task, instance, [message] * 3, free_text=True)
