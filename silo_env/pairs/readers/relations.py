"""The readers of the tasks whose facts are links and values: one table of wordings per task."""

from collections.abc import Callable, Iterable, Sequence
from string import ascii_uppercase
from typing import cast

from coordgym.silo_env.pairs.instance import get_task
from coordgym.silo_env.pairs.readers.atoms import Atom
from coordgym.silo_env.pairs.readers.fact_atoms import GRAMS, FactReader, OfView, Pattern
from coordgym.silo_env.pairs.shapes.dealt_facts import DealtFactsTask
from coordgym.silo_env.pairs.shapes.wide_dealt_facts import WideDealtFactsTask
from coordgym.silo_env.pairs.task import Facts, Friction, Seat, Views
from coordgym.silo_env.pairs.tasks.aliasedtaxonomy.taxonomies import (
    OTHER_TRAITS,
    TRAIT_LETTERS,
    TRAITS,
    taxonomy_of,
)
from coordgym.silo_env.pairs.tasks.binpack.task import TARE
from coordgym.silo_env.pairs.tasks.graph.task import turned_point, written_point

ARROW = r"\s*(?:->|→|⇒|=>)\s*"
DASH = r"\s?[-–]\s?"
PARENT = (  # no arrows: chains of ancestors are written with them the other way round
    r"\bparent_of\({n0},\s*{n1}\)",
    r"{n1} is (?:a|the) child of {n0}",
    r"{n0} is (?:a|the) parent of {n1}",
    r"{n1} (?:was|is) born to {n0}",
    r"{n1} hangs below {n0}",
    r"{n1}'s parent is {n0}",
)
EDGE = (
    r"{n0} (?:is|are) (?:joined|connected|linked|adjacent) (?:to|with) {n1}",
    r"{n0} (?:touches|knows|joins) {n1}",
)
LOOSE_EDGE = (rf"{{n0}}{DASH}{{n1}}", r"{n0} to {n1}")
WEIGHTED = (r"{n0} and {n1} share a link of strength {d2}",)
LOOSE_WEIGHTED = (
    rf"{{n0}}{DASH}{{n1}}\s*(?::|=|\()\s*(?:weight )?{{d2}}",
    rf"{{n0}}{DASH}{{n1}} (?:has|with|is|takes|of) (?:an? )?(?:weight|strength)? ?(?:of )?{{d2}}",
    r"{n0} to {n1} (?:takes|is|:) {d2}",
)
VALUE = (r"{d1} at {n0}", r"value of {n0} is {d1}")
LOOSE_VALUE = (
    r"{n0}\s*[=:]\s*{d1}",
    r"{n0} (?:has|is|holds) (?:an? |the )?(?:value )?(?:of )?{d1}",
)
BEFORE = (
    r"{n1} requires {n0}",
    r"{n1} depends on {n0}",
    r"{n0} must (?:be done|come|go) before {n1}",
)
PAINTS = {"crimson": "red", "azure": "blue", "emerald": "green"}
COLOUR = (rf"(?<![=:])(?=(?:{'|'.join(PAINTS)})){{v1}} {{n0}}",)
LOOSE_COLOUR = (r"{n0}\s*(?:is|=|:)\s*{v1}", r"(?<![=:]){v1}\s*[:=]?\s+{n0}")


def _of(kind: str, wordings: Sequence[str], *, loose: Sequence[str] = ()) -> list[Pattern]:
    return [
        *(Pattern(kind, wording) for wording in wordings),
        *(Pattern(kind, wording, loose=True) for wording in loose),
    ]


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


def _numbers(task: str, views: Views, friction: Friction) -> dict[str, str]:
    """The numbers that view 2 writes at friction 2, each with its name."""
    rules = get_task(task)
    if friction < 2 or not isinstance(rules, DealtFactsTask | WideDealtFactsTask):
        return {}
    return {number: name for name, number in rules.numbers(views[1]).items()}


