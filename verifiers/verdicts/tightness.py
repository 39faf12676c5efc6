"""The part of its ε that a mechanism needs: the least ε′ for which it is (ε′,δ)-private on a domain."""

from typing import Final

import numpy as np

from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.enclosure import decimal, enclosure
from dpverify.mechanisms.numbers.errors import Undecided
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ordering, rational, total
from dpverify.mechanisms.numbers.simplification import simplified
from dpverify.reports.record import Status
from dpverify.verifiers.divergence.finite.hockey_stick import HockeyStick
from dpverify.verifiers.divergence.finite.scanning import scan
from dpverify.verifiers.problems.questions.question import PrivacyGuarantee
from dpverify.verifiers.processes.workplace import HERE, Workplace
from dpverify.verifiers.verdicts.compared_distributions import Laws
from dpverify.verifiers.verdicts.profile import PrivacyProfile
from dpverify.verifiers.verdicts.verdict import Proved, Refuted, Verdict

_PRECISION: Final = 128
"""Bits to which the e^ε at which lines are looked for are rounded down: they need not be crossings themselves."""


def tightness(verdict: Verdict, claim: PrivacyGuarantee, profile: PrivacyProfile | None) -> str | None:
    """The least ε′ for which a mechanism is (ε′,δ)-private on the domain, over the claimed ε, in decimals; ∞ for none.

    `profile` is that of its distributions, where that is known. Of a claim for all ε it is known only where some of
    them uses all of it. None where it is not known, or ε is 0.
    """
    laws = verdict.basis.laws
    if laws is None:
        return "1" if isinstance(verdict, Proved | Refuted) and verdict.tight else None
    if verdict.status is Status.UNDECIDED or claim.epsilon is ZERO or laws.table.blocks:
        return None
    try:
        if claim.delta is ZERO:
            least = None if verdict.epsilon is None else verdict.epsilon.exact
        else:
            # where the claim fails it is beyond the claimed ε
            where = HERE if verdict.basis.experiment is None else verdict.basis.experiment.where
            start = claim.epsilon if isinstance(verdict, Refuted) else ZERO
            if profile is None and laws.densities is None:
                least = least_epsilon(laws, claim.delta, start, where)
            else:
                least = (profile or PrivacyProfile((), laws)).epsilon(claim.delta)
    except Undecided:
        return None
    return "∞" if least is None else decimal(least / claim.epsilon)


def least_epsilon(laws: Laws, delta: Exact, start: Exact = ZERO, where: Workplace = HERE) -> Exact | None:
    """The least ε′ ≥ `start` with δ(ε′) ≤ δ, None where there is none.

    With x = e^ε, δ(ε) is convex in x, and the largest of lines p − q·x, one for each event and pair. Newton's method
    from x = e^start: where the line that is largest at x falls to δ, the next x is, never beyond the root; it ends as
    there are finitely many lines. Raises `Undecided` where a sign has no complete test. Distributions with tails that
    are cut where an ε is settled (`table.blocks`) are not for this.
    """
    factor = root = exp(start)
    while True:
        result = scan(laws.table, laws.compared, PrivacyGuarantee(log(factor), delta), where=where)
        if result.attaining is None or ordering(result.worst, delta) <= 0:
            return log(simplified(root))
        left, right = laws.table.law_of[list(result.attaining)]
        event = HockeyStick(laws.table, np.array([left]), np.array([right]), log(factor)).summands(0)
        p = total(laws.table.numbers[outcome.p] for outcome in event)
        q = total(laws.table.numbers[outcome.q] for outcome in event)
        if q == ZERO:
            return None
        root = (p - delta) / q
        below = rational(enclosure(root, _PRECISION).lower().fmpq())
        if ordering(below, factor) <= 0:  # the same line again, whose root is between them
            return log(simplified(root))
        factor = below
