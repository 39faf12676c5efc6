"""Distributions on their way between processes, many at a time: each number and outcome once, and rows of places.

Numbers are sent in the order in which they were made, so that the parts of one stand before it, and become the shared
ones where they arrive. What could arrive as something else is not sent: whoever asked computes those distributions
anew.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dpverify.mechanisms.drawing.distribution_so_far import ScoredDistribution
from dpverify.mechanisms.functions.fixed_values import Changeable, fixed
from dpverify.mechanisms.functions.lookalikes import same
from dpverify.mechanisms.functions.outcomes import is_plain
from dpverify.mechanisms.numbers.exact_numbers import ONE, Exact, Sum
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.outputs.released import Release, ReleasedDistribution
from dpverify.verifiers.problems.preparation.answers import AnyDistribution


class DoesNotTravel(Exception):
    """A distribution that might arrive as another one."""


class _Packet(NamedTuple):
    """Numbers with all that they are made of, outcomes, and for each distribution what it holds.

    A finite distribution is as many pairs of places as `sizes` says; where that is 0 the next of `others` is the
    distribution.
    """

    numbers: Sequence[Any]
    outcomes: Sequence[Any]
    sizes: bytes
    places_of_outcomes: bytes
    places_of_numbers: bytes
    others: Sequence[AnyDistribution]


_SIZES: Final = "<u4"
_FASTEST: Final = 1


def packed_distributions(laws: Sequence[AnyDistribution]) -> bytes:
    """The distributions as bytes. Raises `DoesNotTravel` where one could arrive as another one."""
    outcomes = _Outcomes()
    numbers: dict[int, Exact] = {}
    sizes, of_outcomes, of_numbers, others = [], [], [], []
    for law in laws:
        if type(law) not in (Distribution, ScoredDistribution):
            others.append(_checked(law))
            sizes.append(0)
            continue
        entries = law.probabilities
        sizes.append(len(entries))
        of_outcomes += [outcomes.place(outcome) for outcome in entries]
        for number in entries.values():
            if number.symbol is not None:
                raise DoesNotTravel("a function of ε")
            numbers[number.serial] = number
            of_numbers.append(number.serial)
    sent = with_inner_numbers(numbers.values())
    place = {number.serial: i for i, number in enumerate(sent)}
    packet = _Packet(
        sent,
        outcomes.found,
        np.array(sizes, dtype=_SIZES).tobytes(),
        np.array(of_outcomes, dtype=_SIZES).tobytes(),
        np.array([place[serial] for serial in of_numbers], dtype=_SIZES).tobytes(),
        others,
    )
    try:
        return zlib.compress(pickle.dumps(tuple(packet), pickle.HIGHEST_PROTOCOL), _FASTEST)
    except Exception as refusal:  # an object of the user's may refuse in any way
        raise DoesNotTravel(str(refusal)) from refusal


def unpacked(content: bytes) -> list[AnyDistribution]:
    """The distributions that were packed, of the numbers of this process."""
    packet = _Packet(*pickle.loads(zlib.decompress(content)))
    outcomes = np.frombuffer(packet.places_of_outcomes, dtype=_SIZES).tolist()
    numbers = np.frombuffer(packet.places_of_numbers, dtype=_SIZES).tolist()
    others = iter(packet.others)
    known: dict[tuple[int, ...], AnyDistribution] = {}
    laws, start = [], 0
    for size in np.frombuffer(packet.sizes, dtype=_SIZES).tolist():
        if size == 0:
            laws.append(next(others))
            continue
        row = (*outcomes[start : start + size], *numbers[start : start + size])
        start += size
        law = known.get(row)
        if law is None:
            law = known[row] = _distribution(packet, row[:size], row[size:])
        laws.append(law)
    return laws


def _distribution(packet: _Packet, outcomes: Sequence[int], numbers: Sequence[int]) -> AnyDistribution:
    blocks = [((packet.outcomes[i],), packet.numbers[k]) for i, k in zip(outcomes, numbers, strict=True)]
    return Distribution.of_blocks(blocks, total_weight=ONE)


class _Outcomes:
    """Different outcomes, each once: 1 and True are two."""

    def __init__(self) -> None:
        self.found: list[Any] = []
        self._places: dict[Hashable, int] = {}

    def place(self, outcome: Any) -> int:
        """The place of an outcome among them. Raises `DoesNotTravel`."""
        try:
            key = fixed(outcome)
        except (Changeable, RecursionError):
            raise DoesNotTravel("an outcome that may be another one elsewhere") from None
        place = self._places.setdefault(key, len(self.found))
        if place == len(self.found):
            if not is_plain(outcome):
                _refuse_another(outcome)
            self.found.append(outcome)
        return place


def _refuse_another(outcome: Any) -> None:
    """Raises `DoesNotTravel` where an outcome is not the same after a journey."""
    try:
        again = pickle.loads(pickle.dumps(outcome, pickle.HIGHEST_PROTOCOL))
        arrives = again == outcome and hash(again) == hash(outcome) and same(outcome, again)
    except Exception as refusal:  # an object of the user's may refuse in any way
        raise DoesNotTravel(str(refusal)) from refusal
    if not arrives:
        raise DoesNotTravel("an outcome that is another one after a journey")


def _checked(law: AnyDistribution) -> AnyDistribution:
    """A law with released noise of which nothing was compared with other noise: those are known by trees."""
    if not isinstance(law, ReleasedDistribution) or any(
        type(release) is not Release for ways in law.released.values() for releases in ways for release in releases
    ):
        raise DoesNotTravel("noise that was compared with other noise")
    for outcome in (*law.finite, *law.released):
        _refuse_another(outcome)
    return law


def with_inner_numbers(numbers: Iterable[Exact]) -> list[Any]:
    """The numbers, and the numbers that are parts of them, in the order in which they were made: parts stand first."""
    results: dict[int, Any] = {}
    waiting: list[Any] = list(numbers)
    while waiting:
        one = waiting.pop()
        if one.serial in results:
            continue
        results[one.serial] = one
        if isinstance(one, Sum):
            waiting += one.terms
        elif isinstance(one, Exact):
            waiting += [factor for term in one.terms for factor, _ in term.factors]
        elif isinstance(one.argument, Exact):
            waiting.append(one.argument)
    return [results[serial] for serial in sorted(results)]
