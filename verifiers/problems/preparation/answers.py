"""Distributions that were computed a second time, as answers that travel between processes."""

import pickle
from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import Enum
from fractions import Fraction
from functools import cmp_to_key
from types import FunctionType, NoneType
from typing import Any, Final, NamedTuple, TypeAlias

from flint import arb, fmpq

from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.exact_numbers import Exact, Sum, Term, ordering
from dpverify.mechanisms.numbers.polynomial_form import most_bits
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import ReleasedDistribution

AnyDistribution: TypeAlias = Distribution[Any]


class Probabilities(NamedTuple):
    """The part that is left of a distribution whose outcomes do not travel: its probabilities in rising order."""

    rising: tuple[Exact, ...]


class Failure(NamedTuple):
    """The second time ended in an error."""

    message: str


LawsAnswered: TypeAlias = Sequence[AnyDistribution | Probabilities] | Failure
"""The distribution that was found of one database; none where it was left out."""


def answer_bytes(answer: LawsAnswered) -> bytes:
    """An answer as bytes; of a distribution whose outcomes do not travel, its probabilities."""
    if isinstance(answer, Failure):
        return pickle.dumps(answer)
    return pickle.dumps(list(map(_sent_distribution, answer)))


def answer_from_bytes(message: bytes) -> LawsAnswered:
    """The answer that was sent."""
    answer = pickle.loads(message)
    if isinstance(answer, Failure):
        return answer
    return list(map(_arrived_distribution, answer))


class _Sent(NamedTuple):
    """A distribution on its way: as bytes, where it may be made again from them, and else its probabilities."""

    law: bytes | None
    probabilities: Probabilities | None


def _sent_distribution(law: AnyDistribution | Probabilities) -> _Sent:
    if isinstance(law, Probabilities):
        return _Sent(None, law)
    outcomes: list[Any] = list(law) if law.is_finite else []
    if isinstance(law, ReleasedDistribution):
        outcomes += [*law.finite, *law.released, *_outcomes_of_parts(law)]
    certainly = all(map(_is_plain, outcomes))
    written = None
    if certainly or all(map(_travels, outcomes)):
        with suppress(Exception):  # an object of the user's may refuse in any way
            written = pickle.dumps(law)
    return _Sent(written, None if certainly and written is not None else probabilities_of(law))


def _outcomes_of_parts(law: ReleasedDistribution) -> Iterator[Any]:
    for part in law.parts:
        yield from part.probabilities
    for noisy in law.noisy_parts:
        yield from (*noisy.law.finite, *noisy.law.released, *_outcomes_of_parts(noisy.law))


def _arrived_distribution(sent: _Sent) -> AnyDistribution | Probabilities:
    if sent.law is not None:
        try:
            law: AnyDistribution = pickle.loads(sent.law)
            return law
        except Exception:  # a class that is not found here under its name, say
            if sent.probabilities is None:
                raise
    assert sent.probabilities is not None, "one of the two is there"
    return sent.probabilities


def _is_plain(outcome: Any) -> bool:
    """True where an outcome is made of what Python and this library bring along."""
    kind = type(outcome)
    return kind in _PLAIN or (kind in (tuple, frozenset) and all(map(_is_plain, outcome)))


_PLAIN: Final = frozenset({NoneType, bool, int, float, complex, str, bytes, Fraction, Term, Sum})


def _travels(outcome: Any) -> bool:
    """True where an outcome equals itself after a journey: objects that are equal to themselves alone do not."""
    kind: Any = type(outcome)
    if kind in _PLAIN or isinstance(outcome, Enum | type | FunctionType):
        return True
    if kind in (tuple, frozenset):
        return all(map(_travels, outcome))
    return kind.__eq__ is not object.__eq__


def probabilities_of(law: AnyDistribution) -> Probabilities:
    """The probabilities of a law in rising order; of one with released noise, those of plain outcomes and of parts."""
    numbers = list(law.probabilities.values()) if law.is_finite else []
    if isinstance(law, ReleasedDistribution):
        numbers += [*law.finite.values(), *(p for part in law.parts for p in part.probabilities.values())]
    return Probabilities(tuple(sorted(numbers, key=cmp_to_key(_rising))))


def _rising(left: Exact, right: Exact) -> int:
    return 0 if are_not_told_apart(left, right) else ordering(left, right)


def are_not_told_apart(left: Exact, right: Exact) -> bool:
    """True where balls of 128 bits do not tell two numbers apart, and there is no algebra that may.

    Plain runs compare noise in another order than patterns do: of Gaussian noise the results are sums of other
    integrals, which have no test for 0. They may differ, so this compares the tool with itself, and decides no claim.
    """
    difference = left - right
    if difference.symbol is not None or not enclosure(difference).contains(0):
        return False
    return abs(enclosure(difference)) < _NEAR and most_bits(difference) is not None


_NEAR: Final = arb(fmpq(1, 1 << 64))
