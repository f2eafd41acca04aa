"""The suite passes a sound environment and catches each planted fault by the check meant for it."""

import re
import sys
import tracemalloc
from typing import Any

import cloudpickle
import faulty_envs as faulty
import numpy as np
import pettingzoo
import pytest
import sum_env
from pettingzoo import ParallelEnv
from pettingzoo.test.example_envs import generated_agents_parallel_v0
from sum_env import Adder, CounterEnv, SumEnv

from coordgym import conformance
from coordgym.baselines import table as baseline_table
from coordgym.conformance import CHECKS, GROUPS, CheckFailed, check, choose
from coordgym.conformance.play import first_difference
from coordgym.contract.base import Observed
from coordgym.errors import ConfigError, UnknownEnvError
from coordgym.policies.protocol import per_agent

# Other processes can't import these modules: send their classes along.
for module in (faulty, sum_env, sys.modules[__name__]):
    cloudpickle.register_pickle_by_value(module)


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the toy family a baseline, as the table of baselines does for ours."""
    monkeypatch.setitem(baseline_table.ORACLES, "sum", "sum:adder")
    monkeypatch.setitem(baseline_table.POLICIES, "sum:adder", lambda: per_agent(Adder, "sum:adder"))


FAULTS: dict[type[ParallelEnv], tuple[str, ...]] = {
    faulty.TurnsRandom: ("determinism", "aec_seed"),
    faulty.DependsOnHash: ("hash_seed",),
    faulty.RemembersLastEpisode: ("reset",),
    faulty.UnseededStaysSame: ("reset_without_seed",),
    faulty.TakesAnySeed: ("bad_seeds",),
    faulty.MovesGlobalRandom: ("global_random",),
    faulty.ReadsGlobalRandom: ("global_random",),
    faulty.SharedBetweenThreads: ("threads",),
    faulty.LosesStateInPickle: ("snapshots",),
    faulty.NumpyBools: ("keys_and_types", "aec_api"),
    faulty.MixesEnds: ("keys_and_types",),
    faulty.ForgetsDeadAgent: ("keys_and_types", "parallel_api"),
    faulty.AsksTheDead: ("info_keys",),
    faulty.ExtraInfo: ("info_keys",),
    faulty.TooLong: ("spaces", "aec_api", "garbage"),
    faulty.NewSpaces: ("spaces", "parallel_api"),
    faulty.IllegalSamples: ("spaces",),
    faulty.ForgetsInstructions: ("repeated_instructions",),
    faulty.ReusesDicts: ("aliasing",),
    faulty.RemembersReturnedInfo: ("aliasing",),
    faulty.IgnoresMissing: ("api_misuse",),
    faulty.NeverEnds: ("garbage", "max_cycles"),
    faulty.EndsOnGarbage: ("garbage",),
    faulty.PunishesOthers: ("first_step_garbage",),
    faulty.FallsBackToProse: ("illegal_text",),
    faulty.EchoesAction: ("illegal_text",),
    faulty.CheckActionCounts: ("check_action",),
    faulty.ActsOnThoughts: ("reasoning",),
    faulty.GuessesUnendedThoughts: ("reasoning",),
    faulty.TooStrictCheck: ("check_action",),
    faulty.OtherFactsInCompact: ("compact_text",),
    faulty.CountsIllegal: ("illegal_text",),
    faulty.KeepsActions: ("aliasing",),
    faulty.RemembersMisuse: ("api_misuse",),
    faulty.InstanceLeavesThingsOut: ("given_instance",),
    faulty.InstanceHoldsNumpy: ("given_instance",),
    faulty.TellsAnswerInState: ("truth_text",),
    faulty.LeaksAnswer: ("truth_text", "truth_influence"),
    faulty.LeaksHint: ("truth_influence",),
    faulty.HoldsLambda: ("snapshots", "seat_snapshot"),
    faulty.TruncatesAtOnce: ("seat_api",),
    faulty.FlatRender: ("render",),
    faulty.StateTooLong: ("state", "spaces"),
    faulty.SeatsDiffer: ("seat_episode", "vector_sync"),
    faulty.SharesText: ("vector_async",),
}
CASES = [(env, name) for env, names in FAULTS.items() for name in names]


@pytest.mark.parametrize(
    ("env", "name"), CASES, ids=lambda x: x if isinstance(x, str) else x.__name__
)
def test_planted_fault_is_caught(env: type[ParallelEnv], name: str) -> None:
    result = check(env, checks=name)[name]
    assert not result.ok, result
    assert result.detail


def test_an_answer_that_stands_among_the_private_data_is_no_secret() -> None:
    class TellsWords(SumEnv):
        def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
            instance = super()._start(given)
            return {**instance, "words": f"one of 1{instance['answer']}, 2 and 3"}

        def _instructions(self, agent: str) -> str:
            return f"{super()._instructions(agent)} The sum is {self.instance['words']}."

    result = check(TellsWords, checks="truth_text")["truth_text"]
    assert result.skipped
    assert "too short to be searched for" in result.detail


def test_text_of_waiting_agents_that_counts_is_caught() -> None:
    result = check(faulty.ListensToIdle, checks="inactive", turns=True)["inactive"]
    assert not result.ok
    assert "of a waiting agent counts" in result.detail


class Answers:
    """Draws answers, which end an agent's part, with a probability."""

    def __init__(self, probability: float) -> None:
        self.probability = probability

    def __call__(self, rng: np.random.Generator) -> str:
        return "sum 5" if rng.random() < self.probability else "say hi"


