"""Utility of learning with private labels, and with private rows and public points, over the sample: Theorem 6.2.

Of its first part the learner sees only which points are among it: samples are summed over by these, exactly. Of the
second part all but a thousandth of the samples have about as many examples of each kind as are expected, by Hoeffding's
inequality. They differ from that one in so many rows, which the exponential mechanism, at ε, cannot tell by more than a
factor e^ε each: what the learner does on the one bounds what it does on all of them. Events E1 and E2 of the proof are
claimed alike. What is refuted is a bound from below.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw, Exact, distribution, exact, exp, log, sqrt
from dpverify.mechanisms.learners import label_private_learner, semi_private_learner
from dpverify.mechanisms.learners.label_private_learner import rows_for_labels, rows_for_points_alone
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, total
from dpverify.mechanisms.sanitizers.concepts import Example, Hypothesis, one_for_each_labelling, points, thresholds
from dpverify.verifiers.catalogue.corners import JUST, Subset, claimed_beta, is_so
from dpverify.verifiers.catalogue.families import BNS, HALF, QUARTER, TENTH, TWENTIETH
from dpverify.verifiers.utility.family import Case, Family, Mechanism, as_named, least_of
from dpverify.verifiers.utility.pac import Population, error, examples_met, labelled, sample_of

UNLIKELY: Final = Fraction(1, 1000)
"""At most so many samples of the second part are left out."""


def subsets(size: int) -> tuple[Subset, ...]:
    """All concepts on so many points: their VC dimension is that number."""
    return tuple(Subset(frozenset(x for x in range(size) if code >> x & 1)) for code in range(1 << size))


def likely_deviation(population: Population, rows: int) -> int:
    """The most that each number of examples is off, but in `UNLIKELY` of all samples: 0 for one kind of examples."""
    kinds = sum(share > 0 for _, share in population)
    return 0 if kinds == 1 else ceil(sqrt(rows * log(2 * kinds / UNLIKELY) / 2))


def expected_numbers(population: Population, rows: int) -> tuple[int, ...]:
    """So many of each example of positive probability as are expected, rounded; they add up to `rows`."""
    shares = [share for _, share in population if share]
    numbers = [int(share * rows) for share in shares]
    return (*numbers[:-1], rows - sum(numbers[:-1]))


def rows_apart(population: Population, rows: int) -> int:
    """The most rows in which a likely sample differs from the expected one, which is rounded by less than 1 each."""
    kinds = sum(share > 0 for _, share in population)
    off = likely_deviation(population, rows)
    return (kinds * (off + kinds)) // 2 if off else 0


def points_met(population: Population, size: int) -> Distribution[tuple[int, ...]]:
    """The points of `size` independent examples, which have labels, too."""
    law = examples_met(population, size).probabilities
    return Distribution({tuple(x for x, _ in examples): p for examples, p in law.items()})


def labels_private_on(met: tuple[int, ...], second: tuple[Example, ...]) -> tuple[Mechanism, Any, dict[str, Any]]:
    """Figure 13 on these points, whose labels it does not look at, and on the second part."""
    return label_private_learner, tuple((x, 0) for x in met) + second, {"split": len(met)}


def rows_private_on(met: tuple[int, ...], second: tuple[Example, ...]) -> tuple[Mechanism, Any, dict[str, Any]]:
    """The semi-private learner, to which the points are public."""
    return semi_private_learner, second, {"unlabelled": met}


def learnt_within(
    population: Population, met: tuple[int, ...], rows: int, *, alpha: Fraction, given: dict[str, Any], private: Any
) -> tuple[Exact, Exact]:
    """Bounds on how often an error of more than α is chosen, and one of at most α, on every likely second part."""
    learner, database, more = private(met, sample_of(population, expected_numbers(population, rows)))
    law = distribution(learner, database, **given, **more).probabilities
    wrong = [p for h, p in law.items() if error(population, h) > alpha]
    right = [p for h, p in law.items() if error(population, h) <= alpha]
    factor = exp(exact(given["epsilon"]) * rows_apart(population, rows))
    found = (factor * total(each) if each else ZERO for each in (wrong, right))
    fails, learns = (each if each < 1 else ONE for each in found)
    return fails, learns


def left_out(population: Population) -> Fraction:
    """The share of samples of the second part that are not likely, at most."""
    return UNLIKELY if len([share for _, share in population if share]) > 1 else Fraction(0)


def learnt_privately(name: str, private: Any) -> Mechanism:
    """True where an error of at most α is chosen on `size` independent examples: at least so often."""

    def learnt(
        draw: Draw, population: Population, *, size: int, split: int, alpha: Fraction, **given: Any
    ) -> Distribution[bool]:
        met = draw(points_met(population, split))
        fails, _ = learnt_within(population, met, size - split, alpha=alpha, given=given, private=private)
        fails = min(ONE, fails + left_out(population))
        return Distribution({False: fails, True: 1 - fails})

    return as_named(name, "True where an error of at most α is chosen: at least so often.", learnt)


labels_learnt = learnt_privately("labels_learnt", labels_private_on)
"""Figure 13."""
rows_learnt = learnt_privately("rows_learnt", rows_private_on)
"""The semi-private learner with the points of `split` public rows."""


def learnt_of_one_row(
    draw: Draw, population: Population, *, size: int, split: int, alpha: Fraction, **given: Any
) -> Distribution[bool]:
    """With a first part of one row in place of n, so that most labellings are not among the candidates."""
    met = draw(points_met(population, 1))
    _, learns = learnt_within(population, met, size - split, alpha=alpha, given=given, private=labels_private_on)
    succeeds = min(ONE, learns + left_out(population))
    return Distribution({False: 1 - succeeds, True: succeeds})


def on(concepts: Sequence[Hypothesis], target: int, shares: Sequence[Fraction]) -> tuple[Any, Population]:
    """The concepts, and the population on 0, 1, … with these shares that the target labels."""
    return tuple(concepts), labelled(list(enumerate(shares)), concepts[target])


def populations(alpha: Fraction) -> Iterator[tuple[int, Any, Population]]:
    """VC(C), C, and a population with more than α, or a little, on some points: thresholds, points, and all concepts.

    The first has points in the middle that no other stands for.
    """
    more, rest = alpha + JUST, 1 - 2 * (alpha + JUST)
    for shares in ((more, rest / 2, more, rest / 2), (rest, more, JUST, more - JUST), (1 - 3 * JUST, JUST, JUST, JUST)):
        for target in (0, 2, 4):
            yield 1, *on(thresholds(2), target, shares)
        yield 1, *on(points(2), 0, shares)
    for target in (0b000, 0b101):
        yield 3, *on(subsets(3), target, (more, more, rest))


def of_6_2(
    vc: int, concepts: Any, population: Population, *, second: int | None = None, epsilon: Fraction, **asked: Fraction
) -> Case:
    """The n of step 2 and the m of the input, unless another number of rows is given for the second part."""
    n = rows_for_points_alone(vc=vc, **asked)
    m = rows_for_labels(vc=vc, epsilon=epsilon, **asked) if second is None else n + second
    given = {"concepts": concepts, "size": m, "split": n, "epsilon": epsilon, "alpha": asked["alpha"]}
    return Case(population, given, asked)


ORDINARY: Final[dict[str, Any]] = {"alpha": QUARTER, "beta": QUARTER, "epsilon": Fraction(1)}
CASES: Final = (
    *(of_6_2(*one, **ORDINARY) for one in populations(QUARTER)),
    of_6_2(*next(populations(TENTH)), alpha=TENTH, beta=TWENTIETH, epsilon=HALF),
)
FEW: Final = (CASES[1], CASES[-2])
"""Thresholds on four points, and all concepts on three."""
_ROWS: Final = "n = (32/α)·(VC·ln(64/α) + ln(8/β)) and m ≥ (768/(α²ε))·(VC·ln(64/α) + 2·ln(8/β))"
_WHERE: Final = (
    "thresholds and points on four points, and all concepts on three, with a little more than α on some of them, at ε ="
    f" 1, α = β = 1/4, {CASES[0].parameters['size']:,} rows for VC = 1; and at α = 1/10, β = 1/20, ε = 1/2"
)
_AT: Final = "at ε = 1, α = β = 1/4"
_ON_THE_FIRST: Final = (Fraction(1), Fraction(0))
_ON_ONE_POINT: Final[dict[str, Any]] = {"alpha": HALF, "beta": TWENTIETH, "epsilon": Fraction(1)}
of_labels = Family(labels_learnt, is_so, claimed_beta, learnt_of_one_row)
labels_private = of_labels(
    "BNS-J-6.2.utility.pac",
    f"{BNS}, Theorem 6.2 and Figure 13, with the numbers of the end of its proof",
    f"error ≤ α with probability ≥ 1 − β over the sample and the coins, {_ROWS}; thresholds "
    f"on four points, with 251/1000 on each of two of them, {_AT}, {FEW[0].parameters['size']:,} rows",
    FEW[:1],
    sharpness=least_of(
        "rows of the second part, all mass on one point, α = 1/2, β = 1/20, ε = 1",
        rows_for_labels(vc=1, **_ON_ONE_POINT) - rows_for_points_alone(vc=1, alpha=HALF, beta=_ON_ONE_POINT["beta"]),
        lambda m: [of_6_2(1, *on(thresholds(1), j, _ON_THE_FIRST), **_ON_ONE_POINT, second=m) for j in (0, 2)],
    ),
)
labels_private_on_more = of_labels(
    "BNS-J-6.2.utility.pac-on-more",
    f"{BNS}, Theorem 6.2 and Figure 13, with the numbers of the end of its proof",
    f"as BNS-J-6.2.utility.pac, on {_WHERE}",
    CASES,
    depth="report",
)
rows_private = Family(rows_learnt, is_so, claimed_beta, learnt_of_one_row)(
    "BNS-J-6.2.utility.semi-private",
    f"{BNS}, Section 6.2, with the numbers of Theorem 6.2",
    "as BNS-J-6.2.utility.pac, of the learner whose n points are public; all concepts on three points, with "
    f"251/1000 on each of two of them, {_AT}, {FEW[1].parameters['size']:,} rows",
    FEW[1:],
)


# Events E1 and E2 of the proof.
def candidates_and_errors(
    draw: Draw, population: Population, *, size: int, split: int, concepts: Sequence[Hypothesis]
) -> tuple[tuple[Hypothesis, Fraction, Fraction], ...] | None:
    """H of Figure 13, each with the least and the largest error on the second part; None for an unlikely sample.

    The number of examples that h is wrong on is off as that of one kind is: there are at most as many sets of them.
    """
    met = draw(points_met(population, split))
    candidates = one_for_each_labelling(concepts, met)
    rows = size - split
    off = sqrt(rows * log(2 * len(candidates) / UNLIKELY) / 2)
    if draw(Distribution({True: UNLIKELY, False: 1 - UNLIKELY})):
        return None
    width = Fraction(ceil(off), rows)
    return tuple((h, error(population, h) - width, error(population, h) + width) for h in candidates)


def half_of_the_errors(draw: Draw, population: Population, **given: Any) -> Any:
    """Half of each error on the second part, so that α is admitted in place of α/2."""
    found = draw(candidates_and_errors, population, **given)
    return found and tuple((h, low / 2, high / 2) for h, low, high in found)


_OF_EVENTS: Final = tuple(
    Case(case.database, {name: case.parameters[name] for name in ("concepts", "size", "split")}, case.facts)
    for case in (*CASES[::3], *FEW)
)
event_1 = Family(
    candidates_and_errors,
    lambda case, found: found is not None and any(high <= case.facts["alpha"] / 4 for _, _, high in found),
    lambda case: case.facts["beta"] / 2,
    as_named(
        "candidates_of_one_row",
        "A first part of one row.",
        lambda draw, population, *, split, size, **given: draw(
            candidates_and_errors, population, split=1, size=size - split + 1, **given
        ),
    ),
)(
    "BNS-J-6.2.utility.e1",
    f"{BNS}, proof of Theorem 6.2, event E1",
    f"some h of H has error ≤ α/4 on S₂ with probability ≥ 1 − β/2, at the n and m of the theorem; on some of {_WHERE}",
    _OF_EVENTS,
)
event_2 = Family(
    candidates_and_errors,
    lambda case, found: (
        found is not None
        and all(error(case.database, h) <= case.facts["alpha"] or low > case.facts["alpha"] / 2 for h, low, _ in found)
    ),
    lambda case: case.facts["beta"] / 4,
    half_of_the_errors,
)(
    "BNS-J-6.2.utility.e2",
    f"{BNS}, proof of Theorem 6.2, event E2",
    "every h of H with error ≤ α/2 on S₂ has error ≤ α with probability ≥ 1 − β/4; on the inputs of "
    "BNS-J-6.2.utility.e1",
    _OF_EVENTS,
)
