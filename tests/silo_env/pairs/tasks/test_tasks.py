"""Every task against its reference cases and the promises that all tasks make."""

import json
import re

import numpy as np
import pytest
from cases import cases, first_case
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coordgym.errors import ConfigError, InstanceError
from coordgym.silo_env import pairs
from coordgym.silo_env.pairs.instance import generate, read_instance
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.table import TASK_CLASSES
from coordgym.silo_env.pairs.task import FRICTIONS, SEATS, find_task
from coordgym.silo_env.pairs.union import union_necessary

CASES = cases("pair_cases")
CASE_IDS = [f"{case['task']}-{case['size']}-{case['seed']}" for case in CASES]
TASKS = list(TASK_CLASSES)
each_case = pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
each_task = pytest.mark.parametrize("name", TASKS)

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


def draw(name: str, seed: int):
    task = find_task(name)
    return task, generate(task, make_config(task, None), np.random.default_rng(seed))


def small(name: str):
    """A task and its last tiny reference instance."""
    given = cases("pair_cases", task=name, size="tiny")[-1]["instance"]
    return find_task(name), read_instance(name, given)


def stated_view(task, instance, seat) -> str:
    """A view in the words that every agent understands."""
    return task.view_text(task.facts(instance, seat), 1, 0)


@each_case
def test_reference_answers_and_scores(case) -> None:
    name, instance = case["task"], case["instance"]
    assert pairs.grade(name, instance, case["optimal"]["answer"]).score == 1.0
    for kind in ("imperfect", "equivalent", "edge"):
        for item in case[kind]:
            score = pairs.grade(name, instance, item["answer"]).score
            assert score == pytest.approx(item["score"], abs=1e-5), item["note"]


@each_case
def test_reference_solution_and_number_of_optima(case) -> None:
    task, instance = find_task(case["task"]), read_instance(case["task"], case["instance"])
    solution = pairs.solve(case["task"], case["instance"])
    assert task.grade(instance, solution).exact
    optima = task.optimal_answers(instance, 400)
    assert len(optima) == min(case["n_optimal"], 400)
    assert all(task.grade(instance, answer).exact for answer in optima)
    assert task.to_json(instance) == case["instance"]


@each_case
def test_reference_views(case) -> None:
    task, instance = find_task(case["task"]), read_instance(case["task"], case["instance"])
    texts = pairs.views(case["task"], case["instance"], 1)
    for seat, text in zip(SEATS, texts, strict=True):
        facts, reference = task.facts(instance, seat), case[f"view{seat}"]["facts"]
        # Ours may say more, such as whose view it is.
        assert {key: facts.get(key) for key in reference} == reference
        assert text == case[f"view{seat}"]["text"]


@each_case
def test_reference_instances_need_both_views(case) -> None:
    assert pairs.is_union_necessary(case["task"], case["instance"])


JUNK = (None, True, -1, 7, 1.5, "", "x", [], {}, [[]], [None], [["x"]], [[0, 0]], {"1": 5}, [{}])


@each_task
def test_malformed_instances_are_refused_or_fine_but_never_crash(name) -> None:
    case = first_case("pair_cases", task=name)
    for key in case["instance"]:
        refused = 0
        for junk in JUNK:
            try:
                read_instance(name, {**case["instance"], key: junk})
            except InstanceError:
                refused += 1
        assert refused >= len(JUNK) - 2, key
        with pytest.raises(InstanceError):
            read_instance(name, {k: v for k, v in case["instance"].items() if k != key})


@each_task
@pytest.mark.parametrize("seed", range(5))
def test_generated_instances_are_legal_and_need_both_views(name, seed) -> None:
    task, instance = draw(name, seed)
    as_json = json.loads(json.dumps(task.to_json(instance)))
    assert read_instance(name, as_json) == instance
    assert union_necessary(task, instance)
    assert draw(name, seed)[1] == instance


@each_task
@pytest.mark.parametrize("seed", range(5))
def test_the_two_stated_views_give_the_instance_back(name, seed) -> None:
    task, instance = draw(name, seed)
    stated = [task.read_view(task.view_text(task.facts(instance, s), s, 0)) for s in SEATS]
    assert stated == [task.facts(instance, seat) for seat in SEATS]
    union = task.merge([facts for facts in stated if facts])
    assert union is not None
    assert task.facts(union, None) == task.facts(instance, None)
    assert task.grade(instance, task.solve(union)).exact
    assert all(task.merge([task.facts(instance, seat)]) is None for seat in SEATS)