class EndsOften(SumEnv):
    def _sampler(self, agent: str) -> Answers:
        return Answers(0.5)


class EndsAlways(SumEnv):
    def _sampler(self, agent: str) -> Answers:
        return Answers(1.0)


class OneTurn(SumEnv):
    def _finished(self) -> list[str]:
        return self.possible_agents


@pytest.mark.parametrize(
    ("env", "name"), [(EndsOften, "max_cycles"), (EndsAlways, "seat_snapshot")]
)
def test_samples_that_end_episodes_are_told_as_that(env: type[SumEnv], name: str) -> None:
    result = check(env, checks=name)[name]
    assert not result.ok
    assert "sampled actions" in result.detail
    assert "samples of an action space must be legal actions that never end" in result.detail
    assert "own-environments.md" in result.detail


def test_episodes_of_which_some_end_early_have_a_middle_to_copy() -> None:
    assert check(EndsOften, checks="seat_snapshot")["seat_snapshot"].verdict == "ok"
    one_turn = check(OneTurn, checks="seat_snapshot")["seat_snapshot"]
    assert (one_turn.verdict, "last one turn" in one_turn.detail) == ("skipped", True)


def test_every_check_has_a_planted_fault() -> None:
    caught = {name for names in FAULTS.values() for name in names} | {"inactive", "baselines"}
    assert {each.name for each in CHECKS if not each.slow} == caught


@pytest.mark.usefixtures("oracle")
@pytest.mark.parametrize("turns", [False, True])
def test_sound_text_environment_passes_every_check(turns: bool) -> None:
    report = check(SumEnv, turns=turns)
    assert report.ok, str(report)
    skipped = {result.name for result in report if result.skipped}
    assert skipped == (set() if turns else {"inactive"}), str(report)


@pytest.mark.usefixtures("oracle")
def test_oracle_that_fails_and_luck_that_wins_are_caught() -> None:
    class Unsolvable(SumEnv):
        def _metrics(self) -> dict[str, Any]:
            return {**super()._metrics(), "success": False}

    class Lucky(SumEnv):
        def _metrics(self) -> dict[str, Any]:
            return {**super()._metrics(), "score": 1.0}

    assert "the oracle succeeds in 0" in check(Unsolvable, checks="baselines")["baselines"].detail
    assert "random play scores 1" in check(Lucky, checks="baselines")["baselines"].detail


def test_plain_parallel_env_by_registered_id_is_checked_where_it_can_be() -> None:
    pettingzoo.register("parallel", "elsewhere/counter_v0", entry_point=CounterEnv)
    report = check("elsewhere/counter_v0")
    assert report.ok, str(report)
    ran = {result.name for result in report if not result.skipped}
    assert {"parallel_api", "aec_api", "max_cycles", "determinism", "hash_seed"} <= ran
    assert {"global_random", "threads", "keys_and_types", "spaces", "aliasing"} <= ran
    skipped = {result.name: result.detail for result in report if result.skipped}
    assert skipped["garbage"] == "a plain ParallelEnv has no texts"
    assert skipped["seat_api"] == "a plain ParallelEnv has no seat environment"


def test_plain_parallel_env_whose_agents_are_born_in_play_is_sound() -> None:
    report = check(generated_agents_parallel_v0.parallel_env, checks=["pettingzoo", "contract"])
    # It plays one step more than max_cycles: PettingZoo's own test would say so.
    assert [result.name for result in report.failures] == ["max_cycles"], str(report)


