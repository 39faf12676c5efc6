"""What is planted in every row of a database appears in no error of `run`: not in its text, its chain, or its frames.

Each mechanism fails in its own way, in ways of Python's and in all of this library's that a single run can meet.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import FrameType
from typing import Any, Final

import pytest
from tests.adversary.tally import Tally

from dpverify.mechanisms import (
    Distribution,
    bernoulli,
    clamp,
    discrete_laplace,
    distribution,
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
from dpverify.mechanisms.counting import StepFunction
from dpverify.mechanisms.noise import truncated_discrete_laplace
from dpverify.mechanisms.selection import noisy_max, svt1

WORD: Final = "alice-SSN-271828"
NUMBER: Final = 987_654_321
MARKS: Final = (WORD, str(NUMBER), f"{NUMBER:,}", f"{NUMBER:_}", hex(NUMBER), str(-NUMBER))


@dataclass(frozen=True)
class Person:
    name: str
    age: int


DATABASES: Final[Mapping[str, Any]] = {
    "words": (WORD, WORD),
    "numbers": (NUMBER, NUMBER),
    "fractions": (Fraction(NUMBER, 7), Fraction(NUMBER, 7)),
    "people": (Person(WORD, NUMBER), Person(WORD, NUMBER)),
    "pairs": ((WORD, NUMBER), (WORD, NUMBER)),
}


def fails(text: str) -> Callable[..., Any]:
    """A mechanism that raises."""

    def mechanism(draw: Any, rows: Any) -> Any:
        raise {"Runtime": RuntimeError, "Assertion": AssertionError, "Exit": SystemExit, "Key": KeyError}[text](rows)

    return mechanism


def raises_from(draw: Any, rows: Any) -> Any:
    try:
        return int("none")
    except ValueError as error:
        raise LookupError(f"no {rows[0]}") from error


def raises_while_handling(draw: Any, rows: Any) -> Any:
    try:
        return {}[rows[0]]
    except KeyError:
        return int("none")


def raises_with_a_note(draw: Any, rows: Any) -> Any:
    error = RuntimeError("plain")
    error.add_note(f"beside {rows[0]}")
    raise error


def raises_a_group(draw: Any, rows: Any) -> Any:
    raise ExceptionGroup("several", [ValueError(rows[0]), TypeError(rows)])


class _Named(Exception):
    """An error whose type is named after what it is about."""


def raises_a_type_of_its_own(draw: Any, rows: Any) -> Any:
    raise type(f"No{rows[0]}", (_Named,), {})()


def catches_what_was_refused(draw: Any, rows: Any) -> Any:
    try:
        draw(laplace(1)) + rows[0]
    except ValueError:
        return 1


def fails_in_a_part(draw: Any, rows: Any) -> Any:
    return draw(lambda draw, row: int(f"{row}x"), rows[0])


def fails_in_a_part_of_a_part(draw: Any, rows: Any) -> Any:
    return draw(lambda draw, row: draw(lambda draw, row: {}[row], row), rows[0])


def recursion(draw: Any, rows: Any) -> Any:
    return recursion(draw, (*rows, rows[0]))


class _Shows:
    """Prints what it holds, and cannot be hashed."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return False

    def __repr__(self) -> str:
        return f"Shows({self.value!r})"


class _Unequal:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"Unequal({self.value!r})"


