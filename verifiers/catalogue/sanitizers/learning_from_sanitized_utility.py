"""Learning from what is sanitized, over the sample and the coins: Lemmas 5.1 and 5.3, and Theorem 5 of the abstract.

The extended abstract omits the proof of Theorem 5. The journal version's Lemmas 5.1 and 5.3 give an error of 5α + 4β,
at γ = α, where the theorem has 3α + 2β: the sizes of what is released are made equal first, which doubles α (Theorem
2.21), and twice as many parts may be bad as are expected. Neither is needed. Where each concept is judged by the mean
of its errors on the parts, whose sizes then do not matter, and a share b of them is bad, what is learnt has error
≤ 2(1 − b)α + 2b on the sample; from enough parts on b ≤ β/(1 − α), where that is at most 2α + 2β. The distribution adds
γ = α, and with its β fails with 2β.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import ceil, comb, isqrt
from typing import Any, Final, TypeAlias

from dpverify.mechanisms import Distribution, Draw, log
from dpverify.mechanisms.counting.binomial_weights import binomial_weights
from dpverify.mechanisms.numbers.exact_numbers import ZERO, ExactLike
from dpverify.mechanisms.sanitizers.concepts import Example, Threshold, thresholds
from dpverify.mechanisms.sanitizers.label_sanitizer import labelled_concept, learn_from_sanitized
from dpverify.mechanisms.sanitizers.small_databases import parts_needed, sanitize_in_parts, small_database
from dpverify.verifiers.catalogue.corners import claimed_beta, whether
from dpverify.verifiers.catalogue.families import BNS
from dpverify.verifiers.catalogue.sanitizers.labels.label_sanitizer_utility import error_on
from dpverify.verifiers.catalogue.sanitizers.learning_by_labels_calculation import enough_parts
from dpverify.verifiers.catalogue.sanitizers.small_databases_utility import rows_for_small_database
from dpverify.verifiers.utility.family import Case, Family, MadeOnce, Times, UtilityClaim, at_part, least_of, weakened
from dpverify.verifiers.utility.repeated import written_out


# Lemma 5.1: a sanitizer on parts.
@lru_cache(maxsize=64)  # a mechanism that draws from it is run again for each of its outcomes
def binomial(trials: int, chance: Fraction) -> Distribution[int]:
    """The number of independent trials that succeed, of so many."""
    if chance == 1:
        return Distribution({trials: Fraction(1)})
    yes, no = chance.numerator, chance.denominator - chance.numerator
    return Distribution(dict(enumerate(binomial_weights(trials, yes, no))))


def share_lost(draw: Draw, parts: int, *, alpha: Fraction, chance: Fraction) -> Fraction:
    """The distance of the union of sanitized parts from a database of which all rows are 1.

    A part fails with the chance that is given, and then has no 1; else it is 2α off. They fail independently, and which
    ones do is all one, so that only their number is drawn.
    """
    failing, good = draw(binomial(parts, chance)), 2 * alpha

    def sanitizer(draw: object, part: Sequence[Fraction]) -> tuple[int, ...]:
        zeros = int(part[0] * good.denominator)
        return (0,) * zeros + (1,) * (good.denominator - zeros)

    off = (Fraction(1),) * failing + (good,) * (parts - failing)
    released = draw(sanitize_in_parts, off, sanitizer=sanitizer, size=1)
    return 1 - Fraction(sum(released), len(released))


def of_parts(q: int, alpha: Fraction, beta: Fraction) -> Case:
    """q parts, each of which fails with probability (3/2)·β, or always where that is more than 1."""
    chance = min(Fraction(3, 2) * beta, Fraction(1))
    return Case(q, {"alpha": alpha, "chance": chance}, {"beta": beta, "more": q - parts_needed(beta=beta)})


_WORSE_PARTS: Final = weakened(
    "share_lost_by_worse_parts",
    share_lost,
    "Parts that fail twice as often as those of a (2α, (3/2)β)-sanitizer may.",
    chance=Times(2),
)


def _in_parts(name: str, *betas: Fraction, **given: Any) -> UtilityClaim:
    alphas = (Fraction(1, 20), Fraction(1, 8))
    return Family(
        share_lost,
        lambda case, off: bool(off <= 2 * case.parameters["alpha"] + 2 * case.facts["beta"]),
        claimed_beta,
        _WORSE_PARTS,
    )(
        f"BNS-J-5.1.utility.{name}",
        f"{BNS}, Lemma 5.1, given the (2α, (3/2)β)-sanitizer that its proof takes from Theorem 2.21",
        "where each part fails with probability (3/2)β, independently, is then wholly wrong, and is else 2α "
        "off the same way, the union of q ≥ (18/β)·ln(1/β) parts is (2α + 2β)-close with probability ≥ 1 − β",
        tuple(of_parts(parts_needed(beta=beta), alpha, beta) for beta in betas for alpha in alphas),
        **given,
    )


in_parts = _in_parts(
    "parts",
    Fraction(1, 4),
    sharpness=least_of(
        "parts q, α = 1/20, β = 1/5",
        parts_needed(beta=Fraction(1, 5)),
        lambda q: [of_parts(q, Fraction(1, 20), Fraction(1, 5))],
    ),
)
in_more_parts = _in_parts("more-parts", Fraction(1, 5), Fraction(1, 10), depth="report")

# Theorem 5 of the extended abstract: learning from parts.
_THEOREM_5: Final = "Beimel, Nissim & Stemmer, extended abstract, Theorem 5"
_EXAMPLES: Final[tuple[Example, ...]] = ((0, 0), (0, 1), (1, 0), (1, 1))
Part: TypeAlias = tuple[Example, Example]
"""A row, and what is released of it."""


def learnt_from_parts(draw: Draw, parts: Sequence[Part], *, turned: bool = False) -> Any:
    """Learn on parts of one row, each with what is released of it, or with all labels of that turned over."""
    sample, released = (tuple(rows) for rows in zip(*parts, strict=True))

    def sanitizer(draw: object, rows: object) -> tuple[Example, ...]:
        return tuple((x, 1 - y if turned else y) for x, y in released)

    return draw(learn_from_sanitized, sample, sanitizer=sanitizer, concepts=thresholds(1))


def is_close(part: Part) -> bool:
    """True where what is released of a row is 0-close to it: on one row all else is 1 off for some concept."""
    return all(error_on(c, part[:1]) == error_on(c, part[1:]) for c in thresholds(1))


from_parts = Family(
    learnt_from_parts,
    lambda case, found: error_on(found, [row for row, _ in case.database]) <= 2 * case.facts["bad"],
    lambda case: ZERO,
    weakened("learnt_from_turned_parts", learnt_from_parts, turned=True),
)(
    "BNS-X-Thm5.utility.learn-from-parts",
    _THEOREM_5,
    "where a share b of the parts is bad, and the others are α-close, Learn has error ≤ 2(1 − b)α + 2b on a "
    "sample consistent with a concept; all samples of thresholds on two points in up to three parts of one row, α = 0",
    tuple(  # with all that may be released of each part, up to order
        Case(parts, {}, {"bad": Fraction(sum(not is_close(part) for part in parts), number)})
        for number in (1, 2, 3)
        for parts in combinations_with_replacement(tuple(product(_EXAMPLES, _EXAMPLES)), number)
        if min(error_on(c, [row for row, _ in parts]) for c in thresholds(1)) == 0
    ),
)


# How many of the parts are bad.
def error_by_parts(draw: Draw, parts: int, *, alpha: Fraction, beta: Fraction) -> Fraction:
    """2(1 − b)α + 2b, where each part is bad with probability β, independently."""
    bad = Fraction(draw(binomial(parts, beta)), parts)
    return 2 * (1 - bad) * alpha + 2 * bad


def error_by_fewer_parts(draw: Draw, parts: int, *, alpha: Fraction, beta: Fraction) -> Fraction:
    """With the (18/β)·ln(1/β) parts of the journal version's Lemma 5.1."""
    return error_by_parts(draw, parts_needed(beta=beta), alpha=alpha, beta=beta)


