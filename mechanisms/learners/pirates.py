"""Words that a coalition may make of its codewords: the marking assumption, and ways to choose a word that it allows.

A strategy takes the matrix of the coalition's codewords, a row for each of them, and a numpy generator, and gives a
word: an array of 0s and 1s as long as the rows. All of these keep the marking assumption.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bits = NDArray[np.uint8]
    Strategy: TypeAlias = Callable[[Bits, np.random.Generator], Bits]


def is_feasible(rows: Bits, word: Bits) -> bool:
    """True where each bit of the word is that of some row: F(C_T) of Bun, Nissim & Stemmer, Section 4.1."""
    return bool(((rows.min(axis=0) <= word) & (word <= rows.max(axis=0))).all())


def majority(rows: Bits, source: np.random.Generator) -> Bits:
    """The bit of more of them, and 1 where as many have 0."""
    return _bits(2 * rows.sum(axis=0, dtype="int64") >= len(rows))


def minority(rows: Bits, source: np.random.Generator) -> Bits:
    """The bit of fewer of them, where they differ, and 0 where as many have 1."""
    ones = rows.sum(axis=0, dtype="int64")
    return _bits((ones == len(rows)) | ((ones > 0) & (2 * ones < len(rows))))


def random_feasible(rows: Bits, source: np.random.Generator) -> Bits:
    """A fair coin wherever they differ."""
    coins = source.integers(0, 2, rows.shape[1], dtype="uint8")
    return _bits((rows.min(axis=0) == 1) | ((rows.max(axis=0) == 1) & (coins == 1)))


def one_of_them(rows: Bits, source: np.random.Generator) -> Bits:
    """The word of the first, as it is."""
    return _bits(rows[0])


def ones_where_possible(rows: Bits, source: np.random.Generator) -> Bits:
    """1 wherever one of them has it."""
    return _bits(rows.max(axis=0) == 1)


def zeros_where_possible(rows: Bits, source: np.random.Generator) -> Bits:
    """0 wherever one of them has it."""
    return _bits(rows.min(axis=0) == 1)


def interleaving(rows: Bits, source: np.random.Generator) -> Bits:
    """In each column the bit of one of them at random."""
    import numpy as np

    chosen = source.integers(0, len(rows), rows.shape[1])
    return _bits(rows[chosen, np.arange(rows.shape[1])])


def least_exposed(rows: Bits, source: np.random.Generator) -> Bits:
    """In each column in turn the bit of the one who has agreed with the word in the fewest columns so far: adaptive."""
    import numpy as np

    agreed = [0] * len(rows)
    word = _bits(rows[0])
    differ = np.flatnonzero(rows.min(axis=0) != rows.max(axis=0))  # elsewhere all agree, as one
    for j, column in zip(differ.tolist(), rows[:, differ].T.tolist(), strict=True):
        bit = column[agreed.index(min(agreed))]
        word[j] = bit
        agreed = [number + (own == bit) for number, own in zip(agreed, column, strict=True)]
    return word


PIRATE_STRATEGIES: Final[Mapping[str, Strategy]] = {
    "majority": majority,
    "minority": minority,
    "random feasible": random_feasible,
    "one of them": one_of_them,
    "1 where possible": ones_where_possible,
    "0 where possible": zeros_where_possible,
    "interleaving": interleaving,
    "least exposed": least_exposed,
}
"""All of them, by their names."""


def _bits(found: np.typing.NDArray[np.generic]) -> Bits:
    return found.astype("uint8")
