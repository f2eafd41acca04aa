"""Failed dialogues in groups: descriptions as TF-IDF vectors, cosine k-means, names.

Descriptions and names are made by rules, or by a language model that is asked for them.
Needs scikit-learn, the extra ``analysis``.
Source: The Collaboration Tax, appendix B and table 3.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coordgym.data.tables import Table, Value
from coordgym.errors import EpisodeError
from coordgym.silo_env.pairs.analysis.failures.asking import CachedAsk
from coordgym.silo_env.pairs.analysis.failures.cascade import STAGES
from coordgym.silo_env.pairs.analysis.failures.stages import Labelled
from coordgym.silo_env.pairs.analysis.models.cluster_names import NameGiven, ask_names, name_of
from coordgym.silo_env.pairs.analysis.models.descriptions import describe
from coordgym.silo_env.pairs.analysis.models.model_descriptions import Description, ask_descriptions
from coordgym.silo_env.pairs.analysis.models.ridge import missing_extra

SAMPLE = 700
"""Descriptions that are grouped at most, as many from each model and category as can be."""
FEWEST_CLUSTERS, MOST_CLUSTERS = 4, 30
DOMINANCE = 0.5
"""Share of a cluster's members that its category must exceed."""
NEAREST = 5
_SEED = 0
CLUSTER_NOTE = "Stage: where most members fail. Category: that of most members, with its share."


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
        named_by: "model", or "terms" where a model gave no name by the rules; "" if none was
            asked.
    """

    stage: str
    name: str
    size: int
    top_task: str
    category: str
    share: float
    examples: tuple[str, ...]
    named_by: str = ""


def failed(labelled: Sequence[Labelled], *, least: float | None = None) -> list[Labelled]:
    """Return the failed homogeneous dialogues; ``least`` as in ``Labelled.succeeded``."""
    return [each for each in labelled if each.homogeneous and not each.succeeded(least)]


def balanced_sample(found: Sequence[Labelled], size: int = SAMPLE) -> list[Labelled]:
    """Return at most ``size`` dialogues, taken in turn from every model and category, at random."""
    if len(found) <= size:
        return list(found)
    rng = np.random.default_rng(_SEED)
    groups: dict[tuple[str, str], list[Labelled]] = {}
    for index in rng.permutation(len(found)):
        each = found[int(index)]
        groups.setdefault((each.model, each.conversation.category), []).append(each)
    sample: list[Labelled] = []
    waiting = [groups[key] for key in sorted(groups)]
    while len(sample) < size:
        waiting = [group for group in waiting if group]
        sample += [group.pop() for group in waiting][: size - len(sample)]
    return sample


def failures(found: Sequence[Labelled], texts: Sequence[str] | None = None) -> list[Failure]:
    """Describe failed dialogues.

    Args:
        found: The dialogues.
        texts: Their descriptions; None for the sentences that rules make.
    """
    told = [describe(each) for each in found] if texts is None else texts
    return [
        Failure(
            text,
            each.model,
            each.conversation.task,
            each.conversation.category,
            each.labels.fired,
        )
        for each, text in zip(found, told, strict=True)
    ]


def find_clusters(found: Sequence[Failure]) -> list[Cluster]:
    """Group failures into the fewest clusters that one category dominates each.

    If no number of clusters up to MOST_CLUSTERS does it, the largest number is taken.

    Raises:
        MissingExtraError: scikit-learn is not installed.
        EpisodeError: There are too few failures, or their descriptions hold no words.
    """
    _require_enough(len(found))
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(lowercase=True, ngram_range=(1, 2), stop_words=None)
    try:
        vectors = vectorizer.fit_transform([failure.text for failure in found])
    except ValueError:
        raise EpisodeError("the descriptions of the failures hold no words") from None
    terms = [str(term) for term in vectorizer.get_feature_names_out()]
    members, centres = _fewest(found, vectors)
    clusters = [
        _cluster(_where(found, members == index),
                 vectors[members == index], centre, terms)
        for index, centre in enumerate(centres)
        if (members == index).any()
    ]  # fmt: skip
    return sorted(clusters, key=lambda each: (each.stage, -each.size, each.name))


def _require_enough(count: int) -> None:
    """Raise what clusters of so many failures would; no model need be asked for those."""
    if count <= FEWEST_CLUSTERS:
        raise EpisodeError(
            f"clusters need more than {FEWEST_CLUSTERS} failed dialogues, got {count}"
        )
    try:
        import sklearn  # noqa: F401 - whether it is there
    except ImportError as error:
        raise missing_extra("the grouping of failures") from error


def _fewest(found: Sequence[Failure], vectors: Any) -> tuple[Any, Any]:
    """Return members and centres of the fewest clusters that are dominated throughout."""
    from sklearn.cluster import KMeans

    # Equal descriptions are one point: there are no more clusters than points.
    points = len({(row.indices.tobytes(), row.data.tobytes()) for row in vectors})
    most = min(MOST_CLUSTERS, len(found) - 1, points)
    fitted = None
    for count in range(min(FEWEST_CLUSTERS, points), most + 1):
        fitted = KMeans(n_clusters=count, n_init=10, random_state=_SEED).fit(vectors)
        shares = []
        for index in np.unique(fitted.labels_):
            own = [each.category for each in _where(found, fitted.labels_ == index)]
            shares.append(max(Counter(own).values()) / len(own))
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
    """Return the stage that fails in most dialogues, the earliest of equals; "" if none does."""
    counts = {stage: sum(stage in each for each in fired) for stage in STAGES}
    best = max(counts.values())
    return next((stage for stage in STAGES if best and counts[stage] == best), "")


def failure_table(
    labelled: Sequence[Labelled], cached: CachedAsk | None = None, *, least: float | None = None
) -> Table:
    """Group the failed homogeneous dialogues, at most SAMPLE of them.

    Args:
        labelled: Dialogues.
        cached: The model that describes dialogues and names groups; None: rules do both.
        least: As in ``Labelled.succeeded``.

    Raises:
        MissingExtraError: scikit-learn is not installed.
        EpisodeError: There are too few failures, or too few were described.
    """
    sample = balanced_sample(failed(labelled, least=least))
    if cached is None:
        return cluster_table(find_clusters(failures(sample)))
    _require_enough(len(sample))
    told = ask_descriptions([each.conversation for each in sample], cached)
    described = [
        (each, description.text)
        for each, description in zip(sample, told, strict=True)
        if description.text is not None
    ]
    note = _note_on_descriptions(told, cached.model)
    if len(described) <= FEWEST_CLUSTERS:
        raise EpisodeError(
            f"clusters need more than {FEWEST_CLUSTERS} descriptions, got {len(described)}. {note}"
        )
    clusters = find_clusters(failures([each for each, _ in described], [t for _, t in described]))
    given = ask_names([cluster.examples for cluster in clusters], cached)
    named = [
        replace(cluster, named_by="terms")
        if each.name is None
        else replace(cluster, name=each.name, named_by="model")
        for cluster, each in zip(clusters, given, strict=True)
    ]
    return cluster_table(named, note + _note_on_names(given))


def _note_on_descriptions(told: Sequence[Description], model: str) -> str:
    note = f"Described and named by {model}."
    missing = [each.problem for each in told if each.text is None]
    if missing:
        note += (
            f" {len(missing)} of {len(told)} dialogues are left out for want of a description, "
            f"the first because: {missing[0]}."
        )
    cut = sum(each.cut for each in told)
    return note + (f" {cut} descriptions were cut at the length of a reply." if cut else "")


def _note_on_names(given: Sequence[NameGiven]) -> str:
    refused = [each.problem for each in given if each.name is None]
    if not refused:
        return ""
    return (
        f" {len(refused)} groups are named by their heaviest terms, as the model gave no name by "
        f"the rules; the first because: {refused[0]}."
    )


def cluster_table(clusters: Sequence[Cluster], note: str = "") -> Table:
    """Return one row per kind of failure; who named it, if a model was asked."""
    asked = any(each.named_by for each in clusters)
    rows: list[tuple[Value, ...]] = [
        (each.stage or "none", each.name, each.size, each.top_task, each.category, each.share)
        + ((each.named_by,) if asked else ())
        for each in clusters
    ]
    return Table(
        name="tax-failures",
        title="Kinds of failed dialogues",
        columns=("stage", "name", "n", "top task", "category", "share")
        + (("named by",) if asked else ()),
        rows=tuple(rows),
        note=" ".join(filter(None, (CLUSTER_NOTE, note))),
        digits=2,
    )
