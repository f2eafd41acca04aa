"""What counts as printable doesn't depend on the Python that asks."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from coordgym.parsing.printable import is_printable, printable


@pytest.mark.parametrize(
    "character",
    # Of Unicode 3, 15 and 16, and one that no version has so far.
    ["a", " ", "é", "語", "\u0301", "🙂", "\U0001fae8", "\U00011f10", "\U0001fae9", "\U0003fffd"],
)
def test_characters_are_printable_whether_this_python_knows_them_or_not(character: str) -> None:
    assert is_printable(character)
    assert printable(character, "?") == character


@pytest.mark.parametrize(
    "character",
    # Controls, blanks, marks of direction, tags, surrogates, private use, what is no character, and
    # a format character of Unicode 15, which Python 3.11 doesn't know.
    [
        *"\0\n\x7f\x85\xa0\u2003\u2028\u200b\u202e\ufeff\ud800\ue000\uffff",
        *"\U000e0041\U0010ffff\U0001343f",
    ],
)
def test_what_has_no_picture_of_its_own_is_not_printable(character: str) -> None:
    assert not is_printable(f"a{character}b")
    assert printable(f"a{character}b", "?") == "a?b"


@given(st.text())
def test_no_character_that_python_can_print_is_hidden(text: str) -> None:
    if text.isprintable():
        assert is_printable(text)
    shown = printable(text, " ")
    assert is_printable(shown)
    assert len(shown) == len(text)
    assert all(old == new or new == " " for old, new in zip(text, shown, strict=True))
