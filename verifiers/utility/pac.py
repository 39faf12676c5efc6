"""PAC learning: the probability over the sample and the coins, for a population of finitely many examples.

On a small domain it is summed exactly, with `learnt` as the mechanism of a `UtilityClaim`. On a larger one `audit_pac`
draws samples, sums the coins exactly on each, and bounds the probability from these with a stated confidence; a
`PacClaim` is decided by that.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate, combinations
from math import ceil, comb, floor, lcm, prod
from random import Random, SystemRandom
from typing import Any, ClassVar, Final, TypeAlias

from dpverify.mechanisms.drawing.enumerator import distribution
from dpverify.mechanisms.functions.limits import Limits, checked_limits
from dpverify.mechanisms.functions.mechanism import Draw, Mechanism, name_of
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.numbers.containers import as_returned
from dpverify.mechanisms.numbers.elementary import log, sqrt
from dpverify.mechanisms.numbers.enclosure import bounds, decimal_of_fraction
from dpverify.mechanisms.numbers.errors import InputError, bad_input
from dpverify.mechanisms.numbers.exact_numbers import ZERO, Exact, ExactLike, exact, total
from dpverify.mechanisms.numbers.integers.parameters import open_unit, whole
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.mechanisms.sanitizers.long_databases import remembered_of_tuple
from dpverify.reports.kinds.pac import PacResult, Sampled
from dpverify.reports.kinds.utility import UtilityMutant
from dpverify.reports.record import NOT_RECHECKED, Scope, Status
from dpverify.verifiers.claims import AS_USUAL, AnyClaim, Explanation, How, Search, explained, functions_of
from dpverify.verifiers.problems.questions.outside import outside_places, with_outside
from dpverify.verifiers.processes.stopwatch import stopwatch
from dpverify.verifiers.utility.case import Case, refuse_what_is_no_case
from dpverify.verifiers.utility.judging import JudgedCase
from dpverify.verifiers.utility.repeated import written_out

Population: TypeAlias = tuple[tuple[Any, Fraction], ...]
"""Examples with their probabilities, which add up to 1."""


def labelled(points: Sequence[tuple[int, Fraction]], target: Callable[[int], int]) -> Population:
    """The population of examples (x, target(x)), for points with their probabilities."""
    return tuple(((x, target(x)), share) for x, share in points)


@remembered_of_tuple  # a mechanism that draws from it is run again for each of its outcomes
def independent(population: Population, size: int) -> Distribution[tuple[Any, ...]]:
    """The distribution of `size` examples drawn independently, as a sorted tuple: for learners that ignore their order.

    It has C(size + k − 1, k − 1) outcomes for k examples of positive probability. Raises `InputError` unless size ≥ 1.
    """
    probabilities = numbers_of_each(population, size).probabilities
    return Distribution({sample_of(population, numbers): p for numbers, p in probabilities.items()})


def numbers_of_each(population: Population, size: int) -> Distribution[tuple[int, ...]]:
    """The number of times that each example of positive probability, in order, is among `size` independent ones.

    Raises `InputError` unless size ≥ 1, and for a population that is none.
    """
    return _numbers_of_each(_shares(population), whole(size, "size", 1))


@lru_cache(maxsize=8)  # a mechanism that draws from it is run again for each of its outcomes
def _numbers_of_each(shares: tuple[Fraction, ...], size: int) -> Distribution[tuple[int, ...]]:
    parts = lcm(*(share.denominator for share in shares))
    return Distribution(
        {
            numbers: multinomial(numbers)
            * prod(int(share * parts) ** n for share, n in zip(shares, numbers, strict=True))
            for numbers in _counts(len(shares), size)
        }
    )


@remembered_of_tuple
def examples_met(population: Population, size: int) -> Distribution[tuple[Any, ...]]:
    """Distribution of the examples, in order, among `size` independent ones.

    Raises `InputError` unless size ≥ 1, and for a population that is none.
    """
    law = _places_met(_shares(population), whole(size, "size", 1)).probabilities
    examples = [example for example, share in population if share]
    return Distribution({tuple(examples[i] for i in places): p for places, p in law.items()})


@lru_cache(maxsize=64)
def _places_met(shares: tuple[Fraction, ...], size: int) -> Distribution[tuple[int, ...]]:
    """By inclusion and exclusion."""
    sets = [found for n in range(len(shares) + 1) for found in combinations(range(len(shares)), n)]
    none_else = {found: sum((shares[i] for i in found), start=Fraction(0)) ** size for found in sets}

    def all_of(found: tuple[int, ...]) -> Fraction:
        parts = (part for n in range(len(found) + 1) for part in combinations(found, n))
        return sum(((-1) ** (len(found) - len(part)) * none_else[part] for part in parts), start=Fraction(0))

    return Distribution({found: all_of(found) for found in sets})


@remembered_of_tuple
def _shares(population: Population) -> tuple[Fraction, ...]:
    """The positive probabilities. Raises `InputError` for what is no population."""
    examples, shares = [example for example, _ in population], [share for _, share in population]
    if any(not isinstance(share, Fraction) or share < 0 for share in shares) or sum(shares) != 1:
        raise InputError(bad_input.RANGE, "a share of a population", "a Fraction ≥ 0, with the sum 1 of all shares")
    if len(set(examples)) < len(examples):
        raise InputError(bad_input.TWICE, "a population", "an example", "add up its shares")
    return tuple(share for share in shares if share)


def multinomial(numbers: Sequence[int]) -> int:
    """Number of orders in which so many of each kind can come."""
    left, orders = sum(numbers), 1
    for n in numbers:
        orders *= comb(left, n)
        left -= n
    return orders


@remembered_of_tuple
def sample_of(population: Population, numbers: Sequence[int]) -> tuple[Any, ...]:
    """So many of each example that has positive probability, sorted."""
    examples = (example for example, share in population if share)
    return written_out(sorted(zip(examples, numbers, strict=True)))


def learnt(
    draw: Draw, population: Population, *, size: int, learner: Mechanism, given: dict[str, Any] | None = None
) -> Any:
    """Output of `learner` on an independent sample, to which the order is all one: over the sample and the coins."""
    # only the numbers are drawn: a sample is long, and would be gone through whenever it is passed on
    numbers = draw(numbers_of_each(population, size))
    return draw(learnt_of_numbers, numbers, population=population, learner=learner, **(given or {}))


def learnt_of_numbers(
    draw: Draw, numbers: Sequence[int], *, population: Population, learner: Mechanism, **given: Any
) -> Any:
    """The distribution of the hypotheses of `learner` on the sample with so many of each example."""
    return learner(draw, sample_of(population, numbers), **given)


def error(population: Population, hypothesis: Callable[[Any], int]) -> Fraction:
    """error_D(h): the probability of the examples (x, y) with h(x) ≠ y."""
    return sum((share for (x, y), share in population if hypothesis(x) != y), start=Fraction(0))


@dataclass(frozen=True)
class PacAudit:
    """The finding on a learner's probability of failure, over the sample and the coins, from some samples.

    With probability `confidence` over the samples drawn it lies in [low, high]. REFUTED where low > β, which a true
    claim is with probability at most 1 − confidence; INCONCLUSIVE otherwise, and never more than that. `mean` is that
    of the samples drawn.
    """

    status: Status
    low: Fraction
    high: Fraction
    mean: Exact
    confidence: Fraction
    samples: int


def audit_pac(
    learner: Mechanism,
    population: Population,
    *,
    size: int,
    is_good: Callable[[Any], bool],
    beta: ExactLike,
    given: Mapping[str, Any] | None = None,
    samples: int = 500,
    confidence: ExactLike = Fraction(999, 1000),
    seed: int = 0,
    limits: Limits | None = None,
) -> PacAudit:
    """Bounds on the probability that `learner` makes a hypothesis that is not good of `size` independent examples.

    The failure probabilities on the samples drawn are independent, in [0, 1], and exact, so that by Hoeffding's
    inequality their mean is more than sqrt(ln(2/(1 − confidence))/(2·samples)) off with probability at most
    1 − confidence. Both are enclosed by rationals, rounded outward: there is no float. The same seed draws the same
    samples. Raises `InputError` for a population that is empty, has a share below 0 or does not add up to 1, and for
    a parameter out of range.
    """
    number, sure, b = whole(samples, "samples", 1), open_unit(confidence, "confidence"), open_unit(beta, "beta")
    sample = _sampler(population, whole(size, "size", 1), Random(whole(seed, "seed", 0)))
    failures: dict[tuple[Any, ...], Exact] = {}
    seen: list[Exact] = []
    for _ in range(number):
        rows = sample()
        if rows not in failures:
            with stopwatch(learner, checked_limits(limits).seconds) as restart:
                restart(rows)
                law = distribution(learner, rows, limits=limits, **(given or {}))
            failed = [p for hypothesis, p in law.probabilities.items() if not is_good(as_returned(hypothesis))]
            failures[rows] = total(failed) if failed else ZERO
        seen.append(failures[rows])
    margin = bounds(sqrt(log(2 / (1 - sure)) / (2 * number)))[1]
    mean = total(seen) / number
    below, above = bounds(mean)
    low, high = max(Fraction(0), below - margin), min(Fraction(1), above + margin)
    status = Status.REFUTED if low > b else Status.INCONCLUSIVE
    return PacAudit(status, low, high, mean, bounds(sure)[0], number)


_SAMPLES: Final[Mapping[Search, str]] = {
    "derandomized": "samples of a population",
    "deep": "samples of a population, deep",
}


@dataclass(frozen=True, kw_only=True)
class PacClaim(AnyClaim):
    """The claim that a learner succeeds with probability ≥ 1 − `beta`(case) on `size`(case) independent examples.

    The database of a case is the population, its parameters are the learner's. The probability is over the sample and
    the coins; there are too many samples to sum over, so that the claim is audited: REFUTED or INCONCLUSIVE with the
    confidence that is stated, for all cases together. `mutant` is the learner weakened, which must be refuted. Raises
    `InputError` without cases.

    >>> learns = PacClaim(
    ...     id="lib.majority",
    ...     learner=lambda draw, sample: int(draw(bernoulli("99/100"))),
    ...     cases=[Case((((0, 1), Fraction(1)),), {})],
    ...     succeeds=lambda case, label: label == 1,
    ...     size=lambda case: 2,
    ...     beta=lambda case: Fraction(1, 2),
    ...     mutant=lambda draw, sample: 0,
    ... )
    >>> audit([learns]).claims[0].verdict
    <Status.INCONCLUSIVE: 'INCONCLUSIVE'>
    """

    learner: Mechanism
    succeeds: Callable[[Case, Any], bool]
    size: Callable[[Case], int]
    beta: Callable[[Case], ExactLike]
    mutant: Mechanism
    cases: Sequence[Case]
    expected: Status | None = Status.INCONCLUSIVE
    confidence: Fraction = Fraction(999, 1000)

    kind: ClassVar[str] = "pac"
    modules: ClassVar[Sequence[str]] = ("numpy.random",)

    @property
    def claimed(self) -> str:
        """The bound that holds of all cases."""
        return "failure ≤ β"

    @property
    def about(self) -> tuple[Mechanism, ...]:
        """The learner."""
        return (self.learner,)

    @property
    def mutants(self) -> tuple[Mechanism, ...]:
        """The learner weakened."""
        return (self.mutant,)

    def decide(self, how: How = AS_USUAL) -> PacResult:
        """The record of its verdict, and of its mutant's. Raises as `check_pac` does."""
        return check_pac(self, how.search)

    def explain(self, how: How = AS_USUAL) -> Explanation:
        return explained(self, how, functions_of(self, "learner", "succeeds", "beta", "mutant"))

    def __post_init__(self) -> None:
        super().__post_init__()
        self._refuse_what_is_no_function("learner", "succeeds", "size", "beta", "mutant")
        refuse_what_is_no_case(self.id, self.cases)
        open_unit(self.confidence, "confidence")
        if not self.cases:
            raise InputError(bad_input.IS_EMPTY, f"{self.id}: the list of cases", "case")


