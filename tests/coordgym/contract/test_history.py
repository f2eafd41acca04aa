"""What a self-contained observation retells: as many rounds as fit, the latest ones."""

import pytest

from coordgym.contract.history import HEADER, MAX_CHARS, MAX_RETOLD_CHARS, SEPARATOR, History

ROUND_CHARS = 1_000
ROUNDS = 1_200
"""Three times as many rounds of that size as fit."""


def round_of(number: int) -> tuple[str, str]:
    """What was told and answered in a round, ``ROUND_CHARS`` long with its separator."""
    told = f"round {number:05}"
    around = len(f"{told}{SEPARATOR}You answered: ") + len(SEPARATOR)
    return told, "x" * (ROUND_CHARS - around)


def test_as_many_rounds_as_fit_are_retold_however_many_there_were() -> None:
    history = History(None)
    for number in range(ROUNDS):
        told, answer = round_of(number)
        history.told(told)
        history.answered(answer)
        text = history.retell()
        kept = min(number + 1, MAX_CHARS // ROUND_CHARS)
        assert len(text) <= MAX_RETOLD_CHARS
        assert text.count("You answered: ") == kept
        assert f"round {number - kept + 1:05}" in text
        assert text.endswith(f"{told}{SEPARATOR}You answered: {answer}")
        assert (f"[{number + 1 - kept} earlier rounds" in text) == (number + 1 > kept)


@pytest.mark.parametrize("size", [MAX_CHARS, MAX_CHARS - 20, 10 * MAX_CHARS])
def test_a_round_too_long_to_be_retold_leaves_a_notice(size: int) -> None:
    history = History(None)
    history.told("now")
    history.answered("x" * size)
    assert history.retell() == "[1 earlier rounds are left out here]"
    history.told("later")
    history.answered(None)
    parts = [HEADER, "[1 earlier rounds are left out here]", "later"]
    assert history.retell() == SEPARATOR.join([*parts, "You answered: [an unusable text]"])


def test_without_history_nothing_is_retold() -> None:
    history = History(0)
    for number in range(3):
        history.told("now")
        history.answered(str(number))
        assert history.retell() == ""
