"""Writing reports: all of them or none, each replaced in one step."""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import cut, writable

STANDARD_OUTPUT: Final = Path("-")
"""Stands for standard output in place of a file."""


def check_targets(paths: Iterable[Path], *, read: Path | None = None) -> None:
    """Raises `InputError` where a report could not be written to one of `paths`, before the work is done.

    It may not be written over the file that is `read`.
    """
    for path, count in Counter(iter(paths)).items():
        if count > 1:
            raise InputError(bad_input.TWICE, "the list of reports", path, "write each to a file of its own")
        if path == STANDARD_OUTPUT:
            continue
        try:
            _check_target(path, read)
        except OSError as error:  # a name that is too long, say
            raise InputError(bad_input.CANNOT_WRITE, cut(str(path)), error.strerror) from None


def _check_target(path: Path, read: Path | None) -> None:
    if read is not None and path.exists() and path.samefile(read):
        raise InputError(bad_input.CANNOT_WRITE, path, "the data are read from it")
    if path.is_dir():
        raise InputError(bad_input.CANNOT_WRITE, path, "it is a folder")
    if path.exists() and not path.is_file():
        raise InputError(bad_input.CANNOT_WRITE, path, "it is no ordinary file")
    if not path.parent.is_dir():
        raise InputError(bad_input.CANNOT_WRITE, path, f"there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise InputError(bad_input.CANNOT_WRITE, path, f"there is no permission to write in {path.parent}")


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
            try:
                Path(temporary).replace(path)
            except OSError as error:
                raise InputError(bad_input.CANNOT_WRITE, cut(str(path)), error.strerror) from None
    finally:
        for temporary in staged.values():
            Path(temporary).unlink(missing_ok=True)
    if for_output:
        _write_to_standard_output(for_output)


def _write_to_standard_output(text: str) -> None:
    """As a file would hold it, UTF-8, whatever the encoding of a terminal may be."""
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(writable(text))
        return
    sys.stdout.flush()
    binary.write(text.encode("utf-8", "backslashreplace"))
    binary.flush()


def _staged(path: Path, text: str) -> str:
    content = text.encode("utf-8", "backslashreplace")
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(temporary).chmod(0o644)
    except BaseException as error:  # an interruption leaves nothing behind either
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(bad_input.CANNOT_WRITE, cut(str(path)), error.strerror) from None
        raise
    return temporary
