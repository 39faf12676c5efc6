"""Claims and mechanisms from Python files and modules, as the command line and pytest name them."""

import ast
import functools
import importlib
import importlib.util
import os
import pkgutil
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, NoReturn

from dpverify.mechanisms.functions.places import place_in_brackets, place_of
from dpverify.mechanisms.functions.signatures import wrong_call
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_input, bad_mechanism
from dpverify.mechanisms.numbers.shown import cut, shown, told
from dpverify.verifiers.auditing.claim_folders import importable_folders
from dpverify.verifiers.claims import AnyClaim, claims_in
from dpverify.verifiers.locations import is_of_the_environment, seen_from_here
from dpverify.verifiers.readable import advice_in_brackets, did_you_mean


def load_claims(path: Path) -> list[AnyClaim]:
    """The claims of a Python file, of all kinds, in order.

    Raises `InputError`, with the line, where the file cannot be run, holds none, or two of one id.
    """
    claims = claims_in(vars(load_file(path)))
    if not claims:
        raise InputError(reasons.NO_CLAIMS.text(file=path))
    for claim in claims:
        claim.found_in(str(path.resolve()))
    return claims


class _FromSource(SourceFileLoader):
    """Loads what a file says, and no compiled file of it.

    Python takes a compiled file for an edited source of the same size and second, and the old questions for the new.
    """

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def load_file(path: Path, name: str | None = None) -> ModuleType:
    """A Python file as a module, with its folder importable, and its project's as pytest has it.

    These are the nearest folder above it with a pyproject.toml, a setup.cfg, a pytest.ini or a .git, and `pythonpath`
    of [tool.pytest.ini_options] in that pyproject.toml.
    `name` is what to call it, if it is not loaded yet. Raises `InputError`, with the line, where the file fails.
    """
    try:
        resolved = path.resolve()
        is_file = resolved.is_file()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, or a name that no file can have
        raise InputError(bad_input.WRONG, shown(str(path)), f"a file ({told(error)})", "name another path") from None
    file = str(resolved)
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == file:
            return module
    if not is_file:
        raise InputError(reasons.NO_SUCH_FILE.text(file=path, near=advice_in_brackets(files_near(path))))
    if name is None:
        name = path.stem if path.stem not in sys.modules else f"{path.stem}_{_digest(resolved)}"
    spec = importlib.util.spec_from_file_location(name, resolved)
    if spec is None or spec.loader is None:
        raise InputError(bad_input.WRONG, path, "a Python file", "name a file that ends in .py")
    if isinstance(spec.loader, SourceFileLoader):
        spec.loader = _FromSource(name, file)
    folders = importable_folders(resolved)
    _refuse_modules_of_another_folder(path, folders)
    for folder in reversed(folders):
        _make_importable(folder)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _no_sudden_end():
            spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a file may raise anything, one of its own included
        sys.modules.pop(name, None)
        raise InputError(_failed(f"{path}{_line_of(error, resolved)}", error)) from error
    return module


def load_object(reference: str) -> Any:
    """The object that MODULE:NAME or FILE.py:NAME names, also with `::`. Raises `InputError` where there is none."""
    place, colon, name = reference.rpartition(":")
    place = place.removesuffix(":")
    if not colon or not place or not name:
        refuse_no_name(reference)
    if place.endswith(".py"):
        module = load_file(Path(place))
    else:
        with importing(place):
            module = importlib.import_module(place)
    result: Any = module
    for part in name.split("."):
        if not hasattr(result, part):
            if name in {claim.id for claim in claims_in(vars(module))}:
                raise InputError(bad_input.CLAIM_NO_MECHANISM, name, f"{place} {name}")
            near = advice_in_brackets(did_you_mean(part, dir(result)))
            raise InputError(reasons.NO_SUCH_NAME.text(file=place, name=name, near=near, known=_one_of(result)))
        result = getattr(result, part)
    return result


@contextmanager
def importing(name: str) -> Iterator[None]:
    """While it lasts a module of that name is imported, from the working directory too, where that is possible.

    Raises `InputError` in place of whatever that raises.
    """
    _make_importable(Path.cwd())
    try:
        with _no_sudden_end():
            yield
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise InputError(_failed(name, error)) from error
        near = advice_in_brackets(modules_near(error.name))
        raise InputError(
            reasons.NO_SUCH_MODULE.text(
                name=error.name, near=near, instead="give an importable MODULE:NAME or FILE.py:NAME"
            )
        ) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # as of a file
        raise InputError(_failed(name, error, place_in_brackets(place_of(error)))) from error


def _digest(path: Path) -> str:
    """A digest that tells a file from others of its name, in every process: `hash` would not."""
    return sha256(os.fsencode(path)).hexdigest()[:16]


@contextmanager
def _no_sudden_end() -> Iterator[None]:
    """While it lasts `os._exit` raises: a file that ends the process would decide the status of the command."""
    end = os._exit

    def refused(status: int) -> NoReturn:
        raise InputError(bad_mechanism.EXITED, f"os._exit({shown(status)}) was called while it was imported")

    os._exit = refused
    try:
        yield
    finally:
        os._exit = end


