"""The chat policy with a scripted backend: prompts, batching, repair, notes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from coordgym.agents.backend import ChatRequest, Message, SamplingParams
from coordgym.agents.chat import ChatPolicy
from coordgym.errors import ConfigError, ModelError
from coordgym.policies.protocol import Completion


class ScriptedBackend:
    """Answers each chat by a function of its messages; counts words as tokens if asked to."""

    model = "scripted"

    def __init__(self, answer: Any = None, context_tokens: int | None = None) -> None:
        self.answer = answer or (lambda messages: f"reply to {messages[-1]['content']}")
        self.context_tokens = context_tokens
        self.batches: list[list[ChatRequest]] = []
        self.resets = 0

    def generate(self, requests: Sequence[ChatRequest], params: SamplingParams) -> list[Completion]:
        self.batches.append(list(requests))
        return [
            Completion(
                self.answer(request.messages),
                prompt_tokens=5,
                completion_tokens=2,
                finish_reason="length",
            )
            for request in requests
        ]

    def count_tokens(self, messages: Sequence[Message]) -> int | None:
        if self.context_tokens is None:
            return None
        return sum(len(message["content"].split()) for message in messages)

    def reset(self) -> None:
        self.resets += 1

    def close(self) -> None:
        pass


class CheckingEnv:
    """Refuses actions that hold the word "bad"."""

    repeat_instructions = False

    @property
    def unwrapped(self) -> "CheckingEnv":
        return self

    def check_action(self, agent: str, text: str) -> str | None:
        return "no bad words" if "bad" in text else None


AGENTS = ["agent_0", "agent_1"]
INFOS: dict[str, dict[str, Any]] = {
    agent: {"instructions": f"Rules for {agent}."} for agent in AGENTS
}


def started(backend: ScriptedBackend, seed: int = 0, **kwargs: Any) -> ChatPolicy:
    policy = ChatPolicy(backend, **kwargs)
    policy.reset(AGENTS, INFOS, seed)
    return policy


def contents(request: ChatRequest) -> list[str]:
    return [message["content"] for message in request.messages]


def first_observations() -> dict[str, str]:
    return {agent: f"Rules for {agent}.\n\nRound 0." for agent in AGENTS}


def test_one_chat_per_agent_and_one_batch_per_round() -> None:
    backend = ScriptedBackend()
    policy = started(backend, hint="Answer briefly.")
    replies = policy.act(first_observations(), INFOS)
    assert {agent: reply.text for agent, reply in replies.items()} == dict.fromkeys(
        AGENTS, "reply to Round 0."
    )
    policy.act({"agent_1": "Round 1."}, INFOS)
    assert [len(batch) for batch in backend.batches] == [2, 1]
    assert contents(backend.batches[1][0]) == [
        "Rules for agent_1.\n\nAnswer briefly.",
        "Round 0.",
        "reply to Round 0.",
        "Round 1.",
    ]
    assert backend.resets == 1


def test_observations_that_stand_alone_are_sent_alone() -> None:
    backend = ScriptedBackend()
    policy = started(backend)
    policy.act(first_observations(), INFOS)
    policy.act({"agent_0": "Rules for agent_0.\n\nBefore: x.\n\nRound 1."}, INFOS)
    policy.act({"agent_0": "Rules for agent_0.\n\nBefore: y.\n\nRound 2."}, INFOS)
    assert contents(backend.batches[2][0])[0] == "Rules for agent_0."
    assert contents(backend.batches[2][0])[-1] == "Before: y.\n\nRound 2."
    assert "Before: x." not in str(contents(backend.batches[2][0]))


def test_repeating_env_never_builds_a_conversation() -> None:
    class Repeating(CheckingEnv):
        repeat_instructions = True

    backend = ScriptedBackend()
    policy = ChatPolicy(backend)
    policy.bind(Repeating())
    policy.reset(AGENTS, INFOS, 0)
    for i in range(3):
        policy.act({"agent_0": f"Rules for agent_0.\n\nRound {i}."}, INFOS)
    assert contents(backend.batches[2][0]) == ["Rules for agent_0.", "Round 2."]
    assert policy.notes()["rounds_dropped"] == 0


def test_without_conversation_the_prompt_tells_what_is_missing() -> None:
    backend = ScriptedBackend()
    policy = started(backend, conversation=False)
    policy.act(first_observations(), INFOS)
    policy.act({"agent_0": "Round 1."}, INFOS)
    _, newest = contents(backend.batches[1][0])
    assert newest.startswith("[1 of the earlier rounds are left out here")
    assert newest.endswith("Round 1.")
    assert policy.notes()["rounds_dropped"] == 3  # all that were played


def test_dropped_rounds_are_counted_over_all_agents() -> None:
    backend = ScriptedBackend()
    policy = started(backend, max_prompt_chars=400)
    policy.act(first_observations(), INFOS)
    for i in range(12):
        policy.act(dict.fromkeys(AGENTS, f"Round {i}. {'z' * 80}"), INFOS)
    dropped = sum(chat.dropped for chat in policy._chats.values())
    assert policy.notes()["rounds_dropped"] == dropped > 10
    policy.reset(AGENTS, INFOS, 1)
    assert policy.notes()["rounds_dropped"] == 0


class DrawingEnv(CheckingEnv):
    """Has a grammar of three actions."""

    def random_action(self, agent: str, rng: np.random.Generator) -> str:
        return ("up", "down", "left")[int(rng.integers(3))]


def test_examples_are_drawn_from_the_grammar_and_stand_before_the_first_round() -> None:
    backend = ScriptedBackend()
    policy = ChatPolicy(backend, grammar_examples=2)
    shown = []
    for seed in (0, 0, 1, 2, 3):
        policy.bind(DrawingEnv())
        policy.reset(["agent_0"], {"agent_0": {"instructions": "rules"}}, seed)
        policy.act({"agent_0": "now"}, {"agent_0": {}})
        messages = backend.batches[-1][0].messages
        assert [message["role"] for message in messages] == [
            "system", "user", "assistant", "user", "assistant", "user",
        ]  # fmt: skip
        shown.append((messages[2]["content"], messages[4]["content"]))
    assert all(len(set(pair)) == 2 and set(pair) < {"up", "down", "left"} for pair in shown)
    assert shown[0] == shown[1]
    assert len(set(shown)) > 1
    policy.reset([f"agent_{i}" for i in range(9)], {f"agent_{i}": {} for i in range(9)}, 0)
    policy.act({f"agent_{i}": "now" for i in range(9)}, {})
    assert len({tuple(contents(request)) for request in backend.batches[-1]}) > 1


def test_a_small_grammar_gives_fewer_examples_and_none_is_an_error() -> None:
    backend = ScriptedBackend()
    policy = ChatPolicy(backend, grammar_examples=5)
    policy.bind(DrawingEnv())
    policy.reset(["agent_0"], {"agent_0": {"instructions": "rules"}}, 0)
    policy.act({"agent_0": "now"}, {"agent_0": {}})
    assert len(backend.batches[-1][0].messages) == 1 + 2 * 3 + 1
    policy.bind(CheckingEnv())
    with pytest.raises(ConfigError, match="random_action"):
        policy.reset(["agent_0"], {"agent_0": {"instructions": "rules"}}, 0)


def test_repair_asks_once_with_the_reason() -> None:
    def answer(messages: Sequence[Message]) -> str:
        if "no bad words" in messages[-1]["content"]:
            return "good"
        return "bad" if "agent_0" in messages[0]["content"] else "fine"

    backend = ScriptedBackend(answer)
    policy = ChatPolicy(backend, repair=True)
    policy.bind(CheckingEnv())
    policy.reset(AGENTS, INFOS, 0)
    replies = policy.act(first_observations(), INFOS)
    assert [replies[agent].text for agent in AGENTS] == ["good", "fine"]
    assert [len(batch) for batch in backend.batches] == [2, 1]
    assert contents(backend.batches[1][0])[:3] == ["Rules for agent_0.", "Round 0.", "bad"]
    policy.act({"agent_0": "Round 1."}, INFOS)
    assert "bad" not in contents(backend.batches[2][0])[:-1]
    notes = policy.notes()
    assert (notes["repairs"], notes["repaired"], notes["model_calls"]) == (2, 2, 5)
    assert (notes["prompt_tokens"], notes["completion_tokens"]) == (25, 10)
    assert notes["replies_cut"] == 5


def test_failed_repair_goes_on_with_the_second_answer() -> None:
    backend = ScriptedBackend(lambda messages: f"bad {len(messages)}")
    policy = ChatPolicy(backend, repair=True)
    policy.bind(CheckingEnv())
    policy.reset(AGENTS, INFOS, 0)
    replies = policy.act(first_observations(), INFOS)
    assert replies["agent_0"].text == "bad 4"
    assert (policy.notes()["repairs"], policy.notes()["repaired"]) == (2, 0)


def test_repair_that_would_break_the_limit_is_left_out() -> None:
    backend = ScriptedBackend(lambda messages: "bad " * 60)
    policy = ChatPolicy(backend, repair=True, max_prompt_chars=100)
    policy.bind(CheckingEnv())
    policy.reset(AGENTS, INFOS, 0)
    policy.act(first_observations(), INFOS)
    assert len(backend.batches) == 1


def test_seeds_depend_on_seed_agent_and_turn_but_not_on_the_others() -> None:
    def seeds(
        seed: int, agents: Sequence[str], policy: ChatPolicy | None = None
    ) -> dict[tuple[str, int], int]:
        policy = policy or ChatPolicy(ScriptedBackend())
        backend = policy.backend
        assert isinstance(backend, ScriptedBackend)
        policy.reset(AGENTS, INFOS, seed)
        found = {}
        for turn in range(3):
            policy.act(dict.fromkeys(agents, f"Round {turn}."), INFOS)
            for agent, request in zip(agents, backend.batches[-1], strict=True):
                found[agent, turn] = request.seed
        return found

    both = seeds(3, AGENTS)
    assert both == seeds(3, AGENTS)
    assert len(set(both.values())) == 6
    alone = seeds(3, ["agent_1"])
    assert all(both[key] == value for key, value in alone.items())
    assert not set(both.values()) & set(seeds(4, AGENTS).values())
    assert all(0 <= value < 2**31 for value in both.values())
    # Neither what the policy played before nor its memory matters.
    policy = ChatPolicy(ScriptedBackend(), conversation=False)
    assert [seeds(3, AGENTS, policy), seeds(3, AGENTS, policy)] == [both, both]


def test_second_answers_have_seeds_of_their_own() -> None:
    backend = ScriptedBackend(lambda messages: "bad")
    policy = ChatPolicy(backend, repair=True)
    policy.bind(CheckingEnv())
    policy.reset(AGENTS, INFOS, 0)
    policy.act(first_observations(), INFOS)
    first, second = backend.batches
    assert len({request.seed for request in (*first, *second)}) == 4


def test_figures_begin_anew_with_each_episode() -> None:
    backend = ScriptedBackend(lambda messages: "bad")
    policy = ChatPolicy(backend, repair=True)
    policy.bind(CheckingEnv())
    notes = []
    for _ in range(2):
        policy.reset(AGENTS, INFOS, 0)
        policy.act(first_observations(), INFOS)
        notes.append(policy.notes())
    assert notes[0] == notes[1]
    assert notes[0]["model_calls"] == 4


def test_an_observation_of_instructions_alone_is_sent_whole() -> None:
    backend = ScriptedBackend()
    policy = started(backend)
    policy.act({"agent_0": "Rules for agent_0."}, INFOS)
    assert contents(backend.batches[0][0]) == ["Rules for agent_0."] * 2


def test_token_limits_follow_the_context() -> None:
    params = SamplingParams(max_new_tokens=20)
    policy = ChatPolicy(ScriptedBackend(context_tokens=100), params=params)
    assert policy.bound.limit == 80
    policy.reset(AGENTS, INFOS, 0)
    with pytest.raises(ModelError, match="raise max_prompt_tokens"):
        policy.act({"agent_0": "word " * 100}, INFOS)


@pytest.mark.parametrize(
    ("backend", "kwargs", "words"),
    [
        (ScriptedBackend(), {"max_prompt_tokens": 100}, "max_prompt_chars"),
        (ScriptedBackend(context_tokens=900), {"max_prompt_chars": 100}, "max_prompt_tokens"),
        (ScriptedBackend(context_tokens=900), {"max_prompt_tokens": 800}, "at most 900"),
        (ScriptedBackend(), {"max_prompt_chars": True}, "max_prompt_chars"),
        (ScriptedBackend(), {"repair": "yes"}, "repair"),
        (ScriptedBackend(), {"examples": ["ab"]}, "pairs"),
        (ScriptedBackend(), {"hint": 3}, "hint"),
    ],
)
def test_wrong_arguments_raise(
    backend: ScriptedBackend, kwargs: dict[str, Any], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        ChatPolicy(backend, **kwargs)


@pytest.mark.parametrize(
    "kwargs",
    [
        {"max_new_tokens": 0},
        {"temperature": -1},
        {"temperature": True},
        {"stop": "END"},
        {"stop": ("",)},
        {"choices": (1,)},
    ],
)
def test_wrong_sampling_raises(kwargs: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(kwargs))):
        SamplingParams(**kwargs)


def test_examples_may_come_from_a_plan_as_lists() -> None:
    backend = ScriptedBackend()
    policy = started(backend, examples=[["see", "do"]])
    policy.act({"agent_0": "Round 0."}, INFOS)
    assert contents(backend.batches[0][0])[1:3] == ["see", "do"]


THOUGHTFUL = "<think>it is a secret</think>\nbad idea"


@pytest.mark.parametrize(
    ("kwargs", "said"), [({}, "bad idea"), ({"keep_reasoning": True}, THOUGHTFUL)]
)
def test_thoughts_stay_out_of_the_chat_unless_they_are_wanted(
    kwargs: dict[str, Any], said: str
) -> None:
    backend = ScriptedBackend(lambda messages: THOUGHTFUL)
    policy = started(backend, repair=True, **kwargs)
    policy.bind(CheckingEnv())
    replies = policy.act(first_observations(), INFOS)
    assert {reply.text for reply in replies.values()} == {THOUGHTFUL}
    assert contents(backend.batches[1][0])[2] == said  # the answer to be repaired
    policy.act({"agent_0": "Round 1."}, INFOS)
    assert contents(backend.batches[2][0])[1:] == ["Round 0.", said, "Round 1."]


def test_a_reply_of_thoughts_alone_is_remembered_as_no_answer() -> None:
    backend = ScriptedBackend(lambda messages: "<think>and then")
    policy = started(backend)
    policy.act(first_observations(), INFOS)
    policy.act({"agent_0": "Round 1."}, INFOS)
    assert contents(backend.batches[1][0])[2] == "[no answer]"


def test_keep_reasoning_is_yes_or_no() -> None:
    with pytest.raises(ConfigError, match="keep_reasoning"):
        ChatPolicy(ScriptedBackend(), keep_reasoning=1)  # type: ignore[arg-type]
