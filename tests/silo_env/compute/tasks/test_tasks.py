"""What holds for every task: instances, solutions, grades, texts, partial results."""

import ast
import json
import subprocess
import sys
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shards import SEQUENCES, cut_at, draw, join

from coordgym.errors import ConfigError, InstanceError, UnknownKwargError
from coordgym.silo_env.compute import TASKS, table
from coordgym.silo_env.compute.tasks import find_task

SIZES = (2, 5, 10, 20, 50, 100)
FEW = settings(max_examples=30)  # for each of many tasks
SEEDS = st.integers(0, 10_000)


@pytest.mark.parametrize("entry", table.TASKS, ids=lambda entry: entry.paper_id)
def test_a_task_is_what_its_line_in_the_table_says(entry):
    task = TASKS[entry.paper_id]
    assert (task.id, task.slug, type(task).__name__) == (*entry[:2], entry.class_name)
    assert find_task(entry.slug) is find_task(entry.paper_id) is task


@pytest.mark.parametrize("task", TASKS)
def test_what_an_agent_holds_is_told_with_the_parameters_of_the_generator(task):
    parameters = {field.name: field.default for field in fields(TASKS[task].config)}
    told = TASKS[task].holds.format(**parameters)
    assert told
    assert "{" not in told


def test_tasks_are_loaded_when_they_are_asked_for():
    probe = (
        "import sys; from coordgym.silo_env.compute import TASKS; "
        "tasks = 'coordgym.silo_env.compute.tasks.'; before = list(TASKS); "
        "assert tasks + 'median' not in sys.modules; TASKS['III-22']; "
        "assert tasks + 'median' in sys.modules; assert tasks + 'checksum' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", probe], check=True)


@pytest.mark.parametrize("n_agents", SIZES)
@pytest.mark.parametrize("task", TASKS)
def test_instances_are_json_pass_their_own_check_and_follow_the_seed(task, n_agents):
    one, two, other = draw(task, n_agents), draw(task, n_agents), draw(task, n_agents, seed=2)
    assert one == two
    assert one.shards != other.shards
    assert json.loads(json.dumps(one.as_dict())) == one.as_dict()
    assert len(one.shards) == n_agents
    assert TASKS[task].adopt(one.shards, one.extra) == one


@pytest.mark.parametrize("task", SEQUENCES)
@FEW
@given(data=st.data())
def test_the_solution_does_not_depend_on_the_borders(task, data):
    chosen = TASKS[task]
    instance = draw(task, data.draw(st.integers(2, 5)), data.draw(SEEDS))
    whole = join(instance.shards)
    borders = data.draw(st.lists(st.integers(0, len(whole)), min_size=1, max_size=9))
    shards = cut_at(whole, borders)
    chosen.check(shards, instance.extra)
    solved = chosen.solve(shards, instance.extra)
    if chosen.is_segmented(instance.extra):
        assert [len(piece) for piece in solved] == [len(shard) for shard in shards]
        assert join(solved) == join(instance.answer)
    else:
        assert solved == instance.answer


def spellings(answer):
    """Texts and values that mean an answer."""
    yield answer
    yield json.dumps(answer)
    yield json.dumps(answer, indent=1) + "\n"
    yield repr(answer)
    yield tuples(answer)
    yield repr(tuples(answer))
    if isinstance(answer, int) and not isinstance(answer, bool):
        yield float(answer)
    if isinstance(answer, dict) and all(key.isdigit() for key in answer):
        yield {int(key): value for key, value in reversed(answer.items())}


