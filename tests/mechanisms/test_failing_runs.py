"""A run that fails tells nothing of the database but that it failed, and of what type the error was."""

import asyncio
import threading
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from types import TracebackType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import in_one

from dpverify.mechanisms import (
    Distribution,
    Draw,
    InputError,
    MechanismError,
    bernoulli,
    clamp,
    discrete_laplace,
    exact,
    exp,
    exponential,
    laplace,
    log,
    run,
    sqrt,
    truncated_laplace,
    uniform,
)
from dpverify.mechanisms.drawing import debugging
from dpverify.mechanisms.selection import choose_by_stability, noisy_max, svt1

MARKER = "alice-SSN-123"
ROWS = (MARKER, "bob")


class Own(BaseException):
    """No Exception, as a mechanism may have."""


class ReprRaises:
    """What cannot be shown."""

    def __repr__(self) -> str:
        raise ValueError(MARKER)


class TextRaises(Exception):
    """An error that cannot be shown."""

    def __str__(self) -> str:
        raise ValueError(MARKER)


def _raise(error: BaseException) -> Any:
    raise error


def _raise_a_class_of_the_data(draw: Draw, rows: Any) -> Any:
    raise type(rows[0], (Exception,), {})


def _raise_within_a_handler(draw: Draw, rows: Any) -> Any:
    try:
        return {}[rows[0]]
    except KeyError as error:
        raise RuntimeError(f"no {rows}") from error


def _raise_a_group(draw: Draw, rows: Any) -> Any:
    raise ExceptionGroup(rows[0], [ValueError(rows)])


def _raise_with_notes(draw: Draw, rows: Any) -> Any:
    error = ValueError("noted")
    error.add_note(str(rows))
    raise error


def _catches_what_was_refused(draw: Draw, rows: Any) -> Any:
    try:
        return draw(rows)
    except InputError:
        return 0


def _yields(draw: Draw, rows: Any) -> Any:
    yield rows


async def _awaits(draw: Draw, rows: Any) -> Any:
    return rows


FLOAT: Any = float("0.5")  # which no source gives as a literal

FAILING: dict[str, Callable[..., Any]] = {
    "added to noise": lambda draw, rows: draw(laplace(1)) + rows,
    "noise multiplied": lambda draw, rows: draw(laplace(1)) * rows[0],
    "noise compared": lambda draw, rows: draw(laplace(1)) >= rows[0],
    "noise of the data": lambda draw, rows: draw(discrete_laplace(len(rows[0]))) + log(len(rows[0])),
    "int": lambda draw, rows: int(rows[0]),
    "key": lambda draw, rows: {}[rows[0]],
    "assertion": lambda draw, rows: _raise(AssertionError(rows)),
    "runtime": lambda draw, rows: _raise(RuntimeError(f"bad rows {rows}")),
    "input error": lambda draw, rows: _raise(InputError(f"bad rows {rows}")),
    "mechanism error": lambda draw, rows: _raise(MechanismError(f"bad rows {rows}")),
    "exit": lambda draw, rows: _raise(SystemExit(rows)),
    "generator exit": lambda draw, rows: _raise(GeneratorExit(rows)),
    "own": lambda draw, rows: _raise(Own(rows)),
    "weights": lambda draw, rows: Distribution({rows[0]: -1}),
    "no weights": lambda draw, rows: Distribution(rows),
    "float weight": lambda draw, rows: Distribution({rows[0]: FLOAT}),
    "weight of text": lambda draw, rows: Distribution({0: rows[0]}),
    "draw": lambda draw, rows: draw(rows),
    "uniform": lambda draw, rows: draw(uniform([[rows]])),  # type: ignore[type-var]  # bad on purpose
    "clamp": lambda draw, rows: clamp(draw(discrete_laplace(1)), rows[0], 3),
    "bernoulli": lambda draw, rows: draw(bernoulli(rows[0])),
    "exact": lambda draw, rows: exact(rows[0]),
    "exact of a name": lambda draw, rows: exact(FLOAT, rows[0]),
    "exp": lambda draw, rows: exp(rows[0]),
    "sqrt": lambda draw, rows: sqrt(rows[0]),
    "scale": lambda draw, rows: draw(laplace(scale=rows[0])),
    "bound": lambda draw, rows: draw(truncated_laplace(1, bound=rows[0])),
    "quality": lambda draw, rows: draw(exponential({rows[0]: rows[0]}, 1)),
    "epsilon": lambda draw, rows: draw(exponential({0: 1}, rows[0])),
    "returned set": lambda draw, rows: set(rows),
    "returned set in a list": lambda draw, rows: [{rows[0]}],
    "returned noise": lambda draw, rows: draw(discrete_laplace(1)) + log(len(rows[0])),
    "text of noise": lambda draw, rows: f"{draw(laplace(1))} {rows}",
    "repr raises": lambda draw, rows: draw(ReprRaises()),
    "text raises": lambda draw, rows: _raise(TextRaises(rows)),
    "class of the data": _raise_a_class_of_the_data,
    "handler": _raise_within_a_handler,
    "group": _raise_a_group,
    "notes": _raise_with_notes,
    "caught": _catches_what_was_refused,
    "generator": _yields,
    "coroutine": _awaits,
    "interrupt": lambda draw, rows: _raise(KeyboardInterrupt(rows)),
    "shipped": lambda draw, rows: draw(choose_by_stability, rows, epsilon=1, delta="0.1"),
    "parameter of a part": lambda draw, rows: draw(choose_by_stability, {0: 1}, **{rows[0]: 1}),
    "divided by rows": lambda draw, rows: draw(discrete_laplace(1)) / rows,
    "attribute": lambda draw, rows: getattr(draw, f"{rows[0]}"),
    "name": lambda draw, rows: eval(f"missing_{rows[0]}"),
    "file": lambda draw, rows: open(f"/nowhere/{rows[0]}"),  # noqa: PTH123, SIM115
    "module": lambda draw, rows: __import__(f"nowhere_{rows[0]}"),
    "encoding": lambda draw, rows: f"{rows[0]}\ud800".encode(),
    "arguments": lambda draw, rows: id(*rows),
    "index": lambda draw, rows: rows[draw(discrete_laplace(1)) + len(rows)],
    "noise for a part": lambda draw, rows: draw(lambda draw, n, rows: n, draw(laplace(1)), rows),
    "sparse vector": lambda draw, rows: svt1(draw, rows, epsilon=rows[0]),
    "noisy maximum": lambda draw, rows: draw(noisy_max, (rows[0], rows), epsilon=1),
    "recursion": lambda draw, rows: FAILING["recursion"](draw, (*rows, rows[0])),
}
NUMBER = 987_654_321
OTHER_ROWS = ((NUMBER,) * 2, (Fraction(NUMBER, 7),) * 2, ((MARKER, NUMBER),) * 2)
MARKS = (MARKER, str(NUMBER), f"{NUMBER:,}", f"{NUMBER:_}", hex(NUMBER))


