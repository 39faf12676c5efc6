"""Parts of families of the catalogue: papers, values, neighbour relations, domains, and words about defaults."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from typing import Final

from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.numbers.roots.delta_symbol import symbolic_delta
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbolic
from dpverify.verifiers.all_sizes.compositions.domains import EveryDatabase
from dpverify.verifiers.privacy.family import Row

BNS: Final = "Beimel, Nissim & Stemmer, journal version"
BNS_X: Final = "Beimel, Nissim & Stemmer, extended abstract"
BUNS: Final = "Bun, Nissim & Stemmer"
CHS: Final = "Chaudhuri, Hsu & Song"
HRS: Final = "Hardt, Rothblum & Servedio"
HALF: Final = Fraction(1, 2)
THIRD: Final = Fraction(1, 3)
QUARTER: Final = Fraction(1, 4)
TENTH: Final = Fraction(1, 10)
TWENTIETH: Final = Fraction(1, 20)
HUNDREDTH: Final = Fraction(1, 100)
THOUSANDTH: Final = Fraction(1, 1000)
MILLIONTH: Final = Fraction(1, 10**6)
SYMBOLS: Final = (symbolic, symbolic_delta)
"""For every ε and δ."""
AT_EACH: Final[dict[str, ExactLike]] = {"": exact(1), "-ln2": log(2), "-3": exact(3)}
"""The ε at which many a mechanism is judged, each with what the id of the claim ends with."""


def at_each_epsilon(row: Row, differing: Callable[[Exact], Row]) -> tuple[Row, ...]:
    """The row at each of these ε, with what differs between them: a function of ε."""
    return tuple(
        differing(exact(epsilon)).of(one)
        for one, epsilon in zip(row.having(epsilon=AT_EACH).each(), AT_EACH.values(), strict=True)
    )


def every_sample(d: int) -> EveryDatabase:
    """All samples of points of [0, 2^d) with labels 0 and 1."""
    return EveryDatabase((x, y) for x in range(1 << d) for y in (0, 1))


def the_other(database: Hashable, domain: Iterable[Hashable]) -> Iterator[Hashable]:
    """The other databases of a domain of two."""
    return (other for other in domain if other != database)


def of_its_pair(database: Hashable, domain: Iterable[Hashable]) -> Iterator[Hashable]:
    """The database with which it makes a pair, of a domain that lists pairs one after another."""
    listed = list(domain)
    pairs = zip(listed[::2], listed[1::2], strict=True)
    return (other for pair in pairs for other, one in (pair, pair[::-1]) if one == database)


BY_DEFAULT: Final = "with the A_dist that it runs by default, the corrected one,"
"""Words in the statement of a claim about a mechanism's defaults.

It is judged at the (ε,δ) that its theorem states, with the arguments that it has by default. A size, such as the range
up to which RecConcave does not recurse, may be smaller; the statement says so. The domain is such that each branch has
a probability of at least 1/100 on some database, which the tests check.
"""
