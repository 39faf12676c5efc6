"""What Python calls for everybody, and what it notes of modules and classes: no way out of a sub-mechanism either.

Nothing is computed a second time here, so that the rule alone is seen to find them.
"""

from __future__ import annotations

import builtins
import contextlib
import enum
import io
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import Draw, InputError, bernoulli
from dpverify.verifiers import Status, Tuples, check_privacy, replace_one

ONE_BIT = Tuples((0, 1), size=1)


class Writer:
    """A stream that counts what is written to it."""

    def __init__(self) -> None:
        self.written = 0

    def write(self, text: str) -> None:
        self.written += 1

    def flush(self) -> None: ...


Hooked = tuple[contextlib.AbstractContextManager[Any], Callable[[], Any], Callable[[], Any]]
"""While it lasts there is a hook; what sets it off; and what it was told."""


@contextlib.contextmanager
def put(of: Any, name: str, hook: Any) -> Iterator[None]:
    before = getattr(of, name)
    setattr(of, name, hook)
    try:
        yield
    finally:
        setattr(of, name, before)


def own_stream() -> Hooked:
    stream = Writer()
    return put(sys, "stdout", stream), lambda: print("told"), lambda: stream.written  # the way out


def errors_in_text() -> Hooked:
    text = io.StringIO()
    return contextlib.redirect_stderr(text), lambda: sys.stderr.write("told"), text.getvalue


def called_by_numpy() -> Hooked:
    kept: list[int] = []
    hook = np.errstate(all="call", call=lambda *_: kept.append(1))
    return hook, lambda: np.float64(1) / np.float64(0), lambda: len(kept)


def shown_warnings() -> Hooked:
    kept: list[int] = []
    hook = put(warnings, "showwarning", lambda *_, **__: kept.append(1))
    return hook, lambda: warnings.warn_explicit("told", UserWarning, "", 1), lambda: len(kept)


def patched_builtin() -> Hooked:
    kept: list[int] = []
    return put(builtins, "ascii", lambda _: kept.append(1)), lambda: ascii(1), lambda: len(kept)


def handled_signal() -> Hooked:
    kept: list[int] = []

    @contextlib.contextmanager
    def handling() -> Iterator[None]:
        before = signal.signal(signal.SIGUSR2, lambda *_: kept.append(1))
        try:
            yield
        finally:
            signal.signal(signal.SIGUSR2, before)

    return handling(), lambda: signal.raise_signal(signal.SIGUSR2), lambda: len(kept)


def at_a_breakpoint() -> Hooked:
    kept: list[int] = []
    return put(sys, "breakpointhook", lambda *_, **__: kept.append(1)), breakpoint, lambda: len(kept)


def telling(make: Callable[[], Hooked]) -> Callable[..., Any]:
    def mechanism(draw: Draw, rows: tuple[int, ...]) -> bool:
        hook, sets_off, told = make()

        def part(draw: Draw, bit: int) -> int:
            if draw(bernoulli(Fraction(1 + 8 * bit, 10))):
                sets_off()
            return 0

        with hook:
            draw.each(part, rows)
        return bool(told())

    return mechanism


def status(mechanism: Callable[..., Any], epsilon: Any = 0) -> str:
    try:
        return check_privacy(mechanism, ONE_BIT, replace_one, epsilon=epsilon, recheck=False).status.name
    except InputError as refused:
        return str(refused)


HOOKS = [own_stream, errors_in_text, called_by_numpy, shown_warnings, patched_builtin, handled_signal, at_a_breakpoint]


@pytest.mark.usefixtures("decided_here")
@pytest.mark.filterwarnings("always:told", "ignore:divide")
@pytest.mark.parametrize("make", HOOKS)
def test_what_is_hooked_around_a_part_is_part_of_what_it_reaches(make: Callable[[], Hooked]) -> None:
    assert "nothing passes out of a sub-mechanism" in status(telling(make))


def noting_on_an_exception(draw: Draw, rows: tuple[int, ...]) -> bool:
    def part(draw: Draw, bit: int) -> int:
        if draw(bernoulli(Fraction(1 + 8 * bit, 10))):
            try:
                raise ValueError
            except ValueError as error:
                assert error.__context__ is not None
                error.__context__.add_note("told")
        return 0

    try:
        raise KeyError
    except KeyError as handled:
        draw(part, rows[0])
        return hasattr(handled, "__notes__")


def zone(draw: Draw, rows: tuple[int, ...]) -> Any:
    def part(draw: Draw, bit: int) -> int:
        os.environ["TZ"] = "EST5" if draw(bernoulli(Fraction(1 + 8 * bit, 10))) else "UTC"
        time.tzset()
        del os.environ["TZ"]
        return 0

    draw(part, rows[0])
    return time.timezone


class Access(enum.Flag):
    """Two bits."""

    READ = 1
    WRITE = 2


class Colour(enum.Enum):
    """Two of them."""

    RED = 1
    BLUE = 2


def warns(draw: Draw, bit: int) -> int:
    if draw(bernoulli(Fraction(1 + 8 * bit, 10))):
        warnings.warn("told", stacklevel=1)
    return 0


def registry(draw: Draw, rows: tuple[int, ...]) -> bool:
    draw(warns, rows[0])
    return hasattr(sys.modules[__name__], "__warningregistry__")


def names_of_the_module(draw: Draw, rows: tuple[int, ...]) -> int:
    draw(warns, rows[0])
    return len(dir(sys.modules[__name__]))


def combination(draw: Draw, rows: tuple[int, ...]) -> bool:
    if draw(bernoulli(Fraction(1 + 8 * rows[0], 10))):
        Access(3)
    return 3 in Access._value2member_map_


@pytest.mark.usefixtures("decided_here")
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("mechanism", "why"),
    [
        (noting_on_an_exception, "changed the exception that is handled"),
        (zone, "changed the time zone"),
        (registry, "reaches by __warningregistry__"),
        (names_of_the_module, "changed wa"),  # by what pytest records; else "what was warned of"
        (combination, "reaches by _value2member_map_ of a Flag"),
    ],
)
def test_what_python_notes_is_no_way_out(
    mechanism: Callable[..., Any], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(globals(), "__warningregistry__", raising=False)
    monkeypatch.delenv("TZ", raising=False)
    warned = pytest.warns(UserWarning, match="told") if mechanism is names_of_the_module else contextlib.nullcontext()
    with warned:
        assert why in status(mechanism)
    time.tzset()


def quiet(draw: Draw, rows: tuple[int, ...]) -> Any:
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"), contextlib.suppress(KeyError):
        return draw(answers, rows[0])


def answers(draw: Draw, bit: int) -> Any:
    return draw(bernoulli(Fraction(1 + bit, 3)))


def warning(draw: Draw, rows: tuple[int, ...]) -> Any:
    warnings.warn("this is slow", stacklevel=1)
    return draw(answers, rows[0])


def coloured(draw: Draw, rows: tuple[int, ...]) -> Any:
    return draw(answers, rows[0]) if 1 in Colour._value2member_map_ else 0


SHARES: dict[tuple[int, ...], Fraction] = {}


def while_handling(draw: Draw, rows: tuple[int, ...]) -> Any:
    try:
        return draw(bernoulli(SHARES[rows]))
    except KeyError:
        return draw(answers, rows[0])


@pytest.mark.filterwarnings("ignore:this is slow")
@pytest.mark.usefixtures("decided_here")
@pytest.mark.parametrize("mechanism", [quiet, warning, coloured, while_handling])
def test_what_is_harmless_stays_proved(mechanism: Callable[..., Any]) -> None:
    assert status(mechanism, epsilon=1) == Status.PROVED.name
