"""The pages of the reference, from what the packages export: by topic, as docs/api.md has them, and by package."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence, Set
from importlib import import_module
from pathlib import Path

from dpverify.mechanisms.exported import EXPORTING_PACKAGES, FACES

ROOT = Path(__file__).parents[2]
API = ROOT / "docs" / "api.md"
BEGIN = "\n".join([">>> from fractions import Fraction", *(f">>> from {face} import *" for face in FACES)])
MOST = 7
"""Names on a page."""


def pages() -> dict[str, str]:
    """The text of each page, by its name: an index, a page for each topic, and one for each package."""
    by_topic = dict(part for title, package, names in topics() for part in _parts(title, package, names))
    shown = {name for _, _, names in topics() for name in names}  # a face and a package may export one thing
    packages = dict(
        part for package in EXPORTING_PACKAGES for part in _parts(package, package, _others(package, shown))
    )
    return {"index": _index(list(by_topic), list(packages)), **by_topic, **packages}


def _others(package: str, shown: Set[str]) -> list[str]:
    return [name for name in import_module(package).__all__ if name not in shown]


def topics() -> Iterator[tuple[str, str, list[str]]]:
    """Of each heading of docs/api.md: what it says, the package, and the names below it."""
    for title, package, text in re.findall(
        r"^## (.+?): `(dpverify\.\w+)`\n(.*?)(?=^## |\Z)", API.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE
    ):
        rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", text, flags=re.MULTILINE)
        yield f"{title} ({package})", package, [name for row in rows for name in re.findall(r"`(\w+)`", row)]


def write(folder: Path) -> None:
    """Write the pages, and nothing where they are already as they are to be."""
    folder.mkdir(exist_ok=True)
    for name, text in pages().items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _named(title: str) -> str:
    return re.sub(r"[^a-z_]+", "-", title.partition(" (")[0].lower().removeprefix("dpverify.")).strip("-")


def _parts(title: str, package: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pages of as many names as are quickly there on a slow line."""
    for start in range(0, len(names), MOST):
        part = names[start : start + MOST]
        of_several = f": {part[0]} to {part[-1]}" if len(names) > MOST else ""
        number = f"-{start // MOST + 1}" if start else ""
        yield _named(title) + number, _page(title + of_several, package, part)


def _page(title: str, package: str, names: Sequence[str]) -> str:
    entries = "\n".join(_entry(name, getattr(import_module(package), name)) for name in names)
    return f":orphan:\n\n{title}\n{'=' * len(title)}\n\n.. currentmodule:: {package}\n\n{entries}\n"


def _entry(name: str, value: object) -> str:
    """What Sphinx is to show; of a value of Python's own types its docstring is that of the type, and is left out."""
    if type(value).__doc__ == value.__doc__ and type(value).__module__ in ("builtins", "typing", "types"):
        return f".. py:data:: {name}"
    return f".. {_directive(value)}:: {name}"


def _directive(value: object) -> str:
    if inspect.isclass(value):
        return "autoexception" if issubclass(value, Exception) else "autoclass"
    return "autofunction" if inspect.isroutine(value) else "autodata"


def _index(by_topic: Sequence[str], packages: Sequence[str]) -> str:
    """Links, and no contents: the margin of each page of the site would have a line for each of them."""
    topics, special = ("\n".join(f"- :doc:`{name}`" for name in names) for names in (by_topic, packages))
    return (
        "Reference\n=========\n\nEvery public name, from its docstring. "
        f"Examples are run by a test, and begin with these lines:\n\n{BEGIN}\n\n"
        "What nearly all uses need, by topic:\n\n"
        f"{topics}\n\nWhat is special, by package:\n\n{special}\n"
    )
