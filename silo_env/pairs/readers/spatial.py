"""The readers of the spatial tasks: grids with their own symbols, walls, floors and closures."""

import re
from collections.abc import Iterator, Mapping
from typing import cast

from coordgym.silo_env.pairs.grids.schemes import Cell, Scheme, Written, decode
from coordgym.silo_env.pairs.readers.atoms import Atom, Atoms, Claim
from coordgym.silo_env.pairs.readers.grid_atoms import (
    ARROW_WORDS,
    ARROWS,
    CELL_KIND,
    GOAL,
    OPEN,
    PLAIN_WORDS,
    START,
    WALL,
    GridReader,
    as_cell,
)
from coordgym.silo_env.pairs.readers.grid_text import LIST, cell_marks, find_drawings
from coordgym.silo_env.pairs.task import SEATS, Facts, Seat, Views

COLOURS: Mapping[str, str] = {
    **{name: name[0].upper() for name in ("red", "green", "blue", "yellow")},
    "crimson": "R", "emerald": "G", "azure": "B", "golden": "Y",
}  # fmt: skip
GROUNDS = ("road", "grass", "sand", "scrub", "forest", "mud", "rubble", "swamp", "cliff")
COSTS: Mapping[str, str] = {name: str(cost) for cost, name in enumerate(GROUNDS, 1)}


def _size(views: Views) -> tuple[int, int]:
    grid = cast("list[str]", views[0]["grid"])
    return len(grid), len(grid[0])


def maze(views: Views) -> GridReader:
    """Cells that are walls, paths or ends."""
    return GridReader(*_size(views))


def streetmap(views: Views) -> GridReader:
    """As in a maze, with one-way cells."""
    words = {**PLAIN_WORDS, **ARROW_WORDS}
    symbols = WALL + OPEN + START + GOAL + ARROWS
    return GridReader(*_size(views), words=words, symbols=symbols)


def terrain(views: Views) -> GridReader:
    """Costs of cells, as digits or as kinds of ground."""
    return GridReader(*_size(views), words=COSTS, symbols="123456789", drawn_words=COSTS)


class _Blueprint(GridReader):
    """A plan whose sheets are drawn one by one: the left one by agent_0."""

    def __init__(self, views: Views) -> None:
        left, right = (cast("list[str]", view["grid"]) for view in views)
        self._cut = len(left[0])
        super().__init__(len(left), self._cut + len(right[0]))

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        shift = 0 if facts["part"] == "left" else self._cut
        return frozenset(self.of_grid(cast("list[str]", facts["grid"]), seat, shift))

    def first_column(self, width: int, seat: Seat) -> int | None:
        if width == self.width:
            return 0
        sheets = {1: (self._cut, 0), 2: (self.width - self._cut, self._cut)}
        for drawn, shift in (sheets[seat], sheets[2 if seat == 1 else 1]):
            if width == drawn:
                return shift
        return None


class _Tiles(GridReader):
    """Coloured tiles, and steps between colours that are forbidden."""

    _COLOUR = rf"({'|'.join(COLOURS)}|[RGBY])"
    _FROM = re.compile(
        rf"\b(?:not|n't|no|never|forbidden)\b[^.;]{{0,80}}?\b{_COLOUR}\s*(?:tiles?\s*)?"
        rf"(?:->|→|(?:on)?to)\s*(?:an?\s+)?{_COLOUR}\b",
        re.IGNORECASE,
    )
    _TO = re.compile(
        rf"\b{_COLOUR}(?: tiles?| ones?)? (?:can't|cannot|may not|must not) be entered from "
        rf"(?:an? )?{_COLOUR}\b",
        re.IGNORECASE,
    )

    def __init__(self, views: Views) -> None:
        super().__init__(*_size(views), words=COLOURS, symbols="RGBY")

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        pairs = cast("list[str]", facts["forbidden"])
        return super().of_view(facts, seat) | {("forbidden", pair[0], pair[1]) for pair in pairs}

    def stated(self, sentence: str, seat: Seat) -> list[Claim]:
        claims = super().stated(sentence, seat)
        for pattern, order in ((self._FROM, (1, 2)), (self._TO, (2, 1))):
            for match in pattern.finditer(sentence):
                source, target = (self._letter(match[group]) for group in order)
                claims.append(Claim(("forbidden", source, target)))
        return claims

    @staticmethod
    def _letter(word: str) -> str:
        return COLOURS.get(word.lower(), word.upper())