def ancestorpath(views: Views, friction: Friction) -> FactReader:
    """Parents and children."""
    names = [*_names(views, "edges", (0, 1)), *cast("list[str]", views[0]["queries"])]
    return FactReader(
        _rows("edges", "parent"),
        _of("parent", PARENT),
        names,
        renamed=_numbers("ancestorpath", views, friction),
        dropped=("persons?",),
    )


def relaquery(views: Views, friction: Friction) -> FactReader:
    """Parents and children among known people."""
    return FactReader(
        _rows("edges", "parent"),
        _of("parent", PARENT),
        cast("list[str]", views[0]["people"]),
        renamed=_numbers("relaquery", views, friction),
        dropped=("persons?",),
    )


def treesum(views: Views, friction: Friction) -> FactReader:
    """Links of a tree and the values of its nodes."""

    def values(facts: Facts, seat: Seat) -> Iterable[Atom]:
        return [("value", *item) for item in cast("dict[str, int]", facts["values"]).items()]

    names = _names(views, "edges", (0, 1))
    names += [name for view in views for name in cast("dict[str, int]", view["values"])]
    return FactReader(
        _both(_rows("edges", "parent"), values),
        _of("parent", PARENT) + _of("value", VALUE, loose=LOOSE_VALUE),
        names,
        renamed=_numbers("treesum", views, friction),
        dropped=("nodes?",),
    )


def dagorder(views: Views, friction: Friction) -> FactReader:
    """Dependencies; an order that follows from several is no atom."""
    return FactReader(
        _rows("edges", "before"),
        _of("before", BEFORE, loose=(rf"{{n0}}{ARROW}{{n1}}",)),
        _nodes(views),
        renamed=_numbers("dagorder", views, friction),
        dropped=("tasks?",),
    )


def eulerpath(views: Views, friction: Friction) -> FactReader:
    """Bridges."""
    return _network("eulerpath", views, friction, _of("edge", EDGE, loose=LOOSE_EDGE))


def trianglecount(views: Views, friction: Friction) -> FactReader:
    """Links, or people who know each other."""
    return _network("trianglecount", views, friction, _of("edge", EDGE, loose=LOOSE_EDGE))


def noderanking(views: Views, friction: Friction) -> FactReader:
    """Links with weights."""
    return _network("noderanking", views, friction, _of("edge", WEIGHTED, loose=LOOSE_WEIGHTED))


def _network(
    task: str, views: Views, friction: Friction, patterns: Sequence[Pattern]
) -> FactReader:
    """Links without direction."""
    return FactReader(
        _rows("edges", "edge"),
        patterns,
        _nodes(views),
        renamed=_numbers(task, views, friction),
        symmetric=("edge",),
        dropped=("islands?", "nodes?"),
    )


def graph(views: Views, friction: Friction) -> FactReader:
    """Tracks with their minutes; stations have letters and points, also turned ones."""
    nodes = cast("dict[str, list[int]]", views[0]["nodes"])
    names = {name: name for name in nodes}
    table = {written_point((x, y)): name for name, (x, y) in nodes.items()}
    turned = {turned_point((x, y)): name for name, (x, y) in nodes.items()}
    return FactReader(
        _rows("edges", "edge"),
        _of("edge", WEIGHTED, loose=LOOSE_WEIGHTED),
        {**names, **table},
        renamed={**names, **turned} if friction == 2 else None,
        symmetric=("edge",),
        dropped=("stations?",),
    )


def graphattr(views: Views, friction: Friction) -> FactReader:
    """Links and colours."""
    return FactReader(
        _both(_rows("edges", "edge"), _rows("colors", "colour")),
        _of("edge", EDGE, loose=LOOSE_EDGE) + _of("colour", COLOUR, loose=LOOSE_COLOUR),
        _nodes(views),
        renamed=_numbers("graphattr", views, friction),
        values={**PAINTS, **{colour: colour for colour in PAINTS.values()}},
        symmetric=("edge",),
        dropped=("nodes?",),
    )


