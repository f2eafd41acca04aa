"""The readers of the tasks whose facts are links and values: one table of wordings per task."""

from collections.abc import Iterable, Sequence
from typing import cast

from coordgym.silo_env.pairs.analysis.atoms import Atom
from coordgym.silo_env.pairs.analysis.fact_atoms import FactReader, OfView, Pattern
from coordgym.silo_env.pairs.task import Facts, Seat

Views = tuple[Facts, Facts]

ARROW = r"\s*(?:->|→|⇒|=>)\s*"
DASH = r"\s?[-–]\s?"
PARENT_WORDINGS = (  # no arrows: chains of ancestors are written with them the other way round
    r"\bparent_of\({n0},\s*{n1}\)",
    r"{n1} is (?:a|the) child of {n0}",
    r"{n0} is (?:a|the) parent of {n1}",
    r"{n1} (?:was|is) born to {n0}",
    r"{n1} hangs below {n0}",
    r"{n1}'s parent is {n0}",
)
EDGE_WORDINGS = (
    rf"{{n0}}{DASH}{{n1}}",
    r"{n0} (?:is|are) (?:joined|connected|linked|adjacent) (?:to|with) {n1}",
    r"{n0} (?:touches|knows|joins) {n1}",
    r"{n0} to {n1}",
)
WEIGHTED_WORDINGS = (
    rf"{{n0}}{DASH}{{n1}}\s*(?::|=|\()\s*(?:weight )?{{d2}}",
    rf"{{n0}}{DASH}{{n1}} (?:has|with|is|takes|of) (?:an? )?(?:weight|strength)? ?(?:of )?{{d2}}",
    r"{n0} and {n1} share a link of strength {d2}",
    r"{n0} to {n1} (?:takes|is|:) {d2}",
)
VALUE_WORDINGS = (
    r"{n0}\s*[=:]\s*{d1}",
    r"{d1} at {n0}",
    r"{n0} (?:has|is|holds) (?:an? |the )?(?:value )?(?:of )?{d1}",
    r"value of {n0} is {d1}",
)


def _of(kind: str, wordings: Sequence[str]) -> list[Pattern]:
    return [Pattern(kind, wording) for wording in wordings]


def _rows(field: str, kind: str) -> OfView:
    """Atoms of a list of facts."""

    def of_view(facts: Facts, seat: Seat) -> Iterable[Atom]:
        rows = cast("list[list[str | int]]", facts[field])
        return [(kind, *row) for row in rows]

    return of_view


def _both(*parts: OfView) -> OfView:
    def of_view(facts: Facts, seat: Seat) -> Iterable[Atom]:
        return [atom for part in parts for atom in part(facts, seat)]

    return of_view


def _names(views: Views, field: str, at: Sequence[int]) -> list[str]:
    """The names at some places of the facts of a field."""
    rows = [row for view in views for row in cast("list[list[str]]", view[field])]
    return [row[place] for row in rows for place in at]


def _nodes(views: Views) -> list[str]:
    return list(cast("list[str]", views[0]["nodes"]))


def ancestorpath(views: Views) -> FactReader:
    """Parents and children."""
    names = [*_names(views, "edges", (0, 1)), *cast("list[str]", views[0]["queries"])]
    return FactReader(_rows("edges", "parent"), _of("parent", PARENT_WORDINGS), names)


def relaquery(views: Views) -> FactReader:
    """Parents and children among known people."""
    names = cast("list[str]", views[0]["people"])
    return FactReader(_rows("edges", "parent"), _of("parent", PARENT_WORDINGS), names)


def treesum(views: Views) -> FactReader:
    """Links of a tree and the values of its nodes."""

    def values(facts: Facts, seat: Seat) -> Iterable[Atom]:
        return [("value", *item) for item in cast("dict[str, int]", facts["values"]).items()]

    names = _names(views, "edges", (0, 1))
    names += [name for view in views for name in cast("dict[str, int]", view["values"])]
    patterns = _of("parent", PARENT_WORDINGS) + _of("value", VALUE_WORDINGS)
    return FactReader(_both(_rows("edges", "parent"), values), patterns, names)


def dagorder(views: Views) -> FactReader:
    """Dependencies; an order that follows from several is no atom."""
    wordings = (
        rf"{{n0}}{ARROW}{{n1}}",
        r"{n1} requires {n0}",
        r"{n1} depends on {n0}",
        r"{n0} must (?:be done|come|go) before {n1}",
    )
    return FactReader(_rows("edges", "before"), _of("before", wordings), _nodes(views))


def eulerpath(views: Views) -> FactReader:
    """Bridges."""
    return FactReader(
        _rows("edges", "edge"),
        _of("edge", EDGE_WORDINGS),
        _nodes(views),
        symmetric=("edge",),
        dropped=("islands?", "nodes?"),
    )


def trianglecount(views: Views) -> FactReader:
    """Links, or people who know each other."""
    return eulerpath(views)


def graph(views: Views) -> FactReader:
    """Tracks with their minutes; stations have letters and coordinates."""
    nodes = cast("dict[str, list[int]]", views[0]["nodes"])
    names = {name: name for name in nodes}
    names |= {f"({x},{y})": name for name, (x, y) in nodes.items()}
    return FactReader(
        _rows("edges", "edge"),
        _of("edge", WEIGHTED_WORDINGS),
        names,
        symmetric=("edge",),
        dropped=("stations?",),
    )


