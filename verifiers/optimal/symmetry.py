"""Symmetries: what moves databases and outcomes together without changing neighbours or success.

If π moves databases and σ outcomes so, then D ↦ σ⁻¹(M(π(D))) is as private as M, and succeeds as often, only elsewhere.
So does the average over the group that some such pairs generate: there is a best mechanism for which Pr[o | D] is the
same on each orbit of cells (D, o), and the program needs one variable for each orbit.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.shown import shown
from dpverify.verifiers.optimal.formulation import OrbitNumbers
from dpverify.verifiers.optimal.question import DesignProblem, question_of_user

SymmetryMaps: TypeAlias = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""A function of databases, and one of outcomes."""


def outcome_orbits(
    asked: DesignProblem, fewer: DesignProblem, stands_for: Sequence[int], symmetries: Iterable[SymmetryMaps]
) -> OrbitNumbers:
    """The orbits of the group that the symmetries of a question generate, on the outcomes that are kept of it.

    Raises `InputError`, with what it moves wrongly, for one that is none.
    """
    moved = [_checked(asked, number, symmetry) for number, symmetry in enumerate(symmetries)]
    if not moved:
        return OrbitNumbers.alone(fewer)
    answers = len(fewer.outcomes)
    place = {outcome: o for o, outcome in enumerate(asked.outcomes)}
    kept = [place[outcome] for outcome in fewer.outcomes]
    pair_at = {(pair.left, pair.right): p for p, pair in enumerate(asked.pairs)}
    databases, cells = _Sets(len(asked.databases)), _Sets(len(asked.databases) * answers)
    pairs = _Sets(len(asked.pairs))
    for of_database, of_outcome in moved:
        to = [stands_for[of_outcome[o]] for o in kept]
        for i, j in enumerate(of_database):
            databases.join(i, j)
            for o in range(answers):
                cells.join(i * answers + o, j * answers + to[o])
        for p, pair in enumerate(asked.pairs):
            pairs.join(p, pair_at[of_database[pair.left], of_database[pair.right]])
    orbits = databases.names()
    of_cells = cells.names()
    rows = [of_cells[i * answers : (i + 1) * answers] for i in range(len(asked.databases))]
    return OrbitNumbers(orbits, orbits, rows, pairs.names())


def _checked(asked: DesignProblem, number: int, symmetry: object) -> tuple[list[int], list[int]]:
    """The places that each database, and each outcome, is moved to."""
    name = f"symmetries[{number}]"
    if not isinstance(symmetry, tuple) or len(symmetry) != 2:
        raise InputError(
            bad_input.WRONG, f"{name}={shown(symmetry)}", "a pair", "give a function of databases and one of outcomes"
        )
    on_databases, on_outcomes = symmetry
    of_database = _permutation(f"{name} on databases", on_databases, asked.databases)
    of_outcome = _permutation(f"{name} on outcomes", on_outcomes, asked.outcomes)
    for what in _broken(asked, of_database, of_outcome):
        raise InputError(bad_input.NO_SYMMETRY, name, what)
    return of_database, of_outcome


def _permutation(name: str, function: Any, members: Sequence[Hashable]) -> list[int]:
    place = {member: at for at, member in enumerate(members)}
    images = []
    for member in members:
        image = question_of_user(name, function, member)
        try:
            known = image in place
        except TypeError:
            known = False
        if not known:
            raise InputError(
                bad_input.NO_SYMMETRY, name, f"it moves {shown(member)} to {shown(image)}, which is not there"
            )
        images.append(place[image])
    if len(set(images)) < len(images):
        raise InputError(bad_input.NO_SYMMETRY, name, "it moves two to the same place")
    return images


def _broken(asked: DesignProblem, of_database: Sequence[int], of_outcome: Sequence[int]) -> Iterator[str]:
    steps = {(pair.left, pair.right): pair.steps for pair in asked.pairs}
    for (left, right), distance in steps.items():
        if steps.get((of_database[left], of_database[right])) != distance:
            names = (asked.databases[i] for i in (left, right, of_database[left], of_database[right]))
            yield "{} and {} are as far apart as {} and {} are not".format(*map(shown, names))
    for i, row in enumerate(asked.success):
        j = of_database[i]
        for o, success in enumerate(row):
            if asked.success[j][of_outcome[o]] != success:
                yield (
                    f"{shown(asked.outcomes[o])} on {shown(asked.databases[i])} does not succeed as "
                    f"{shown(asked.outcomes[of_outcome[o]])} does on {shown(asked.databases[j])}"
                )
        if asked.weights is not None and asked.weights[i] != asked.weights[j]:
            yield f"{shown(asked.databases[i])} and {shown(asked.databases[j])} have different weights"


class _Sets:
    """Numbers below `count` in sets, which are joined (union-find)."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def _top(self, i: int) -> int:
        while self._above[i] != i:
            self._above[i] = i = self._above[self._above[i]]
        return i

    def join(self, i: int, j: int) -> None:
        """The sets of both become one."""
        self._above[self._top(i)] = self._top(j)

    def names(self) -> list[int]:
        """For each number one that stands for its set."""
        return [self._top(i) for i in range(len(self._above))]
