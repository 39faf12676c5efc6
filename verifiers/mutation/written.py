"""The files that `dpverify mutate` writes, read again: its record, and the figures that are kept of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from dpverify.mechanisms.numbers.errors import InputError


class _OfSchema(Protocol):
    @property
    def schema(self) -> str: ...


_Form = TypeVar("_Form", bound=_OfSchema)


def read_written(path: Path, form: type[_Form], schema: str, *, named: str, again: str) -> _Form:
    """The content of a file; `named` says what it holds, and `again` how it is written.

    Raises `InputError` where it holds something else, is of another schema, or cannot be read.
    """
    try:
        content = msgspec.json.decode(path.read_bytes(), type=form)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; {again}") from None
    except msgspec.MsgspecError as error:
        raise InputError(f"{path} holds no {named} ({error}): {again}") from None
    if content.schema != schema:
        raise InputError(f"{path} is of schema {content.schema}, and not {schema}: {again}")
    return content