_EIGHTH: Final = Fraction(1, 8)
bad_parts = Family(
    error_by_parts,
    lambda case, error: error <= 2 * case.parameters["alpha"] + 2 * case.parameters["beta"],
    lambda case: case.parameters["beta"],
    error_by_fewer_parts,
)(
    "BNS-X-Thm5.utility.bad-parts",
    _THEOREM_5,
    "so the error on the sample is at most 2α + 2β with probability ≥ 1 − β, from q ≥ "
    "3·((1 − α)/α)²·ln(1/β)/β parts, each of which is bad with probability β; at α = β = 1/8",
    (Case(enough_parts(_EIGHTH, _EIGHTH), {"alpha": _EIGHTH, "beta": _EIGHTH}),),
)

# Lemma 5.3, with the sanitizer of Blum, Ligett & Roth.
ALPHA: Final = Fraction(1, 8)
GAMMA: Final = Fraction(15, 64)
BETA: Final = Fraction(1, 8)
SIZE: Final = 4
"""Of a small database: 1/(2α), so that one is α-close."""
_WITH_BLR: Final = "thresholds on two points, with the sanitizer of Blum, Ligett & Roth at ε = 1"
_CONCEPTS: Final = thresholds(1)


def near_the_mean(m: int) -> range:
    """The likely numbers of the point 0 in m independent examples of two points: within five deviations of m/2."""
    near = 5 * (isqrt(m) // 2 + 1)
    return range(m // 2 - near, m // 2 + near + 1)


def learnt(draw: Draw, *repeated: tuple[Example, int], epsilon: ExactLike) -> Threshold:
    """Learn, from so many of each example."""

    def sanitizer(draw: Draw, rows: tuple[Example, ...]) -> Any:
        concepts = tuple(map(labelled_concept, _CONCEPTS))
        given: dict[str, Any] = {"universe": _EXAMPLES, "concepts": concepts, "size": SIZE, "epsilon": epsilon}
        return draw(small_database, rows, **given)

    found: Threshold = draw(learn_from_sanitized, written_out(repeated), sanitizer=sanitizer, concepts=_CONCEPTS)
    return found


# On each sample: event E1, and what follows from it.
def error_on_sample(draw: Draw, numbers: int, *, m: int, target: Threshold, epsilon: ExactLike) -> Fraction:
    """The error of what Learn finds on a sample of m examples with so many of the point 0."""
    found = draw(learnt, ((0, target(0)), numbers), ((1, target(1)), m - numbers), epsilon=epsilon)
    return Fraction((found(0) != target(0)) * numbers + (found(1) != target(1)) * (m - numbers), m)


_FOR_THE_SANITIZER: Final = rows_for_small_database(4, SIZE, alpha=ALPHA, beta=BETA, epsilon=Fraction(1))


def samples(m: int, every: int) -> Iterator[Case]:
    """Samples of m examples, with 0, just above 2αm, and as many as comes every so often, of the point 0."""
    for numbers in sorted({*range(0, m + 1, every), int(2 * ALPHA * m) + 1}):
        yield Case(numbers, {"m": m, "target": Threshold(1), "epsilon": Fraction(1)}, {"beta": BETA})


empirical = Family(
    error_on_sample,
    lambda case, error: error <= 2 * ALPHA,
    claimed_beta,
    at_part("error_on_sample_at_an_eighth", error_on_sample, 8),
)(
    "BNS-J-5.3.utility.sample",
    f"{BNS}, Lemma 5.3, event E1, {_WITH_BLR}",
    "Learn has an error of at most 2α on the sample with probability ≥ 1 − β, α = β = 1/8, where the "
    "sanitizer is α-close with that probability: m ≥ (4/(αε))·ln(N/β), for its N databases; the target c_1, and every "
    "30th number of examples of the point 0",
    MadeOnce(lambda: samples(_FOR_THE_SANITIZER, 30)),
    sharpness=least_of(
        "examples, thresholds on two points, α = β = 1/8, ε = 1", _FOR_THE_SANITIZER, lambda m: samples(m, m), ours=True
    ),
)


# Over the sample, too: two points alike, so that a concept that mislabels one of them has an error of 1/2.
def finds_the_target(draw: Draw, numbers: int, *, m: int, epsilon: ExactLike) -> bool:
    """True where Learn finds c_1 where so many of m examples have the point 0: all others have an error above 31/64."""
    found = draw(learnt, ((0, 1), numbers), ((1, 0), m - numbers), epsilon=epsilon)
    return bool(found == Threshold(1))


def likely_samples() -> Iterator[Case]:
    """All samples within five deviations of (50·VC/γ²)·ln(1/(γβ)); β is what is left of 2β for the coins."""
    m = ceil(50 / GAMMA**2 * log(1 / (GAMMA * BETA)))
    others = 1 - Fraction(sum(comb(m, a) for a in near_the_mean(m)), 2**m)
    for numbers in near_the_mean(m):
        yield Case(numbers, {"m": m, "epsilon": Fraction(1)}, {"beta": 2 * BETA - others})


pac = whether(finds_the_target, "finds_it_at_a_thousandth", 1000)(
    "BNS-J-5.3.utility.pac",
    f"{BNS}, Lemma 5.3, {_WITH_BLR}; the points are alike, and samples beyond five deviations are failures",
    "Learn has an error of at most 2α + γ with probability ≥ 1 − 2β from m ≥ (50·VC/γ²)·ln(1/(γβ)) examples, "
    "α = β = 1/8, γ = 15/64, the target c_1: on every other sample, with 2β less the chance of those",
    MadeOnce(likely_samples),
    sharp_in="BNS-J-5.3.utility.sample",
    depth="report",
)
