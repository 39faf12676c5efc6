"""Steps of why the improper learner of points errs on at most α of the population but for β; x = 2^r hashes."""

from __future__ import annotations

from typing import Final

from dpverify.verifiers.catalogue.learners.points.improper_points_privacy import CITED
from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between, whole_from
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import exp, log

_ERRORS: Final[dict[str, Range]] = {"alpha": between(0, 1), "beta": between(0, 1)}


def _hashes(constant: int) -> dict[str, Range]:
    return {**_ERRORS, "x": at_least(lambda alpha, beta: constant / (alpha * beta))}


collisions = Step(
    id="BNS-J-BKN.step.collisions",
    source=f"{CITED}: a share 1/x of the other points is hashed to the target's on average, and by Markov's inequality",
    statement="more than α/4 share the hash of the target with probability at most (4/α)/x ≤ β/3, for x ≥ 12/(αβ)",
    parameters=_hashes(12),
    says=lambda alpha, beta, x: 4 / (alpha * x) <= beta / 3,
    mutants=[BrokenStep("x ≥ 11/(αβ)", parameters=_hashes(11))],
)


def _rows(constant: int) -> dict[str, Range]:
    of_sample = at_least(lambda alpha, beta, x: constant / alpha * log(6 * x / beta))
    return {**_ERRORS, "x": whole_from(2), "m": of_sample}


sample = Step(
    id="BNS-J-BKN.step.sample",
    source=f"{CITED}, by the Chernoff bounds of Section 2.6",
    statement="with m ≥ (32/α)·ln(6x/β) examples none of x hypotheses with an error above α is wrong on 3αm/4 or less, "
    "and that of the target, with α/4, on no more than αm/2, but for x·e^(−αm/32) + e^(−αm/12) ≤ β/3",
    parameters=_rows(32),
    says=lambda alpha, beta, x, m: x * exp(-alpha * m / 32) + exp(-alpha * m / 12) <= beta / 3,
    mutants=[BrokenStep("16 in place of 32", parameters=_rows(16))],
)


def _choices(constant: int) -> dict[str, Range]:
    of_choice = at_least(lambda alpha, beta, epsilon, x: constant / (alpha * epsilon) * log(3 * x / beta))
    return {**_ERRORS, "epsilon": above_zero(), "x": whole_from(2), "m": of_choice}


choice = Step(
    id="BNS-J-BKN.step.choice",
    source=f"{CITED}, by the exponential mechanism",
    statement="with m ≥ (8/(αε))·ln(3x/β) one that is right on αm/4 fewer is chosen with x·e^(−εαm/8) ≤ β/3 at most",
    parameters=_choices(8),
    says=lambda alpha, beta, epsilon, x, m: x * exp(-epsilon * alpha * m / 8) <= beta / 3,
    mutants=[BrokenStep("7 in place of 8", parameters=_choices(7))],
)
