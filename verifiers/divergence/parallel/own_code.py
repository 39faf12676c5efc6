"""People's own code in what is sent to other processes: whether they find the same there is asked before it is run.

A mechanism is sent by its name, in a module that the others import, so files and globals of such modules are compared.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import platform
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType, NoneType
from typing import Any, Final

import msgspec

from dpverify.mechanisms.numbers.shown import one_line


class Own(msgspec.Struct, frozen=True):
    """The objects of people's own that some content holds, as it is where it is sent from."""

    files: Mapping[str, str] = {}
    """Of modules of people's own that are part of it, hashes of their files."""
    held: Mapping[str, str] = {}
    """Of these modules, what `plain_globals` says of them."""


class Refused(Exception):
    """Nothing can be computed here, since what is people's own is not here as it was there."""


def own_in(content: bytes) -> Own:
    """The objects of people's own in content that is pickled."""
    files = own_modules(_names_in(content))
    return Own(_hashes(files), {name: plain_globals(sys.modules[name]) for name in files})


def loaded(content: bytes, own: Own) -> Any:
    """The content, in a process that ends with it. Raises `Refused` where it is another one here, or not there."""
    try:
        result = pickle.loads(content)
        others = [name for name, digest in own.files.items() if hash_of(str(import_module(name).__file__)) != digest]
        changed = [name for name, held in own.held.items() if plain_globals(import_module(name)) != held]
    except Exception as error:  # a module of people's own may raise anything
        raise Refused(cannot_load(error)) from None
    if others:
        raise Refused(f"the file of {', '.join(others)} on {platform.node()} is not the one here: copy it there")
    if changed:
        raise Refused(
            f"a global of {', '.join(changed)} has another value here than where output distributions are "
            "computed, as its file alone says what it is: pass on as a parameter what is to be another one"
        )
    return result


def cannot_load(error: Exception) -> str:
    """Reason why nothing can be computed where an error arose."""
    return (
        f"{platform.node()} cannot load the mechanism ({type(error).__name__}: {one_line(str(error))}): have its "
        "module where the workers there import it"
    )


# --- Modules of people's own


def own_modules(names: Iterable[str]) -> dict[str, str]:
    """Those of the modules that are people's own, and those that they name, with their files."""
    waiting, texts = list(names), dict[str, str]()
    packages = {name.partition(".")[0] for name in waiting} - _OF_NO_USER
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if name in texts or not isinstance(module, ModuleType) or not _is_own(module, packages):
            continue
        texts[name] = str(module.__file__)
        for value in list(vars(module).values()):
            waiting.append(value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", "")))
    return texts


def _names_in(content: bytes) -> Iterator[str]:
    """The names of modules, among other texts, in what is pickled."""
    for opcode, argument, _ in pickletools.genops(content):
        if isinstance(argument, str) and ("UNICODE" in opcode.name or opcode.name == "GLOBAL"):
            yield argument


def _is_own(module: ModuleType, packages: Collection[str]) -> bool:
    """True if a module is people's own: of no installed package, or of one of these, from which something is sent."""
    file, package = getattr(module, "__file__", None), module.__name__.partition(".")[0]
    if not isinstance(file, str) or package in _OF_NO_USER:
        return False
    return package in packages or not file.startswith(_installed())


_OF_NO_USER: Final = frozenset({"dpverify", "numpy", "flint", *sys.stdlib_module_names})
"""Packages whose versions are compared, those of Python among them."""


@cache
def _installed() -> tuple[str, ...]:
    return tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def _hashes(files: Mapping[str, str]) -> dict[str, str]:
    return {name: hash_of(file) for name, file in files.items()}


def plain_globals(module: ModuleType) -> str:
    """A hash of the numbers, texts and tuples of these that a module holds: others may have put them there."""
    plain = {name: value for name, value in vars(module).items() if name[:2] != "__" and _is_plain(value)}
    return sha256(repr(sorted(plain.items())).encode("utf-8", "surrogatepass")).hexdigest()


def _is_plain(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return type(value) in (bool, int, float, str, bytes, Fraction, NoneType)


def hash_of(file: str) -> str:
    """The hash of a file; empty where there is none."""
    try:
        return sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""


# --- With names in the places of objects


class _Loading(pickle.Unpickler):
    def __init__(self, content: bytes, objects: Mapping[str, object]) -> None:
        super().__init__(io.BytesIO(content))
        self._objects = objects

    def persistent_load(self, name: str) -> object:
        return self._objects[name]


def unpickled(content: bytes, objects: Mapping[str, object]) -> Any:
    """The content that was `pickled` with names in the places of objects, which are found under them here."""
    return _Loading(content, objects).load()


class _Naming(pickle.Pickler):
    def __init__(self, written: io.BytesIO, objects: Mapping[str, object]) -> None:
        super().__init__(written)
        self._names = {id(value): name for name, value in objects.items()}

    def persistent_id(self, value: object) -> str | None:
        return self._names.get(id(value))


def pickled(content: object, objects: Mapping[str, object]) -> bytes:
    """Content as bytes, with names in the places of objects, which need not travel. Raises as `pickle` does."""
    written = io.BytesIO()
    _Naming(written, objects).dump(content)
    return written.getvalue()