class _Wires(GridReader):
    """Terminals of wires and blocked cells; empty cells say nothing."""

    def __init__(self, views: Views) -> None:
        n = cast("int", views[0]["n"])
        labels = list(cast("dict[str, object]", views[0]["ends"]))
        self._number = {**{label: label for label in labels},
                        **{chr(ord("A") + int(label) - 1): label for label in labels}}  # fmt: skip
        words = {
            **{word: WALL for word, symbol in PLAIN_WORDS.items() if symbol == WALL},
            **{
                f"{what}{name}": label
                for name, label in self._number.items()
                for what in ("terminal of wire ", "terminal ", "end of wire ")
            },
        }
        symbols = WALL + OPEN + "".join(self._number)
        super().__init__(n, n, words=words, symbols=symbols, silent=OPEN)

    def symbol(self, drawn: str, seat: Seat) -> str:
        return self._number.get(drawn, drawn)

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        blocked = cast("list[object]", facts["blocked"])
        ends = cast("dict[str, list[object]]", facts["ends"])
        atoms: list[Atom] = [(CELL_KIND, *as_cell(cell), WALL) for cell in blocked]
        atoms += [(CELL_KIND, *as_cell(c), label) for label, cells in ends.items() for c in cells]
        return frozenset(atoms)


class _Robots(GridReader):
    """Obstacles and the ends of two vehicles; empty cells say nothing."""

    def __init__(self, views: Views) -> None:
        n = cast("int", views[0]["n"])
        words = {
            **{word: WALL for word, symbol in PLAIN_WORDS.items() if symbol == WALL},
            **{
                f"{vehicle}{name}{owner} {end}": f"{name}{symbol}"
                for name in "AB"
                for end, symbol in (("start", START), ("goal", GOAL))
                for vehicle in ("robot ", "cart ", "vehicle ", "")
                for owner in ("'s", "")
            },
        }
        symbols = WALL + OPEN + START + GOAL + "AaBb"
        super().__init__(n, n, words=words, symbols=symbols, silent=OPEN)

    def symbol(self, drawn: str, seat: Seat) -> str:
        if drawn in (START, GOAL):
            return f"{'AB'[seat - 1]}{drawn}"
        if drawn.isalpha():
            return f"{drawn.upper()}{START if drawn.isupper() else GOAL}"
        return drawn

    def drawn(self, cell: Cell, drawn: str, seat: Seat) -> Claim:
        """The end of the own vehicle, or of the partner's where its map is repeated."""
        ends = (self.symbol(drawn, each) for each in (seat, SEATS[2 - seat]))
        first, *others = dict.fromkeys((CELL_KIND, *cell, end) for end in ends)
        return Claim(first, others=tuple(others))

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        walls = cast("list[object]", facts["walls"])
        start, goal = (as_cell(cell) for cell in cast("list[object]", facts["route"]))
        robot = str(facts["robot"])
        ends: list[Atom] = [(CELL_KIND, *start, robot + START), (CELL_KIND, *goal, robot + GOAL)]
        obstacles: list[Atom] = [(CELL_KIND, *as_cell(cell), WALL) for cell in walls]
        return frozenset([*ends, *obstacles])


class _Closures(GridReader):
    """A floor plan and cells that are closed for some ticks, both ends included."""

    _SPANS = (
        (
            re.compile(
                rf"({LIST}):?\s*(?:may not be occupied|(?:is |are )?(?:closed|shut|blocked)) "
                r"(?:at|from|for|during) ticks? (\d{1,3})(?:\s*(?:to|-|–|through)\s*(\d{1,3}))?"
            ),
            0,
        ),
        (
            re.compile(
                rf"({LIST}):? shuts at tick (\d{{1,3}}), open again (?:from|at) tick (\d{{1,3}})"
            ),
            1,
        ),
    )
    """Wordings of a closure, and how many ticks after the last closed one they name."""

    def __init__(self, views: Views) -> None:
        n = cast("int", views[0]["n"])
        super().__init__(n, n)

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        grid = cast("list[str] | None", facts["grid"])
        blocks = cast("list[list[int]]", facts["blocks"])
        cells = self.of_grid(grid, seat) if grid else []
        closures: list[Atom] = [("closure", *block) for block in blocks]
        return frozenset([*cells, *closures])

    def stated(self, sentence: str, seat: Seat) -> list[Claim]:
        sentence = re.sub(r" \(0-based, from the top-left\)", "", sentence)
        claims: list[Claim] = []
        for pattern, after in self._SPANS:
            for match in pattern.finditer(sentence):
                first = int(match[2])
                last = int(match[3] or first) - after
                claims += [
                    self.about(("closure", first, last), mark) for mark in cell_marks(match[1])
                ]
            sentence = pattern.sub(" ", sentence)
        return claims + super().stated(sentence, seat)