def noderanking(views: Views) -> FactReader:
    """Links with weights."""
    return FactReader(
        _rows("edges", "edge"),
        _of("edge", WEIGHTED_WORDINGS),
        _nodes(views),
        symmetric=("edge",),
        dropped=("nodes?",),
    )


def graphattr(views: Views) -> FactReader:
    """Links and colours."""
    paints = {"crimson": "red", "azure": "blue", "emerald": "green"}
    colours = {**paints, **{colour: colour for colour in paints.values()}}
    wordings = (
        r"{n0}\s*(?:is|=|:)\s*{v1}",
        r"{v1}\s*[:=]?\s+{n0}",
    )
    return FactReader(
        _both(_rows("edges", "edge"), _rows("colors", "colour")),
        _of("edge", EDGE_WORDINGS) + _of("colour", wordings),
        _nodes(views),
        values=colours,
        symmetric=("edge",),
        dropped=("nodes?",),
    )


def graphpath(views: Views) -> FactReader:
    """One-way links with labels."""
    names = [*_nodes(views), *_names(views, "edges", (0,))]
    wordings = (
        rf"{{n0}}\s*(?::|\(|=)?\s*{{n1}}{ARROW}{{n2}}",
        r"{n2} is reached from {n1} by {n0}",
        r"{n0} (?:goes|leads|runs) from {n1} to {n2}",
    )
    return FactReader(_rows("edges", "link"), _of("link", wordings), names, dropped=("nodes?",))


def aliasedtaxonomy(views: Views) -> FactReader:
    """Classes, what they are a kind of, and the traits of leaves."""
    traits = {
        "aquatic": "aquatic", "water-dwelling": "aquatic",
        "nocturnal": "nocturnal", "active at night": "nocturnal",
        "venomous": "venomous", "poisonous": "venomous",
        "winged": "winged", "can fly": "winged",
    }  # fmt: skip
    order = list(dict.fromkeys(traits.values()))

    def of_view(facts: Facts, seat: Seat) -> Iterable[Atom]:
        names = cast("list[str]", facts["names"])
        for name, parent, trait in zip(
            names,
            cast("list[int | None]", facts["parent"]),
            cast("list[int | None]", facts["trait"]),
            strict=True,
        ):
            yield ("root", name) if parent is None else ("parent", names[parent], name)
            if trait is not None:
                yield ("trait", name, order[trait])

    patterns = [
        Pattern("root", r"{n0}(?::| is the) (?:root class|root|top group)"),
        *_of("parent", (r"{n1}(?::| is) a kind of {n0}", r"{n0} contains {n1}")),
        *_of(
            "trait",
            (
                r"{n0}: a kind of {_}; trait: {v1}",
                r"{_} contains {n0}; known for: {v1}",
                r"{n0} (?:is|are|has (?:the )?trait:?|is known for:?|has trait) {v1}",
            ),
        ),
    ]
    names = [name for view in views for name in cast("list[str]", view["names"])]
    return FactReader(of_view, patterns, names, values=traits)


def binpack(views: Views) -> FactReader:
    """Weights of items and limits of crates, in kilograms."""

    def of_view(facts: Facts, seat: Seat) -> Iterable[Atom]:
        for field in ("items", "bins"):
            for name, load in cast("dict[str, int | None]", facts[field]).items():
                if load is not None:
                    yield ("kg", name, load)

    verb = (
        r"\s*(?::|=|\(|weighs|holds|is|has|takes|limit|limit is|capacity|capacity is)?"
        r"\s*(?:up to )?"
    )
    wordings = (rf"{{n0}}{verb}{{d1}}\s?kg\b", rf"{{n0}}{verb}{{k1}}\s?g(?:rams)?\b")
    names = [n for field in ("items", "bins") for n in cast("dict[str, int]", views[0][field])]
    return FactReader(of_view, _of("kg", wordings), names)


def cipherdecode(views: Views) -> FactReader:
    """Rows of the code table: plain letter, code letter."""

    def of_view(facts: Facts, seat: Seat) -> Iterable[Atom]:
        return [("map", *row) for row in cast("dict[str, str]", facts["map"]).items()]

    wordings = (
        rf"{{n0}}{ARROW}{{n1}}",
        r"{n1}\s*=\s*{n0}",
        r"{n0} (?:maps to|becomes|is written as|is coded as) {n1}",
        r"{n1} (?:stands for|means|decodes to) {n0}",
    )
    return FactReader(of_view, _of("map", wordings), [chr(ord("A") + k) for k in range(26)])


FACT_READERS = {
    "ancestorpath": ancestorpath,
    "relaquery": relaquery,
    "treesum": treesum,
    "dagorder": dagorder,
    "eulerpath": eulerpath,
    "trianglecount": trianglecount,
    "graph": graph,
    "noderanking": noderanking,
    "graphattr": graphattr,
    "graphpath": graphpath,
    "aliasedtaxonomy": aliasedtaxonomy,
    "binpack": binpack,
    "cipherdecode": cipherdecode,
}
"""What makes the reader of each of these tasks from the facts of its two views."""