def check_pac(claim: PacClaim, search: Search = "derandomized") -> PacResult:
    """The verdict on a claim and on its mutant, from the same samples of each of its populations.

    They are the same each time, but with the search "deep", which draws others. Raises `InputError` where
    the learner refuses a sample, or a population is none.

    >>> fails = PacClaim(
    ...     id="lib.constant",
    ...     learner=lambda draw, sample: 0,
    ...     cases=[Case((((0, 1), Fraction(1)),), {})],
    ...     succeeds=lambda case, label: label == 1,
    ...     size=lambda case: 2,
    ...     beta=lambda case: Fraction(1, 2),
    ...     mutant=lambda draw, sample: 0,
    ... )
    >>> check_pac(fails).verdict
    <Status.REFUTED: 'REFUTED'>
    """
    seed = SystemRandom().randrange(10**9) if search == "deep" else 0
    result = _audited(claim, claim.learner, search, seed)
    refuted = next((one for one in result if one.audit.status is Status.REFUTED), None)
    status = Status.INCONCLUSIVE if refuted is None else Status.REFUTED
    nearest = refuted or max(result, key=lambda one: one.judged.ratio)
    weakened = next(
        (one for one in _audited(claim, claim.mutant, search, seed) if one.audit.status is Status.REFUTED), None
    )
    return PacResult(
        id=claim.id,
        source=claim.source,
        statement=claim.statement,
        mechanism=name_of(claim.learner),
        expected=claim.verdict_expected,
        verdict=status,
        reason="",
        refutation=claim.refuted_as(status),
        scope=with_outside(
            Scope(
                "finite",
                "samples are drawn",
                NOT_RECHECKED,
                f"{nearest.audit.samples} samples of each of the populations, which is no proof",
            ),
            outside_places(claim.learner, databases=(tuple(case.parameters.values()) for case in claim.cases)),
            {name: getattr(claim, name) for name in ("succeeds", "size", "beta")},
            Case,
        ),
        enumerated=False,
        inputs=len(result),
        rejected=0,
        worst=nearest.judged.record,
        ratio=nearest.judged.finite_ratio,
        corners={},
        witness=None if refuted is None else refuted.judged.record,
        mutant=UtilityMutant(
            name_of(claim.mutant),
            Status.INCONCLUSIVE if weakened is None else Status.REFUTED,
            "no population refutes it" if weakened is None else str(weakened.judged.case),
        ),
        sharpness=None,
        sampled=Sampled(
            nearest.audit.samples,
            seed,
            decimal_of_fraction(_to_twelve_places(claim.confidence, floor)),
            decimal_of_fraction(_to_twelve_places(nearest.audit.low, floor)),
            decimal_of_fraction(_to_twelve_places(nearest.audit.high, ceil)),
        ),
    )


