"""Utility of A_dist: the gap from which it returns the best solution, as three papers print it, and where two are best.

f(i, D) = |{j : D_j ≥ i}|/n in example (1) of Chaudhuri, Hsu & Song. On D = (1, …, 1) item 1 stands out, and A_dist "has
high utility"; on D = (2, …, 2) items 1 and 2 are tied, and "it fails", where the large margin mechanism chooses one of
the two. The paper's A_dist is that of Smith & Thakurta, with orders for its constants; here it is the corrected one,
and for the tie those that are printed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Draw, Exact, exact, exp, log
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.selection import Bottom, choose_by_stability, choose_by_stability_extended_abstract
from dpverify.mechanisms.selection.large_margin import large_margin_mechanism, margin_needed
from dpverify.mechanisms.selection.stability import choose_by_stability_journal, gap_needed
from dpverify.verifiers.catalogue.corners import BETAS, DELTA_CORNERS, DELTAS, EPSILONS, RandomCases, claimed_beta
from dpverify.verifiers.catalogue.selection.counting import counts_from
from dpverify.verifiers.utility.family import Case, Family, Sharpness, Times, at_part, chosen, least_of, weakened

_BNS_X: Final = "Beimel, Nissim & Stemmer, extended abstract, Proposition 2(ii)"

# Proposition 2.26(ii), and Proposition 2(ii) of the extended abstract: A_dist.
Gap: TypeAlias = Callable[[Fraction, Fraction, Fraction], Exact]
"""The gap that a proposition speaks of, by ε, δ and β."""


def at_the_gap(needed: Gap, betas: Sequence[Fraction] = BETAS) -> Callable[[], RandomCases]:
    """Qualities whose gap is the least whole one that the proposition speaks of, or one or some more."""

    def case(epsilon: Fraction, delta: Fraction, beta: Fraction, more: int, others: int) -> Case:
        quality = (max(0, ceil(needed(epsilon, delta, beta))) + more, *(0,) * others)
        return Case(quality, {"epsilon": epsilon, "delta": delta}, {"beta": beta, "at the gap": more == 0})

    return chosen(case, EPSILONS, DELTAS, betas, (0, 0, 1, 7), range(1, 4))


def gap_journal(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Exact:
    """(1/ε)·ln(1/(βδ))."""
    return log(1 / (beta * delta)) / epsilon


def gap_corrected(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Exact:
    """(4/ε)·ln(1/(2βδ)) + 2, where Lap(4/ε) leaves the threshold (4/ε)·ln(1/δ) + 2 with probability β ≤ 1/2."""
    return 4 * log(1 / (2 * beta * delta)) / epsilon + 2


def sharp_at(needed: Gap, *, ours: bool = False) -> Sharpness:
    """The gap as what is varied."""
    given, beta = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}, Fraction(1, 20)
    return least_of(
        "gap, ε = 1, δ = 10⁻⁶, β = 1/20",
        ceil(needed(given["epsilon"], given["delta"], beta)),
        lambda gap: [Case((gap, 0), given, {"beta": beta})],
        least=0,
        ours=ours,
    )


_CORNERS: Final = {**DELTA_CORNERS, "exactly the gap": lambda case: case.facts["at the gap"]}
_RETURNS: Final = "A_dist returns the best solution with probability ≥ 1 − β where its gap is ≥ "


def with_twice_the_threshold(draw: Draw, quality: tuple[int, ...], *, epsilon: ExactLike, delta: Fraction) -> Any:
    """A_dist with the threshold of δ², which is twice as high."""
    return choose_by_stability_journal(draw, quality, epsilon=epsilon, delta=delta**2)


a_dist = Family(choose_by_stability_journal, lambda case, chosen: chosen == 0, claimed_beta, with_twice_the_threshold)
a_dist_of_the_journal = replace(
    a_dist, holds_for=lambda it: it.database[0] - it.database[1] >= gap_journal(**it.parameters, beta=it.facts["beta"])
)(
    "BNS-J-2.26.utility.gap",
    "Beimel, Nissim & Stemmer, journal version, Proposition 2.26(ii)",
    f"{_RETURNS}(1/ε)·ln(1/(βδ))",
    strategy=at_the_gap(gap_journal),
    corners=_CORNERS,
    sharpness=sharp_at(gap_journal),
)
gap = a_dist(
    "BuNS-3.11.utility.gap",
    "Bun, Nissim & Stemmer, Proposition 3.11",
    f"{_RETURNS}(1/ε)·ln(1/(βδ))",
    strategy=at_the_gap(gap_journal),
    corners=_CORNERS,
)
of_the_extended_abstract = Family(
    choose_by_stability_extended_abstract,
    lambda case, chosen: chosen == 0,
    claimed_beta,
    at_part("extended_at_a_third_of_epsilon", choose_by_stability_extended_abstract, 3),
)
a_dist_of_the_extended_abstract = of_the_extended_abstract(
    "BNS-X-Prop2.utility.gap",
    _BNS_X,
    f"{_RETURNS}(4/ε)·ln(2/(βδ))",
    strategy=at_the_gap(lambda epsilon, delta, beta: 4 * log(2 / (beta * delta)) / epsilon),
    corners=_CORNERS,
    of_the_statement="The threshold has + 2, and the gap has not: it is missed with probability β·e^(ε/2)/4, which is "
    "more than β where ε > 4·ln 2 = 2.77….",
    examples=(Case((40, 0), {"epsilon": Fraction(5), "delta": DELTAS[0]}, {"beta": BETAS[0], "at the gap": True}),),
)
a_dist_of_the_extended_abstract_corrected = of_the_extended_abstract(
    "BNS-X-Prop2.utility.gap-corrected",
    f"{_BNS_X}, with the gap that its threshold needs",
    f"{_RETURNS}(4/ε)·ln(1/(2βδ)) + 2, β ≤ 1/2",
    strategy=at_the_gap(gap_corrected, BETAS[:-1]),
    corners={name: hit for name, hit in _CORNERS.items() if name != "β near 1"},
    sharpness=sharp_at(gap_corrected, ours=True),
)

# Example (1) of Chaudhuri, Hsu & Song.
_CHS: Final = "Chaudhuri, Hsu & Song, Section 2.2, example (1)"
_DELTA: Final = Fraction(1, 10**6)
_BETA: Final = Fraction(1, 20)
VERSIONS: Final[Mapping[str, Mechanism]] = {
    "corrected": choose_by_stability,
    "extended abstract": choose_by_stability_extended_abstract,
    "journal": choose_by_stability_journal,
}


def stable_item(draw: Draw, rows: tuple[int, ...], *, items: int, version: str = "corrected", **given: Any) -> Any:
    """The item that an A_dist returns."""
    return draw(VERSIONS[version], counts_from(rows, items), **given)


def chance_of_a_tie(case: Case) -> Exact:
    """The probability of a noise above the threshold, ½·e^(−threshold/scale); 0 where a gap of 0 is never released."""
    epsilon, delta = (exact(case.parameters[name]) for name in ("epsilon", "delta"))
    of_version = {"corrected": delta * exp(-epsilon), "extended abstract": exact(0), "journal": delta / 2}
    return of_version[case.parameters["version"]]


tied = Family(
    stable_item,
    lambda case, item: isinstance(item, Bottom),
    chance_of_a_tie,
    weakened("stable_item_at_twice_delta", stable_item, delta=Times(2)),
)(
    "CHS-2.2.utility.two-best",
    f"{_CHS}: A_dist fails on D = (2, …, 2)",
    "on D = (2, …, 2) A_dist returns ⊥ but with probability δ·e^(−ε), as corrected, δ/2, as in the journal "
    "version, and 0, as in the extended abstract, however many rows there are",
    tuple(
        Case((2,) * n, {"items": items, "epsilon": epsilon, "delta": _DELTA, "version": version})
        for epsilon, items, n in product((Fraction(1, 10), Fraction(1)), (2, 3, 40), (1, 1000))
        for version in VERSIONS
    ),
)


def all_alike(row: int, items: int, epsilon: Fraction, needed: Exact) -> Case:
    """More rows than are needed, the least whole number, all of them the same, at δ = 10⁻⁶."""
    return Case((row,) * (floor(needed) + 1), {"items": items, "epsilon": epsilon, "delta": _DELTA})


clear = Family(
    stable_item, lambda case, item: item == 1, lambda _: _BETA, at_part("stable_item_at_half_epsilon", stable_item, 2)
)(
    "CHS-2.2.utility.one-best",
    f"{_CHS}: A_dist has high utility on D = (1, …, 1)",
    "on D = (1, …, 1), n ≥ (2/ε)·ln(1/(4βδ)) + 2, A_dist returns 1 with probability ≥ 1 − β, of 2 or 40",
    tuple(
        all_alike(1, items, epsilon, gap_needed(beta=_BETA, epsilon=epsilon, delta=_DELTA))
        for epsilon, items in product((Fraction(1, 10), Fraction(1, 2), Fraction(1)), (2, 40))
    ),
)


def near_maximiser(draw: Draw, rows: tuple[int, ...], *, items: int, epsilon: Fraction, delta: Fraction) -> Any:
    """The item that the large margin mechanism returns."""
    return draw(large_margin_mechanism, counts_from(rows, items), epsilon=epsilon, delta=delta)


kept = Family(
    near_maximiser,
    lambda case, item: item in (1, 2),
    lambda case: _BETA,
    at_part("near_maximiser_at_a_thousandth", near_maximiser, 1000),
)(
    "CHS-2.2.utility.two-best-kept",
    f"{_CHS}, D = (2, …, 2), by Theorem 3",
    "on D = (2, …, 2), n ≥ nγ* for ℓ* = 2, LMM returns 1 or 2 with probability ≥ 1 − η, of three and four "
    "items; ε = 1/2 and 1, δ = 10⁻⁶, η = 1/20",
    tuple(
        all_alike(2, items, epsilon, margin_needed(2, epsilon=epsilon, delta=_DELTA, failure=_BETA))
        for epsilon, items in product((Fraction(1, 2), Fraction(1)), (3, 4))
    ),
    weak_because="the rows that Theorem 3 asks for are enough with 16 times the noise, too, where the failure is a "
    "41st of what is allowed; at a thousandth of the ε it fails",
)