def test_plain_parallel_env_that_is_random_is_caught() -> None:
    class Random(CounterEnv):
        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            return super().reset(None, options)

    assert not check(Random, checks="determinism").ok


def test_an_exception_of_the_environment_is_a_finding_with_its_place() -> None:
    class Breaks(CounterEnv):
        def step(self, actions: dict[str, Any]) -> Any:
            raise ZeroDivisionError("planted")

    result = check(Breaks, checks="keys_and_types")["keys_and_types"]
    assert not result.ok
    assert "ZeroDivisionError: planted" in result.detail
    assert "test_conformance.py" in result.detail


def test_memory_check_is_slow_and_runs_by_name() -> None:
    assert "memory" not in {each.name for each in choose(None)}
    assert "memory" not in {each.name for each in choose("texts")}
    assert "memory" in {each.name for each in choose("all")}


class Hoards(SumEnv):
    def _observe(self, agent: str) -> Observed:
        self.hoard = [*getattr(self, "hoard", []), "x" * 20_000 + str(self.steps)]
        return super()._observe(agent)


@pytest.mark.slow
def test_growing_memory_is_caught() -> None:
    assert check(SumEnv, checks="memory").ok
    assert "memory grew" in check(Hoards, checks="memory")["memory"].detail


@pytest.mark.slow
def test_texts_that_outgrow_their_space_late_are_caught() -> None:
    assert "garbage" not in {
        check.name for check in check(faulty.Rambles, checks="garbage").failures
    }
    detail = check(faulty.Rambles, checks="memory")["memory"].detail
    assert re.search(r"step \d{3}: the observation of agent_\d has", detail)


@pytest.mark.slow
def test_episodes_that_go_on_after_many_steps_are_caught() -> None:
    assert "1000 steps, its limit" in check(faulty.NeverEnds, checks="memory")["memory"].detail


@pytest.mark.slow
def test_growth_into_freed_memory_is_caught() -> None:
    """The process itself does not grow: it fills the heap that an earlier task has left."""
    heap = ["x" * 20_000 + str(i) for i in range(20_000)]
    last = heap.pop()  # holds on to the end of the heap, so that the system gets nothing back
    heap.clear()
    assert "memory grew" in check(Hoards, checks="memory")["memory"].detail
    assert last


@pytest.mark.slow
def test_memory_check_leaves_a_running_count_alone() -> None:
    tracemalloc.start()
    try:
        assert check(SumEnv, checks="memory").ok
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


def test_checks_are_chosen_by_name_and_group() -> None:
    assert [each.name for each in choose(["snapshots", "reset"])] == ["reset", "snapshots"]
    assert {each.group for each in choose(["seat", "secrecy"])} == {"seat", "secrecy"}
    assert all(each.proves for each in CHECKS)
    assert set(GROUPS) == {each.group for each in CHECKS}
    with pytest.raises(ConfigError, match="did you mean 'determinism'"):
        choose("determinsm")


def test_unknown_id_and_things_that_are_no_environments_are_refused() -> None:
    with pytest.raises(UnknownEnvError, match="nowhere/Nothing-v0"):
        check("nowhere/Nothing-v0")
    with pytest.raises(ConfigError, match="not an instance"):
        check(SumEnv(n_agents=2))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="no PettingZoo ParallelEnv"):
        check(dict)


def test_report_shows_failures_with_their_detail() -> None:
    report = check(faulty.NumpyBools, checks=["keys_and_types", "reset", "inactive"])
    assert not report.ok
    assert [result.name for result in report.failures] == ["keys_and_types"]
    text = str(report)
    assert "NumpyBools: 1 passed, 1 skipped, 1 failed" in text
    assert "not a bool" in text
    with pytest.raises(KeyError, match="keys_and_types"):
        report["threads"]


def test_first_difference_counts_types_order_and_nan() -> None:
    assert first_difference({"a": [1, float("nan")]}, {"a": [1, float("nan")]}) is None
    assert "['a'][1]" in str(first_difference({"a": [1, 2]}, {"a": [1, 3]}))
    assert first_difference(True, 1) is not None
    assert first_difference({"a": 1, "b": 2}, {"b": 2, "a": 1}) is not None
    assert first_difference(np.array([1.0]), np.array([1.0])) is None
    assert first_difference(np.array([1.0]), np.array([2.0])) is not None


def test_expect_raises_its_own_error() -> None:
    with pytest.raises(CheckFailed, match="why"):
        conformance.report.expect(False, "why")
