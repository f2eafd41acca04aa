"""A submission is read as people write it, or refused in words: form alone is looked at."""

import json
import random

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from coordgym.silo_env.compute import TASKS, parallel_env
from coordgym.silo_env.compute.answers.types import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    TEXT,
    AnswerError,
    AnswerType,
    DictOf,
    ListOf,
)

INTEGERS, ROWS = ListOf(INTEGER), ListOf(ListOf(NUMBER))
BY_ID = DictOf(INTEGER)
LOADS = DictOf(NUMBER, ("variance", "max_load", "min_load"))

WRAPPED = (
    *("Answer: {}", "answer = {}", "The answer is {}.", "Final answer: {}", "**Answer:** {}"),
    *("**Answer**: {}", "### Final Answer\n{}", "## Result: {}", "**Final Answer: {}**"),
    *("The final answer is: {}", "Result: **{}**.", "my answer is {}", "<answer>{}</answer>"),
    *("Antwort: {}", "Die Antwort ist {}.", "Das Ergebnis lautet: {}", "答案：{}", "答案是{}。"),
    *("最终答案：{}", "结果为{}", "La respuesta es {}.", "Respuesta final: {}", "Ответ: {}"),
    *("La réponse est {}", "Réponse : {}", "La risposta è {}", "答えは{}", "정답: {}"),
    *("{}.", "{}。", "**{}**", "*{}*", "__{}__", "`{}`", '"{}"', "'{}'", "“{}”", "«{}»", " {}\n"),
    *("```\n{}\n```", "```json\n{}\n```", "```{}```", "${}$", "$${}$$", r"\({}\)", r"\[ {} \]"),
    *(r"\boxed{{{}}}", r"$\boxed{{{}}}$", r"\boxed{{\text{{{}}}}}", r"$\mathbf{{{}}}$"),
    *('{{"answer": {}}}', '{{"result": {}}}', '{{"final_answer": {}}}', '{{"Final Answer": {}}}'),
)
VALUES = [
    *((INTEGER, "42", 42), (INTEGER, "-7", -7), (INTEGER, "0", 0), (NUMBER, "12.34", 12.34)),
    *((BOOLEAN, "true", True), (BOOLEAN, "false", False), (INTEGERS, "[1, -2, 3]", [1, -2, 3])),
    *((ROWS, "[[1.5, 2], [3, 4]]", [[1.5, 2], [3, 4]]), (BY_ID, '{"0": 1}', {"0": 1})),
    *((INTEGERS, "[]", []), (LOADS, '{"variance": 0.5}', {"variance": 0.5})),
]


@pytest.mark.parametrize("form", WRAPPED)
def test_what_stands_around_a_value_changes_nothing(form: str) -> None:
    fitting = [case for case in VALUES if form != '"{}"' or '"' not in case[1]]
    for kind, text, value in fitting:
        assert kind.read(form.format(text)) == value
        assert type(kind.read(form.format(text))) is type(value)
    if not form.startswith("{{"):
        assert TEXT.read(form.format("Candidate_A")) == "Candidate_A"


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        *((INTEGER, 42.0, 42), (INTEGER, "42.0", 42), (INTEGER, "42.", 42), (INTEGER, "1e3", 1000)),
        *((INTEGER, text, 1234) for text in ("1,234", "1_234", "1'234", "1\u202f234", "1{,}234")),
        *((INTEGER, text, 1234567) for text in ("1,234,567", "1\u00a0234\u00a0567", "1’234’567")),
        *((INTEGER, "\u22125", -5), (INTEGER, "+5", 5), (INTEGER, "-1,234", -1234)),
        *((INTEGER, {"answer": 42}, 42), (INTEGER, {"Result": {"value": "42"}}, 42)),
        *(
            (NUMBER, 42, 42),
            (NUMBER, "\u22120.5", -0.5),
            (NUMBER, ".5", 0.5),
            (NUMBER, "1e-3", 0.001),
        ),
        *((NUMBER, "1,234.5", 1234.5), (NUMBER, "1,234,567", 1234567), (NUMBER, 42.0, 42.0)),
        *((BOOLEAN, "True", True), (BOOLEAN, "FALSE.", False), (BOOLEAN, {"answer": True}, True)),
        *((INTEGERS, ["1", "-2", 3.0], [1, -2, 3]), (INTEGERS, ["1,234", "$5$"], [1234, 5])),
        *((INTEGERS, "1, 2, 3", [1, 2, 3]), (INTEGERS, "(1, 2)", [1, 2]), (INTEGERS, "[1,]", [1])),
        *((INTEGERS, "[\u22121, 2]", [-1, 2]), (INTEGERS, {"result": "[1, 2]"}, [1, 2])),
        *(
            (ROWS, ["[1, 2]", ["3", 4.5]], [[1, 2], [3, 4.5]]),
            (ROWS, "[1, 2], [3, 4]", [[1, 2], [3, 4]]),
        ),
        *(
            (BY_ID, "{0: 1, 1: -1}", {"0": 1, "1": -1}),
            (BY_ID, {"00": "1", " 7": 2.0}, {"0": 1, "7": 2}),
        ),
        (
            LOADS,
            {"Variance": "0.5", "max load": 3, "min-load": 1},
            {"variance": 0.5, "max_load": 3, "min_load": 1},
        ),
        (LOADS, {"answer": {"max_load": 3}}, {"max_load": 3}),
    ],
)
def test_what_can_mean_one_value_only_is_that_value(
    kind: AnswerType, written: object, value: object
) -> None:
    read = kind.read(written)
    assert read == value
    assert repr(read) == repr(value)
    assert kind.read(read) == value


