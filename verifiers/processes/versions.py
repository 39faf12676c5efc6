"""Versions of what a process runs that may change a verdict: processes of several machines have to agree in them."""

import os
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parents[2]
"""The folder of dpverify, or of its three packages where it is installed for editing."""

PACKAGES: Final = ("mechanisms", "verifiers", "reports")


@cache
def is_of_dpverify(file: str) -> bool:
    """True where a file is one of dpverify, in its folder or by a link to it."""
    try:
        return any(Path(file).resolve().is_relative_to(PACKAGE / name) for name in PACKAGES)
    except (OSError, RuntimeError, ValueError):  # a loop of links, or no name of a file
        return False


def package_files(package: Path) -> list[Path]:
    """The files that run of dpverify, whose folder this is, in order."""
    suffixes = (".py", *EXTENSION_SUFFIXES)
    paths: list[Path] = []
    for part in PACKAGES:
        for folder, inner, names in os.walk(package / part):
            inner[:] = set(inner) - {"__pycache__"}
            paths += [Path(folder, name) for name in names if name.endswith(suffixes)]
    return sorted(paths)


@cache
def versions() -> Mapping[str, str]:
    """Of Python, of this package by a hash of its files, and of the packages that numbers are computed with."""
    import platform
    from importlib.metadata import version

    files = [(str(file.relative_to(PACKAGE)), sha256(file.read_bytes()).hexdigest()) for file in package_files(PACKAGE)]
    return {
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "dpverify": f"of the hash {sha256(repr(files).encode()).hexdigest()[:12]}",
        "python-flint": version("python-flint"),
        "numpy": version("numpy"),
    }


def differences(theirs: Mapping[str, str]) -> list[str]:
    """The versions that others run and this process does not, in words."""
    return [
        f"{name} {theirs.get(name, 'is missing')} (here {mine})"
        for name, mine in versions().items()
        if theirs.get(name) != mine
    ]
