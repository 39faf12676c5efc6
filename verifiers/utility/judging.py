"""The probability that a mechanism fails on a case, summed from its exact distribution, against the claimed β."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain
from math import inf
from typing import Any, Final

from dpverify.mechanisms.drawing.caching import in_full_if_few
from dpverify.mechanisms.drawing.enumerator import Enumeration
from dpverify.mechanisms.functions.limits import checked_limits
from dpverify.mechanisms.functions.mechanism import Mechanism, exact_parameters
from dpverify.mechanisms.language.readings import OutsidePlace
from dpverify.mechanisms.noise.law import ALL_NOISE
from dpverify.mechanisms.numbers.enclosure import bounds, decimal
from dpverify.mechanisms.numbers.errors import InputError, MechanismError, Overtime
from dpverify.mechanisms.numbers.exact_numbers import ONE, ZERO, Exact, exact, total
from dpverify.mechanisms.numbers.exact_text import readable_within
from dpverify.mechanisms.outputs.distributions import Distribution
from dpverify.reports.kinds.utility import FailingInput
from dpverify.verifiers.deciding.outside import distribution_twice
from dpverify.verifiers.problems.questions.outside import outside_places
from dpverify.verifiers.processes.stopwatch import stopwatch
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.compiled_functions import Asked
from dpverify.verifiers.utility.predicates import LawOf, failure_of_released
from dpverify.verifiers.utility.statement import DECIDING, UtilityStatement


def ratio_of(number: Exact, bound: Exact) -> float:
    """Their quotient for people and for comparison of how near cases come; infinite also where no float holds it."""
    if number is ZERO:
        return 0.0
    of_number, of_bound = sum(bounds(number)), sum(bounds(bound))
    try:
        return float(of_number / of_bound) if of_bound > 0 else inf
    except OverflowError:
        return inf


_FEW: Final = 64
_LONGEST_FORM: Final = 400


@dataclass(frozen=True)
class JudgedCase:
    """One case: its probability of failure, the β that is claimed, and whether the claim holds."""

    case: Case
    failure: Exact
    beta: Exact
    holds: bool

    @property
    def ratio(self) -> float:
        """failure/β."""
        return ratio_of(self.failure, self.beta)

    @property
    def is_never(self) -> bool:
        """True where it never fails."""
        return self.failure is ZERO

    @property
    def finite_ratio(self) -> float | None:
        """The ratio, None where it is infinite, for which JSON has no number."""
        return None if self.ratio == inf else self.ratio

    @property
    def record(self) -> FailingInput:
        """It in words."""
        failure, shown = readable_within(self.failure, _LONGEST_FORM), decimal(self.failure)
        return FailingInput(str(self.case), failure or f"≈ {shown}", shown, decimal(self.beta))


_CASES_TOGETHER: Final = 128
"""After so many cases the distributions of parts are forgotten, or a deep search would keep those of thousands."""


class Enumerating:
    """Finds the laws of cases, with a share of the noise: of the parts that several of them draw from, once.

    A mechanism outside the language is run as a whole, and twice. Functions of the claim are `asked` by their names.
    """

    def __init__(self, claim: UtilityStatement, share: Fraction = ALL_NOISE) -> None:
        self.limits = checked_limits(claim.limits)
        self.share = share
        self._claim = claim
        self._outside: dict[Mechanism, tuple[OutsidePlace, ...]] = {}
        self._asked: dict[str, Asked] = {}
        self._begin()

    def outside(self, mechanism: Mechanism) -> tuple[OutsidePlace, ...]:
        """The places of a mechanism, on the cases that are listed, that are outside the language."""
        if mechanism not in self._outside:
            cases = chain(self._claim.examples, self._claim.cases or ())
            given = ((case.database, *case.parameters.values()) for case in cases)
            self._outside[mechanism] = outside_places(mechanism, databases=given)
        return self._outside[mechanism]

    def asked(self, name: str) -> Asked:
        """A function of the claim, by its name, to be asked of cases: nobody else calls one."""
        if name not in self._asked:
            self._asked[name] = Asked(name, self._claim.asked[name])
        return self._asked[name]

    @property
    def outside_asked(self) -> tuple[OutsidePlace, ...]:
        """The places of functions that decide, as far as they were asked, that are outside the language.

        Raises `InputError` where something that they name, or were given, is not what it was.
        """
        deciding = [asked for name, asked in self._asked.items() if name in DECIDING]
        for asked in deciding:
            asked.refuse_changes()
        return tuple(place for asked in deciding for place in asked.outside)

    def speaks_of(self, case: Case) -> bool:
        """True where a case meets the precondition. Raises `InputError`, naming the claim, where it cannot be told."""
        try:
            return bool(self.asked("holds_for")(case))
        except InputError as error:
            raise InputError(f"{self._claim.id}, on {case}: {error}") from error

    def whole(self, mechanism: Mechanism) -> LawOf | None:
        """The output distributions of a mechanism outside the language, found twice; None of one that is inside."""
        return partial(distribution_twice, self.limits) if self.outside(mechanism) else None

    def _begin(self) -> None:
        self._enumeration, self._left = Enumeration(self.limits, share=self.share), _CASES_TOGETHER

    @property
    def has_scaled(self) -> bool:
        """True where something was drawn lately that there can be a share of."""
        return self._enumeration.has_scaled

    def law(self, mechanism: Mechanism, case: Case) -> Distribution[Any]:
        """As `distribution` finds it."""
        if not self._left:
            self._begin()
        self._left -= 1
        whole = self.whole(mechanism)
        if whole is not None:
            return whole(mechanism, (case.database,), exact_parameters(case.parameters))
        return in_full_if_few(self._enumeration.law(mechanism, (case.database,), exact_parameters(case.parameters)))

    def law_if_listed(self, mechanism: Mechanism, case: Case) -> Distribution[Any] | None:
        """The distribution where its outcomes can be listed: finitely many of a closed form; else None."""
        try:
            law = self.law(mechanism, case)
        except MechanismError as error:
            if not error.no_closed_form:
                raise
            return None
        return law if law.is_finite else None


def failure_probability(
    claim: UtilityStatement, case: Case, mechanism: Mechanism | None = None, enumerating: Enumerating | None = None
) -> Exact:
    """The exact probability that the mechanism does not succeed on a case."""
    enumerating, mechanism = enumerating or Enumerating(claim), mechanism or claim.mechanism
    law, asked = enumerating.law_if_listed(mechanism, case), enumerating.asked("succeeds")
    if law is None:
        whole = enumerating.whole(mechanism)
        return failure_of_released(mechanism, asked, case, enumerating.limits, enumerating.share, whole)
    succeeds = partial(asked, case)
    failed = [p for outcome, p in law.probabilities.items() if not succeeds(outcome)]
    # Of many terms the fewer are summed, since a distribution adds up to 1. Few are summed in any case: 1 − p with p
    # near 1 has to be known to as many more digits as the failure is small.
    if len(failed) <= _FEW or 2 * len(failed) <= len(law.probabilities):
        return total(failed) if failed else ZERO
    return ONE - total(p for outcome, p in law.probabilities.items() if succeeds(outcome))


def judge(
    claim: UtilityStatement, case: Case, mechanism: Mechanism | None = None, enumerating: Enumerating | None = None
) -> JudgedCase:
    """True where the claim holds on a case.

    Raises `Undecided` where the comparison with β cannot be decided, and `InputError`, naming the claim, where the
    mechanism or β has no value there: a claim speaks only of input that its mechanism takes. That is `Overtime` where
    the mechanism does not return within the claim's `limits.seconds`, 60 by default.
    """
    enumerating = enumerating or Enumerating(claim)
    try:
        with stopwatch(mechanism or claim.mechanism, checked_limits(claim.limits).seconds) as restart:
            restart(case.database)
            failure = failure_probability(claim, case, mechanism, enumerating)
        beta = exact(enumerating.asked("beta")(case), "beta")
    except Overtime as error:
        raise Overtime(f"{claim.id}, on {case}: {error}") from error
    except InputError as error:
        raise InputError(f"{claim.id}, on {case}: {error}") from error
    return JudgedCase(case, failure, beta, bool(failure <= beta))
