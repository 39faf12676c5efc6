"""Exports of a package: names that resolve on first use, so that importing the package loads nothing heavy.

Which they are, and in which modules they live, is in its `__init__.pyi`. A name that is asked for in the wrong package
is refused with the right one.
"""

from __future__ import annotations

import difflib
import dis
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from types import FrameType
from typing import Any, Final

import lazy_loader

from dpverify.mechanisms.rooms import TOPICS

FACES: Final = ("dpverify.mechanisms", "dpverify.verifiers", "dpverify.reports")
"""The faces, which all uses share: at most sixty names, and those of published programs; `docs/api.md` is the page."""

ROOMS: Final = (
    *(f"dpverify.mechanisms.{name}" for name in ("noise", "functions", "laws", "drawing", "counting", *TOPICS)),
    *(f"dpverify.verifiers.{name}" for name in ("questions", "pairs", "verdicts", "profiles", "privacy")),
    *(
        f"dpverify.verifiers.{name}"
        for name in ("composites", "utility", "structure", "steps", "lower_bounds", "optimal")
    ),
)
"""What is special: the papers' algorithms by topic, and what few checks need; `docs/algorithms.md` is their page."""


def exported(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of the package whose `__init__.py` is `file`."""
    result, listed, names = lazy_loader.attach_stub(package, file)

    def resolved(name: str) -> Any:
        try:
            return result(name)
        except AttributeError:
            asking = sys._getframe(1)
            if name.startswith("_") or str(asking.f_globals.get("__name__")).startswith("importlib."):
                raise  # of Python's own questions, as whether there is a module of that name
            other = room_of(package, name)
            near = did_you_mean(name, names)
            if other is None and not near:
                raise
            instead = f"{name} is in {other}: write from {other} import {name}"
            if _is_imported_from(asking):
                raise ImportError(
                    f"{package} has no {name}{near}" if other is None else instead, name=package
                ) from None
            advice = near if other is None else f": {instead}"
            raise AttributeError(f"module '{package}' has no attribute '{name}'{advice}") from None

    return resolved, listed, names


def room_of(package: str, name: str) -> str | None:
    """The other package that a public name is in; None where there is none."""
    others = () if name.startswith("_") else (*FACES, *ROOMS)
    return next((other for other in others if other != package and name in import_module(other).__all__), None)


def did_you_mean(name: str, known: Iterable[str], most: int = 1) -> str:
    """Advice on the name that may be meant, as the end of a sentence; nothing where none is near."""
    written = {one.casefold(): one for one in known}
    near = [written[one] for one in difflib.get_close_matches(name.casefold(), written, n=most)]
    return f": did you mean {' or '.join(near)}?" if near else ""


def _is_imported_from(frame: FrameType) -> bool:
    """True where a frame runs `from … import …`, which shows the text of an `ImportError`, and not that of another."""
    return frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM


_IMPORT_FROM: Final = dis.opmap["IMPORT_FROM"]
