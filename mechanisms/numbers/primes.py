"""The prime factors of rational numbers, as far as they are easily had."""

from functools import lru_cache
from typing import Final

from flint import fmpz

_SMALL_PRIMES: Final = 10_000
"""The number of primes that are tried as factors of a large number."""

_EASILY_FACTORED: Final = 100
"""Binary digits up to which what is left is factored as well."""

_EASILY_TESTED: Final = 2_000
"""Binary digits up to which it is asked whether what is left is a prime: of 8,000 digits that takes half a minute."""


@lru_cache(maxsize=4096)
def factored(numerator: int, denominator: int) -> tuple[tuple[int, int], ...] | None:
    """Each prime of |numerator|/denominator with its exponent; None where one of them is too large to factor."""
    above, below = _primes(abs(numerator)), _primes(denominator)
    if above is None or below is None:
        return None
    return (*above, *((prime, -k) for prime, k in below))


def _primes(number: int) -> list[tuple[int, int]] | None:
    """The prime factors; None where the number is large, and no product of small primes and a prime."""
    if number.bit_length() <= _EASILY_FACTORED:
        return [(int(prime), int(k)) for prime, k in fmpz(number).factor()]
    primes: list[tuple[int, int]] = []
    for part, k in fmpz(number).factor(trial_limit=_SMALL_PRIMES):
        if part.bit_length() <= _EASILY_TESTED and part.is_prime():
            primes.append((int(part), int(k)))
        elif part.bit_length() <= _EASILY_FACTORED:
            primes += [(int(prime), int(j * k)) for prime, j in part.factor()]
        else:
            return None
    return primes
