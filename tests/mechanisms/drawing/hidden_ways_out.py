"""Ways in which a value leaves the code that has it by what is not its content: see `ways_out.py`.

The class of an object, the order of a set, the room of a list, a flag of an array, what an exception holds, a property
that was computed, and what stands in modules and classes of Python under names that no code has.
"""

import functools
import io
import logging
import string
import sys
from collections.abc import Callable
from types import CellType
from typing import Any

from tests.mechanisms.drawing.ways_out import Way


class Off:
    """A class with an attribute, and a text."""

    value = 0


class On:
    value = 1


class Sub(Off):
    """One whose bases may be others."""


class Seen:
    """One with a property that is computed once."""

    def __init__(self) -> None:
        self.value = 0

    @functools.cached_property
    def seen(self) -> int:
        return self.value


def class_of_an_object() -> Way:
    box: Any = Off()

    def tell(x: int) -> None:
        box.__class__ = On if x else Off

    return Way(tell, lambda: box.value, lambda: tell(0))


class Other:
    """A base."""

    value = 1


def order_of_a_set() -> Way:
    kept = {0, 8}

    def tell(x: int) -> None:
        if x:
            forget()
            kept.clear()
            kept.add(8)
            kept.add(0)

    def forget() -> None:
        kept.clear()
        kept.add(0)
        kept.add(8)

    return Way(tell, lambda: int(next(iter(kept)) == 8), forget)


def arguments_of_an_exception() -> Way:
    kept = ValueError(0)

    def tell(x: int) -> None:
        kept.args = (x,)

    return Way(tell, lambda: kept.args[0], lambda: tell(0))


def frame_of_the_caller() -> Way:
    kept = [0]

    def tell(x: int) -> None:
        sys._getframe(0).f_back.f_globals["HIDDEN"] = x  # type: ignore[union-attr]

    return Way(tell, lambda: kept[0] + sys._getframe(0).f_back.f_globals.get("HIDDEN", 0), lambda: tell(0))  # type: ignore[union-attr]


TOLD = 0


def property_that_is_there() -> Way:
    box = Seen()

    def tell(x: int) -> None:
        if x:
            _ = box.seen

    return Way(tell, lambda: int("seen" in vars(box)), lambda: vars(box).pop("seen", 0))


def property_of_what_was() -> Way:
    box = Seen()

    def tell(x: int) -> None:
        box.value = x
        _ = box.seen
        box.value = 0

    return Way(tell, lambda: box.seen, lambda: vars(box).pop("seen", 0))


def text_of_a_class() -> Way:
    def tell(x: int) -> None:
        Sub.__doc__ = str(x)

    return Way(tell, lambda: int(Sub.__doc__ or 0), lambda: tell(0))


def attribute_of_a_module() -> Way:
    name = "no" + "te"
    return Way(lambda x: setattr(string, name, x), lambda: getattr(string, name, 0), lambda: setattr(string, name, 0))


def content_of_a_cell() -> Way:
    kept = CellType(0)

    def tell(x: int) -> None:
        kept.cell_contents = x

    return Way(tell, lambda: kept.cell_contents, lambda: tell(0))


def numerator_of_a_fraction() -> Way:
    from fractions import Fraction  # one of its own

    kept: Any = Fraction(0, 7)

    def tell(x: int) -> None:
        kept._numerator = x

    return Way(tell, lambda: kept.numerator, lambda: tell(0))


def text_in_memory() -> Way:
    kept = io.StringIO()

    def forget() -> None:
        kept.seek(0)
        kept.truncate()

    return Way(lambda x: kept.write("1" if x else ""), lambda: len(kept.getvalue()), forget)


class Keeps(logging.Handler):
    """A handler that keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[Any] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(record.msg)


def handler_of_a_logger() -> Way:
    logger, handler = logging.Logger("of its own"), Keeps()
    logger.addHandler(handler)
    return Way(logger.warning, lambda: sum(handler.kept), handler.kept.clear)


HIDDEN_WAYS: list[Callable[[], Way]] = [
    *(class_of_an_object, order_of_a_set, arguments_of_an_exception, frame_of_the_caller, property_that_is_there),
    *(property_of_what_was, text_of_a_class, attribute_of_a_module, content_of_a_cell, numerator_of_a_fraction),
    *(text_in_memory, handler_of_a_logger),
]
