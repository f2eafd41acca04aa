"""How a swarm behaves: figures of order, talk, movement and crowding.

Formulas after Ruan et al. 2025 (the metrics of its group dynamics and sections L.5, L.6); all are
pure functions of a log of rounds, for each round (``metrics_by_round``) or an episode as a whole
(``episode_metrics``): there a round's figures are averaged unless their name says otherwise.

Records must repeat to the letter on other machines: sums are exact (``math.fsum``) or taken one
after the other, never left to a library that is free to choose the order, and logarithms are
rounded to what all libraries agree on.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import digits
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from coordgym.swarm_env.grid.cells import STAY, VECTORS, Cell, distance

Embed = Callable[[list[str]], NDArray[Any]]
"""Turns n texts into an array of shape (n, d), such as the ``encode`` of a sentence model."""

_FIFTH: Final = 5
_LOG_DECIMALS: Final = 9


@dataclass(frozen=True, slots=True)
class RoundLog:
    """One round as the figures need it.

    Attributes:
        actions: Per agent number that acted its action.
        before: All agents' positions before it.
        after: All agents' positions after it.
        messages: What was spoken, by agent number; empty texts left out.
        escaped: Numbers of the agents off the map after it. They no longer count where agents
            stand to each other.
    """

    actions: Mapping[int, str]
    before: tuple[Cell, ...]
    after: tuple[Cell, ...]
    messages: Mapping[int, str]
    escaped: frozenset[int] = frozenset()

    @property
    def present(self) -> tuple[Cell, ...]:
        """Positions after the round of those who are still on the map."""
        return tuple(cell for n, cell in enumerate(self.after) if n not in self.escaped)


def round_metrics(log: RoundLog, view_size: int, embed: Embed | None = None) -> dict[str, float]:
    """Return the figures of one round; ``embed`` as in ``message_similarity``."""
    texts = list(log.messages.values())
    lengths = [len(text) for text in texts]
    characters = sum(lengths)
    homogeneity, norm = message_similarity(texts, embed)
    present, near = log.present, view_size // 2
    return {
        **_order(list(log.actions.values())),
        "message_length_mean": _mean(lengths),
        "message_length_std": _spread(lengths),
        "question_proportion": sum("?" in text for text in texts) / len(texts) if texts else 0.0,
        "digit_proportion": (
            sum(text.count(digit) for text in texts for digit in digits) / characters
            if characters
            else 0.0
        ),
        "information_homogeneity": homogeneity,
        "mean_embedding_norm": norm,
        "mean_displacement": sum(map(distance, log.before, log.after)) / len(log.after),
        "structure_preservation": float(_kept_pairs(log)),
        "push_events": float(_push_events(log)),
        "visibility_components": float(visibility_components(present, near)),
        "separation_force": separation_force(present, near),
        "edit_consistency": edit_consistency(texts),
    }


def metrics_by_round(
    rounds: Sequence[RoundLog], view_size: int, embed: Embed | None = None
) -> list[dict[str, float]]:
    """Return the figures of each round, and those that add up over the rounds so far.

    Args:
        rounds: The rounds, such as ``env.unwrapped.log``.
        view_size: Side of the agents' views.
        embed: As in ``message_similarity``.
    """
    displacement = 0.0
    visited: set[Cell] = set()
    each = []
    for log in rounds:
        figures = round_metrics(log, view_size, embed)
        if not visited:
            outside = log.escaped - log.actions.keys()  # since before the first round
            visited.update(cell for n, cell in enumerate(log.before) if n not in outside)
        visited.update(log.present)
        displacement += figures["mean_displacement"]
        figures["cumulative_displacement"] = displacement
        figures["exploration_count"] = float(len(visited))
        each.append(figures)
    return each


def episode_metrics(
    rounds: Sequence[RoundLog], view_size: int, embed: Embed | None = None
) -> dict[str, float]:
    """Return the figures of an episode: means over its rounds, and what only a whole episode has.

    Arguments as of ``metrics_by_round``; no rounds have no figures.
    """
    each = metrics_by_round(rounds, view_size, embed)
    if not each:
        return {}
    figures = {name: _mean([item[name] for item in each]) for name in each[0]}
    for name in ("cumulative_displacement", "exploration_count"):
        figures[name] = each[-1][name]
    figures["push_events"] = sum(item["push_events"] for item in each)
    figures["action_gini"] = action_gini(rounds)
    figures["homogeneity_gain"] = _gain([item["information_homogeneity"] for item in each])
    figures["edit_consistency_gain"] = _gain([item["edit_consistency"] for item in each])
    return figures


def _gain(values: Sequence[float]) -> float:
    """Return the mean of the last fifth of the rounds (at least one) minus that of the first."""
    part = max(len(values) // _FIFTH, 1)
    return _mean(values[-part:]) - _mean(values[:part])


def _mean(values: Sequence[float]) -> float:
    """Return the mean; 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def _spread(values: Sequence[float]) -> float:
    """Return the standard deviation of a population; 0 of nothing."""
    mean = _mean(values)
    return math.sqrt(_mean([(value - mean) ** 2 for value in values]))


def _order(actions: Sequence[str]) -> dict[str, float]:
    counts = Counter(actions)
    moves = [counts[name] for name in VECTORS if counts[name]]
    total = sum(moves)
    usual = [counts[name] for name in (*VECTORS, STAY)]
    row = sum(vector[0] * counts[name] for name, vector in VECTORS.items())
    column = sum(vector[1] * counts[name] for name, vector in VECTORS.items())
    return {
        "directional_entropy": round(
            math.fsum(n / total * math.log2(total / n) for n in moves), _LOG_DECIMALS
        ),
        "stillness_proportion": counts[STAY] / len(actions) if actions else 0.0,
        "dominant_action_proportion": max(usual) / sum(usual) if sum(usual) else 0.0,
        "polarization_index": math.sqrt(row**2 + column**2) / len(actions) if actions else 0.0,
    }


