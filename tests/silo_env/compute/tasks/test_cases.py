"""Reference cases: solutions, accepted spellings and partial credit."""

from collections import Counter

import pytest
from cases import cases

from coordgym.silo_env.compute import TASKS
from coordgym.silo_env.compute.answers.grading import Partial, grade_answer
from coordgym.silo_env.compute.instance import as_instance, verify

CASES = cases("silo_cases")
PAPER_TASKS = {
    *(f"I-{number:02}" for number in range(1, 11)),
    *(f"II-{number}" for number in range(11, 21)),
    *(f"III-{number}" for number in range(21, 31)),
}

LISTS_BY_POSITION = {"II-11", "II-12", "II-14", "II-17", "II-19", "II-20"}
LISTS_BY_SUBSEQUENCE = {"III-21", "III-25", "III-27", "III-30"}
DICTIONARIES = {"II-18", "III-24", "III-28", "III-29"}


def rule(case):
    """The rule of partial credit as the documentation gives it, by level and kind of answer."""
    if case["task"] in LISTS_BY_POSITION:
        return Partial.POSITIONS
    if case["task"] in LISTS_BY_SUBSEQUENCE:
        return Partial.SUBSEQUENCE
    if case["task"] in DICTIONARIES:
        return Partial.KEYS
    number = isinstance(case["answer"], int | float) and not isinstance(case["answer"], bool)
    return Partial.RELATIVE if case["level"] == "I" and number else Partial.NONE


def extra_of(case):
    """The parameters; sorting in pieces is an option here, and the cases mean it."""
    return {**case["extra"], **({"answer": "segment"} if case["task"] == "III-21" else {})}


def graded(case, answer):
    """S and P of a run in which every agent submits ``answer`` (its piece of it)."""
    if not case["segmented"]:
        pairs = [(answer, case["answer"])]
    else:
        pairs = list(zip(answer, case["answer"], strict=True))
    grades = [grade_answer(a, e, case["tolerance"], rule(case)) for a, e in pairs]
    return (
        sum(grade.correct for grade in grades) / len(grades),
        sum(grade.partial for grade in grades) / len(grades),
    )


def by_id(cases):
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


def test_there_are_cases_of_all_tasks_of_the_paper():
    """Other tasks may have some too."""
    kinds = Counter((case["task"], case["kind"]) for case in CASES)
    assert PAPER_TASKS <= {task for task, _ in kinds} <= set(TASKS)
    assert len(CASES) >= 126
    assert all(kinds[task, kind] >= 2 for task in PAPER_TASKS for kind in ("edge", "random"))


@by_id(CASES)
def test_the_answer_and_its_other_spellings_are_right(case):
    for answer in (case["answer"], *case["equivalents"]):
        assert graded(case, answer) == (1.0, 1.0)


@by_id(CASES)
def test_wrong_answers_earn_the_recommended_credit(case):
    for wrong in case["wrong_answers"]:
        success, partial = graded(case, wrong["answer"])
        assert partial == pytest.approx(wrong["partial_recommended"]), wrong
        assert success == wrong.get("S_recommended", 0.0), wrong


@by_id(CASES)
def test_the_task_solves_and_grades_the_case(case):
    task = TASKS[case["task"]]
    instance = as_instance(task, {"shards": case["shards"], "extra": extra_of(case)})
    assert task.is_segmented(instance.extra) is case["segmented"]
    if case["segmented"]:
        pairs = list(zip(instance.answer, case["answer"], strict=True))
    else:
        pairs = [(instance.answer, case["answer"])]
    for solved, told in pairs:
        assert grade_answer(solved, told, case["tolerance"], Partial.NONE).correct
        assert task.grade(told, solved).correct
    assert task.tolerance == case["tolerance"]
    assert task.partial == rule(case)


def test_the_only_case_with_two_readings_is_told_which_one_counts():
    """Pieces might be as long as the shards; the task's text says that they are equally long.

    Both readings can't count: an agent without data would be right to answer with nothing,
    which the case itself calls wrong.
    """
    (case,) = (case for case in CASES if "accept" in case)
    task = TASKS[case["task"]]
    instance = as_instance(task, {"shards": case["shards"], "extra": extra_of(case)})
    assert instance.answer == case["answer"]
    (other,) = case["accept"]
    assert [len(piece) for piece in other] == [len(shard) for shard in case["shards"]]
    assert "All parts have the same length" in task.statement(instance.extra)
    assert "floor(total/agents) each" in task.brief(instance.extra)


@by_id(CASES)
def test_verify_gives_the_verdict_of_the_case(case):
    data = {"task": case["task"], "shards": case["shards"], "extra": extra_of(case)}
    agents = [f"agent_{i}" for i in range(case["n_agents"])]

    def outcome(answer):
        answers = answer if case["segmented"] else [answer] * len(agents)
        return dict(zip(agents, answers, strict=True))

    assert verify(data, outcome(case["answer"])).success
    for wrong in case["wrong_answers"]:
        verdict = verify(data, outcome(wrong["answer"]))
        assert not verdict.success
        assert verdict.partial == pytest.approx(wrong["partial_recommended"])
