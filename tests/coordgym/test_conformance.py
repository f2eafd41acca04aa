"""The suite passes a sound environment and catches each planted fault by the check meant for it."""

import random
import re
import sys
import time
import tracemalloc
from collections.abc import Collection, Mapping
from typing import Any

import cloudpickle
import numpy as np
import pettingzoo
import pytest
from gymnasium.spaces import Discrete
from pettingzoo import ParallelEnv
from pettingzoo.test.example_envs import generated_agents_parallel_v0

from coordgym import conformance
from coordgym.base import Observed, TextParallelEnv
from coordgym.baselines import table as baseline_table
from coordgym.conformance import CHECKS, GROUPS, CheckFailed, check, choose
from coordgym.conformance.play import first_difference
from coordgym.errors import ActionError, ConfigError, InstanceError, UnknownEnvError
from coordgym.policy import per_agent
from coordgym.spaces import FreeText

# Other processes can't import a test module: send its classes along.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

SECRET_DIGITS = 7


class SumEnv(TextParallelEnv):
    """Each agent holds a number; agents `say` texts to all and end with `sum <int>`.

    With `turns`, agents of even and odd index act in alternate rounds.
    """

    family = "sum"
    metadata = {**TextParallelEnv.metadata, "name": "sum_v0"}

    def __init__(self, *, n_agents: int = 3, turns: bool = False, **kwargs: Any) -> None:
        super().__init__(n_agents=n_agents, **kwargs)
        self.turns = turns

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        if given is None:
            low, high = 10 ** (SECRET_DIGITS - 1), 10**SECRET_DIGITS // self.n_agents
            numbers = [int(x) for x in self.rng(0).integers(low, high, self.n_agents)]
            given = {"numbers": numbers, "answer": sum(numbers)}
        if set(given) != {"numbers", "answer"}:
            raise InstanceError("an instance is {'numbers': [int, …], 'answer': int}")
        self.said: dict[str, str] = {}
        self.answers: dict[str, int] = {}
        self.answered: list[str] = []
        self.sent = 0
        return given

    def _active(self) -> Collection[str]:
        if not self.turns:
            return self.agents
        mine = [a for a in self.agents if int(a[6:]) % 2 == self.round % 2]
        return mine or self.agents

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        self.said, self.answered, errors = {}, [], {}
        for agent, text in actions.items():
            problem = None if text is None else self._check(agent, text)
            if problem is not None:
                errors[agent] = problem
            elif text is not None and text.startswith("say "):
                self.said[agent] = text[4:104]
                self.sent += 1
            elif text is not None:
                self.answers[agent] = int(text[4:])
                self.answered.append(agent)
        return errors

    def _rewards(self) -> Mapping[str, float]:
        return {a: float(self.answers[a] == self.instance["answer"]) for a in self.answered}

    def _finished(self) -> Collection[str]:
        return self.answered

    def _observe(self, agent: str) -> Observed:
        heard = {name: text for name, text in self.said.items() if name != agent}
        words = [f"{name} {'says ' if self.text == 'full' else ''}{heard[name]}" for name in heard]
        text = "; ".join(words) or ("Nobody says anything." if self.text == "full" else "-")
        return Observed(text, {f"heard_{self.round}": heard, "noise": self._noise()})

    def _noise(self) -> int:
        return int(self.rng(2, self.steps).integers(9))

    def _instructions(self, agent: str) -> str:
        return f"You are {agent}. Your number is {self._own(agent)}. Send 'say TEXT' or 'sum INT'."

    def _static_view(self, agent: str) -> dict[str, Any]:
        return {"own": self._own(agent), "agents": list(self.possible_agents)}

    def _own(self, agent: str) -> int:
        return int(self.instance["numbers"][int(agent[6:])])

    def _check(self, agent: str, text: str) -> str | None:
        if text.startswith("say "):
            return None
        digits = text[4:] if text.startswith("sum ") else ""
        ok = digits.isascii() and digits.isdecimal() and len(digits) < 20
        return None if ok else "send 'say TEXT' or 'sum INT'"

    def _metrics(self) -> dict[str, Any]:
        right = [a for a, value in self.answers.items() if value == self.instance["answer"]]
        score = len(right) / self.n_agents
        return {"success": score == 1.0, "score": score, "messages": self.sent}

    def _state(self) -> dict[str, Any]:
        return {"numbers": self.instance["numbers"], "said": dict(self.said)}

    def _default_max_cycles(self) -> int:
        return 12

    def _max_observation_chars(self) -> int:
        return 200 + 120 * self.n_agents

    def _max_state_chars(self) -> int:
        return 100 + 800 * self.n_agents

    def _sampler(self, agent: str) -> Any:
        return draw_word

    def random_action(self, agent: str, rng: np.random.Generator) -> str:
        return f"sum {rng.integers(100)}" if rng.random() < 0.2 else draw_word(rng)

    def _render_text(self) -> str:
        return f"{self.said}"