class _Courtyard(GridReader):
    """Walls between neighbouring cells: on the south or the east side of one."""

    _SIDES = re.compile(
        rf"(?:on|to|at) the (south|north|east|west|right|left|bottom|top)(?: side)?(?: side)? of"
        rf"(?: the)?(?: square| cell)? ({LIST})",
        re.IGNORECASE,
    )
    _BETWEEN = re.compile(rf"wall between ({LIST})", re.IGNORECASE)
    _SHIFTS: Mapping[str, tuple[str, int, int]] = {
        **dict.fromkeys(("south", "bottom"), ("south", 0, 0)),
        **dict.fromkeys(("north", "top"), ("south", -1, 0)),
        **dict.fromkeys(("east", "right"), ("east", 0, 0)),
        **dict.fromkeys(("west", "left"), ("east", 0, -1)),
    }

    def __init__(self, views: Views) -> None:
        n = cast("int", views[0]["n"])
        super().__init__(n, n)

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        side = "south" if facts["kind"] == "horizontal" else "east"
        walls = cast("list[object]", facts["walls"])
        return frozenset(("wall", *as_cell(cell), side) for cell in walls)

    def stated(self, sentence: str, seat: Seat) -> list[Claim]:
        claims = [
            self.about(("wall", match[1].lower()), mark)
            for match in self._SIDES.finditer(sentence)
            for mark in cell_marks(match[2])
        ]
        for match in self._BETWEEN.finditer(sentence):
            marks = cell_marks(match[1])
            claims += [
                self.about(("between", b.cell[0].number, b.cell[1].number), a)
                for a, b in zip(marks[::2], marks[1::2], strict=False)
            ]
        return claims

    def place(self, claim: Claim, scheme: Scheme) -> Atom:
        placed = super().place(claim, scheme)
        first = (int(placed[1]), int(placed[2]))
        if placed[0] == "between":
            written = Written(int(placed[3])), Written(int(placed[4]))
            second = decode(written, scheme, self.height, self.width)
            side = "south" if first[1] == second[1] else "east"
            return ("wall", *min(first, second), side)
        side, down, across = self._SHIFTS[str(placed[3])]
        return ("wall", first[0] + down, first[1] + across, side)


class _Block(GridReader):
    """Cells of a block: floor, row, column."""

    _LEVEL = re.compile(r"\b(floor|level|layer)\s*(\d{1,2})\s*:", re.IGNORECASE)

    def __init__(self, views: Views) -> None:
        n = cast("int", views[0]["n"])
        super().__init__(n, n)

    def of_view(self, facts: Facts, seat: Seat) -> Atoms:
        layers = cast("dict[str, list[str]]", facts["layers"])
        return frozenset(
            (CELL_KIND, int(floor), *atom[1:])
            for floor, grid in layers.items()
            for atom in self.of_grid(grid, seat)
        )

    def claims(self, text: str, seat: Seat) -> list[Claim]:
        """Drawn floors, lists of solid squares by level, and cells in prose."""
        parts = self._LEVEL.split(text)
        claims = super().claims(parts[0], seat)
        for word, number, content in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            claims += self._of_level(word.lower(), int(number), content, seat)
        return [claim for claim in claims if claim.level is not None or len(claim.atom) == 5]

    def _of_level(self, word: str, number: int, text: str, seat: Seat) -> Iterator[Claim]:
        floor = number - 1 if word == "level" else number
        drawn = find_drawings(text, self.symbols + "?", {})
        listed = re.match(rf"\s*(?:solid:?\s*)?({LIST})\s*(?:$|\n|\.)", drawn.rest)
        for claim in super().claims(text, seat):
            is_plain = len(claim.atom) == 4
            yield claim._replace(atom=(CELL_KIND, floor, *claim.atom[1:])) if is_plain else claim
        if listed is None:
            return
        solid = {
            (self.height - mark.cell[1].number, mark.cell[0].number - 1)
            for mark in cell_marks(listed[1])
            if mark.level is None
        }
        # Such a list names every solid square of its level: the others are free.
        last = self.height - 1
        inside = {(row, column) for row in range(self.height) for column in range(self.width)}
        free = {(0, 0, 0): START, (last, last, last): GOAL}
        for cell in sorted(solid | inside):
            symbol = WALL if cell in solid else free.get((floor, *cell), OPEN)
            yield Claim((CELL_KIND, floor, *cell, symbol))

    def located(self, claim: Claim, scheme: Scheme) -> tuple[int, ...]:
        if claim.cell is None or claim.level is None:
            return super().located(claim, scheme)
        row, column = decode(claim.cell, scheme, self.height, self.width)
        return (claim.level - scheme.origin, row, column)


SPATIAL_READERS = {
    "maze": maze,
    "floodfill": maze,
    "streetmap": streetmap,
    "terrain": terrain,
    "blueprintmaze": _Blueprint,
    "rulemaze": _Tiles,
    "numberlink": _Wires,
    "conflictpath": _Robots,
    "timedpath": _Closures,
    "geomaze": _Courtyard,
    "cube": _Block,
}
"""What makes the reader of each spatial task from the facts of its two views."""
