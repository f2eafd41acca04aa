"""Environments with one planted fault each, for the conformance suite to catch."""

import random
import time
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from sum_env import SumEnv, draw_word

from coordgym.contract.base import Observed
from coordgym.contract.spaces import FreeText
from coordgym.errors import ActionError


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
        for told in self._told.values():
            told.instructions = ""
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

    def _max_observation_chars(self) -> int:
        return 200 + 120 * self.n_agents


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
    """``check_action`` spends randomness of the episode."""

    def check_action(self, agent: str, text: str) -> str | None:
        self.np_random.random()
        return super().check_action(agent, text)

    def _observe(self, agent: str) -> Observed:
        observed = super()._observe(agent)
        observed.view["noise"] = int(self.np_random.integers(1000))
        return observed


class ActsOnThoughts(SumEnv):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "reasoning": "keep"})


class GuessesUnendedThoughts(SumEnv):
    def step(self, actions: dict[str, str]) -> Any:
        unended = {
            a: "sum 1" if "<think>" in t and "</" not in t else t for a, t in actions.items()
        }
        return super().step(unended)


class TooStrictCheck(SumEnv):
    """``check_action`` refuses what ``step`` takes."""

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
        self.extra = 0 if given else int(self.instance_rng().integers(1, 9))
        return super()._start(given)

    def _observe(self, agent: str) -> Observed:
        told = super()._observe(agent)
        return Observed(f"{told.text} {self.extra}", told.view)


class InstanceHoldsNumpy(SumEnv):
    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        instance = super()._start(given)
        return {**instance, "numbers": np.array(instance["numbers"])}


class AsksTheDead(SumEnv):
    def _tell(self, agent: str) -> Any:
        observation, info = super()._tell(agent)
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
