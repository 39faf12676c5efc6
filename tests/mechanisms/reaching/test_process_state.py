"""What a process keeps for everybody: a run that leaves it changed is refused, for what follows could read it."""

from __future__ import annotations

import contextlib
import decimal
import locale
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import Draw, InputError, MechanismError, bernoulli, clamp, distribution, laplace
from dpverify.mechanisms.reaching.process_state import ProcessState
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one


@pytest.fixture(autouse=True)
def put_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    limit, interval, digits, directory = (
        *(sys.getrecursionlimit(), sys.getswitchinterval(), sys.get_int_max_str_digits()),
        os.getcwd(),  # noqa: PTH109
    )
    language = locale.setlocale(locale.LC_ALL)
    monkeypatch.setenv("DPVERIFY_ROW", "0")
    with decimal.localcontext(), np.errstate(), warnings.catch_warnings():
        yield
    sys.setrecursionlimit(limit)
    sys.setswitchinterval(interval)
    sys.set_int_max_str_digits(digits)
    os.chdir(directory)
    locale.setlocale(locale.LC_ALL, language)


def set_precision(row: int) -> None:
    decimal.getcontext().prec = 5 + row


def set_environment(row: int) -> None:
    os.environ["DPVERIFY_ROW"] = str(row)


WAYS: dict[str, tuple[Callable[[int], Any], Callable[[], Any]]] = {
    "the context of decimal": (set_precision, lambda: decimal.getcontext().prec),
    "the working directory": (lambda row: os.chdir("/" if row else "/usr"), os.getcwd),
    "numpy's treatment of errors": (lambda row: np.seterr(all="raise" if row else "ignore"), np.geterr),
    "the environment": (set_environment, lambda: os.environ["DPVERIFY_ROW"]),
    "the limit of recursion": (lambda row: sys.setrecursionlimit(3000 + row), sys.getrecursionlimit),
    "the interval in which threads switch": (lambda row: sys.setswitchinterval(row + 2), sys.getswitchinterval),
    "the limit of digits": (lambda row: sys.set_int_max_str_digits(5000 + row), sys.get_int_max_str_digits),
    "the filters of warnings": (lambda row: warnings.simplefilter(("ignore", "always")[row]), lambda: 0),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_run_that_leaves_the_process_changed_is_refused_by_name(name: str) -> None:
    changes, reads = WAYS[name]

    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        changes(rows[0])
        return draw(bernoulli(Fraction(1, 2)))

    def released(draw: Draw, rows: tuple[int, ...]) -> Any:
        changes(rows[0])
        return draw.release(draw(laplace(1)), then=lambda _: reads())

    with pytest.raises(MechanismError, match=f"changed ({name}|os.environ)"):
        distribution(mechanism, (1,))
    changes(0)
    with contextlib.suppress(MechanismError):
        verdict = check_privacy(released, Tuples((0, 1), size=1), replace_one, epsilon=1)
        assert verdict.status is Status.UNDECIDED


def test_what_is_put_back_is_not_refused() -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        with decimal.localcontext() as context:
            context.prec = 5 + rows[0]
            third = Decimal(1) / Decimal(3)
        return draw.release(draw(laplace(1)) + rows[0] if third else 0, then=lambda noisy: noisy > 0)

    assert check_privacy(mechanism, Tuples((0, 1), size=1), replace_one, epsilon=1).status is Status.PROVED


def test_the_law_of_a_part_is_not_remembered_in_another_context() -> None:
    def precision(draw: Draw) -> Any:
        return decimal.getcontext().prec * draw(bernoulli(Fraction(1, 2)))

    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        with decimal.localcontext() as context:
            context.prec = 5 + rows[0]
            return draw(precision)

    verdict = check_privacy(mechanism, Tuples((0, 1), size=1), replace_one, epsilon=1)
    assert verdict.status is Status.REFUTED


def test_a_part_that_leaves_it_changed_is_refused_where_the_whole_puts_it_back() -> None:
    def part(draw: Draw) -> Any:
        decimal.getcontext().prec = 7
        return draw(bernoulli(Fraction(1, 2)))

    def mechanism(draw: Draw, _: object) -> Any:
        with decimal.localcontext():
            return draw(part), decimal.getcontext().prec

    with pytest.raises(MechanismError, match="changed the context of decimal"):
        distribution(mechanism, ())


def test_what_was_rounded_before_is_not_read_by_what_is_applied() -> None:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> Any:
        decimal.getcontext().clear_flags()
        if rows[0]:
            Decimal(1) / Decimal(3)
        return draw.release(draw(laplace(1)), then=lambda _: decimal.getcontext().flags[decimal.Inexact])

    assert check_privacy(mechanism, Tuples((0, 1), size=1), replace_one, epsilon=1).status is Status.UNDECIDED


def test_filters_that_a_module_adds_when_it_is_loaded_are_nobodys_doing() -> None:
    of_any, of_who_names_them = ProcessState(frozenset()), ProcessState(frozenset({"warnings"}))
    warnings.simplefilter("always")
    assert of_any.is_the_same
    of_any.refuse_changes()
    with pytest.raises(InputError, match="the filters of warnings"):
        of_who_names_them.refuse_changes()


@pytest.mark.parametrize(
    "misused",
    [lambda noise: [0] * noise, lambda noise: clamp(0, 0, noise), str, lambda noise: f"{noise}"],
    ids=["list", "clamp", "str", "format"],
)
def test_noise_that_steers_what_follows_is_refused(misused: Callable[[Any], Any]) -> None:
    with pytest.raises(MechanismError, match=r"released: what follows must not run on it|noise was turned into text"):
        distribution(lambda draw, _: misused(draw(laplace(1))), ())
