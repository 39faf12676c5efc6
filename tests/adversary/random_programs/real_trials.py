"""One program with released real numbers, from its seed: exact ε, δ and verdicts against closed forms."""

import random
from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from typing import Any

from tests.adversary.checking import neighbours_of
from tests.adversary.oracles import reals
from tests.adversary.oracles.noises import Irrational, NotHere
from tests.adversary.oracles.paths import compiled, names
from tests.adversary.random_programs.trials import BASES, OF_DPVERIFY
from tests.adversary.random_programs.written import Written, one_differs
from tests.adversary.tally import PASSED_OVER, Tally, why

from dpverify.mechanisms import InputError, Undecided, log
from dpverify.reports.record import Status
from dpverify.verifiers import Verdict, check_privacy

NEAR = Fraction(1, 10**7)


def released(seed: str, tally: Tally, name: str) -> bool:
    """Whether a program was decided; else the tally has why not."""
    rng = random.Random(seed)
    length = rng.choice((1, 1, 2))
    domain = tuple(product(range(3 if length == 1 else 2), repeat=length))
    text, base = reals.source(rng), rng.choice(BASES)
    written = Written(text, domain, one_differs(domain), base, seed)
    mechanism = compiled(text, names(base))
    try:
        laws: dict[Hashable, reals.Law] = {rows: reals.law_of(mechanism, rows, base) for rows in domain}
    except (Irrational, NotHere):
        tally.refuse(f"{name}: ", PASSED_OVER)
        return False
    pairs = [(laws[left], laws[right]) for left, right in written.pairs]
    factor = Fraction(rng.randint(10, 60), 10)
    worst = max(reals.divergence(left, right, factor) for left, right in pairs)
    ratios = [reals.ratio(left, right) for left, right in pairs]
    largest = None if None in ratios else max(each for each in ratios if each is not None)
    claims: list[tuple[Any, Fraction, bool]] = [(log(factor), min(Fraction(1), Fraction(worst) + NEAR), True)]
    if worst > 2 * float(NEAR):
        claims.append((log(factor), Fraction(worst) - NEAR, False))
    if largest is not None:
        claims.append((log(largest), Fraction(0), True))
        if largest > 1:
            claims.append((log(largest) - Fraction(1, 10**12), Fraction(0), False))
    elif worst > 1e-6:
        claims.append((log(factor), Fraction(0), False))
    found = compiled(text, OF_DPVERIFY)
    for epsilon, delta, holds in rng.sample(claims, k=min(2, len(claims))):
        try:
            verdict = check_privacy(
                found,
                domain,
                neighbours_of(written),
                epsilon=epsilon,
                delta=delta,
                parameters={"epsilon": log(base)},
                recheck=False,
            )
        except (InputError, Undecided) as refused:
            tally.refuse(f"{name}: ", why(refused))
            return False
        if verdict.status is Status.UNDECIDED:
            tally.refuse(f"{name}: ", why(InputError(verdict.reason)))
            return False
        expected = Status.PROVED if holds else Status.REFUTED
        claim = f"at ε = {epsilon}, δ = {float(delta)}"
        tally.expect("verdicts on real numbers", verdict.status is expected, written, claim, verdict)
        _compare(tally, written, verdict, largest, worst if epsilon == log(factor) else None)
    return True


def _compare(tally: Tally, written: Written, verdict: Verdict, largest: Fraction | None, worst: float | None) -> None:
    epsilon = verdict.epsilon
    agrees = epsilon is None if largest is None else epsilon is not None and epsilon.exact == log(largest)
    tally.expect("exact ε of real numbers", agrees, written, "the least e^ε is", largest, "and not that of", epsilon)
    if worst is not None:
        delta = verdict.delta
        near = delta is not None and float(delta.lower) - 1e-9 <= worst <= float(delta.upper) + 1e-9
        tally.expect("δ of real numbers", near, written, "the worst δ is", worst, "and not", delta)