class _Callable:
    """A mechanism that is named by what it holds."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Callable({self.value!r})"

    def __call__(self, draw: Any, *rows: Any) -> Any:
        return {self.value}


def keeps_noise(draw: Any, rows: Any) -> Any:
    a, b = draw(discrete_laplace(1)), draw(discrete_laplace(1))
    return a + b + exact(rows[0])


MECHANISMS: Final[Mapping[str, Callable[..., Any]]] = {
    "noise + rows": lambda draw, rows: draw(laplace(1)) + rows,
    "noise + a row": lambda draw, rows: draw(laplace(1)) + rows[0] >= "x",
    "noise · rows": lambda draw, rows: draw(laplace(1)) * rows,
    "noise / rows": lambda draw, rows: draw(discrete_laplace(1)) / rows,
    "noise compared with rows": lambda draw, rows: draw(laplace(1)) >= rows,
    "noise = a row": lambda draw, rows: draw(laplace(1)) == exact(NUMBER if rows[0] == WORD else rows[0]),
    "a row in place of a number": lambda draw, rows: int(f"{rows[0]}!"),
    "a key that is missing": lambda draw, rows: {}[rows[0]],
    "an attribute that is missing": lambda draw, rows: getattr(draw, f"{rows[0]}"),
    "a name that is missing": lambda draw, rows: eval(f"missing_{rows[0]}"),
    "a weight of a row": lambda draw, rows: draw(Distribution({rows[0]: -1})),
    "a weight that is a row": lambda draw, rows: draw(Distribution({"a": rows[0], "b": -NUMBER})),
    "weights that are no mapping": lambda draw, rows: draw(Distribution(rows)),
    "no weight": lambda draw, rows: draw(Distribution({rows[0]: 0})),
    "draw(rows)": lambda draw, rows: draw(rows),
    "draw(a row)": lambda draw, rows: draw(rows[0]),
    "uniform rows": lambda draw, rows: draw(uniform(rows)),
    "uniform over a row": lambda draw, rows: draw(uniform(rows[0])),
    "bernoulli(a row)": lambda draw, rows: draw(bernoulli(rows[0])),
    "bernoulli(a large number)": lambda draw, rows: draw(bernoulli(NUMBER)),
    "clamp to a row": lambda draw, rows: clamp(draw(discrete_laplace(1)), rows[0], 3),
    "clamp to nothing": lambda draw, rows: clamp(draw(discrete_laplace(1)), NUMBER, 3),
    "clamp to an irrational end": lambda draw, rows: clamp(draw(laplace(1)), 0, log(NUMBER)),  # type: ignore[arg-type]  # bad on purpose
    "exact(a row)": lambda draw, rows: exact(rows[0]) and [rows],
    "exp(a row)": lambda draw, rows: exp(rows[0]) and [rows],
    "log(a row)": lambda draw, rows: log(-rows[0]),
    "log of a negative number": lambda draw, rows: log(-NUMBER),
    "sqrt of a negative number": lambda draw, rows: sqrt(-NUMBER),
    "a scale": lambda draw, rows: draw(laplace(rows[0])) and None,
    "a negative scale": lambda draw, rows: draw(discrete_laplace(-NUMBER)),
    "a bound": lambda draw, rows: draw(truncated_discrete_laplace(1, rows)),
    "a negative bound": lambda draw, rows: draw(truncated_laplace(1, -NUMBER)),
    "a float": lambda draw, rows: draw(laplace(1)) + float(NUMBER) / 3,
    "an average": lambda draw, rows: draw(laplace(1)) + sum(rows) / len(rows) / 3,
    "a quality that is a row": lambda draw, rows: draw(exponential({"a": rows[0], "b": rows}, 1)),
    "an ε that is a row": lambda draw, rows: draw(exponential({"a": 1}, rows[0])) and [rows],
    "the sparse vector of rows": lambda draw, rows: svt1(draw, rows, epsilon=rows[0]),
    "the noisy maximum of rows": lambda draw, rows: draw(noisy_max, (rows[0], rows), epsilon=1),
    "a step function": lambda draw, rows: StepFunction(((rows[0], rows),)),  # type: ignore[call-arg, arg-type]
    "a set returned": lambda draw, rows: {rows[0]},
    "a list of sets returned": lambda draw, rows: [rows, {rows[0]}],
    "what cannot be hashed": lambda draw, rows: _Shows(rows),
    "what is not itself": lambda draw, rows: _Unequal(rows),
    "a generator returned": lambda draw, rows: (row for row in rows),
    "an irrational noise returned": lambda draw, rows: draw(discrete_laplace(1)) + log(NUMBER),
    "two noises returned": keeps_noise,
    "noise shown": lambda draw, rows: f"{draw(laplace(1)) + NUMBER}",
    "noise as an index": lambda draw, rows: rows[draw(discrete_laplace(1)) + NUMBER],
    "noise handed to a part": lambda draw, rows: draw(lambda draw, n, rows: n, draw(laplace(1)) + NUMBER, rows),
    "a part that fails": fails_in_a_part,
    "a part of a part that fails": fails_in_a_part_of_a_part,
    "a part that is no mechanism": lambda draw, rows: draw(_Callable(rows), rows),
    "a part without such a parameter": lambda draw, rows: draw(lambda draw: 1, **{str(rows[0]): 1}),
    "an ε for a part": lambda draw, rows: draw(lambda draw, epsilon: 1, epsilon=rows[0]) and [rows],
    "a refusal that is caught": catches_what_was_refused,
    "raise RuntimeError": fails("Runtime"),
    "assert": fails("Assertion"),
    "sys.exit": fails("Exit"),
    "raise KeyError": fails("Key"),
    "raise from": raises_from,
    "raise while handling": raises_while_handling,
    "an error with a note": raises_with_a_note,
    "a group of errors": raises_a_group,
    "an error of a type of its own": raises_a_type_of_its_own,
    "endless recursion": recursion,
    "open(a row)": lambda draw, rows: open(f"/nowhere/{rows[0]}"),  # noqa: PTH123, SIM115
    "import of a row": lambda draw, rows: __import__(f"nowhere_{rows[0]}"),
    "text that cannot be encoded": lambda draw, rows: f"{rows[0]}\ud800".encode(),
    "a wrong number of arguments": lambda draw, rows: id(*rows),
}


def chain(error: BaseException) -> Iterator[BaseException]:
    """The error, and all that it came from, shown or not."""
    waiting, seen = [error], set()
    while waiting:
        found = waiting.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        waiting += [next_ for next_ in (found.__cause__, found.__context__) if next_ is not None]
        waiting += getattr(found, "exceptions", ())


def told(error: BaseException) -> Iterator[tuple[str, str]]:
    """Everything that a log may make of an error."""
    yield "traceback", "".join(traceback.format_exception(error))
    for found in chain(error):
        yield "text", str(found)
        yield "repr", repr(found)
        yield "args", repr(found.args)
        yield "type", type(found).__name__
        yield "attributes", repr(vars(found))


def frames(error: BaseException) -> Iterator[FrameType]:
    """The frames that an error keeps alive."""
    for found in chain(error):
        for frame, _ in traceback.walk_tb(found.__traceback__):
            yield frame


@pytest.mark.parametrize("name", MECHANISMS)
def test_an_error_of_run_tells_nothing_of_the_database(name: str, tally: Tally) -> None:
    failed = 0
    for kind, rows in DATABASES.items():
        # what is drawn may decide whether a mechanism fails
        for seed in range(3):
            try:
                run(MECHANISMS[name], rows, seed=seed)
            except Exception as error:
                failed += 1
                tally.counts["errors of run"] += 1
                for what, text in told(error):
                    assert not any(mark in text for mark in MARKS), f"{what} on {kind}: {text[:300]}"
                # this test's own frame, and those of the library that were entered with the database, are there
                inside = [frame.f_code.co_name for frame in frames(error) if frame.f_code.co_filename == __file__]
                assert inside == ["test_an_error_of_run_tells_nothing_of_the_database"], inside
                break
    assert failed, "the mechanism fails on no database"


def test_the_enumerator_may_tell_what_was_wrong() -> None:
    """On databases that are made up, an error names what it was about."""
    with pytest.raises(ValueError, match=WORD):
        distribution(MECHANISMS["a key that is missing"], DATABASES["words"])
