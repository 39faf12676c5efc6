"""Scores that a pilot learns of rows of numbers: by how much each number speaks for one database, added up.

Where the numbers of a row are independent, the sum is the logarithm of the ratio of their probabilities, whose
thresholds are the best events; where they are not, it is a number like any other. It is fixed before what is tested.
"""

from typing import Any, Final

import numpy as np

from dpverify.verifiers.blackbox.sampling.features import Feature
from dpverify.verifiers.blackbox.sampling.outcomes import Outcomes, quantiles

_CELLS: Final = 32
_DIGITS: Final = 9


def score_of(left: Outcomes, right: Outcomes) -> Feature:
    """The sum, over the columns, of the logarithms of how often their cells were seen on either side."""
    columns = [_learnt(left[:, i], right[:, i]) for i in range(left.shape[1])]

    def score(rows: Outcomes) -> np.ndarray[Any, Any]:
        result = np.zeros(len(rows))
        for i, (edges, weights) in enumerate(columns):
            result += weights[_cell(rows[:, i], edges)]
        return np.round(result, _DIGITS)

    return Feature("score of all numbers by the pilot", score)


def _learnt(
    one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The edges of cells, and the logarithm of the ratio of each; the last is that of what is no number."""
    both = np.concatenate([one, other])
    numbers = both[~np.isnan(both)]
    values = np.unique(numbers)
    shares = np.arange(1, _CELLS) / _CELLS
    edges = values if len(values) <= _CELLS else quantiles(numbers, shares.tolist())
    seen = [np.bincount(_cell(part, edges), minlength=len(edges) + 2) for part in (one, other)]
    return edges, np.log((seen[0] + 1.0) / (seen[1] + 1.0))


def _cell(values: np.ndarray[Any, Any], edges: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.where(np.isnan(values), len(edges) + 1, np.searchsorted(edges, values, side="left"))
