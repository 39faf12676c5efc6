"""Learning from what is sanitized, as a PAC claim: Lemma 5.3, over the sample and the coins of a private sanitizer."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, comb, isqrt
from typing import Any, Final

from dpverify.mechanisms.functions.mechanism import Draw
from dpverify.mechanisms.numbers.elementary import log
from dpverify.mechanisms.numbers.exact_numbers import ExactLike, exact
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold, thresholds
from dpverify.mechanisms.sanitizers.label_sanitizer import labelled_concept, learn_from_sanitized
from dpverify.mechanisms.sanitizers.small_databases import small_database
from dpverify.verifiers.utility.case import Case, MadeOnce
from dpverify.verifiers.utility.claim import UtilityClaim
from dpverify.verifiers.utility.repeated import written_out
from dpverify.verifiers.utility.statement import Sharpness

ALPHA: Final = Fraction(1, 8)
GAMMA: Final = Fraction(15, 64)
BETA: Final = Fraction(1, 8)
SIZE: Final = 4
"""Of a small database: 1/(2α), so that one is α-close."""

_BNS: Final = "Beimel, Nissim & Stemmer, journal version"
_WITH_BLR: Final = "thresholds on two points, with the sanitizer of Blum, Ligett & Roth at ε = 1"
_CONCEPTS: Final = thresholds(1)
_EXAMPLES: Final[tuple[Example, ...]] = ((0, 0), (0, 1), (1, 0), (1, 1))


def near_the_mean(m: int) -> range:
    """How many of m independent examples, of two points alike, have the point 0: within five deviations of m/2."""
    near = 5 * (isqrt(m) // 2 + 1)
    return range(m // 2 - near, m // 2 + near + 1)


def chance_of_others(m: int) -> Fraction:
    """With which probability it is another number."""
    return 1 - Fraction(sum(comb(m, a) for a in near_the_mean(m)), 2**m)


def learnt(draw: Draw, *repeated: tuple[Example, int], epsilon: ExactLike) -> Threshold:
    """Learn, from so many of each example."""

    def sanitizer(draw: Draw, rows: tuple[Example, ...]) -> Any:
        concepts = tuple(map(labelled_concept, _CONCEPTS))
        given: dict[str, Any] = {"universe": _EXAMPLES, "concepts": concepts, "size": SIZE, "epsilon": epsilon}
        return draw(small_database, rows, **given)

    found: Threshold = draw(learn_from_sanitized, written_out(repeated), sanitizer=sanitizer, concepts=_CONCEPTS)
    return found


def examples_asked_for() -> int:
    """(50·VC/γ²)·ln(1/(γβ)), VC = 1."""
    return ceil(50 / GAMMA**2 * log(1 / (GAMMA * BETA)))


# On each sample: event E1, and what follows from it.


def error_on_sample(draw: Draw, numbers: int, *, m: int, target: Threshold, epsilon: ExactLike) -> Fraction:
    """The error of what Learn finds on a sample of m examples with so many of the point 0."""
    found = draw(learnt, ((0, target(0)), numbers), ((1, target(1)), m - numbers), epsilon=epsilon)
    return Fraction((found(0) != target(0)) * numbers + (found(1) != target(1)) * (m - numbers), m)


def error_on_sample_at_an_eighth(draw: Draw, numbers: int, *, epsilon: ExactLike, **given: Any) -> Fraction:
    """An eighth of the ε."""
    return error_on_sample(draw, numbers, epsilon=exact(epsilon) / 8, **given)


def examples_for_the_sanitizer() -> int:
    """(4/(αε))·ln(N/β) at ε = 1, for the N small databases."""
    return ceil(4 / ALPHA * log(comb(SIZE + 3, SIZE) / BETA))


def samples(m: int, every: int) -> Iterator[Case]:
    """Samples of m examples, with 0, just above 2αm, and as many as comes every so often, of the point 0."""
    for numbers in sorted({*range(0, m + 1, every), int(2 * ALPHA * m) + 1}):
        yield Case(numbers, {"m": m, "target": Threshold(1), "epsilon": Fraction(1)}, {"beta": BETA})


empirical = UtilityClaim(
    id="BNS-J-5.3.utility.sample",
    source=f"{_BNS}, Lemma 5.3, event E1, {_WITH_BLR}",
    statement="Learn has an error of at most 2α on the sample with probability ≥ 1 − β, α = β = 1/8, where the "
    "sanitizer is α-close with that probability: m ≥ (4/(αε))·ln(N/β), for its N databases; the target c_1, and every "
    "30th number of examples of the point 0",
    mechanism=error_on_sample,
    succeeds=lambda case, error: error <= 2 * ALPHA,
    beta=lambda case: case.facts["beta"],
    cases=MadeOnce(lambda: samples(examples_for_the_sanitizer(), 30)),
    mutant=error_on_sample_at_an_eighth,
    sharpness=Sharpness(
        ours=True,
        what="examples, thresholds on two points, α = β = 1/8, ε = 1",
        paper=examples_for_the_sanitizer(),
        family=lambda m: samples(m, m),
    ),
)


# Over the sample, too: two points alike, so that a concept that mislabels one of them has an error of 1/2.


def finds_the_target(draw: Draw, numbers: int, *, m: int, epsilon: ExactLike) -> bool:
    """True where Learn finds c_1 where so many of m examples have the point 0: all others have an error above 31/64."""
    found = draw(learnt, ((0, 1), numbers), ((1, 0), m - numbers), epsilon=epsilon)
    return bool(found == Threshold(1))


def finds_it_at_a_thousandth(draw: Draw, numbers: int, *, m: int, epsilon: ExactLike) -> bool:
    """A thousandth of the ε."""
    return finds_the_target(draw, numbers, m=m, epsilon=exact(epsilon) / 1000)


def likely_samples() -> Iterator[Case]:
    """All samples within five deviations; β is what is left of 2β for the coins."""
    m = examples_asked_for()
    left = 2 * BETA - chance_of_others(m)
    for numbers in near_the_mean(m):
        yield Case(numbers, {"m": m, "epsilon": Fraction(1)}, {"beta": left})


pac = UtilityClaim(
    id="BNS-J-5.3.utility.pac",
    sharp_in="BNS-J-5.3.utility.sample",
    source=f"{_BNS}, Lemma 5.3, {_WITH_BLR}; the points are alike, and samples beyond five deviations are failures",
    statement="Learn has an error of at most 2α + γ with probability ≥ 1 − 2β from m ≥ (50·VC/γ²)·ln(1/(γβ)) examples, "
    "α = β = 1/8, γ = 15/64, the target c_1: on every other sample, with 2β less the chance of those",
    mechanism=finds_the_target,
    succeeds=lambda case, found: found,
    beta=lambda case: case.facts["beta"],
    cases=MadeOnce(likely_samples),
    mutant=finds_it_at_a_thousandth,
    depth="report",
)
