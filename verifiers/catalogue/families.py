"""Claims that are decided at several ε: rational, with e^ε rational, and large."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Final

from dpverify.mechanisms.exact.elementary import log
from dpverify.mechanisms.exact.exact_numbers import Exact, exact
from dpverify.verifiers.privacy.claim import Claim

AT_EPSILONS: Final[tuple[tuple[str, Exact], ...]] = (("", exact(1)), ("-ln2", log(2)), ("-3", exact(3)))
"""The ε of a family, with the suffix of the claim's id."""


def at_each_epsilon(
    claim_id: str, *, differing: Callable[[Exact], dict[str, Any]] = lambda _: {}, **same: Any
) -> tuple[Claim, ...]:
    """A claim at each ε: `same` are the fields that all share, `differing` gives those that depend on ε."""
    return tuple(
        Claim(**{"id": claim_id + suffix, "epsilon": epsilon, **same, **differing(epsilon)})
        for suffix, epsilon in AT_EPSILONS
    )


def one_for_each(name: str, values: Iterable[Any]) -> Callable[[Exact], dict[str, Any]]:
    """For `differing`: field `name` takes the values in the order of AT_EPSILONS."""
    of_epsilon = {epsilon.serial: value for (_, epsilon), value in zip(AT_EPSILONS, values, strict=True)}
    return lambda epsilon: {name: of_epsilon[epsilon.serial]}


def the_other(database: Hashable, domain: Iterable[Hashable]) -> Iterator[Hashable]:
    """The other databases of a domain of two."""
    return (other for other in domain if other != database)
