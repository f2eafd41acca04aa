"""A call in markdown is the call: what models put around a line changes nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coordgym.silo_env.compute import parallel_env

FORMS = ("{}", "**{}**", "- {}", "* **{}**", "1. `{}`", "**`{}`**", '"{}"', "**{}.**", "'{}'.")
CALLS = {
    "p2p": ('send_message(1, "it\'s 5 (or so)")', "send_message(9, 'x')", "receive_messages()"),
    "broadcast": ("broadcast_message('**5**')", "list_agents()", "broadcast_message()"),
    "shared_files": (
        'write_file("a.txt", "`5`")',
        "read_file('a.txt')",
        "list_files()",
        "delete_file(7)",
    ),
}
ENDS = ("wait()", "submit_result(5)", "submit_result('a')", 'submit_result({"a": [1, "b"]})')


@pytest.mark.parametrize("protocol", CALLS)
@settings(max_examples=30)
@given(st.data())
def test_a_decorated_turn_is_the_bare_turn(protocol: str, data: st.DataObject) -> None:
    env, twin = (parallel_env(protocol=protocol, n_agents=2) for _ in range(2))
    assert env.reset(seed=1) == twin.reset(seed=1)
    for _ in range(2):
        calls = data.draw(st.lists(st.sampled_from(CALLS[protocol]), max_size=4))
        lines = [*calls, data.draw(st.sampled_from(ENDS))]
        forms = [data.draw(st.sampled_from(FORMS)) for _ in lines]
        decorated = "\n".join(form.format(line) for form, line in zip(forms, lines, strict=True))
        expected = env.step(dict.fromkeys(env.agents, "\n".join(lines)))
        assert repr(twin.step(dict.fromkeys(twin.agents, decorated))) == repr(expected)
        if not env.agents:
            break


@pytest.mark.parametrize("text", ["I choose **wait()**", "**wait() or not**", "**submit_result(5)"])
def test_calls_in_prose_stay_prose_or_errors(text: str) -> None:
    env = parallel_env(n_agents=2)
    env.reset(seed=1)
    env.step({"agent_0": text, "agent_1": "wait()"})
    assert env.agents == ["agent_0", "agent_1"]
    assert env.metrics()["unsubmitted"] is True
