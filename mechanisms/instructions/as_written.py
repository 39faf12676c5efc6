"""A switch from reading mechanisms to running them as they are written, against which what reading finds is held."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_reads: Final[ContextVar[bool]] = ContextVar("reads", default=True)


def are_read() -> bool:
    """True if draws that are returned, the largest of noisy scores and comprehensions are taken for what they are."""
    return _reads.get()


@contextmanager
def as_written() -> Iterator[None]:
    """While it lasts, laws that this thread finds are those of plain runs, one for each path of the code."""
    token = _reads.set(False)
    try:
        yield
    finally:
        _reads.reset(token)
