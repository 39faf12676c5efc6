"""Steps to the usefulness of A_dist: Proposition 2.26(ii), and Proposition 2 of the extended abstract.

With a gap of g the best solution is not chosen with probability e^(−(g − t)/b)/2, for a threshold t ≤ g and Lap(b).
"""

from __future__ import annotations

from typing import Final

from dpverify.verifiers.steps.claim import Step
from dpverify.verifiers.steps.ranges import Range, above_zero, at_least, between
from dpverify.verifiers.steps.statement import BrokenStep
from dpverify.verifiers.steps.terms import exp, log

_UNIT: Final = between(0, 1)


def _journal(part: int = 1) -> dict[str, Range]:
    gap = at_least(lambda beta, epsilon, delta: log(1 / (beta * delta)) / (part * epsilon))
    return {"beta": _UNIT, "epsilon": above_zero(), "delta": _UNIT, "g": gap}


def _abstract(constant: int = 4) -> dict[str, Range]:
    gap = at_least(lambda beta, epsilon, delta: constant / epsilon * log(2 / (beta * delta)))
    return {"beta": _UNIT, "epsilon": above_zero(1), "delta": _UNIT, "g": gap}


journal = Step(
    id="BNS-J-2.26.step.utility",
    source="Beimel, Nissim & Stemmer, journal version, Proposition 2.26(ii), whose proof is in its source",
    statement="with a gap of (1/ε)·ln(1/(βδ)) the best solution is missed with probability at most β",
    parameters=_journal(),
    says=lambda beta, epsilon, delta, g: exp(-epsilon * (g - log(1 / delta) / epsilon)) / 2 <= beta,
    mutants=[BrokenStep("half of the gap", parameters=_journal(2))],
)

extended_abstract = Step(
    id="BNS-X-Prop2.step.utility",
    source="Beimel, Nissim & Stemmer, extended abstract, Proposition 2(ii), whose proof is in its source",
    statement="with a gap of (4/ε)·ln(2/(βδ)) the best solution is missed with probability at most β, for ε ≤ 1",
    parameters=_abstract(),
    says=lambda beta, epsilon, delta, g: exp(-epsilon / 4 * (g - 4 / epsilon * log(1 / delta) - 2)) / 2 <= beta,
    mutants=[BrokenStep("3/ε", parameters=_abstract(3))],
)
