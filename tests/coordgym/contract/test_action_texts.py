"""What counts as the text of an action: what was done before it, and subclasses of ``str``."""

from collections.abc import Mapping
from typing import Any

import pytest
from countdown import CountdownEnv, play

from coordgym.episodes.rollout import rollout
from coordgym.episodes.seat import SeatEnv
from coordgym.policies.protocol import Completion


class Whispering(CountdownEnv):
    """An agent may whisper a digit before the round's action, of which it is the beginning."""

    whispered = ""

    def whole_action(self, agent: str, text: str) -> str:
        return self.whispered + text


def test_what_an_agent_did_before_step_is_part_of_its_action() -> None:
    plain = CountdownEnv(n_agents=1)
    plain.reset(seed=0)
    assert plain.whole_action("agent_0", "4") == "4"
    env = Whispering(n_agents=1, max_action_chars=2)
    env.reset(seed=0)
    env.whispered = "1"
    assert env.check_action("agent_0", "2") is None
    assert "at most 2" in str(env.check_action("agent_0", "22"))
    assert env.check_action("agent_0", "x") == "say a number or done"
    play(env, "2")
    assert env.total == 12


class Masked(str):
    """A text that says of itself that it is another one."""

    __slots__ = ()

    def __str__(self) -> str:
        return "9"

    def __len__(self) -> int:
        return 10**9

    def __eq__(self, other: object) -> bool:
        return other == "done"

    def __hash__(self) -> int:
        return hash("done")

    def isdecimal(self) -> bool:
        return False


class TypesSeen(CountdownEnv):
    """Notes the type of every text that reaches the rules."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seen: set[type] = set()

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        self.seen.update(map(type, actions.values()))
        return super()._apply(actions)

    def _check(self, agent: str, text: str) -> str | None:
        self.seen.add(type(text))
        return super()._check(agent, text)


def test_a_subclass_of_str_is_played_as_the_characters_that_it_has() -> None:
    env = TypesSeen(n_agents=1, repeat_instructions=True)
    env.reset(seed=0)
    assert env.check_action("agent_0", Masked("4")) is None
    observations, _, _, _, infos = env.step({"agent_0": Masked("4")})
    assert infos["agent_0"]["valid"] is True
    assert env.total == 4
    assert "total 4" in observations["agent_0"]
    assert env.seen == {str}


def test_a_seat_plays_a_subclass_of_str_as_the_characters_that_it_has() -> None:
    seat = SeatEnv(TypesSeen, n_agents=1, partners="random")
    seat.reset(seed=0)
    assert seat.check_action(Masked("4")) is None
    seat.step(Masked("4"))
    assert seat.env.total == 4
    assert seat.env.seen == {str}


@pytest.mark.parametrize("answer", [Masked("4"), Completion(Masked("4"))])
def test_a_subclass_of_str_is_recorded_as_it_is_played(answer: str | Completion) -> None:
    class Answers:
        name = "answers"

        def reset(self, agents: Any, infos: Any, seed: int) -> None:
            pass

        def act(self, observations: Mapping[str, str], infos: Any) -> dict[str, Any]:
            return dict.fromkeys(observations, answer)

    env = TypesSeen(n_agents=1, max_cycles=2)
    episode = rollout(env, Answers(), seed=0)
    assert [turn.action for turn in episode.turns] == ["4", "4"]
    assert {type(turn.action) for turn in episode.turns} == {str}
    assert env.total == 8
    assert env.seen == {str}
