"""The laws of a mechanism on every database of a domain, and the checks that it is a function of them and of `draw`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, Generic, TypeAlias, TypeVar

from dpverify.mechanisms.distributions import Distribution
from dpverify.mechanisms.enumerator import Enumeration
from dpverify.mechanisms.errors import MechanismError
from dpverify.mechanisms.exact_numbers import ONE, Exact, negative
from dpverify.mechanisms.exponential_polynomials import Piecewise
from dpverify.mechanisms.limits import Limits
from dpverify.mechanisms.mechanism import Mechanism, name_of
from dpverify.mechanisms.released import LatticeDistribution, Releases
from dpverify.verifiers.domains import Domain, Multisets, number_of_orders
from dpverify.verifiers.stopwatch import stopwatch

Law: TypeAlias = Distribution[Any]
Found = TypeVar("Found")

_FEWEST_ORDERS: Final = 100
"""How many further orders of rows are tried at least; of many databases, one for every four."""


@dataclass(frozen=True)
class Tabulation(Generic[Found]):
    """The laws in the order of the databases; of how many databases every order of the rows was run."""

    laws: Sequence[Found]
    databases_in_every_order: int = 0


def tabulate(
    mechanism: Mechanism,
    databases: Sequence[Hashable],
    domain: Domain,
    limits: Limits,
    law: Callable[[Hashable, Enumeration], Found],
    same: Callable[[Found, Found], bool],
) -> Tabulation[Found]:
    """The exact law of the mechanism on every database: `law` gives it, and `same` says whether two are equal.

    Raises `InputError` where the mechanism cannot be enumerated (see `distribution`), where a second enumeration of
    some databases differs from the first, or where, on multisets, the order of the rows matters.
    """
    with stopwatch(mechanism, limits.seconds) as restart:

        def law_of(database: Hashable, enumeration: Enumeration) -> Found:
            restart(database)
            return law(database, enumeration)

        enumeration = Enumeration(limits)
        laws = [law_of(database, enumeration) for database in databases]
        for _ in range(_repetitions(enumeration.runs)):
            for i in _sample(len(databases)):
                if not same(laws[i], law_of(databases[i], Enumeration(limits))):
                    raise MechanismError(
                        f"{name_of(mechanism)} on {databases[i]!r} is not deterministic: two enumerations gave "
                        "different laws; let all chance come from `draw`, and keep nothing between calls"
                    )
        if not isinstance(domain, Multisets):
            return Tabulation(laws)
        small = _in_every_order(databases)
        for i in small:
            rows = databases[i]
            assert isinstance(rows, tuple)
            for order in domain.other_orders(rows):
                if not same(laws[i], law_of(order, enumeration)):
                    raise MechanismError(
                        f"{name_of(mechanism)} depends on the order of the rows: {rows!r} and {order!r} have different "
                        "laws; use Tuples in place of Multisets"
                    )
        return Tabulation(laws, len(small))


def same_law(left: Law, right: Law) -> bool:
    """Whether two laws are equal, outcome by outcome."""
    if isinstance(left, LatticeDistribution) and isinstance(right, LatticeDistribution):
        if left.finite != right.finite or left.released.keys() != right.released.keys():
            return False
        return all(_same_releases(parts, right.released[template]) for template, parts in left.released.items())
    return left.is_finite and right.is_finite and left == right


def _same_releases(left: Mapping[Releases, Exact], right: Mapping[Releases, Exact]) -> bool:
    """Whether two mixtures of releases are one law; of several numbers at once, whether they are mixed alike."""
    if left == right:
        return True
    if any(len(releases) != 1 for releases in (*left, *right)):
        return False
    mine, others = ([release.density.scaled(weight) for (release,), weight in parts.items()] for parts in (left, right))
    difference = reduce(Piecewise.plus, [*mine, *(density.scaled(negative(ONE)) for density in others)])
    return all(c == 0 for piece in difference.pieces for c in piece.values())


def _repetitions(runs: int) -> int:
    """How often the sampled databases are enumerated again: more often where that is quick, up to 20 times."""
    return max(1, min(20, 400 // max(1, runs)))


def _sample(n: int) -> range:
    """Positions spread over 0 … n-1, the first among them: all of a few, one in 64 of many."""
    return range(0, n, max(1, min(64, n // 8)))


def _in_every_order(databases: Sequence[Hashable]) -> list[int]:
    """The positions of the multisets with the fewest orders of rows, as many as the budget allows."""
    by_orders = sorted((number_of_orders(rows), i) for i, rows in enumerate(databases) if isinstance(rows, tuple))
    budget = max(_FEWEST_ORDERS, len(databases) // 4)
    chosen = []
    for orders, i in by_orders:
        budget -= orders - 1
        if budget < 0:
            break
        chosen.append(i)
    return chosen