@pytest.mark.parametrize("kind", [INTEGER, NUMBER, BOOLEAN, TEXT, INTEGERS, ROWS, BY_ID, LOADS])
@pytest.mark.parametrize("null", [None, "null", "None", "Answer: null", {"answer": None}])
def test_null_is_an_answer_of_any_type(kind: AnswerType, null: object) -> None:
    assert kind.read(null) is None


NO_INTEGERS = [
    *(
        "42 apples",
        "about 42",
        "42 or 43",
        "41, no, 42",
        "42%",
        "$42",
        "forty-two",
        "x = 42",
        "= 42",
    ),
    *("", " ", "1,23", "12,34,567", "0,123", "1.2.3", "1 234", "- 5", "5-", "--5", "4 2", "1/2"),
    *("2.5", 2.5, True, "true", [42], "[42]", {"a": 42}, {"answer": 1, "result": 1}, [], {}),
    *("NaN", float("inf"), float("nan"), "inf", "1e999", "0x2a", "9" * 5000, "٤٢", "**42", "42**"),
    *(
        "I'm sure: 42",
        "Answer: 41 Answer: 42",
        "Not the answer: 42",
        "答案不是42",
        "Answers: 1 and 2",
    ),
]


@pytest.mark.parametrize("written", NO_INTEGERS, ids=range(len(NO_INTEGERS)))
def test_what_is_no_integer_is_refused_with_the_type_in_words(written: object) -> None:
    with pytest.raises(AnswerError, match=r"must be one integer, not .*submit again") as refused:
        INTEGER.read(written)
    assert len(str(refused.value)) < 160


@pytest.mark.parametrize(
    ("kind", "written", "words"),
    [
        *(
            (INTEGER, "1.234", "two ways"),
            (NUMBER, "1,234", "two ways"),
            (INTEGER, "5.000", "two ways"),
        ),
        *((INTEGERS, "1,234", "two ways"), (NUMBER, "12,34", "one number")),
        (NUMBER, "5 %", "one number"),
        *(
            (BOOLEAN, "yes", "true or false"),
            (BOOLEAN, 1.0, "true or false"),
            (BOOLEAN, "1", "true or"),
        ),
        *(
            (TEXT, 1.5, "text in quotes"),
            (TEXT, ["A"], "a list"),
            (TEXT, True, "not true or false"),
        ),
        *(
            (INTEGERS, "1 2 3", "list of integers"),
            (INTEGERS, "[1 2]", "list"),
            (INTEGERS, "5", "list"),
        ),
        *(
            (INTEGERS, [1, None], "null in it"),
            (INTEGERS, [1, "a"], "a text"),
            (INTEGERS, [True], "list"),
        ),
        *((INTEGERS, {"0": 1}, "not a dictionary"), (INTEGERS, [1.5], "decimals in it")),
        *(
            (ROWS, [1, 2], "list of lists of numbers"),
            (ROWS, [{"x": 1, "y": 2}], "a dictionary in it"),
        ),
        *((BY_ID, [[0, 1]], "from integers to integers"), (BY_ID, {"node 0": 1}, "key that is no")),
        *((BY_ID, {"0": None}, "null in it"), (BY_ID, {"1": 0, "01": 0}, "read alike")),
        *((LOADS, {"max": 3}, "variance, max_load, min_load"), (LOADS, [1, 2, 3], "not a list")),
    ],
)
def test_refusals_say_the_type_and_what_came_instead(
    kind: AnswerType, written: object, words: str
) -> None:
    with pytest.raises(AnswerError, match=words):
        kind.read(written)


