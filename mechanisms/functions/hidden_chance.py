"""Chance that does not come from `draw`, and what is written outside: refused while code outside the language runs.

A mechanism whose chance is hidden has not the output distribution that is enumerated: `if random.random() < 1e-4:
return rows` takes one branch all but always. So, while one runs,

- what gives entropy stands replaced by what refuses, in the thread that enumerates and while no import is under way (a
  module may ask for some when it is first imported);
- the generators that everybody shares, and those that the reader met in its code, have to stay as they were; what has
  no state, such as `from os import urandom`, is refused where it was met.

What is written on one path, the next one would read: a hook of Python's audit events tells of it, also from C.
"""

from __future__ import annotations

import os
import pickle
import random
import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import FrameType
from typing import Any, Final, TypeAlias

from dpverify.mechanisms.functions.trusted import module_of
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_mechanism
from dpverify.mechanisms.numbers.shown import shown

TakeNote: TypeAlias = Callable[[Exception], object]
"""Remembers that a run is not to be accepted: a mechanism may catch the error."""


class _Guard(threading.local):
    """The place where the enumeration of this thread notes what is refused; None where nobody looks out."""

    take_note: TakeNote | None = None


_guard: Final = _Guard()
_SYSTEMS: Final = ("os", "posix", "nt")
_PLACES: Final = (
    (random, "_urandom", "os.urandom"),
    (random.Random, "seed", "random.Random"),
    (uuid, "uuid1", "uuid.uuid1"),
    *((sys.modules.get(system), name, f"os.{name}") for system in _SYSTEMS for name in ("urandom", "getrandom")),
)
"""The places from which all entropy comes, and what it is called: secrets and numpy.random come down to these."""
_ORIGINALS: Final = tuple((*place, getattr(*place[:2])) for place in _PLACES if hasattr(*place[:2]))
_replacing: Final = threading.Lock()
_guarded = 0
"""Number of enumerations, in whatever thread, that look out."""


def is_of_chance(value: object) -> bool:
    """True of a generator, and of a function that gives entropy."""
    kind = type(value)  # an object may say that it is of another class
    is_generator = issubclass(kind, random.Random) or module_of(kind).startswith("numpy.random")
    return is_generator or any(value is original for *_, original in _ORIGINALS)


@contextmanager
def no_hidden_chance(take_note: TakeNote, met: Iterable[Any]) -> Iterator[None]:
    """While it lasts, chance that does not come from `draw`, and writing, raise `InputError`, which is noted as well.

    `met` are the generators and the like of the code. Raises `InputError` at once for what has no state, and when it
    ends, or ends in another `InputError`, where a generator was used.
    """
    _refuse_writing()
    generators = [(f"a {type(each).__name__} that is held", each) for each in met]
    generators += [("random.random or its like", random._inst)]
    generators += [("numpy.random.random or its like", import_module("numpy.random").mtrand._rand)]
    before = [_state(each) for _, each in generators]
    outer, refused = _guard.take_note, None
    _replace(1)
    _guard.take_note = take_note
    try:
        yield
    except InputError as error:  # what comes of such chance, it may be
        refused = error
    finally:
        _guard.take_note = outer
        _replace(-1)
    for (name, generator), state in zip(generators, before, strict=True):
        if _state(generator) != state:
            raise _refusal(f"{name}, whose state has changed") from refused
    if refused is not None:
        raise refused


def _state(generator: Any) -> object:
    for _, _, called, original in _ORIGINALS:
        if generator is original:
            raise _refusal(called)
    return random.Random.getstate(generator) if isinstance(generator, random.Random) else pickle.dumps(generator)


def _refusal(source: str) -> InputError:
    return InputError(reasons.OTHER_RANDOMNESS.text(source=source))


def _replace(one: int) -> None:
    """Count one more enumeration, or one less: the first replaces what gives entropy, and the last puts it back."""
    global _guarded  # noqa: PLW0603  # one count for the process, whose modules are replaced once
    with _replacing:
        _guarded += one
        for owner, name, called, original in _ORIGINALS if _guarded == max(one, 0) else ():
            setattr(owner, name, _refusing(called, original) if _guarded else original)


def _refusing(called: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Stands in the place of a function: it refuses the thread that enumerates, and serves others as before."""

    def refused(*args: Any, **kwargs: Any) -> Any:
        _refuse(lambda: _refusal(called))
        return original(*args, **kwargs)

    return refused


def _refuse(made: Callable[[], InputError]) -> None:
    """Raise an error where this thread looks out, and no module is being imported, whose code Python writes."""
    frame: FrameType | None = sys._getframe(1) if _guard.take_note is not None else None
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>" and frame.f_code.co_name == "_find_and_load":
            return
        frame = frame.f_back
    if _guard.take_note is not None:
        error = made()
        _guard.take_note(error)
        raise error


_WRITES: Final = frozenset(
    {
        *(f"os.{name}" for name in ("chmod", "exec", "fork", "link", "mkdir", "posix_spawn", "remove", "rename")),
        *(f"os.{name}" for name in ("rmdir", "spawn", "symlink", "system", "truncate", "utime")),
        *("open", "socket.__new__", "socket.getaddrinfo", "sqlite3.connect", "subprocess.Popen", "syslog.syslog"),
    }
)
"""Events that tell of a change outside; "open" does where it is to write."""
_TO_WRITE: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@cache
def _refuse_writing() -> None:
    """From now on what writes outside is refused in a thread that looks out: the hook stays as long as the process."""
    sys.addaudithook(_seen)


def _seen(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _WRITES and not (event == "open" and not arguments[2] & _TO_WRITE):
        what = [shown(each) for each in arguments[:1] if isinstance(each, str | bytes)]
        _refuse(lambda: InputError(bad_mechanism.WRITES_OUTSIDE, " ".join([event, *what])))
