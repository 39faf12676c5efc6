"""Answers of whole commands, given again while nothing that they rest on has changed: then no claim is loaded.

An answer is stored with the files of people's own that were loaded for it, and with what these import. It is given
again where all of these are the same, and found in the same folders; and dpverify, what is installed, the interpreter
and the command. Answers are stored only where modules follow from their files: see `imports.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

import msgspec

from dpverify.mechanisms.numbers.errors import InputError
from dpverify.verifiers.auditing.cache import cache_keys
from dpverify.verifiers.auditing.cache.private_files import NoKey, is_private, read_own, usual_folder, write_whole
from dpverify.verifiers.auditing.claim_folders import claim_files, importable_folders
from dpverify.verifiers.divergence.parallel.own_code import hash_of
from dpverify.verifiers.locations import project_of
from dpverify.verifiers.processes.versions import PACKAGE, package_files

_MOST: Final = 200
"""Answers that are kept; the oldest go."""


class _Stored(msgspec.Struct, forbid_unknown_fields=True):
    content: str
    files: list[str]
    """Of people's own, that were loaded."""
    modules: dict[str, list[str]]
    """By name each module that they import, and the folders in which it was looked for."""
    digest: str = ""
    """The hash of all this, and of what it rests on."""


class StoredAnswer:
    """The answer of a command to names of claims; `asked` holds all else that it depends on."""

    def __init__(self, folder: Path, names: Sequence[str], asked: object, *, of_catalogue: bool) -> None:
        self._names = () if of_catalogue else names or (".",)
        self._path = tuple(sys.path)
        key = cache_keys.hash_of_all(names, asked, of_catalogue, str(Path.cwd()), cache_keys.interpreter())
        self._file = folder / f"{key}.json"

    def earlier(self) -> str | None:
        """The answer that was stored; None where something is another thing by now, or may be."""
        with suppress(OSError, ValueError, RecursionError, InputError):  # not there, or no such file as is written here
            stored = msgspec.json.decode(read_own(self._file), type=_Stored)
            if is_private(self._file.parent) and stored.digest == self._digest(stored):
                return stored.content
        return None

    def store(self, content: str) -> None:
        """Store an answer, unless it rests on more than files, or on one that has changed since the command began."""
        from dpverify.verifiers.auditing.cache.verdict_cache import forget_the_oldest
        from dpverify.verifiers.auditing.digests.names import is_of_people
        from dpverify.verifiers.auditing.imports import modules_imported

        with suppress(OSError, NoKey, InputError):
            files = [file for file in cache_keys.files_of_the_library() if file != sys.argv[0]]
            stored = _Stored(content, files, modules_imported(files))
            found = {name: {place, getattr(sys.modules[name], "__file__", None)} for name, place in _places(stored)}
            latest = max(map(cache_keys.changed_at, [*map(Path, files), *package_files(PACKAGE)]))
            if (
                latest >= cache_keys.BEGAN - cache_keys.CLOCK
                or not set(files).issuperset(map(str, self._claim_files()))
                or any(len(places) > 1 and any(map(is_of_people, filter(None, places))) for places in found.values())
            ):
                return
            stored.digest = self._digest(stored)
            for folder in (self._file.parents[1], self._file.parent):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if is_private(self._file.parent):
                write_whole(self._file, msgspec.json.encode(stored))
                forget_the_oldest(self._file.parent, _MOST, _MOST)

    def _digest(self, stored: _Stored) -> str:
        """The hash of an answer, and of what it rests on as it is now."""
        texts = [(file, hash_of(file), cache_keys.compiled_beside(Path(file))) for file in stored.files]
        claims = {str(file): [*map(str, importable_folders(file))] for file in self._claim_files()}
        around = [*map(project_of, stored.files), *_places(stored), *cache_keys.distributions(self._path)]
        return cache_keys.hash_of_all(stored.content, texts, claims, around, [*map(_state, package_files(PACKAGE))])

    def _claim_files(self) -> Iterator[Path]:
        """The files that the names stand for, with links followed: of an id those below this folder."""
        for name in self._names:
            path = Path(name.partition("::")[0])
            folder = path if path.is_dir() else Path()
            yield from (file.resolve() for file in ([path] if path.suffix == ".py" else claim_files(folder)))


def _places(stored: _Stored) -> Iterator[tuple[str, str | None]]:
    """Each module with the file in which an import finds it."""
    for name, folders in stored.modules.items():
        spec = PathFinder.find_spec(name, folders)
        yield name, None if spec is None else spec.origin


def _state(file: Path) -> tuple[object, ...]:
    """The state of a file of which nobody changes the content and leaves all of that."""
    found = file.stat()
    return str(file), found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def answer_of_command(names: Sequence[str], asked: object, *, of_catalogue: bool) -> StoredAnswer | None:
    """The answer of a command that a shell runs; None where nothing is kept, as where other code runs it."""
    folder, command = usual_folder(), Path(sys.argv[0])
    if folder is None or not (command.stem == "dpverify" or command.parts[-2:] == ("dpverify", "__main__.py")):
        return None
    return StoredAnswer(folder / "answers", names, asked, of_catalogue=of_catalogue)
