"""The shape of conversations in figures, and their means per model and task.

Source: The Collaboration Tax, section 5.4 and figure 7; the panel is a choice of this package
where the paper names only groups of features.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coordgym.silo_env.pairs.analysis.conversations.conversation import Conversation
from coordgym.silo_env.pairs.analysis.failures.cascade import STAGES, CascadeLabels
from coordgym.silo_env.pairs.analysis.failures.stages import Labelled, stage_rates
from coordgym.silo_env.pairs.analysis.scores.results import CATEGORY_OF
from coordgym.silo_env.pairs.analysis.scores.tax import TaxCell

PER_CHARS = 1000
"""Densities are per this many characters."""
_AGREE = re.compile(r"\b(?:agree|correct|yes|exactly|confirmed|sounds good|great)\b", re.I)
_DISAGREE = re.compile(
    r"\bno,|\b(?:wrong|incorrect|not correct|disagree|actually|mistake|however|but)\b", re.I
)
_COORDINATES = re.compile(r"\(\s*-?\d+\s*(?:,\s*-?\d+\s*){1,2}\)")

DIALOGUE_FEATURES = (
    "n_turns", "total_chars", "char_per_turn", "first_chars", "last3_chars", "max_turn_chars",
    "char_std", "turn_trend", "agree_density", "disagree_density", "question_density",
    "view1_dump_ratio", "view2_dump_ratio", "dump_first", "coord_density", "speaker_balance",
    "acti_turn_frac", "capped_rate",
)  # fmt: skip
FEATURES = ("n_rollouts", *DIALOGUE_FEATURES)


def dialogue_features(conversation: Conversation, labels: CascadeLabels) -> dict[str, float]:
    """Return the features of one dialogue, in the order of DIALOGUE_FEATURES.

    Lengths are in characters; densities per 1,000 characters or per turn; dump ratios are the
    shares of a view's private facts that its own agent stated.
    """
    texts = conversation.texts
    lengths = np.array([len(text) for text in texts], dtype=float)
    everything = "\n".join(texts)
    total = float(lengths.sum())
    by_speaker = [
        sum(len(text) for message, text in zip(conversation.messages, texts, strict=True)
            if message.agent == speaker)
        for speaker in (0, 1)
    ]  # fmt: skip

    def density(pattern: re.Pattern[str]) -> float:
        return PER_CHARS * len(pattern.findall(everything)) / total if total else 0.0

    values = (
        len(texts),
        total,
        total / len(texts),
        lengths[0],
        lengths[-3:].mean(),
        lengths.max(),
        lengths.std(),
        _trend(lengths),
        density(_AGREE),
        density(_DISAGREE),
        everything.count("?") / len(texts),
        *labels.coverage,
        sum(labels.first_coverage) / 2,
        density(_COORDINATES),
        min(by_speaker) / max(by_speaker) if max(by_speaker) else 0.0,
        conversation.ended / (2 * conversation.options.max_exchanges),
        conversation.outcome.capped,
    )
    return {name: float(value) for name, value in zip(DIALOGUE_FEATURES, values, strict=True)}


def _trend(lengths: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> float:
    """Return Spearman's correlation of turn and length; 0.0 below three turns or without spread."""
    if len(lengths) < 3 or np.all(lengths == lengths[0]):
        return 0.0
    from scipy.stats import spearmanr

    return float(spearmanr(np.arange(len(lengths)), lengths).statistic)


@dataclass(frozen=True, slots=True)
class CellShape:
    """The conversations of one model with itself on one task.

    Attributes:
        model: The model.
        task: The task.
        category: Its category.
        ratio: The ratio of the tax, what the features should tell.
        features: Mean of each feature over the dialogues, and their number.
        stages: Share of dialogues that satisfy each stage.
    """

    model: str
    task: str
    category: str
    ratio: float
    features: Mapping[str, float]
    stages: Mapping[str, float]


def cell_shapes(labelled: Iterable[Labelled], cells: Iterable[TaxCell]) -> list[CellShape]:
    """Join conversations and taxes of homogeneous pairs; cells without a ratio are left out.

    Args:
        labelled: Dialogues; their models are called as in the cells.
        cells: Taxes of one setting.
    """
    groups: dict[tuple[str, str], list[Labelled]] = {}
    for each in labelled:
        if each.homogeneous:
            groups.setdefault((each.model, each.conversation.task), []).append(each)
    shapes = []
    for cell in cells:
        group = groups.get((cell.models[0], cell.task))
        if cell.homogeneous and group and cell.ratio.value == cell.ratio.value:
            shapes.append(_shape(cell, group))
    return shapes


def _shape(cell: TaxCell, group: Sequence[Labelled]) -> CellShape:
    rows = [dialogue_features(each.conversation, each.labels) for each in group]
    means = {name: float(np.mean([row[name] for row in rows])) for name in DIALOGUE_FEATURES}
    return CellShape(
        model=cell.models[0],
        task=cell.task,
        category=CATEGORY_OF[cell.task],
        ratio=cell.ratio.value,
        features={"n_rollouts": float(len(group)), **means},
        stages={stage: stage_rates(group)[stage] for stage in STAGES},
    )