def message_similarity(texts: Sequence[str], embed: Embed | None = None) -> tuple[float, float]:
    """Return the mean pairwise cosine of the messages' embeddings, and the embeddings' mean norm.

    Fewer than two messages have similarity 0, messages that point in opposite directions too.

    Args:
        texts: The messages; empty ones left out.
        embed: Makes the embeddings. None: counts of each character times its smoothed inverse
            document frequency ``ln((1 + n) / (1 + df)) + 1``, which needs no model.
    """
    if not texts:
        return 0.0, 0.0
    vectors = np.asarray((embed or _character_weights)(list(texts)), dtype=np.float64)
    products: NDArray[np.float64] = np.zeros((len(texts), len(texts)))
    for column in vectors.T:
        products += np.outer(column, column)
    norms = np.sqrt(products.diagonal())
    mean_norm = _mean(norms.tolist())
    if len(texts) < 2:
        return 0.0, mean_norm
    length = np.where(norms > 0, norms, 1.0)
    cosines = products / np.outer(length, length)
    mean_cosine = _mean(cosines[np.triu_indices(len(texts), 1)].tolist())
    return min(max(mean_cosine, 0.0), 1.0), mean_norm


def _character_weights(texts: list[str]) -> NDArray[np.float64]:
    vocabulary = {c: i for i, c in enumerate(sorted(set("".join(texts))))}
    counts: NDArray[np.float64] = np.zeros((len(texts), len(vocabulary)))
    for row, text in enumerate(texts):
        for character, count in Counter(text).items():
            counts[row, vocabulary[character]] = count
    texts_with: list[int] = (counts > 0).sum(axis=0).tolist()
    rarity = [round(math.log((1 + len(texts)) / (1 + n)), _LOG_DECIMALS) + 1 for n in texts_with]
    weighted: NDArray[np.float64] = counts * np.array(rarity)
    return weighted


def edit_consistency(texts: Sequence[str]) -> float:
    """Return 1 minus the mean pairwise normalised Levenshtein distance; 0 for less than two."""
    if len(texts) < 2:
        return 0.0
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    changes = cdist(texts, texts, scorer=Levenshtein.distance).tolist()
    return _mean(
        [
            1 - changes[a][b] / (max(len(texts[a]), len(texts[b])) or 1)
            for a, b in combinations(range(len(texts)), 2)
        ]
    )


def _kept_pairs(log: RoundLog) -> int:
    before, after = log.before, log.after
    present = [agent for agent in range(len(after)) if agent not in log.escaped]
    return sum(
        distance(before[a], before[b]) == 1 == distance(after[a], after[b])
        for a, b in combinations(present, 2)
    )


def _push_events(log: RoundLog) -> int:
    """Count pairs (A, B): A pointed at its neighbour B, took B's cell, and B is one further."""
    at = {cell: agent for agent, cell in enumerate(log.before)}
    events = 0
    for agent, action in log.actions.items():
        vector = VECTORS.get(action)
        if vector is None:
            continue
        (row, column), (i, j) = log.before[agent], vector
        target = row + i, column + j
        pushed = at.get(target)
        if pushed is not None and log.after[agent] == target:
            events += log.after[pushed] == (target[0] + i, target[1] + j)
    return events


def visibility_components(cells: Sequence[Cell], distance: int) -> int:
    """Count the components of the graph that joins agents within a Chebyshev distance."""
    left = set(range(len(cells)))
    components = 0
    while left:
        components += 1
        stack = [left.pop()]
        while stack:
            row, column = cells[stack.pop()]
            near = [
                other
                for other in left
                if abs(cells[other][0] - row) <= distance
                and abs(cells[other][1] - column) <= distance
            ]
            left.difference_update(near)
            stack.extend(near)
    return components


def separation_force(cells: Sequence[Cell], distance: int) -> float:
    """Return the mean norm of Σ (x_i − x_j) / d_ij² over agents within ``distance``."""
    if not cells:
        return 0.0
    points: NDArray[np.float64] = np.array(cells, dtype=np.float64)
    apart = points[:, None, :] - points[None, :, :]
    squared = (apart**2).sum(axis=2)
    near = (squared > 0) & (squared <= distance**2)
    weights = np.where(near, 1.0 / np.where(near, squared, 1.0), 0.0)
    forces = np.cumsum(apart * weights[:, :, None], axis=1)[:, -1]
    return _mean(np.sqrt(forces[:, 0] ** 2 + forces[:, 1] ** 2).tolist())


def action_gini(rounds: Sequence[RoundLog]) -> float:
    """Return the mean over agents of the Gini coefficient of an agent's counts of the four moves.

    0 for an agent that uses all four equally often (or never moves), 0.75 for only one.
    """
    agents = sorted({agent for log in rounds for agent in log.actions})
    total = 0.0
    for agent in agents:
        made = Counter(log.actions.get(agent) for log in rounds)
        counts = sorted(made[name] for name in VECTORS)
        if sum(counts):
            weighted = sum(rank * count for rank, count in enumerate(counts, 1))
            total += 2 * weighted / (4 * sum(counts)) - 5 / 4
    return total / len(agents) if agents else 0.0
