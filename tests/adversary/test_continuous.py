"""Laws and verdicts of random programs with continuous noise against quadrature."""

from __future__ import annotations

from fractions import Fraction
from math import log as float_log

from tests.adversary.checking import (
    Tally,
    compare_frequencies,
    divergence,
    neighbours_of,
    programs,
    seed,
    untagged,
    why,
)
from tests.adversary.continuous import NoStar, law_by_quadrature
from tests.adversary.functions import function_of
from tests.adversary.generated import CONTINUOUS, subject

from dpverify.mechanisms import InputError, Undecided, bounds, distribution, log
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy

ERROR = 1e-10
"""Of the quadrature."""


def test_continuous_noise_is_integrated(tally: Tally) -> None:
    found = 0
    start = seed()
    for i in range(10_000_000):
        made = subject(f"{start}:continuous:{i}", CONTINUOUS)
        epsilon = float_log(made.chance.base)
        try:
            laws = [law_by_quadrature(made.program, rows, epsilon) for rows in made.domain]
        except NoStar:
            tally.counts["quadrature: no star"] += 1
            continue
        if all(len(law) == 1 for law in laws):
            continue
        found += 1
        tally.counts["programs"] += 1
        mechanism = function_of(made.program)
        try:
            for rows, expected in zip(made.domain, laws, strict=True):
                law = distribution(mechanism, rows, epsilon=log(made.chance.base))
                tally.counts["laws"] += 1
                for tag, p in expected.items():
                    low, high = bounds(law.probability(untagged(tag)))
                    tally.expect(
                        "probabilities by quadrature",
                        abs(float(low + high) / 2 - p) < ERROR,
                        made,
                        f"Pr[{tag} | {rows}] = {p}, and not {float(low)}",
                    )
            of = dict(zip(made.domain, laws, strict=True))
            worst = max(divergence(of[left], of[right], float(made.chance.base)) for left, right in made.neighbours())
            for beside in (-1e-7, 1e-7):
                delta = worst + beside
                if not 0 <= delta <= 1 or i % 3:
                    continue
                verdict = check_privacy(
                    mechanism,
                    made.domain,
                    neighbours_of(made),
                    epsilon=log(made.chance.base),
                    delta=Fraction(delta),
                )
                tally.expect(
                    "verdicts by quadrature",
                    verdict.status is (Status.PROVED if beside > 0 else Status.REFUTED),
                    made,
                    f"δ = {delta}, worst {worst}: {verdict.status}",
                )
            if i % 3 == 0:
                compare_frequencies(tally, made, made.domain[-1], laws[-1], 150, error=ERROR)
        except (InputError, Undecided) as refused:
            tally.counts["refused: " + why(refused)] += 1
        if found >= programs(10):
            return