@in_one("name", FAILING)
def test_no_number_and_no_tuple_is_in_an_error(name: str) -> None:
    for rows in OTHER_ROWS:
        try:
            run(FAILING[name], rows)
        except BaseException as error:
            told = everything_in(error, error.__traceback__)
            assert not any(mark in told for mark in MARKS), told


def in_a_part(mechanism: Callable[..., Any]) -> Callable[..., Any]:
    """A mechanism that draws from another one."""
    return lambda draw, rows: draw(mechanism, rows)


def everything_in(error: BaseException, own: TracebackType | None) -> str:
    """All that an error tells: its texts, those it is chained with, and what the frames of its traceback hold."""
    texts = [str(error), repr(error), repr(error.args), repr(vars(error)), *getattr(error, "__notes__", ())]
    texts += traceback.format_exception(error)
    link = error.__traceback__
    while link is not None:
        if link.tb_frame is not (None if own is None else own.tb_frame):
            texts += [repr(list(link.tb_frame.f_locals.items()))]
        link = link.tb_next
    return "\n".join(texts)


def caught(mechanism: Callable[..., Any], rows: Any, **parameters: Any) -> BaseException:
    """What `run` raises."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            run(mechanism, rows, **parameters)
        except BaseException as error:
            assert not warned
            return error
    raise AssertionError("did not fail")


@in_one("wrapped", [lambda mechanism: mechanism, in_a_part, lambda m: in_a_part(in_a_part(m))])
@in_one("name", FAILING)
def test_nothing_of_the_database_is_in_an_error(name: str, wrapped: Callable[..., Any]) -> None:
    error = caught(wrapped(FAILING[name]), ROWS)
    assert type(error) is (KeyboardInterrupt if name == "interrupt" else MechanismError)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert error.__traceback__ is not None
    told = everything_in(error, error.__traceback__)  # the first frame is that of `caught`, which has the rows
    assert MARKER not in told
    assert "bob" not in told
    frames = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)]
    assert frames == ["caught", "run"]


@given(st.text("abcdefghij", min_size=12, max_size=30), st.sampled_from(sorted(set(FAILING) - {"repr raises"})))
def test_no_marker_is_in_an_error(marker: str, name: str) -> None:
    error = caught(FAILING[name], (marker, marker))
    assert marker not in everything_in(error, error.__traceback__)


def test_the_type_the_mechanism_and_its_file_are_named() -> None:
    def careless(draw: Draw, rows: tuple[int, ...]) -> Fraction:
        return Fraction(1, len(rows) - 2)

    said = str(caught(careless, (4711, 4712)))
    assert "careless (tests/mechanisms/test_failing_runs.py) raised ZeroDivisionError, whose text" in said
    assert "line" not in said.partition(",")[0]
    assert "debugging()" in said
    assert "raised Own," in str(caught(FAILING["own"], ROWS))
    assert "raised an exception," in str(caught(_raise_a_class_of_the_data, ROWS))
    assert "choose_by_stability (mechanisms/selection/stability.py) raised " in str(
        caught(choose_by_stability, ROWS, epsilon=1, delta="0.1")
    )


def test_a_mechanism_that_is_an_object_is_named_by_its_class() -> None:
    @dataclass(frozen=True)
    class Holding:
        rows: tuple[str, ...]

        def __call__(self, draw: Draw, database: Any) -> Any:
            raise ValueError(self.rows)

        def method(self, draw: Draw, database: Any) -> Any:
            raise ValueError(self.rows)

    def within(rows: Any, draw: Draw, database: Any) -> Any:
        raise ValueError(rows)

    for mechanism in (Holding(ROWS), Holding(ROWS).method, partial(within, ROWS)):
        told = everything_in(caught(mechanism, 0), None)
        assert MARKER not in str(caught(mechanism, 0))
        assert "Holding" in told or "within" in told


def test_debugging_shows_everything() -> None:
    def careless(draw: Draw, rows: Any) -> Any:
        return int(rows[0])

    with (
        debugging(),
        pytest.raises(MechanismError, match=r"careless raised ValueError: invalid literal .*alice") as shown,
    ):
        run(careless, ROWS)
    assert isinstance(shown.value.__cause__, ValueError)
    assert "(tests/mechanisms/test_failing_runs.py, line " in str(shown.value)
    assert MARKER not in str(caught(careless, ROWS))
    with debugging(), pytest.raises(MechanismError, match=r"raised Own"):
        run(FAILING["own"], ROWS)
    with debugging(), pytest.raises(KeyboardInterrupt):
        run(FAILING["interrupt"], ROWS)
    with debugging(), pytest.raises(MechanismError, match="draw from a Distribution"):
        run(FAILING["caught"], ROWS)
    with debugging(), pytest.raises(InputError, match="seed="):
        run(careless, ROWS, seed=True)


def test_debugging_ends_and_holds_for_its_thread_or_task_alone() -> None:
    with debugging(), debugging():
        pass
    assert MARKER not in str(caught(FAILING["int"], ROWS))
    found: list[str] = []

    def elsewhere() -> None:
        found.append(str(caught(FAILING["int"], ROWS)))

    async def task() -> None:
        with debugging():
            await asyncio.sleep(0)

    async def other() -> None:
        elsewhere()

    async def both() -> None:
        await asyncio.gather(task(), other())

    with debugging():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    asyncio.run(both())
    assert len(found) == 2
    assert all(MARKER not in text for text in found)


def _needs_epsilon(draw: Draw, rows: Any, *, epsilon: Any, k: int = 1) -> Any:
    return k


@in_one(
    "mechanism, given, words",
    [
        (_needs_epsilon, {}, r"_needs_epsilon needs epsilon: give epsilon=…"),
        (
            _needs_epsilon,
            {"eps": 1},
            r"_needs_epsilon has no parameter eps \(did you mean epsilon\?\): it takes epsilon, k",
        ),
        (_needs_epsilon, {"epsilon": 0.5}, r"epsilon=0\.5 is a float"),
        (_needs_epsilon, {"epsilon": 1, "seed": "x"}, r"seed='x' is not a whole number"),
        (lambda rows, draw: 0, {}, r"<lambda> takes rows before draw"),
        (lambda rows: 0, {}, r"<lambda>\(rows\) does not take draw"),
        (lambda rows, epsilon: 0, {"epsilon": 1}, r"<lambda>\(rows, epsilon\) does not take draw"),
        (lambda draw: 0, {}, r"<lambda>\(draw\) does not take a database"),
        (partial(lambda rows, *, held: 0, held=ROWS), {}, r"<lambda>\(rows, held\) does not take draw"),
        (ROWS, {}, "the mechanism, a tuple, is not a function"),
        (lambda draw, rows: 0, {"k": 1}, r"<lambda> has no parameter k: it takes none"),
    ],
)
def test_what_is_wrong_with_the_call_is_said(mechanism: Any, given: dict[str, Any], words: str) -> None:
    """It is about the parameters, which are public, and not about the database."""
    error = caught(mechanism, ROWS, **given)
    assert type(error) is InputError
    with pytest.raises(InputError, match=words):
        raise error
    assert MARKER not in everything_in(error.with_traceback(None), None)


def test_any_parameter_is_taken_by_a_mechanism_that_takes_all() -> None:

    assert run(lambda *args, **named: named["epsilon"], ROWS, epsilon="0.5") == Fraction(1, 2)
