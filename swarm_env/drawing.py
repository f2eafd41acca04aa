"""Pictures of a world: an image of coloured cells, and coloured text for a terminal."""

from functools import lru_cache
from typing import Any, Final

import numpy as np

from coordgym.swarm_env.grid.world import World

CELL: Final = 24
"""Side of a cell in pixels."""
_GAP: Final = 1
_FLOOR: Final = (245, 245, 240)
_LINE: Final = (215, 215, 210)
_OTHER: Final = (150, 80, 160)
_COLOURS: Final[dict[str, tuple[int, int, int]]] = {
    ".": _FLOOR,
    "W": (70, 70, 80),
    "A": (40, 110, 200),
    "a": (165, 200, 235),
    "P": (210, 60, 50),
    "B": (170, 120, 60),
    "F": (90, 160, 70),
    "N": (230, 180, 60),
}
_ROUND: Final = "AaP"  # letters of what is drawn as a disc
_DARK, _BRIGHT = (30, 40, 60), (255, 255, 255)

# Each digit is 5 rows of 3 pixels, top row first.
_DIGITS: Final = (
    "111101101101111", "010110010010111", "111001111100111", "111001111001111",
    "101101111001001", "111100111001111", "111100111101111", "111001010010010",
    "111101111101111", "111101111001111",
)  # fmt: skip

_RESET: Final = "\x1b[0m"
_TERMINAL: Final = {"W": "\x1b[90m", "P": "\x1b[1;31m", "F": "\x1b[32m", "N": "\x1b[33m"}
_TERMINAL_LIT, _TERMINAL_DARK = "\x1b[1;94m", "\x1b[36m"
_TERMINAL_OTHER = "\x1b[35m"

Image = np.ndarray[Any, np.dtype[np.uint8]]


def draw(world: World) -> Image:
    """Draw the map as an image: agents are discs with their numbers, dark if their letter is ``A``.

    Returns:
        uint8 array of shape (height·24, width·24, 3).
    """
    image = np.empty((world.height * CELL, world.width * CELL, 3), dtype=np.uint8)
    image[:] = _LINE
    for i, row in enumerate(world.grid()):
        for j, letter in enumerate(row):
            colour = _COLOURS.get(letter, _OTHER)
            cell = _cell(image, i, j)
            cell[:] = _FLOOR if letter in _ROUND else colour
            if letter in _ROUND:
                cell[_disc()] = colour
    for agent, (i, j) in enumerate(world.positions):
        if not world.escaped[agent]:
            ink = _DARK if world.lights[agent] is False else _BRIGHT
            _cell(image, i, j)[_number(agent)] = ink
    return image


def _cell(image: Image, row: int, column: int) -> Image:
    top, left = row * CELL + _GAP, column * CELL + _GAP
    side = CELL - 2 * _GAP
    return image[top : top + side, left : left + side]


@lru_cache(maxsize=1)
def _disc() -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return the pixels of a cell that a disc covers."""
    side = CELL - 2 * _GAP
    place = np.arange(side) - (side - 1) / 2
    return place[:, None] ** 2 + place[None, :] ** 2 <= (side / 2) ** 2


@lru_cache(maxsize=1024)
def _number(number: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return the pixels of a cell that a number of up to three digits covers."""
    glyphs = [np.array(list(_DIGITS[int(digit)])).reshape(5, 3) == "1" for digit in str(number)]
    gap = np.zeros((5, 1), dtype=bool)
    drawn = np.hstack([part for glyph in glyphs for part in (glyph, gap)][:-1])
    if len(glyphs) < 3:
        drawn = drawn.repeat(2, axis=0).repeat(2, axis=1)
    side = CELL - 2 * _GAP
    pixels = np.zeros((side, side), dtype=bool)
    top, left = (side - drawn.shape[0]) // 2, (side - drawn.shape[1]) // 2
    pixels[top : top + drawn.shape[0], left : left + drawn.shape[1]] = drawn
    return pixels


def terminal_text(world: World) -> str:
    """Draw the map as text with row and column numbers, coloured by ANSI escape sequences."""
    lines = ["     " + "".join(f" {column:>3}" for column in range(world.width))]
    for number, row in enumerate(world.picture(1)):
        cells = []
        for cell in row:
            colour, text = _terminal_colour(cell), f" {cell:>3}"
            cells.append(f"{colour}{text}{_RESET}" if colour else text)
        lines.append(f"{number:>4}:" + "".join(cells))
    return "\n".join(lines)


def _terminal_colour(cell: str) -> str:
    if cell == ".":
        return ""
    if cell.isdigit():
        return _TERMINAL_LIT
    if cell.startswith("$"):
        return _TERMINAL_DARK
    return _TERMINAL.get(cell, _TERMINAL_OTHER)
