"""Lower bounds on ε by samples, of the mechanisms of the catalogue that can be enumerated, beside their exact ε.

Each is drawn from by the table of its law, on one pair of neighbours; the exact ε is that of this pair.
"""

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np

from dpverify.mechanisms import InputError, distribution, exact
from dpverify.mechanisms.functions.signatures import parameters_for
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.numbers.roots.symbolic_epsilon import symbol_in
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.verifiers import Claim, Status, check_privacy
from dpverify.verifiers.blackbox.privacy_audit import AuditDesign, found_in, gathered
from dpverify.verifiers.blackbox.proposals import pairs_of_domain
from dpverify.verifiers.blackbox.sampling.samplers import DrawBlocks, NumpyFunction
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.problems.questions.question import privacy_guarantee

LARGEST_LAW = 500
"""Outcomes of a law that is drawn from."""


class Enumerated(NamedTuple):
    """A pair of databases of a claim, the probabilities of their outcomes, and the exact ε of the pair at a δ."""

    id: str
    pair: tuple[Hashable, Hashable]
    laws: Mapping[Hashable, Any]
    delta: Fraction
    exact: Fraction


def enumerated(claim: Claim, delta: Fraction = Fraction(0)) -> Enumerated | None:
    """A pair in the middle of the domain with its laws; None where these are not finite, too many, or for all ε or δ.

    None, too, where no ε holds at δ: no bound could be above that.
    """
    if claim.is_of_every_delta or symbol_in((claim.epsilon, claim.delta, dict(claim.parameters))) is not None:
        return None
    try:
        epsilon, claimed = privacy_guarantee(claim.epsilon, claim.delta)
        given = parameters_for(claim.mechanism, {"epsilon": epsilon, "delta": claimed}, claim.parameters)
        found = pairs_of_domain(claim.domain, claim.question.neighbours)
        left, right = found.pairs[len(found.pairs) // 2]
        pair = found.databases[left], found.databases[right]
        laws = {rows: distribution(claim.mechanism, rows, **given) for rows in pair}
        if any(isinstance(law, ReleasedDistribution) or law.size > LARGEST_LAW for law in laws.values()):
            return None
        every = list(dict.fromkeys(outcome for law in laws.values() for outcome in law.probabilities))
        tables = {}
        for rows, law in laws.items():
            weights = np.array([float(enclosure(law.probability(outcome), 64).mid()) for outcome in every])
            tables[rows] = weights / weights.sum()

        def other(rows: Hashable) -> list[Hashable]:
            return [pair[0] if rows == pair[1] else pair[1]]

        verdict = check_privacy(claim.mechanism, pair, other, epsilon=40, delta=delta, parameters=given, recheck=False)
    except InputError:
        return None
    return None if verdict.epsilon is None else Enumerated(claim.id, pair, tables, delta, verdict.epsilon.upper)


def mechanisms(step: int, delta: Fraction = Fraction(0)) -> Iterator[Enumerated]:
    """One in `step` of the claims of the catalogue that are quickly decided, true or not, where they are enumerated."""
    claims = [one for one in catalogue() if isinstance(one, Claim) and one.depth == "quick"]
    for claim in [one for one in claims if one.verdict_expected in (Status.PROVED, Status.REFUTED)][::step]:
        found = enumerated(claim, delta)
        if found is not None:
            yield found


def with_equality() -> Iterator[Enumerated]:
    """Laws of few outcomes, each of which has its ε: whichever event is chosen, nothing is left between."""
    for i, (left, right, delta) in enumerate(_EQUAL):
        epsilon = Fraction(np.log((left[0] - float(delta)) / right[0])).limit_denominator(10**9) + Fraction(1, 10**8)
        laws: dict[Hashable, Any] = {0: np.array(left), 1: np.array(right)}
        yield Enumerated(f"equality {i}", (0, 1), laws, delta, epsilon)


_EQUAL: Final = (
    ((0.75, 0.25), (0.25, 0.75), Fraction(0)),
    ((0.02, 0.98), (0.01, 0.99), Fraction(0)),
    ((0.5, 0.5), (0.5, 0.5), Fraction(0)),
    ((0.6, 0.4), (0.4, 0.6), Fraction(1, 10)),
    ((0.2, 0.2, 0.6), (0.1, 0.1, 0.8), Fraction(0)),
)


def is_above(one: Enumerated, confidence: Fraction, draws: int, seed: int, claimed: Fraction = Fraction(1000)) -> bool:
    """Whether the lower bound that a run finds at this confidence exceeds the exact ε; it may stop at a claimed one."""

    def shipped(rows: Hashable, rng: np.random.Generator, size: int) -> Any:
        return rng.choice(len(one.laws[rows]), size=size, p=one.laws[rows])

    asked = AuditDesign(exact(claimed), exact(one.delta), draws, 1 - confidence)
    source = DrawBlocks(NumpyFunction(shipped, vectorised=True), seed)
    found = found_in(gathered(source, one.pair, [(0, 1), (1, 0)], asked, {}), asked)
    return found.ruled_out is not None and found.ruled_out > one.exact
