"""How often the four stages fail, together and alone, in failed and successful dialogues.

Source: The Collaboration Tax, figure 2, appendix D (tables 6 and 7).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from coordgym.data.tables import Table, Value
from coordgym.silo_env.pairs.analysis.conversations.conversation import Conversation
from coordgym.silo_env.pairs.analysis.failures.cascade import STAGES, CascadeLabels, label
from coordgym.silo_env.pairs.analysis.scores.results import CATEGORIES
from coordgym.silo_env.pairs.options import PAIR, PairOptions


@dataclass(frozen=True, slots=True)
class Labelled:
    """A conversation of a pair with its labels."""

    conversation: Conversation
    labels: CascadeLabels

    @property
    def model(self) -> str:
        """The model of ``agent_0``."""
        return self.conversation.models[0]

    @property
    def homogeneous(self) -> bool:
        """Whether one model plays both seats."""
        return len(set(self.conversation.models)) == 1

    def succeeded(self, least: float | None) -> bool:
        """Tell whether the answer was optimal, or scored at least ``least`` where that is given."""
        if least is None:
            return self.conversation.success
        return self.conversation.outcome.grade.score >= least


def is_labelled(options: PairOptions) -> bool:
    """Tell whether conversations of an environment are labelled: those of pairs without clauses."""
    return options.mode == PAIR and options.clauses == "none"


def label_all(conversations: Iterable[Conversation]) -> list[Labelled]:
    """Label the conversations of pairs without clauses; others are left out."""
    return [Labelled(each, label(each)) for each in conversations if is_labelled(each.options)]


@dataclass(frozen=True, slots=True)
class CoOccurrence:
    """How the failing stages of dialogues go together.

    Attributes:
        dialogues: Their number.
        fired: Share of dialogues with 0, 1, 2, 3 and 4 failing stages.
        jaccard: For each pair of stages, dialogues where both fail over those where one does;
            0.0 where neither ever fails.
        alone: For each stage, the share of dialogues in which it fails and no other.
    """

    dialogues: int
    fired: tuple[float, ...]
    jaccard: dict[tuple[str, str], float]
    alone: dict[str, float]


def co_occurrence(labelled: Sequence[Labelled]) -> CoOccurrence | None:
    """Return how stages fail together; None without dialogues."""
    if not labelled:
        return None
    fired = [each.labels.fired for each in labelled]
    total = len(fired)
    failing = {stage: {k for k, each in enumerate(fired) if stage in each} for stage in STAGES}
    return CoOccurrence(
        dialogues=total,
        fired=tuple(
            sum(len(each) == count for each in fired) / total for count in range(len(STAGES) + 1)
        ),
        jaccard={
            (a, b): len(failing[a] & failing[b]) / max(1, len(failing[a] | failing[b]))
            for a, b in combinations(STAGES, 2)
        },
        alone={stage: sum(each == (stage,) for each in fired) / total for stage in STAGES},
    )


def stage_rates(labelled: Sequence[Labelled]) -> dict[str, float]:
    """Return the share of dialogues that satisfy each stage; NaN without dialogues."""
    count = len(labelled)
    return {
        stage: sum(each.labels.labels[stage] for each in labelled) / count
        if count
        else float("nan")
        for stage in STAGES
    }


def stage_tables(labelled: Sequence[Labelled], *, least: float | None = None) -> list[Table]:
    """Label rates by category and outcome, and co-occurrence in failed homogeneous dialogues.

    Args:
        labelled: Dialogues.
        least: Score that counts as success; None: the optimum.
    """
    failed = [each for each in labelled if each.homogeneous and not each.succeeded(least)]
    found = co_occurrence(failed)
    tables = [_rate_table(labelled, least)]
    if found is not None:
        tables += [_fired_table(found), _jaccard_table(found)]
    return tables


def _rate_table(labelled: Sequence[Labelled], least: float | None) -> Table:
    rows: list[tuple[Value, ...]] = []
    for pairs, same in (("homogeneous", True), ("mixed", False)):
        for category in (*CATEGORIES, "all"):
            for outcome, success in (("failed", False), ("succeeded", True)):
                group = [
                    each
                    for each in labelled
                    if each.homogeneous == same
                    and category in (each.conversation.category, "all")
                    and each.succeeded(least) == success
                ]
                if group:
                    rates = stage_rates(group)
                    rows.append((pairs, category, outcome, len(group), *rates.values()))
    return Table(
        name="tax-stages",
        title="Dialogues that ground, query, integrate and re-derive",
        columns=("pairs", "category", "outcome", "dialogues", *STAGES),
        rows=tuple(rows),
        note="L1 every claim is grounded, L2 something specific is asked, L3 both views are put "
        "together before the answer, L4 its receiver works it out again. Found by patterns.",
    )


def _fired_table(found: CoOccurrence) -> Table:
    return Table(
        name="tax-stages-fired",
        title="Failing stages per failed dialogue",
        columns=("stages", "share"),
        rows=tuple((count, share) for count, share in enumerate(found.fired)),
        note=f"{found.dialogues} failed homogeneous dialogues.",
    )


def _jaccard_table(found: CoOccurrence) -> Table:
    def overlap(a: str, b: str) -> Value:
        return None if a == b else found.jaccard[(a, b) if a < b else (b, a)]

    rows = tuple((a, *(overlap(a, b) for b in STAGES), found.alone[a]) for a in STAGES)
    return Table(
        name="tax-stages-overlap",
        title="Overlap (Jaccard) of failing stages",
        columns=("stage", *STAGES, "alone"),
        rows=rows,
        note="Alone: share of failed dialogues in which no other stage fails.",
    )
