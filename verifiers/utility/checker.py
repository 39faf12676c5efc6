"""Utility: the probability that a mechanism fails, summed from its exact distribution, against the β that is claimed.

Inputs are enumerated, or searched by Hypothesis, which shrinks a counterexample. Nothing is sampled: a failing input is
a counterexample for certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dpverify.mechanisms.functions.mechanism import Draw, Mechanism, name_of
from dpverify.mechanisms.functions.samples import size_of_sample
from dpverify.mechanisms.numbers.errors import InputError, Overtime, Undecided
from dpverify.reports.kinds.utility import BestPossibleResult, SharpnessResult, UtilityMutant, UtilityResult
from dpverify.reports.record import HELD_VERDICTS, NOT_RECHECKED, Scope, Status
from dpverify.verifiers.claims import Search
from dpverify.verifiers.problems.questions.outside import checked_in_words, with_outside
from dpverify.verifiers.utility.best_possible import SolverMissing, best_possible
from dpverify.verifiers.utility.case import Case
from dpverify.verifiers.utility.judging import Enumerating, JudgedCase, judge
from dpverify.verifiers.utility.more_noise import headroom_of_noise, is_loose_in_use, with_more_noise
from dpverify.verifiers.utility.sharpness import least_that_holds
from dpverify.verifiers.utility.statement import Sharpness, UtilityStatement

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


_EXAMPLES: Final[Mapping[Search, str]] = {
    "derandomized": "examples of a utility claim",
    "deep": "examples of a deep search",
}
_EXAMPLE_DATABASE: Final = Path(".hypothesis") / "utility"


class _Late(BaseException):
    """A mechanism does not return: no `Exception`, which Hypothesis would have raised again and again to shrink it."""

    def __init__(self, error: Overtime) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass
class _Seen:
    """The cases that a check has met so far."""

    corners: dict[str, int]
    enumerating: Enumerating
    rejected: int = 0
    worst: JudgedCase | None = None
    failing: JudgedCase | None = None
    undecided: str = ""
    known: dict[str, JudgedCase | None] = field(default_factory=dict)
    """Case, written out → what was found of it; None where it could not be decided."""

    @property
    def inputs(self) -> int:
        """The number of different cases that met the precondition, with β < 1, and were decided."""
        return sum(judged is not None and judged.beta < 1 for judged in self.known.values())

    def holds(self, claim: UtilityStatement, case: Case, mechanism: Mechanism | None) -> bool:
        """False where the claim fails on a case that it speaks of; a case that comes again counts once."""
        key = repr(case)
        if key not in self.known:
            self.known[key] = self._judged(claim, case, mechanism)
        judged = self.known[key]
        if judged is None or judged.holds:
            return True
        self.failing = judged  # the last one that fails is the smallest
        return False

    def _judged(self, claim: UtilityStatement, case: Case, mechanism: Mechanism | None) -> JudgedCase | None:
        try:
            judged = judge(claim, case, mechanism, self.enumerating)
        except Undecided as error:
            self.undecided = self.undecided or f"{case}: {error}"
            return None
        except Overtime as error:
            raise _Late(error) from None
        if judged.beta >= 1:
            return judged  # of which the claim says nothing: no input that was tried
        for name in claim.corners:
            self.corners[name] += bool(self.enumerating.asked(f"the corner {name}")(case))
        if self.worst is None or judged.ratio > self.worst.ratio:
            self.worst = judged
        return judged


def check_utility(claim: UtilityStatement, search: Search = "derandomized", *, slack: bool = False) -> UtilityResult:
    """The verdict on a claim, its mutant's, and how sharp it is.

    PROVED where every enumerated case holds, REFUTED with a failing case, the smallest or shrunk; FUZZED where none
    failed of those that were tried, at least `floor`, with all corners; VACUOUS where they were fewer, or a corner was
    not hit; UNDECIDED where none failed and some comparison with β could not be decided. Raises `InputError`, naming
    the claim, where its mechanism refuses an input. With `slack` it is decided with more noise, too.

    >>> truth = UtilityClaim(
    ...     id="lib.truth",
    ...     mechanism=lambda draw, bit: bit if draw(bernoulli("3/4")) else 1 - bit,
    ...     cases=[Case(0, {}), Case(1, {})],
    ...     succeeds=lambda case, outcome: outcome == case.database,
    ...     beta=lambda case: Fraction(1, 5),
    ...     mutant=lambda draw, bit: 1 - bit,
    ... )
    >>> check_utility(truth).verdict
    <Status.REFUTED: 'REFUTED'>
    """
    enumerating = Enumerating(claim)
    seen, status, reason = _checked(claim, search, None, enumerating)
    places, of_asked = enumerating.outside(claim.mechanism), enumerating.outside_asked
    if (places or of_asked) and status is Status.PROVED:
        status, reason = Status.CHECKED, checked_in_words((*places, *of_asked), "one process")
    mutant_seen, mutant_status, mutant_reason = _checked(claim, search, claim.mutant, enumerating)
    beside, no_optimal = _beside_the_best(claim, enumerating)
    sharp = None if claim.sharpness is None else sharpest(claim, claim.sharpness, seen.known, enumerating)
    more = None
    if slack and status in (*HELD_VERDICTS, Status.FUZZED):
        more = with_more_noise(claim, [one for one in seen.known.values() if one is not None])
    return UtilityResult(
        id=claim.id,
        source=claim.source,
        statement=claim.statement,
        mechanism=name_of(claim.mechanism),
        expected=claim.verdict_expected,
        verdict=status,
        reason=reason,
        refutation=claim.refuted_as(status),
        scope=with_outside(_scope(claim, seen, "one process" if places else NOT_RECHECKED), places, claim.asked, Case),
        enumerated=claim.cases is not None,
        inputs=seen.inputs,
        rejected=seen.rejected,
        worst=None if seen.worst is None else seen.worst.record,
        ratio=0.0 if seen.worst is None else seen.worst.finite_ratio,
        corners=dict(sorted(seen.corners.items())),  # as the JSON form has them
        witness=None if seen.failing is None else seen.failing.record,
        mutant=UtilityMutant(
            name_of(claim.mutant),
            mutant_status,
            str(mutant_seen.failing.case) if mutant_seen.failing is not None else mutant_reason,
        ),
        headroom=None if not more else str(headroom_of_noise(more)),
        loose=None if more is None else is_loose_in_use(seen.worst, more, sharp),
        loose_because=claim.weak_because,
        sharp_in=claim.sharp_in,
        more_noise=more,
        sharpness=sharp,
        optimal=beside,
        no_optimal=no_optimal,
    )


def _beside_the_best(claim: UtilityStatement, enumerating: Enumerating) -> tuple[list[BestPossibleResult], str]:
    """Achieved value on all cases that the claim speaks of, beside the best possible, or why that is not known.

    Nothing where the claim does not ask; the verdict does not rest on it. Raises `InputError`, naming the claim, where
    that cannot be found.
    """
    if claim.optimal is None:
        return [], ""
    cases = [case for case in (*claim.examples, *(claim.cases or ())) if enumerating.speaks_of(case)]
    try:
        result = best_possible(
            claim.optimal,
            cases,
            enumerating.asked("succeeds"),
            claim.mechanism,
            lambda case: enumerating.law(claim.mechanism, case),
        )
    except SolverMissing as error:
        return [], str(error)
    except InputError as error:
        raise InputError(f"{claim.id}, the best possible: {error}") from error
    return result, ""


def _scope(claim: UtilityStatement, seen: _Seen, recheck: str) -> Scope:
    if seen.failing is not None:
        return Scope("finite", "one input refutes it", recheck, "the inputs up to one that fails")
    if claim.cases is not None:
        cases = "the one case that is listed" if seen.inputs == 1 else f"all {seen.inputs:,} cases that are listed"
        return Scope("finite", "the cases are listed", recheck, cases)
    tried = "1 input" if seen.inputs == 1 else f"{seen.inputs:,} inputs"
    return Scope("finite", "inputs are tried", recheck, f"{tried} that Hypothesis tried, which is no proof")


def _checked(
    claim: UtilityStatement, search: Search, mechanism: Mechanism | None, enumerating: Enumerating
) -> tuple[_Seen, Status, str]:
    seen = _Seen(dict.fromkeys(claim.corners, 0), enumerating)
    try:
        if not _all_hold(claim, search, mechanism, seen):
            return seen, Status.REFUTED, ""
    except _Late as late:
        raise late.error from None
    if seen.undecided:
        return seen, Status.UNDECIDED, seen.undecided
    if claim.cases is not None:
        if not seen.inputs:
            return seen, Status.VACUOUS, f"none of {seen.rejected} cases meets the precondition"
        return seen, Status.PROVED, ""
    missed = [name for name, hits in seen.corners.items() if not hits]
    if seen.inputs < claim.floor:
        return seen, Status.VACUOUS, f"{seen.inputs} inputs met the precondition, fewer than {claim.floor}"
    if missed:
        return seen, Status.VACUOUS, f"no input hit a corner: {', '.join(missed)}"
    return seen, Status.FUZZED, ""


def _all_hold(claim: UtilityStatement, search: Search, mechanism: Mechanism | None, seen: _Seen) -> bool:
    """True where no case fails: the examples, then all that are enumerated or searched."""
    for case in (*claim.examples, *(claim.cases or ())):
        if not seen.enumerating.speaks_of(case):
            seen.rejected += 1
        elif not seen.holds(claim, case, mechanism):
            return False
    return claim.strategy is None or _search(claim, claim.strategy(), search, mechanism, seen)


def _search(
    claim: UtilityStatement, cases: SearchStrategy[Case], search: Search, mechanism: Mechanism | None, seen: _Seen
) -> bool:
    """True where Hypothesis finds no failing case; one that it finds is shrunk, and noted."""
    from hypothesis import HealthCheck, Phase, given, reject, settings
    from hypothesis.database import DirectoryBasedExampleDatabase
    from hypothesis.errors import Unsatisfiable

    deep, examples = search == "deep", size_of_sample(_EXAMPLES[search])
    if not examples:
        return True

    def speaks_of(_: UtilityStatement, case: Case) -> bool:
        return seen.enumerating.speaks_of(case)

    class Failed(Exception):
        """The claim fails on the case: nothing that a mechanism raises."""

    @settings(
        max_examples=examples,
        derandomize=not deep,
        database=DirectoryBasedExampleDatabase(_EXAMPLE_DATABASE) if deep else None,
        deadline=None,
        report_multiple_bugs=False,  # else an input that is refused, beside one that fails, would be a group of both
        phases=(Phase.reuse, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(cases)
    def holds(case: Case) -> None:
        if not speaks_of(claim, case):
            seen.rejected += 1
            reject()
        if not seen.holds(claim, case, mechanism):
            raise Failed

    # The digest is the seed of a derandomized search: the same for the mutant, which meets the same cases. The key is
    # where failures are kept, each mechanism's apart: Hypothesis drops those of a key that do not fail again.
    test: Any = holds
    test.hypothesis.inner_test._hypothesis_internal_add_digest = claim.id.encode()
    test._hypothesis_internal_database_key = f"{claim.id} {'printed' if mechanism is None else 'weakened'}".encode()
    try:
        with nullcontext() if deep else _no_constants_of_loaded_modules():
            holds()
    except Failed:
        return False
    except Unsatisfiable:  # no case that it drew meets the precondition: fewer than the floor
        return True
    return True


@contextmanager
def _no_constants_of_loaded_modules() -> Iterator[None]:
    """Now and then Hypothesis draws a number that stands in a loaded module: a gate would depend on what is loaded."""
    from hypothesis.internal.conjecture import providers

    provider: Any = providers.HypothesisProvider
    drawn = getattr(provider, "_maybe_draw_constant", None)
    if drawn is None:  # a version that draws none
        yield
        return
    provider._maybe_draw_constant = lambda *_, **__: None
    try:
        yield
    finally:
        provider._maybe_draw_constant = drawn


def sharpest(
    claim: UtilityStatement,
    sharpness: Sharpness,
    known: Mapping[str, JudgedCase | None] | None = None,
    enumerating: Enumerating | None = None,
) -> SharpnessResult | None:
    """The least value from which the claim holds on the family, as `least_that_holds` finds it.

    What is `known` already of cases, written out, is not found once more.
    """
    enumerating = enumerating or Enumerating(claim)

    def holds(case: Case) -> bool:
        result = known.get(repr(case)) if known else None
        return (judge(claim, case, None, enumerating) if result is None else result).holds

    def holds_at_half(case: Case) -> bool:
        return judge(claim, case, halved, enumerating).holds

    halved = with_half_epsilon(claim.mechanism)
    return least_that_holds(claim.id, sharpness, holds, holds_at_half, lambda case: case.parameters)


def with_half_epsilon(mechanism: Mechanism) -> Mechanism:
    """The mechanism run with half its parameter `epsilon`: the mildest of weakenings, such as noise twice as wide."""

    def halved(draw: Draw, database: Any, *, epsilon: Any, **given: Any) -> Any:
        return draw(mechanism, database, epsilon=epsilon / 2, **given)

    return halved
