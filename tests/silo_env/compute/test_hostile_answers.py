"""Answers that are made to break a grader or to keep it busy."""

import numpy as np
import pytest

from coordgym.silo_env.compute import TASKS, parallel_env, verify
from coordgym.silo_env.compute.answers.grading import WRONG, agrees_as_published

MILLION = 1_000_000
HEX = "0x" + "f" * 5_000  # a number that Python reads and refuses to write
TEXTS = {
    "letters": "a" * MILLION,
    "digits": "9" * MILLION,
    "hexadecimal": HEX,
    "hexadecimal items": f"[{HEX}, -{HEX}]",
    "hexadecimal key": f"{{{HEX}: 1}}",
    "nested lists": "[" * (MILLION // 2) + "]" * (MILLION // 2),
    "nested objects": '{"a":' * 160_000 + "1" + "}" * 160_000,
    "minus signs": "-" * MILLION,
    "brackets": "(" * MILLION,
    "NaN": "[" + "NaN," * 249_000 + "NaN]",
    "one item": "[" + "1," * 499_000 + "1]",
    "items": str(list(range(140_000))),
    "decimals": "[" + "0.5," * 249_000 + "0.5]",
    "rows": "[" + "[1.5,2]," * 120_000 + "[1,2]]",
    "literals": "[" + "'a'," * 240_000 + "'b']",
    "keys": "{" + ",".join(f'"{i}":{i}' for i in range(70_000)) + "}",
    "backslashes": "'" + "\\" * (MILLION - 2) + "'",
}
OBJECTS = [
    *(
        np.arange(5),
        np.float64(3.5),
        np.int64(3),
        {np.int64(1): np.float64(2)},
        {str(i): np.zeros(3) for i in range(80)},
        10**5_000,
        -(10**9),
    ),
    *({10**5_000: 1}, [10**5_000], b"x", 1j, ..., object(), {(1, 2): 3}, float("nan")),
    *([float("inf")], ["\ud800"], iter([1])),
]
KINDS = ["II-18", "III-21", "III-25"]
"""Tasks whose partial credit compares everything: keys, subsequences, and these with tolerance."""


def expected_of(task):
    instance = TASKS[task].generate(np.random.default_rng(0), 10)
    return instance.answer[3] if TASKS[task].is_segmented(instance.extra) else instance.answer


# The time limit is far above what linear work takes and far below what quadratic work does.
@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_million_characters_are_graded_and_wrong(text):
    for task in KINDS:
        grade = TASKS[task].grade(text, expected_of(task))
        assert grade.correct is False
        assert 0.0 <= grade.partial < 0.2
        assert agrees_as_published(text, expected_of(task)) is False


@pytest.mark.parametrize("answer", OBJECTS, ids=range(len(OBJECTS)))
def test_objects_of_any_type_are_graded_and_wrong(answer):
    for task in TASKS:
        assert TASKS[task].grade(answer, expected_of(task)) == WRONG
        assert agrees_as_published(answer, expected_of(task)) is False


@pytest.mark.parametrize("by_handle", [False, True])
@pytest.mark.parametrize("answer", [HEX, f"-{HEX}", f"[{HEX}]", f"{{{HEX}: 1}}", "[" * 50_000])
def test_an_answer_that_no_text_can_hold_harms_nobody_else(answer, by_handle):
    env = parallel_env(n_agents=2)
    env.reset(seed=1, options={"instance": {"shards": [[1], [2]]}})
    text = f"submit_result({answer})"
    if by_handle:
        env.call("agent_0", "submit_result", {"answer": answer})
        text = ""
    _, rewards, _, _, _ = env.step({"agent_0": text, "agent_1": "submit_result(2)"})
    assert rewards == {"agent_0": 0.0, "agent_1": 1.0}
    assert env.metrics()["S"] == 0.5
    assert verify(env.instance, env.outcome()).score == 0.5
