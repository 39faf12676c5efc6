"""Verdicts for every ε against brute force at single ε: rational e^ε exactly, and on either side of every end."""

import random
from dataclasses import replace
from fractions import Fraction
from math import exp as float_exp
from typing import Any

import pytest
from tests.adversary.checking import divergence, neighbours_of, subjects
from tests.adversary.oracles.oracle import law_of
from tests.adversary.random_programs.functions import function_of
from tests.adversary.random_programs.generated import LUMPED, TRUNCATED, Subject
from tests.adversary.tally import Tally, programs, why
from tests.verifiers.divergence.every_epsilon.every_epsilon import failing

from dpverify.mechanisms import InputError, Undecided, exp, log, symbolic
from dpverify.verifiers import check_privacy

POINTS = tuple(map(Fraction, ("1.0625", "1.25", "1.5", "2", "3", "5", "9", "40")))
"""e^ε for which all is exact."""


OF_RELEASED = (
    "circle",
    "two kinds of outcome",
    "that was compared with other noise is released",
    "not known to be the same for all ε",
)
"""Why a program with truncated noise may be refused for every ε."""

BATCHES = ["", *(pytest.param(f":{i}", marks=pytest.mark.deep) for i in range(1, 6))]
"""A thousand programs in each style, of a deep run."""

STYLES = {
    "lumped": replace(LUMPED, most_values=300, lengths=(1, 1, 2)),
    "truncated": replace(TRUNCATED, most_values=300, lengths=(1, 1, 2)),
}


def excess(subject: Subject, base: Any, factor: Any, delta: Any) -> Any:
    """By how much the worst pair exceeds δ."""
    chance = replace(subject.chance, base=base)
    of = {rows: law_of(subject.program, rows, chance) for rows in subject.domain}
    return max(divergence(of[left], of[right], factor) for left, right in subject.neighbours()) - delta


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("style", STYLES)
def test_a_claim_fails_at_the_epsilon_that_brute_force_says(style: str, batch: str, tally: Tally) -> None:
    for name, subject, _ in subjects(f"every:{style}{batch}", STYLES[style], programs(4), tally):
        compare(name, subject, style, tally)
    count = programs(4)
    least = {f"every ε, {style}: decided": 0.5 * count, "points of ε": 0.5 * len(POINTS) * count}
    tally.demand(least, dict.fromkeys(OF_RELEASED, 0.25) if style == "truncated" else {}, of=count)


def compare(name: str, subject: Subject, style: str, tally: Tally) -> None:
    """Where a claim fails, at points and beside every end. Raises `Wrong`."""
    rng = random.Random(name)
    times, kind, part = rng.randint(1, 3), rng.randrange(3), Fraction(rng.randint(1, 9), rng.choice((10, 100)))
    delta = (Fraction(0), part, part * exp(-symbolic))[kind]
    try:
        verdict = check_privacy(
            function_of(subject.program),
            subject.domain,
            neighbours_of(subject),
            epsilon=times * symbolic,
            delta=delta,
            parameters={"epsilon": symbolic},
        )
    except (InputError, Undecided) as refused:
        tally.refuse(f"every ε, {style}: ", why(refused))
        return
    tally.counts[f"every ε, {style}: decided"] += 1
    fails = failing(verdict)

    def allowed(base: Any, kind: int = kind, part: Fraction = part) -> Any:
        return (0, part, part / base)[kind]

    for base in POINTS:
        is_worse = excess(subject, base, base**times, allowed(base)) > 0
        tally.expect(
            "points of ε",
            is_worse == any(log(base) in interval for interval in fails),
            subject,
            f"({times}ε, {delta}) at ε = ln {base}, but it fails at {fails}",
        )
    ends = [end for interval in fails for end in (interval.low, interval.high) if end is not None]
    for end in ends:
        for beside in (Fraction(-1, 10**6), Fraction(1, 10**6)):
            epsilon = Fraction(float(sum(end.enclosure()) / 2)) + beside
            if epsilon <= Fraction(1, 1000):
                continue
            near = float_exp(epsilon)
            over = excess(subject, near, near**times, allowed(near))
            if abs(over) < 1e-12:
                tally.counts["points beside an end, too near to tell"] += 1
                continue
            tally.expect(
                "points beside an end",
                (over > 0) == any(epsilon in interval for interval in fails),
                subject,
                f"({times}ε, {delta}) at ε = {float(epsilon)}: δ exceeded by {over}, but it fails at {fails}",
            )
