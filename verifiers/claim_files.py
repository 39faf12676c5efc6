"""Claims and mechanisms from Python files and modules, as the command line and pytest name them."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from dpverify.mechanisms.errors import InputError
from dpverify.verifiers.claims import Claim, Thing, all_in


def load_claims(path: Path) -> list[Claim]:
    """The privacy claims of a Python file, as `load_all` finds them."""
    return load_all(path, Claim)


def load_all(path: Path, *kinds: type[Thing]) -> list[Thing]:
    """What a Python file holds of some kinds, in order.

    Raises `InputError`, with the line, where the file cannot be run, holds none of them, or two of one id.
    """
    found = all_in(vars(load_file(path)), *kinds)
    if not found:
        objects = " or ".join(f"{kind.__name__}(…)" for kind in kinds)
        raise InputError(f"{path} holds no claims: assign {objects} objects to names at module level")
    return found


def load_file(path: Path) -> ModuleType:
    """A Python file as a module, with its folder importable. Raises `InputError`, with the line, where it fails."""
    try:
        resolved = path.resolve()
        is_file = resolved.is_file()
    except (OSError, RuntimeError):  # a name that is too long, or links in a circle
        is_file = False
    if not is_file:
        raise InputError(f"{path} is not a file")
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(resolved):
            return module
    name = path.stem if path.stem not in sys.modules else f"{path.stem}_{abs(hash(resolved)):x}"
    spec = importlib.util.spec_from_file_location(name, resolved)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file")
    _make_importable(resolved.parent)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InputError(f"{path}{_line_of(error, resolved)}: {_what(error)}") from error
    return module


def load_object(reference: str) -> Any:
    """The object that MODULE:NAME or FILE.py:NAME names. Raises `InputError` where there is none."""
    place, colon, name = reference.rpartition(":")
    if not colon or not place or not name:
        raise InputError(f"{reference!r} is not of the form MODULE:NAME or FILE.py:NAME")
    if place.endswith(".py"):
        module = load_file(Path(place))
    else:
        _make_importable(Path.cwd())
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            if error.name is None or not place.startswith(error.name):
                raise InputError(f"{place}: {_what(error)}") from error
            raise InputError(
                f"there is no module {error.name}: give an importable MODULE:NAME or FILE.py:NAME"
            ) from None
        except (Exception, SystemExit) as error:
            raise InputError(f"{place}: {_what(error)}") from error
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise InputError(f"{place} has no {name}{_near(part, dir(found))}")
        found = getattr(found, part)
    return found


def _near(name: str, names: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, names, n=1)
    return f": did you mean {close[0]}?" if close else ""


def _make_importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _line_of(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}" if error.filename == str(path) else ""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f", line {lines[-1]}" if lines else ""


def _what(error: BaseException) -> str:
    if isinstance(error, InputError):
        return str(error)
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {message}"
