"""The page of what the rooms export, from the docstrings and the formulas: `python -m tests.docs.rooms_page`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from dpverify.mechanisms.counting.sample_sizes import ROWS, formulas
from dpverify.mechanisms.exported import ROOMS

PAGE: Final = Path(__file__).parents[2] / "docs" / "algorithms.md"

HEAD: Final = """# The papers' algorithms, and what else is special

What the rooms export, each name from the room under whose heading it stands; [the API on a page](api.md) has what is
common to all uses. The page is written by `python -m tests.docs.rooms_page` from the docstrings, which name paper and
figure. The last column says what `sample_size`, of `dpverify.mechanisms`, knows of an algorithm: `rows` is what
`sample_size(algorithm, …)` returns, another name goes in as `sample_size(algorithm, "gap", …)`.

"""

WITHOUT_DOCSTRING: Final = {
    "Mechanism": "The type of mechanisms: functions of `draw`, a database and parameters.",
    "PIRATE_STRATEGIES": "Strategies of pirates, by name.",
    "Values": "What a model gives to terms: values, by their names.",
}


def page() -> str:
    """The text of the page."""
    return HEAD + "\n".join("\n".join(_room(name)) for name in ROOMS)


def _room(name: str) -> Iterator[str]:
    room = import_module(name)
    known = formulas()
    yield f"## `{name}`\n\n{str(room.__doc__).strip().partition(chr(10))[0]}\n"
    sizes = any(_is_sized(getattr(room, member), known) for member in room.__all__)
    yield (
        "| name | what it is | sample_size |\n| --- | --- | --- |" if sizes else "| name | what it is |\n| --- | --- |"
    )
    for member in room.__all__:
        value = getattr(room, member)
        row = [f"`{member}`", _escaped(_first_line(member, value))]
        if sizes:
            row.append(
                "; ".join(_wanted(what, formula) for what, formula in known[value].items())
                if _is_sized(value, known)
                else ""
            )
        yield f"| {' | '.join(row)} |"
    yield ""


def _is_sized(value: Any, known: Any) -> bool:
    return callable(value) and value in known


def _wanted(what: str, formula: Any) -> str:
    given = [one.name for one in inspect.signature(formula).parameters.values() if one.default is one.empty]
    return f"{what if what == ROWS else chr(34) + what + chr(34)}: {', '.join(f'`{name}`' for name in given)}"


def _first_line(name: str, value: Any) -> str:
    return WITHOUT_DOCSTRING.get(name) or str(value.__doc__).partition("\n")[0]


def _escaped(text: str) -> str:
    return text.replace("|", r"\|").replace("*", r"\*")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