def draw_word(rng: np.random.Generator) -> str:
    return f"say {rng.integers(10)}"


class Adder:
    """Says its number once, then the sum of all that it has heard."""

    def __init__(self, agent: str, info: Mapping[str, Any], rng: np.random.Generator) -> None:
        self.own = info["view"]["own"]
        self.left = len(info["view"]["agents"]) - 1
        self.total, self.told = self.own, False

    def act(self, observation: str, info: Mapping[str, Any]) -> str:
        heard = [said for key, said in info["view"].items() if key.startswith("heard_")]
        numbers = [int(text) for said in heard for text in said.values() if text.isdecimal()]
        self.total += sum(numbers)
        self.left -= len(numbers)
        if not self.told:
            self.told = True
            return f"say {self.own}"
        return f"sum {self.total}" if self.left <= 0 else "say waiting"


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the toy family a baseline, as the table of baselines does for ours."""
    monkeypatch.setitem(baseline_table.ORACLES, "sum", "sum:adder")
    monkeypatch.setitem(baseline_table.POLICIES, "sum:adder", lambda: per_agent(Adder, "sum:adder"))


class CounterEnv(ParallelEnv):
    """A plain ParallelEnv of numbers, nothing to do with this package."""

    metadata = {"name": "counter_v0", "render_modes": [], "is_parallelizable": True}

    def __init__(self, max_cycles: int = 5) -> None:
        self.max_cycles = max_cycles
        self.possible_agents = ["counter_0", "counter_1"]
        self._spaces = {agent: (Discrete(100), Discrete(2)) for agent in self.possible_agents}
        self.render_mode = None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.agents = list(self.possible_agents)
        self.total, self.steps = int(np.random.default_rng(seed).integers(10)), 0
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> Any:
        alive = list(self.agents)
        self.total += int(sum(actions.values()))
        self.steps += 1
        over = self.steps >= self.max_cycles
        self.agents = [] if over else alive
        return (
            {agent: np.int64(self.total % 100) for agent in alive},
            dict.fromkeys(alive, 1),
            dict.fromkeys(alive, False),
            dict.fromkeys(alive, over),
            {agent: {} for agent in alive},
        )

    def _observations(self) -> dict[str, Any]:
        return {agent: np.int64(self.total % 100) for agent in self.agents}

    def observation_space(self, agent: str) -> Any:
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Any:
        return self._spaces[agent][1]


# --- planted faults ------------------------------------------------------------------------


class TurnsRandom(SumEnv):
    """Behaves until step 4, then draws from the operating system's randomness."""

    def _observe(self, agent: str) -> Observed:
        observed = super()._observe(agent)
        if self.steps == 4:
            observed.view["noise"] = int(np.random.default_rng().integers(10**9))
        return observed


class DependsOnHash(SumEnv):
    """Lists a set of strings in its own order."""

    def _observe(self, agent: str) -> Observed:
        observed = super()._observe(agent)
        words = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta"}
        return Observed(f"{observed.text} {' '.join(words)}", observed.view)


class RemembersLastEpisode(SumEnv):
    """Counts episodes where agents can see it."""

    count = 0

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        self.count += 1
        return super()._start(given)

    def _static_view(self, agent: str) -> dict[str, Any]:
        return {**super()._static_view(agent), "episode": self.count}


