"""Lower bounds to private maximization: no pure differential privacy without dependence on the number of items."""

from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, Final

from dpverify.mechanisms import Exact, distribution, exact, log
from dpverify.mechanisms.selection import exponential_mechanism, max_of_laplaces
from dpverify.mechanisms.selection.packing_bound import packing_bound
from dpverify.verifiers.catalogue.families import HALF
from dpverify.verifiers.catalogue.selection.counting import frequencies
from dpverify.verifiers.lower_bounds.family import BoundFamily, a_tenth_too_little, on_cases, without_distances
from dpverify.verifiers.lower_bounds.instance import HardInstance
from dpverify.verifiers.lower_bounds.statement import Law, Parameters

_CHS: Final = "Chaudhuri, Hsu & Song, Proposition 1"
NOBODY: Final = -1
"""An entry that speaks for no item."""


def near_maximal(case: Parameters) -> Exact:
    """log((K − 1)/2)/(αn): an item is a success whose quality is more than the best less that (their α is our ε)."""
    items, n = int(case["items"]), int(case["n"])
    return log(Fraction(items - 1, 2)) / (exact(case["epsilon"]) * n)


def moved(case: Parameters) -> int:
    """The number of entries that speak for item i: so many that it leads by `near_maximal`, if n are as many."""
    n = int(case["n"])
    return min(n, max(1, ceil(near_maximal(case) * n)))


def maximization(case: Parameters) -> HardInstance:
    """Databases D_i with some entries i, and the others nobody's, for each item i.

    n·f(i, D) = #{j : D_j = i}, so that f is (1/n)-Lipschitz.
    """
    items, n, some, allowed = case["items"], case["n"], moved(case), near_maximal(case)

    def succeeds(database: tuple[int, ...], item: int) -> bool:
        quality = frequencies(database, items)
        return bool(Fraction(quality[item], n) > Fraction(max(quality.values()), n) - allowed)

    return HardInstance(
        databases=[(i,) * some + (NOBODY,) * (n - some) for i in range(items)],
        outcomes=list(range(items)),
        succeeds=succeeds,
    )


def good_for_two(case: Parameters) -> str | None:
    """An item that is a success for two of the databases; None where there is none."""
    instance = maximization(case)
    for item in instance.outcomes:
        good = [database for database in instance.databases if instance.succeeds(database, item)]
        if len(good) > 1:
            return f"item {item} is within {near_maximal(case)} of the best on {good[0]} and on {good[1]}"
    return None


def law_of(mechanism: Any, case: Parameters) -> Law:
    """A mechanism whose qualities are the counts, which replacing an entry moves by 1 at most."""
    items, epsilon = case["items"], case["epsilon"]
    return lambda database: distribution(mechanism, tuple(frequencies(database, items).values()), epsilon=epsilon)


def forced(case: Parameters) -> Exact:
    """1/(1 + (K − 1)·e^(−αd)) for d = ⌈log((K − 1)/2)/α⌉: below 1/(1 + 2e^(−α)), as d < log((K − 1)/2)/α + 1."""
    return packing_bound(case["items"], moved(case), case["epsilon"])


def case_of(items: int, n: int, epsilon: Exact | Fraction = HALF) -> dict[str, Any]:
    """K, n and α."""
    return {"items": items, "n": n, "epsilon": epsilon}


MECHANISMS: Final = {
    "exponential": partial(law_of, exponential_mechanism),
    "max of Laplaces": partial(law_of, max_of_laplaces),
}
printed = BoundFamily(lambda case: HALF, maximization, mechanisms=MECHANISMS, strict=True)(
    "CHS-Prop1.lower-bound.printed",
    _CHS,
    "for every K and n ≥ 2 there are f, of Lipschitz constant 1/n, and D for which an α-private algorithm is "
    "within log((K − 1)/2)/(αn) of the best with probability < 1/2",
    [case_of(5, 4), case_of(7, 2)],
    degenerate="No f will do where log((K − 1)/2) > αn, here log 3 > 1, which is no boundary in ε: the item whose "
    "quality is largest on some database is, on any other one, within 1 of the best (CHS-Prop1.structure.constant): it "
    "takes no data to return. CHS-Prop1.lower-bound.corrected asks for n ≥ log((K − 1)/2)/α, and stands.",
)
corrected = BoundFamily(
    forced,
    maximization,
    {
        "no item is good for two of the databases": good_for_two,
        # as the proposition says; it is for α ≤ ln 2, whatever is rounded
        "less than 1/2 is forced": lambda case: None if forced(case) < HALF else f"only {forced(case)} is forced",
    },
    MECHANISMS,
    least=lambda case: moved({**case, "n": 1 << 20}),
)(
    "CHS-Prop1.lower-bound.corrected",
    f"{_CHS}, with a condition on n",
    "for α ≤ ln 2 and n ≥ d = ⌈log((K − 1)/2)/α⌉ an α-private algorithm is within log((K − 1)/2)/(αn) of the "
    "best with probability 1/(1 + (K − 1)·e^(−αd)) < 1/2 at most, on one of the K databases of d entries i",
    [
        *(case_of(items, n) for items, n in ((5, 2), (5, 8), (9, 3), (9, 8))),
        *(case_of(items, n, log(2)) for items, n in ((5, 2), (9, 2), (17, 3))),
    ],
    a_tenth_too_little,
    on_cases("2 rows for 7 items, which are too few", case_of(7, 2)),
    on_cases(
        "α above ln 2, where rounding counts", case_of(7, 2, Fraction(99, 100)), forced=lambda _: HALF, properties={}
    ),
    without_distances,
)
