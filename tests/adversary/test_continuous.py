"""Laws and verdicts of random programs with continuous noise against quadrature."""

from fractions import Fraction
from math import log as float_log

import pytest
from tests.adversary.checking import compare_frequencies, divergence, neighbours_of, untagged
from tests.adversary.random_programs.continuous import NoStar, law_by_quadrature
from tests.adversary.random_programs.functions import function_of
from tests.adversary.random_programs.generated import CONTINUOUS, Subject, subject
from tests.adversary.tally import Tally, programs, seed, why

from dpverify.mechanisms import InputError, Undecided, bounds, distribution, log
from dpverify.reports.record import Status
from dpverify.verifiers import check_privacy

ERROR = 1e-10
"""Of the quadrature."""


@pytest.mark.parametrize("batch", ["", *(pytest.param(f":{i}", marks=pytest.mark.deep) for i in range(1, 3))])
def test_continuous_noise_is_integrated(batch: str, tally: Tally) -> None:
    found = 0
    start = seed()
    for i in range(10_000_000):
        found += compared_with_quadrature(
            subject(f"{start}:continuous{batch}:{i}", CONTINUOUS), tally, runs=i % 3 == 0, verdicts=i % 3 == 0
        )
        if found >= programs(10):
            break
    least = {
        "continuous: decided": 0.7 * found,
        "probabilities by quadrature": 5 * found,
        "verdicts by quadrature": 0.2 * found,
    }
    tally.demand(least, REFUSED, of=found)


REFUSED = {"circle": 0.3, "noises at once": 0.2}


def compared_with_quadrature(made: Subject, tally: Tally, *, runs: bool, verdicts: bool) -> bool:
    """Laws, and perhaps verdicts and runs; whether it is a program of which there is something to compare."""
    epsilon = float_log(made.chance.base)
    try:
        laws = [law_by_quadrature(made.program, rows, epsilon) for rows in made.domain]
    except NoStar:
        tally.counts["quadrature: no star"] += 1
        return False
    if all(len(law) == 1 for law in laws):
        return False
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
            if not 0 <= delta <= 1 or not verdicts:
                continue
            verdict = check_privacy(
                mechanism, made.domain, neighbours_of(made), epsilon=log(made.chance.base), delta=Fraction(delta)
            )
            tally.expect(
                "verdicts by quadrature",
                verdict.status is (Status.PROVED if beside > 0 else Status.REFUTED),
                made,
                f"δ = {delta}, worst {worst}: {verdict.status}",
            )
        if runs:
            compare_frequencies(tally, made, made.domain[-1], laws[-1], 150, error=ERROR)
        tally.counts["continuous: decided"] += 1
    except (InputError, Undecided) as refused:
        tally.refuse("continuous: ", why(refused))
    return True
