"""What models write to submit an answer: applied or refused in words, never final and wrong."""

import pytest
from cases import cases

from coordgym.silo_env.compute import parallel_env

CASES = cases("natural_answers.silo")


def test_there_are_texts_of_every_form() -> None:
    forms = {case["form"] for case in CASES}
    assert forms == {"form", "reasoning", "markup", "decoration", "wrapper", "near-miss"}
    assert len({case["case"] for case in CASES}) == len(CASES) >= 80


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_a_natural_answer_is_applied_or_refused(case: dict) -> None:
    env = parallel_env(n_agents=2)
    env.reset(seed=3)
    right = env.instance["answer"]
    text = case["text"].replace("{answer}", str(right))
    said = env.check_action("agent_0", text)
    _, rewards, ended, _, infos = env.step({"agent_0": text, "agent_1": "wait()"})
    assert infos["agent_0"]["error"] == said
    assert infos["agent_0"]["valid"] is (said is None)
    if "refused" in case["expect"]:
        assert case["expect"]["refused"] in said
        assert not ended["agent_0"]
        assert env.outcome()["agent_0"] is None
        assert env.metrics()["invalid_actions"] == 1
        env.step({"agent_0": f"submit_result({right})", "agent_1": "wait()"})
    else:
        assert rewards["agent_0"] == 1.0
    assert env.outcome()["agent_0"] == right
