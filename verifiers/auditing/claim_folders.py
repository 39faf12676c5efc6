"""The files of claims of a folder: the `claims_*.py` below it, or below those paths in it that its project names."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from dpverify.mechanisms.exported import advice_in_brackets, did_you_mean
from dpverify.mechanisms.numbers import reasons
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown, told
from dpverify.verifiers.locations import seen_from_here

SETTINGS: Final = "pyproject.toml"

_LEFT_OUT: Final = frozenset({"__pycache__", "node_modules", "build", "dist"})
"""Folders that tools write. Those whose name begins with a dot, and virtual environments, are left out too."""


class NoClaimFiles(InputError):
    """There is no file of claims where the command looks for them."""


def holds_claims(file: Path) -> bool:
    """True where a file is one of claims by its name."""
    return file.suffix == ".py" and file.name.startswith("claims_")


def claim_files(folder: Path) -> list[Path]:
    """The files of claims of a folder, each once, in the order of their paths.

    `[tool.dpverify] paths` of the nearest pyproject.toml, in the folder or above it, says where they are; otherwise
    pytest's `testpaths` there, where these hold any; otherwise they are anywhere in the folder. Paths outside of the
    folder do not count. Raises `NoClaimFiles` where there is none, and `InputError` for bad settings.
    """
    settings = next((above / SETTINGS for above in _at_and_above(folder) if (above / SETTINGS).is_file()), None)
    tool = {} if settings is None else _tool_table(settings)
    root = folder if settings is None else settings.parent
    named = _below(folder, _own_paths(tool, settings))
    found = _found_in(named or _below(folder, _test_paths(tool, root)) or [folder])
    if not found and not named:
        found = _found_in([folder])
    if not found:
        where = ", ".join(shown(str(path.resolve())) for path in named or [folder])
        raise NoClaimFiles(f"there is no claims_*.py in {where} or below")
    return found


def _at_and_above(folder: Path) -> Iterator[Path]:
    absolute = Path(os.path.abspath(folder))  # noqa: PTH100  # links stay
    yield folder
    yield from absolute.parents


def _tool_table(settings: Path) -> Mapping[str, Any]:
    """The table [tool] of a pyproject.toml. Raises `InputError` where that cannot be read."""
    try:
        tool = tomllib.loads(settings.read_text(encoding="utf-8")).get("tool", {})
    except (OSError, ValueError) as error:
        raise InputError(reasons.CANNOT_READ.text(file=settings, why=told(error))) from None
    return tool if isinstance(tool, dict) else {}


def _own_paths(tool: Mapping[str, Any], settings: Path | None) -> list[Path]:
    """The paths of `[tool.dpverify] paths`. Raises `InputError` for other settings, and for a path that is missing."""
    table = tool.get("dpverify", {})
    where = f"{settings}: [tool.dpverify]"
    if not isinstance(table, dict) or not _is_list_of_texts(table.get("paths", [])):
        raise InputError(bad_input.WRONG, f"{where} paths", "a list of texts", 'write paths = ["tests"]')
    for name in table:
        if name != "paths":
            near = advice_in_brackets(did_you_mean(name, ["paths"]))
            raise InputError(bad_input.NO_NAME, f"{where}: the setting {shown(name)}", near, "paths")
    paths = [] if settings is None else [settings.parent / name for name in table.get("paths", [])]
    for path in paths:
        if not path.exists():
            raise InputError(bad_input.NO_NAME, f"{where} paths: {shown(str(path))}", "", "a folder that exists")
    return paths


def _test_paths(tool: Mapping[str, Any], root: Path) -> list[Path]:
    """The folders of pytest's `testpaths`, where they are: of others pytest itself complains."""
    pytest = tool.get("pytest", {})
    options = pytest.get("ini_options", pytest) if isinstance(pytest, dict) else {}
    given = options.get("testpaths", []) if isinstance(options, dict) else []
    patterns = given.split() if isinstance(given, str) else given if _is_list_of_texts(given) else []
    return [path for pattern in patterns if not Path(pattern).is_absolute() for path in sorted(root.glob(pattern))]


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)


def _below(folder: Path, paths: Collection[Path]) -> list[Path]:
    """Those of the paths that are the folder, or in it."""
    here = folder.resolve()
    return [path for path in paths if path.resolve().is_relative_to(here)]


def _found_in(paths: Collection[Path]) -> list[Path]:
    once: dict[Path, Path] = {}
    for path in paths:
        for file in sorted(_walked(path)) if path.is_dir() else [path]:
            once.setdefault(file.resolve(), seen_from_here(file))
    return list(once.values())


def _walked(folder: Path) -> Iterator[Path]:
    """The files of claims in a folder and below; links to folders are not followed."""
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_left_out(Path(at), name)]
        yield from (file for file in map(Path(at).joinpath, files) if holds_claims(file))


def _is_left_out(at: Path, name: str) -> bool:
    return name.startswith(".") or name in _LEFT_OUT or (at / name / "pyvenv.cfg").exists()


_MARKS: Final = ("pyproject.toml", "setup.cfg", "pytest.ini", ".git")
"""Files by which the root of a project is known."""


def importable_folders(file: Path) -> list[Path]:
    """The folders from which what a file imports is found, each once: its own, its project's, and `pythonpath`."""
    root = next((folder for folder in file.parents if any((folder / mark).exists() for mark in _MARKS)), None)
    named = [] if root is None else [root, *(root / folder for folder in _pythonpath(root / "pyproject.toml"))]
    return list(dict.fromkeys([file.parent, *named]))


def _pythonpath(settings: Path) -> list[str]:
    """The folders that pytest is to put on the path; nothing where that cannot be read, which pytest itself reports."""
    try:
        result: Any = tomllib.loads(settings.read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]["pythonpath"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    folders = result.split() if isinstance(result, str) else result
    return [folder for folder in folders if isinstance(folder, str)] if isinstance(folders, list) else []
