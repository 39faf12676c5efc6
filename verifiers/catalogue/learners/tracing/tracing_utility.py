"""The tracing attack on learners: who is accurate is traced, who is private is not, and on few rows nobody is both.

Learners are direct sums, which learn each column alone, so that whom the attack accuses has an exact law at any length
of the code. e^(ε/2) is rational for each column. The code is that of Boneh & Shaw with columns of 0s and of 1s.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, Final

from dpverify.mechanisms import Distribution, Draw, Exact, bernoulli, discrete_laplace, distribution, exact, exp, log
from dpverify.mechanisms.learners import BonehShaw, direct_sum, generic_learner, rows_forced, trace_of_direct_sum
from dpverify.mechanisms.learners.boneh_shaw import copies_needed
from dpverify.mechanisms.learners.tracing import examples_of_column, labelled_rows, traced
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, total
from dpverify.mechanisms.numbers.integers.parameters import rational_parameter
from dpverify.mechanisms.sanitizers.concepts import Threshold, numbers_of_correct_labels
from dpverify.verifiers.catalogue.families import BUNS, HALF, TENTH, THIRD
from dpverify.verifiers.utility.family import Case, Family, Mechanism, as_named, weakened


def concepts(users: int) -> tuple[Threshold, ...]:
    """The thresholds on the points of so many users."""
    return tuple(map(Threshold, range(users + 1)))


def generic(draw: Draw, sample: Any, *, odds: Fraction) -> Any:
    """The generic private learner of one threshold, at ε = 2·ln(odds)."""
    return generic_learner(draw, sample, hypotheses=concepts(len(sample)), epsilon=2 * log(odds))


def fewest_errors(draw: Draw, sample: Any, *, odds: Fraction) -> Any:
    """The first of the thresholds with the most correct labels: not private."""
    correct = numbers_of_correct_labels(concepts(len(sample)), sample)
    return Distribution({max(correct, key=lambda h: correct[h]): 1})


def noisy_mean(draw: Draw, sample: Any, *, odds: Fraction) -> Any:
    """All 1 or all 0, as the mean of the labels with Laplace noise rounds: a one-way marginal, at ε = ln(odds)."""
    users = len(sample)
    ones = sum(y for _, y in sample) + draw(discrete_laplace(1 / log(odds)))
    return Threshold(users) if 2 * ones >= users else Threshold(0)


LEARNERS: Final[dict[str, Mechanism]] = {"generic": generic, "noisy mean": noisy_mean}


def mostly_generic(draw: Draw, sample: Any, *, odds: Fraction, delta: Fraction) -> Any:
    """The generic one, but with probability δ that which is not private: (ε,δ)-private."""
    return draw(fewest_errors if draw(bernoulli(delta)) else generic, sample, odds=odds)


# The inequality of the proof, on few columns: by the enumerated law of the attack.
FEW: Final = BonehShaw(3, 2, 9 * TENTH, slack=HALF)
"""Four columns. With half of the slack user 2 can be accused, too; whom the attack accuses is all one to privacy."""


def attack(
    draw: Draw, rows: Any, *, types: Sequence[int], odds: Fraction, delta: Fraction, exact_learner: bool = False
) -> Any:
    """The attack on a direct sum that is (ε,δ)-private for each column, or of learners that are not private."""

    def one(draw: Draw, sample: Any) -> Any:
        if exact_learner:
            return draw(fewest_errors, sample, odds=odds)
        return mostly_generic(draw, sample, odds=odds, delta=delta) if delta else generic(draw, sample, odds=odds)

    def learner(draw: Draw, rows: Any, *, k: int) -> Any:
        return direct_sum(draw, rows, k=k, learner=one)

    return draw(traced, rows, code=FEW, types=types, learner=learner)


def bound_without_row(case: Case) -> Exact:
    """e^(kε)·Pr[accused without the row] + kδ, as k columns are (kε,kδ)-private together."""
    given, user = case.parameters, case.facts["user"]
    without = labelled_rows(FEW, given["types"], without=user)
    k = len(given["types"])
    odds: Fraction = given["odds"]
    return accusations(without, **given).get(user, ZERO) * odds ** (2 * k) + k * exact(given["delta"])


@lru_cache(maxsize=256)
def accusations(rows: Any, types: Any, odds: Fraction, delta: Fraction) -> dict[int | None, Exact]:
    """The law of the attack."""
    return dict(distribution(attack, rows, types=types, odds=odds, delta=delta).probabilities)


inequality = Family(
    attack,
    lambda case, accused: accused != case.facts["user"],
    bound_without_row,
    weakened("attack_on_exact", attack, exact_learner=True),
)(
    "BuNS-4.3.utility.inequality",
    f"{BUNS}, the proof of Theorem 4.3",
    "Pr[i accused] ≤ e^(kε)·Pr[i accused, row i replaced] + kδ for a direct sum of (ε,δ)-private learners of "
    "k = 4 thresholds on 3 rows, by the law of the whole attack",
    tuple(
        Case(labelled_rows(FEW, types), {"types": types, "odds": odds, "delta": delta}, {"user": user})
        for types, odds, delta, user in product(
            ((1, 1, 2, 2), (2, 1, 2, 1), (1, 2, 2, 1)),
            (Fraction(101, 100), Fraction(21, 20), Fraction(9, 8)),
            (Fraction(0), Fraction(1, 50)),
            (1, 2, 3),
        )
    ),
)


# At the length of the code: somebody is accused of the word of an accurate learner, by Theorem 4.3.
@lru_cache(maxsize=16)
def code_of(users: int) -> BonehShaw:
    """The code with ends, the least copies, ξ = 1/10."""
    return BonehShaw(users, copies_needed(users, TENTH, ends=True), TENTH, ends=True)


def accused_of_learner(draw: Draw, users: int, *, odds: Fraction) -> Any:
    """The user whom the attack accuses of the direct sum of generic learners."""
    return trace_of_direct_sum(code_of(users), generic, odds=odds)


def accused_by_a_short_code(draw: Draw, users: int, *, odds: Fraction) -> Any:
    """A code of a tenth of the copies."""
    code = code_of(users)
    short = BonehShaw(users, max(1, code.copies // 10), TENTH, ends=True)
    return trace_of_direct_sum(short, generic, odds=odds)


@lru_cache(maxsize=256)
def chance_of_accuracy(code: BonehShaw, odds: Fraction, learner: Mechanism, *, agnostic: bool = False) -> Fraction:
    """The probability that all hypotheses of the direct sum are wrong on at most a third of the rows.

    Of `agnostic` learners: on a third more than the better one of the two constant labellings.
    """

    def of_one(kind: int) -> Fraction:
        sample = examples_of_column(code, kind)
        least = min(sum(y == label for _, y in sample) for label in (0, 1)) if agnostic else 0
        law = distribution(learner, sample, odds=odds)
        errors = {h: sum(h(x) != y for x, y in sample) for h in law.probabilities}
        good = [p for h, p in law.probabilities.items() if 3 * (errors[h] - least) <= len(sample)]
        return rational_parameter(total([ZERO, *good]), "the probability of an error")

    return prod((of_one(kind) ** code.copies for kind in code.types), start=Fraction(1))


accurate_is_traced = Family(
    accused_of_learner,
    lambda case, accused: accused is not None,
    lambda case: 1 - chance_of_accuracy(code_of(case.database), case.parameters["odds"], generic),
    accused_by_a_short_code,
)(
    "BuNS-4.3.utility.accurate-is-traced",
    f"{BUNS}, the proof of Theorem 4.3, with the code that is complete for certain",
    "nobody is accused with no more probability than that some hypothesis errs on more than a third of the "
    "rows; direct sums of generic learners of thresholds at e^(ε/2) from 10 to 10⁶, n from 2 to 4",
    tuple(Case(users, {"odds": Fraction(odds)}) for users in (2, 3, 4) for odds in (10, 30, 100, 1000, 10**4, 10**6)),
)


def not_traced(draw: Draw, users: int, *, odds: Fraction, learner: str) -> Any:
    """The user whom the attack accuses of the direct sum, at the privacy that is given."""
    return trace_of_direct_sum(code_of(users), LEARNERS[learner], odds=odds)


def suspicion_times(case: Case) -> Exact:
    """e^ε·ξ/(2n)."""
    return exp(case.facts["epsilon"]) * Fraction(1, 20 * case.database)


def private_cases(learners: Iterable[str], most: int) -> Iterator[Case]:
    """From two users to `most`, ε from 1/10 to 2."""
    for users, epsilon, learner in product(range(2, most + 1), (TENTH, Fraction(1), Fraction(2)), learners):
        for user in range(1, users + 1):
            odds = 1 + epsilon / (2 * code_of(users).length)  # the direct sum of k columns is ε-private then
            yield Case(users, {"odds": odds, "learner": learner}, {"epsilon": epsilon, "user": user})


private_is_not_traced = Family(
    not_traced,
    lambda case, accused: accused != case.facts["user"],
    suspicion_times,
    as_named(
        "traced_without_privacy",
        "The direct sum of learners that are not private.",
        lambda draw, users, *, odds, learner: trace_of_direct_sum(code_of(users), fewest_errors, odds=odds),
    ),
)(
    "BuNS-4.3.utility.private-is-not-traced",
    f"{BUNS}, the proof of Theorem 4.3, with soundness ξ/(2n) of each",
    "an ε-private direct sum of k generic learners, or of k noisy means, has each of its rows accused with "
    "probability ≤ e^ε·ξ/(2n); n from 2 to 5, ε in {1/10, 1, 2}, ξ = 1/10, k the length of the code",
    tuple(private_cases(LEARNERS, 5)),
)


# On so few rows a private learner is not accurate: Theorem 4.3.
def accuracy(draw: Draw, users: int, *, odds: Fraction, learner: str) -> Distribution[bool]:
    """The law of whether all hypotheses of the direct sum are wrong on at most a third of the rows."""
    chance = chance_of_accuracy(code_of(users), odds, LEARNERS[learner])
    return Distribution({True: chance, False: 1 - chance})


inaccurate = Family(
    accuracy,
    lambda case, accurate: not accurate,
    lambda case: case.database * suspicion_times(case),
    weakened("accuracy_without_privacy", accuracy, odds=Fraction(10**6)),
)(
    "BuNS-4.3.utility.private-is-inaccurate",
    f"{BUNS}, Theorem 4.3",
    "an ε-private direct sum of k generic learners of thresholds, or of k noisy means, is right on two thirds of the "
    "rows in all k columns with probability ≤ n·e^ε·ξ/(2n); n from 2 to 5, ε in {1/10, 1, 2}, k the length of the code",
    tuple(case for case in private_cases(LEARNERS, 5) if case.facts["user"] == 1),
    weak_because="the longer the code, the less it happens, with 2·10⁻³² of what is allowed at most; the theorem needs "
    "that it is rare, and what makes it so is sharp: BuNS-4.3.utility.private-is-not-traced, and .accurate-is-traced",
)


# Corollaries 4.6 and 4.10: the rows that are forced, with constants.
def rows(draw: Draw, k: int, *, code: str, share: Fraction) -> Distribution[int]:
    """The least number of rows that is not excluded at β = 1/10, ε = 1, δ = 10⁻⁶."""
    given: dict[str, Any] = {"beta": TENTH, "epsilon": 1, "delta": Fraction(1, 10**6), "code": code}
    return Distribution({rows_forced(k, alpha=share, **given): 1})


def order(root: int, factor: int) -> Callable[[Case, int], bool]:
    """The comparison rows ≥ (1/(3α))·(k/(factor·ln k))^(1/root), in whole numbers and logarithms."""

    def reaches(case: Case, forced: int) -> bool:
        k, alpha = case.database, case.parameters["share"]
        return bool((3 * alpha * forced) ** root * factor * log(exact(k)) >= k)

    return reaches


_OF_FEW_COLUMNS: Final = as_named(
    "rows_of_few_columns", "A thirtieth of the columns.", lambda draw, k, **given: rows(draw, k // 30, **given)
)
forced = tuple(
    Family(rows, order(root, factor), lambda case: ONE / 2, _OF_FEW_COLUMNS)(
        f"BuNS-{number}.utility.rows",
        f"{BUNS}, Corollary {number} and Remark {remark}, the order with a constant of ours",
        f"rows forced at β = 1/10, ε = 1 and δ = 10⁻⁶ are ≥ (k/({factor}·ln k))^(1/{root})/(3α), for k from "
        f"10^{first} to 10^8, α in {{1/3, 1/30}}",
        tuple(Case(10**n, {"code": code, "share": share}) for n in range(first, 9) for share in (THIRD, TENTH / 3)),
    )
    for number, remark, code, root, factor, first in (
        ("4.6", "4.4", "Boneh-Shaw", 3, 4, 2),
        ("4.10", "4.8", "Tardos", 2, 100, 4),
    )
)
