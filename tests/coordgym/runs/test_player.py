"""One cell of a plan: what failed first is what its record tells."""

import pytest
from toy_relay import Relay

from coordgym.runs.planned import Cell, PlannedEnv, PlannedPolicy
from coordgym.runs.player import Player

RELAY = "import:toy_relay:Relay"


@pytest.mark.parametrize(
    ("flaw", "failure"), [("", "ZeroDivisionError"), ("raises", "RuntimeError")]
)
def test_an_environment_that_can_not_be_closed_hides_no_other_failure(
    monkeypatch: pytest.MonkeyPatch, flaw: str, failure: str
) -> None:
    monkeypatch.setattr(Relay, "close", lambda self: 1 / 0)
    env = PlannedEnv(RELAY, {"flaw": flaw})
    policy = PlannedPolicy("sayer", "import:toy_relay:Sayer")
    played = Player().play(Cell(env, policy, seed=0, repeat=0))
    assert played.failure == failure
    assert f'"type": "{failure}"' in played.line
