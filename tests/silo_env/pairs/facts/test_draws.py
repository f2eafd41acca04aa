"""Drawing until something is accepted."""

from itertools import count

from coordgym.silo_env.pairs.facts.draws import first_accepted


def test_the_first_accepted_draw_is_taken() -> None:
    numbers = count()
    assert first_accepted(lambda: next(numbers), lambda n: n == 3) == 3
    assert next(numbers) == 4


def test_a_draw_that_came_to_nothing_is_refused_unseen() -> None:
    drawn = iter([None, 0, 5])
    assert first_accepted(lambda: next(drawn), lambda n: n > 0) == 5


def test_after_all_tries_the_last_draw_is_an_easier_one() -> None:
    hard, easy = count(), count(100)
    asked: list[int] = []

    def refuse(number: int) -> bool:
        asked.append(number)
        return False

    assert first_accepted(lambda: next(hard), refuse, tries=3, last=lambda: next(easy)) is None
    assert asked == [0, 1, 2, 100]
    assert first_accepted(lambda: next(hard), lambda n: n > 50, 2, lambda: next(easy)) == 101


def test_without_an_easier_draw_nothing_is_left() -> None:
    numbers = count()
    assert first_accepted(lambda: next(numbers), lambda n: False, tries=4) is None
    assert next(numbers) == 4