def graphpath(views: Views, friction: Friction) -> FactReader:
    """One-way links with labels."""
    wordings = (
        rf"{{v0}}\s*(?::|\(|=)?\s*{{n1}}{ARROW}{{n2}}",
        r"{n2} is reached from {n1} by {v0}",
        r"{v0} (?:goes|leads|runs) from {n1} to {n2}",
    )
    labels = _names(views, "edges", (0,))
    return FactReader(
        _rows("edges", "link"),
        _of("link", wordings),
        _nodes(views),
        renamed=_numbers("graphpath", views, friction),
        values={label: label for label in labels},
        dropped=("nodes?",),
    )


def aliasedtaxonomy(views: Views, friction: Friction) -> FactReader:
    """Classes, what they are a kind of, and the traits of leaves."""
    words = (TRAITS, OTHER_TRAITS, TRAIT_LETTERS if friction == 2 else ())
    traits = {word: trait for each in words for word, trait in zip(each, TRAITS, strict=False)}

    def of_view(facts: Facts, seat: Seat) -> Iterable[Atom]:
        taxonomy = taxonomy_of(facts)
        rows = zip(taxonomy.names, taxonomy.parent, taxonomy.trait, strict=True)
        for name, parent, trait in rows:
            yield ("root", name) if parent is None else ("parent", taxonomy.names[parent], name)
            if trait is not None:
                yield ("trait", name, TRAITS[trait])

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


class _LoadReader(FactReader):
    """Weights of items and limits of crates, in grams; one scale may show too much."""

    def __init__(self, views: Views, friction: Friction) -> None:
        self._items = frozenset(cast("dict[str, int]", views[0]["items"]))
        self._tare = TARE if friction == 2 else 0
        verb = (
            r"\s*(?::|=|\(|weighs|holds|is|has|takes|limit|limit is|capacity|capacity is)?"
            r"\s*(?:up to )?"
        )
        load = rf"(?<!\+ ){{n0}}{verb}"  # a sum says nothing of its last term
        wordings = (rf"{load}{{k1}}\s?kg\b", rf"{load}{{d1}}\s?g(?:rams)?\b")
        names = [n for field in ("items", "bins") for n in cast("dict[str, int]", views[0][field])]
        super().__init__(self._atoms, _of("load", wordings), names)

    @staticmethod
    def _atoms(facts: Facts, seat: Seat) -> Iterable[Atom]:
        for field in ("items", "bins"):
            for name, load in cast("dict[str, int | None]", facts[field]).items():
                if load is not None:
                    yield ("load", name, GRAMS * load)

    def readings(self, atom: Atom) -> Iterable[Atom]:
        """The load, and for an item what is left of it without the error of the scale."""
        kind, name, grams = atom
        yield atom
        if name in self._items:
            yield (kind, name, int(grams) - self._tare)


def cipherdecode(views: Views, friction: Friction) -> FactReader:
    """Rows of the code table: plain letter, code letter."""

    def of_view(facts: Facts, seat: Seat) -> Iterable[Atom]:
        return [("map", *row) for row in cast("dict[str, str]", facts["map"]).items()]

    wordings = (
        rf"{{n0}}{ARROW}{{n1}}",
        r"{n1}\s*=\s*{n0}",
        r"{n0} (?:maps to|becomes|is written as|is coded as) {n1}",
        r"{n1} (?:stands for|means|decodes to) {n0}",
    )
    numbers = {str(number): letter for number, letter in enumerate(ascii_uppercase, 1)}
    return FactReader(
        of_view,
        _of("map", wordings),
        ascii_uppercase,
        renamed=numbers if friction == 2 else None,
    )


FACT_READERS: dict[str, Callable[[Views, Friction], FactReader]] = {
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
    "binpack": _LoadReader,
    "cipherdecode": cipherdecode,
}
"""What makes the reader of each of these tasks from the facts of its two views."""