@dataclass(frozen=True)
class _Audited:
    """One population: the audit, and the mean of its samples as what the probability of failure is judged by."""

    audit: PacAudit
    judged: JudgedCase


def _to_twelve_places(value: Fraction, rounded: Callable[[Fraction], int]) -> Fraction:
    return Fraction(rounded(value * 10**12), 10**12)


def _audited(claim: PacClaim, learner: Mechanism, search: Search, seed: int) -> list[_Audited]:
    """The populations in turn, up to the first that is refuted."""
    results: list[_Audited] = []
    # each may be wrong with this probability, so that all of them are right with the confidence claimed
    each = (1 - claim.confidence) / len(claim.cases)
    for case in claim.cases:
        beta = exact(claim.beta(case), "beta")
        audit = audit_pac(
            learner,
            case.database,
            size=claim.size(case),
            is_good=partial(claim.succeeds, case),
            beta=beta,
            given=case.parameters,
            samples=size_of_sample(_SAMPLES[search]),
            confidence=1 - each,
            seed=seed,
            limits=claim.limits,
        )
        results.append(_Audited(audit, JudgedCase(case, audit.mean, beta, audit.status is not Status.REFUTED)))
        if audit.status is Status.REFUTED:
            break
    return results


def _sampler(population: Population, size: int, source: Random) -> Callable[[], tuple[Any, ...]]:
    """Draws `size` examples, with exactly the population's probabilities."""
    _shares(population)
    parts = lcm(*(share.denominator for _, share in population))
    ends = list(accumulate(int(share * parts) for _, share in population))
    return lambda: tuple(population[bisect_right(ends, source.randrange(parts))][0] for _ in range(size))


def _counts(kinds: int, size: int) -> Iterator[tuple[int, ...]]:
    """All ways to draw `size` examples of so many kinds."""
    if kinds == 1:
        yield (size,)
        return
    for first in range(size, -1, -1):
        for rest in _counts(kinds - 1, size - first):
            yield (first, *rest)
