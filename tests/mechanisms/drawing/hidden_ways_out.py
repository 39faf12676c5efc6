"""Ways in which a value leaves the code that has it by what is not its content: see `ways_out.py`.

The class of an object, the order of a set, the room of a list, a flag of an array, what an exception holds, a property
that was computed, and what stands in modules and classes of Python under names that no code has.
"""

from __future__ import annotations

import ctypes
import functools
import http
import io
import logging
import math
import random
import string
import sys
from collections.abc import Callable
from types import CellType
from typing import Any

import numpy as np
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


def bases_of_a_class() -> Way:
    class Base:
        value = 0

    class Within(Base):
        pass

    def tell(x: int) -> None:
        Within.__bases__ = (Other,) if x else (Base,)

    return Way(tell, lambda: Within.value, lambda: tell(0))


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


def place_in_a_set() -> Way:
    """Which element is taken out first depends on which was the last time."""
    kept = {0, 1, 2}

    def tell(x: int) -> None:
        if x:
            kept.pop()
            kept.add(0)

    def told() -> int:
        found = kept.pop()
        kept.add(found)
        return found

    def forget() -> None:
        kept.clear()
        kept.update((5, 6, 7))
        while kept:
            kept.pop()
        kept.update((0, 1, 2))

    return Way(tell, told, forget)


def room_of_a_list() -> Way:
    kept: list[int] = []

    def tell(x: int) -> None:
        if x:
            kept.append(1)
            kept.pop()

    def forget() -> None:
        kept.clear()
        kept.extend((1, 2, 3, 4, 5, 6, 7, 8))

    forget()
    base = sys.getsizeof(kept)
    return Way(tell, lambda: int(sys.getsizeof(kept) > base), forget)


def flag_of_an_array() -> Way:
    kept = np.zeros(2, dtype=np.int64)

    def tell(x: int) -> None:
        kept.setflags(write=not x)

    return Way(tell, lambda: int(not kept.flags.writeable), lambda: tell(0))


def attribute_of_a_generator() -> Way:
    rng: Any = random.Random(0)
    return Way(lambda x: setattr(rng, "note", x), lambda: rng.note, lambda: setattr(rng, "note", 0))


def arguments_of_an_exception() -> Way:
    kept = ValueError(0)

    def tell(x: int) -> None:
        kept.args = (x,)

    return Way(tell, lambda: kept.args[0], lambda: tell(0))


def cause_of_an_exception() -> Way:
    kept, why = ValueError(), KeyError()

    def tell(x: int) -> None:
        kept.__cause__ = why if x else None

    return Way(tell, lambda: int(kept.__cause__ is why), lambda: tell(0))


def number_of_ctypes() -> Way:
    kept = ctypes.c_int(0)
    return Way(lambda x: setattr(kept, "value", x), lambda: kept.value, lambda: setattr(kept, "value", 0))


def frame_of_the_caller() -> Way:
    kept = [0]

    def tell(x: int) -> None:
        sys._getframe(0).f_back.f_globals["HIDDEN"] = x  # type: ignore[union-attr]

    return Way(tell, lambda: kept[0] + sys._getframe(0).f_back.f_globals.get("HIDDEN", 0), lambda: tell(0))  # type: ignore[union-attr]


TOLD = 0


def globals_by_text() -> Way:
    return Way(lambda x: globals().update({"TO" + "LD": x}), lambda: TOLD, lambda: globals().update({"TO" + "LD": 0}))


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


def text_of_a_function() -> Way:
    def helper() -> None: ...

    def tell(x: int) -> None:
        helper.__doc__ = str(x)

    return Way(tell, lambda: int(helper.__doc__ or 0), lambda: tell(0))


def name_of_a_function() -> Way:
    def helper() -> None: ...

    def tell(x: int) -> None:
        helper.__name__ = f"n{x}"

    return Way(tell, lambda: int(helper.__name__[1:]), lambda: tell(0))


def text_of_a_class() -> Way:
    def tell(x: int) -> None:
        Sub.__doc__ = str(x)

    return Way(tell, lambda: int(Sub.__doc__ or 0), lambda: tell(0))


def annotations_of_a_class() -> Way:
    def tell(x: int) -> None:
        Sub.__annotations__ = {"x": x}

    return Way(tell, lambda: Sub.__annotations__["x"], lambda: tell(0))


def names_of_a_module() -> Way:
    return Way(
        lambda x: vars(math).update({"no" + "te": x}),
        lambda: vars(math).get("no" + "te", 0),
        lambda: vars(math).pop("no" + "te", 0),
    )


def attribute_of_a_module() -> Way:
    name = "no" + "te"
    return Way(lambda x: setattr(string, name, x), lambda: getattr(string, name, 0), lambda: setattr(string, name, 0))


def attribute_of_an_enum_of_python() -> Way:
    def tell(x: int) -> None:
        http.HTTPStatus.OK.note = x  # type: ignore[attr-defined]

    return Way(tell, lambda: http.HTTPStatus.OK.note, lambda: tell(0))  # type: ignore[attr-defined]


def attribute_of_a_function_of_python() -> Way:
    def tell(x: int) -> None:
        string.capwords.note = x  # type: ignore[attr-defined]

    return Way(tell, lambda: string.capwords.note, lambda: tell(0))  # type: ignore[attr-defined]


def attribute_of_a_memory() -> Way:
    @functools.cache
    def known(x: int) -> int:
        return x

    def tell(x: int) -> None:
        known.note = x  # type: ignore[attr-defined]

    return Way(tell, lambda: known.note, lambda: tell(0))  # type: ignore[attr-defined]


def content_of_a_cell() -> Way:
    kept = CellType(0)

    def tell(x: int) -> None:
        kept.cell_contents = x

    return Way(tell, lambda: kept.cell_contents, lambda: tell(0))


def what_is_masked() -> Way:
    kept: Any = np.ma.masked_array([0, 1], mask=[False, False])

    def tell(x: int) -> None:
        kept.mask = [bool(x), False]

    return Way(tell, lambda: int(bool(kept.mask[0])), lambda: tell(0))


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
    class_of_an_object,
    bases_of_a_class,
    order_of_a_set,
    place_in_a_set,
    room_of_a_list,
    flag_of_an_array,
    attribute_of_a_generator,
    arguments_of_an_exception,
    cause_of_an_exception,
    number_of_ctypes,
    frame_of_the_caller,
    globals_by_text,
    property_that_is_there,
    property_of_what_was,
    text_of_a_function,
    name_of_a_function,
    text_of_a_class,
    annotations_of_a_class,
    names_of_a_module,
    attribute_of_a_module,
    attribute_of_an_enum_of_python,
    attribute_of_a_function_of_python,
    attribute_of_a_memory,
    content_of_a_cell,
    what_is_masked,
    numerator_of_a_fraction,
    text_in_memory,
    handler_of_a_logger,
]
