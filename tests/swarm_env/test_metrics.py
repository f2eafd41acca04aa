"""The figures of a swarm's behaviour, by hand-made rounds."""

import math

import numpy as np
import pytest

from coordgym.swarm_env.metrics import (
    RoundLog,
    action_gini,
    edit_consistency,
    episode_metrics,
    message_similarity,
    metrics_by_round,
    round_metrics,
    separation_force,
    visibility_components,
)

CELLS = ((1, 1), (1, 2), (5, 5))


def log(*actions: str, after: tuple[tuple[int, int], ...] = CELLS, **messages: str) -> RoundLog:
    spoken = {int(name[1:]): text for name, text in messages.items()}
    return RoundLog(dict(enumerate(actions)), CELLS, after, spoken)


def test_order() -> None:
    figures = round_metrics(log("UP", "UP", "LEFT", "STAY"), 5)
    assert figures["directional_entropy"] == pytest.approx(
        -(2 / 3) * math.log2(2 / 3) - (1 / 3) * math.log2(1 / 3)
    )
    assert figures["stillness_proportion"] == 0.25
    assert figures["dominant_action_proportion"] == 0.5
    assert figures["polarization_index"] == pytest.approx(math.hypot(2, 1) / 4)
    still = round_metrics(log("STAY", "STAY"), 5)
    assert still["directional_entropy"] == 0
    assert still["polarization_index"] == 0
    switching = round_metrics(log("UP", "SWITCH", "SWITCH", "SWITCH", "STAY"), 5)
    assert switching["dominant_action_proportion"] == 0.5
    assert switching["stillness_proportion"] == 0.2
    assert switching["polarization_index"] == 0.2
    opposed = round_metrics(log("UP", "DOWN"), 5)
    assert opposed["polarization_index"] == 0
    assert opposed["directional_entropy"] == 1


def test_talk() -> None:
    figures = round_metrics(log("STAY", a0="go 12?", a1="ok"), 5)
    assert figures["message_length_mean"] == 4
    assert figures["message_length_std"] == 2
    assert figures["question_proportion"] == 0.5
    assert figures["digit_proportion"] == 0.25
    silent = round_metrics(log("STAY"), 5)
    assert silent["message_length_mean"] == silent["information_homogeneity"] == 0


def test_similarity_of_messages() -> None:
    assert message_similarity(["abc", "abc", "abc"])[0] == pytest.approx(1)
    assert message_similarity(["abc", "xyz"])[0] == 0
    assert message_similarity(["abc"])[0] == 0
    assert 0 < message_similarity(["abc", "abx"])[0] < 1
    assert message_similarity(["aa"])[1] == pytest.approx(2.0)
    # "a" is in both of two texts: weight ln(3/3) + 1 = 1; "b" and "c" in one: ln(3/2) + 1.
    rare = math.log(1.5) + 1
    figures = round_metrics(log("STAY", a0="ab", a1="ac"), 5)
    assert figures["information_homogeneity"] == pytest.approx(1 / (1 + rare**2))
    assert figures["mean_embedding_norm"] == pytest.approx(math.hypot(1, rare))
    assert edit_consistency(["abcd", "abcx"]) == pytest.approx(0.75)
    assert edit_consistency(["abcd"]) == 0


def test_messages_can_be_embedded_by_a_model() -> None:
    directions = {"north": (0.0, 2.0), "up": (0.0, 1.0), "east": (3.0, 0.0), "down": (0.0, -1.0)}

    def embed(texts: list[str]) -> np.ndarray:
        return np.array([directions[text] for text in texts], dtype=np.float32)

    assert message_similarity(["north", "up"], embed) == pytest.approx((1, 1.5))
    assert message_similarity(["north", "up", "east"], embed) == pytest.approx((1 / 3, 2))
    assert message_similarity(["up", "down"], embed) == pytest.approx((0, 1))
    rounds = [log("STAY", a0="up", a1="east"), log("STAY", a0="up", a1="north")]
    figures = episode_metrics(rounds, 5, embed)
    assert figures["information_homogeneity"] == pytest.approx(0.5)
    assert figures["homogeneity_gain"] == pytest.approx(1)


