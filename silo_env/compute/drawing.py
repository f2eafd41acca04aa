"""The traffic matrix as a picture: rows are senders, columns recipients."""

from collections.abc import Sequence
from typing import Any

import numpy as np

PICTURE_SIZE = 480
"""Wanted height and width in pixels; large matrices get one pixel per cell."""
_NOTHING = np.array([255, 255, 255])
_MOST = np.array([8, 48, 107])
_DIAGONAL = np.array([225, 225, 225])


def draw_traffic(traffic: Sequence[Sequence[int]]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Draw the matrix, darker for more transfers; uint8, (H, W, 3)."""
    counts = np.asarray(traffic, dtype=float)
    share = (counts / max(1.0, counts.max()))[:, :, None] ** 0.5
    cells = _NOTHING + share * (_MOST - _NOTHING)
    cells[np.diag_indices(len(counts))] = _DIAGONAL
    scale = max(1, PICTURE_SIZE // len(counts))
    picture = cells.round().astype(np.uint8).repeat(scale, axis=0).repeat(scale, axis=1)
    return np.ascontiguousarray(picture)
