"""Places where claims and mechanisms are written: files relative to the root of their project, lines and modules."""

from __future__ import annotations

import functools
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import msgspec

from dpverify.mechanisms.functions.mechanism import MadeOf, name_of
from dpverify.mechanisms.functions.places import code_of
from dpverify.mechanisms.numbers.errors import InputError
from dpverify.mechanisms.numbers.shown import cut
from dpverify.reports.record import ClaimResult, Location, OutsideConstruct

if TYPE_CHECKING:
    from dpverify.mechanisms.language.readings import OutsidePlace


class Written(Protocol):
    """An object that is written somewhere: a claim, as far as its place goes."""

    @property
    def kind(self) -> str:
        """The name of its kind."""

    @property
    def id(self) -> str:
        """Key by which it is known."""

    @property
    def about(self) -> Sequence[Callable[..., Any]]:
        """The functions that it speaks of, its mechanism first."""

    @property
    def reference(self) -> Reference | None:
        """The reference by which another process finds it."""

    @property
    def made_at(self) -> Sequence[tuple[str, int]]:
        """The lines of files, innermost first, that made it."""


class Reference(NamedTuple):
    """The place where another process finds a mechanism: a claim of the catalogue, or of a file; or MODULE:FUNCTION."""

    place: str | None
    """The file of the claim, empty for the catalogue; None for a function."""
    name: str
    """The id of the claim, or MODULE:FUNCTION."""


_PACKAGE: Final = Path(__file__).parents[1]
"""The folder of dpverify, which is a project of its own."""

_OURS: Final = "dpverify."

_ROOTS: Final = ((".git",), ("pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", "tox.ini"))
"""Marks by which the root of a project is known: a repository, or else what builds and tests it."""

_INSTALLED: Final = tuple(
    {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)

_MOST_FRAMES: Final = 60

_COMPREHENSIONS: Final = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")

_WRAPPERS: Final = (FunctionType, type(functools.cache(lambda: None)))


def lines_now() -> tuple[tuple[str, int], ...]:
    """The lines that run, innermost first, up to that of a module: dpverify's own left out, but for the catalogue's."""
    results: list[tuple[str, int]] = []
    frame = sys._getframe(1)
    within = ""
    for _ in range(_MOST_FRAMES):
        name, file = str(frame.f_globals.get("__name__")), frame.f_code.co_filename
        if not _decides(name) and name != "dataclasses" and not file.startswith("<") and file != within:
            results.append((file, frame.f_lineno))
        # a comprehension is a frame of its own in some versions of Python, and its line says more than its statement's
        within = file if frame.f_code.co_name in _COMPREHENSIONS else ""
        if frame.f_code.co_name == "<module>" or frame.f_back is None:
            break
        frame = frame.f_back
    return tuple(results)


def _decides(module: str) -> bool:
    return module.startswith("dpverify.verifiers.") and not module.startswith("dpverify.verifiers.catalogue.")


def located(claim: Written, result: ClaimResult) -> ClaimResult:
    """The result, with where the claim and its mechanism are written."""
    functions = claim.about
    try:
        mechanism = location_of(functions[0], project_of_claim(claim)) if functions else None
    except Exception:  # an object of somebody's own may raise whatever it is asked
        mechanism = None
    return msgspec.structs.replace(result, location=claim_location(claim), mechanism_location=mechanism)


def with_language(claim: Written, result: ClaimResult) -> ClaimResult:
    """The result, with what of the mechanism is outside the language; of what cannot be asked for it, as it is."""
    try:
        outside = outside_of_claim(claim)
    except Exception:  # as above
        return result
    if outside is None:
        return result
    return msgspec.structs.replace(result, language=in_record(outside, project_of_claim(claim)) or "inside")


def project_of_claim(claim: Written) -> Path | None:
    """The root of the project that a claim is written in, or of the function that a command names."""
    if _is_made_by_a_command(claim):
        return project_of_function(claim.about[0]) if claim.about else None
    return project_of(_made(claim)[0])


_NOT_READ: Final = "sampled"
"""The kind of claims of which the code is not read: samples say the same of whatever gives them."""

_LOOKED_AT: Final = 4096
"""Databases, or cases, whose values are looked at, for the classes that they are of."""


def outside_of_claim(claim: Written) -> tuple[OutsidePlace, ...] | None:
    """The constructs outside the language of all that a claim's mechanism leads to; None where there is none to read.

    Its parameters and its rows are among it, as far as they have code.
    """
    from dpverify.mechanisms.language.reader import read

    if not claim.about or claim.kind == _NOT_READ:
        return None
    domain, cases = getattr(claim, "domain", ()), getattr(claim, "cases", None) or ()
    given: list[Any] = []
    with suppress(InputError):  # of a domain without end, whose rows are numbers
        given += one_of_each_kind(getattr(domain, "universe", domain))
    for case in islice(cases, _LOOKED_AT):
        given += [getattr(case, "database", None), *getattr(case, "parameters", {}).values()]
    return read(claim.about[0], getattr(claim, "parameters", {}), given).outside


def one_of_each_kind(databases: Iterable[Any]) -> Iterable[Any]:
    """One value of each type in tuples of these databases, of the first of many, and each function."""
    found: dict[Any, Any] = {}
    left = list(islice(databases, _LOOKED_AT))
    while left:
        distinct = list(dict(zip(map(id, left), left, strict=True)).values())  # many databases hold the same rows
        holders = [value for value in distinct if type(value) in (tuple, list, frozenset)]
        for value in reversed(distinct):
            if type(value) not in (tuple, list, frozenset):
                found.setdefault(id(value) if callable(value) else type(value), value)
        left = list(chain.from_iterable(holders))
    return found.values()


def in_record(outside: Iterable[OutsidePlace], project: Path | None) -> list[OutsideConstruct]:
    """Places outside the language as a record has them, with files as seen from a project."""
    return [
        OutsideConstruct(
            seen_from_project(place.file, project) or Path(place.file).name or place.function,
            place.line,
            place.column,
            cut(place.construct, _LONGEST_CONSTRUCT),
            place.instead,
        )
        for place in outside
    ]


_LONGEST_CONSTRUCT: Final = 200
"""Characters of a construct, of which parts are as somebody wrote them."""


def claim_location(claim: Written) -> Location | None:
    """The place where a claim is written; None where a command has made it, or nobody knows."""
    file, line = _made(claim)
    if not file or _is_made_by_a_command(claim):
        return None
    return Location(seen_from_project(file, project_of(file)), line, _module_name(file), claim.id)


@functools.cache
def is_in_catalogue(file: str) -> bool:
    """True where a file is one of the catalogue."""
    return Path(file).is_relative_to(_PACKAGE / "verifiers" / "catalogue")


def _is_made_by_a_command(claim: Written) -> bool:
    return claim.reference is not None and claim.reference.place is None


def location_of(function: Callable[..., Any], project: Path | None) -> Location | None:
    """The place where a function is written, as seen from a project; None where nobody knows."""
    inner = inner_function(function)
    code = code_of(inner)
    module = getattr(inner, "__module__", None)
    if not isinstance(module, str):
        return None
    file = "" if code is None else seen_from_project(code.co_filename, project)
    if code is not None:
        module = _module_name(code.co_filename, module)
    return Location(file, code.co_firstlineno if code is not None and file else 0, module, name_of(inner))


def inner_function(function: Any) -> Any:
    """The function within partial applications and decorators that keep it."""
    for _ in range(100):
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, MadeOf):
            function = function.functions[0]
        elif isinstance(function, _WRAPPERS) and "__wrapped__" in function.__dict__:
            function = function.__dict__["__wrapped__"]
        else:
            break
    return function