def test_movement_and_pushes() -> None:
    pushed = log("RIGHT", "STAY", "STAY", after=((1, 2), (1, 3), (5, 5)))
    figures = round_metrics(pushed, 5)
    assert figures["push_events"] == 1
    assert figures["structure_preservation"] == 1
    assert figures["mean_displacement"] == pytest.approx(2 / 3)
    followed = log("RIGHT", "UP", "STAY", after=((1, 2), (0, 2), (5, 5)))
    assert round_metrics(followed, 5)["push_events"] == 0
    missed = log("RIGHT", "RIGHT", "STAY", after=((1, 1), (1, 3), (5, 5)))
    assert round_metrics(missed, 5)["push_events"] == 0
    met = log("STAY", "STAY", "LEFT", after=((1, 1), (1, 2), (1, 3)))
    assert round_metrics(met, 5)["structure_preservation"] == 1  # the new neighbours don't count
    parted = log("UP", "STAY", "STAY", after=((0, 1), (1, 2), (5, 5)))
    assert round_metrics(parted, 5)["structure_preservation"] == 0
    episode = episode_metrics([pushed, pushed], 5)
    assert episode["cumulative_displacement"] == pytest.approx(4 / 3)
    assert episode["exploration_count"] == 4
    assert episode["push_events"] == 2


def test_crowding() -> None:
    assert visibility_components(CELLS, 2) == 2
    assert visibility_components(((1, 1), (3, 3), (5, 5)), 2) == 1
    # Agents 0 and 1 repel each other with 1 / 1; agent 2 feels nothing.
    assert separation_force(CELLS, 2) == pytest.approx(2 / 3)
    # In a row the outer agents feel 1 + 1/2, the middle one nothing: at distances 1 and 2.
    row = ((1, 1), (1, 2), (1, 3))
    assert separation_force(row, 2) == pytest.approx((1.5 + 0 + 1.5) / 3)
    assert separation_force(row, 1) == pytest.approx(2 / 3)
    assert separation_force(((1, 1), (2, 2)), 1) == 0  # Euclidean distance √2, Chebyshev 1
    figures = round_metrics(log("STAY", after=row), 5)
    assert figures["separation_force"] == pytest.approx(1.0)
    assert figures["visibility_components"] == 1


def test_escaped_agents_stand_nowhere() -> None:
    before, after = ((1, 0), (1, 1), (4, 4)), ((1, -1), (1, 1), (4, 4))
    left = RoundLog({0: "LEFT"}, before, after, {}, frozenset({0}))
    figures = round_metrics(left, 3)
    assert figures["visibility_components"] == 2
    assert figures["separation_force"] == 0
    assert figures["mean_displacement"] == pytest.approx(1 / 3)
    outside = RoundLog({}, ((1, -1), (2, -1)), ((1, -1), (2, -1)), {}, frozenset({0, 1}))
    figures = round_metrics(outside, 3)
    assert figures["structure_preservation"] == figures["visibility_components"] == 0
    assert episode_metrics([left], 3)["exploration_count"] == 3


def test_figures_by_round_add_up_what_the_episode_has_as_a_whole() -> None:
    one = log("RIGHT", "STAY", "STAY", after=((1, 1), (1, 2), (5, 5)))
    two = log("RIGHT", "STAY", "STAY", after=((1, 2), (1, 3), (5, 5)))
    each = metrics_by_round([one, two, two], 5)
    assert [figures["exploration_count"] for figures in each] == [3, 4, 4]
    assert [figures["cumulative_displacement"] for figures in each] == pytest.approx(
        [0, 2 / 3, 4 / 3]
    )
    assert [figures["push_events"] for figures in each] == [0, 1, 1]
    for figures, rounds in zip(each, (one, two, two), strict=True):
        assert round_metrics(rounds, 5).items() <= figures.items()
    whole = episode_metrics([one, two, two], 5)
    assert whole["exploration_count"] == 4
    assert whole["cumulative_displacement"] == pytest.approx(4 / 3)
    assert metrics_by_round([], 5) == []


def test_who_was_outside_from_the_start_has_explored_nothing() -> None:
    cells = ((1, -1), (1, 1))
    stayed = RoundLog({1: "STAY"}, cells, cells, {}, frozenset({0}))
    assert episode_metrics([stayed], 3)["exploration_count"] == 1


def test_gini_of_the_moves() -> None:
    assert action_gini([log("UP")] * 8) == pytest.approx(0.75)
    moves = [log(name) for name in ("UP", "DOWN", "LEFT", "RIGHT")]
    assert action_gini(moves) == pytest.approx(0)
    assert action_gini([log("STAY")]) == 0


def test_gains_compare_the_last_fifth_with_the_first() -> None:
    rounds = [log("STAY", a0="ab", a1="xy")] * 8 + [log("STAY", a0="ab", a1="ab")] * 2
    figures = episode_metrics(rounds, 5)
    assert figures["homogeneity_gain"] == pytest.approx(1)
    assert figures["edit_consistency_gain"] == pytest.approx(1)
    assert episode_metrics([], 5) == {}
