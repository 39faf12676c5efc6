"""Keys of verdicts: hashes of all that a verdict may depend on."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dpverify.verifiers.auditing.cache.private_files import NoKey
from dpverify.verifiers.divergence.parallel.own_code import hash_of
from dpverify.verifiers.locations import is_in_catalogue
from dpverify.verifiers.processes.versions import PACKAGE, package_files

if TYPE_CHECKING:
    from dpverify.verifiers.claims import AnyClaim, How

_FORM: Final = "4"
"""Changes whenever a key is made in another way."""

BEGAN: Final = time.time_ns() - time.process_time_ns()
"""The time when this process began, or a little later: in nanoseconds, as times of files are."""

CLOCK: Final = 100_000_000
"""Nanoseconds by which the times of files lag behind."""

_WHOLE_SECONDS: Final = 1_000_000_000


@dataclass(frozen=True)
class Surroundings:
    """All that the claims of a run have in common; each hash of it is computed once."""

    started: int
    """Files of dpverify that have changed since may not be those that were loaded; in nanoseconds, as of files."""
    package: Path = PACKAGE
    path: tuple[str, ...] = ()
    """The folders in which distributions are installed."""
    own: tuple[str, ...] = ()
    """The files of people's own that are loaded: where a claim stands in them, and what they say of it."""

    @cached_property
    def digest(self) -> str:
        """The hash of all. Raises `NoKey` where there is none."""
        own = [(file, hash_of(file)) for file in self.own]
        package = [
            (str(file.relative_to(self.package)), self._hashed(file), compiled_beside(file))
            for file in package_files(self.package)
        ]
        return hash_of_all(_FORM, own, package, distributions(self.path), interpreter())

    def key(self, claim: AnyClaim, how: How) -> str:
        """Key of the verdict of a claim. Raises `NoKey` where it is not to be cached."""
        from dpverify.verifiers.auditing.cache.sources_read import digest_of_claim

        if claim.reference is None or claim.reference.place is None:
            raise NoKey("it is not known where the claim stands")
        if not claim.rests_on_files:
            raise NoKey("its verdict rests on more than files tell")
        read = digest_of_claim(claim) if claim.reference.place else ""  # the catalogue is dpverify's own
        reference, limits = tuple(claim.reference), repr(claim.limits)
        return hash_of_all(self.digest, reference, claim.id, claim.kind, repr(how), limits, read)

    def _hashed(self, file: Path) -> str:
        try:
            if changed_at(file) >= self.started - CLOCK:
                raise NoKey(f"{file} has changed since it was loaded, or just before")
            return sha256(file.read_bytes()).hexdigest()
        except OSError as error:
            raise NoKey(f"{file} cannot be read: {error.strerror}") from None


def surroundings() -> Surroundings:
    """Those of this process, with all that is loaded by now."""
    return Surroundings(BEGAN, path=tuple(sys.path), own=files_of_the_library())


def files_of_the_library() -> tuple[str, ...]:
    """The files of people's own that this process has loaded modules from, in order."""
    from dpverify.verifiers.auditing.digests.names import is_of_people

    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return tuple(
        sorted({file for file in files if isinstance(file, str) and is_of_people(file) and not is_in_catalogue(file)})
    )


def distributions(path: Iterable[str]) -> list[tuple[str, str]]:
    """The names and versions of what is installed in the folders, and hashes of their files' names and hashes.

    One of the same name and version may have been installed anew from other files.
    """
    results = []
    for folder in dict.fromkeys(path):
        try:
            for entry in Path(folder or ".").iterdir():
                if entry.name.endswith(_METADATA):
                    results.append((entry.name, hash_of(str(entry / "RECORD"))))
        except OSError:  # a zip file, or none
            continue
    return sorted(results)


_METADATA: Final = (".dist-info", ".egg-info")


def interpreter() -> tuple[str, ...]:
    """The Python that runs, and how it was started."""
    flags = (sys.flags, sys.warnoptions, sys._xoptions, sys.get_int_max_str_digits(), sys.path)
    return (sys.version, sys.implementation.name, sys.platform, platform.machine(), sys.byteorder, repr(flags))


def changed_at(file: Path) -> int:
    """Time when a file changed last, or got its name, at the latest."""
    result = file.stat()
    latest = max(result.st_mtime_ns, result.st_ctime_ns, file.lstat().st_ctime_ns)
    return latest if latest % _WHOLE_SECONDS else latest + _WHOLE_SECONDS  # a clock of whole seconds rounds down


def compiled_beside(file: Path) -> str:
    """Addition for a file of dpverify that may run as it was before, which nobody saw it do.

    Python knows a compiled file by the size and the second of its source. That second may have been put back, as `tar`
    and `rsync` do, and when the source changed may not: one that was compiled after that is of this text.
    """
    if file.suffix in EXTENSION_SUFFIXES:
        return ""
    compiled = Path(cache_from_source(str(file)))
    try:
        with compiled.open("rb") as content:
            follows_source = content.read(8)[4:] == bytes(4)
            if follows_source and compiled.stat().st_mtime_ns - changed_at(file) > 2 * _WHOLE_SECONDS:
                return ""
            return sha256(compiled.read_bytes()).hexdigest()
    except OSError:
        return ""


def hash_of_all(*parts: object) -> str:
    """The hash of the texts of some values."""
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()