@pytest.mark.parametrize("case", cases("silo_cases"), ids=lambda case: case["id"])
def test_known_answers_and_their_other_spellings_are_read(case: dict) -> None:
    """Right ones stay right; wrong ones stay final, save words for true and false."""
    task = TASKS[case["task"]]
    parts = (lambda answer: answer) if case["segmented"] else (lambda answer: [answer])
    for spelling in (case["answer"], *case["equivalents"]):
        for part, expected in zip(parts(spelling), parts(case["answer"]), strict=True):
            assert task.grade(task.read_answer(part, case["extra"]), expected).correct
    for wrong in case["wrong_answers"]:
        for part in parts(wrong["answer"]) if isinstance(wrong["answer"], list) else []:
            assert task.read_answer(part, case["extra"]) == part
        if not isinstance(wrong["answer"], list | str):
            assert task.read_answer(wrong["answer"], case["extra"]) == wrong["answer"]


def test_every_task_states_the_type_of_its_own_answers() -> None:
    for name, task in TASKS.items():
        for n_agents in (2, 5):
            env = parallel_env(task=name, n_agents=n_agents)
            env.reset(seed=n_agents)
            answer, extra = env.instance["answer"], env.instance["extra"]
            for part in answer if task.is_segmented(extra) else [answer]:
                assert task.read_answer(part, extra) == part
                assert task.read_answer(json.dumps(part), extra) == part
                assert task.read_answer({"answer": json.dumps(part)}, extra) == part


def submit(text: str, task: str = "I-01", **kwargs: object) -> tuple[object, ...]:
    """The check, reward, end, error and outcome of agent 0 for an action text."""
    env = parallel_env(task=task, n_agents=2, **kwargs)
    env.reset(seed=3)
    said = env.check_action("agent_0", text)
    _, rewards, ended, _, infos = env.step({"agent_0": text, "agent_1": "wait()"})
    error = infos["agent_0"]["error"]
    assert said == error
    assert infos["agent_0"]["valid"] is (error is None)
    return rewards["agent_0"], ended["agent_0"], error, env.outcome()["agent_0"]


def test_a_refused_answer_can_be_submitted_again() -> None:
    env = parallel_env(n_agents=2)
    env.reset(seed=3)
    right = env.instance["answer"]
    first = {"agent_0": f'submit_result("{right} I think")', "agent_1": "wait()"}
    observations, rewards, ended, _, infos = env.step(first)
    assert not ended["agent_0"]
    assert rewards["agent_0"] == 0.0
    assert infos["agent_0"]["error"].startswith(
        "call 1 (submit_result): the answer must be one integer, not a text"
    )
    assert infos["agent_0"]["error"] in observations["agent_0"]
    assert env.metrics()["invalid_actions"] == 1
    again = {"agent_0": f'submit_result("Answer: **{right}**.")', "agent_1": "wait()"}
    _, rewards, ended, _, infos = env.step(again)
    assert rewards["agent_0"] == 1.0
    assert ended["agent_0"]
    assert infos["agent_0"]["error"] is None
    assert env.outcome()["agent_0"] == right


def test_after_a_refused_answer_the_turn_goes_on() -> None:
    assert submit("submit_result([5])\nsubmit_result(5)")[1:] == (
        True,
        "call 1 (submit_result): the answer must be one integer, not a list; nothing was "
        "submitted, submit again",
        5,
    )


def test_well_typed_wrong_answers_are_final() -> None:
    for text in ("null", "-1", "10000000000", '"null"', "0.0"):
        assert submit(f"submit_result({text})")[:3] == (0.0, True, None)
    for text in ("[]", "[1]", "[1, 2, 3, 4]", '["7"]'):
        assert submit(f"submit_result({text})", "I-09")[:3] == (0.0, True, None)
    for text in ("{}", '{"99": 7}', "{0: 1}"):
        assert submit(f"submit_result({text})", "III-24")[:3] == (0.0, True, None)
    assert submit('submit_result("Nobody")', "I-03")[:3] == (0.0, True, None)


def test_refusals_are_the_same_for_right_and_wrong_answers() -> None:
    env = parallel_env(n_agents=2)
    env.reset(seed=3)
    right = env.instance["answer"]
    said = {
        env.check_action("agent_0", f'submit_result("{number} it is")')
        for number in range(right - 5, right + 6)
    }
    assert len(said) == 1


def test_calls_by_handle_are_refused_in_the_same_words() -> None:
    env = parallel_env(n_agents=2)
    env.reset(seed=3)
    refused = env.call("agent_0", "submit_result", {"answer": "5 apples"})
    assert refused.startswith("Error: call 1 (submit_result): the answer must be one integer")
    taken = env.call("agent_0", "submit_result", {"answer": "Answer: 5"})
    assert taken == "Your answer was submitted."
    env.step({"agent_0": "", "agent_1": "wait()"})
    assert env.outcome()["agent_0"] == 5


