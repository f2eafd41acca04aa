"""Failed dialogues in groups: descriptions as TF-IDF vectors, cosine k-means, plain names.

Needs scikit-learn, the extra ``analysis``.
Source: The Collaboration Tax, appendix B and table 3.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coordgym.errors import EpisodeError
from coordgym.silo_env.pairs.analysis.cascade import STAGES
from coordgym.silo_env.pairs.analysis.descriptions import describe
from coordgym.silo_env.pairs.analysis.ridge import missing_extra
from coordgym.silo_env.pairs.analysis.stages import Labelled
from coordgym.silo_env.pairs.analysis.tables import Table

SAMPLE = 700
"""Descriptions that are grouped at most, as many from each model and category as can be."""
FEWEST_CLUSTERS, MOST_CLUSTERS = 4, 30
DOMINANCE = 0.5
"""Share of a cluster's members that its category must exceed."""
NEAREST = 5
NAME_PARTS = 3
MOST_NAME_WORDS = 6
FORBIDDEN = (
    "verification", "verify", "pool", "share", "communicate", "collaborate", "cross-check",
    "calculation", "format",
)  # fmt: skip
"""Words that a name may not hold anywhere: they fit every failure."""
_SEED = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed dialogue, described.

    Attributes:
        text: What went wrong.
        model: Who played.
        task: The task.
        category: Its category.
        fired: The stages that failed.
    """

    text: str
    model: str
    task: str
    category: str
    fired: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cluster:
    """A kind of failure.

    Attributes:
        stage: The stage that most members fail at, the earliest of equals; "" if none fails.
        name: What its descriptions have in common, in snake case.
        size: Members.
        top_task: The task of most members.
        category: The category of most members.
        share: Its share of them.
        examples: The descriptions nearest to the centre.
    """

    stage: str
    name: str
    size: int
    top_task: str
    category: str
    share: float
    examples: tuple[str, ...]


def failures(labelled: Sequence[Labelled], *, least: float | None = None) -> list[Failure]:
    """Describe the failed homogeneous dialogues; `least` as in `Labelled.succeeded`."""
    return [
        Failure(
            describe(each),
            each.dialogue.models[0],
            each.dialogue.task,
            each.category,
            each.labels.fired,
        )
        for each in labelled
        if each.homogeneous and not each.succeeded(least)
    ]


def balanced_sample(found: Sequence[Failure], size: int = SAMPLE) -> list[Failure]:
    """At most `size` failures, taken in turn from every model and category, at random."""
    if len(found) <= size:
        return list(found)
    rng = np.random.default_rng(_SEED)
    groups: dict[tuple[str, str], list[Failure]] = {}
    for index in rng.permutation(len(found)):
        failure = found[int(index)]
        groups.setdefault((failure.model, failure.category), []).append(failure)
    sample: list[Failure] = []
    waiting = [groups[key] for key in sorted(groups)]
    while len(sample) < size:
        waiting = [group for group in waiting if group]
        sample += [group.pop() for group in waiting][: size - len(sample)]
    return sample


def find_clusters(found: Sequence[Failure]) -> list[Cluster]:
    """Group failures into the fewest clusters that one category dominates each.

    If no number of clusters up to MOST_CLUSTERS does it, the largest number is taken.

    Raises:
        MissingExtraError: scikit-learn is not installed.
        EpisodeError: There are too few failures.
    """
    if len(found) <= FEWEST_CLUSTERS:
        raise EpisodeError(
            f"clusters need more than {FEWEST_CLUSTERS} failed dialogues, got {len(found)}"
        )
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError as error:
        raise missing_extra("the grouping of failures") from error

    vectorizer = TfidfVectorizer(lowercase=True, ngram_range=(1, 2), stop_words=None)
    vectors = vectorizer.fit_transform([failure.text for failure in found])
    terms = [str(term) for term in vectorizer.get_feature_names_out()]
    members, centres = _fewest(found, vectors)
    clusters = [
        _cluster(_where(found, members == index),
                 vectors[members == index], centre, terms)
        for index, centre in enumerate(centres)
    ]  # fmt: skip
    return sorted(clusters, key=lambda each: (each.stage, -each.size, each.name))


def _fewest(found: Sequence[Failure], vectors: Any) -> tuple[Any, Any]:
    """Members and centres of the smallest number of clusters that is dominated throughout."""
    from sklearn.cluster import KMeans

    most = min(MOST_CLUSTERS, len(found) - 1)
    fitted = None
    for count in range(FEWEST_CLUSTERS, most + 1):
        fitted = KMeans(n_clusters=count, n_init=10, random_state=_SEED).fit(vectors)
        shares = []
        for index in range(count):
            own = [each.category for each in _where(found, fitted.labels_ == index)]
            shares.append(max(Counter(own).values(), default=0) / max(1, len(own)))
        if all(share > DOMINANCE for share in shares):
            break
    if fitted is None:
        raise EpisodeError("there are too few failed dialogues to group")
    return fitted.labels_, fitted.cluster_centers_


def _where(found: Sequence[Failure], chosen: Any) -> list[Failure]:
    return [failure for failure, is_chosen in zip(found, chosen, strict=True) if is_chosen]


def _cluster(
    members: Sequence[Failure], vectors: Any, centre: Any, terms: Sequence[str]
) -> Cluster:
    nearest = np.argsort(-np.asarray(vectors @ centre).ravel(), kind="stable")[:NEAREST]
    tasks = Counter(member.task for member in members)
    categories = Counter(member.category for member in members)
    category, count = min(categories.items(), key=lambda item: (-item[1], item[0]))
    return Cluster(
        stage=majority_stage([member.fired for member in members]),
        name=name_of(centre, terms),
        size=len(members),
        top_task=min(tasks.items(), key=lambda item: (-item[1], item[0]))[0],
        category=category,
        share=count / len(members),
        examples=tuple(members[int(k)].text for k in nearest),
    )


def majority_stage(fired: Sequence[Sequence[str]]) -> str:
    """The stage that fails in most dialogues, the earliest of equals; "" if none does."""
    counts = {stage: sum(stage in each for each in fired) for stage in STAGES}
    best = max(counts.values())
    return next((stage for stage in STAGES if best and counts[stage] == best), "")


def name_of(weights: Sequence[float], terms: Sequence[str]) -> str:
    """The heaviest terms in snake case, without forbidden words, numbers and repetitions.

    Terms with words such as "the" are passed over as well: a name needs its few words.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    used: list[str] = []
    parts = 0
    for index in np.argsort(-np.asarray(weights), kind="stable"):
        words = terms[int(index)].split()
        fresh = [word for word in words if word not in used]
        plain = all(word.isalpha() and word not in ENGLISH_STOP_WORDS for word in words)
        allowed = not any(bad in word for word in words for bad in FORBIDDEN)
        if not (fresh and plain and allowed) or len(used) + len(fresh) > MOST_NAME_WORDS:
            continue
        used += fresh
        parts += 1
        if parts == NAME_PARTS:
            break
    return "_".join(used)


def cluster_table(clusters: Sequence[Cluster]) -> Table:
    """One row per kind of failure."""
    return Table(
        name="tax-failures",
        title="Kinds of failed dialogues",
        columns=("stage", "name", "n", "top task", "category", "share"),
        rows=tuple(
            (each.stage or "none", each.name, each.size, each.top_task, each.category, each.share)
            for each in clusters
        ),
        note="Stage: where most members fail. Category: that of most members, with its share.",
        digits=2,
    )