def _refuse_modules_of_another_folder(path: Path, folders: Sequence[Path]) -> None:
    """Raises `InputError` where a file would be given another module than the one of its own folders by that name.

    Two folders may each have a lib.py, and a process has one `lib`: what is PROVED would be proved of the other one.
    """
    looked_at, left = set(), [path]
    while left:
        for name in _imported_by(left.pop()):
            own = next((file for folder in folders for file in _files_of_module(folder, name) if file.is_file()), None)
            if own is None or own in looked_at:
                continue
            looked_at.add(own)
            left.append(own)
            loaded = getattr(sys.modules.get(name), "__file__", None)
            if (
                isinstance(loaded, str)
                and not is_of_the_environment(loaded)
                and Path(loaded).resolve() != own.resolve()
            ):
                where = seen_from_here(loaded)
                raise InputError(bad_input.NAMES_COLLIDE, path, name, where)


def _files_of_module(folder: Path, name: str) -> tuple[Path, Path]:
    return folder / f"{name}.py", folder / name / "__init__.py"


def _imported_by(file: Path) -> tuple[str, ...]:
    """The modules that a file imports, without what is within packages; none of what cannot be read."""
    try:
        return _imported_in(file.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):  # of which its import complains
        return ()


@functools.cache
def _imported_in(text: bytes) -> tuple[str, ...]:
    nodes = list(ast.walk(ast.parse(text)))
    named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    named += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return tuple(dict.fromkeys(name.partition(".")[0] for name in named))


def files_near(path: Path) -> str:
    """Advice on the file of the folder that may be meant by a name that is none."""
    try:
        stems = [file.stem for file in path.parent.iterdir() if file.suffix == ".py"]
    except OSError:
        return ""
    near = did_you_mean(path.stem, stems)  # all have the ending, which is no likeness
    return f"{near.removesuffix('?')}.py?" if near else ""


def refuse_no_name(reference: str) -> NoReturn:
    """Raises `InputError` for a file, or anything else, that has no name of a function with it."""
    path = Path(reference)
    with suppress(OSError):  # of a name that no file can have
        if path.suffix == ".py" and not path.is_file():
            raise InputError(reasons.NO_SUCH_FILE.text(file=reference, near=advice_in_brackets(files_near(path))))
    raise InputError(reasons.NO_FUNCTION_NAMED.text(reference=cut(reference), advice=_with_a_name(reference)))


def _one_of(owner: object) -> str:
    """Advice on the names that a module, or a class, defines; what it imports is left out."""
    home = getattr(owner, "__name__", None)
    names = [
        name
        for name, value in getattr(owner, "__dict__", {}).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
        if not isinstance(value, FunctionType | type) or value.__module__ in (home, getattr(owner, "__module__", home))
    ]
    few = [*names[:_FEW], *(["another name"] if len(names) > _FEW else [])]
    return " or ".join(few) or "a name that is defined there"


def _with_a_name(reference: str) -> str:
    """Advice on what to write in place of a file without a name: the file with each function that its text defines."""
    path = Path(reference)
    try:
        tree = ast.parse(path.read_bytes()) if path.suffix == ".py" else ast.Module([], [])
    except (OSError, ValueError, SyntaxError):
        return "MODULE:NAME or FILE.py:NAME"
    names = [one.name for one in tree.body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")]
    few = [f"{reference}:{name}" for name in names[:_FEW]]
    return " or ".join([*few, *(["another one"] if len(names) > _FEW else [])]) or "MODULE:NAME or FILE.py:NAME"


_FEW: Final = 6
"""Functions of a file that an error names."""


def modules_near(name: str) -> str:
    """Advice on the module of the working directory, or of the package that it names, in place of one that is none."""
    package, _, last = name.rpartition(".")
    if package in sys.modules:
        inner = (module.name for module in pkgutil.iter_modules(getattr(sys.modules[package], "__path__", ())))
        near = did_you_mean(last, inner)
        return near and near.replace("mean ", f"mean {package}.")
    here = [file.stem for file in Path.cwd().glob("*.py")] + [
        file.parent.name for file in Path.cwd().glob("*/__init__.py")
    ]
    first, known = name.partition(".")[0], [*here, "dpverify"]
    return "" if first in known else did_you_mean(first, known)


def _make_importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _line_of(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}" if error.filename == str(path) else ""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f", line {lines[-1]}" if lines else ""


def _failed(where: str, error: BaseException, place: str = "") -> str:
    """The message on a file or a module that raises: what that says, and where it is."""
    refusal = str(error) if isinstance(error, InputError) else wrong_call(error) or _not_there(error)
    if refusal is not None:
        return f"{where}: {refusal}{place}"
    message = error.msg if isinstance(error, SyntaxError) else told(error)
    what = f"{type(error).__name__}: {message}".removesuffix(": ")
    return bad_input.FILE_FAILED.text(where, f"{what}{place}")


def _not_there(error: BaseException) -> str | None:
    """The refusal of a module, or of a name of one, that was imported and is not there; None for another error."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        return reasons.NO_SUCH_MODULE.text(name=error.name, near=advice_in_brackets(modules_near(error.name)))
    if isinstance(error, ImportError) and (name := re.match(r"cannot import name '(\w+)'", told(error))):
        module = sys.modules.get(error.name or "")
        near = advice_in_brackets(did_you_mean(name[1], dir(module)))
        return reasons.NO_SUCH_NAME.text(file=error.name, name=name[1], near=near, known=_one_of(module))
    return None