@each_task
@pytest.mark.parametrize("seat", SEATS)
def test_a_view_says_nothing_about_the_hidden_facts(name, seat) -> None:
    task, instance = draw(name, 11)
    rng = np.random.default_rng(5)
    others = [task.complete(instance, seat, rng) for _ in range(10)]
    assert any(other != instance for other in others)
    for other in others:
        assert task.facts(other, seat) == task.facts(instance, seat)
        for friction in FRICTIONS:
            ours, theirs = (
                pairs.views(name, task.to_json(each), friction)[seat - 1]
                for each in (instance, other)
            )
            assert ours == theirs
        read_instance(name, task.to_json(other))


@each_task
@pytest.mark.parametrize("seat", SEATS)
def test_guesses_keep_what_the_view_shows_and_are_solvable(name, seat) -> None:
    task, instance = draw(name, 3)
    facts = task.facts(instance, seat)
    guess = task.guess(facts, np.random.default_rng(0))
    assert task.grade(guess, task.solve(guess)).exact
    merged = task.merge([task.facts(guess, None), facts])
    assert merged is not None
    assert task.facts(merged, None) == task.facts(guess, None)


@each_task
def test_frictions_differ_in_words_only_where_they_should(name) -> None:
    task, instance = draw(name, 1)
    plain, usual, turned = (pairs.views(name, task.to_json(instance), f) for f in FRICTIONS)
    assert plain[1] != turned[1]
    assert usual[0] == turned[0]
    for seat in SEATS:
        facts = task.facts(instance, seat)
        for friction in FRICTIONS:
            compact = task.compact_view_text(facts, seat, friction)
            assert len(compact) < len(task.view_text(facts, seat, friction))


@each_task
def test_graders_survive_everything(name) -> None:
    task, instance = draw(name, 2)
    fields = st.sampled_from(task.answer_fields)

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(JSON_VALUES | st.dictionaries(fields, JSON_VALUES, min_size=1))
    def check(answer) -> None:
        assert 0.0 <= task.grade(instance, answer).score <= 1.0

    check()


@each_task
def test_random_answers_are_readable_and_rarely_good(name) -> None:
    task, instance = draw(name, 4)
    rng = np.random.default_rng(0)
    scores = [task.grade(instance, task.random_answer(rng)).score for _ in range(50)]
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert np.mean(scores) < 0.5


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(TASKS), st.data())
def test_no_text_breaks_the_reading_of_prose_and_views(name, data) -> None:
    task, instance = small(name)
    words = st.sampled_from(
        [*stated_view(task, instance, 1).split(), "->", "1.", "= 5", "(A, B)", "\n", "- ", "x" * 99]
    )
    text = " ".join(data.draw(st.lists(words | st.text(max_size=9), max_size=30)))
    answer = task.free_text_answer(instance, [text])
    assert answer is None or 0.0 <= task.grade(instance, answer).score <= 1.0
    task.read_view(text)


@each_task
def test_garbled_views_of_a_partner_are_solvable_or_not_believed(name) -> None:
    """Whatever a partner states, the union with the own view is a legal instance or none."""
    task, instance = small(name)
    rng = np.random.default_rng(0)
    parts = re.findall(r"-?\w+|\W", stated_view(task, instance, 2))
    words = [*(part for part in parts if part.strip()), "-3", "0", "Zed"]
    for _ in range(200):
        garbled = list(parts)
        for place in rng.integers(len(parts), size=int(rng.integers(1, 4))):
            garbled[place] = words[int(rng.integers(len(words)))] if rng.random() < 0.7 else ""
        stated = task.read_view("".join(garbled))
        union = stated and task.merge([task.facts(instance, 1), stated])
        if union:
            answer = task.solve(union)
            assert task.grade(union, answer).exact
            assert task.check_steps(union, answer)
            assert 0.0 <= task.grade(instance, answer).score <= 1.0


def test_unknown_names_and_values_are_refused() -> None:
    with pytest.raises(ConfigError, match="did you mean 'maze'"):
        pairs.solve("mase", {})
    with pytest.raises(ConfigError, match="friction must be"):
        pairs.views("maze", CASES[0]["instance"], 3)
    with pytest.raises(ConfigError, match="it takes n"):
        make_config(find_task("maze"), {"size": 4})
    with pytest.raises(InstanceError, match="must name its task"):
        pairs.verify(CASES[0]["instance"], {})
    with pytest.raises(InstanceError, match="not of 'maze'"):
        pairs.solve("maze", {"task": "cube"})
    with pytest.raises(InstanceError, match="instance must be a dict"):
        pairs.solve("maze", [])  # type: ignore[arg-type]
