"""Lower bounds on ε by samples, of the mechanisms of the catalogue that can be enumerated, beside their exact ε.

Each is drawn from by the table of its law, on one pair of neighbours; the exact ε is that of this pair.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from dpverify.mechanisms import InputError, distribution, exact
from dpverify.mechanisms.functions.signatures import parameters_for
from dpverify.mechanisms.laws.released import ReleasedDistribution
from dpverify.mechanisms.numbers.enclosure import enclosure
from dpverify.mechanisms.signs.symbolic_epsilon import symbol_in
from dpverify.verifiers import Claim, Status, check_privacy
from dpverify.verifiers.catalogue import catalogue
from dpverify.verifiers.questions.question import privacy_guarantee
from dpverify.verifiers.sampled.privacy_audit import AuditDesign, found_in, gathered
from dpverify.verifiers.sampled.proposals import pairs_of_domain
from dpverify.verifiers.sampling.samplers import DrawBlocks, NumpyFunction

LARGEST_LAW = 500
"""Outcomes of a law that is drawn from."""


class Enumerated(NamedTuple):
    """A pair of databases of a claim, the probabilities of their outcomes, and the exact ε of the pair; None for ∞."""

    id: str
    pair: tuple[Hashable, Hashable]
    laws: Mapping[Hashable, Any]
    exact: Fraction | None


def enumerated(claim: Claim) -> Enumerated | None:
    """A pair in the middle of the domain with its laws; None where these are not finite, too many, or for all ε."""
    if symbol_in((claim.epsilon, claim.delta, dict(claim.parameters))) is not None:
        return None
    try:
        epsilon, delta = privacy_guarantee(claim.epsilon, claim.delta)
        given = parameters_for(claim.mechanism, {"epsilon": epsilon, "delta": delta}, claim.parameters)
        found = pairs_of_domain(claim.domain, claim.neighbours)
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

        verdict = check_privacy(claim.mechanism, pair, other, epsilon=40, parameters=given, recheck=False)
    except InputError:
        return None
    return Enumerated(claim.id, pair, tables, None if verdict.epsilon is None else verdict.epsilon.upper)


def mechanisms(step: int) -> Iterator[Enumerated]:
    """One in `step` of the claims of the catalogue that are quickly decided and hold, where they can be enumerated."""
    claims = [one for one in catalogue() if isinstance(one, Claim) and one.depth == "quick"]
    for claim in [one for one in claims if one.verdict_expected is Status.PROVED][::step]:
        found = enumerated(claim)
        if found is not None:
            yield found


def is_above(one: Enumerated, confidence: Fraction, draws: int, seed: int) -> bool:
    """Whether the lower bound that a run finds at this confidence exceeds the exact ε."""

    def shipped(rows: Hashable, rng: np.random.Generator, size: int) -> Any:
        return rng.choice(len(one.laws[rows]), size=size, p=one.laws[rows])

    asked = AuditDesign(exact(1000), exact(0), draws, 1 - confidence)
    source = DrawBlocks(NumpyFunction(shipped, vectorised=True), seed)
    found = found_in(gathered(source, one.pair, [(0, 1), (1, 0)], asked, {}), asked)
    return one.exact is not None and found.ruled_out is not None and found.ruled_out > one.exact
