"""The place in somebody's code at which an error arose: file and line of their own frame, and not of a library's."""

from __future__ import annotations

import functools
import os
import sysconfig
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import MadeOf
from dpverify.mechanisms.numbers.errors import Place

_STANDARD: Final = ("<frozen ", *(sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "platstdlib")))
NO_FILE: Final = "<string>"
"""File names of code that `eval`, `exec` or `python -c` has compiled."""
_HOME: Final = Path(__file__).parents[2]
"""The folder of the package."""
_INSTALLED: Final = tuple(f"{os.sep}{folder}{os.sep}" for folder in ("site-packages", "dist-packages"))
_MOST_FILES: Final = 1_000
"""Files of which it is remembered where they lie: noise asks at each operation."""


def place_of(error: BaseException, function: Any = None) -> Place | None:
    """The innermost place in somebody's own code that `error` has come through; None where it met none.

    That is outside this library, the standard library and installed packages, but for the file of `function`. Where
    there is none, and `function` is of this library, it is the innermost place in its module; where there is none
    either, as for what it has returned, it is where `function` is defined.
    """
    frames = [(frame.tb_frame, frame.tb_lineno) for frame in _links(error.__traceback__)]
    return _innermost(reversed(frames), function) or getattr(error, "place", None) or place_of_definition(function)


def place_now(frame: FrameType | None) -> Place | None:
    """The innermost place in somebody's own code among `frame` and those that called it."""
    return _innermost(_outwards(frame), None)


def place_during(frame: FrameType | None, function: Any, caller: str) -> Place | None:
    """As `place_of`, of `function` while it runs: the innermost of `frame` and those that called it.

    Modules whose names begin with `caller` have called `function`, and whoever called them says nothing of it.
    """
    code = code_of(function)

    def is_called(each: tuple[FrameType, int]) -> bool:
        its_own = code is not None and each[0].f_code.co_filename == code.co_filename
        return its_own or not str(each[0].f_globals.get("__name__")).startswith(caller)

    return _innermost(takewhile(is_called, _outwards(frame)), function)


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Code, and the code within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def place_in_brackets(place: Place | None) -> str:
    """A place as a message ends with it: in brackets, and nothing for None."""
    return "" if place is None else f" ({place})"


def code_of(function: Any) -> CodeType | None:
    """The code that runs where `function` is called, as far as that can be told."""
    for _ in range(100):
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, MadeOf):
            function = function.functions[0]
        elif isinstance(getattr(function, "__code__", None), CodeType):
            return function.__code__  # type: ignore[no-any-return]
        else:
            inner = getattr(function, "__func__", None) or vars(type(function)).get("__call__")
            if inner is None or inner is function:
                return None
            function = inner
    return None


def is_kept_nowhere(code: CodeType | None) -> bool:
    """True where code comes from a text that nobody can look up: Python 3.13 has that of `python -c` under its name."""
    return code is not None and code.co_filename == NO_FILE


def file_of(function: Any) -> str | None:
    """The file that a function comes from, as messages name it; None where that cannot be told."""
    code = code_of(function)
    return None if code is None else shortened_path(code.co_filename, ours=_is_defined_here(function))


def shortened_path(file: str, *, ours: bool) -> str:
    """A path relative to the working directory, or to the package where it is `ours`, else its last two parts.

    None of them is of one machine.
    """
    if file.startswith("<"):
        return file
    try:
        return _relative(file, None if ours else Path.cwd())
    except OSError:  # there is no working directory any more
        return _last_parts(file)


@lru_cache(maxsize=_MOST_FILES)
def _relative(file: str, folder: Path | None) -> str:
    try:
        return str(Path(file).relative_to(_HOME) if folder is None else (folder / file).relative_to(folder))
    except ValueError:  # elsewhere
        return _last_parts(file)


def _last_parts(file: str) -> str:
    return str(Path(*Path(file).parts[-2:]))


def _outwards(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    """A frame and those that called it, with the lines that they are at."""
    while frame is not None:
        yield frame, frame.f_lineno
        frame = frame.f_back


def _links(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _innermost(frames: Iterable[tuple[FrameType, int]], function: Any) -> Place | None:
    """The first place of somebody's own among frames, the innermost of which come first."""
    code = code_of(function)
    file = None if code is None else code.co_filename
    generated: Place | None = None
    within_ours: Place | None = None
    for frame, line in frames:
        if is_somebodys_own(frame, file):
            place = _place(frame, line, ours=False)
            if not is_kept_nowhere(frame.f_code):
                return place
            # a line of generated code, as of a dataclass, is no help where there is another
            generated = generated or place
        elif within_ours is None and _is_part_of(frame, code):
            within_ours = _place(frame, line, ours=True)
    return generated or within_ours


def _place(frame: FrameType, line: int, *, ours: bool) -> Place:
    return Place(shortened_path(frame.f_code.co_filename, ours=ours), line, ours)


def is_somebodys_own(frame: FrameType, file: str | None) -> bool:
    """True where a frame runs code of somebody's own, or that of `file`: not of libraries, nor of Python."""
    if _is_ours(frame):
        return False
    name = frame.f_code.co_filename
    return name == file or not _is_of_a_library(name)


@lru_cache(maxsize=_MOST_FILES)
def _is_of_a_library(file: str) -> bool:
    return file.startswith(("<", *_STANDARD)) or file.endswith(".pyx") or any(part in file for part in _INSTALLED)


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith("dpverify.")


def _is_defined_here(function: Any) -> bool:
    while isinstance(function, MadeOf):
        function = function.functions[0]
    return str(getattr(function, "__module__", "")).startswith("dpverify.")


def place_of_definition(function: Any) -> Place | None:
    """The place at which a function is defined; None where that cannot be told."""
    file, code = file_of(function), code_of(function)
    if file is None or code is None:
        return None
    return Place(file, code.co_firstlineno, _is_defined_here(function))


def _is_part_of(frame: FrameType, code: CodeType | None) -> bool:
    return code is not None and _is_ours(frame) and frame.f_code.co_filename == code.co_filename
