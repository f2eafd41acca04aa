"""What agents claim of classes and their traits."""

from collections.abc import Iterable
from typing import cast

from coordgym.silo_env.pairs.dialogue.readers.atoms import Atom
from coordgym.silo_env.pairs.dialogue.readers.fact_atoms import (
    FactReader,
    Pattern,
    wordings_of,
)
from coordgym.silo_env.pairs.task import AnyTask, Facts, Friction, Seat, Views
from coordgym.silo_env.pairs.tasks.aliasedtaxonomy.taxonomies import (
    OTHER_TRAITS,
    TRAIT_LETTERS,
    TRAITS,
)


def make_reader(task: AnyTask, views: Views, friction: Friction) -> FactReader:
    """Read classes, what they are a kind of, and the traits of leaves."""
    words = (TRAITS, OTHER_TRAITS, TRAIT_LETTERS if friction == 2 else ())
    traits = {word: trait for each in words for word, trait in zip(each, TRAITS, strict=False)}

    def of_view(facts: Facts, seat: Seat) -> Iterable[Atom]:
        (own,) = task.from_facts(facts).taxonomies
        for name, parent, trait in zip(own.names, own.parent, own.trait, strict=True):
            yield ("root", name) if parent is None else ("parent", own.names[parent], name)
            if trait is not None:
                yield ("trait", name, TRAITS[trait])

    patterns = [
        Pattern("root", r"{n0}(?::| is the) (?:root class|root|top group)"),
        *wordings_of("parent", (r"{n1}(?::| is) a kind of {n0}", r"{n0} contains {n1}")),
        *wordings_of(
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
