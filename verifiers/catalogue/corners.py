"""Values of ε, β and δ that many utility claims are tried at, corners of their ranges, and when claims succeed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from dpverify.mechanisms.sanitizers.concepts import Threshold
from dpverify.verifiers.utility.family import Case, Family, Mechanism, UtilityClaim, at_part
from dpverify.verifiers.utility.family import RandomCases as RandomCases  # noqa: PLC0414  # of which strategies are
from dpverify.verifiers.utility.pac import Population, error, labelled
from dpverify.verifiers.utility.statement import UtilityStatement

EPSILONS: Final = (Fraction(1, 100), Fraction(1, 3), Fraction(1), Fraction(5), Fraction(200))
"""Small and large ones; corners are the ends."""
BETAS: Final = (Fraction(1, 10**12), Fraction(1, 20), Fraction(1, 2), Fraction(99, 100))
DELTAS: Final = (Fraction(1, 10**9), Fraction(1, 10), Fraction(99, 100))
_ENDS: Final = {"epsilon": ("the least ε", "the largest ε")} | {
    name: (f"the least {letter}", f"{letter} near 1")
    for name, letter in (("alpha", "α"), ("beta", "β"), ("delta", "δ"))
}


def ends_of(**values: Sequence[Fraction]) -> dict[str, Callable[[Case], bool]]:
    """Corners at the first and the last value of each: of what is stated of a case or else of what is given with it."""

    def is_at(name: str, value: Fraction) -> Callable[[Case], bool]:
        return lambda case: bool((case.facts if name in case.facts else case.parameters)[name] == value)

    return {end: is_at(name, of[i]) for name, of in values.items() for end, i in zip(_ENDS[name], (0, -1), strict=True)}


ENDS_OF_EPSILON: Final = ends_of(epsilon=EPSILONS)
CORNERS: Final = ends_of(epsilon=EPSILONS, beta=BETAS)
DELTA_CORNERS: Final = ends_of(epsilon=EPSILONS, beta=BETAS, delta=DELTAS)


def claimed_beta(case: Case) -> Fraction:
    """β."""
    beta: Fraction = case.facts["beta"]
    return beta


def is_so(case: Case, outcome: Any) -> bool:
    """True where a mechanism says so: what it returns is whether it succeeds."""
    return bool(outcome)


def whether(
    mechanism: Mechanism, mutant: str, part: int, holds_for: Callable[[Case], bool] = UtilityStatement.holds_for
) -> Family:
    """A mechanism that says whether it succeeds, but with the β of the case; its mutant is at so small a part of ε."""
    return Family(mechanism, is_so, claimed_beta, at_part(mutant, mechanism, part), holds_for)


def at_the_least(claim: UtilityClaim, size: int) -> UtilityClaim:
    """The claim on the family of its sharpness, at the size, which is the least that is enough, as its report says.

    One that is far from β at the paper's size would be kept by far worse mechanisms; at one less than this it fails.
    """
    sharpness = claim.sharpness
    assert sharpness is not None, f"{claim.id} has a family"
    return replace(
        claim,
        id=f"{claim.id}-at-the-least",
        statement=f"as {claim.id}, at the least that is enough of {sharpness.what}: {size:,}, where "
        f"{sharpness.paper:,} are asked for",
        holds_for=lambda case: True,
        cases=tuple(sharpness.family(size)),
        strategy=None,
        corners={},
        examples=(),
        expected=None,
        refutation=None,
        sharpness=None,
        optimal=None,
        sharp_in="",
        weak_because="",
    )


# Of PAC claims.
JUST: Final = Fraction(1, 1000)
"""A little more, of the mass of a point."""


@dataclass(frozen=True)
class Subset:
    """c(x) = 1 exactly for the members."""

    members: frozenset[int]

    def __call__(self, x: int) -> int:
        """The label of x."""
        return int(x in self.members)


def two_points(target: Threshold, low: int, high: int, share: Fraction) -> Population:
    """So much of the mass on the lower point, and the rest on the higher one."""
    return labelled([(low, share), (high, 1 - share)], target)


def is_within_alpha(case: Case, hypothesis: Any) -> bool:
    """True where the error on the population is at most α; ⊥ is no hypothesis."""
    return callable(hypothesis) and error(case.database, hypothesis) <= case.facts["alpha"]


def turned(population: Population) -> Population:
    """The population with 0 and 1 exchanged in all labels."""
    return tuple(((x, 1 - y), share) for (x, y), share in population)
