"""Example (1) of Chaudhuri, Hsu & Song with one best item and with two: what A_dist returns there, and LMM.

f(i, D) = |{j : D_j ≥ i}|/n. On D = (1, …, 1) item 1 stands out, and A_dist "has high utility"; on D = (2, …, 2) items 1
and 2 are tied, and "it fails", where the large margin mechanism chooses one of the two. The paper's A_dist is that of
Smith & Thakurta, with orders for its constants; here it is the corrected one, and for the tie those that are printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.elementary import exp
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.selection.large_margin import large_margin_mechanism, margin_needed
from dpverify.mechanisms.selection.stability import (
    Bottom,
    choose_by_stability,
    choose_by_stability_extended_abstract,
    choose_by_stability_journal,
    gap_needed,
)
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim

_CHS: Final = "Chaudhuri, Hsu & Song, Section 2.2, example (1)"
_DELTA: Final = Fraction(1, 10**6)
_BETA: Final = Fraction(1, 20)

VERSIONS: Final[Mapping[str, Mechanism]] = {
    "corrected": choose_by_stability,
    "extended abstract": choose_by_stability_extended_abstract,
    "journal": choose_by_stability_journal,
}


def counts_from(rows: tuple[int, ...], items: int) -> dict[int, int]:
    """n·f(i, D) of the items 1, …, K."""
    return {i: sum(x >= i for x in rows) for i in range(1, items + 1)}


def stable_item(
    draw: Draw, rows: tuple[int, ...], *, items: int, epsilon: Fraction, delta: Fraction, version: str = "corrected"
) -> Any:
    """The item that an A_dist returns."""
    return draw(VERSIONS[version], counts_from(rows, items), epsilon=epsilon, delta=delta)


def stable_item_at_half_epsilon(draw: Draw, rows: tuple[int, ...], *, epsilon: Fraction, **given: Any) -> Any:
    """Half the ε."""
    return draw(stable_item, rows, epsilon=epsilon / 2, **given)


def stable_item_at_twice_delta(draw: Draw, rows: tuple[int, ...], *, delta: Fraction, **given: Any) -> Any:
    """Twice the δ, with which a tie is released twice as often."""
    return draw(stable_item, rows, delta=2 * delta, **given)


def chance_of_a_tie(case: Case) -> Exact:
    """With which noise alone is above the threshold: ½·e^(−threshold/scale); 0 where a gap of 0 is never released."""
    epsilon, delta = exact(case.parameters["epsilon"]), case.parameters["delta"]
    by_version: dict[str, Callable[[], Exact]] = {
        "corrected": lambda: delta * exp(-epsilon),
        "extended abstract": lambda: exact(0),
        "journal": lambda: exact(delta) / 2,
    }
    return by_version[case.parameters["version"]]()


def ties() -> Iterator[Case]:
    """One row or many, all of them 2, of few items and of many."""
    for epsilon, items, n in product((Fraction(1, 10), Fraction(1)), (2, 3, 40), (1, 1000)):
        for version in VERSIONS:
            given = {"items": items, "epsilon": epsilon, "delta": _DELTA, "version": version}
            yield Case((2,) * n, given)


tied = UtilityClaim(
    id="CHS-2.2.utility.two-best",
    source=f"{_CHS}: A_dist fails on D = (2, …, 2)",
    statement="on D = (2, …, 2) A_dist returns ⊥ but with probability δ·e^(−ε), as corrected, δ/2, as in the journal "
    "version, and 0, as in the extended abstract, however many rows there are",
    mechanism=stable_item,
    succeeds=lambda case, item: isinstance(item, Bottom),
    beta=chance_of_a_tie,
    cases=tuple(ties()),
    mutant=stable_item_at_twice_delta,
)


def clear_maximisers() -> Iterator[Case]:
    """As many rows, all of them 1, as the gap that A_dist needs at β = 1/20, of few items and of many."""
    for epsilon, items in product((Fraction(1, 10), Fraction(1, 2), Fraction(1)), (2, 40)):
        n = floor(gap_needed(beta=_BETA, epsilon=epsilon, delta=_DELTA)) + 1
        yield Case((1,) * n, {"items": items, "epsilon": epsilon, "delta": _DELTA})


clear = UtilityClaim(
    id="CHS-2.2.utility.one-best",
    source=f"{_CHS}: A_dist has high utility on D = (1, …, 1)",
    statement="on D = (1, …, 1), n ≥ (2/ε)·ln(1/(4βδ)) + 2, A_dist returns 1 with probability ≥ 1 − β, of 2 or 40",
    mechanism=stable_item,
    succeeds=lambda case, item: item == 1,
    beta=lambda case: _BETA,
    cases=tuple(clear_maximisers()),
    mutant=stable_item_at_half_epsilon,
)


def near_maximiser(draw: Draw, rows: tuple[int, ...], *, items: int, epsilon: Fraction, delta: Fraction) -> Any:
    """The item that the large margin mechanism returns."""
    return draw(large_margin_mechanism, counts_from(rows, items), epsilon=epsilon, delta=delta)


def near_maximiser_at_a_thousandth(draw: Draw, rows: tuple[int, ...], *, epsilon: Fraction, **given: Any) -> Any:
    """A thousandth of the ε."""
    return draw(near_maximiser, rows, epsilon=epsilon / 1000, **given)


def two_near_maximisers() -> Iterator[Case]:
    """As many rows, all of them 2, as the margin of Theorem 3 for ℓ* = 2 and η = 1/20, of three and four items."""
    for epsilon, items in product((Fraction(1, 2), Fraction(1)), (3, 4)):
        n = floor(margin_needed(2, epsilon=epsilon, delta=_DELTA, failure=_BETA)) + 1
        yield Case((2,) * n, {"items": items, "epsilon": epsilon, "delta": _DELTA})


kept = UtilityClaim(
    id="CHS-2.2.utility.two-best-kept",
    source=f"{_CHS}, D = (2, …, 2), by Theorem 3",
    statement="on D = (2, …, 2), n ≥ nγ* for ℓ* = 2, LMM returns 1 or 2 with probability ≥ 1 − η, of three and four "
    "items; ε = 1/2 and 1, δ = 10⁻⁶, η = 1/20",
    mechanism=near_maximiser,
    succeeds=lambda case, item: item in (1, 2),
    beta=lambda case: _BETA,
    cases=tuple(two_near_maximisers()),
    mutant=near_maximiser_at_a_thousandth,
    weak_because="the rows that Theorem 3 asks for are enough with 16 times the noise, too, where the failure is a "
    "41st of what is allowed; at a thousandth of the ε it fails",
)
