"""How large a piece is, in the words of someone who holds it in the hand."""

from __future__ import annotations

import numpy as np
import shapely

from sherd.core.geometry import Region


def sides(shape: Region) -> tuple[float, float]:
    """Length and width of the smallest box around a piece, however it is turned.

    >>> [round(side, 9) for side in sides(shapely.Polygon([(0, 0), (3, 3), (2, 4), (-1, 1)]))]
    [4.242640687, 1.414213562]
    """
    box = shape.minimum_rotated_rectangle
    corners = shapely.get_coordinates(box)
    first, second = np.hypot(*np.diff(corners[:3], axis=0).T).tolist()
    return max(first, second), min(first, second)