class UnseededStaysSame(SumEnv):
    """Starts the same episode at each reset without a seed."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(0 if seed is None else seed, options)


class TakesAnySeed(SumEnv):
    def reset(self, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset(abs(int(seed)) if isinstance(seed, bool | float) else seed, options)


class MovesGlobalRandom(SumEnv):
    def _rewards(self) -> Mapping[str, float]:
        random.random()
        return super()._rewards()


class ReadsGlobalRandom(SumEnv):
    """Reads the global generator and puts it back, so that only its effect shows."""

    def _observe(self, agent: str) -> Observed:
        saved = random.getstate()
        observed = super()._observe(agent)
        observed.view["noise"] = random.randrange(10**6)
        random.setstate(saved)
        return observed


class SharedBetweenThreads(SumEnv):
    """Keeps what was said last at the class, for all environments."""

    last: dict[str, int] = {}

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        errors = super()._apply(actions)
        SharedBetweenThreads.last["seed"] = self.seed_value or 0
        time.sleep(0.001)  # lets another thread in
        if SharedBetweenThreads.last["seed"] != self.seed_value:
            self.said["agent_0"] = "somebody else was here"
        return errors


class LosesStateInPickle(SumEnv):
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "sent": 0, "answers": {}, "steps": 0}


class NumpyBools(SumEnv):
    def step(self, actions: dict[str, str]) -> Any:
        observations, rewards, terminations, truncations, infos = super().step(actions)
        flags = {agent: np.bool_(flag) for agent, flag in terminations.items()}
        return observations, rewards, flags, truncations, infos


class MixesEnds(SumEnv):
    """At the limit the first agent terminates while the others truncate."""

    def step(self, actions: dict[str, str]) -> Any:
        observations, rewards, terminations, truncations, infos = super().step(actions)
        if all(truncations.values()):
            first = next(iter(truncations))
            terminations[first], truncations[first] = True, False
        return observations, rewards, terminations, truncations, infos


class ForgetsDeadAgent(SumEnv):
    """Leaves out agents that end in this step."""

    def step(self, actions: dict[str, str]) -> Any:
        returned = super().step(actions)
        return tuple({a: d[a] for a in d if a in self.agents} for d in returned)


class ExtraInfo(SumEnv):
    def step(self, actions: dict[str, str]) -> Any:
        returned = super().step(actions)
        for info in returned[4].values():
            info["episode"] = self.steps
        return returned


class TooLong(SumEnv):
    """Declares a space that its observations do not fit."""

    def observation_space(self, agent: str) -> FreeText:
        if agent not in self._observation_spaces:
            self._observation_spaces[agent] = FreeText(60)
        return self._observation_spaces[agent]


class NewSpaces(SumEnv):
    def action_space(self, agent: str) -> FreeText:
        return FreeText(100, sampler=draw_word)


class IllegalSamples(SumEnv):
    def _sampler(self, agent: str) -> Any:
        return str


class ForgetsInstructions(SumEnv):
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        returned = super().reset(seed, options)
        self._told_instructions = dict.fromkeys(self.agents, "")
        return returned


class ReusesDicts(SumEnv):
    """Returns the same dict of rewards at each step."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.paid: dict[str, float] = {}

    def step(self, actions: dict[str, str]) -> Any:
        observations, rewards, *rest = super().step(actions)
        self.paid.clear()
        self.paid.update(rewards)
        return observations, self.paid, *rest


class RemembersReturnedInfo(SumEnv):
    """Reads back the infos that it handed out."""

    def step(self, actions: dict[str, str]) -> Any:
        returned = super().step(actions)
        for agent, info in returned[4].items():
            info["view"]["before"] = self.handed[agent]["round"] if self.steps > 1 else 0
        self.handed = returned[4]
        return returned


class ListensToIdle(SumEnv):
    """Counts what waiting agents send."""

    def step(self, actions: dict[str, str]) -> Any:
        returned = super().step(actions)
        for info in returned[4].values():
            info["view"]["texts"] = len("".join(actions.values()))
        return returned


class IgnoresMissing(SumEnv):
    def step(self, actions: dict[str, str]) -> Any:
        if isinstance(actions, dict) and self.agents:
            actions = {a: actions.get(a, "") for a in self.agents}
        return super().step(actions)


class Rambles(SumEnv):
    """Says more and more, until after some hundred steps it is too much for the space."""

    def _observe(self, agent: str) -> Observed:
        told = super()._observe(agent)
        return Observed(told.text + "." * (30 * self.steps), told.view)