def test_the_published_success_is_of_what_was_written() -> None:
    for text, published in (("{}", True), ('"{}"', True), ('"Answer: {}"', False), ("{}.0", True)):
        env = parallel_env(n_agents=2)
        env.reset(seed=3)
        answer = f"submit_result({text.format(env.instance['answer'])})"
        env.step(dict.fromkeys(env.agents, answer))
        assert env.metrics()["success"] is True
        assert env.metrics()["success_as_published"] is published


VOTE = {"candidates": ["Candidate_A", "Candidate_B", "Dr. No", "null"]}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        *(("Candidate_A", "Candidate_A"), (" Candidate_B ", "Candidate_B"), ("Dr. No", "Dr. No")),
        *(("null", "null"), (None, None), ("candidate_a", "Candidate_A"), ("A", "A")),
        *(("Candidate A.", "Candidate_A"), ("Answer: **Candidate-B**", "Candidate_B")),
        *(({"answer": "candidate_b"}, "Candidate_B"), ("The answer is dr. no.", "Dr. No")),
    ],
)
def test_names_of_candidates_are_read_in_any_case(written: object, name: object) -> None:
    assert TASKS["I-03"].read_answer(written, VOTE) == name


@pytest.mark.parametrize(
    "written", ["The winner is Candidate_A", "Candidate_A or Candidate_B", "not candidate a"]
)
def test_names_among_other_words_are_refused(written: str) -> None:
    with pytest.raises(AnswerError, match="one candidate's name alone"):
        TASKS["I-03"].read_answer(written, VOTE)


def test_a_number_is_refused_where_none_is_asked_for() -> None:
    for name, task in TASKS.items():
        if task.answer_type not in (INTEGER, NUMBER):
            assert f"must be {task.answer_type.words}" in str(submit("submit_result(5)", name)[2])


def test_guesses_are_answers_of_their_type() -> None:
    for task in TASKS.values():
        for number in range(3):
            guess = task.answer_type.guess(number)
            assert task.answer_type.read(guess) == guess


def test_names_that_differ_by_case_only_are_taken_to_the_letter() -> None:
    told = {"candidates": ["Ada", "ADA"]}
    assert TASKS["I-03"].read_answer("ADA", told) == "ADA"
    with pytest.raises(AnswerError, match="one candidate's name alone"):
        TASKS["I-03"].read_answer("ada", told)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=12,
)
KINDS = (INTEGER, NUMBER, BOOLEAN, TEXT, INTEGERS, ROWS, BY_ID, LOADS)


def read_or_refused(kind: AnswerType, written: object) -> object:
    try:
        return kind.read(written)
    except AnswerError as refused:
        return refused


@given(anything | st.text("0123456789.,-+*$`\"'\\{}[]() anwer:=", max_size=40))
def test_reading_never_fails_otherwise_and_reads_its_own_values(written: object) -> None:
    told = set()
    for kind in KINDS:
        value = read_or_refused(kind, written)
        if isinstance(value, AnswerError):
            told.add(len(str(value)))
        else:
            json.dumps(value, allow_nan=False)
            assert kind is TEXT or kind.read(value) == value
    assert max(told, default=0) < 180


@given(st.sampled_from(VALUES), st.lists(st.sampled_from(WRAPPED), max_size=4))
def test_a_right_answer_in_many_wrappings_is_right_or_refused(
    case: tuple[AnswerType, str, object], forms: list[str]
) -> None:
    kind, text, value = case
    for form in forms:
        text = form.format(text)
    read = read_or_refused(kind, text)
    assert read == value or (isinstance(read, AnswerError) and len(forms) > 0)


BOMBS = {
    "stars": "*" * 400_000,
    "quotes": "\"'" * 200_000,
    "labels": "Answer: " * 50_000,
    "articles": "the " * 100_000,
    "headings": "#" * 400_000,
    "blanks": "answer" + " " * 400_000 + "x",
    "full stops": "." * 400_000,
    "boxes": r"\boxed{" * 50_000 + "}" * 50_000,
    "fences": "```\n" * 100_000,
    "thousands": "1" + ",234" * 100_000,
    "digits": "1" * 400_000,
    "commas": "," * 400_000,
    "objects": '{"answer": ' * 30_000 + "1" + "}" * 30_000,
    "brackets": "[" * 400_000,
    "tags": "<answer>" * 40_000 + "</answer>" * 40_000,
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_hostile_answers_take_no_time(text: str) -> None:
    for kind in (INTEGER, NUMBER, BOOLEAN, INTEGERS, BY_ID, LOADS):
        with pytest.raises(AnswerError):
            kind.read(text)
        with pytest.raises(AnswerError):
            kind.read([text])


def test_long_lists_are_read_as_they_are() -> None:
    numbers = [random.Random(1).randint(-9, 9) for _ in range(100_000)]
    assert INTEGERS.read(numbers) == numbers
    assert INTEGERS.read(json.dumps([str(number) for number in numbers[:5_000]])) == numbers[:5_000]
