"""What policies answer is checked before it is played and recorded."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from relay_runs import RELAY, Spy, played
from toy_relay import Sayer

from coordgym.episodes.answers import checked_answer
from coordgym.episodes.episode import Episode, Usage
from coordgym.episodes.rollout import rollout
from coordgym.errors import (
    ActionError,
)
from coordgym.making import make_env
from coordgym.policies.protocol import Completion


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({}, r"answered for \[\]; asked were \['agent_0'\]"),
        ({"agent_0": "say 1", "agent_1": "say 1"}, "answered for"),
        ({"agent_0": 7}, "agent_0: answered with a int"),
        ("say 1", "must answer with a dict"),
    ],
)
def test_wrong_answers_of_a_policy_raise(answer: Any, words: str) -> None:
    with pytest.raises(ActionError, match=words):
        played(Spy(answer))


def test_numbers_of_numpy_are_recorded_as_plain_ones() -> None:
    class Counter(Sayer):
        def act(self, observations: Mapping[str, str], infos: Mapping[str, Any]) -> Any:
            return {
                agent: Completion(
                    "say 1",
                    prompt_token_ids=np.array([4, 5]),  # type: ignore[arg-type]
                    completion_token_ids=[np.int64(6)],  # type: ignore[arg-type]
                    logprobs=(np.float32(-0.5), -1),  # type: ignore[arg-type]
                    latency=np.float64(0.25),
                )
                for agent in observations
            }

    episode = rollout(make_env(RELAY, {"turns": 1}), Counter(), np.int64(3))  # type: ignore[arg-type]
    usage = episode.turns[0].usage
    assert usage == Usage(2, 1, 0.25, None, None, (4, 5), (6,), (-0.5, -1.0))
    assert repr(Episode.from_line(episode.to_line())) == repr(episode)


@pytest.mark.parametrize(
    "answer",
    [
        Completion("x", prompt_token_ids=(1, True)),
        Completion("x", prompt_token_ids=(1, 2.0)),  # type: ignore[arg-type]
        Completion("x", logprobs=(0.5, False)),
        Completion("x", prompt_tokens=True),
        Completion("x", latency=math.inf),
        Completion("x", latency=math.nan),
    ],
)
def test_numbers_of_completions_are_of_their_kind(answer: Completion) -> None:
    with pytest.raises(ActionError, match="it: "):
        checked_answer(answer, "it")
    usage = checked_answer(Completion("x", logprobs=(-1, -0.5)), "it").usage
    assert usage is not None
    assert [type(value) for value in usage.logprobs or ()] == [float, float]


def test_tokens_are_counted_where_nobody_has() -> None:
    ids = (4, 5, 6)
    for given, counted in ((None, 3), (0, 0), (2, 2)):
        completion = Completion("x", prompt_token_ids=ids, completion_tokens=given)
        usage = checked_answer(replace(completion, completion_token_ids=ids), "it").usage
        assert usage is not None
        assert (usage.prompt_tokens, usage.completion_tokens) == (3, counted)
    usage = checked_answer(Completion("x"), "it").usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens) == (None, None)
