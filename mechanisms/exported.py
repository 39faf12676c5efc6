"""Exports of a package: names that resolve on first use, so that importing the package loads nothing heavy.

Which they are, and in which modules they live, is in its `__init__.pyi`. A name that is asked for in the wrong package
is refused with the right one.
"""

import difflib
import dis
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from importlib import import_module
from types import FrameType
from typing import Any, Final

import lazy_loader

from dpverify.mechanisms.packages import TOPICS

FACES: Final = ("dpverify.mechanisms", "dpverify.verifiers", "dpverify.reports")
"""The faces, which all uses share: at most sixty names, and those of published programs; `docs/api.md` is the page."""

EXPORTING_PACKAGES: Final = (
    *(f"dpverify.mechanisms.{name}" for name in ("noise", "functions", "outputs", "drawing", "counting", *TOPICS)),
    *(
        f"dpverify.verifiers.{name}"
        for name in ("problems.questions", "problems.neighbours", "verdicts", "profiles", "privacy")
    ),
    *(
        f"dpverify.verifiers.{name}"
        for name in (
            "all_sizes.compositions",
            "utility",
            "calculations",
            "structure",
            "steps",
            "lower_bounds",
            "optimal",
        )
    ),
)
"""Special names: the papers' algorithms by topic, and what few checks need; `docs/algorithms.md` is their page."""


def exported(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of the package whose `__init__.py` is `file`."""
    result, listed, names = lazy_loader.attach_stub(package, file)

    def resolved(name: str) -> Any:
        try:
            return result(name)
        except AttributeError:
            raise _no_name(package, name, sys._getframe(1)) from None

    return resolved, listed, names


def public(name: str) -> Any:
    """The object that a public name of the three faces names, or one of these, for `dpverify.__getattr__`.

    Raises `AttributeError`, or `ImportError` in `from dpverify import`, with the place of a name that is elsewhere.
    """
    if (inner := f"dpverify.{name}") in FACES:
        return import_module(inner)
    if face := next(_homes(name, FACES), None):
        return getattr(import_module(face), name)
    raise _no_name("dpverify", name, sys._getframe(2))


def public_names() -> list[str]:
    """Those of the three faces."""
    return [name for face in FACES for name in import_module(face).__all__]


def _no_name(package: str, name: str, asking: FrameType) -> Exception:
    """The error that tells the code which asks for a name where that is, or which name is like it."""
    other = package_of(package, name)
    if other is not None:
        instead = f"{name} is in {other}: write from {other} import {name}"
    elif near := _alike(name):
        instead = f"{package} has no {name}: did you mean {_seen_from(package, near)}?"
    else:
        instead = ""
    if instead and _is_imported_from(asking):
        return ImportError(instead, name=package)
    return AttributeError(f"module '{package}' has no attribute '{name}'" + f": {instead}" * bool(instead))


def _alike(name: str) -> str | None:
    """The public name, with its package, that somebody may have meant; None where none is alike."""
    if name.startswith("_"):
        return None

    known = {one: f"{home}.{one}" for home in reversed(FACES) for one in import_module(home).__all__}
    folded = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.75)
    likest = max((folded[one] for one in near), key=lambda one: SequenceMatcher(None, name, one).ratio(), default=None)
    return None if likest is None else known[likest]


def _seen_from(package: str, place: str) -> str:
    """The name that code which imports from the package has to write: with its package where that is another."""
    home, _, name = place.rpartition(".")
    return name if package in (home, "dpverify") else place


def package_of(package: str, name: str) -> str | None:
    """The other package that a public name is in; None where there is none."""
    return next((home for home in _homes(name, (*FACES, *EXPORTING_PACKAGES)) if home != package), None)


def _homes(name: str, among: Sequence[str]) -> Iterator[str]:
    return (home for home in among if not name.startswith("_") and name in import_module(home).__all__)


def did_you_mean(name: str, known: Iterable[str], most: int = 1) -> str:
    """Advice on the name that may be meant, as the end of a sentence; nothing where none is near."""
    written = {one.casefold(): one for one in known}
    near = [written[one] for one in difflib.get_close_matches(name.casefold(), written, n=most)]
    return f": did you mean {' or '.join(near)}?" if near else ""


def advice_in_brackets(near: str) -> str:
    """The advice of `did_you_mean` within a sentence."""
    return f" ({near.removeprefix(': ')})" if near else ""


def _is_imported_from(frame: FrameType) -> bool:
    """True where a frame runs `from … import …`, which shows the text of an `ImportError`, and not that of another."""
    return frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM


_IMPORT_FROM: Final = dis.opmap["IMPORT_FROM"]
