"""Families of claims: at several ε, at every ε, and with the defaults."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Final

from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.signs.symbolic_epsilon import symbolic
from dpverify.verifiers.claims import Depth
from dpverify.verifiers.composites.domains import EveryDatabase
from dpverify.verifiers.privacy.claim import Claim
from dpverify.verifiers.questions.domains import Domain

AT_EPSILONS: Final[tuple[tuple[str, Exact], ...]] = (("", exact(1)), ("-ln2", log(2)), ("-3", exact(3)))
"""The ε of a family, with the suffix of the claim's id."""


def at_each_epsilon(
    claim_id: str,
    *,
    differing: Callable[[Exact], dict[str, Any]] = lambda _: {},
    first_on_all: bool = False,
    **same: Any,
) -> tuple[Claim, ...]:
    """A claim at each ε: `same` are the fields that all share, `differing` gives those that depend on ε.

    With `first_on_all` an audit decides only the first of them on all sizes, and one at depth full the others as well.
    """
    return tuple(
        Claim(
            **{
                "id": claim_id + suffix,
                "epsilon": epsilon,
                **same,
                **({"all_sizes_depth": "full"} if suffix and first_on_all else {}),
                **differing(epsilon),
            }
        )
        for suffix, epsilon in AT_EPSILONS
    )


def on_all(domain: Domain, depth: Depth = "quick") -> dict[str, Any]:
    """The fields of a claim that is PROVED on a domain without end, too; at depth "full" where that takes long."""
    return {"all_sizes": domain, "scope": "all", "all_sizes_depth": depth}


def every_sample(d: int) -> EveryDatabase:
    """All samples of points of [0, 2^d) with labels 0 and 1."""
    return EveryDatabase((x, y) for x in range(1 << d) for y in (0, 1))


def one_for_each(name: str, values: Iterable[Any]) -> Callable[[Exact], dict[str, Any]]:
    """For `differing`: field `name` takes the values in the order of AT_EPSILONS."""
    of_epsilon = {epsilon.serial: value for (_, epsilon), value in zip(AT_EPSILONS, values, strict=True)}
    return lambda epsilon: {name: of_epsilon[epsilon.serial]}


def the_other(database: Hashable, domain: Iterable[Hashable]) -> Iterator[Hashable]:
    """The other databases of a domain of two."""
    return (other for other in domain if other != database)


def of_its_pair(database: Hashable, domain: Iterable[Hashable]) -> Iterator[Hashable]:
    """The database with which it makes a pair, of a domain that lists pairs one after another."""
    listed = list(domain)
    pairs = zip(listed[::2], listed[1::2], strict=True)
    return (other for pair in pairs for other, one in (pair, pair[::-1]) if one == database)


def at_every_epsilon(row: str, *, variant: str = "", epsilon: Exact = symbolic, **rest: Any) -> Claim:
    """A claim for every ε > 0 at once, where the probabilities are quotients of polynomials in ε and e^(-ε/L).

    That leaves out thresholds that are rounded up. A refuted claim says at which ε it fails on its domain; many a lemma
    whose proof asks for ε ≤ 1 says so by itself.
    """
    return Claim(id=f"{row}.privacy.{variant}every-epsilon", epsilon=epsilon, **rest)


BY_DEFAULT: Final = "with the A_dist that it runs by default, the corrected one,"
"""What the statement of a claim about a mechanism's defaults says.

It is judged at the (ε,δ) that its theorem states, with the arguments that it has by default. A size, such as the range
up to which RecConcave does not recurse, may be smaller; the statement says so. The domain is such that each branch has
a probability of at least 1/100 on some database, which the tests check.
"""
