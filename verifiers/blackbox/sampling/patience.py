"""A limit of seconds for what somebody else wrote, where the system can interrupt it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from dpverify.mechanisms.numbers.errors import InputError


class _TooLong(BaseException):
    """Goes through whatever catches an Exception."""


@contextmanager
def in_time(seconds: float, otherwise: str) -> Iterator[None]:
    """Ends what runs inside after so many seconds, and raises `InputError` with that text.

    Not outside the main thread, nor where there are no alarms, as on Windows: there it runs on.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def over(*_: Any) -> NoReturn:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _TooLong:
        raise InputError(otherwise) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
