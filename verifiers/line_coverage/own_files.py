"""Files that are of the project of a mechanism, so that their lines count among those that ran or did not."""

import os
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from dpverify.mechanisms.functions.places import code_of
from dpverify.mechanisms.packages import MEANS
from dpverify.verifiers.locations import Reference, inner_function, project_of

_PACKAGE: Final = Path(__file__).parents[2]
"""The folder of dpverify."""

_ENGINE: Final = tuple(Path("mechanisms", room) for room in MEANS)
"""Functions that run a mechanism, and are none."""

_CLAIMED: Final = (Path("mechanisms"), Path("verifiers", "catalogue"))
"""Folder of the mechanisms of the catalogue."""

_INSTALLED: Final = tuple(f"{os.sep}{folder}{os.sep}" for folder in ("site-packages", "dist-packages"))
_STANDARD: Final = tuple(f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "platstdlib"))


@dataclass(frozen=True)
class OwnFiles:
    """The files below some folders that are not installed, and single ones that lie nowhere, such as a notebook's.

    dpverify's own are of nobody's project: of claims of the catalogue alone, those of the papers' mechanisms count.
    """

    roots: tuple[Path, ...]
    single: frozenset[str] = frozenset()
    of_catalogue: bool = False
    _known: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)

    def __contains__(self, file: str) -> bool:
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._holds(file)
        return known

    def _holds(self, file: str) -> bool:
        if file in self.single:
            return True
        if file.startswith(("<", *_STANDARD)) or any(part in file for part in _INSTALLED):
            return False
        path = Path(os.path.abspath(file))  # noqa: PTH100  # links stay: dpverify's own folders are some
        if path.is_relative_to(_PACKAGE):
            within = path.relative_to(_PACKAGE)
            claimed = any(map(within.is_relative_to, _CLAIMED)) and not any(map(within.is_relative_to, _ENGINE))
            return self.of_catalogue and claimed
        return any(map(path.is_relative_to, self.roots))

    def relative(self, file: str) -> str:
        """A file as a report names it, relative to its folder."""
        path = Path(os.path.abspath(file))  # noqa: PTH100
        for root in (_PACKAGE, *self.roots) if self.of_catalogue else self.roots:
            if path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        return file


def own_files(function: Callable[..., Any], reference: Reference | None) -> OwnFiles:
    """The files of the projects of a mechanism, and of the claim that speaks of it."""
    code = code_of(inner_function(function))
    places = ["" if code is None else code.co_filename, "" if reference is None else reference.place or ""]
    roots = [_root(place) for place in places if place and not place.startswith("<")]
    single = frozenset(place for place in places if place.startswith("<"))
    outside = tuple(root for root in dict.fromkeys(roots) if not root.is_relative_to(_PACKAGE))
    return OwnFiles(outside, single, reference is not None and reference.place == "")


@cache
def _root(file: str) -> Path:
    """The root of the project of a file; the folder that it is in where there is none."""
    return project_of(file) or Path(os.path.abspath(file)).parent  # noqa: PTH100
