"""Packages that are trusted, and those that others have compiled: what they keep for everybody reaches no `then`.

Each `then` here gives what the mechanism left there, and was PROVED at ε = 0 while that was the sum of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import flint
import msgspec
import numpy as np
import pytest
import scipy.special
from hypothesis import settings
from tests.examples import in_one

from dpverify.mechanisms import Draw, InputError, laplace
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one

ONE_BIT = Tuples((0, 1), size=1)
ENCODER = msgspec.json.Encoder()
ERRORS: Any = scipy.special  # whose stubs know no way back
MASKED: Any = np.ma.masked_print_option

PASSED_ON: list[tuple[Callable[[int], Any], Callable[[Any], Any]]] = [
    (
        lambda bit: ERRORS.seterr(singular="raise" if bit else "ignore"),
        lambda _: ERRORS.geterr()["singular"],
    ),
    (lambda bit: setattr(flint.ctx, "prec", 53 + bit), lambda _: str(flint.arb(2).sqrt().rad())),
    (lambda bit: setattr(flint.ctx, "pretty", bool(bit)), lambda _: repr(flint.fmpq(1, 2))),
    (lambda bit: MASKED.enable(bit == 1), lambda _: str(np.ma.array([1], mask=[True]))),
    (lambda bit: settings.register_profile("kept", max_examples=1 + bit), lambda _: settings.get_profile("kept")),
    (lambda _: None, lambda x: msgspec.json.encode(float(x))),
    (lambda _: None, lambda x: ENCODER.encode(float(x))),
]


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    settings.register_profile("kept")
    known: dict[str, Any] = ERRORS.geterr()
    prec, pretty = flint.ctx.prec, flint.ctx.pretty
    yield
    ERRORS.seterr(**known)
    flint.ctx.prec, flint.ctx.pretty = prec, pretty
    MASKED.enable(True)


@pytest.mark.usefixtures("decided_here")
@in_one("write, then", PASSED_ON)
def test_what_is_kept_there_is_not_applied(write: Callable[[int], Any], then: Callable[[Any], Any]) -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        write(sum(rows))
        return draw.release(draw(laplace(1)), then=then)

    try:
        verdict = check_privacy(mechanism, ONE_BIT, replace_one, epsilon=0, recheck=False)
    except InputError as error:
        assert "changed" in str(error)
    else:
        assert verdict.status is Status.UNDECIDED
