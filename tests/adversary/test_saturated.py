"""Mechanisms that meet a claim with equality: PROVED at the tie, REFUTED one part in 10^40 below it."""

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from tests.adversary.tally import Tally, programs, seed

from dpverify.mechanisms import Distribution, Exact, bernoulli, discrete_laplace, log
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy

TINY = Fraction(1, 10**40)
ZERO = Fraction(0)


def all_others(database: int, domain: object) -> list[int]:
    return [1 - database]


@pytest.mark.parametrize("batch", range(4))
def test_ties_are_proved_and_what_lies_below_is_refuted(batch: int, tally: Tally) -> None:
    rng = random.Random(f"{seed()}:saturated:{batch}")
    for _ in range(programs(15)):
        factor, delta = Fraction(rng.randint(11, 50), 10), Fraction(rng.randint(1, 50), 200)
        # p = e^ε·q + δ on an event, spread over several outcomes; on the rest, q exceeds p
        q = (1 - delta) / factor * Fraction(rng.randint(1, 99), 100)
        p = factor * q + delta
        parts = [Fraction(rng.randint(1, 9)) for _ in range(rng.randint(1, 4))]
        shares = [part / sum(parts) for part in parts]
        # each part of the event exceeds, so that none of them is left out of the worst one
        left = {**{f"in {i}": p * share for i, share in enumerate(shares)}, "out": 1 - p}
        right = {**{f"in {i}": q * share for i, share in enumerate(shares)}, "out": 1 - q}
        laws = Distribution(left), Distribution(right)

        def saturated(draw: object, database: int, laws: tuple[Distribution[str], ...] = laws) -> Distribution[str]:
            return laws[database]

        def status(epsilon: Exact, delta: Fraction, laws: tuple[Distribution[str], ...] = laws) -> Status:
            parameters = {"laws": laws}
            return check_privacy(
                saturated, [0, 1], all_others, epsilon=epsilon, delta=delta, parameters=parameters, recheck=False
            ).status

        back = max(Fraction(0), *(b - factor * a for a, b in zip(left.values(), right.values(), strict=True)))
        tally.counts["saturated mechanisms"] += 1
        if back <= delta:
            assert status(log(factor), delta) is Status.PROVED, (left, right)
            tally.counts["saturated: ties proved"] += 1
        for epsilon, less in ((log(factor), delta * (1 - TINY)), (log(factor) - TINY, delta)):
            assert status(epsilon, less) is Status.REFUTED, (left, right)
            tally.counts["saturated: refuted 1e-40 below"] += 1


def _released(mixed: Fraction, shift: int, z: Fraction) -> Callable[[int], Fraction]:
    """Pr[m] where with the given probability discrete noise is released, moved by `shift`."""
    return lambda m: mixed * (1 - z) / (1 + z) * z ** abs(m - shift)


def test_released_noise_meets_its_claim_with_equality(tally: Tally) -> None:
    """Beyond both centres the laws have one ratio, so that what they differ by in the tails is a geometric series."""
    rng = random.Random(f"{seed()}:released")
    for _ in range(programs(25)):
        base, factor = Fraction(rng.randint(11, 40), 10), Fraction(rng.randint(10, 40), 10)
        mixed = tuple(Fraction(rng.randint(1, 9), 10) for _ in range(2))
        shifts = tuple(rng.randint(-3, 3) for _ in range(2))
        unit = rng.choice((1, -1, 2))

        def mechanism(
            draw: Any,
            database: int,
            mixed: tuple[Fraction, ...] = mixed,
            shifts: tuple[int, ...] = shifts,
            base: Fraction = base,
            unit: int = unit,
        ) -> Any:
            if draw(bernoulli(mixed[database])):
                return unit * (draw(discrete_laplace(1 / log(base))) + shifts[database])
            return "nothing"

        worst = Fraction(0)
        for left, right in ((0, 1), (1, 0)):
            p, q = (_released(mixed[i], shifts[i], 1 / base) for i in (left, right))
            inner = sum(max(ZERO, p(m) - factor * q(m)) for m in range(-4, 5))
            outer = sum(max(ZERO, p(m) - factor * q(m)) / (1 - 1 / base) for m in (-5, 5))
            plain = max(ZERO, 1 - mixed[left] - factor * (1 - mixed[right]))
            worst = max(worst, inner + outer + plain)
        tally.counts["saturated mechanisms"] += 1
        for delta, status in ((worst, Status.PROVED), (worst * (1 - TINY), Status.REFUTED)):
            if delta or status is Status.PROVED:
                verdict = check_privacy(mechanism, [0, 1], all_others, epsilon=log(factor), delta=delta, recheck=False)
                assert verdict.status is status, (base, factor, mixed, shifts, unit, delta, verdict)
        tally.counts["saturated: released ties"] += 1
