"""What objects of kinds in C, or without a `__dict__`, keep from one run to the next is seen to be changed."""

from __future__ import annotations

import collections
import functools
import ipaddress
import pathlib
import statistics
import struct
import sys
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpverify.mechanisms import Draw
from dpverify.mechanisms.reaching.elsewhere import leads_elsewhere, words_that_lead_elsewhere
from dpverify.mechanisms.reaching.handles import keeps_unseen
from dpverify.mechanisms.reaching.reach import Reach


class OwnOrder(collections.OrderedDict[str, int]):
    """An ordered dict of one's own."""


class OwnProperty(property):
    """A property of one's own."""


LATE_PATH: Any = pathlib.PurePath("x")
SET: Any = object.__setattr__


@pytest.mark.parametrize(
    ("of", "change"),
    [
        pytest.param(functools.cmp_to_key(lambda one, other: 0)(1), lambda of: SET(of, "obj", 2), id="key"),
        pytest.param(struct.Struct("i"), lambda of: of.__init__("q"), id="Struct"),
        pytest.param(collections.OrderedDict(a=0, b=1), lambda of: of.move_to_end("a"), id="OrderedDict"),
        pytest.param(OwnOrder(a=0, b=1), lambda of: of.move_to_end("a"), id="own OrderedDict"),
        pytest.param(collections.defaultdict(int), lambda of: SET(of, "default_factory", str), id="defaultdict"),
        pytest.param(statistics.NormalDist(), lambda of: SET(of, "_mu", 1.0), id="NormalDist"),
        pytest.param(ipaddress.IPv4Address(5), lambda of: SET(of, "_ip", 1), id="address"),
        pytest.param(uuid.UUID(int=5), lambda of: SET(of, "int", 1), id="UUID"),
        pytest.param(pathlib.PurePath("x"), lambda of: SET(of, "_hash", 1), id="path"),
        pytest.param(pathlib.PurePath("x"), lambda of: SET(of, "_str", "y"), id="text of a path"),
        pytest.param(property(print), lambda of: of.__init__(len), id="property"),
        pytest.param(OwnProperty(print), lambda of: of.__init__(len), id="own property"),
        pytest.param(staticmethod(print), lambda of: of.__init__(len), id="staticmethod"),
        pytest.param(classmethod(print), lambda of: of.__init__(len), id="classmethod"),
        pytest.param(super(int, 5), lambda of: super.__init__(of, int, 6), id="super"),
        pytest.param(np.dtype([("a", int)]), lambda of: setattr(of, "names", ("b",)), id="dtype"),
        pytest.param(
            np.zeros(1, np.dtype(int, metadata={"kept": [0]})),
            lambda of: of.dtype.metadata["kept"].append(1),
            id="metadata",
        ),
    ],
)
def test_a_change_is_seen(of: Any, change: Callable[[Any], object]) -> None:
    def mechanism(draw: Draw, rows: Any) -> Any:
        return of

    reach = Reach([("mechanism", mechanism)])
    holders = [*reach.own, *reach.shared]
    assert not any(holder.changed() for holder in holders)
    change(of)
    assert any(holder.changed() for holder in holders)


def test_a_path_that_is_asked_for_what_it_is_stays_the_same() -> None:
    holders = Reach([("path", path := pathlib.PurePath("x", "y"))]).own
    assert (str(path), hash(path), path.parts, path < path) and not any(holder.changed() for holder in holders)


def test_what_frompyfunc_has_made_is_not_known() -> None:
    made: Any = np.frompyfunc(len, 1, 1)
    assert Reach([("made", made), ("own", np.add)]).unknown == [("made", made)]
    assert keeps_unseen(made)


def test_a_path_may_not_be_asked_what_it_has_kept() -> None:
    def mechanism(draw: Draw, rows: Any) -> Any:
        return LATE_PATH._hash

    assert any(value is LATE_PATH for _, value in Reach([("mechanism", mechanism)]).unknown)


LOOK = dir
ABOVE = super


def test_another_name_of_what_sees_all_is_known() -> None:
    def looks() -> list[str]:
        return LOOK()

    def goes_above() -> Any:
        return ABOVE(OwnOrder, LATE_PATH)

    def says_it() -> list[str]:
        return dir()

    assert leads_elsewhere(dir)
    functions: list[Any] = [looks, goes_above, says_it]
    for function in functions:
        assert any(words_that_lead_elsewhere([function]))


def test_frames_and_tracebacks_keep_what_is_not_shown() -> None:
    try:
        raise ValueError
    except ValueError as error:
        assert keeps_unseen(error.__traceback__) and keeps_unseen(sys._getframe())
