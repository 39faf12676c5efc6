"""Utility of Laplace noise, by its tail, and of the exponential mechanism and max-of-Laplaces by the number of items.

Chaudhuri, Hsu & Song say in Section 2.2 of max-of-Laplaces that it is range-dependent, and print no bound: the one here
follows from the law of the difference of two Laplace variables.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import Any, Final

from dpverify.mechanisms import Draw, Exact, exact, exp, laplace, log
from dpverify.mechanisms.functions import Mechanism
from dpverify.mechanisms.numbers.exact_numbers import ExactLike
from dpverify.mechanisms.selection import exponential_mechanism, max_of_laplaces
from dpverify.verifiers.catalogue.corners import ENDS_OF_EPSILON, EPSILONS, RandomCases, claimed_beta
from dpverify.verifiers.catalogue.families import TWENTIETH
from dpverify.verifiers.catalogue.selection.counting import counts_from, move_one_row
from dpverify.verifiers.utility.best_possible import BestPossible
from dpverify.verifiers.utility.family import Case, Family, Times, as_named, at_part, chosen, least_of, weakened

_BNS: Final = "Beimel, Nissim & Stemmer, journal version, Theorem 2.24"


def distances(st: Any) -> Any:
    """From 0 on."""
    return st.fractions(0, 50, max_denominator=8)


def is_near(case: Case, off: bool) -> bool:
    """True where no noise is off by more than the distance."""
    return not off


def off_by_more_than(draw: Draw, distance: Fraction, *, epsilon: ExactLike) -> bool:
    """True where Lap(1/ε) is more than a distance from 0."""
    noise = draw(laplace(1 / exact(epsilon)))
    return bool(noise > distance or noise < -distance)


laplace_tail = Family(
    off_by_more_than,
    is_near,
    lambda case: exp(-case.parameters["epsilon"] * case.database),
    at_part("off_with_twice_the_noise", off_by_more_than, 2),
)(
    "BNS-J-2.24.utility.tail",
    f"{_BNS} and Section 2.5.1",
    "Lap(1/ε) is more than Δ from 0 with probability at most e^(−εΔ)",
    strategy=chosen(lambda distance, epsilon: Case(distance, {"epsilon": epsilon}), distances, EPSILONS),
    corners=ENDS_OF_EPSILON,
)


# Theorem 1 of the extended abstract says with which probability exactly: no more than that, and no less.
def off_by_more(draw: Draw, distance: Fraction, *, sensitivity: Fraction, epsilon: ExactLike) -> bool:
    """True where Lap(k/ε), with which a query of sensitivity k is answered, is more than a distance from 0."""
    return off_by_more_than(draw, distance, epsilon=exact(epsilon) / sensitivity)


def tail_of_theorem_1(case: Case) -> Exact:
    """e^(−εΔ/k)."""
    return exp(-case.parameters["epsilon"] * case.database / case.parameters["sensitivity"])


_THEOREM_1: Final = "Beimel, Nissim & Stemmer, extended abstract, Theorem 1"
_TAILS: Final = chosen(
    lambda distance, epsilon, sensitivity: Case(distance, {"epsilon": epsilon, "sensitivity": sensitivity}),
    *(distances, EPSILONS, [Fraction(1, 3), Fraction(1), Fraction(3)]),
)
tail_at_most = Family(
    off_by_more,
    is_near,
    tail_of_theorem_1,
    weakened("off_by_more_with_twice_the_noise", off_by_more, sensitivity=Times(2)),
)(
    "BNS-X-Thm1.utility.tail",
    _THEOREM_1,
    "Lap(k/ε) is more than Δ from 0 with probability e^(−εΔ/k), and no more",
    strategy=_TAILS,
    corners=ENDS_OF_EPSILON,
)
tail_at_least = Family(
    off_by_more,
    lambda case, off: off,
    lambda case: 1 - tail_of_theorem_1(case),
    weakened("off_by_more_with_half_the_noise", off_by_more, sensitivity=Times(Fraction(1, 2))),
)(
    "BNS-X-Thm1.utility.tail-no-less",
    _THEOREM_1,
    "Lap(k/ε) is more than Δ from 0 with probability e^(−εΔ/k), and no less",
    strategy=_TAILS,
    corners=ENDS_OF_EPSILON,
)


# The union bound of Theorem 2.24: of n coordinates.
def some_off_by_more(draw: Draw, distance: Fraction, *, coordinates: int, epsilon: ExactLike) -> bool:
    """True where some of the n noises Lap(1/ε) is more than a distance from 0."""
    return any(off_by_more_than(draw, distance, epsilon=epsilon) for _ in range(coordinates))


_SOME_OFF: Final = at_part("some_off_with_twice_the_noise", some_off_by_more, 2)
tail_of_a_vector = Family(
    some_off_by_more,
    is_near,
    lambda case: case.parameters["coordinates"] * exp(-case.parameters["epsilon"] * case.database),
    _SOME_OFF,
)(
    "BNS-J-2.24.utility.tail-of-a-vector",
    _BNS,
    "some of n noises Lap(1/ε) is more than Δ from 0 with probability at most n·e^(−εΔ)",
    strategy=chosen(
        lambda distance, epsilon, coordinates: Case(distance, {"epsilon": epsilon, "coordinates": coordinates}),
        *(distances, EPSILONS, range(1, 5)),
    ),
    corners=ENDS_OF_EPSILON,
)
tail_of_a_long_vector = Family(some_off_by_more, is_near, claimed_beta, _SOME_OFF)(
    "BNS-J-2.24.utility.tail-of-a-long-vector",
    f"{_BNS}, and a union bound over the coordinates",
    "all of n noises Lap(1/ε) are within (1/ε)·ln(n/β) of 0 with probability at least 1 − β; n = 10 and 50",
    [
        Case(log(n / beta) / epsilon, {"epsilon": epsilon, "coordinates": n}, {"beta": beta})
        for n, epsilon, beta in product((10, 50), (Fraction(1, 10), Fraction(1)), (TWENTIETH, Fraction(1, 4)))
    ],
)

# Max-of-Laplaces: what is lost.
_CHS: Final = "Chaudhuri, Hsu & Song, Section 2.2"
_EPSILONS: Final = (Fraction(1, 10), Fraction(1, 2), Fraction(1))


def chance_of_loss(items: int, distance: int, epsilon: ExactLike) -> Exact:
    """(K − 1) times (2 + εΔ/2)/4·e^(−εΔ/2), with which a difference of two Lap(2/ε) exceeds Δ."""
    x = exact(epsilon) * distance / 2
    return (items - 1) * (2 + x) / 4 * exp(-x)


def loss_allowed(case: Case) -> Exact:
    """The bound, or β where the case names one."""
    if "beta" in case.facts:
        return exact(case.facts["beta"])
    return chance_of_loss(len(case.database), case.facts["distance"], case.parameters["epsilon"])


loss = Family(
    max_of_laplaces,
    lambda case, item: max(case.database) - case.database[item] < case.facts["distance"],
    loss_allowed,
    at_part("max_of_laplaces_at_half_epsilon", max_of_laplaces, 2),
)(
    "CHS-2.2-MoL.utility.loss",
    f"{_CHS}, the scale as reconstructed, and a union bound over the items",
    "max-of-Laplaces with Lap(2/ε) chooses one of K items that is Δ or more worse than the best with "
    "probability ≤ (K − 1)·(2 + εΔ/2)/4·e^(−εΔ/2)",
    tuple(  # one best item, others Δ worse, a little less or more, or tied with the best
        Case(quality, {"epsilon": epsilon}, {"distance": d})
        for epsilon, times in product(_EPSILONS, (2, 8, 20))
        for d in [floor(times / epsilon)]
        for quality in (*((0, *(-d,) * others) for others in (1, 2, 7)), (0, 0, -d, -d), (0, 1 - d, -d, -d - 5))
    ),
    sharpness=least_of(
        "loss Δ, 20 items, ε = 1, β = 1/20",
        next(d for d in range(1, 100) if chance_of_loss(20, d, 1) <= TWENTIETH),
        lambda loss: [Case((0, *(-loss,) * 19), {"epsilon": Fraction(1)}, {"distance": loss, "beta": TWENTIETH})],
        ours=True,
    ),
)


# Example (1): f(i, D) = |{j : D_j ≥ i}|/n on D = (1, …, 1).
def on_the_example(mechanism: Mechanism, name: str = "", times: Fraction | int = 1) -> Mechanism:
    """The mechanism on the items 1, …, K with the counts of example (1); named, a mutant at so many times the ε."""

    def chosen(draw: Draw, rows: tuple[int, ...], *, items: int, epsilon: ExactLike) -> Any:
        return draw(mechanism, counts_from(rows, items), epsilon=times * exact(epsilon))

    meaning = f"The mechanism of example (1) at {times} times the ε."
    return as_named(f"{name or mechanism.__qualname__}_on_the_example", meaning, chosen)


def examples() -> Iterator[Case]:
    """As many rows as ln(K)/ε, and four times as many."""
    for epsilon, items, times in product(_EPSILONS, (2, 10, 40), (1, 4)):
        yield Case((1,) * max(1, floor(times * log(items) / epsilon)), {"items": items, "epsilon": epsilon})


def chance_of_another(case: Case) -> Exact:
    """1 − e^(nε/2)/(K − 1 + e^(nε/2))."""
    others: int = case.parameters["items"] - 1
    epsilon: Fraction = case.parameters["epsilon"]
    return others / (others + exp(epsilon * len(case.database) / 2))


_ON_EXAMPLE: Final = on_the_example(exponential_mechanism)
example_no_less = Family(
    _ON_EXAMPLE,
    lambda case, item: item == 1,
    chance_of_another,
    on_the_example(exponential_mechanism, "exponential_at_half_epsilon", Fraction(1, 2)),
)(
    "CHS-2.2.utility.example",
    f"{_CHS}, example (1)",
    "on D = (1, …, 1) the exponential mechanism outputs i = 1 with probability e^(nε/2)/(K − 1 + e^(nε/2)), "
    "and no less",
    tuple(examples()),
)
example_no_more = Family(
    _ON_EXAMPLE,
    lambda case, item: item != 1,
    lambda case: 1 - chance_of_another(case),
    on_the_example(exponential_mechanism, "exponential_at_twice_epsilon", 2),
)(
    "CHS-2.2.utility.example-no-more",
    f"{_CHS}, example (1)",
    "on D = (1, …, 1) the exponential mechanism outputs i = 1 only with probability "
    "e^(nε/2)/(K − 1 + e^(nε/2)), and no more",
    tuple(examples()),
)
range_dependence = Family(
    on_the_example(max_of_laplaces),
    lambda case, item: item != 1,
    lambda case: Fraction(1, 2),
    on_the_example(max_of_laplaces, "laplaces_at_twice_epsilon", 2),
)(
    "CHS-2.2-MoL.utility.example",
    f"{_CHS}, example (1): max-of-Laplaces is range-dependent, too",
    "on D = (1, …, 1), n ≤ (2/ε)·ln((K − 1)/2), max-of-Laplaces outputs another item than i = 1 with probability ≥ 1/2",
    [
        Case((1,) * floor(2 / exact(epsilon) * log(Fraction(items - 1, 2))), {"items": items, "epsilon": epsilon})
        for epsilon, items in product(_EPSILONS, (9, 17, 33))
    ],
)


# The exponential mechanism: Proposition 2.25(ii) of the journal version.
_OF_THE_CHOICE: Final = "Beimel, Nissim & Stemmer, journal version, Proposition 2.25(ii)"


def allowed_by_exponential(case: Case) -> Exact:
    """|H|·e^(−εt/(2Δ)) for sensitivity Δ, which is 1 unless the case says so; β where the case names one."""
    if "beta" in case.facts:
        return exact(case.facts["beta"])
    rate = case.parameters["epsilon"] / (2 * case.parameters.get("sensitivity", 1))
    return len(case.database) * exp(-rate * case.facts["distance"])


choice = Family(
    exponential_mechanism,
    lambda case, chosen: case.database[chosen] > max(case.database) - case.facts["distance"],
    allowed_by_exponential,
    at_part("exponential_at_half_epsilon", exponential_mechanism, 2),
)


def qualities() -> RandomCases:
    """Qualities with a best, others at and around best − Δ, and Δ from 1/ε to 20/ε."""
    from hypothesis import strategies as st

    @st.composite
    def case(choose: Any) -> Case:
        epsilon = choose(st.sampled_from(EPSILONS))
        distance = ceil(choose(st.sampled_from((1, 6, 9, 20))) / epsilon)
        heights = choose(st.sampled_from(((distance,), (0, distance - 1, distance, distance + 3))))
        gaps = choose(st.lists(st.sampled_from(heights), max_size=12))
        best = choose(st.integers(0, 40))
        return Case((best, *(best - gap for gap in gaps)), {"epsilon": epsilon}, {"distance": distance})

    return case()


exponential_choice = choice(
    "BNS-J-2.25.utility.exponential",
    _OF_THE_CHOICE,
    "the exponential mechanism chooses a solution of quality ≤ best − Δ with probability ≤ |H|·e^(−εΔ/2)",
    strategy=qualities,
    corners={
        "one solution": lambda case: len(case.database) == 1,
        "all but one at best − Δ": lambda case: set(case.database[1:]) == {case.database[0] - case.facts["distance"]},
        **ENDS_OF_EPSILON,
    },
    sharpness=least_of(
        "gap Δ for 100 solutions, ε = 1, β = 1/20",
        ceil(2 * log(2000)),  # |H|·e^(−εΔ/2) = β
        lambda gap: [Case((gap, *(0,) * 99), {"epsilon": Fraction(1)}, {"distance": gap, "beta": Fraction(1, 20)})],
    ),
)
exponential_choice_of_counts = choice(
    "BNS-J-2.25.utility.counts",
    _OF_THE_CHOICE,
    "of the counts of three values in four rows, at ε = ln 9, the exponential mechanism chooses one that is "
    "two or more below the best with probability ≤ 3·e^(−ε)",
    [Case(rows, {"epsilon": log(9)}, {"distance": 2}) for rows in product(range(5), repeat=3) if sum(rows) == 4],
    optimal=BestPossible(epsilon=log(9), neighbours=move_one_row, outcomes=range(3)),
)


# BuNS, Proposition 3.8(2): the same for qualities of any sensitivity.
exponential_choice_of_sensitivity = choice(
    "BuNS-3.8.utility.sensitivity",
    "Bun, Nissim & Stemmer, Proposition 3.8(2), as reconstructed for a quality of sensitivity Δ",
    "the exponential mechanism for qualities of sensitivity Δ chooses a solution of quality ≤ best − t with "
    "probability ≤ |H|·e^(−εt/(2Δ)); Δ in {1/2, 2, 3}, |H| ≤ 100, ε in {1/10, 1/2, 1}",
    tuple(  # a best solution, and others at exactly best − t or just above it
        Case(
            (distance, *(1,) * above, *(0,) * (others - above)),
            {"epsilon": epsilon, "sensitivity": sensitivity},
            {"distance": distance},
        )
        for sensitivity, others, epsilon in product((Fraction(1, 2), Fraction(2), Fraction(3)), (1, 3, 99), _EPSILONS)
        for distance in (ceil(2 * log(2 * (others + 1)) * sensitivity / epsilon), ceil(12 * sensitivity / epsilon))
        for above in (0, min(others, 2))
    ),
)
