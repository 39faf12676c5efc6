"""What is kept for everybody reaches no `then`: by packages that are trusted, by those that others have compiled.

Each `then` here gives what the mechanism left there, and was PROVED at ε = 0 while that was the sum of the rows.
"""

from __future__ import annotations

import contextvars
import datetime
import decimal
import random
import time
import typing
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
from dpverify.mechanisms.reaching.seen_by_value import seen_by_value
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


def refused(write: Callable[[int], Any], then: Callable[[Any], Any]) -> bool:
    """True where a mechanism that writes, and then applies the function, is not PROVED, with the reason."""

    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        write(sum(rows))
        return draw.release(draw(laplace(1)), then=then)

    try:
        verdict = check_privacy(mechanism, ONE_BIT, replace_one, epsilon=0, recheck=False)
    except InputError as error:
        return any(word in str(error) for word in ("changed", "chance came from", "not deterministic"))
    return verdict.status is Status.UNDECIDED


@pytest.mark.usefixtures("decided_here")
@in_one("write, then", PASSED_ON)
def test_what_is_kept_there_is_not_applied(write: Callable[[int], Any], then: Callable[[Any], Any]) -> None:
    assert refused(write, then)


def with_overloads(bit: int) -> None:
    """What typing notes of a function."""
    for line in range(bit):
        with_overloads.__code__ = with_overloads.__code__.replace(co_firstlineno=1_000 + line)
        typing.overload(with_overloads)


@pytest.mark.usefixtures("decided_here")
@in_one(
    "write, then",
    [
        (lambda _: None, lambda _: datetime.datetime.now()),
        (lambda _: None, lambda _: time.time()),
        (with_overloads, lambda _: len(typing.get_overloads(with_overloads))),
        (lambda bit: contextvars.ContextVar("bit").set(bit), lambda _: tuple(contextvars.copy_context().values())),
        (lambda bit: decimal.Decimal(1) / (1 + 2 * bit), lambda _: repr(decimal.getcontext())),
        (lambda _: None, lambda x: np.empty(1) + x),
        (lambda _: None, lambda x: x + random.random()),
    ],
)
def test_what_is_applied_gives_the_same_after_each_run(write: Callable[[int], Any], then: Callable[[Any], Any]) -> None:
    assert refused(write, then)


@pytest.mark.usefixtures("decided_here")
def test_a_result_is_looked_at_where_no_rule_knows_the_way() -> None:
    def by_the_clock(_: Any) -> float:
        return time.time()

    assert seen_by_value(by_the_clock) == seen_by_value(by_the_clock)
    assert seen_by_value(by_the_clock, [0]) != seen_by_value(by_the_clock, [0])
    assert seen_by_value(abs, [0, 1.5]) == seen_by_value(abs, [0, 1.5])
