"""Utility of A_dist: the gap from which it returns the best solution, as three papers print it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike
from dpverify.mechanisms.selection.stability import choose_by_stability_extended_abstract, choose_by_stability_journal
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.corners import BETAS, DELTA_CORNERS, DELTAS, EPSILONS, claimed_beta
from dpverify.verifiers.catalogue.refuted import of_the_statement
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
_BUNS: Final = "Bun, Nissim & Stemmer"

# Proposition 2.26(ii), and Proposition 2(ii) of the extended abstract: A_dist.


def at_the_gap(needed: Any, betas: Sequence[Fraction] = BETAS) -> SearchStrategy[Case]:
    """Qualities whose gap is the least whole one that the proposition speaks of, or one or some more."""
    from hypothesis import strategies as st

    def case(epsilon: Fraction, delta: Fraction, beta: Fraction, more: int, others: int) -> Case:
        gap = max(0, ceil(needed(epsilon, delta, beta))) + more
        return Case(
            (gap, *(0,) * others), {"epsilon": epsilon, "delta": delta}, {"beta": beta, "at the gap": more == 0}
        )

    return st.builds(
        case,
        st.sampled_from(EPSILONS),
        st.sampled_from(DELTAS),
        st.sampled_from(betas),
        st.sampled_from((0, 0, 1, 7)),
        st.integers(1, 3),
    )


def gap_journal(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Exact:
    """(1/ε)·ln(1/(βδ))."""
    return log(1 / (beta * delta)) / epsilon


def gap_extended_abstract(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Exact:
    """(4/ε)·ln(2/(βδ))."""
    return 4 * log(2 / (beta * delta)) / epsilon


def with_twice_the_threshold(draw: Draw, quality: tuple[int, ...], *, epsilon: ExactLike, delta: Fraction) -> Any:
    """A_dist with the threshold of δ², which is twice as high."""
    return choose_by_stability_journal(draw, quality, epsilon=epsilon, delta=delta**2)


def extended_at_a_third_of_epsilon(draw: Draw, quality: tuple[int, ...], *, epsilon: Fraction, delta: Fraction) -> Any:
    """A third of the ε."""
    return choose_by_stability_extended_abstract(draw, quality, epsilon=epsilon / 3, delta=delta)


def one_gap(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Any:
    """The gap as what is varied."""

    def family(gap: int) -> Iterator[Case]:
        yield Case((gap, 0), {"epsilon": epsilon, "delta": delta}, {"beta": beta})

    return family


_AT: Final = (Fraction(1), Fraction(1, 10**6), Fraction(1, 20))

a_dist_of_the_journal = UtilityClaim(
    id="BNS-J-2.26.utility.gap",
    source=f"{_BNS}, Proposition 2.26(ii)",
    statement="A_dist returns the best solution with probability ≥ 1 − β where its gap is ≥ (1/ε)·ln(1/(βδ))",
    mechanism=choose_by_stability_journal,
    succeeds=lambda case, chosen: chosen == 0,
    beta=lambda case: case.facts["beta"],
    holds_for=lambda case: (
        case.database[0] - case.database[1]
        >= gap_journal(case.parameters["epsilon"], case.parameters["delta"], case.facts["beta"])
    ),
    strategy=lambda: at_the_gap(gap_journal),
    corners={**DELTA_CORNERS, "exactly the gap": lambda case: case.facts["at the gap"]},
    mutant=with_twice_the_threshold,
    sharpness=Sharpness(
        what="gap, ε = 1, δ = 10⁻⁶, β = 1/20", paper=ceil(gap_journal(*_AT)), family=one_gap(*_AT), least=0
    ),
)


def gap_corrected(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Exact:
    """(4/ε)·ln(1/(2βδ)) + 2, where Lap(4/ε) leaves the threshold (4/ε)·ln(1/δ) + 2 with probability β ≤ 1/2."""
    return 4 * log(1 / (2 * beta * delta)) / epsilon + 2


_EXTENDED: Final[dict[str, Any]] = {
    "mechanism": choose_by_stability_extended_abstract,
    "succeeds": lambda case, chosen: chosen == 0,
    "beta": lambda case: case.facts["beta"],
    "corners": {**DELTA_CORNERS, "exactly the gap": lambda case: case.facts["at the gap"]},
    "mutant": extended_at_a_third_of_epsilon,
}

a_dist_of_the_extended_abstract = UtilityClaim(
    id="BNS-X-Prop2.utility.gap",
    source="Beimel, Nissim & Stemmer, extended abstract, Proposition 2(ii)",
    statement="A_dist returns the best solution with probability ≥ 1 − β where its gap is ≥ (4/ε)·ln(2/(βδ))",
    strategy=lambda: at_the_gap(gap_extended_abstract),
    expected=Status.REFUTED,
    refutation=of_the_statement(
        "The threshold has + 2, and the gap has not: it is missed with probability β·e^(ε/2)/4, which is more than β "
        "where ε > 4·ln 2 = 2.77…."
    ),
    examples=(
        Case(
            (40, 0),
            {"epsilon": Fraction(5), "delta": DELTAS[0]},
            {"beta": BETAS[0], "at the gap": True},
        ),
    ),
    **_EXTENDED,
)

a_dist_of_the_extended_abstract_corrected = UtilityClaim(
    id="BNS-X-Prop2.utility.gap-corrected",
    source="Beimel, Nissim & Stemmer, extended abstract, Proposition 2(ii), with the gap that its threshold needs",
    statement="A_dist returns the best solution with probability ≥ 1 − β where its gap is ≥ (4/ε)·ln(1/(2βδ)) + 2, "
    "β ≤ 1/2",
    strategy=lambda: at_the_gap(gap_corrected, BETAS[:-1]),
    sharpness=Sharpness(
        what="gap, ε = 1, δ = 10⁻⁶, β = 1/20", paper=ceil(gap_corrected(*_AT)), family=one_gap(*_AT), least=0, ours=True
    ),
    **{**_EXTENDED, "corners": {name: hit for name, hit in _EXTENDED["corners"].items() if name != "β near 1"}},
)

# Proposition 3.11: A_dist.

gap = UtilityClaim(
    id="BuNS-3.11.utility.gap",
    source=f"{_BUNS}, Proposition 3.11",
    statement="A_dist returns the best solution with probability ≥ 1 − β where its gap is ≥ (1/ε)·ln(1/(βδ))",
    mechanism=choose_by_stability_journal,
    succeeds=lambda case, chosen: chosen == 0,
    beta=claimed_beta,
    strategy=lambda: at_the_gap(gap_journal),
    corners={**DELTA_CORNERS, "exactly the gap": lambda case: case.facts["at the gap"]},
    mutant=with_twice_the_threshold,
)
