"""Writing reports: all of them or none, each replaced in one step."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from dpverify.mechanisms.errors import InputError

STANDARD_OUTPUT: Final = Path("-")
"""Stands for standard output in place of a file."""


def check_targets(paths: Iterable[Path], *, read: Path | None = None) -> None:
    """Raises `InputError` where a report could not be written to one of `paths`, before the work is done.

    It may not be written over the file that is `read`.
    """
    for path, count in Counter(iter(paths)).items():
        if count > 1:
            raise InputError(f"two reports are to be written to {path}: give each a file of its own")
        if path == STANDARD_OUTPUT:
            continue
        if read is not None and path.exists() and path.samefile(read):
            raise InputError(f"cannot write {path}: the data are read from it")
        if path.is_dir():
            raise InputError(f"cannot write {path}: it is a folder; name a file in it")
        if path.exists() and not path.is_file():
            raise InputError(f"cannot write {path}: it is no ordinary file; write - for standard output")
        if not path.parent.is_dir():
            raise InputError(f"cannot write {path}: there is no folder {path.parent}")
        if not os.access(path.parent, os.W_OK):
            raise InputError(f"cannot write {path}: no permission to write in {path.parent}")


def write_reports(texts: Mapping[Path, str]) -> None:
    """Write each text to its file, `STANDARD_OUTPUT` last. A reader sees the old file or the new one, never a part.

    Raises `InputError` where a file cannot be written; files not yet replaced then stay as they are.
    """
    check_targets(texts)
    staged: dict[Path, str] = {}
    for_output = texts.get(STANDARD_OUTPUT, "")
    try:
        for path, text in texts.items():
            if path != STANDARD_OUTPUT:
                staged[path] = _staged(path, text)
        for path, temporary in staged.items():
            Path(temporary).replace(path)
    finally:
        for temporary in staged.values():
            Path(temporary).unlink(missing_ok=True)
    sys.stdout.write(for_output)


def _staged(path: Path, text: str) -> str:
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
            Path(temporary).chmod(0o644)
        except OSError:
            Path(temporary).unlink()
            raise
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    return temporary