class NeverEnds(SumEnv):
    """Announces a limit, and plays on."""

    def _ended(self, alive: list[str]) -> tuple[frozenset[str], bool]:
        return frozenset(), False


class EndsOnGarbage(SumEnv):
    """Gives up the episode at the first text that it can't read, but not always at once."""

    def _finished(self) -> Collection[str]:
        self.bad = getattr(self, "bad", 0) * (self.steps > 1) + self._invalid_actions
        return self.agents if self.bad > 40 else super()._finished()


class PunishesOthers(SumEnv):
    """One unreadable text makes the whole step invalid."""

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        if None in actions.values():
            self.said, self.answered = {}, []
            return dict.fromkeys(actions, "somebody sent an unreadable text")
        return super()._apply(actions)


class FallsBackToProse(SumEnv):
    """Applies a legal action that is mentioned after an illegal one."""

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        errors = dict(super()._apply(actions))
        for agent in errors:
            text = actions[agent] or ""
            if "say " in text:
                self.said[agent] = text.partition("say ")[2][:50]
        return errors


class EchoesAction(SumEnv):
    def _check(self, agent: str, text: str) -> str | None:
        wrong = super()._check(agent, text)
        return wrong and f"can't read {text}"


class CheckActionCounts(SumEnv):
    """`check_action` spends randomness of the episode."""

    def check_action(self, agent: str, text: str) -> str | None:
        self.np_random.random()
        return super().check_action(agent, text)

    def _observe(self, agent: str) -> Observed:
        observed = super()._observe(agent)
        observed.view["noise"] = int(self.np_random.integers(1000))
        return observed


class TooStrictCheck(SumEnv):
    """`check_action` refuses what `step` takes."""

    def check_action(self, agent: str, text: str) -> str | None:
        return super().check_action(agent, text) or ("too short" if len(text) < 6 else None)


class OtherFactsInCompact(SumEnv):
    def _observe(self, agent: str) -> Observed:
        observed = super()._observe(agent)
        if self.text == "compact":
            observed.view.pop("noise")
        return observed


class LeaksAnswer(SumEnv):
    def _observe(self, agent: str) -> Observed:
        observed = super()._observe(agent)
        return Observed(f"{observed.text} (psst: {self.instance['answer']})", observed.view)


class TellsAnswerInState(SumEnv):
    """Only the critic of a training run would learn it."""

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "sum": self.instance["answer"]}


class InstanceLeavesThingsOut(SumEnv):
    """Draws something beside the instance, which one that is given doesn't tell."""

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        self.extra = 0 if given else int(self.rng(0).integers(1, 9))
        return super()._start(given)

    def _observe(self, agent: str) -> Observed:
        told = super()._observe(agent)
        return Observed(f"{told.text} {self.extra}", told.view)


class InstanceHoldsNumpy(SumEnv):
    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        instance = super()._start(given)
        return {**instance, "numbers": np.array(instance["numbers"])}


class AsksTheDead(SumEnv):
    def _tell(self, agent: str, *, first: bool = False) -> Any:
        observation, info = super()._tell(agent, first=first)
        return observation, {**info, "active": info["active"] or agent not in self.agents}


class CountsIllegal(SumEnv):
    """An illegal text changes the state, which nobody is told."""

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        errors = super()._apply(actions)
        self.illegal = getattr(self, "illegal", 0) + len(errors)
        return errors

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "illegal": getattr(self, "illegal", 0)}


class KeepsActions(SumEnv):
    """Reads in the next step from the dict that it was given in this one."""

    def step(self, actions: dict[str, str]) -> Any:
        before, self.kept = len(getattr(self, "kept", {})), actions
        returned = super().step(actions)
        for info in returned[4].values():
            info["view"]["before"] = before
        return returned


class RemembersMisuse(SumEnv):
    def step(self, actions: dict[str, str]) -> Any:
        try:
            return super().step(actions)
        except ActionError:
            self.sent += 1
            raise


class LeaksHint(SumEnv):
    """Tells one bit of the answer."""

    def _observe(self, agent: str) -> Observed:
        observed = super()._observe(agent)
        observed.view["odd"] = bool(self.instance["answer"] % 2)
        return observed


