"""Files in the user's cache folder: nobody else writes them, and each is there as a whole or not at all."""

import os
import stat
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final


class NoKey(Exception):
    """Raised where a claim does not follow from what is read, so that nothing is cached; the text says why."""


def is_private(folder: Path) -> bool:
    """True where a folder is the user's alone to write."""
    try:
        result = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(result.st_mode) and _is_mine(result) and not (_on_posix() and result.st_mode & 0o022)


def _is_mine(found: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or found.st_uid == os.getuid()


def _on_posix() -> bool:
    return os.name == "posix"


_CAUTIOUS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read_own(file: Path) -> bytes:
    """The content of a file of the user's own. Raises `OSError` for another."""
    with os.fdopen(os.open(file, os.O_RDONLY | _CAUTIOUS), "rb") as opened:
        result = os.fstat(opened.fileno())
        if not stat.S_ISREG(result.st_mode) or not _is_mine(result):
            raise OSError(f"{file} is not a file of the user's own")
        return opened.read()


def write_whole(file: Path, content: bytes) -> None:
    """Write a file at once, whoever reads it meanwhile."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def usual_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The folder in which dpverify keeps what was decided.

    None where CI is set: a change that is to be gated must not bring its own verdict with it.
    """
    if environment.get("CI", "").lower() not in ("", "0", "false"):
        return None
    folder = cache_folder(environment)
    return None if folder is None else folder / "dpverify"


def cache_folder(environment: Mapping[str, str], system: str = sys.platform) -> Path | None:
    """The folder of the user's caches, as each system has it; None where there is none."""
    try:
        if system == "win32":
            return Path(environment["LOCALAPPDATA"])
        if system == "darwin":
            return Path.home() / "Library" / "Caches"
        named = Path(environment.get("XDG_CACHE_HOME", ""))
        return named if named.is_absolute() else Path.home() / ".cache"
    except (KeyError, RuntimeError):
        return None