def tuples(value):
    if isinstance(value, list):
        return tuple(map(tuples, value))
    if isinstance(value, dict):
        return {key: tuples(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize("task", TASKS)
@FEW
@given(seed=SEEDS)
def test_the_solution_is_right_in_all_spellings(task, seed):
    chosen = TASKS[task]
    instance = draw(task, 4, seed)
    expected = instance.answer[seed % 4] if chosen.is_segmented(instance.extra) else instance.answer
    for answer in spellings(expected):
        assert chosen.grade(answer, expected) == (True, 1.0), answer


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.binary()
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(max_size=3) | st.integers(0, 9), inner, max_size=5)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("task", TASKS)
@FEW
@given(data=st.data())
def test_grades_of_anything_are_bounded_and_credit_covers_success(task, data):
    """Junk, and right answers with some of their items replaced, dropped or doubled."""
    chosen = TASKS[task]
    instance = draw(task, 3, data.draw(st.integers(0, 20)))
    expected = instance.answer[1] if chosen.is_segmented(instance.extra) else instance.answer
    answer = data.draw(JUNK)
    if isinstance(expected, list) and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(expected)))
        end = data.draw(st.integers(place, len(expected)))
        answer = [*expected[:place], *data.draw(st.lists(JUNK, max_size=3)), *expected[end:]]
    if isinstance(expected, dict) and data.draw(st.booleans()):
        answer = {**expected, data.draw(st.sampled_from(sorted(expected))): answer}
    if data.draw(st.booleans()):
        answer = repr(answer)
    grade = chosen.grade(answer, expected)
    assert isinstance(grade.correct, bool)
    assert 0.0 <= grade.partial <= 1.0
    assert grade.partial >= grade.correct
    if isinstance(expected, list) and isinstance(answer, list) and len(answer) != len(expected):
        assert not grade.correct
        assert grade.partial < 1.0


@pytest.mark.parametrize("task", TASKS)
@FEW
@given(data=st.data())
def test_junk_instances_are_refused_or_solved(task, data):
    """``check`` lets nothing through that ``solve`` fails on."""
    chosen = TASKS[task]
    instance = draw(task, 3)
    shards, extra = list(instance.shards), dict(instance.extra)
    place = data.draw(st.integers(0, 2))
    shards[place] = data.draw(JUNK)
    if isinstance(instance.shards[place], list) and data.draw(st.booleans()):
        shards[place] = [*instance.shards[place], data.draw(JUNK)]
    if extra and data.draw(st.booleans()):
        extra[data.draw(st.sampled_from(sorted(extra)))] = data.draw(JUNK)
    try:
        solved = chosen.adopt(shards, extra)
    except InstanceError:
        return
    expected = solved.answer[0] if chosen.is_segmented(solved.extra) else solved.answer
    assert chosen.grade(expected, expected).correct


@pytest.mark.parametrize("task", TASKS)
def test_wrong_parameters_are_refused(task):
    with pytest.raises(UnknownKwargError, match="has no parameter 'item'"):
        draw(task, 3, item=3)
    if "items" in TASKS[task].config.__dataclass_fields__:
        for value in (0, -1, "3", 2.5, True):
            with pytest.raises((ConfigError, ValueError), match="items"):
                draw(task, 3, items=value)


@pytest.mark.parametrize("task", TASKS)
def test_texts_are_complete_and_name_no_roles(task):
    chosen, instance = TASKS[task], draw(task, 4)
    texts = [chosen.statement(instance.extra), chosen.answer_form(instance.extra), chosen.hint]
    assert all(len(text) > 10 for text in texts)
    assert len(chosen.brief(instance.extra)) < len(texts[0])
    for word in ("coordinator", "leader", "star ", "ring", "chain", "agent 0"):
        assert word not in " ".join([texts[0], texts[2]]).replace("string", "")


@pytest.mark.parametrize("task", TASKS)
def test_examples_in_the_answer_form_can_be_read(task):
    """An example in the prompt has the type of the answer; an ellipsis stands for more."""
    chosen, instance = TASKS[task], draw(task, 4)
    example = chosen.answer_form(instance.extra).partition("for example ")[2].replace(", …", "")
    if example:
        answer = instance.answer[0] if chosen.is_segmented(instance.extra) else instance.answer
        assert type(ast.literal_eval(example)) is type(answer)
