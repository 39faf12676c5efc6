"""Code that names numpy's scalar types and classes is decided for all sizes, as on given databases."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.examples import in_one

from dpverify.mechanisms import Draw, discrete_laplace
from dpverify.reports.record import Status
from dpverify.verifiers import Histograms, Tuples, check_privacy, replace_one
from dpverify.verifiers.all_sizes.regions.constants import constants_of


class HasNdim:
    """A class that numpy knows nothing of."""

    ndim = 2


def of_int64(draw: Draw, rows: Any) -> Any:
    return rows.count(np.int64(1)) + draw(discrete_laplace(1))


def of_float64(draw: Draw, rows: Any) -> Any:
    return rows.count(np.float64(1)) + draw(discrete_laplace(1))


def of_bool(draw: Draw, rows: Any) -> Any:
    return rows.count(np.bool_(1)) + draw(discrete_laplace(1))


@pytest.mark.parametrize("mechanism", [of_int64, of_float64, of_bool])
def test_scalar_types_of_numpy_may_be_named(mechanism: Callable[..., Any]) -> None:
    for domain in (Histograms((0, 1)), Tuples((0, 1), size=2)):
        assert check_privacy(mechanism, domain, replace_one, epsilon=1).status is Status.PROVED


@in_one(
    "value, numbers",
    [
        (np.array([3, 2.5]), (2, 3)),
        (np.int64(7), (7,)),
        (np.int64, ()),
        (np.ndarray, ()),
        (np.array(4), (4,)),
        (HasNdim(), (2,)),
    ],
)
def test_numbers_of_numpy_are_constants(value: Any, numbers: tuple[int, ...]) -> None:
    found = constants_of(lambda draw, rows, *, given: given, {"given": value})
    assert set(found) == set(numbers)
