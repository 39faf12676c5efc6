"""The oracle of what is read of a program: its law as it is written, with one run for each path of the code."""

import linecache
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any, Final

from dpverify.mechanisms import InputError, Limits, Undecided
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.instructions.as_written import as_written
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.verifiers.divergence.output_tables.tabulation import same_distribution


def made_of_text(text: str, known: Mapping[str, Any]) -> Any:
    """The function `mechanism` of a text, of which the source is found: else it would be outside the language."""
    file, names = f"<program {next(_NUMBERS)}>", dict(known)
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec", dont_inherit=True), names)
    return names["mechanism"]


_NUMBERS: Final = count()


def runs_and_law(mechanism: Any, database: tuple[Any, ...] = (0, 1, 1)) -> tuple[int, Any]:
    """The number of its runs, and its law; or what was refused of it."""
    enumeration = Enumeration(Limits())
    try:
        law: Any = enumeration.law(mechanism, (database,), {})
    except (InputError, Undecided) as error:
        law = type(error)
    return enumeration.runs, law


def are_the_same(left: Any, right: Any) -> bool:
    """True where both have the same law, or both are refused."""
    if isinstance(left, type) or isinstance(right, type):
        return left is right
    try:
        return same_distribution(left, right)
    except Undecided:  # Gaussian noise, of which balls are all that is known: in other sums as in one
        return left.probabilities.keys() == right.probabilities.keys() and all(
            abs(enclosure(p - right.probabilities[outcome], 256)) < 1e-35 for outcome, p in left.probabilities.items()
        )


def differs_as_written(mechanism: Any, databases: Iterable[tuple[Any, ...]]) -> bool:
    """True where a program has another law on some database than as it is written."""
    for database in databases:
        _, found = runs_and_law(mechanism, database)
        with as_written():
            _, expected = runs_and_law(mechanism, database)
        if not are_the_same(found, expected):
            return True
    return False
