"""Utility of max-of-Laplaces, and how both it and the exponential mechanism depend on the number of items.

Source: Chaudhuri, Hsu & Song, Section 2.2, which says of max-of-Laplaces that it is range-dependent and prints no
bound: the one here follows from the law of the difference of two Laplace variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.exact_numbers import Exact, ExactLike, exact
from dpverify.mechanisms.selection.exponential_mechanism import exponential_mechanism
from dpverify.mechanisms.selection.noisy_max import max_of_laplaces
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.statement import Sharpness

_CHS: Final = "Chaudhuri, Hsu & Song, Section 2.2"
_EPSILONS: Final = (Fraction(1, 10), Fraction(1, 2), Fraction(1))
_TWENTIETH: Final = Fraction(1, 20)

# What is lost.


def max_of_laplaces_at_half_epsilon(draw: Draw, quality: tuple[int, ...], *, epsilon: ExactLike) -> Any:
    """Lap(4/ε) in place of Lap(2/ε)."""
    return max_of_laplaces(draw, quality, epsilon=exact(epsilon) / 2)


def chance_of_loss(items: int, distance: int, epsilon: ExactLike) -> Exact:
    """(K − 1) times (2 + εΔ/2)/4·e^(−εΔ/2), with which a difference of two Lap(2/ε) exceeds Δ."""
    x = exact(epsilon) * distance / 2
    return (items - 1) * (2 + x) / 4 * exp(-x)


def losses() -> Iterator[Case]:
    """One best item, others Δ worse, a little less or more, or tied with the best; Δ from 1/ε to 20/ε."""
    for epsilon in _EPSILONS:
        for times in (2, 8, 20):
            distance = floor(times / epsilon)
            shapes = [(0, *(-distance,) * others) for others in (1, 2, 7)] + [
                (0, 0, -distance, -distance),
                (0, 1 - distance, -distance, -distance - 5),
            ]
            for quality in shapes:
                yield Case(quality, {"epsilon": epsilon}, {"distance": distance})


def many_worse_by(distance: int) -> Iterator[Case]:
    """One best item and 19 that are worse by `distance`, at ε = 1 and β = 1/20."""
    yield Case((0, *(-distance,) * 19), {"epsilon": Fraction(1)}, {"distance": distance, "beta": _TWENTIETH})


def loss_allowed(case: Case) -> Exact:
    """The bound, or β where the case names one."""
    if "beta" in case.facts:
        return exact(case.facts["beta"])
    return chance_of_loss(len(case.database), case.facts["distance"], case.parameters["epsilon"])


loss = UtilityClaim(
    id="CHS-2.2-MoL.utility.loss",
    source=f"{_CHS}, the scale as reconstructed, and a union bound over the items",
    statement="max-of-Laplaces with Lap(2/ε) chooses one of K items that is Δ or more worse than the best with "
    "probability ≤ (K − 1)·(2 + εΔ/2)/4·e^(−εΔ/2)",
    mechanism=max_of_laplaces,
    cases=tuple(losses()),
    succeeds=lambda case, item: max(case.database) - case.database[item] < case.facts["distance"],
    beta=loss_allowed,
    mutant=max_of_laplaces_at_half_epsilon,
    sharpness=Sharpness(
        ours=True,
        what="loss Δ, 20 items, ε = 1, β = 1/20",
        paper=next(d for d in range(1, 100) if chance_of_loss(20, d, 1) <= _TWENTIETH),
        family=many_worse_by,
    ),
)


# Example (1): f(i, D) = |{j : D_j ≥ i}|/n on D = (1, …, 1).


def on_the_example(mechanism: Mechanism) -> Mechanism:
    """The mechanism on the items 1, …, K with the counts of example (1)."""

    def chosen(draw: Draw, rows: tuple[int, ...], *, items: int, epsilon: ExactLike) -> Any:
        quality = {i: sum(x >= i for x in rows) for i in range(1, items + 1)}
        return draw(mechanism, quality, epsilon=epsilon)

    chosen.__qualname__ = f"{getattr(mechanism, '__name__', 'mechanism')}_on_the_example"
    chosen.__doc__ = mechanism.__doc__
    return chosen


def exponential_at_half_epsilon(draw: Draw, quality: Any, *, epsilon: ExactLike) -> Any:
    """Half the ε."""
    return exponential_mechanism(draw, quality, epsilon=exact(epsilon) / 2)


def exponential_at_twice_epsilon(draw: Draw, quality: Any, *, epsilon: ExactLike) -> Any:
    """Twice the ε, which finds item 1 more often."""
    return exponential_mechanism(draw, quality, epsilon=2 * exact(epsilon))


def laplaces_at_twice_epsilon(draw: Draw, quality: Any, *, epsilon: ExactLike) -> Any:
    """Lap(1/ε) in place of Lap(2/ε), which finds item 1 more often."""
    return max_of_laplaces(draw, quality, epsilon=2 * exact(epsilon))


def examples() -> Iterator[Case]:
    """As many rows as ln(K)/ε, and four times as many."""
    for epsilon in _EPSILONS:
        for items in (2, 10, 40):
            for times in (1, 4):
                n = max(1, floor(times * log(items) / epsilon))
                yield Case((1,) * n, {"items": items, "epsilon": epsilon})


def chance_of_another(case: Case) -> Exact:
    """1 − e^(nε/2)/(K − 1 + e^(nε/2))."""
    others: int = case.parameters["items"] - 1
    epsilon: Fraction = case.parameters["epsilon"]
    return others / (others + exp(epsilon * len(case.database) / 2))


_EXAMPLE: Final[dict[str, Any]] = {
    "source": f"{_CHS}, example (1)",
    "mechanism": on_the_example(exponential_mechanism),
    "cases": tuple(examples()),
}

example_no_less = UtilityClaim(
    id="CHS-2.2.utility.example",
    statement="on D = (1, …, 1) the exponential mechanism outputs i = 1 with probability e^(nε/2)/(K − 1 + e^(nε/2)), "
    "and no less",
    succeeds=lambda case, item: item == 1,
    beta=chance_of_another,
    mutant=on_the_example(exponential_at_half_epsilon),
    **_EXAMPLE,
)
example_no_more = UtilityClaim(
    id="CHS-2.2.utility.example-no-more",
    statement="on D = (1, …, 1) the exponential mechanism outputs i = 1 only with probability "
    "e^(nε/2)/(K − 1 + e^(nε/2)), and no more",
    succeeds=lambda case, item: item != 1,
    beta=lambda case: 1 - chance_of_another(case),
    mutant=on_the_example(exponential_at_twice_epsilon),
    **_EXAMPLE,
)


def too_few_rows() -> Iterator[Case]:
    """(2/ε)·ln((K − 1)/2) rows, rounded down."""
    for epsilon in _EPSILONS:
        for items in (9, 17, 33):
            n = floor(2 / exact(epsilon) * log(Fraction(items - 1, 2)))
            yield Case((1,) * n, {"items": items, "epsilon": epsilon})


range_dependence = UtilityClaim(
    id="CHS-2.2-MoL.utility.example",
    source=f"{_CHS}, example (1): max-of-Laplaces is range-dependent, too",
    statement="on D = (1, …, 1), n ≤ (2/ε)·ln((K − 1)/2), max-of-Laplaces outputs another item than i = 1 with "
    "probability ≥ 1/2",
    mechanism=on_the_example(max_of_laplaces),
    cases=tuple(too_few_rows()),
    succeeds=lambda case, item: item != 1,
    beta=lambda case: Fraction(1, 2),
    mutant=on_the_example(laplaces_at_twice_epsilon),
)