@functools.cache
def project_of(file: str) -> Path | None:
    """The root of the project that a file is in: the nearest repository, or folder with a pyproject.toml and the like.

    Where there is neither it is the working directory, if the file is below it; None else.
    """
    if not file:
        return None
    path = Path(os.path.abspath(file))  # noqa: PTH100  # links stay: dpverify's own folders are some
    if path.is_relative_to(_PACKAGE):
        return _PACKAGE
    for marks in _ROOTS:
        for folder in path.parents:
            if any((folder / mark).exists() for mark in marks):
                return folder
    return Path.cwd() if path.is_relative_to(Path.cwd()) else None


def project_of_function(function: Callable[..., Any]) -> Path | None:
    """The root of the project that a function is written in; None where nobody knows."""
    code: CodeType | None = code_of(inner_function(function))
    return None if code is None else project_of(code.co_filename)


def _made(claim: Written) -> tuple[str, int]:
    """The file and the line that made a claim: the outermost of the file where it was found, or else the innermost."""
    place = None if claim.reference is None else claim.reference.place
    if place is None:
        return claim.made_at[0] if claim.made_at else ("", 0)
    own = [made for made in claim.made_at if _is_in(made[0], place)]
    return own[-1] if own else (place, 0)  # what is made elsewhere is only named there


def _is_in(file: str, place: str) -> bool:
    """True where a file is that of a place, or of the catalogue where that is empty."""
    return os.path.realpath(file) == place if place else Path(file).is_relative_to(_PACKAGE)


def is_of_the_environment(file: str) -> bool:
    """True of a file of Python, or of a package that is installed."""
    return os.path.realpath(file).startswith(tuple(f"{folder}{os.sep}" for folder in _INSTALLED))


def seen_from_here(file: str | Path) -> Path:
    """A path relative to the working folder, where it is in it."""
    absolute = Path(os.path.abspath(file))  # noqa: PTH100  # links stay
    return absolute.relative_to(Path.cwd()) if absolute.is_relative_to(Path.cwd()) else absolute


def _module_name(file: str, name: str = "") -> str:
    """The name of a file's module, whatever a file of claims is called in this process alone."""
    path = Path(file)
    if path.is_relative_to(_PACKAGE):
        return _OURS + ".".join(path.relative_to(_PACKAGE).with_suffix("").parts)
    return path.stem if not name or re.fullmatch(f"{re.escape(path.stem)}_[0-9a-f]{{16}}", name) else name


def below_imports(file: str, module: str) -> str:
    """A file below the folder that its module is imported from: the same wherever that folder is."""
    path = Path(file)
    parts = [*module.split("."), *(["__init__"] if path.name == "__init__.py" else [])]
    known = path.stem == parts[-1]
    return cut("/".join(path.parts[-len(parts) :]) if known else path.name, 1000)


def seen_from_project(file: str, project: Path | None) -> str:
    """A file relative to a project, as POSIX has it; empty where it is not in it, or installed."""
    if project is None or file.startswith("<"):
        return ""
    path = Path(os.path.abspath(file))  # noqa: PTH100
    if (project != _PACKAGE and is_of_the_environment(file)) or not path.is_relative_to(project):
        return ""
    return cut(path.relative_to(project).as_posix(), 1000)