class HoldsLambda(SumEnv):
    """Can't be pickled once it was reset."""

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        self.helper = lambda: 0
        return super()._start(given)


class TruncatesAtOnce(SumEnv):
    def _default_max_cycles(self) -> int:
        return 1


class FlatRender(SumEnv):
    def _render_text(self) -> Any:
        return 5


class StateTooLong(SumEnv):
    def _max_state_chars(self) -> int:
        return 20


class SeatsDiffer(SumEnv):
    """Environments made later in the process play differently."""

    made = 0

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        SeatsDiffer.made += 1
        self.noise = SeatsDiffer.made

    def _observe(self, agent: str) -> Observed:
        observed = super()._observe(agent)
        return Observed(f"{observed.text} {self.noise}", observed.view)


class SharesText(SumEnv):
    """Its space forgets to refuse Gymnasium's shared memory, which loses text."""

    def observation_space(self, agent: str) -> Any:
        from gymnasium.spaces import Text

        return Text(2000, min_length=0, charset="abcdefghijklmnopqrstuvwxyz")


FAULTS: dict[type[ParallelEnv], tuple[str, ...]] = {
    TurnsRandom: ("determinism", "aec_seed"),
    DependsOnHash: ("hash_seed",),
    RemembersLastEpisode: ("reset",),
    UnseededStaysSame: ("reset_without_seed",),
    TakesAnySeed: ("bad_seeds",),
    MovesGlobalRandom: ("global_random",),
    ReadsGlobalRandom: ("global_random",),
    SharedBetweenThreads: ("threads",),
    LosesStateInPickle: ("snapshots",),
    NumpyBools: ("keys_and_types", "aec_api"),
    MixesEnds: ("keys_and_types",),
    ForgetsDeadAgent: ("keys_and_types", "parallel_api"),
    AsksTheDead: ("info_keys",),
    ExtraInfo: ("info_keys",),
    TooLong: ("spaces", "aec_api", "garbage"),
    NewSpaces: ("spaces", "parallel_api"),
    IllegalSamples: ("spaces",),
    ForgetsInstructions: ("repeated_instructions",),
    ReusesDicts: ("aliasing",),
    RemembersReturnedInfo: ("aliasing",),
    IgnoresMissing: ("api_misuse",),
    NeverEnds: ("garbage", "max_cycles"),
    EndsOnGarbage: ("garbage",),
    PunishesOthers: ("first_step_garbage",),
    FallsBackToProse: ("illegal_text",),
    EchoesAction: ("illegal_text",),
    CheckActionCounts: ("check_action",),
    TooStrictCheck: ("check_action",),
    OtherFactsInCompact: ("compact_text",),
    CountsIllegal: ("illegal_text",),
    KeepsActions: ("aliasing",),
    RemembersMisuse: ("api_misuse",),
    InstanceLeavesThingsOut: ("given_instance",),
    InstanceHoldsNumpy: ("given_instance",),
    TellsAnswerInState: ("truth_text",),
    LeaksAnswer: ("truth_text", "truth_influence"),
    LeaksHint: ("truth_influence",),
    HoldsLambda: ("snapshots", "seat_snapshot"),
    TruncatesAtOnce: ("seat_api",),
    FlatRender: ("render",),
    StateTooLong: ("state", "spaces"),
    SeatsDiffer: ("seat_episode", "vector_sync"),
    SharesText: ("vector_async",),
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
    result = check(ListensToIdle, checks="inactive", turns=True)["inactive"]
    assert not result.ok
    assert "of a waiting agent counts" in result.detail


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
@pytest.mark.slow
def test_texts_that_outgrow_their_space_late_are_caught() -> None:
    assert "garbage" not in {check.name for check in check(Rambles, checks="garbage").failures}
    detail = check(Rambles, checks="memory")["memory"].detail
    assert re.search(r"step \d{3}: the observation of agent_\d has", detail)


@pytest.mark.slow
def test_episodes_that_go_on_after_many_steps_are_caught() -> None:
    assert "1000 steps, its limit" in check(NeverEnds, checks="memory")["memory"].detail


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
    report = check(NumpyBools, checks=["keys_and_types", "reset", "inactive"])
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
