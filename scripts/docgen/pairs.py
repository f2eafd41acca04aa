"""Generated parts of the page about split-view pairs."""

import coordgym
from coordgym.data.tables import markdown_table
from coordgym.silo_env.pairs.task import find_task
from docgen.markdown import code
from docgen.results import Results

FRICTIONS = (0, 1, 2)
HIGH_FLOOR = 0.63
"""From here on a mean score says little by itself."""


def tasks() -> str:
    """Return the tasks: what is asked and what an answer holds."""
    rows = []
    for entry in coordgym.list_envs(family="pairs"):
        task = find_task(entry.kwargs["task"])
        fields = ", ".join(map(code, task.answer_fields))
        rows.append((code(entry.name), code(task.name), task.category, entry.title, fields))
    return markdown_table(("id", "task", "category", "the pair has to …", "answer fields"), rows)


def floors() -> str:
    """Return what one view reaches, and what sharing both does."""
    measured = Results("pairs-floors", "env")
    shared = Results("pairs-share", "env", "friction")
    entries = coordgym.list_envs(family="pairs")
    rows, high = [], []
    for entry in entries:
        floor = measured[(entry.id,)]
        shares = shared.all((entry.id, friction) for friction in FRICTIONS)
        score = min(each["score"] for each in shares)
        best = max(floor["view1"], floor["view2"])
        if best >= HIGH_FLOOR:
            high.append(f"{entry.name} ({best:.2f})")
        rows.append(
            (
                code(entry.name),
                f"{floor['view1']:.2f} / {floor['view2']:.2f}",
                f"{floor['exact1']:.2f} / {floor['exact2']:.2f}",
                f"{floor['random']:.2f}",
                _above(floor["random"], best),
                f"{score:.2f}",
                f"{min(each['exact'] for each in shares):.2f}",
                _above(score, best),
            )
        )
    headers = (
        "id",
        "floor: mean, view 1 / 2",
        "floor: exact",
        "random: mean",
        "random: above floor",
        "share-and-solve: mean",
        "share-and-solve: exact",
        "share-and-solve: above floor",
    )
    instances, guesses = measured.common("instances"), measured.common("guesses")
    episodes = shared.common("episodes")
    note = (
        f"*Floor*: `pairs:one-view` solves a plausible guess at the hidden half, "
        f"{guesses} guesses at each of {instances} instances per view; *exact* is the share of "
        f"optimal answers. *Share-and-solve*: {episodes} seeds per level of friction, the lowest "
        "of the three levels. *Above floor*: (score − floor) / (1 − floor) with the higher of the "
        "two floors: 0 is what needs no partner, 1 is optimal, below 0 is worse than answering "
        "alone."
    )
    warning = (
        f"With a floor of {HIGH_FLOOR} or more, look at `exact` and at the score above the floor "
        f"rather than at the mean: {', '.join(high)}."
    )
    return f"{markdown_table(headers, rows, numbers_from=1)}\n\n{note}\n\n{warning}"


def _above(score: float, floor: float) -> str:
    """Return the floor-normalised score."""
    return f"{(score - floor) / (1 - floor):.2f}".replace("-", "−")


PARTS = {"tasks": tasks, "floors": floors}
