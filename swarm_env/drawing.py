"""Pictures of a world: one coloured square per cell."""

from typing import Any, Final

import numpy as np

from coordgym.swarm_env.world import World

CELL: Final = 24
"""Side of a cell in pixels."""
_GAP = 1
_COLOURS: Final[dict[str, tuple[int, int, int]]] = {
    ".": (245, 245, 240),
    "W": (70, 70, 80),
    "A": (40, 110, 200),
    "a": (150, 190, 230),
    "P": (210, 60, 50),
    "B": (170, 120, 60),
    "F": (90, 160, 70),
    "N": (230, 180, 60),
}
_OTHER = (150, 80, 160)
_LINE = (215, 215, 210)


def draw(world: World) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The map as an image.

    Returns:
        uint8 array of shape (height·24, width·24, 3).
    """
    image = np.empty((world.height * CELL, world.width * CELL, 3), dtype=np.uint8)
    image[:] = _LINE
    for i, row in enumerate(world.grid()):
        for j, letter in enumerate(row):
            top, left = i * CELL + _GAP, j * CELL + _GAP
            colour = _COLOURS.get(letter, _OTHER)
            image[top : top + CELL - 2 * _GAP, left : left + CELL - 2 * _GAP] = colour
    return image
