"""The verdict on a domain without end: by theorems, by regions, and for REFUTED by two databases."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Final

from dpverify.mechanisms.forests.noise_tree import forget_eliminated
from dpverify.mechanisms.functions.mechanism import name_of
from dpverify.mechanisms.functions.signatures import parameters_for
from dpverify.mechanisms.laws.substitution import LawSubstitution
from dpverify.mechanisms.numbers.errors import InputError, MechanismError, Overtime, Undecided
from dpverify.mechanisms.numbers.exact_numbers import Exact, exact
from dpverify.mechanisms.signs.epsilon_symbol import EpsilonSymbol
from dpverify.mechanisms.signs.symbolic_epsilon import number_of
from dpverify.reports.numbers import counted
from dpverify.verifiers.all_sizes import every_delta_theorem, homogeneous_theorem, stable_histogram_theorem
from dpverify.verifiers.all_sizes.decision import ProvedOnRegions, ViolatingPoint, decided_on_regions
from dpverify.verifiers.all_sizes.every_delta_theorem import holds_for_every_delta
from dpverify.verifiers.all_sizes.theorems import settled
from dpverify.verifiers.all_sizes.trying import Tried, Trying
from dpverify.verifiers.charts.domains import Endless, Histograms
from dpverify.verifiers.charts.kinds_asked_for import kinds_asked_for
from dpverify.verifiers.charts.laws import LawsOnCharts
from dpverify.verifiers.charts.question import OfScores, Pair, all_scores
from dpverify.verifiers.charts.tried import SOME_NUMBERS
from dpverify.verifiers.deciding.deciding import decided_on
from dpverify.verifiers.experiments.experiment import PairCount, prepared_in_full
from dpverify.verifiers.questions.domains import Multisets
from dpverify.verifiers.questions.question import PrivacyGuarantee, Question
from dpverify.verifiers.tables.enclosed import Enclosed, enclosed
from dpverify.verifiers.verdicts import verdict as verdicts
from dpverify.verifiers.verdicts.verdict import Refuted, Verdict, VerdictBasis, with_agreement


def decided_for_all_sizes(question: Question, domain: Endless, *, tried: bool = True, as_named: bool = True) -> Verdict:
    """The verdict on a domain without end: by a theorem where one settles the claim, else region by region.

    Where it would be PROVED it is tried on real databases first, but where `tried` says otherwise, as of mutants. A
    mechanism that is not `as_named`, as its code was changed in place, is left to its regions: theorems know a function
    by being that very one. Raises `InputError` as `check_privacy` does.
    """
    of_claim = {**question.claim._asdict(), **domain.given}
    question = replace(question, parameters=parameters_for(question.mechanism, of_claim, question.parameters))
    if question.of_every_delta:
        return _decided_for_every_delta(question, domain, tried=tried, as_named=as_named)
    if question.symbol is not None:
        question = question.at(LawSubstitution(question.symbol, number_of(EpsilonSymbol(handed_out=True))))
    symbol, neighbours, claim = question.symbol, question.neighbours, question.claim
    scope = f"ALL pairs of neighbours ({name_of(neighbours)}) among ALL {domain.everything}"
    trying = Trying(question, domain) if tried else None
    by_theorem = _decided_by_theorem(question, domain, scope) if as_named else None
    if by_theorem is not None:
        scores = all_scores(domain, neighbours)
        assert scores is not None, "theorems speak of scores"
        return _once_tried(by_theorem, scope, None if trying is None else partial(trying.by_theorem, scores))

    asked = kinds_asked_for(question.mechanism, question.arguments)
    if asked.refused is not None:
        return _undecided(
            f"{asked.refused}: it may treat unknown numbers otherwise than known ones, which is not seen "
            "everywhere; claim it on databases up to a size, or leave that out",
            scope,
        )

    def on_pair(pair: ViolatingPoint) -> Verdict | None:
        databases = [domain.whole(pair.left), domain.whole(pair.right)]
        if databases[0] == databases[1]:
            return None
        return _on_two(question.of_two(databases, domain.parameters(question.arguments, pair.left)))

    def fails(pair: ViolatingPoint) -> bool:
        verdict = on_pair(pair)
        if isinstance(verdict, verdicts.Undecided):
            raise Undecided(verdict.reason)
        return isinstance(verdict, Refuted)

    def laws_of(question: Question) -> LawsOnCharts:
        return LawsOnCharts(question, domain, places=asked.places)

    if symbol is not None:
        forget_eliminated()
        of_cones = laws_of(question)
        cones = homogeneous_theorem.holds(of_cones, question, domain)
        if cones is not None:
            by_cones = _proved(
                f"no pair of neighbours needs more, by {homogeneous_theorem.NAME}: {counted(cones, 'cone')}",
                f"{scope}; by {homogeneous_theorem.NAME}",
            )
            return _once_tried(by_cones, scope, None if trying is None else partial(trying.by_cones, of_cones))

    def found_at(claim: PrivacyGuarantee, laws: LawsOnCharts) -> ProvedOnRegions | ViolatingPoint:
        forget_eliminated()
        return decided_on_regions(domain.regions(neighbours), laws, claim, fails)

    laws = laws_of(question)
    try:
        found = found_at(claim, laws)
    except (Undecided, InputError) as doubt:
        if _is_of_the_mechanism(doubt, symbol):
            raise

        def found_of(question: Question) -> ProvedOnRegions | ViolatingPoint:
            return found_at(question.claim, laws_of(question))

        violation = None if isinstance(doubt, Overtime) else _violated_at_some_epsilon(found_of, question)
        if violation is None:
            return _undecided(str(doubt), scope)
        found = violation
    if isinstance(found, ViolatingPoint):
        return _refuted(on_pair(found), scope)
    if not found.regions.starts:
        return verdicts.Vacuous(
            reason=f"no two databases are neighbours ({name_of(neighbours)}): nothing was put to the test, so choose a "
            "domain or a relation that has some",
            scope=scope,
            pairs=_NOT_COUNTED,
            basis=_OF_ALL,
        )
    count = f"{counted(found.cases, 'region')}, {counted(found.charts, 'law')}"
    reason = f"no pair of neighbours needs more, of whatever size: {count}"
    proved = with_agreement(_proved(reason, scope), claim, found.agree)
    return _once_tried(proved, scope, None if trying is None else partial(trying.by_regions, laws, found.regions))


def _decided_for_every_delta(question: Question, domain: Endless, *, tried: bool, as_named: bool) -> Verdict:
    """The verdict on a claim for every δ: by a theorem, or REFUTED at some ε and δ that are tried, else UNDECIDED."""
    scope = f"ALL pairs of neighbours ({name_of(question.neighbours)}) among ALL {domain.everything}"
    scores = all_scores(domain, question.neighbours)
    if scores is None:
        histograms = stable_histogram_theorem.holds(question, domain) if as_named else None
        if histograms is not None:
            name = stable_histogram_theorem.NAME
            proved = _proved(f"no pair of neighbours needs more, for any δ, by {name}", f"{scope}; by {name}")
            trying = Trying(question, domain) if tried else None
            return _once_tried(
                proved, scope, None if trying is None else partial(trying.by_theorem_on_rows, histograms)
            )
        return _refuted_at_some_delta(question, domain, scope)
    asked = OfScores(question, scores)
    try:
        found = every_delta_theorem.settled_for_every_delta(asked) if as_named else None
    except Undecided as doubt:
        return _undecided(str(doubt), scope)
    if found is None:
        return _refuted_on_some_scores(asked, scope)
    scope = f"{scope}; by {every_delta_theorem.NAME}"
    if found.failing is None:
        proved = _proved(f"no pair of neighbours needs more, for any δ, by {every_delta_theorem.NAME}", scope)
        trying = Trying(question, domain) if tried else None
        also = every_delta_theorem.some_neighbours(scores)
        return _once_tried(proved, scope, None if trying is None else partial(trying.by_theorem, scores, also))
    assert found.asked is not None, "where it fails two neighbours are shown"
    refuted = _at_one_delta(_refuted(_on_two(found.asked), scope), found.asked)
    return replace(refuted, reason=f"fails where {found.failing}; the witness is at {found.at}", fails_in=found.failing)


_ONE_DELTA: Final = (
    "for every δ at once only theorems of docs/theorems.md settle a claim, and none does this one, which was not "
    "refuted at the ε and δ that were tried: give δ a value"
)


def _refuted_on_some_scores(asked: OfScores, scope: str) -> Verdict:
    """REFUTED where the claim fails at some ε and δ, on some neighbours that are tried; else UNDECIDED."""
    for epsilon, delta in SOME_NUMBERS:
        at = every_delta_theorem.at_numbers(asked.question, epsilon, delta)
        pairs = every_delta_theorem.some_neighbours(asked.scores)
        databases = [*dict.fromkeys(side for pair in pairs for side in pair)]
        found = _on_two(at.of_others(databases, partial(_partners, pairs)))
        if isinstance(found, Refuted):
            return _at_one_delta(_refuted(found, scope), at)
    return _undecided(_ONE_DELTA, scope)


def _partners(pairs: Sequence[Pair], database: Hashable) -> list[Hashable]:
    return [right if database == left else left for left, right in pairs if database in (left, right)]


def _refuted_at_some_delta(question: Question, domain: Endless, scope: str) -> Verdict:
    """The same of a domain of other databases: on few rows of two kinds first."""
    for epsilon, delta in SOME_NUMBERS[::5]:
        at = every_delta_theorem.at_numbers(question, epsilon, delta)
        found = _on_few_rows(at, domain)
        if isinstance(found, Refuted):
            return _at_one_delta(_refuted(found, scope), at)
        found = decided_for_all_sizes(at, domain, tried=False, as_named=False)
        if isinstance(found, Refuted):
            return _at_one_delta(found, at)
        if isinstance(found, verdicts.Vacuous):
            return found
    return _undecided(_ONE_DELTA, scope)


def _on_few_rows(question: Question, domain: Endless) -> Verdict | None:
    """The verdict on databases of two rows of two kinds, where a domain has them, and they have neighbours."""
    if not isinstance(domain, Histograms) or domain.sizes.least > _FEW_ROWS:
        return None
    try:
        return _on_two(question.of_others(Multisets(domain.universe[:2], size=_FEW_ROWS), question.neighbours))
    except InputError:  # they have none, or the mechanism raises: then regions say so
        return None


_FEW_ROWS: Final = 2


def refuted_at_some_delta(question: Question) -> Verdict:
    """The verdict on a claim for every δ on databases that end: REFUTED at one of some ε and δ, else UNDECIDED.

    Raises `InputError` as `check_privacy` does.
    """
    found: Verdict | None = None
    for epsilon, delta in SOME_NUMBERS[::5]:
        at = every_delta_theorem.at_numbers(question, epsilon, delta)
        found = decided_on(prepared_in_full(at))
        if isinstance(found, Refuted):
            return _at_one_delta(found, at)
    assert found is not None, "some numbers are tried"
    if isinstance(found, verdicts.Vacuous):
        return found
    way_out = "give δ a value, or claim it on Scores(solutions=OrMore(1))"
    reason = _ONE_DELTA.replace("give δ a value", way_out)
    return verdicts.Undecided(reason=reason, scope=found.scope, pairs=found.pairs, basis=found.basis)


def _at_one_delta(verdict: Refuted, asked: Question) -> Refuted:
    """A verdict at numbers as one for every δ: what is found at these says nothing of others."""
    claim = asked.claim
    reason = f"at ε = {claim.epsilon} and δ = {claim.delta}: {verdict.reason}"
    basis = replace(verdict.basis, laws=None, worst=None)
    return replace(verdict, reason=reason, delta=None, epsilon=None, basis=basis)


def _is_of_the_mechanism(doubt: Undecided | InputError, symbol: EpsilonSymbol | None) -> bool:
    """Whether it says what is wrong with the mechanism, and not what is not decided; a time that is up is no fault."""
    if isinstance(doubt, Overtime):
        return False
    return isinstance(doubt, MechanismError) or (symbol is None and isinstance(doubt, InputError))


def _once_tried(verdict: Verdict, scope: str, trying: Callable[[], Tried] | None) -> Verdict:
    """A verdict that is PROVED after it was tried on real databases, and says so; others, and mutants', as they are.

    Raises `MechanismError` where a mechanism treats these otherwise than unknown numbers.
    """
    if not isinstance(verdict, verdicts.Proved) or trying is None:
        return verdict
    try:
        return replace(verdict, scope=f"{verdict.scope}; {trying()}")
    except Undecided as doubt:
        return _undecided(str(doubt), scope)


_SOME_EPSILON: Final = (1, 4, Fraction(1, 4), 16, Fraction(1, 32))
"""Where a claim for every ε that is not decided may fail."""


def _violated_at_some_epsilon(
    found_of: Callable[[Question], ProvedOnRegions | ViolatingPoint], question: Question
) -> ViolatingPoint | None:
    """Neighbours that violate a claim for every ε at one of some ε; None where none do, or that is not known."""
    symbol = question.symbol
    if symbol is None:
        return None
    for epsilon in _SOME_EPSILON:
        try:
            found = found_of(question.at(LawSubstitution(symbol, exact(epsilon))))
        except Undecided:
            continue
        if isinstance(found, ViolatingPoint):
            return found
    return None


def _decided_by_theorem(question: Question, domain: Endless, scope: str) -> Verdict | None:
    """The verdict where a theorem settles the claim; None where none does."""
    scores = all_scores(domain, question.neighbours)
    if question.symbol is not None and scores is not None and holds_for_every_delta(OfScores(question, scores)):
        name = every_delta_theorem.NAME
        return _proved(f"no pair of neighbours needs more, by {name}", f"{scope}; by {name}")
    try:
        found = settled(question, domain)
    except Undecided as doubt:
        return _undecided(str(doubt), scope) if domain.by_theorems_alone else None
    if found is None:
        return None
    scope = f"{scope}; by {found.theorem}"
    if found.pair is not None:
        return _refuted(_on_two(question.of_two(found.pair)), scope)
    reason = f"no pair of neighbours needs more, by {found.theorem}"
    return replace(_proved(reason, scope), delta=_plain(found.delta), epsilon=_plain(found.epsilon))


def _on_two(question: Question) -> Verdict:
    """The verdict on two databases, which are neighbours, or on some."""
    return decided_on(prepared_in_full(question))


_OF_ALL: Final = VerdictBasis(experiment=None, for_all_sizes=True)
_NOT_COUNTED: Final = PairCount(0, 0, 0)


def _proved(reason: str, scope: str) -> verdicts.Proved:
    return verdicts.Proved(reason=reason, scope=scope, pairs=_NOT_COUNTED, basis=_OF_ALL)


def _undecided(reason: str, scope: str) -> verdicts.Undecided:
    return verdicts.Undecided(reason=reason, scope=scope, pairs=_NOT_COUNTED, basis=_OF_ALL)


def _refuted(verdict: Verdict | None, scope: str) -> Refuted:
    """The verdict that two neighbours give of a domain without end, which the finite checker has refuted."""
    assert isinstance(verdict, Refuted), "two neighbours violate the claim"
    basis = replace(verdict.basis, for_all_sizes=True)
    return replace(verdict, scope=f"{scope}; refuted on two of them", basis=basis)


def _plain(number: Exact | None) -> Enclosed | None:
    """A number as a verdict gives it; None where it depends on ε."""
    return None if number is None or number.symbol is not None else enclosed(number)
