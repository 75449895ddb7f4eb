"""What every embedder does to text and vectors: repair code points, know the stop words, make units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quoth.core.types import Vector

_STOP = (
    "a an and are as at be been being but by did do does doing for from had has have having he her hers"
    " him his how i if in into is it its me my of on or our ours she so some such than that the their"
    " theirs them then there these they this those to was we were what when where which who whom why"
    " will with would you your yours am can could should about any all also just not no nor up out"
    " s t m re ll ve"
)
STOP_WORDS = frozenset(_STOP.split())
"""Words without content of their own; the list that recall's weights were fitted with."""

_WIDE = "\u00a1\u00bf\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u3001\u3002\uff01\uff0c\uff1f"
PUNCTUATION = frozenset("""!"#&'()*,-./:;?[]_`{}""" + _WIDE)

_SURROGATE = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """The text with U+FFFD for each lone surrogate: no tokenizer and no wire takes one."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def units(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length one; a row of zeros becomes the first axis, so that nothing is undefined."""
    if not len(rows):
        return rows
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    empty = norms[:, 0] < 1e-12
    made = rows / np.where(empty[:, None], 1, norms)
    made[empty] = axis(rows.shape[1])
    return made.astype(np.float32, copy=False)


def axis(dimensions: int) -> Vector:
    """The first axis: the vector of a text without words."""
    vector = np.zeros(dimensions, np.float32)
    vector[0] = 1
    return vector
