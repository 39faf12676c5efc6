"""Lower bounds to the rows of private sanitizers, by sets of half of the points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Final

from dpverify.mechanisms.drawing.enumerator import distribution
from dpverify.mechanisms.numbers.elementary import exp, log
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.sanitizers.concepts import Concept
from dpverify.mechanisms.sanitizers.small_databases import small_database
from dpverify.mechanisms.selection.packing_bound import replaced_at_random
from dpverify.reports.record import Status
from dpverify.verifiers.catalogue.refuted import degenerate, proof_step
from dpverify.verifiers.catalogue.sanitizers.histograms.estimating import estimating, none_close_to_two, sanitizing
from dpverify.verifiers.lower_bounds.claim import LowerBound
from dpverify.verifiers.lower_bounds.instance import HardInstance, rows_replaced
from dpverify.verifiers.lower_bounds.statement import Broken, Law, Parameters, a_tenth_less

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"


# Theorem 2.20: sets of m of 2m points, for the class of all their subsets, of VC dimension 2m.


@dataclass(frozen=True)
class Subset:
    """c(x) = 1 exactly for x in the subset."""

    members: frozenset[int]

    def __call__(self, x: int) -> int:
        """The label of x."""
        return int(x in self.members)


def all_subsets(vc: int) -> tuple[Concept, ...]:
    """All concepts on VC points."""
    return tuple(Subset(frozenset(s)) for size in range(vc + 1) for s in combinations(range(vc), size))


def halves(case: Parameters) -> tuple[tuple[int, ...], ...]:
    """The databases of m distinct points, for m = VC/2."""
    return tuple(combinations(range(2 * case["m"]), case["m"]))


def half_of_the_points(case: Parameters) -> HardInstance:
    """To be α-close for all subsets; the order of rows does not matter."""
    return replace(
        sanitizing(halves(case), all_subsets(2 * case["m"]), case["alpha"]),
        distance=rows_replaced,
    )


def sanitizing_halves(case: Parameters) -> Law:
    """The sanitizer of Blum, Ligett & Roth, with as many rows as there are."""
    concepts = all_subsets(2 * case["m"])
    return estimating(
        partial(
            distribution,
            small_database,
            universe=tuple(range(2 * case["m"])),
            concepts=concepts,
            size=case["m"],
            epsilon=case["epsilon"],
        ),
        concepts,
    )


def none_close_to_two_halves(case: Parameters) -> str | None:
    """Whether the sets of estimates that are α-close are disjoint: two sets of points differ by 1/m of the rows."""
    return none_close_to_two(halves(case), all_subsets(2 * case["m"]), case["alpha"])


def alpha_excluded(case: Parameters) -> str | None:
    """Whether α < 1/(4 + 16ε), so that Theorem 2.20 says that there is no sanitizer."""
    least = 1 / (4 + 16 * exact(case["epsilon"]))
    if case["alpha"] < least:
        return None
    return f"Theorem 2.20 gives α ≥ {least}, which is no contradiction to α = {case['alpha']}"


def forced_on_halves(case: Parameters) -> Exact:
    """e^ε/((1 + e^ε)(1 − α))."""
    return replaced_at_random(case["m"], case["epsilon"], case["alpha"])


_LN_2: Final = log(2)
_ONE_ROW: Final = {"m": 1, "alpha": Fraction(1, 21), "beta": Fraction(1, 2)}

blum_printed = LowerBound(
    id="BNS-J-2.20.lower-bound.printed",
    source=f"{_BNS}, Theorem 2.20, after Blum et al.",
    statement="for m ≤ VC(C)/2, any β bounded away from 1 and ε ≤ 1, no (α, β, ε, m)-sanitizer has α < 1/(4 + 16ε)",
    cases=[{**_ONE_ROW, "epsilon": 1}],
    instance=half_of_the_points,
    properties={"α is excluded": alpha_excluded},
    forced=lambda case: 1 - case["beta"],
    strict=True,
    mechanisms={"small database": sanitizing_halves},
    expected=Status.REFUTED,
    refutation=degenerate(
        "The class of all subsets of 2 points has VC = 2, and one row is told truly with probability e^ε/(1 + e^ε), "
        "0.73 here, which is α-close for every α; so it is for β > 1/(1 + e^ε), at every ε, and no ε is a boundary. "
        "With four points or six the same β stands (BNS-J-2.20.lower-bound.more-points); for two of them β is to be "
        "smaller (BNS-J-2.20.lower-bound.corrected)."
    ),
)

blum_of_more_points = LowerBound(
    id="BNS-J-2.20.lower-bound.more-points",
    source=f"{_BNS}, Theorem 2.20, after Blum et al., for VC = 4 and 6",
    statement="for all subsets of 2m points, m = 2 and 3, and β = 1/2, no (α, β, ε, m)-sanitizer has α < 1/(4 + 16ε)",
    cases=[
        {"m": m, "alpha": Fraction(1, 21), "epsilon": epsilon, "beta": Fraction(1, 2)}
        for m in (2, 3)
        for epsilon in (1, _LN_2)
    ],
    instance=half_of_the_points,
    properties={
        "α is excluded": alpha_excluded,
        "no estimate is close to two of the databases": none_close_to_two_halves,
    },
    forced=lambda case: 1 - case["beta"],
    strict=True,
    mechanisms={"small database": sanitizing_halves},
    mutants=(
        Broken("one row of two points", {"cases": ({**_ONE_ROW, "epsilon": 1},)}),
        Broken("the distances are left out", {"instance": lambda case: half_of_the_points(case).unrelated}),
    ),
)

blum_of_large_beta = LowerBound(
    id="BNS-J-2.20.lower-bound.large-beta",
    source=f"{_BNS}, Theorem 2.20, after Blum et al., for VC = 4 and a β that is nearer to 1",
    statement="for all subsets of four points, two rows and β = 9/10, no (α, β, ε, m)-sanitizer has α < 1/(4 + 16ε)",
    cases=[
        {"m": 2, "alpha": alpha, "epsilon": epsilon, "beta": Fraction(9, 10)}
        for alpha, epsilon in ((Fraction(1, 5), Fraction(1, 100)), (Fraction(1, 21), 1))
    ],
    instance=half_of_the_points,
    properties={
        "α is excluded": alpha_excluded,
        "no estimate is close to two of the databases": none_close_to_two_halves,
    },
    forced=lambda case: 1 - case["beta"],
    strict=True,
    mechanisms={"small database": sanitizing_halves},
    expected=Status.REFUTED,
    refutation=degenerate(
        "One of the ten multisets of two of four points, drawn without a look at the data, is the right one with "
        "probability 1/10 = 1 − β, and no ε is a boundary: a β below 1 is not enough. With β = 1/2 it stands "
        "(BNS-J-2.20.lower-bound.more-points), with β ≤ 1/5 for every m (BNS-J-2.20.lower-bound.corrected)."
    ),
)

blum_corrected = LowerBound(
    id="BNS-J-2.20.lower-bound.corrected",
    source=f"{_BNS}, Theorem 2.20, with β",
    statement="for the class of all subsets of 2m points no ε-private sanitizer is α-close with a probability above "
    "e^ε/((1 + e^ε)(1 − α)): α ≥ (1/(1 + e^ε) − β)/(1 − β), which is above 1/(4 + 16ε) for ε ≤ 1 and β ≤ 1/5",
    cases=[
        {"m": 1, "alpha": Fraction(1, 21), "epsilon": 1},
        {"m": 1, "alpha": Fraction(1, 1000), "epsilon": 1},
        {"m": 2, "alpha": Fraction(1, 21), "epsilon": 1},
        {"m": 3, "alpha": Fraction(1, 16), "epsilon": _LN_2},
    ],
    instance=half_of_the_points,
    properties={
        "α is excluded": alpha_excluded,
        "no estimate is close to two of the databases": none_close_to_two_halves,
        "it implies 1/(4 + 16ε) for β ≤ 1/5": lambda case: (
            None
            if (1 / (1 + exp(case["epsilon"])) - Fraction(1, 5)) / Fraction(4, 5)
            >= 1 / (4 + 16 * exact(case["epsilon"]))
            else "it does not"
        ),
    },
    forced=forced_on_halves,
    mechanisms={"small database": sanitizing_halves},
    mutants=(
        Broken("a tenth less is forced", {"forced": a_tenth_less(forced_on_halves)}),
        Broken("α = 1/10 at ε = 1", {"cases": ({"m": 1, "alpha": Fraction(1, 10), "epsilon": 1},)}),
        Broken("the distances are left out", {"instance": lambda case: half_of_the_points(case).unrelated}),
    ),
)

immediate = LowerBound(
    id="BNS-J-4.16.lower-bound.immediate",
    source=f"{_BNS}, Theorem 4.16, its proof",
    statement="that an (1/8, 1/8, 1/2, m)-sanitizer has m = Ω(VC(C)) is immediate from Theorem 2.20",
    cases=[{"alpha": Fraction(1, 8), "beta": Fraction(1, 8), "epsilon": Fraction(1, 2)}],
    properties={"Theorem 2.20 excludes the α": alpha_excluded},
    forced=lambda case: 1 - case["beta"],
    expected=Status.REFUTED,
    refutation=proof_step(
        "With ε = 1/2 Theorem 2.20 gives α ≥ 1/12, and the α of the theorem is 1/8: it takes ε < 1/4. On the class "
        "of all subsets the statement stands, by BNS-J-4.16.lower-bound.corrected."
    ),
)

general = LowerBound(
    id="BNS-J-4.16.lower-bound.corrected",
    source=f"{_BNS}, Theorem 4.16, by BNS-J-2.20.lower-bound.corrected",
    statement="a 1/2-private sanitizer on m ≤ VC/2 rows is 1/8-close with a probability below 7/8, for the class of "
    "all subsets of VC points: the (1/8, 1/8, 1/2, m)-sanitizer has m > VC/2",
    cases=[{"m": m, "alpha": Fraction(1, 8), "beta": Fraction(1, 8), "epsilon": Fraction(1, 2)} for m in (1, 2)],
    instance=half_of_the_points,
    properties={
        "less than 1 − β is forced": lambda case: (
            None if forced_on_halves(case) < 1 - case["beta"] else f"only {forced_on_halves(case)} is forced"
        ),
        "no estimate is close to two of the databases": none_close_to_two_halves,
    },
    forced=forced_on_halves,
    mechanisms={"small database": sanitizing_halves},
    mutants=(
        Broken("two tenths less are forced", {"forced": a_tenth_less(a_tenth_less(forced_on_halves))}),
        Broken(
            "ε = 2",
            {"cases": ({"m": 1, "alpha": Fraction(1, 8), "beta": Fraction(1, 8), "epsilon": 2},)},
        ),
    ),
)
