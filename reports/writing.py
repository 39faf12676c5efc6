"""Writing reports: all of them or none, each replaced in one step."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from dpverify.mechanisms.errors import InputError


def write_reports(texts: Mapping[Path, str]) -> None:
    """Write each text to its file. A reader sees the old file or the new one, never a part.

    Raises `InputError` where a file cannot be written; files not yet replaced then stay as they are.
    """
    staged: dict[Path, str] = {}
    try:
        for path, text in texts.items():
            staged[path] = _staged(path, text)
        for path, temporary in staged.items():
            Path(temporary).replace(path)
    except OSError as error:
        raise InputError(f"cannot write {error.filename or 'a report'}: {error.strerror}") from None
    finally:
        for temporary in staged.values():
            Path(temporary).unlink(missing_ok=True)


def _staged(path: Path, text: str) -> str:
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder; name a file in it")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        Path(temporary).chmod(0o644)
    except OSError:
        Path(temporary).unlink()
        raise
    return temporary
